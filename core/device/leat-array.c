/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* An array of texels: held against what the device can do and may take, made, and given back.  Touches itself, and the
 * sums of the device's pool and of the account. */

#include "leat-array-private.h"

#include "leat-device-object-private.h"

struct _LeatArray
{
  LeatMemory books; /* as far as accounts are concerned */
  CUarray array;
};

/* The most texels of a row, rows, and slices or layers; a 0 stands for an attribute that is not there. */
typedef struct
{
  CUdevice_attribute most[3];
} LeatArrayLimits;

#define LEAT_LIMIT(name) CU_DEVICE_ATTRIBUTE_MAXIMUM_##name

static LeatArrayLimits
leat_array_find_limits (const CUDA_ARRAY3D_DESCRIPTOR *from)
{
  gboolean surface = (from->Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0;
  const LeatArrayLimits row = { { surface ? LEAT_LIMIT (SURFACE1D_WIDTH) : LEAT_LIMIT (TEXTURE1D_WIDTH) } };
  const LeatArrayLimits rows[] = {
    { { LEAT_LIMIT (TEXTURE1D_LAYERED_WIDTH), 0, LEAT_LIMIT (TEXTURE1D_LAYERED_LAYERS) } },
    { { LEAT_LIMIT (SURFACE1D_LAYERED_WIDTH), 0, LEAT_LIMIT (SURFACE1D_LAYERED_LAYERS) } },
    { { LEAT_LIMIT (TEXTURE2D_LAYERED_WIDTH), LEAT_LIMIT (TEXTURE2D_LAYERED_HEIGHT),
        LEAT_LIMIT (TEXTURE2D_LAYERED_LAYERS) } },
    { { LEAT_LIMIT (SURFACE2D_LAYERED_WIDTH), LEAT_LIMIT (SURFACE2D_LAYERED_HEIGHT),
        LEAT_LIMIT (SURFACE2D_LAYERED_LAYERS) } },
    { { LEAT_LIMIT (TEXTURE3D_WIDTH), LEAT_LIMIT (TEXTURE3D_HEIGHT), LEAT_LIMIT (TEXTURE3D_DEPTH) } },
    { { LEAT_LIMIT (SURFACE3D_WIDTH), LEAT_LIMIT (SURFACE3D_HEIGHT), LEAT_LIMIT (SURFACE3D_DEPTH) } },
    { { LEAT_LIMIT (TEXTURE2D_WIDTH), LEAT_LIMIT (TEXTURE2D_HEIGHT) } },
    { { LEAT_LIMIT (SURFACE2D_WIDTH), LEAT_LIMIT (SURFACE2D_HEIGHT) } },
  };
  const LeatArrayLimits gathered = { { LEAT_LIMIT (TEXTURE2D_GATHER_WIDTH), LEAT_LIMIT (TEXTURE2D_GATHER_HEIGHT) } };

  if (from->Flags & CUDA_ARRAY3D_TEXTURE_GATHER)
    return gathered;
  if (from->Flags & CUDA_ARRAY3D_LAYERED)
    return rows[(from->Height > 0 ? 2 : 0) + surface];
  return from->Depth > 0 ? rows[4 + surface] : from->Height > 0 ? rows[6 + surface] : row;
}

static gboolean
leat_array_get_limit (LeatDevice *device, CUdevice_attribute attribute, int *most, GError **error)
{
  CUdevice ordinal;
  CUresult result;

  *most = G_MAXINT;
  if (attribute == 0)
    return TRUE;
  result = (*device->table->cuCtxGetDevice) (&ordinal);
  if (result != CUDA_SUCCESS)
    return leat_device_set_error (device, error, "cuCtxGetDevice", result, "the limits of arrays");
  result = (*device->table->cuDeviceGetAttribute) (most, attribute, ordinal);
  return result == CUDA_SUCCESS
         || leat_device_set_error (device, error, "cuDeviceGetAttribute", result, "the limits of arrays");
}

/* The driver would only say that a value is invalid.  With the context current. */
static gboolean
leat_array_check_size (LeatDevice *device, const CUDA_ARRAY3D_DESCRIPTOR *from, const char *what, GError **error)
{
  static const char *const nouns[][3] = { { "texels in a row", "rows", "slices" }, { "", "", "layers" } };
  const gsize has[3] = { from->Width, from->Height, from->Depth };
  LeatArrayLimits limits = leat_array_find_limits (from);

  for (guint i = 0; i < 3; i++)
    {
      int most;

      if (!leat_array_get_limit (device, limits.most[i], &most, error))
        return FALSE;
      if (has[i] <= (gsize) most)
        continue;
      g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID,
                   "%s: %" G_GSIZE_FORMAT " %s, and %s takes at most %d there; use data that are smaller, or take them "
                   "as a pointer",
                   what, has[i], nouns[i == 2 && (from->Flags & CUDA_ARRAY3D_LAYERED)][i], device->id, most);
      return FALSE;
    }
  return TRUE;
}

