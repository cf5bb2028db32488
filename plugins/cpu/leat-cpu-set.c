/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls of the driver API that fill memory.  They only put checked sets on a stream; leat-cpu-transfer.c writes the
 * bytes. */

#include "leat-cpu-count.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-stream.h"
#include "leat-cpu-transfer.h"

/* Sets do not wait for their end, whether or not they are named async: no host memory is involved. */
static CUresult
leat_cpu_set_submit (CUdeviceptr to, gsize pitch, guint value, guint element, gsize width, gsize height,
                     CUstream stream)
{
  CUDA_MEMSET_NODE_PARAMS params = { to, pitch, value, element, width, height };
  LeatCpuOp op = { .kind = LEAT_CPU_OP_SET };

  LEAT_CPU_ENTER_STREAM (stream);
  CUresult result = leat_cpu_set_init (&op.set, &params);
  if (result != CUDA_SUCCESS)
    return result;
  if (leat_cpu_set_get_bytes (&op.set) == 0)
    op.kind = LEAT_CPU_OP_EMPTY;
  leat_cpu_count (set_calls);
  return leat_cpu_submit (stream, &op);
}

CUresult
cuMemsetD8_v2 (CUdeviceptr to, unsigned char value, size_t count)
{
  return leat_cpu_set_submit (to, 0, value, 1, count, 1, NULL);
}

CUresult
cuMemsetD16_v2 (CUdeviceptr to, unsigned short value, size_t count)
{
  return leat_cpu_set_submit (to, 0, value, 2, count, 1, NULL);
}

CUresult
cuMemsetD32_v2 (CUdeviceptr to, unsigned int value, size_t count)
{
  return leat_cpu_set_submit (to, 0, value, 4, count, 1, NULL);
}

CUresult
cuMemsetD2D8_v2 (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height)
{
  return leat_cpu_set_submit (to, pitch, value, 1, width, height, NULL);
}

CUresult
cuMemsetD8Async (CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
  return leat_cpu_set_submit (to, 0, value, 1, count, 1, stream);
}

CUresult
cuMemsetD16Async (CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
  return leat_cpu_set_submit (to, 0, value, 2, count, 1, stream);
}

CUresult
cuMemsetD32Async (CUdeviceptr to, unsigned int value, size_t count, CUstream stream)
{
  return leat_cpu_set_submit (to, 0, value, 4, count, 1, stream);
}

CUresult
cuMemsetD2D8Async (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream)
{
  return leat_cpu_set_submit (to, pitch, value, 1, width, height, stream);
}

CUresult
cuMemsetD2D16Async (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream)
{
  return leat_cpu_set_submit (to, pitch, value, 2, width, height, stream);
}

CUresult
cuMemsetD2D32Async (CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream)
{
  return leat_cpu_set_submit (to, pitch, value, 4, width, height, stream);
}
