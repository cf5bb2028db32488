/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls of the driver API for the default memory pool, and for memory in the order of a stream. */

#include "leat-cpu-allocation.h"
#include "leat-cpu-capture.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-fault.h"
#include "leat-cpu-stream.h"

/* The device's one memory pool.  Memory comes from the allocator when it is asked for and goes back in the stream's
 * order, so the pool keeps nothing in reserve and its thresholds are only remembered. */
typedef struct
{
  int reuse[3];
  guint64 release_threshold;
} LeatCpuMemoryPool;

static LeatCpuMemoryPool leat_cpu_memory_pool = { { 1, 1, 1 }, 0 };

CUresult
cuDeviceGetDefaultMemPool (CUmemoryPool *pool, CUdevice device)
{
  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (pool == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *pool = (CUmemoryPool) &leat_cpu_memory_pool;
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetMemPool (CUmemoryPool *pool, CUdevice device)
{
  return cuDeviceGetDefaultMemPool (pool, device);
}

static CUresult
leat_cpu_memory_pool_check_stream (CUstream handle)
{
  CUresult result;

  leat_cpu_acquire ();
  LeatCpuStream *stream = leat_cpu_stream_from_handle (handle);
  if (stream == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  else if (stream->capture != NULL)
    result = leat_cpu_capture_refuse_stream (stream); /* graphs hold no allocation nodes here */
  else if ((result = leat_cpu_capture_check_implicit (stream)) == CUDA_SUCCESS)
    result = leat_cpu_capture_check_unsafe ();
  leat_cpu_release ();
  return result;
}

/* Memory that earlier work will free is as good as free: wait for it before giving up. */
static CUresult
leat_cpu_memory_pool_alloc (gsize bytes, void **memory)
{
  CUresult result = leat_cpu_allocation_new (LEAT_CPU_ALLOCATION_POOL, bytes, 0, memory);

  if (result != CUDA_ERROR_OUT_OF_MEMORY)
    return result;
  leat_cpu_acquire ();
  result = leat_cpu_stream_wait_all ();
  leat_cpu_release ();
  return result == CUDA_SUCCESS ? leat_cpu_allocation_new (LEAT_CPU_ALLOCATION_POOL, bytes, 0, memory) : result;
}

CUresult
cuMemAllocAsync (CUdeviceptr *address, size_t bytes, CUstream stream)
{
  void *memory = NULL;

  LEAT_CPU_ENTER ();
  if (address == NULL || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = leat_cpu_memory_pool_check_stream (stream);
  if (result == CUDA_SUCCESS)
    result = leat_cpu_fault_visit (LEAT_CPU_FAULT_ALLOC);
  if (result == CUDA_SUCCESS)
    result = leat_cpu_memory_pool_alloc (bytes, &memory);
  if (result == CUDA_SUCCESS)
    *address = (CUdeviceptr) (guintptr) memory;
  return result;
}

CUresult
cuMemAllocFromPoolAsync (CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
  if (pool != (CUmemoryPool) &leat_cpu_memory_pool)
    return CUDA_ERROR_INVALID_VALUE;
  return cuMemAllocAsync (address, bytes, stream);
}

CUresult
cuMemFreeAsync (CUdeviceptr address, CUstream stream)
{
  LeatCpuAllocation allocation;
  LeatCpuOp op = { .kind = LEAT_CPU_OP_FREE, .memory = (void *) (guintptr) address };

  LEAT_CPU_ENTER ();
  if (!leat_cpu_allocation_find ((guintptr) address, &allocation) || allocation.base != (guintptr) address
      || allocation.kind != LEAT_CPU_ALLOCATION_POOL)
    return CUDA_ERROR_INVALID_VALUE;
  return leat_cpu_submit (stream, &op);
}

static CUresult
leat_cpu_memory_pool_check (CUmemoryPool pool)
{
  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  return pool == (CUmemoryPool) &leat_cpu_memory_pool ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuMemPoolTrimTo (CUmemoryPool pool, size_t keep_bytes)
{
  return leat_cpu_memory_pool_check (pool);
}

CUresult
cuMemPoolSetAttribute (CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
  CUresult result = leat_cpu_memory_pool_check (pool);

  if (result != CUDA_SUCCESS)
    return result;
  if (value == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  switch (attribute)
    {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      leat_cpu_memory_pool.reuse[attribute - 1] = *(int *) value != 0;
      break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      leat_cpu_memory_pool.release_threshold = *(guint64 *) value;
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      if (*(guint64 *) value == 0)
        leat_cpu_allocation_reset_pool_high ();
      else
        result = CUDA_ERROR_INVALID_VALUE;
      break;
    default:
      result = CUDA_ERROR_INVALID_VALUE;
      break;
    }
  leat_cpu_release ();
  return result;
}

CUresult
cuMemPoolGetAttribute (CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
  guint64 high;
  CUresult result = leat_cpu_memory_pool_check (pool);

  if (result != CUDA_SUCCESS)
    return result;
  if (value == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  guint64 used = leat_cpu_allocation_get_pool_bytes (&high);
  leat_cpu_acquire ();
  switch (attribute)
    {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      *(int *) value = leat_cpu_memory_pool.reuse[attribute - 1];
      break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      *(guint64 *) value = leat_cpu_memory_pool.release_threshold;
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      *(guint64 *) value = used;
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      *(guint64 *) value = high;
      break;
    default:
      result = CUDA_ERROR_INVALID_VALUE;
      break;
    }
  leat_cpu_release ();
  return result;
}
