/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Recognises the expressions by which kernels number their threads: blockIdx.x * blockDim.x + threadIdx.x in its usual
 * spellings, casts and named intermediate values included; and the ends of statements. */

#include "leat-kernel-locals-private.h"

#include <string.h>

/* The words of a declaration's type end before the last of the leading words, or before a mark. */
gboolean
leat_locals_lookup_type (LeatLocals *self, guint token, LeatKernelType *type)
{
  static const char *const bounds[] = { ";", "{", "}", "(", NULL };
  static const char *const marks[] = { "*", "&", NULL };
  const LeatKernelUnit seen = leat_kernel_unit_seen_from (self->unit, self->decl);
  const LeatTokens *tokens = self->unit->tokens;
  gboolean is_param = token < self->decl->body;
  guint first = token, end;
  g_autofree char *words = NULL;

  while (!leat_tokens_is_any (tokens, first - 1, bounds) && !(is_param && leat_tokens_is (tokens, first - 1, ",")))
    {
      guint match = leat_tokens_at (tokens, first - 1)->match;

      first = match != G_MAXUINT && match < first - 1 ? match : first - 1;
    }
  while (leat_tokens_is (tokens, first, "const") || leat_tokens_is (tokens, first, "constexpr"))
    first++;
  for (end = first; leat_tokens_at (tokens, end)->kind == LEAT_TOKEN_IDENT;)
    end++;
  if (!leat_tokens_is_any (tokens, end, marks))
    end--;
  if (end <= first || end > token)
    return FALSE;
  words = leat_tokens_dup_range (tokens, first, end - 1);
  return leat_kernel_unit_lookup_type (&seen, words, type);
}

/* Whether a number of a thread survives in it: an integer of 32 bits or more. */
static gboolean
leat_locals_is_wide (const LeatKernelType *type)
{
  return type->is_integer && type->lanes == 1 && type->lane_bytes >= 4;
}

/* TRUE when the brackets at @index, `(int)` or the `<int>` of a static_cast up to @last, hold such a type. */
static gboolean
leat_locals_is_cast (LeatLocals *self, guint index, guint last)
{
  g_autofree char *words = NULL;
  LeatKernelType type;

  if (last <= index + 1)
    return FALSE;
  words = leat_tokens_dup_range (self->unit->tokens, index + 1, last - 1);
  return leat_kernel_unit_lookup_type (self->unit, words, &type) && leat_locals_is_wide (&type);
}

/* Whether the local's value is its initialiser's. */
static gboolean
leat_locals_is_alias (LeatLocals *self, const LeatLocal *local)
{
  LeatKernelType type;

  return !local->is_changed && local->init_first != G_MAXUINT && leat_locals_lookup_type (self, local->name, &type)
         && leat_locals_is_wide (&type);
}

static void
leat_locals_unwrap (GString *text, const char *inner)
{
  g_autofree char *wrapped = g_strdup_printf ("(%s)", inner);

  g_string_replace (text, wrapped, inner, 0);
}

/* The expression without blanks, casts and the parentheses that change nothing; a local stands for its initialiser. */
static char *
leat_locals_dup_plain (LeatLocals *self, guint first, guint last, char axis, guint depth)
{
  static const char *const products[] = { "blockIdx.%c*blockDim.%c", "blockDim.%c*blockIdx.%c",
                                          "blockDim.%c*gridDim.%c", "gridDim.%c*blockDim.%c" };
  const LeatTokens *tokens = self->unit->tokens;
  GString *text = g_string_new (NULL);
  char thread[] = { 't', 'h', 'r', 'e', 'a', 'd', 'I', 'd', 'x', '.', axis, '\0' };

  if (first == last && leat_tokens_at (tokens, first)->kind == LEAT_TOKEN_IDENT && depth < 4)
    {
      LeatLocal *local = leat_locals_find (self, first);

      if (local != NULL && leat_locals_is_alias (self, local))
        {
          g_string_free (text, TRUE);
          return leat_locals_dup_plain (self, local->init_first, local->init_last, axis, depth + 1);
        }
    }
  for (guint i = first; i <= last; i++)
    {
      g_autofree char *word = leat_tokens_dup (tokens, i);

      guint close = i + 1;

      while (leat_tokens_is (tokens, i, "static_cast") && close < last && !leat_tokens_is (tokens, close, ">"))
        close++;
      if (leat_tokens_is (tokens, i, "static_cast") && leat_locals_is_cast (self, i + 1, close))
        i = close;
      else if (leat_tokens_is (tokens, i, "(") && leat_locals_is_cast (self, i, leat_tokens_at (tokens, i)->match))
        i = leat_tokens_at (tokens, i)->match;
      else
        g_string_append (text, word);
    }
  for (guint i = 0; i < G_N_ELEMENTS (products); i++)
    {
      g_autofree char *product = g_strdup (products[i]);

      for (char *hole; (hole = strstr (product, "%c")) != NULL;)
        {
          hole[0] = axis;
          memmove (hole + 1, hole + 2, strlen (hole + 1));
        }
      leat_locals_unwrap (text, product);
    }
  leat_locals_unwrap (text, thread);
  return g_string_free (text, FALSE);
}

