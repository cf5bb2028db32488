/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* From the arguments of cuLaunchKernel to a launch that can be kept. */

#include <string.h>

#include "leat-cpu-function.h"
#include "leat-cpu-profile.h"

static gboolean
leat_cpu_launch_fits (LeatHostDim3 size, const guint most[3])
{
  return size.x > 0 && size.y > 0 && size.z > 0 && size.x <= most[0] && size.y <= most[1] && size.z <= most[2];
}

static CUresult
leat_cpu_launch_check_geometry (LeatCpuFunction *function, LeatHostDim3 grid, LeatHostDim3 block,
                                guint32 dynamic_shared)
{
  const LeatCpuProfile *profile = leat_cpu_profile_get ();

  if (!leat_cpu_launch_fits (grid, profile->max_grid) || !leat_cpu_launch_fits (block, profile->max_block))
    return CUDA_ERROR_INVALID_VALUE;
  if ((guint64) block.x * block.y * block.z > leat_cpu_function_get_max_threads (function))
    return CUDA_ERROR_INVALID_VALUE;
  if (dynamic_shared > leat_cpu_function_get_max_dynamic_shared (function)
      || function->kernel->static_shared > profile->shared_per_block)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

/* All blocks of a cooperative launch are resident at once. */
static CUresult
leat_cpu_launch_check_cooperative (LeatCpuFunction *function, LeatHostDim3 grid, LeatHostDim3 block,
                                   guint32 dynamic_shared)
{
  guint per_multiprocessor = leat_cpu_occupancy_get_blocks (function, block.x * block.y * block.z, dynamic_shared);
  guint64 resident = (guint64) per_multiprocessor * leat_cpu_profile_get ()->multiprocessors;

  /* Dividing first: the product of three sizes need not fit. */
  if (grid.y > resident || grid.z > resident || (guint64) grid.y * grid.z > resident
      || (guint64) grid.x * grid.y * grid.z > resident)
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  return CUDA_SUCCESS;
}

static CUresult
leat_cpu_launch_read_extra (void **extra, const void **buffer, gsize *size)
{
  *buffer = NULL;
  *size = 0;
  for (void **at = extra; *at != CU_LAUNCH_PARAM_END; at += 2)
    {
      if (at[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
        *buffer = at[1];
      else if (at[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
        *size = *(const gsize *) at[1];
      else
        return CUDA_ERROR_INVALID_VALUE;
    }
  return CUDA_SUCCESS;
}

static CUresult
leat_cpu_launch_take_extra (LeatCpuLaunch *self, const LeatHostKernel *kernel, void **extra)
{
  const void *buffer;
  gsize size;
  CUresult result = leat_cpu_launch_read_extra (extra, &buffer, &size);

  if (result != CUDA_SUCCESS)
    return result;
  if ((buffer == NULL && kernel->params_size > 0) || size < kernel->params_size)
    return CUDA_ERROR_INVALID_VALUE;
  if (kernel->params_size > 0)
    memcpy (self->params, buffer, kernel->params_size);
  return CUDA_SUCCESS;
}

static CUresult
leat_cpu_launch_take_params (LeatCpuLaunch *self, const LeatHostKernel *kernel, void **kernel_params)
{
  if (kernel->n_params > 0 && kernel_params == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  for (guint i = 0; i < kernel->n_params; i++)
    {
      const LeatHostParam *param = &kernel->params[i];
      if (kernel_params[i] == NULL)
        return CUDA_ERROR_INVALID_VALUE;
      memcpy ((char *) self->params + param->offset, kernel_params[i], param->size);
    }
  return CUDA_SUCCESS;
}

CUresult
leat_cpu_launch_init (LeatCpuLaunch *self, LeatCpuFunction *function, LeatHostDim3 grid, LeatHostDim3 block,
                      guint32 dynamic_shared, gboolean cooperative, void **kernel_params, void **extra)
{
  const LeatHostKernel *kernel;
  CUresult result;

  if (function == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  kernel = function->kernel;
  result = leat_cpu_launch_check_geometry (function, grid, block, dynamic_shared);
  if (result == CUDA_SUCCESS && cooperative)
    result = leat_cpu_launch_check_cooperative (function, grid, block, dynamic_shared);
  if (result != CUDA_SUCCESS)
    return result;
  if (kernel_params != NULL && extra != NULL)
    return CUDA_ERROR_INVALID_VALUE;

  *self = (LeatCpuLaunch){ function, grid, block, dynamic_shared, cooperative, NULL, NULL };
  self->params = g_malloc0 (kernel->params_size);
  result = extra != NULL ? leat_cpu_launch_take_extra (self, kernel, extra)
                         : leat_cpu_launch_take_params (self, kernel, kernel_params);
  if (result != CUDA_SUCCESS)
    leat_cpu_launch_clear (self);
  return result;
}

void
leat_cpu_launch_copy (LeatCpuLaunch *to, const LeatCpuLaunch *from)
{
  *to = *from;
  to->params = g_memdup2 (from->params, from->function->kernel->params_size);
}

void
leat_cpu_launch_clear (LeatCpuLaunch *self)
{
  g_clear_pointer (&self->params, g_free);
}
