/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What a kernel may leave in variables of its file for the next launch. */

#include "leat-kernel-entry-private.h"

/* Variables of the device outlive a launch, and are one for all lanes. */
gboolean
leat_decl_keeps_data (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  gboolean fixed = (decl->flags & (LEAT_DECL_IS_CONSTANT | LEAT_DECL_IS_CONSTEXPR | LEAT_DECL_IS_SHARED)) != 0;

  if (decl->kind != LEAT_DECL_VARIABLE || !(decl->flags & LEAT_DECL_IS_DEVICE))
    return FALSE;
  for (guint t = decl->first; t < decl->last && !leat_tokens_is (unit->tokens, t, "=") && !fixed; t++)
    fixed = leat_tokens_is (unit->tokens, t, "const");
  return !fixed;
}

char *
leat_kernel_unit_dup_kept_name (const LeatKernelUnit *unit)
{
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      guint name =
        leat_decl_keeps_data (unit, decl) ? leat_kernel_unit_declared_name (unit, decl->first, decl->last) : G_MAXUINT;

      if (name != G_MAXUINT)
        return leat_tokens_dup (unit->tokens, name);
    }
  return g_strdup ("a variable");
}

gboolean
leat_kernel_unit_keeps_data (const LeatKernelUnit *unit)
{
  for (guint i = 0; i < unit->decls->len; i++)
    if (leat_decl_keeps_data (unit, leat_kernel_unit_at (unit, i)))
      return TRUE;
  return FALSE;
}
