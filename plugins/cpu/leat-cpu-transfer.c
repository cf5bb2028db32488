/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Copies and sets, for streams and graphs: worked out and checked against known memory, then done.  Touches only the
 * ranges that they name. */

#include "leat-cpu-transfer.h"

#include <string.h>

#include "leat-cpu-allocation.h"
#include "leat-cpu-array.h"
#include "leat-cpu-count.h"

/* One end of a copy while it is being worked out. */
typedef struct
{
  CUmemorytype type;
  guintptr base;
  gsize x, y, z;
  gsize pitch, rows;
  gsize slice;
  guintptr start;
  gboolean device;
  gboolean pageable;
} LeatCpuEnd;

/* Bytes from the first one touched to behind the last one. */
static gboolean
leat_cpu_end_get_span (const LeatCpuEnd *end, gsize width, gsize height, gsize depth, gsize *span)
{
  gsize rows, slices;

  return !__builtin_mul_overflow (height - 1, end->pitch, &rows)
         && !__builtin_mul_overflow (depth - 1, end->slice, &slices) && !__builtin_add_overflow (rows, slices, span)
         && !__builtin_add_overflow (*span, width, span);
}

/* Memory that the driver knows must hold the whole range.  Device memory must be known; other host memory is the
 * caller's affair, as on CUDA. */
