/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls of the driver API that copy.  They only put checked copies on a stream; leat-cpu-transfer.c moves the bytes. */

#include "leat-cpu-count.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-stream.h"
#include "leat-cpu-transfer.h"

/* Up to here, bytes from pageable memory are put aside so that the call need not wait, as CUDA does. */
#define LEAT_CPU_STAGING_LIMIT 65536

static gboolean
leat_cpu_copy_is_captured (CUstream handle)
{
  leat_cpu_acquire ();
  LeatCpuStream *stream = leat_cpu_stream_from_handle (handle);
  gboolean captured = stream != NULL && stream->capture != NULL;
  leat_cpu_release ();
  return captured;
}

static CUresult
leat_cpu_copy_submit (const LeatCpuCopy *copy, CUstream stream)
{
  LeatCpuOp op = { .kind = LEAT_CPU_OP_COPY, .copy = *copy };
  gsize bytes = leat_cpu_copy_get_bytes (copy);

  if (bytes == 0)
    op.kind = LEAT_CPU_OP_EMPTY;
  leat_cpu_count (copy_calls);
  if (bytes == 0 || !copy->pageable || leat_cpu_copy_is_captured (stream))
    return leat_cpu_submit (stream, &op);
  if (copy->direction == LEAT_CPU_HOST_TO_DEVICE && bytes <= LEAT_CPU_STAGING_LIMIT && leat_cpu_copy_stage (&op.copy))
    return leat_cpu_submit (stream, &op);
  return leat_cpu_submit_and_wait (stream, &op);
}

static CUresult
leat_cpu_copy_submit_sync (const LeatCpuCopy *copy)
{
  LeatCpuOp op = { .kind = LEAT_CPU_OP_COPY, .copy = *copy };

  if (leat_cpu_copy_get_bytes (copy) == 0)
    op.kind = LEAT_CPU_OP_EMPTY;
  leat_cpu_count (copy_calls);
  leat_cpu_count (host_waits);
  return leat_cpu_submit_and_wait (NULL, &op);
}

static CUresult
leat_cpu_copy_linear (CUmemorytype to_type, guint64 to, CUmemorytype from_type, guint64 from, gsize bytes)
{
  LeatCpuCopy copy;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_copy_init_linear (&copy, to_type, to, from_type, from, bytes);
  return result == CUDA_SUCCESS ? leat_cpu_copy_submit_sync (&copy) : result;
}

static CUresult
leat_cpu_copy_linear_async (CUmemorytype to_type, guint64 to, CUmemorytype from_type, guint64 from, gsize bytes,
                            CUstream stream)
{
  LeatCpuCopy copy;

  LEAT_CPU_ENTER_STREAM (stream);
  CUresult result = leat_cpu_copy_init_linear (&copy, to_type, to, from_type, from, bytes);
  return result == CUDA_SUCCESS ? leat_cpu_copy_submit (&copy, stream) : result;
}

CUresult
cuMemcpyHtoD_v2 (CUdeviceptr to, const void *from, size_t bytes)
{
  return leat_cpu_copy_linear (CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, (guintptr) from, bytes);
}

CUresult
cuMemcpyDtoH_v2 (void *to, CUdeviceptr from, size_t bytes)
{
  return leat_cpu_copy_linear (CU_MEMORYTYPE_HOST, (guintptr) to, CU_MEMORYTYPE_DEVICE, from, bytes);
}

CUresult
cuMemcpyDtoD_v2 (CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
  return leat_cpu_copy_linear (CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes);
}

CUresult
cuMemcpy (CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
  return leat_cpu_copy_linear (CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes);
}

CUresult
cuMemcpyHtoDAsync_v2 (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
  return leat_cpu_copy_linear_async (CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, (guintptr) from, bytes, stream);
}

CUresult
cuMemcpyDtoHAsync_v2 (void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
  return leat_cpu_copy_linear_async (CU_MEMORYTYPE_HOST, (guintptr) to, CU_MEMORYTYPE_DEVICE, from, bytes, stream);
}

CUresult
cuMemcpyDtoDAsync_v2 (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
  return leat_cpu_copy_linear_async (CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes, stream);
}

CUresult
cuMemcpyAsync (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
  return leat_cpu_copy_linear_async (CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes, stream);
}

CUresult
cuMemcpy2D_v2 (const CUDA_MEMCPY2D *params)
{
  LeatCpuCopy copy;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_copy_init_2d (&copy, params);
  return result == CUDA_SUCCESS ? leat_cpu_copy_submit_sync (&copy) : result;
}

CUresult
cuMemcpy2DAsync_v2 (const CUDA_MEMCPY2D *params, CUstream stream)
{
  LeatCpuCopy copy;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_copy_init_2d (&copy, params);
  return result == CUDA_SUCCESS ? leat_cpu_copy_submit (&copy, stream) : result;
}

CUresult
cuMemcpy3D_v2 (const CUDA_MEMCPY3D *params)
{
  LeatCpuCopy copy;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_copy_init (&copy, params);
  return result == CUDA_SUCCESS ? leat_cpu_copy_submit_sync (&copy) : result;
}

CUresult
cuMemcpy3DAsync_v2 (const CUDA_MEMCPY3D *params, CUstream stream)
{
  LeatCpuCopy copy;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_copy_init (&copy, params);
  return result == CUDA_SUCCESS ? leat_cpu_copy_submit (&copy, stream) : result;
}
