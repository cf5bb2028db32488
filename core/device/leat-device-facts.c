/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What is known of a device since it was opened.  Changes nothing. */

#include "leat-device-object-private.h"

/**
 * leat_device_get_id:
 * @self: a device
 *
 * Gets the text that opens this device, `cuda:0` or `cpu`.
 *
 * Returns: the id
 * Since: 0.1
 */
const char *
leat_device_get_id (LeatDevice *self)
{
  g_return_val_if_fail (LEAT_IS_DEVICE (self), NULL);
  return self->id;
}

/**
 * leat_device_get_name:
 * @self: a device
 *
 * Gets the maker's name of the device.
 *
 * Returns: the name
 * Since: 0.1
 */
const char *
leat_device_get_name (LeatDevice *self)
{
  g_return_val_if_fail (LEAT_IS_DEVICE (self), NULL);
  return self->facts.name;
}

/**
 * leat_device_get_note:
 * @self: a device
 *
 * Gets what a user should be told about the choice of this device: that `auto` found no CUDA device.
 *
 * Returns: (nullable): one line, or %NULL when there is nothing to tell
 * Since: 0.1
 */
const char *
leat_device_get_note (LeatDevice *self)
{
  g_return_val_if_fail (LEAT_IS_DEVICE (self), NULL);
  return g_atomic_pointer_get (&self->note);
}

/**
 * leat_device_get_memory_bytes:
 * @self: a device
 *
 * Gets the size of the device's memory.
 *
 * Returns: the size in bytes
 * Since: 0.1
 */
guint64
leat_device_get_memory_bytes (LeatDevice *self)
{
  g_return_val_if_fail (LEAT_IS_DEVICE (self), 0);
  return self->facts.memory_bytes;
}

/**
 * leat_device_is_cpu:
 * @self: a device
 *
 * Tells whether kernels run on the CPU.
 *
 * Returns: whether it is the CPU
 * Since: 0.1
 */
gboolean
leat_device_is_cpu (LeatDevice *self)
{
  g_return_val_if_fail (LEAT_IS_DEVICE (self), FALSE);
  return leat_driver_get_kind (self->driver) == LEAT_DRIVER_CPU;
}

LeatDriver *
leat_device_get_driver (LeatDevice *self)
{
  return self->driver;
}

const LeatDriverTable *
leat_device_get_table (LeatDevice *self)
{
  return self->table;
}

const LeatDeviceFacts *
leat_device_get_facts (LeatDevice *self)
{
  return &self->facts;
}

CUcontext
leat_device_get_context (LeatDevice *self)
{
  return self->context;
}

void
leat_device_get_memory_counts (LeatDevice *self, LeatMemoryKind kind, LeatMemoryCounts *counts)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  *counts = self->pools[kind].counts;
}
