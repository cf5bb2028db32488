/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Instances of template kernels: `scale<float, 256>` becomes a kernel of its own, a source whose text has a copy of the
 * template behind it with the arguments in place of the parameters. */

#include "leat-kernel-instance-private.h"

#include <string.h>

static void
leat_instance_free (gpointer data)
{
  LeatInstance *self = data;

  leat_kernel_source_unref (self->from);
  g_free (self->entry);
  g_free (self->path);
  g_strfreev (self->arguments);
  g_free (self->takes);
  g_free (self);
}

/* Arguments may be types that no other kernel comes to, so the file is read once more as it was. (nullable) */
static LeatKernelUnit *
leat_instance_read_whole (const LeatKernelText *text, LeatKernelText *whole, GArray *spots, GError **error)
{
  *whole = *text;
  if (text->whole == NULL)
    return leat_kernel_unit_new (text, error);
  whole->text = text->whole;
  whole->spots = spots;
  return leat_kernel_unit_new (whole, error);
}

static char *
leat_instance_make (gpointer data, const LeatKernelTarget *target, GError **error)
{
  const LeatInstance *self = data;
  const LeatKernelSource *part = leat_kernel_source_get_for (self->from, target, error);
  g_autoptr (GArray) edits = leat_edits_new (), spots = g_array_new (FALSE, FALSE, sizeof (LeatKernelSpot));
  g_autoptr (LeatKernelUnit) unit = NULL;
  const LeatDecl *decl;
  LeatKernelText whole;

  if (part == NULL)
    return NULL;
  unit = leat_instance_read_whole (part->text, &whole, spots, error);
  if (unit == NULL)
    return NULL;
  decl = leat_instance_choose (self, unit, error);
  return decl != NULL && leat_instance_edit (self, unit, decl, edits, error) ? leat_edits_apply (edits, unit->tokens)
                                                                             : NULL;
}

/* Its whole name, namespaces and all; with its parameters only where a user gives them. */
static void
leat_instance_name (LeatInstance *self)
{
  const LeatDecl *decl = leat_instance_choose (self, self->from->unit, NULL);
  g_autofree char *joined = g_strjoinv (", ", self->arguments);
  g_autofree char *full =
    decl != NULL ? leat_kernel_unit_dup_full_name (self->from->unit, decl) : g_strdup (self->path);

  self->entry = self->takes != NULL ? g_strdup_printf ("%s<%s>(%s)", full, joined, self->takes)
                                    : g_strdup_printf ("%s<%s>", full, joined);
}

/**
 * leat_kernel_source_take_entry: (skip)
 * @self: (transfer full): a source
 * @entry: (nullable): what a user calls a kernel of it
 * @error: return location for %LEAT_KERNEL_ERROR_ENTRY
 *
 * Makes a source that has the kernel, where that is an instance of a template.
 *
 * Returns: (transfer full): @self, or leat_kernel_source_new_instance() of it
 *
 * Since: 0.1
 */
LeatKernelSource *
leat_kernel_source_take_entry (LeatKernelSource *self, const char *entry, GError **error)
{
  g_autoptr (LeatKernelSource) file = NULL;

  g_return_val_if_fail (self != NULL, NULL);
  if (entry == NULL || entry[strcspn (entry, "<(")] != '<')
    return self;
  file = self;
  return leat_kernel_source_new_instance (file, entry, error);
}

/**
 * leat_kernel_source_new_instance: (skip)
 * @self: a source
 * @entry: a kernel of it with template arguments: `scale<float, 256>`, or `scale<float>(const float *, int)` where
 *   templates of that name differ in their parameters
 * @error: return location for %LEAT_KERNEL_ERROR_ENTRY
 *
 * Makes a source in which an instance of a template is a kernel, called @entry.
 *
 * Returns: (transfer full): the new source; @self stays as it is
 *
 * Since: 0.1
 */
LeatKernelSource *
leat_kernel_source_new_instance (LeatKernelSource *self, const char *entry, GError **error)
{
  g_autofree char *head = NULL, *path = NULL;
  g_autofree char *takes = leat_kernel_split_overload (entry, &head);
  g_auto (GStrv) arguments = leat_kernel_split_entry (takes != NULL ? head : entry, &path);
  LeatKernelSource *made;
  LeatInstance *instance;

  if (arguments == NULL)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY,
                   "%s: \"%s\" is no kernel with template arguments, as in scale<float, 256>", self->name, entry);
      return NULL;
    }
  instance = g_new0 (LeatInstance, 1);
  *instance = (LeatInstance){ leat_kernel_source_ref (self), NULL, g_steal_pointer (&path),
                              g_steal_pointer (&arguments), g_steal_pointer (&takes) };
  leat_instance_name (instance);
  made = leat_kernel_source_new_made (self->name, instance->entry, leat_instance_make, instance, leat_instance_free,
                                      leat_kernel_source_get_asks (self), error);
  if (made == NULL)
    return NULL;
  leat_kernel_source_set_floats (made, leat_kernel_source_get_floats (self));
  leat_kernel_source_take_places (made, self);
  return made;
}
