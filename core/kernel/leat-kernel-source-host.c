/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The host's text of a kernel file: made once, and kept with the source. */

#include "leat-kernel-source-internal-private.h"

const char *
leat_kernel_source_get_host_text (LeatKernelSource *self, GError **error)
{
  const char *text;

  g_mutex_lock (&self->lock);
  if (self->host_text == NULL)
    self->host_text = leat_kernel_unit_to_host (self->unit, LEAT_KERNEL_PLAIN, error);
  text = self->host_text;
  g_mutex_unlock (&self->lock);
  return text;
}

/* Likewise. */
char *
leat_kernel_source_dup_host_text (LeatKernelSource *self, LeatKernelForm form, GError **error)
{
  return leat_kernel_unit_to_host (self->unit, form, error);
}
