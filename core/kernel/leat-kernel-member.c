/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Members of a program's types that device code may do without: functions that are not marked for a device, and what
 * is made of types of the host's library.  Reads the unit only. */

#include "leat-kernel-plain-private.h"

#include <string.h>

/* The parts of one member. */
typedef struct
{
  guint first, last;
  guint params; /* the "(" of a function; else G_MAXUINT */
  guint body;   /* the "{" of a type; else G_MAXUINT */
} LeatMember;

typedef struct
{
  const LeatKernelUnit *unit;
  const LeatTokens *tokens;
  guint decl;
  GArray *found; /* LeatLooseMember */
} LeatMemberScan;

static gboolean
leat_member_says (const LeatTokens *tokens, guint first, guint end, const char *const *words)
{
  for (guint i = first; i < end; i++)
    if (leat_tokens_is_any (tokens, i, words))
      return TRUE;
  return FALSE;
}

/* Behind the template's parameters. */
static guint
leat_member_skip_template (const LeatKernelUnit *unit, guint first)
{
  while (leat_tokens_is (unit->tokens, first, "template"))
    first = leat_kernel_unit_skip_angles (unit, first + 1);
  return first;
}

static gboolean
leat_member_is_type (const LeatTokens *tokens, guint token)
{
  static const char *const words[] = { "struct", "class", "union", "enum", NULL };

  return leat_tokens_is_any (tokens, token, words);
}

/* Whether parentheses are those of a function's parameters, as what follows them tells: not of `void (*call) (int)`. */
static gboolean
leat_member_is_params (const LeatTokens *tokens, guint open)
{
  static const char *const behind[] = { "const", "volatile", "noexcept", "override",      "final",
                                        "throw", "try",      "requires", "__attribute__", NULL };
  guint next = leat_tokens_at (tokens, open)->match + 1;

  return !leat_tokens_is (tokens, next, "(")
         && (leat_tokens_at (tokens, next)->kind != LEAT_TOKEN_IDENT || leat_tokens_is_any (tokens, next, behind));
}

/* Reads the member that begins at @first, up to the end of its body or its ";".  @close: the "}" of the type */
static LeatMember
leat_member_read (const LeatKernelUnit *unit, guint first, guint close)
{
  const LeatTokens *tokens = unit->tokens;
  LeatMember self = { first, close - 1, G_MAXUINT, G_MAXUINT };
  gboolean is_given = FALSE; /* `= value` */

  for (guint i = leat_member_skip_template (unit, first); i < close; i++)
    {
      gboolean is_operator = leat_tokens_is (tokens, i - 1, "operator");

      if (leat_tokens_is_any (tokens, i, leat_kernel_attribute_words) && leat_tokens_is (tokens, i + 1, "("))
        i = leat_tokens_at (tokens, i + 1)->match;
      else if (leat_tokens_is (tokens, i, "<") && !is_operator && self.params == G_MAXUINT && !is_given)
        i = MIN (leat_kernel_unit_skip_angles (unit, i), close) - 1;
      else if (leat_tokens_is (tokens, i, "(") || leat_tokens_is (tokens, i, "["))
        {
          if (leat_tokens_is (tokens, i, "(") && !is_operator && self.params == G_MAXUINT && !is_given)
            {
              is_given = !leat_member_is_params (tokens, i);
              self.params = is_given ? G_MAXUINT : i;
            }
          i = leat_tokens_at (tokens, i)->match;
        }
      else if (leat_tokens_is (tokens, i, "=") && !is_operator)
        is_given = TRUE;
      else if (leat_tokens_is (tokens, i, "{"))
        {
          guint open = i;

          i = leat_tokens_at (tokens, i)->match;
          if (self.params == G_MAXUINT && !is_given
              && leat_member_is_type (tokens, leat_member_skip_template (unit, first)))
            self.body = open;
          else if (self.params != G_MAXUINT && !is_given && !leat_tokens_is (tokens, i + 1, ",")
                   && !leat_tokens_is (tokens, i + 1, "{"))
            {
              self.last = i;
              return self;
            }
        }
      else if (leat_tokens_is (tokens, i, ";"))
        {
          self.last = i;
          return self;
        }
    }
  return self;
}

/* The word that names the function whose parameters begin at @params; G_MAXUINT for an operator. */
static guint
leat_member_name (const LeatTokens *tokens, const LeatMember *self)
{
  static const char *const words[] = { "operator", NULL };

  return leat_member_says (tokens, self->first, self->params, words)
             || leat_tokens_at (tokens, self->params - 1)->kind != LEAT_TOKEN_IDENT
           ? G_MAXUINT
           : self->params - 1;
}

/* `T &operator= (...)` */
static gboolean
leat_member_is_assignment (const LeatTokens *tokens, const LeatMember *self)
{
  return self->params >= self->first + 2 && leat_tokens_is (tokens, self->params - 1, "=")
         && leat_tokens_is (tokens, self->params - 2, "operator");
}