/* The cached blocks of this device may be what is in the way: once without them. */
static gboolean
leat_array_make (LeatArray *self, LeatDevice *device, const CUDA_ARRAY3D_DESCRIPTOR *description, const char *what,
                 GError **error)
{
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;
  gboolean made = FALSE;

  if (!leat_device_push (device, error))
    return FALSE;
  if (leat_array_check_size (device, description, what, error))
    {
      if (device->table->cuArray3DCreate != NULL)
        result = (*device->table->cuArray3DCreate) (&self->array, description);
      if (result == CUDA_ERROR_OUT_OF_MEMORY)
        {
          leat_device_settle (device);
          leat_device_trim (device, 0);
          result = (*device->table->cuArray3DCreate) (&self->array, description);
        }
      made = result == CUDA_SUCCESS || leat_device_set_error (device, error, "cuArray3DCreate", result, "%s", what);
    }
  leat_device_pop (device);
  return made;
}

static guint64
leat_array_count_bytes (const CUDA_ARRAY3D_DESCRIPTOR *from)
{
  guint bytes = from->Format == CU_AD_FORMAT_UNSIGNED_INT8 || from->Format == CU_AD_FORMAT_SIGNED_INT8 ? 1
                : from->Format == CU_AD_FORMAT_UNSIGNED_INT16 || from->Format == CU_AD_FORMAT_SIGNED_INT16
                    || from->Format == CU_AD_FORMAT_HALF
                  ? 2
                  : 4;

  return (guint64) from->Width * MAX (from->Height, 1) * MAX (from->Depth, 1) * from->NumChannels * bytes;
}

LeatArray *
leat_array_new_in (LeatMemoryAccount *account, LeatDevice *device, const CUDA_ARRAY3D_DESCRIPTOR *description,
                   const char *what, GError **error)
{
  guint64 bytes = leat_array_count_bytes (description), room = leat_memory_pool_round (bytes);
  LeatArray *self;

  if (!leat_device_check (device, error) || !leat_memory_account_check (account, LEAT_MEMORY_DEVICE, room, what, error))
    return NULL;
  if (!leat_memory_pool_reserve (device, LEAT_MEMORY_DEVICE, room))
    {
      leat_device_set_over_budget (device, LEAT_MEMORY_DEVICE, room, what, error);
      return NULL;
    }
  self = g_new0 (LeatArray, 1);
  if (!leat_array_make (self, device, description, what, error))
    {
      leat_memory_pool_let_go (device, LEAT_MEMORY_DEVICE, room);
      g_free (self);
      return NULL;
    }
  self->books = (LeatMemory){ .device = g_object_ref (device),
                              .kind = LEAT_MEMORY_DEVICE,
                              .bytes = bytes,
                              .block_bytes = room,
                              .account = leat_memory_account_ref (account),
                              .use = LEAT_MEMORY_SCRATCH };
  leat_memory_account_enter (account, &self->books);
  return self;
}

CUarray
leat_array_get (LeatArray *self)
{
  return self->array;
}

static void
leat_array_release (gpointer data)
{
  LeatArray *self = data;
  g_autoptr (LeatDevice) device = g_steal_pointer (&self->books.device);

  (*device->table->cuArrayDestroy) (self->array);
  leat_memory_pool_let_go (device, LEAT_MEMORY_DEVICE, self->books.block_bytes);
  leat_memory_account_leave (self->books.account, &self->books);
  leat_memory_account_unref (self->books.account);
  g_free (self);
}

void
leat_array_free (LeatArray *self)
{
  if (self != NULL)
    leat_device_release (self->books.device, self, leat_array_release);
}
