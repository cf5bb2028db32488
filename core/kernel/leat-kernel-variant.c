/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What kernels have to be: a LEAT_HOST_VARIANT function must belong to a kernel and take what that takes, and kernels
 * return nothing. */

#include "leat-kernel-transform-private.h"

static gboolean
leat_kernel_unit_take_same (const LeatKernelUnit *self, const LeatDecl *first, const LeatDecl *second)
{
  g_autofree char *a = NULL, *b = NULL;

  if (first == second)
    return TRUE;
  a = leat_kernel_unit_dup_signature (self, first);
  b = leat_kernel_unit_dup_signature (self, second);
  return g_str_equal (a, b);
}

static gboolean
leat_kernel_unit_check_variant (const LeatKernelUnit *self, const LeatDecl *decl, GError **error)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, decl->name);
  const LeatDecl *kernel = leat_kernel_unit_find_kernel (self, name);

  if (kernel == NULL)
    {
      leat_tokens_set_error (self->tokens, decl->name, LEAT_KERNEL_ERROR_SYNTAX, error,
                             "there is no __global__ function \"%s\" that this is a variant of", name);
      return FALSE;
    }
  if (leat_kernel_unit_take_same (self, decl, kernel))
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

static gboolean
leat_kernel_unit_check_kernel (const LeatKernelUnit *self, const LeatDecl *decl, GError **error)
{
  g_autofree char *name = NULL;

  for (guint i = decl->first; i < decl->name; i++)
    if (leat_tokens_is (self->tokens, i, "void"))
      return TRUE;
  name = leat_tokens_dup (self->tokens, decl->name);
  leat_tokens_set_error (self->tokens, decl->name, LEAT_KERNEL_ERROR_SYNTAX, error,
                         "the kernel \"%s\" must return void; write results to its outputs", name);
  return FALSE;
}

gboolean
leat_kernel_unit_check_kernels (const LeatKernelUnit *self, GError **error)
{
  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);

      if (decl->kind == LEAT_DECL_FUNCTION && (decl->flags & LEAT_DECL_IS_GLOBAL)
          && !(decl->flags & LEAT_DECL_IS_TEMPLATE) && !leat_kernel_unit_check_kernel (self, decl, error))
        return FALSE;
    }
  return TRUE;
}
