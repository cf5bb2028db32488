/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Texture and surface objects: what kernels need to know of the memory that they see through one.  They own their views
 * and nothing else, and a set knows those that there are. */

#include "leat-cpu-array.h"

#include <pthread.h>
#include <string.h>

#include "kernel/device/leat-texture-view.h"

#include "leat-cpu-allocation.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-state.h"

#define LEAT_CPU_TEXTURE_ALIGNMENT 256
#define LEAT_CPU_LINEAR_MOST       ((gsize) 1 << 28)

static pthread_mutex_t leat_cpu_texture_lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *leat_cpu_textures; /* of LeatTextureView */

static void
leat_cpu_view_set_array (LeatTextureView *view, const LeatCpuArray *array)
{
  view->texels = (unsigned char *) array->texels;
  view->row_bytes = array->row_bytes;
  view->slice_bytes = array->slice_bytes;
  view->width = array->width;
  view->height = array->height;
  view->depth = array->depth;
  view->format = array->format;
  view->channels = array->channels;
  view->texel_bytes = array->texel_bytes;
}

static gboolean
leat_cpu_view_set_linear (LeatTextureView *view, CUdeviceptr address, CUarray_format format, guint channels, gsize size)
{
  guint bytes = leat_cpu_format_get_bytes (format, channels);
  LeatCpuAllocation allocation;

  if (bytes == 0 || size < bytes || size / bytes > LEAT_CPU_LINEAR_MOST || address % LEAT_CPU_TEXTURE_ALIGNMENT != 0
      || !leat_cpu_allocation_find ((guintptr) address, &allocation)
      || size > allocation.size - ((guintptr) address - allocation.base))
    return FALSE;
  view->texels = (unsigned char *) (guintptr) address;
  view->row_bytes = size;
  view->width = size / bytes;
  view->format = format;
  view->channels = channels;
  view->texel_bytes = bytes;
  return TRUE;
}

static gboolean
leat_cpu_view_set_resource (LeatTextureView *view, const CUDA_RESOURCE_DESC *from)
{
  const LeatCpuArray *array;

  if (from == NULL || from->flags != 0)
    return FALSE;
  switch (from->resType)
    {
    case CU_RESOURCE_TYPE_ARRAY:
      array = leat_cpu_array_from_handle (from->res.array.hArray);
      if (array != NULL)
        leat_cpu_view_set_array (view, array);
      return array != NULL;
    case CU_RESOURCE_TYPE_LINEAR:
      return leat_cpu_view_set_linear (view, from->res.linear.devPtr, from->res.linear.format,
                                       from->res.linear.numChannels, from->res.linear.sizeInBytes);
    default:
      return FALSE;
    }
}

/* Is a texel a float to the kernel?  Numbers of 32 bits stay whole whatever is asked for. */
static gboolean
leat_cpu_view_gives_floats (const LeatTextureView *view)
{
  if (view->format == CU_AD_FORMAT_FLOAT || view->format == CU_AD_FORMAT_HALF)
    return TRUE;
  return (view->flags & LEAT_TEXTURE_GIVES_RAW) == 0;
}

static gboolean
leat_cpu_view_set_sampling (LeatTextureView *view, const CUDA_TEXTURE_DESC *from)
{
  const guint known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES;
  gboolean is_wide = view->format == CU_AD_FORMAT_UNSIGNED_INT32 || view->format == CU_AD_FORMAT_SIGNED_INT32;

  if (from == NULL || (from->flags & ~known) != 0 || from->filterMode > CU_TR_FILTER_MODE_LINEAR)
    return FALSE;
  view->flags = (from->flags & CU_TRSF_NORMALIZED_COORDINATES ? LEAT_TEXTURE_IS_NORMALIZED : 0)
                | (is_wide || from->flags & CU_TRSF_READ_AS_INTEGER ? LEAT_TEXTURE_GIVES_RAW : 0);
  view->filter = from->filterMode;
  for (guint i = 0; i < 3; i++)
    {
      if (from->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
        return FALSE;
      view->address[i] = from->addressMode[i];
    }
  memcpy (view->border, from->borderColor, sizeof view->border);
  return from->filterMode == CU_TR_FILTER_MODE_POINT || leat_cpu_view_gives_floats (view);
}

static unsigned long long
leat_cpu_view_keep (const LeatTextureView *view)
{
  LeatTextureView *kept = g_memdup2 (view, sizeof *view);

  pthread_mutex_lock (&leat_cpu_texture_lock);
  if (leat_cpu_textures == NULL)
    leat_cpu_textures = g_hash_table_new_full (NULL, NULL, g_free, NULL);
  g_hash_table_add (leat_cpu_textures, kept);
  pthread_mutex_unlock (&leat_cpu_texture_lock);
  return (unsigned long long) (guintptr) kept;
}

/* As on CUDA it is the caller who sees to it that nothing uses the object any more. */
static CUresult
leat_cpu_view_drop (unsigned long long object)
{
  gboolean known;

  pthread_mutex_lock (&leat_cpu_texture_lock);
  known = leat_cpu_textures != NULL && g_hash_table_remove (leat_cpu_textures, (gpointer) (guintptr) object);
  pthread_mutex_unlock (&leat_cpu_texture_lock);
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuTexObjectCreate (CUtexObject *texture, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampling,
                   const struct CUDA_RESOURCE_VIEW_DESC_st *part)
{
  LeatTextureView view = { 0 };

  LEAT_CPU_ENTER ();
  if (texture == NULL || part != NULL || !leat_cpu_view_set_resource (&view, resource)
      || !leat_cpu_view_set_sampling (&view, sampling))
    return CUDA_ERROR_INVALID_VALUE;
  *texture = leat_cpu_view_keep (&view);
  return CUDA_SUCCESS;
}

CUresult
cuTexObjectDestroy (CUtexObject texture)
{
  LEAT_CPU_ENTER_BY_HANDLE ();
  return leat_cpu_view_drop (texture);
}

CUresult
cuSurfObjectCreate (CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)
{
  LeatTextureView view = { 0 };

  LEAT_CPU_ENTER ();
  if (surface == NULL || resource == NULL || resource->resType != CU_RESOURCE_TYPE_ARRAY
      || !leat_cpu_view_set_resource (&view, resource)
      || (leat_cpu_array_from_handle (resource->res.array.hArray)->flags & CUDA_ARRAY3D_SURFACE_LDST) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  *surface = leat_cpu_view_keep (&view);
  return CUDA_SUCCESS;
}

CUresult
cuSurfObjectDestroy (CUsurfObject surface)
{
  LEAT_CPU_ENTER_BY_HANDLE ();
  return leat_cpu_view_drop (surface);
}

void
leat_cpu_texture_free_all (void)
{
  pthread_mutex_lock (&leat_cpu_texture_lock);
  g_clear_pointer (&leat_cpu_textures, g_hash_table_unref);
  pthread_mutex_unlock (&leat_cpu_texture_lock);
}
