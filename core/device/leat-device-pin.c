/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Memory of the application's own, pinned so that a device reaches it in place.  It stays the application's, and no
 * budget counts it. */

#include "leat-device-object-private.h"

static gboolean
leat_device_refuse_pin (GError **error, const char *verb, guint64 address, const char *why)
{
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID, "cannot %s memory at 0x%" G_GINT64_MODIFIER "x: %s",
               verb, address, why);
  return FALSE;
}

/**
 * leat_device_pin:
 * @self: a device
 * @address: where memory of the program's own begins: of `malloc ()`, of an array of another language, of a file
 * @bytes: how many bytes there are
 * @error: return location for an error
 *
 * Lets a device reach memory of the host in place, so that leat_session_bind_input() and leat_session_bind_output()
 * take it.  On a GPU this is cuMemHostRegister(), which holds the memory's pages in place, and takes time for each of
 * them: do it once, and not for each run.  It is not in the budget of pinned memory.
 *
 * The memory must stay until leat_device_unpin() or until the process ends.  Ranges that are pinned do not overlap.
 *
 * Returns: whether it was pinned; %LEAT_DRIVER_ERROR_INVALID for no bytes, or where the driver cannot; else the
 *   driver's error
 * Since: 0.1
 */
gboolean
leat_device_pin (LeatDevice *self, guint64 address, guint64 bytes, GError **error)
{
  const LeatDriverTable *table;
  CUresult result;
  gboolean pinned;

  g_return_val_if_fail (LEAT_IS_DEVICE (self), FALSE);

  table = self->table;
  if (address == 0 || bytes == 0)
    return leat_device_refuse_pin (error, "pin", address, "there must be an address and at least a byte");
  if (table->cuMemHostRegister == NULL || table->cuMemHostUnregister == NULL)
    return leat_device_refuse_pin (error, "pin", address, "the driver does not do that");
  if (!leat_device_push (self, error))
    return FALSE;
  result = (*table->cuMemHostRegister) ((gpointer) (guintptr) address, bytes,
                                        CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  pinned =
    result == CUDA_SUCCESS
    || leat_device_set_error (self, error, "cuMemHostRegister", result,
                              "pinning %" G_GUINT64_FORMAT " bytes at 0x%" G_GINT64_MODIFIER "x", bytes, address);
  leat_device_pop (self);
  return pinned;
}

/**
 * leat_device_unpin:
 * @self: the device
 * @address: what leat_device_pin() got
 * @error: return location for an error
 *
 * Undoes leat_device_pin().  No run may be under way that uses the memory, and no open session may have it bound.
 *
 * Returns: whether it was pinned until now and is not any more
 * Since: 0.1
 */
gboolean
leat_device_unpin (LeatDevice *self, guint64 address, GError **error)
{
  const LeatDriverTable *table;
  CUresult result;
  gboolean unpinned;

  g_return_val_if_fail (LEAT_IS_DEVICE (self), FALSE);

  table = self->table;
  if (address == 0 || table->cuMemHostUnregister == NULL)
    return leat_device_refuse_pin (error, "unpin", address, "nothing there is pinned");
  if (!leat_device_push (self, error))
    return FALSE;
  result = (*table->cuMemHostUnregister) ((gpointer) (guintptr) address);
  unpinned = result == CUDA_SUCCESS
             || leat_device_set_error (self, error, "cuMemHostUnregister", result,
                                       "unpinning memory at 0x%" G_GINT64_MODIFIER "x", address);
  leat_device_pop (self);
  return unpinned;
}
