/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The attributes of an address, for cuPointerGetAttribute and its plural.  Changes nothing: the books of
 * leat-cpu-allocation.c are looked at. */

#include "leat-cpu-allocation.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-state.h"

static CUresult
leat_cpu_pointer_get_range (void *data, CUpointer_attribute attribute, const LeatCpuAllocation *allocation,
                            CUdeviceptr address)
{
  gboolean device = leat_cpu_allocation_is_device (allocation->kind);

  switch (attribute)
    {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *(guint *) data = device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *(CUdeviceptr *) data = address;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *(void **) data = device ? NULL : (void *) (guintptr) address;
      return device ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      *(CUdeviceptr *) data = (CUdeviceptr) allocation->base;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      *(gsize *) data = allocation->size;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_FOUND;
    }
}

static CUresult
leat_cpu_pointer_get (void *data, CUpointer_attribute attribute, const LeatCpuAllocation *allocation,
                      CUdeviceptr address)
{
  LeatCpuThread *thread = leat_cpu_thread_get ();
  CUresult result = leat_cpu_pointer_get_range (data, attribute, allocation, address);

  if (result != CUDA_ERROR_NOT_FOUND)
    return result;
  switch (attribute)
    {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *(CUcontext *) data = thread->contexts[thread->depth - 1];
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *(int *) data = 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      *(guint64 *) data = allocation->id;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      *(guint *) data = 1;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      *(guint *) data = 3;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      *(guint *) data = 0;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult
cuPointerGetAttribute (void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
  LeatCpuAllocation allocation;

  LEAT_CPU_ENTER ();
  if (data == NULL || !leat_cpu_allocation_find ((guintptr) address, &allocation))
    return CUDA_ERROR_INVALID_VALUE;
  return leat_cpu_pointer_get (data, attribute, &allocation, address);
}

/* Unlike for one attribute, memory that the driver does not know is no error: its attributes read as zero. */
CUresult
cuPointerGetAttributes (unsigned int n_attributes, CUpointer_attribute *attributes, void **data, CUdeviceptr address)
{
  LeatCpuAllocation allocation;

  LEAT_CPU_ENTER ();
  if (n_attributes == 0 || attributes == NULL || data == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  gboolean known = leat_cpu_allocation_find ((guintptr) address, &allocation);
  for (guint i = 0; i < n_attributes; i++)
    {
      CUpointer_attribute attribute = attributes[i];
      gboolean wide = attribute == CU_POINTER_ATTRIBUTE_CONTEXT || attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER
                      || attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER || attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID
                      || attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR
                      || attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE;

      if (data[i] == NULL)
        return CUDA_ERROR_INVALID_VALUE;
      if (known && leat_cpu_pointer_get (data[i], attribute, &allocation, address) == CUDA_SUCCESS)
        continue;
      if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        *(int *) data[i] = -2;
      else if (wide)
        *(guint64 *) data[i] = 0;
      else
        *(guint *) data[i] = 0;
    }
  return CUDA_SUCCESS;
}
