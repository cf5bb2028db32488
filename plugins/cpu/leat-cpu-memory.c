/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls of the driver API that take, register and give back memory, and say how much is left.  The books are kept by
 * leat-cpu-allocation.c. */

#include "leat-cpu-allocation.h"
#include "leat-cpu-capture.h"
#include "leat-cpu-count.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-fault.h"
#include "leat-cpu-graph-exec.h"
#include "leat-cpu-profile.h"
#include "leat-cpu-stream.h"

#define LEAT_CPU_PITCH_ALIGNMENT 512

/* Calls that may wait for the device are forbidden while others capture. */
static CUresult
leat_cpu_memory_check_capture (void)
{
  leat_cpu_acquire ();
  CUresult result = leat_cpu_capture_check_unsafe ();
  leat_cpu_release ();
  return result;
}

static CUresult
leat_cpu_memory_new (LeatCpuFaultPlace place, LeatCpuAllocationKind kind, gsize bytes, guint flags, void **out)
{
  CUresult result;

  LEAT_CPU_ENTER ();
  if (out == NULL || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  result = leat_cpu_memory_check_capture ();
  if (result == CUDA_SUCCESS)
    result = leat_cpu_fault_visit (place);
  return result == CUDA_SUCCESS ? leat_cpu_allocation_new (kind, bytes, flags, out) : result;
}

CUresult
cuMemGetInfo_v2 (size_t *unused, size_t *total)
{
  LEAT_CPU_ENTER ();
  guint64 all = leat_cpu_profile_get ()->memory_bytes;
  guint64 used = leat_cpu_allocation_get_device_bytes () + leat_cpu_exec_get_device_bytes ();
  if (unused != NULL)
    *unused = used < all ? all - used : 0;
  if (total != NULL)
    *total = all;
  return CUDA_SUCCESS;
}

CUresult
cuMemAlloc_v2 (CUdeviceptr *address, size_t bytes)
{
  void *memory = NULL;
  CUresult result =
    leat_cpu_memory_new (LEAT_CPU_FAULT_ALLOC, LEAT_CPU_ALLOCATION_DEVICE, address != NULL ? bytes : 0, 0, &memory);

  if (result == CUDA_SUCCESS)
    *address = (CUdeviceptr) (guintptr) memory;
  return result;
}

CUresult
cuMemAllocPitch_v2 (CUdeviceptr *address, size_t *pitch, size_t width_bytes, size_t height, unsigned int element_bytes)
{
  gsize row, bytes;

  if (pitch == NULL || (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
      || __builtin_add_overflow (width_bytes, (gsize) LEAT_CPU_PITCH_ALIGNMENT - 1, &row))
    return CUDA_ERROR_INVALID_VALUE;
  row -= row % LEAT_CPU_PITCH_ALIGNMENT;
  if (__builtin_mul_overflow (row, height, &bytes))
    return CUDA_ERROR_INVALID_VALUE;
  *pitch = row;
  return cuMemAlloc_v2 (address, bytes);
}

/* As on CUDA, work that may still use the memory is waited for. */
CUresult
cuMemFree_v2 (CUdeviceptr address)
{
  LeatCpuAllocation allocation;

  LEAT_CPU_ENTER_BY_HANDLE ();
  if (address == 0)
    return CUDA_SUCCESS;
  CUresult result = leat_cpu_stream_wait_to_free ();
  if (result != CUDA_SUCCESS)
    return result;
  if (!leat_cpu_allocation_find ((guintptr) address, &allocation))
    return CUDA_ERROR_INVALID_VALUE;
  return allocation.kind == LEAT_CPU_ALLOCATION_POOL
           ? leat_cpu_allocation_free (LEAT_CPU_ALLOCATION_POOL, (void *) (guintptr) address)
           : leat_cpu_allocation_free (LEAT_CPU_ALLOCATION_DEVICE, (void *) (guintptr) address);
}

CUresult
cuMemGetAddressRange_v2 (CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
  LeatCpuAllocation allocation;

  LEAT_CPU_ENTER ();
  if (!leat_cpu_allocation_find ((guintptr) address, &allocation))
    return CUDA_ERROR_NOT_FOUND;
  if (base != NULL)
    *base = (CUdeviceptr) allocation.base;
  if (bytes != NULL)
    *bytes = allocation.size;
  return CUDA_SUCCESS;
}

CUresult
cuMemHostAlloc (void **host, size_t bytes, unsigned int flags)
{
  const guint known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  void *memory = NULL;

  if (host == NULL || (flags & ~known) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes == 0)
    {
      *host = NULL;
      return CUDA_SUCCESS;
    }
  CUresult result = leat_cpu_memory_new (LEAT_CPU_FAULT_HOST_ALLOC, LEAT_CPU_ALLOCATION_HOST, bytes, flags, &memory);
  if (result == CUDA_SUCCESS)
    *host = memory;
  return result;
}

CUresult
cuMemAllocHost_v2 (void **host, size_t bytes)
{
  return cuMemHostAlloc (host, bytes, 0);
}

CUresult
cuMemFreeHost (void *host)
{
  LEAT_CPU_ENTER_BY_HANDLE ();
  if (host == NULL)
    return CUDA_SUCCESS;
  CUresult result = leat_cpu_stream_wait_to_free ();
  return result == CUDA_SUCCESS ? leat_cpu_allocation_free (LEAT_CPU_ALLOCATION_HOST, host) : result;
}

/* Host and device share one address space, as unified addressing has it. */
CUresult
cuMemHostGetDevicePointer_v2 (CUdeviceptr *address, void *host, unsigned int flags)
{
  LeatCpuAllocation allocation;

  LEAT_CPU_ENTER ();
  if (address == NULL || flags != 0 || !leat_cpu_allocation_find ((guintptr) host, &allocation)
      || leat_cpu_allocation_is_device (allocation.kind))
    return CUDA_ERROR_INVALID_VALUE;
  *address = (CUdeviceptr) (guintptr) host;
  return CUDA_SUCCESS;
}

CUresult
cuMemHostGetFlags (unsigned int *flags, void *host)
{
  LeatCpuAllocation allocation;

  LEAT_CPU_ENTER ();
  if (flags == NULL || !leat_cpu_allocation_find ((guintptr) host, &allocation)
      || allocation.kind != LEAT_CPU_ALLOCATION_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = allocation.flags | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

CUresult
cuMemHostRegister_v2 (void *host, size_t bytes, unsigned int flags)
{
  CUresult result;
  const guint known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_IOMEMORY
                      | CU_MEMHOSTREGISTER_READ_ONLY;

  LEAT_CPU_ENTER ();
  if (host == NULL || bytes == 0 || (flags & ~known) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  result = leat_cpu_memory_check_capture ();
  if (result == CUDA_SUCCESS)
    result = leat_cpu_fault_visit (LEAT_CPU_FAULT_HOST_ALLOC);
  if (result != CUDA_SUCCESS)
    return result;
  return leat_cpu_allocation_add_foreign (LEAT_CPU_ALLOCATION_REGISTERED, host, bytes);
}

CUresult
cuMemHostUnregister (void *host)
{
  LEAT_CPU_ENTER ();
  if (host == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = leat_cpu_stream_wait_to_free ();
  if (result != CUDA_SUCCESS)
    return result;
  return leat_cpu_allocation_remove_foreign (LEAT_CPU_ALLOCATION_REGISTERED, host)
           ? CUDA_SUCCESS
           : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}
