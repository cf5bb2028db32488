/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The words of one declaration: the name that it declares, and attributes to pass over. */

#include "leat-kernel-report-private.h"

const char *const leat_kernel_attribute_words[] = {
  "__launch_bounds__", "__attribute__", "__align__",    "alignas",          "__declspec",
  "decltype",          "__maxnreg__",   "LEAT_CLUSTER", "__cluster_dims__", NULL
};
const char *const leat_kernel_type_words[] = { "struct", "union", "enum", "class", "typedef", "using", NULL };

guint
leat_kernel_unit_skip_attribute (const LeatKernelUnit *self, guint index)
{
  static const char *const words[] = { "__attribute__", "__align__", "alignas", "__declspec", NULL };

  if (leat_tokens_is (self->tokens, index, "[") && leat_tokens_is (self->tokens, index + 1, "["))
    return leat_tokens_at (self->tokens, index)->match;
  return leat_tokens_is_any (self->tokens, index, words) && leat_tokens_is (self->tokens, index + 1, "(")
           ? leat_tokens_at (self->tokens, index + 1)->match
           : index;
}

guint
leat_kernel_unit_declared_name (const LeatKernelUnit *self, guint first, guint end)
{
  static const char *const marks[] = { "*", "const", "volatile", "__restrict__", NULL }; /* `(**const name)` */
  static const char *const never[] = { "auto", "const", "volatile", "static", NULL };    /* `const auto [a, b]` */
  guint name = G_MAXUINT;
  gboolean type = FALSE; /* `struct { .. } name` */

  for (guint i = first; i < end; i++)
    {
      const LeatToken *token = leat_tokens_at (self->tokens, i);

      if (leat_tokens_is (self->tokens, i, "{") && type && !leat_tokens_is (self->tokens, i - 1, "="))
        {
          i = token->match;
          continue;
        }
      type = type || leat_tokens_is_any (self->tokens, i, leat_kernel_type_words);
      if (leat_kernel_unit_skip_attribute (self, i) != i)
        i = leat_kernel_unit_skip_attribute (self, i);
      else if (token->kind == LEAT_TOKEN_IDENT && leat_tokens_is_any (self->tokens, i, leat_kernel_attribute_words)
               && leat_tokens_is (self->tokens, i + 1, "("))
        i = leat_tokens_at (self->tokens, i + 1)->match;
      else if (token->kind == LEAT_TOKEN_IDENT && !leat_tokens_is_any (self->tokens, i, never)
               && !leat_tokens_is_any (self->tokens, i, leat_kernel_type_words))
        {
          name = i;
          if (leat_tokens_is (self->tokens, i + 1, "<")) /* `gain<int> = 2` */
            i = MIN (leat_kernel_unit_skip_angles (self, i + 1), end) - 1;
        }
      else if (leat_tokens_is (self->tokens, i, "(") && leat_tokens_is (self->tokens, i + 1, "*"))
        {
          for (i += 2; leat_tokens_is_any (self->tokens, i, marks);)
            i++;
          if (!leat_tokens_is (self->tokens, i, "("))
            return i;
          i--;
        }
      else if (leat_tokens_is (self->tokens, i, "[") || leat_tokens_is (self->tokens, i, "=")
               || leat_tokens_is (self->tokens, i, "{"))
        break;
    }
  return name;
}
