/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One block of memory, on the device or pinned: taken from the pool or the driver, filled, read and given back.
 * Touches its own bytes, and the account that it was made for. */

#include "leat-memory-private.h"

#include "leat-device-object-private.h"

/* Portable and mapped: every context of the process may use it, and kernels read and write it in place. */
static CUresult
leat_memory_allocate_pinned (LeatMemory *self, const LeatDriverTable *table, const char **call)
{
  CUresult result;

  *call = "cuMemHostAlloc";
  result =
    (*table->cuMemHostAlloc) (&self->host, self->block_bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (result != CUDA_SUCCESS)
    return result;
  *call = "cuMemHostGetDevicePointer";
  result = (*table->cuMemHostGetDevicePointer) (&self->address, self->host, 0);
  if (result != CUDA_SUCCESS)
    {
      (*table->cuMemFreeHost) (self->host);
      self->host = NULL;
    }
  return result;
}

static CUresult
leat_memory_allocate (LeatMemory *self, LeatDevice *device, const char **call)
{
  if (self->kind == LEAT_MEMORY_PINNED)
    return leat_memory_allocate_pinned (self, device->table, call);
  *call = "cuMemAlloc";
  return (*device->table->cuMemAlloc) (&self->address, self->block_bytes);
}

static gboolean
leat_memory_set_driver_error (LeatMemory *self, LeatDevice *device, const char *call, CUresult result, const char *what,
                              GError **error)
{
  g_autofree char *needed = leat_device_format_bytes (self->bytes);
  size_t unused = 0, total = 0;

  if (result == CUDA_ERROR_OUT_OF_MEMORY && self->kind == LEAT_MEMORY_DEVICE
      && (*device->table->cuMemGetInfo) (&unused, &total) == CUDA_SUCCESS)
    {
      g_autofree char *unused_text = leat_device_format_bytes (unused);
      g_autofree char *total_text = leat_device_format_bytes (total);

      return leat_device_set_error (device, error, call, result, "%s: %s needed, %s of %s free on %s", what, needed,
                                    unused_text, total_text, device->id);
    }
  return leat_device_set_error (device, error, call, result, "%s: %s of %s", what, needed,
                                self->kind == LEAT_MEMORY_PINNED ? "pinned host memory" : "device memory");
}

/* The cached blocks of this device may be what is in the way: once without them. */
static gboolean
leat_memory_fill (LeatMemory *self, LeatDevice *device, const char *what, GError **error)
{
  const char *call = NULL;
  CUresult result;
  gboolean filled;

  if (!leat_device_push (device, error))
    return FALSE;
  result = leat_memory_allocate (self, device, &call);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    {
      leat_device_settle (device);
      leat_device_trim (device, 0);
      result = leat_memory_allocate (self, device, &call);
    }
  filled = result == CUDA_SUCCESS || leat_memory_set_driver_error (self, device, call, result, what, error);
  leat_device_pop (device);
  return filled;
}

static LeatMemory *
leat_memory_allocate_block (LeatDevice *device, LeatMemoryKind kind, guint64 bytes, guint64 block_bytes,
                            const char *what, GError **error)
{
  LeatMemory *self = g_new0 (LeatMemory, 1);
  guint64 live, budget;

  self->kind = kind;
  self->bytes = bytes;
  self->block_bytes = block_bytes;
  /* Live and cached blocks together stay within the budget. */
  g_mutex_lock (&device->lock);
  live = device->pools[kind].counts.live_bytes;
  budget = device->budgets[kind];
  g_mutex_unlock (&device->lock);
  leat_memory_pool_trim (device, kind, budget > live ? budget - live : 0);
  if (leat_memory_fill (self, device, what, error))
    return self;
  leat_memory_pool_forget (device, kind, block_bytes);
  g_free (self);
  return NULL;
}

LeatMemory *
leat_memory_new (LeatDevice *device, LeatMemoryKind kind, guint64 bytes, const char *what, GError **error)
{
  guint64 block_bytes = leat_memory_pool_round (bytes);
  LeatMemory *self = NULL;

  g_return_val_if_fail (LEAT_IS_DEVICE (device), NULL);
  g_return_val_if_fail (what != NULL, NULL);

  if (!leat_device_check (device, error))
    return NULL;
  if (block_bytes == 0)
    {
      g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY,
                   "%s: %" G_GUINT64_FORMAT " bytes are more than any memory holds", what, bytes);
      return NULL;
    }
  if (!leat_memory_pool_take (device, kind, block_bytes, &self))
    {
      leat_device_set_over_budget (device, kind, block_bytes, what, error);
      return NULL;
    }
  if (self == NULL)
    self = leat_memory_allocate_block (device, kind, bytes, block_bytes, what, error);
  if (self == NULL)
    return NULL;
  self->bytes = bytes;
  self->device = g_object_ref (device);
  leat_memory_open (device, self, 0, bytes);
  leat_memory_close (device, self, bytes, block_bytes - bytes);
  return self;
}

