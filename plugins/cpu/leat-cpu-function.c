/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One kernel of a loaded module as the driver API sees it: its limits and its attributes.  The kernel itself stays the
 * module's. */

#include "leat-cpu-function.h"

#include "leat-cpu-profile.h"

void
leat_cpu_function_init (LeatCpuFunction *self, LeatCpuModule *module, const LeatHostKernel *kernel)
{
  const LeatCpuProfile *profile = leat_cpu_profile_get ();
  gint64 room = (gint64) profile->shared_per_block - kernel->static_shared;

  *self = (LeatCpuFunction){ .module = module, .kernel = kernel, .carveout = -1 };
  self->max_dynamic_shared = (gint) MAX (room, 0);
}

const LeatHostKernel *
leat_cpu_function_get_kernel (LeatCpuFunction *self)
{
  return self->kernel;
}

LeatCpuModule *
leat_cpu_function_get_module (LeatCpuFunction *self)
{
  return self->module;
}

guint32
leat_cpu_function_get_max_dynamic_shared (LeatCpuFunction *self)
{
  return (guint32) __atomic_load_n (&self->max_dynamic_shared, __ATOMIC_RELAXED);
}

guint
leat_cpu_function_get_max_threads (LeatCpuFunction *self)
{
  guint most = leat_cpu_profile_get ()->max_threads_per_block;
  guint bounds = self->kernel->flags >> LEAT_HOST_KERNEL_BOUNDS_SHIFT;

  return bounds > 0 ? MIN (bounds, most) : most;
}

CUresult
leat_cpu_function_get_attribute (LeatCpuFunction *self, CUfunction_attribute attribute, int *value)
{
  const LeatCpuProfile *profile = leat_cpu_profile_get ();
  int compute = (int) (profile->cc_major * 10 + profile->cc_minor);

  switch (attribute)
    {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = (int) leat_cpu_function_get_max_threads (self);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = (int) self->kernel->static_shared;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = compute;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = (int) leat_cpu_function_get_max_dynamic_shared (self);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = __atomic_load_n (&self->carveout, __ATOMIC_RELAXED);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 16; /* a CPU's; some callers divide by it */
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      *value = 0;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
leat_cpu_function_set_attribute (LeatCpuFunction *self, CUfunction_attribute attribute, int value)
{
  gint64 most = (gint64) leat_cpu_profile_get ()->shared_per_block_optin - self->kernel->static_shared;

  switch (attribute)
    {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      if (value < 0 || value > most)
        return CUDA_ERROR_INVALID_VALUE;
      __atomic_store_n (&self->max_dynamic_shared, value, __ATOMIC_RELAXED);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      if (value < -1 || value > 100)
        return CUDA_ERROR_INVALID_VALUE;
      __atomic_store_n (&self->carveout, value, __ATOMIC_RELAXED);
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
}
