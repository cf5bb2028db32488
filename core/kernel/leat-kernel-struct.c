/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The structures of a file: where they are, and the declarations of their members, one after the other.  Reads the unit
 * only. */

#include "leat-kernel-plain-private.h"

#include <string.h>

/* An array in a structure has at most so many items along a dimension. */
#define LEAT_STRUCT_MOST_ITEMS 65536

static guint
leat_struct_find_named (const LeatKernelUnit *unit, const char *name)
{
  g_auto (LeatNameSearch) search = { NULL };
  guint found = G_MAXUINT;

  leat_name_search_init (&search, unit, name);
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      gboolean is_typedef = leat_tokens_is (unit->tokens, decl->first, "typedef"), is_named = FALSE;
      guint open = decl->first;

      if (decl->kind != LEAT_DECL_TYPE || leat_tokens_is (unit->tokens, decl->first, "enum"))
        continue;
      while (open < decl->last && !leat_tokens_is (unit->tokens, open, "{") && !leat_tokens_is (unit->tokens, open, ":")
             && !leat_tokens_is (unit->tokens, open, "<"))
        {
          is_named = is_named || leat_tokens_is (unit->tokens, open, search.last);
          open++;
        }
      if (!leat_tokens_is (unit->tokens, open, "{") || leat_tokens_is (unit->tokens, decl->first, "union"))
        continue;
      if ((is_named || (is_typedef && leat_tokens_is (unit->tokens, decl->last - 1, search.last)))
          && leat_name_search_takes (&search, decl))
        found = open;
    }
  return search.is_ambiguous ? G_MAXUINT : found;
}

/* The "{" of the structure that is called @name, or has it as another name; G_MAXUINT where the file has none without
 * bases. */
guint
leat_kernel_unit_find_struct (const LeatKernelUnit *unit, const char *name)
{
  guint found = leat_struct_find_named (unit, name);
  g_autofree char *plain = found == G_MAXUINT ? leat_kernel_unit_dup_plain_type (unit, name) : NULL;

  return plain != NULL ? leat_struct_find_named (unit, plain) : found;
}

char *
leat_kernel_dup_bare_type (const char *words)
{
  static const char *const left_out[] = { "const", "volatile", "struct", "mutable", NULL };
  g_auto (GStrv) list = g_strsplit (words, " ", -1);
  GString *out = g_string_new (NULL);

  for (guint i = 0; list[i] != NULL; i++)
    if (!g_strv_contains (left_out, list[i]))
      g_string_append_printf (out, "%s%s", out->len > 0 ? " " : "", list[i]);
  return g_string_free (out, FALSE);
}

/* The sizes of the array whose declarator has its name at @name and ends before @end; NULL where tokens do not tell
 * one. */
GArray *
leat_kernel_unit_read_sizes (const LeatKernelUnit *unit, guint name, guint end)
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = name + 1; i < end && leat_tokens_is (unit->tokens, i, "[");
       i = leat_tokens_at (unit->tokens, i)->match + 1)
    {
      gint64 size;

      if (!leat_kernel_unit_read_whole (unit, i + 1, leat_tokens_at (unit->tokens, i)->match, &size) || size < 1
          || size > LEAT_STRUCT_MOST_ITEMS)
        return NULL;
      g_array_append_val (sizes, ((guint){ size }));
    }
  return g_steal_pointer (&sizes);
}

/* Behind the member function, constructor or type at @first; @first where it is none of these. */
static guint
leat_members_skip_function (const LeatKernelUnit *unit, guint first, guint end)
{
  static const char *const types[] = { "static", "using", "typedef", "friend", "static_assert", NULL };
  gboolean function = leat_tokens_is_any (unit->tokens, first, types);

  for (guint i = first; i < end; i++)
    {
      if (leat_kernel_unit_skip_attribute (unit, i) != i)
        i = leat_kernel_unit_skip_attribute (unit, i);
      else if (leat_tokens_is (unit->tokens, i, "("))
        {
          function = TRUE;
          i = leat_tokens_at (unit->tokens, i)->match;
        }
      else if (leat_tokens_is (unit->tokens, i, "{"))
        {
          i = leat_tokens_at (unit->tokens, i)->match;
          if (function && !leat_tokens_is (unit->tokens, i + 1, ",") && !leat_tokens_is (unit->tokens, i + 1, "{"))
            return i + 1;
        }
      else if (leat_tokens_is (unit->tokens, i, ";"))
        return function ? i + 1 : first;
    }
  return first;
}

/* `int n{ 3 };`, `int v[2] = { 1, 2 };`: a member's value begins with the "{" at @open. */
static gboolean
leat_members_is_initial (const LeatTokens *tokens, guint open)
{
  static const char *const types[] = { "struct", "union", "class", "enum", NULL };
  guint close = leat_tokens_at (tokens, open)->match;

  return (leat_tokens_is (tokens, close + 1, ";") || leat_tokens_is (tokens, close + 1, ","))
         && !leat_tokens_is_any (tokens, open - 1, types) && !leat_tokens_is_any (tokens, open - 2, types);
}

gboolean
leat_kernel_unit_next_members (const LeatKernelUnit *unit, LeatMembers *self)
{
  const LeatTokens *tokens = unit->tokens;

  while (self->at < self->close && !self->is_unknown)
    {
      guint behind = leat_members_skip_function (unit, self->at, self->close);

      if (leat_tokens_is (tokens, self->at, "virtual"))
        break;
      if (behind != self->at)
        self->at = behind;
      else if (leat_tokens_is (tokens, self->at, ";"))
        self->at++;
      else if (leat_tokens_is (tokens, self->at + 1, ":")) /* `public:` */
        self->at += 2;
      else
        {
          self->first = self->at;
          for (self->end = self->at + 1; self->end < self->close && !leat_tokens_is (tokens, self->end, ";");
               self->end++)
            if (!leat_tokens_is (tokens, self->end, "{"))
              continue;
            else if (leat_members_is_initial (tokens, self->end))
              self->end = leat_tokens_at (tokens, self->end)->match;
            else
              break;
          self->at = self->end + 1;
          self->is_unknown = !leat_tokens_is (tokens, self->end, ";");
          return !self->is_unknown;
        }
    }
  self->is_unknown = self->is_unknown || self->at < self->close;
  return FALSE;
}
