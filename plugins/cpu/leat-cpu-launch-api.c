/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls of the driver API that put kernels, host functions and values to write or await on a stream.  They only submit;
 * leat-cpu-op.c does the work. */

#include "leat-cpu-allocation.h"
#include "leat-cpu-count.h"
#include "leat-cpu-engine.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-stream.h"

static CUresult
leat_cpu_launch_submit (CUfunction function, LeatHostDim3 grid, LeatHostDim3 block, guint shared_bytes,
                        gboolean cooperative, CUstream stream, void **params, void **extra)
{
  LeatCpuOp op = { .kind = LEAT_CPU_OP_KERNEL };

  LEAT_CPU_ENTER ();
  if (function == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = leat_cpu_launch_init (&op.kernel, (LeatCpuFunction *) function, grid, block, shared_bytes,
                                          cooperative, params, extra);
  if (result != CUDA_SUCCESS)
    return result;
  leat_cpu_count (kernel_launches);
  return leat_cpu_submit (stream, &op);
}

CUresult
cuLaunchKernel (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                CUstream stream, void **params, void **extra)
{
  return leat_cpu_launch_submit (function, (LeatHostDim3){ grid_x, grid_y, grid_z },
                                 (LeatHostDim3){ block_x, block_y, block_z }, shared_bytes, FALSE, stream, params,
                                 extra);
}

CUresult
cuLaunchCooperativeKernel (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                           unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                           CUstream stream, void **params)
{
  return leat_cpu_launch_submit (function, (LeatHostDim3){ grid_x, grid_y, grid_z },
                                 (LeatHostDim3){ block_x, block_y, block_z }, shared_bytes, TRUE, stream, params, NULL);
}

/* Attributes that only steer a GPU's scheduler or caches are accepted; those that promise what is not done here are
 * refused. */
static CUresult
leat_cpu_launch_read_attribute (const CUlaunchAttribute *attribute, gboolean *cooperative)
{
  switch (attribute->id)
    {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      *cooperative = attribute->value.cooperative != 0;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      return attribute->value.clusterDim.x * attribute->value.clusterDim.y * attribute->value.clusterDim.z <= 1
               ? CUDA_SUCCESS
               : CUDA_ERROR_NOT_SUPPORTED;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_SUCCESS;
    }
}

CUresult
cuLaunchKernelEx (const CUlaunchConfig *config, CUfunction function, void **params, void **extra)
{
  gboolean cooperative = FALSE;

  if (config == NULL || (config->numAttrs > 0 && config->attrs == NULL))
    return CUDA_ERROR_INVALID_VALUE;
  for (guint i = 0; i < config->numAttrs; i++)
    {
      CUresult result = leat_cpu_launch_read_attribute (&config->attrs[i], &cooperative);

      if (result != CUDA_SUCCESS)
        return result;
    }
  return leat_cpu_launch_submit (function, (LeatHostDim3){ config->gridDimX, config->gridDimY, config->gridDimZ },
                                 (LeatHostDim3){ config->blockDimX, config->blockDimY, config->blockDimZ },
                                 config->sharedMemBytes, cooperative, config->hStream, params, extra);
}

CUresult
cuLaunchHostFunc (CUstream stream, CUhostFn fn, void *data)
{
  LeatCpuOp op = { .kind = LEAT_CPU_OP_HOST, .host = { fn, data } };

  LEAT_CPU_ENTER ();
  if (fn == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_count (host_function_calls);
  return leat_cpu_submit (stream, &op);
}

static CUresult
leat_cpu_value_submit (LeatCpuOpKind kind, CUstream stream, CUdeviceptr address, guint64 value, guint bytes,
                       guint flags)
{
  LeatCpuAllocation allocation;
  guint known = kind == LEAT_CPU_OP_WRITE_VALUE ? CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER
                                                : (guint) CU_STREAM_WAIT_VALUE_NOR | (guint) CU_STREAM_WAIT_VALUE_FLUSH;
  LeatCpuOp op = {
    .kind = kind, .value = { (void *) (guintptr) address, value, bytes, flags & ~(guint) CU_STREAM_WAIT_VALUE_FLUSH }
  };

  LEAT_CPU_ENTER ();
  if ((flags & ~known) != 0 || address % bytes != 0 || !leat_cpu_allocation_find ((guintptr) address, &allocation))
    return CUDA_ERROR_INVALID_VALUE;
  return leat_cpu_submit (stream, &op);
}

CUresult
cuStreamWriteValue32_v2 (CUstream stream, CUdeviceptr address, uint32_t value, unsigned int flags)
{
  return leat_cpu_value_submit (LEAT_CPU_OP_WRITE_VALUE, stream, address, value, 4, flags);
}

CUresult
cuStreamWriteValue64_v2 (CUstream stream, CUdeviceptr address, uint64_t value, unsigned int flags)
{
  return leat_cpu_value_submit (LEAT_CPU_OP_WRITE_VALUE, stream, address, value, 8, flags);
}

CUresult
cuStreamWaitValue32_v2 (CUstream stream, CUdeviceptr address, uint32_t value, unsigned int flags)
{
  return leat_cpu_value_submit (LEAT_CPU_OP_WAIT_VALUE, stream, address, value, 4, flags);
}

CUresult
cuStreamWaitValue64_v2 (CUstream stream, CUdeviceptr address, uint64_t value, unsigned int flags)
{
  return leat_cpu_value_submit (LEAT_CPU_OP_WAIT_VALUE, stream, address, value, 8, flags);
}
