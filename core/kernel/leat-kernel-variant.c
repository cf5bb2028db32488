/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Functions of one name: a LEAT_HOST_VARIANT function must belong to a kernel and take what that takes, and kernels are
 * known by their names. */

#include "leat-kernel-transform-private.h"

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
            const LeatToken *word = leat_tokens_at (self->tokens, t);

            g_string_append_len (signature, self->tokens->text->text + word->offset, word->length);
            g_string_append_c (signature, ' ');
          }
      g_string_append (signature, ", ");
    }
  return g_string_free (signature, FALSE);
}

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

/* The two sides of an #if may each have one of the name, so long as they take the same. */
static gboolean
leat_kernel_unit_check_kernel (const LeatKernelUnit *self, const LeatDecl *decl, GError **error)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, decl->name);
  const LeatDecl *first = leat_kernel_unit_find_kernel (self, name);
  gboolean is_void = FALSE;

  for (guint i = decl->first; i < decl->name; i++)
    is_void = is_void || leat_tokens_is (self->tokens, i, "void");
  if (!is_void)
    {
      leat_tokens_set_error (self->tokens, decl->name, LEAT_KERNEL_ERROR_SYNTAX, error,
                             "the kernel \"%s\" must return void; write results to its outputs", name);
      return FALSE;
    }
  if (leat_kernel_unit_take_same (self, decl, first))
    return TRUE;
  leat_tokens_set_error (
    self->tokens, decl->name, LEAT_KERNEL_ERROR_SYNTAX, error,
    "line %u has a kernel \"%s\" with other parameters; kernels are launched by name, so give each "
    "a name of its own",
    leat_tokens_at (self->tokens, first->name)->line, name);
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
