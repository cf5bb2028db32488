/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How many threads a block of a kernel may have by its `__launch_bounds__ (N)`, for which it is compiled.  N is read
 * here as far as tokens say it, so that a plan can tell; the host's compiler reads all of it. */

#include "leat-kernel-transform-private.h"

#include <string.h>

#define LEAT_BOUNDS_DEPTH 32 /* of brackets, names, and the values before them: a name may stand for many others */

typedef struct
{
  const LeatKernelUnit *unit;
  guint at, end;
  guint depth;
  gboolean known;
} LeatBoundsReader;

static gint64 leat_bounds_read (LeatBoundsReader *self, guint least);

static gint64
leat_bounds_read_range (LeatBoundsReader *self, guint first, guint end)
{
  LeatBoundsReader inner = { self->unit, first, end, self->depth + 1, self->depth < LEAT_BOUNDS_DEPTH };
  gint64 value = inner.known ? leat_bounds_read (&inner, 0) : 0;

  self->known = self->known && inner.known && inner.at == end;
  return value;
}

/* `constexpr int N = 4 * 32;` or `enum { N = 128 };` */
static gint64
leat_bounds_read_name (LeatBoundsReader *self, guint token)
{
  static const char *const fixed[] = { "const", "constexpr", "enum", NULL };
  const LeatTokens *tokens = self->unit->tokens;
  g_autofree char *name = leat_tokens_dup (tokens, token);

  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);
      gboolean is_fixed = FALSE;

      if (decl->kind != LEAT_DECL_VARIABLE && decl->kind != LEAT_DECL_TYPE)
        continue;
      for (guint t = decl->first; t < decl->last; t++)
        {
          guint end = t + 2;

          is_fixed = is_fixed || leat_tokens_is_any (tokens, t, fixed);
          if (!is_fixed || !leat_tokens_is (tokens, t, name) || !leat_tokens_is (tokens, t + 1, "="))
            continue;
          while (end < decl->last && !leat_tokens_is (tokens, end, ",") && !leat_tokens_is (tokens, end, "}"))
            end++;
          return leat_bounds_read_range (self, t + 2, end);
        }
    }
  self->known = FALSE;
  return 0;
}

static gint64
leat_bounds_read_value (LeatBoundsReader *self)
{
  const LeatTokens *tokens = self->unit->tokens;
  guint token = self->at++;
  g_autofree char *word = NULL;
  char *rest;
  gint64 value;

  if (token >= self->end || self->depth++ > LEAT_BOUNDS_DEPTH)
    self->known = FALSE;
  else if (leat_tokens_is (tokens, token, "("))
    {
      self->at = leat_tokens_at (tokens, token)->match + 1;
      return leat_bounds_read_range (self, token + 1, self->at - 1);
    }
  else if (leat_tokens_at (tokens, token)->kind == LEAT_TOKEN_NUMBER)
    {
      word = leat_tokens_dup (tokens, token);
      value = g_ascii_strtoll (word, &rest, 0);
      self->known = self->known && strspn (rest, "uUlL") == strlen (rest);
      return value;
    }
  else if (leat_tokens_at (tokens, token)->kind == LEAT_TOKEN_IDENT)
    return leat_bounds_read_name (self, token);
  self->known = FALSE;
  return 0;
}

static gint64
leat_bounds_apply (LeatBoundsReader *self, char op, gint64 a, gint64 b)
{
  self->known = self->known && ABS (a) < G_MAXINT32 && ABS (b) < G_MAXINT32 && (b != 0 || !(op == '/' || op == '%'))
                && ((b >= 0 && b < 31) || !(op == '<' || op == '>')) && (a >= 0 || op != '<');
  if (!self->known)
    return 0;
  switch (op)
    {
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '<':
      return a << b;
    default:
      return a >> b;
    }
}

/* Sums and products, of operators that bind at least as much as @least. */
static gint64
leat_bounds_read (LeatBoundsReader *self, guint least)
{
  static const struct
  {
    const char *word;
    guint binds;
  } operators[] = { { "<<", 0 }, { ">>", 0 }, { "+", 1 }, { "-", 1 }, { "*", 2 }, { "/", 2 }, { "%", 2 } };
  gint64 value = leat_bounds_read_value (self);
  gboolean found = TRUE;

  while (found && self->known && self->at < self->end)
    {
      found = FALSE;
      for (guint i = 0; i < G_N_ELEMENTS (operators) && !found; i++)
        if (operators[i].binds >= least && leat_tokens_is (self->unit->tokens, self->at, operators[i].word))
          {
            self->at++;
            value =
              leat_bounds_apply (self, operators[i].word[0], value, leat_bounds_read (self, operators[i].binds + 1));
            found = TRUE;
          }
    }
  return value;
}

/* What stands between the parentheses of @word before the kernel's name, in pieces. (transfer full) */
static GArray *
leat_bounds_list_pieces (const LeatKernelUnit *unit, const LeatDecl *decl, const char *word)
{
  for (guint i = decl->first; i < decl->name; i++)
    if (leat_tokens_is (unit->tokens, i, word) && leat_tokens_is (unit->tokens, i + 1, "("))
      return leat_kernel_unit_split (unit, i + 2, leat_tokens_at (unit->tokens, i + 1)->match);
  return g_array_new (FALSE, FALSE, sizeof (guint));
}

gboolean
leat_kernel_unit_find_bounds (const LeatKernelUnit *unit, const LeatDecl *decl, guint *first, guint *end)
{
  g_autoptr (GArray) pieces = leat_bounds_list_pieces (unit, decl, "__launch_bounds__");

  if (pieces->len == 0)
    return FALSE;
  *first = g_array_index (pieces, guint, 0);
  *end = g_array_index (pieces, guint, 1) + 1;
  return TRUE;
}

void
leat_kernel_unit_read_cluster (const LeatKernelUnit *unit, const LeatDecl *decl, guint cluster[3])
{
  g_autoptr (GArray) pieces = leat_bounds_list_pieces (unit, decl, "__cluster_dims__");

  for (guint axis = 0; axis < 3; axis++)
    {
      LeatBoundsReader reader = { unit, 0, 0, 0, TRUE };
      gint64 value = 2 * axis < pieces->len ? leat_bounds_read_range (&reader, g_array_index (pieces, guint, 2 * axis),
                                                                      g_array_index (pieces, guint, 2 * axis + 1) + 1)
                                            : 1;

      cluster[axis] = reader.known && value > 0 && value <= G_MAXUINT16 ? (guint) value : 1;
    }
}

guint
leat_kernel_unit_read_bounds (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  LeatBoundsReader reader = { unit, 0, 0, 0, TRUE };
  guint first, end;
  gint64 value;

  if (!leat_kernel_unit_find_bounds (unit, decl, &first, &end))
    return 0;
  value = leat_bounds_read_range (&reader, first, end);
  return reader.known && value > 0 && value <= G_MAXINT32 ? (guint) value : 0;
}
