/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The primary context of a device, which other libraries in this process use too, with the flags that it has.  On a GPU
 * it takes long to make, so that the process keeps one that it has had, as it does with the CUDA
 * runtime; LEAT_KEEP_CONTEXT=0 lets go of it with the last LeatDevice, and 1 keeps that of the CPU as well. */

#include "leat-device-object-private.h"

#define LEAT_CONTEXT_KEPT_MOST 31 /* ordinals from here on are let go of */

static guint leat_contexts_kept[2]; /* a bit for each ordinal; by whether the device is the CPU */

static gboolean
leat_device_keeps_context (LeatDevice *self)
{
  const char *said = g_getenv ("LEAT_KEEP_CONTEXT");

  if (leat_device_is_dead (self) || self->facts.ordinal >= LEAT_CONTEXT_KEPT_MOST)
    return FALSE;
  return said != NULL && *said != '\0' ? !g_str_equal (said, "0") : !leat_device_is_cpu (self);
}

gboolean
leat_device_take_context (LeatDevice *self, GError **error)
{
  CUresult result = (*self->table->cuDevicePrimaryCtxRetain) (&self->context, self->facts.device);

  if (result == CUDA_SUCCESS)
    return TRUE;
  self->context = NULL;
  return leat_driver_set_error (error, self->table, "cuDevicePrimaryCtxRetain", result, "%s (%s)", self->id,
                                self->facts.name);
}

/* One that a kernel has spoilt is gone only when nobody holds it. */
void
leat_device_let_go_of_context (LeatDevice *self)
{
  guint *kept = &leat_contexts_kept[leat_device_is_cpu (self)];
  guint bit = 1u << MIN (self->facts.ordinal, LEAT_CONTEXT_KEPT_MOST);
  gboolean keeps = leat_device_keeps_context (self);

  if (keeps && (g_atomic_int_or (kept, bit) & bit) == 0)
    return;
  (*self->table->cuDevicePrimaryCtxRelease) (self->facts.device);
  if (!keeps && (g_atomic_int_and (kept, ~bit) & bit) != 0)
    (*self->table->cuDevicePrimaryCtxRelease) (self->facts.device);
}
