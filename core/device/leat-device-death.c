/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* After an illegal address and its like, the driver fails every later call of the process on that context.  The device
 * is marked once, with the first reason, so that what comes after says what really happened. */

#include "leat-device-object-private.h"

/**
 * leat_device_is_dead:
 * @self: a device
 *
 * Tells whether the device is lost to this process.
 *
 * Returns: whether it is lost
 * Since: 0.1
 */
gboolean
leat_device_is_dead (LeatDevice *self)
{
  g_return_val_if_fail (LEAT_IS_DEVICE (self), FALSE);
  return g_atomic_int_get (&self->is_dead);
}

gboolean
leat_device_check (LeatDevice *self, GError **error)
{
  if (!g_atomic_int_get (&self->is_dead))
    return TRUE;
  /* Set once before is_dead, so it can be read without the lock. */
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_DEVICE_LOST,
               "%s failed earlier and is lost to this process; close every session on it before you open it again: %s",
               self->id, self->dead_reason);
  return FALSE;
}

void
leat_device_mark_dead (LeatDevice *self, const char *reason)
{
  gboolean is_first = FALSE;

  g_mutex_lock (&self->lock);
  if (self->dead_reason == NULL)
    {
      self->dead_reason = g_strdup (reason);
      g_atomic_int_set (&self->is_dead, TRUE);
      is_first = TRUE;
    }
  g_mutex_unlock (&self->lock);
  if (is_first)
    g_object_notify (G_OBJECT (self), "is-dead");
}

void
leat_device_mark_hung (LeatDevice *self, const char *reason)
{
  g_atomic_int_set (&self->is_hung, TRUE);
  leat_device_mark_dead (self, reason);
}

/* Before there is a context, another process may have the device to itself; with one, the device is gone. */
static gboolean
leat_device_is_lost_by (LeatDevice *self, CUresult result)
{
  return result == CUDA_ERROR_DEVICE_UNAVAILABLE && self->context != NULL;
}

gboolean
leat_device_set_error (LeatDevice *self, GError **error, const char *call, CUresult result, const char *format, ...)
{
  g_autoptr (GError) local = NULL;
  va_list args;

  va_start (args, format);
  leat_driver_set_error_valist (&local, self->table, call, result, format, args);
  va_end (args);
  if (leat_device_is_lost_by (self, result))
    local->code = LEAT_DRIVER_ERROR_DEVICE_LOST;
  if (leat_driver_result_is_sticky (result) || leat_device_is_lost_by (self, result))
    leat_device_mark_dead (self, local->message);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}