LeatMemory *
leat_memory_new_in (LeatMemoryAccount *account, LeatMemoryUse use, LeatDevice *device, LeatMemoryKind kind,
                    guint64 bytes, const char *what, GError **error)
{
  LeatMemory *self;

  if (!leat_memory_account_check (account, kind, leat_memory_pool_round (bytes), what, error))
    return NULL;
  self = leat_memory_new (device, kind, bytes, what, error);
  if (self == NULL)
    return NULL;
  self->use = use;
  self->account = leat_memory_account_ref (account);
  leat_memory_account_enter (account, self);
  return self;
}

static void
leat_memory_destroy_last (gpointer data)
{
  LeatMemory *self = data;
  g_autoptr (LeatDevice) device = g_steal_pointer (&self->device);

  leat_memory_destroy (device, self);
}

static void
leat_memory_release (gpointer data)
{
  LeatMemory *self = data;
  g_autoptr (LeatDevice) device = g_steal_pointer (&self->device);

  if (self->account != NULL)
    leat_memory_account_leave (self->account, self);
  g_clear_pointer (&self->account, leat_memory_account_unref);
  self->in_doubt = FALSE;
  /* Of a device that is lost nothing is handed out again, and what it was at may still be under way. */
  if (!leat_device_is_dead (device))
    leat_memory_close (device, self, 0, self->block_bytes);
  if (leat_memory_pool_keep (device, self))
    return;
  self->device = g_object_ref (device);
  leat_device_release (device, self, leat_memory_destroy_last);
}

void
leat_memory_free (LeatMemory *self)
{
  if (self == NULL)
    return;
  if (self->in_doubt)
    leat_device_quarantine (self->device, self, leat_memory_release);
  else
    leat_memory_release (self);
}

void
leat_memory_doubt (LeatMemory *self)
{
  self->in_doubt = TRUE;
}

guint64
leat_memory_get_bytes (LeatMemory *self)
{
  return self->bytes;
}

guint64
leat_memory_get_block_bytes (LeatMemory *self)
{
  return self->block_bytes;
}

void
leat_memory_shorten (LeatMemory *self, guint64 bytes)
{
  self->bytes -= bytes;
  leat_memory_close (self->device, self, self->bytes, bytes);
}

CUdeviceptr
leat_memory_get_address (LeatMemory *self)
{
  return self->address;
}

gpointer
leat_memory_get_host (LeatMemory *self)
{
  return self->host;
}

LeatMemoryKind
leat_memory_get_kind (LeatMemory *self)
{
  return self->kind;
}

static gboolean
leat_memory_check_range (LeatMemory *self, guint64 offset, guint64 bytes, GError **error)
{
  if (offset <= self->bytes && bytes <= self->bytes - offset)
    return leat_device_check (self->device, error);
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID,
               "%" G_GUINT64_FORMAT " bytes at %" G_GUINT64_FORMAT " lie outside a block of %" G_GUINT64_FORMAT, bytes,
               offset, self->bytes);
  return FALSE;
}

/* Fills, and copies from pageable memory, may return while the last bytes are still on their way, and our streams wait
 * for no other.  Ends what a push began. */
static gboolean
leat_memory_await_bytes (LeatMemory *self, const char *call, CUresult result, guint64 bytes, GError **error)
{
  if (result == CUDA_SUCCESS)
    {
      call = "cuStreamSynchronize";
      leat_driver_trace_begin_aside ();
      result = (*self->device->table->cuStreamSynchronize) (NULL);
      leat_driver_trace_end_aside ();
    }
  leat_device_pop (self->device);
  self->in_doubt = self->in_doubt || result != CUDA_SUCCESS;
  return result == CUDA_SUCCESS
         || leat_device_set_error (self->device, error, call, result, "%" G_GUINT64_FORMAT " bytes", bytes);
}

gboolean
leat_memory_write (LeatMemory *self, guint64 offset, gconstpointer data, guint64 bytes, GError **error)
{
  if (!leat_memory_check_range (self, offset, bytes, error))
    return FALSE;
  if (bytes == 0)
    return TRUE;
  if (!leat_device_push (self->device, error))
    return FALSE;
  if (!leat_memory_await_bytes (
        self, "cuMemcpyHtoD", (*self->device->table->cuMemcpyHtoD) (self->address + offset, data, bytes), bytes, error))
    return FALSE;
  if (self->account != NULL)
    leat_memory_account_note_written (self->account, bytes);
  return TRUE;
}

gboolean
leat_memory_clear (LeatMemory *self, GError **error)
{
  if (!leat_device_push (self->device, error))
    return FALSE;
  leat_memory_open (self->device, self, 0, self->bytes);
  return leat_memory_await_bytes (
    self, "cuMemsetD8", (*self->device->table->cuMemsetD8) (self->address, 0, self->bytes), self->bytes, error);
}

gboolean
leat_memory_read (LeatMemory *self, guint64 offset, gpointer data, guint64 bytes, GError **error)
{
  CUresult result;

  if (!leat_memory_check_range (self, offset, bytes, error))
    return FALSE;
  if (bytes == 0)
    return TRUE;
  if (!leat_device_push (self->device, error))
    return FALSE;
  result = (*self->device->table->cuMemcpyDtoH) (data, self->address + offset, bytes);
  leat_device_pop (self->device);
  return result == CUDA_SUCCESS
         || leat_device_set_error (self->device, error, "cuMemcpyDtoH", result, "%" G_GUINT64_FORMAT " bytes", bytes);
}
