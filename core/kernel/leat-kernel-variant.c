/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-kernel-transform-private.h"

/* LEAT_HOST_VARIANT functions: each must belong to a kernel and take what that takes. */

/* The types of the parameters: the parameter list without names of parameters. */
static char *
leat_kernel_unit_dup_signature (const LeatKernelUnit *self, const LeatDecl *decl)
{
  guint close = leat_tokens_at (self->tokens, decl->params)->match;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self, decl->params + 1, close);
  GString *signature = g_string_new (NULL);

  for (guint i = 0; i < pieces->len; i += 2)
    {
      guint first = g_array_index (pieces, guint, i), last = g_array_index (pieces, guint, i + 1);
      guint name = leat_kernel_unit_declared_name (self, first, last + 1);

      for (guint t = first; t <= last; t++)
        if (t != name && !leat_tokens_is (self->tokens, t, "__restrict__")
            && !leat_tokens_is (self->tokens, t, "__restrict"))
          {
            g_autofree char *word = leat_tokens_dup (self->tokens, t);

            g_string_append_printf (signature, "%s ", word);
          }
      g_string_append (signature, ", ");
    }
  return g_string_free (signature, FALSE);
}

static gboolean
leat_kernel_unit_check_variant (const LeatKernelUnit *self, const LeatDecl *decl, GError **error)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, decl->name);
  const LeatDecl *kernel = leat_kernel_unit_find_kernel (self, name);
  g_autofree char *signature = leat_kernel_unit_dup_signature (self, decl), *expected = NULL;

  if (kernel == NULL)
    {
      leat_tokens_set_error (self->tokens, decl->name, LEAT_KERNEL_ERROR_SYNTAX, error,
                             "there is no __global__ function \"%s\" that this could be a variant of", name);
      return FALSE;
    }
  expected = leat_kernel_unit_dup_signature (self, kernel);
  if (g_str_equal (signature, expected))
    return TRUE;
  leat_tokens_set_error (self->tokens, decl->name, LEAT_KERNEL_ERROR_SYNTAX, error,
                         "this variant of \"%s\" does not take the parameters of the kernel", name);
  return FALSE;
}

gboolean
leat_kernel_unit_check_variants (const LeatKernelUnit *self, GError **error)
{
  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);

      if (decl->kind == LEAT_DECL_FUNCTION && (decl->flags & LEAT_DECL_IS_VARIANT)
          && !leat_kernel_unit_check_variant (self, decl, error))
        return FALSE;
    }
  return TRUE;
}