/* Whether the expression is one of @forms, in which `$` stands for the axis. */
static gboolean
leat_locals_matches (LeatLocals *self, guint first, guint last, char axis, const char *const *forms)
{
  static const char *const shadowed[] = { "threadIdx", "blockIdx", "blockDim", "gridDim", NULL };
  g_autofree char *text = NULL;

  for (guint i = 0; shadowed[i] != NULL; i++)
    if (g_hash_table_contains (self->names, shadowed[i]))
      return FALSE;
  if (first > last)
    return FALSE;
  text = leat_locals_dup_plain (self, first, last, axis, 0);
  while (*text == '(' && text[strlen (text) - 1] == ')')
    {
      memmove (text, text + 1, strlen (text));
      text[strlen (text) - 1] = '\0';
    }
  for (; *forms != NULL; forms++)
    {
      g_autofree char *form = g_strdelimit (g_strdup (*forms), "$", axis);

      if (g_str_equal (form, text))
        return TRUE;
    }
  return FALSE;
}

gboolean
leat_locals_is_grid_index (LeatLocals *self, guint first, guint last, char axis)
{
  static const char *const forms[] = { "blockIdx.$*blockDim.$+threadIdx.$", "blockDim.$*blockIdx.$+threadIdx.$",
                                       "threadIdx.$+blockIdx.$*blockDim.$", "threadIdx.$+blockDim.$*blockIdx.$", NULL };

  return leat_locals_matches (self, first, last, axis, forms);
}

gboolean
leat_locals_is_grid_width (LeatLocals *self, guint first, guint last)
{
  static const char *const forms[] = { "blockDim.$*gridDim.$", "gridDim.$*blockDim.$", NULL };

  return leat_locals_matches (self, first, last, 'x', forms);
}

guint
leat_kernel_unit_find_semicolon (const LeatKernelUnit *self, guint first, guint end)
{
  for (guint i = first; i < end; i++)
    {
      guint match = leat_tokens_at (self->tokens, i)->match;

      if (leat_tokens_is (self->tokens, i, ";"))
        return i;
      if (match != G_MAXUINT && match > i)
        i = match;
    }
  return G_MAXUINT;
}

guint
leat_kernel_unit_statement_end (const LeatKernelUnit *self, guint index, guint end)
{
  static const char *const headed[] = { "for",        "while",         "if", "switch", "GRID_FOR", "QUEUE_FOR",
                                        "QUEUE_EACH", "FRONTIER_EACH", NULL };

  if (index >= end)
    return end;
  if (leat_tokens_is (self->tokens, index, "{"))
    return leat_tokens_at (self->tokens, index)->match + 1;
  if (leat_tokens_is_any (self->tokens, index, headed) && leat_tokens_is (self->tokens, index + 1, "("))
    {
      guint after = leat_tokens_at (self->tokens, index + 1)->match + 1;
      guint stop = leat_kernel_unit_statement_end (self, after, end);

      if (leat_tokens_is (self->tokens, index, "if") && leat_tokens_is (self->tokens, stop, "else"))
        stop = leat_kernel_unit_statement_end (self, stop + 1, end);
      return stop;
    }
  if (leat_tokens_is (self->tokens, index, "do"))
    index = leat_kernel_unit_statement_end (self, index + 1, end);
  return MIN (leat_kernel_unit_find_semicolon (self, index, end), end - 1) + 1;
}