static void
leat_member_add_function (LeatMemberScan *scan, const LeatMember *self, guint type_name)
{
  static const char *const marks[] = { "__device__", "__global__", "constexpr", "consteval", NULL };
  static const char *const given[] = { "default", "delete", NULL };
  static const char *const host[] = { "__host__", NULL }, *const called[] = { "virtual", "override", NULL };
  static const char *const by_loops[] = { "begin", "end", NULL };
  const LeatTokens *tokens = scan->tokens;
  guint name = leat_member_name (tokens, self), close = leat_tokens_at (tokens, self->params)->match;
  LeatLooseMember member = { self->first, self->last, name, scan->decl };
  g_autofree char *own = type_name != G_MAXUINT ? leat_tokens_dup (tokens, type_name) : NULL;
  gboolean is_made = own != NULL && name != G_MAXUINT && leat_tokens_is (tokens, name, own);

  if (leat_member_says (tokens, self->first, self->params, marks)
      || (leat_tokens_is (tokens, self->last - 2, "=") && leat_tokens_is_any (tokens, self->last - 1, given)))
    return;
  member.is_host = leat_member_says (tokens, self->first, self->params, host)
                   || leat_kernel_unit_names_host (scan->unit, self->first, self->last);
  is_made = is_made && !leat_tokens_is (tokens, name - 1, "~");
  if (member.is_host && (is_made || leat_member_is_assignment (tokens, self))
      && !leat_kernel_unit_names_host (scan->unit, self->params, close))
    member.delete_behind = close;
  if (member.is_host
      || (name != G_MAXUINT && !is_made && !leat_tokens_is (tokens, name - 1, "~")
          && !leat_tokens_is_any (tokens, name, by_loops)
          && !leat_member_says (tokens, self->first, self->last, called)))
    g_array_append_val (scan->found, member);
}

static gboolean leat_member_scan_type (LeatMemberScan *scan, guint open, guint type_name);

/* Whether objects of the type cannot be without the host's library for the sake of this member. */
static gboolean
leat_member_add (LeatMemberScan *scan, const LeatMember *self, guint type_name)
{
  static const char *const fixed[] = { "static", "using", "typedef", NULL };
  guint head = leat_member_skip_template (scan->unit, self->first), n = scan->found->len;
  LeatLooseMember member = { self->first, self->last, G_MAXUINT, scan->decl, .is_host = TRUE };
  gboolean is_host;

  if (self->body != G_MAXUINT && !leat_tokens_is (scan->tokens, head, "enum"))
    {
      is_host = leat_member_scan_type (scan, self->body, head + 1)
                || leat_kernel_unit_names_host (scan->unit, self->first, self->body);
      if (is_host)
        {
          g_array_set_size (scan->found, n);
          g_array_append_val (scan->found, member);
        }
      return FALSE;
    }
  if (self->params != G_MAXUINT && !leat_tokens_is_any (scan->tokens, head, fixed + 1))
    {
      leat_member_add_function (scan, self, type_name);
      return FALSE;
    }
  is_host = leat_kernel_unit_names_host (scan->unit, self->first, self->last);
  if (is_host && leat_member_says (scan->tokens, self->first, self->last, fixed))
    g_array_append_val (scan->found, member);
  else
    return is_host;
  return FALSE;
}

/* Whether it has an item of the host's library in it. @open: its "{" */
static gboolean
leat_member_scan_type (LeatMemberScan *scan, guint open, guint type_name)
{
  guint close = leat_tokens_at (scan->tokens, open)->match;
  gboolean is_host = FALSE;

  for (guint i = open + 1; i < close;)
    if (leat_tokens_is (scan->tokens, i, ";"))
      i++;
    else if (leat_tokens_is (scan->tokens, i + 1, ":")) /* `public:` */
      i += 2;
    else
      {
        LeatMember member = leat_member_read (scan->unit, i, close);

        is_host = leat_member_add (scan, &member, type_name) || is_host;
        i = member.last + 1;
      }
  return is_host;
}

GArray *
leat_kernel_unit_list_loose_members (const LeatKernelUnit *unit)
{
  LeatMemberScan scan = { unit, unit->tokens, 0, g_array_new (FALSE, FALSE, sizeof (LeatLooseMember)) };
  static const char *const ends[] = { "{", "=", ";", NULL };

  for (; scan.decl < unit->decls->len; scan.decl++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, scan.decl);
      guint open = leat_member_skip_template (unit, decl->first);

      if (decl->kind != LEAT_DECL_TYPE)
        continue;
      while (open < decl->last && !leat_tokens_is_any (scan.tokens, open, ends)
             && !leat_tokens_is (scan.tokens, open, "enum"))
        open++;
      if (leat_tokens_is (scan.tokens, open, "{"))
        leat_member_scan_type (&scan, open, leat_kernel_unit_type_name (unit, decl));
    }
  return scan.found;
}
