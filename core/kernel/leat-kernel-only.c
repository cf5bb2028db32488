/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sources with one kernel of a file: where another kernel of it does not compile, this one still may. */

#include "leat-kernel-source-internal-private.h"

typedef struct
{
  LeatKernelSource *from;
  char *entry;
} LeatOnly;

static void
leat_only_free (gpointer data)
{
  LeatOnly *self = data;

  leat_kernel_source_unref (self->from);
  g_free (self->entry);
  g_free (self);
}

static char *
leat_only_make (gpointer data, const LeatKernelTarget *target, GError **error)
{
  const LeatOnly *self = data;
  const LeatKernelSource *part = leat_kernel_source_get_for (self->from, target, error);
  const LeatDecl *kernel = part != NULL ? leat_kernel_unit_find_kernel (part->unit, self->entry) : NULL;
  g_autoptr (GArray) edits = leat_edits_new ();

  if (part == NULL)
    return NULL;
  for (guint i = 0; i < part->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (part->unit, i);

      if (decl != kernel && decl->kind == LEAT_DECL_FUNCTION
          && (decl->flags & (LEAT_DECL_IS_GLOBAL | LEAT_DECL_IS_VARIANT))
          && !((decl->flags & LEAT_DECL_IS_VARIANT) && leat_kernel_unit_is_called (part->unit, decl, self->entry)))
        leat_edits_replace (edits, part->unit->tokens, decl->first, decl->last, "%s", "");
    }
  return leat_edits_apply (edits, part->unit->tokens);
}

LeatKernelSource *
leat_kernel_source_new_only (LeatKernelSource *self, const char *entry, GError **error)
{
  LeatOnly *only = g_new (LeatOnly, 1);
  LeatKernelSource *made;

  *only = (LeatOnly){ leat_kernel_source_ref (self), g_strdup (entry) };
  made = leat_kernel_source_new_made (self->name, self->instance != NULL ? self->instance : entry, leat_only_make, only,
                                      leat_only_free, leat_kernel_source_get_asks (self), error);
  if (made == NULL)
    return NULL;
  leat_kernel_source_set_floats (made, self->floats);
  leat_kernel_source_take_places (made, self);
  return made;
}

gboolean
leat_kernel_source_has_others (LeatKernelSource *self)
{
  guint n = 0;

  for (guint i = 0; i < self->unit->decls->len; i++)
    n += (leat_kernel_unit_at (self->unit, i)->flags & LEAT_DECL_IS_GLOBAL) != 0;
  return self->image == NULL && n > 1;
}