static CUresult
leat_cpu_end_check_range (LeatCpuEnd *end, gsize span)
{
  LeatCpuAllocation allocation;
  gboolean known = leat_cpu_allocation_find (end->start, &allocation);

  if (!known && end->type == CU_MEMORYTYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  if (known && span > allocation.size - (end->start - allocation.base))
    return CUDA_ERROR_INVALID_VALUE;
  end->device = known && leat_cpu_allocation_is_device (allocation.kind);
  end->pageable = !known;
  return end->start != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult
leat_cpu_end_resolve (LeatCpuEnd *end, gsize width, gsize height, gsize depth)
{
  gsize row, span, before;

  if (end->type != CU_MEMORYTYPE_HOST && end->type != CU_MEMORYTYPE_DEVICE && end->type != CU_MEMORYTYPE_UNIFIED)
    return CUDA_ERROR_INVALID_VALUE;
  if (__builtin_add_overflow (width, end->x, &row))
    return CUDA_ERROR_INVALID_VALUE;
  if (end->pitch == 0)
    end->pitch = row;
  if (end->rows == 0)
    end->rows = height + end->y;
  if (end->pitch < row || end->rows < height || __builtin_mul_overflow (end->pitch, end->rows, &end->slice))
    return CUDA_ERROR_INVALID_VALUE;
  if (__builtin_mul_overflow (end->z, end->slice, &before)
      || __builtin_add_overflow (before, end->y * end->pitch + end->x, &before)
      || __builtin_add_overflow (end->base, before, &end->start)
      || !leat_cpu_end_get_span (end, width, height, depth, &span))
    return CUDA_ERROR_INVALID_VALUE;
  return leat_cpu_end_check_range (end, span);
}

/* From here on it is memory like any other: rows of the array's own length, within the array's own bounds. */
static CUresult
leat_cpu_end_enter_array (LeatCpuEnd *end, CUarray handle, gsize width, gsize height, gsize depth)
{
  const LeatCpuArray *array = end->type == CU_MEMORYTYPE_ARRAY ? leat_cpu_array_from_handle (handle) : NULL;

  if (end->type != CU_MEMORYTYPE_ARRAY)
    return CUDA_SUCCESS;
  if (array == NULL || end->x > array->row_bytes || width > array->row_bytes - end->x
      || end->x % array->texel_bytes != 0 || width % array->texel_bytes != 0 || end->y >= MAX (array->height, 1)
      || height > MAX (array->height, 1) - end->y || end->z >= MAX (array->depth, 1)
      || depth > MAX (array->depth, 1) - end->z)
    return CUDA_ERROR_INVALID_VALUE;
  end->type = CU_MEMORYTYPE_DEVICE;
  end->base = (guintptr) array->texels;
  end->pitch = array->row_bytes;
  end->rows = MAX (array->height, 1);
  return CUDA_SUCCESS;
}

static CUresult
leat_cpu_copy_init_ends (LeatCpuCopy *copy, LeatCpuEnd *to, LeatCpuEnd *from, gsize width, gsize height, gsize depth)
{
  CUresult result;

  memset (copy, 0, sizeof *copy);
  if (width == 0 || height == 0 || depth == 0)
    return CUDA_SUCCESS;
  result = leat_cpu_end_resolve (to, width, height, depth);
  if (result == CUDA_SUCCESS)
    result = leat_cpu_end_resolve (from, width, height, depth);
  if (result != CUDA_SUCCESS)
    return result;
  copy->to = (char *) to->start;
  copy->to_pitch = to->pitch;
  copy->to_slice = to->slice;
  copy->from = (const char *) from->start;
  copy->from_pitch = from->pitch;
  copy->from_slice = from->slice;
  copy->width = width;
  copy->height = height;
  copy->depth = depth;
  copy->pageable = to->pageable || from->pageable;
  copy->direction = from->device ? (to->device ? LEAT_CPU_DEVICE_TO_DEVICE : LEAT_CPU_DEVICE_TO_HOST)
                                 : (to->device ? LEAT_CPU_HOST_TO_DEVICE : LEAT_CPU_HOST_TO_HOST);
  return CUDA_SUCCESS;
}

CUresult
leat_cpu_copy_init (LeatCpuCopy *copy, const CUDA_MEMCPY3D *params)
{
  if (params == NULL || params->reserved0 != NULL || params->reserved1 != NULL || params->srcLOD != 0
      || params->dstLOD != 0)
    return CUDA_ERROR_INVALID_VALUE;

  LeatCpuEnd to = { .type = params->dstMemoryType,
                    .base = params->dstMemoryType == CU_MEMORYTYPE_HOST ? (guintptr) params->dstHost
                                                                        : (guintptr) params->dstDevice,
                    .x = params->dstXInBytes,
                    .y = params->dstY,
                    .z = params->dstZ,
                    .pitch = params->dstPitch,
                    .rows = params->dstHeight };
  LeatCpuEnd from = { .type = params->srcMemoryType,
                      .base = params->srcMemoryType == CU_MEMORYTYPE_HOST ? (guintptr) params->srcHost
                                                                          : (guintptr) params->srcDevice,
                      .x = params->srcXInBytes,
                      .y = params->srcY,
                      .z = params->srcZ,
                      .pitch = params->srcPitch,
                      .rows = params->srcHeight };

  CUresult result =
    leat_cpu_end_enter_array (&to, params->dstArray, params->WidthInBytes, params->Height, params->Depth);

  if (result == CUDA_SUCCESS)
    result = leat_cpu_end_enter_array (&from, params->srcArray, params->WidthInBytes, params->Height, params->Depth);
  if (result != CUDA_SUCCESS)
    return result;
  return leat_cpu_copy_init_ends (copy, &to, &from, params->WidthInBytes, params->Height, params->Depth);
}

CUresult
leat_cpu_copy_init_2d (LeatCpuCopy *copy, const CUDA_MEMCPY2D *params)
{
  if (params == NULL)
    return CUDA_ERROR_INVALID_VALUE;

  CUDA_MEMCPY3D flat = { .srcXInBytes = params->srcXInBytes,
                         .srcY = params->srcY,
                         .srcMemoryType = params->srcMemoryType,
                         .srcHost = params->srcHost,
                         .srcDevice = params->srcDevice,
                         .srcArray = params->srcArray,
                         .srcPitch = params->srcPitch,
                         .dstXInBytes = params->dstXInBytes,
                         .dstY = params->dstY,
                         .dstMemoryType = params->dstMemoryType,
                         .dstHost = params->dstHost,
                         .dstDevice = params->dstDevice,
                         .dstArray = params->dstArray,
                         .dstPitch = params->dstPitch,
                         .WidthInBytes = params->WidthInBytes,
                         .Height = params->Height,
                         .Depth = 1 };

  return leat_cpu_copy_init (copy, &flat);
}

CUresult
leat_cpu_copy_init_linear (LeatCpuCopy *copy, CUmemorytype to_type, guint64 to, CUmemorytype from_type, guint64 from,
                           gsize bytes)
{
  LeatCpuEnd to_end = { .type = to_type, .base = (guintptr) to };
  LeatCpuEnd from_end = { .type = from_type, .base = (guintptr) from };

  return leat_cpu_copy_init_ends (copy, &to_end, &from_end, bytes, 1, 1);
}

void
leat_cpu_copy_describe (const LeatCpuCopy *copy, CUDA_MEMCPY3D *params)
{
  gboolean to_device = copy->direction == LEAT_CPU_HOST_TO_DEVICE || copy->direction == LEAT_CPU_DEVICE_TO_DEVICE;
  gboolean from_device = copy->direction == LEAT_CPU_DEVICE_TO_HOST || copy->direction == LEAT_CPU_DEVICE_TO_DEVICE;

  memset (params, 0, sizeof *params);
  params->srcMemoryType = from_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  params->dstMemoryType = to_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  if (from_device)
    params->srcDevice = (CUdeviceptr) (guintptr) copy->from;
  else
    params->srcHost = copy->from;
  if (to_device)
    params->dstDevice = (CUdeviceptr) (guintptr) copy->to;
  else
    params->dstHost = copy->to;
  params->srcPitch = copy->from_pitch;
  params->dstPitch = copy->to_pitch;
  params->srcHeight = copy->from_pitch > 0 ? copy->from_slice / copy->from_pitch : 0;
  params->dstHeight = copy->to_pitch > 0 ? copy->to_slice / copy->to_pitch : 0;
  params->WidthInBytes = copy->width;
  params->Height = copy->height;
  params->Depth = copy->depth;
}

gsize
leat_cpu_copy_get_bytes (const LeatCpuCopy *copy)
{
  return copy->width * copy->height * copy->depth;
}

gboolean
leat_cpu_copy_stage (LeatCpuCopy *copy)
{
  gsize bytes = leat_cpu_copy_get_bytes (copy);
  char *staging = g_try_malloc (bytes);

  if (staging == NULL)
    return FALSE;
  LeatCpuCopy gather = *copy;
  gather.to = staging;
  gather.to_pitch = copy->width;
  gather.to_slice = copy->width * copy->height;
  for (gsize z = 0; z < gather.depth; z++)
    for (gsize y = 0; y < gather.height; y++)
      memcpy (gather.to + z * gather.to_slice + y * gather.to_pitch,
              gather.from + z * gather.from_slice + y * gather.from_pitch, gather.width);
  copy->from = copy->staging = staging;
  copy->from_pitch = gather.to_pitch;
  copy->from_slice = gather.to_slice;
  return TRUE;
}

static void
leat_cpu_copy_count (const LeatCpuCopy *copy)
{
  gsize bytes = leat_cpu_copy_get_bytes (copy);

  switch (copy->direction)
    {
    case LEAT_CPU_HOST_TO_DEVICE:
      leat_cpu_count (copies_to_device);
      leat_cpu_count_many (bytes_to_device, bytes);
      break;
    case LEAT_CPU_DEVICE_TO_HOST:
      leat_cpu_count (copies_to_host);
      leat_cpu_count_many (bytes_to_host, bytes);
      break;
    case LEAT_CPU_DEVICE_TO_DEVICE:
      leat_cpu_count (copies_on_device);
      leat_cpu_count_many (bytes_on_device, bytes);
      break;
    default:
      leat_cpu_count (copies_on_host);
      leat_cpu_count_many (bytes_on_host, bytes);
      break;
    }
}

void
leat_cpu_copy_run (const LeatCpuCopy *copy)
{
  leat_cpu_copy_count (copy);
  if (copy->height == 1 && copy->depth == 1)
    {
      memmove (copy->to, copy->from, copy->width);
      return;
    }
  for (gsize z = 0; z < copy->depth; z++)
    for (gsize y = 0; y < copy->height; y++)
      memmove (copy->to + z * copy->to_slice + y * copy->to_pitch,
               copy->from + z * copy->from_slice + y * copy->from_pitch, copy->width);
}

CUresult
leat_cpu_set_init (LeatCpuSet *set, const CUDA_MEMSET_NODE_PARAMS *params)
{
  gsize row;

  if (params == NULL || (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4)
      || params->dst % params->elementSize != 0
      || __builtin_mul_overflow (params->width, (gsize) params->elementSize, &row))
    return CUDA_ERROR_INVALID_VALUE;
  *set = (LeatCpuSet){
    (char *) (guintptr) params->dst, params->pitch, params->width, params->height, params->value, params->elementSize
  };
  if (params->width == 0 || params->height == 0)
    return CUDA_SUCCESS;
  if (set->height > 1 && (set->pitch < row || set->pitch % set->element != 0))
    return CUDA_ERROR_INVALID_VALUE;

  LeatCpuEnd end = { .type = CU_MEMORYTYPE_DEVICE, .base = (guintptr) params->dst, .pitch = MAX (row, set->pitch) };
  return leat_cpu_end_resolve (&end, row, set->height, 1);
}

void
leat_cpu_set_describe (const LeatCpuSet *set, CUDA_MEMSET_NODE_PARAMS *params)
{
  *params = (CUDA_MEMSET_NODE_PARAMS){ .dst = (CUdeviceptr) (guintptr) set->to,
                                       .pitch = set->pitch,
                                       .value = set->value,
                                       .elementSize = set->element,
                                       .width = set->width,
                                       .height = set->height };
}

gsize
leat_cpu_set_get_bytes (const LeatCpuSet *set)
{
  return set->width * set->height * set->element;
}

static void
leat_cpu_set_run_row (const LeatCpuSet *set, char *row)
{
  guint value = set->value;

  if (set->element == 1)
    memset (row, (int) (value & 0xff), set->width);
  else if (set->element == 2)
    for (gsize i = 0; i < set->width; i++)
      ((guint16 *) row)[i] = (guint16) value;
  else if (value == (value & 0xff) * 0x01010101u)
    memset (row, (int) (value & 0xff), 4 * set->width);
  else
    for (gsize i = 0; i < set->width; i++)
      ((guint32 *) row)[i] = value;
}

void
leat_cpu_set_run (const LeatCpuSet *set)
{
  leat_cpu_count (sets_run);
  leat_cpu_count_many (bytes_set, leat_cpu_set_get_bytes (set));
  for (gsize y = 0; y < set->height; y++)
    leat_cpu_set_run_row (set, set->to + y * set->pitch);
}
