/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Arrays, which textures and surfaces lie in.  A set knows those that there are, under a lock of its own, because
 * copies look them up while they are being prepared. */

#include "leat-cpu-array.h"

#include <pthread.h>

#include "leat-cpu-allocation.h"
#include "leat-cpu-capture.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-fault.h"
#include "leat-cpu-stream.h"

static pthread_mutex_t leat_cpu_array_lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *leat_cpu_arrays; /* of LeatCpuArray */

guint
leat_cpu_format_get_bytes (CUarray_format format, guint channels)
{
  if (channels != 1 && channels != 2 && channels != 4)
    return 0;
  switch (format)
    {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return channels;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2 * channels;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4 * channels;
    default:
      return 0;
    }
}

const LeatCpuArray *
leat_cpu_array_from_handle (CUarray handle)
{
  gboolean known;

  pthread_mutex_lock (&leat_cpu_array_lock);
  known = leat_cpu_arrays != NULL && g_hash_table_contains (leat_cpu_arrays, handle);
  pthread_mutex_unlock (&leat_cpu_array_lock);
  return known ? (const LeatCpuArray *) handle : NULL;
}

static void
leat_cpu_array_note (LeatCpuArray *self)
{
  pthread_mutex_lock (&leat_cpu_array_lock);
  if (leat_cpu_arrays == NULL)
    leat_cpu_arrays = g_hash_table_new (NULL, NULL);
  g_hash_table_add (leat_cpu_arrays, self);
  pthread_mutex_unlock (&leat_cpu_array_lock);
}

static gboolean
leat_cpu_array_forget (CUarray handle)
{
  gboolean known;

  pthread_mutex_lock (&leat_cpu_array_lock);
  known = leat_cpu_arrays != NULL && g_hash_table_remove (leat_cpu_arrays, handle);
  pthread_mutex_unlock (&leat_cpu_array_lock);
  return known;
}

/* The most texels along x, rows, and slices or layers, as GPUs of compute capability 8.0 and later have them. */
static gboolean
leat_cpu_array_fits (const CUDA_ARRAY3D_DESCRIPTOR *from)
{
  gboolean layered = (from->Flags & CUDA_ARRAY3D_LAYERED) != 0, flat = from->Depth == 0 && !layered;

  if (from->Height == 0)
    return layered || from->Depth > 0 ? layered && from->Width <= 32768 && from->Depth <= 2048 : from->Width <= 131072;
  if ((from->Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0 && (!flat || from->Width > 32768 || from->Height > 32768))
    return FALSE;
  if (layered)
    return from->Width <= 32768 && from->Height <= 32768 && from->Depth <= 2048;
  return flat ? from->Width <= 131072 && from->Height <= 65536
              : from->Width <= 16384 && from->Height <= 16384 && from->Depth <= 16384;
}

static gboolean
leat_cpu_array_is_possible (const CUDA_ARRAY3D_DESCRIPTOR *from)
{
  const guint known = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;

  return from != NULL && (from->Flags & ~known) == 0 && from->Width > 0
         && ((from->Flags & CUDA_ARRAY3D_LAYERED) == 0 || from->Depth > 0)
         && leat_cpu_format_get_bytes (from->Format, from->NumChannels) > 0 && leat_cpu_array_fits (from);
}

static LeatCpuArray *
leat_cpu_array_new (const CUDA_ARRAY3D_DESCRIPTOR *from)
{
  LeatCpuArray *self = g_new0 (LeatCpuArray, 1);

  self->width = from->Width;
  self->height = (guint) from->Height;
  self->depth = (guint) from->Depth;
  self->format = from->Format;
  self->channels = from->NumChannels;
  self->texel_bytes = leat_cpu_format_get_bytes (from->Format, from->NumChannels);
  self->flags = from->Flags;
  self->row_bytes = self->width * self->texel_bytes;
  self->slice_bytes = self->row_bytes * MAX (self->height, 1);
  return self;
}

CUresult
cuArray3DCreate_v2 (CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *description)
{
  LeatCpuArray *self;
  void *texels = NULL;

  LEAT_CPU_ENTER ();
  if (array == NULL || !leat_cpu_array_is_possible (description))
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  CUresult result = leat_cpu_capture_check_unsafe ();
  leat_cpu_release ();
  if (result == CUDA_SUCCESS)
    result = leat_cpu_fault_visit (LEAT_CPU_FAULT_ALLOC);
  if (result != CUDA_SUCCESS)
    return result;
  self = leat_cpu_array_new (description);
  result = leat_cpu_allocation_new (LEAT_CPU_ALLOCATION_DEVICE, self->slice_bytes * MAX (self->depth, 1), 0, &texels);
  if (result != CUDA_SUCCESS)
    {
      g_free (self);
      return result;
    }
  self->texels = texels;
  leat_cpu_array_note (self);
  *array = (CUarray) self;
  return CUDA_SUCCESS;
}

/* As with memory, work that may still use it is waited for. */
CUresult
cuArrayDestroy (CUarray array)
{
  LEAT_CPU_ENTER_BY_HANDLE ();
  CUresult result = leat_cpu_stream_wait_to_free ();
  if (result != CUDA_SUCCESS)
    return result;
  if (!leat_cpu_array_forget (array))
    return CUDA_ERROR_INVALID_HANDLE;
  result = leat_cpu_allocation_free (LEAT_CPU_ALLOCATION_DEVICE, ((LeatCpuArray *) array)->texels);
  g_free (array);
  return result;
}

/* Their memory is in the books, and goes with all other. */
void
leat_cpu_array_free_all (void)
{
  GHashTableIter iter;
  gpointer array;

  pthread_mutex_lock (&leat_cpu_array_lock);
  if (leat_cpu_arrays != NULL)
    {
      g_hash_table_iter_init (&iter, leat_cpu_arrays);
      while (g_hash_table_iter_next (&iter, &array, NULL))
        g_free (array);
      g_clear_pointer (&leat_cpu_arrays, g_hash_table_unref);
    }
  pthread_mutex_unlock (&leat_cpu_array_lock);
}
