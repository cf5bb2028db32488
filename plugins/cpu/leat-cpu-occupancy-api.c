/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The driver API's entries for occupancy. */

#include "leat-cpu-exports.h"
#include "leat-cpu-function.h"
#include "leat-cpu-profile.h"
#include "leat-cpu-state.h"

static CUresult
leat_cpu_occupancy_check (CUfunction function, unsigned int flags)
{
  if (function == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  return (flags & ~(unsigned) CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags (int *n_blocks, CUfunction function, int block_size,
                                                      size_t shared_bytes, unsigned int flags)
{
  CUresult result;

  LEAT_CPU_ENTER ();
  result = leat_cpu_occupancy_check (function, flags);
  if (result != CUDA_SUCCESS)
    return result;
  if (n_blocks == NULL || block_size <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  *n_blocks = (int) leat_cpu_occupancy_get_blocks ((LeatCpuFunction *) function, (guint) block_size, shared_bytes);
  return CUDA_SUCCESS;
}

CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor (int *n_blocks, CUfunction function, int block_size, size_t shared_bytes)
{
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags (n_blocks, function, block_size, shared_bytes,
                                                               CU_OCCUPANCY_DEFAULT);
}

/* The block size, a multiple of the warp, with the most resident threads; of equals the largest. */
static guint
leat_cpu_occupancy_find_block_size (LeatCpuFunction *function, CUoccupancyB2DSize shared_of_block, gsize shared_bytes,
                                    guint limit, guint *n_blocks)
{
  guint best = 0, best_threads = 0;

  for (guint size = limit / 32 * 32; size >= 32; size -= 32)
    {
      gsize shared = shared_of_block != NULL ? shared_of_block ((int) size) : shared_bytes;
      guint n = leat_cpu_occupancy_get_blocks (function, size, shared);
      if (n * size > best_threads)
        {
          best = size;
          best_threads = n * size;
          *n_blocks = n;
        }
    }
  return best;
}

CUresult
cuOccupancyMaxPotentialBlockSizeWithFlags (int *min_grid, int *block_size, CUfunction function,
                                           CUoccupancyB2DSize shared_of_block, size_t shared_bytes, int block_limit,
                                           unsigned int flags)
{
  const LeatCpuProfile *profile = leat_cpu_profile_get ();
  guint limit, best, n_blocks = 0; /* a kernel's own bounds count here alone, as on a GPU */
  CUresult result;

  LEAT_CPU_ENTER ();
  result = leat_cpu_occupancy_check (function, flags);
  if (result != CUDA_SUCCESS)
    return result;
  if (min_grid == NULL || block_size == NULL || block_limit < 0)
    return CUDA_ERROR_INVALID_VALUE;
  limit = leat_cpu_function_get_max_threads ((LeatCpuFunction *) function);
  if (block_limit > 0)
    limit = MIN (limit, MAX (32, (guint) block_limit));
  best =
    leat_cpu_occupancy_find_block_size ((LeatCpuFunction *) function, shared_of_block, shared_bytes, limit, &n_blocks);
  if (best == 0)
    return CUDA_ERROR_INVALID_VALUE;
  *block_size = (int) best;
  *min_grid = (int) (n_blocks * profile->multiprocessors);
  return CUDA_SUCCESS;
}

CUresult
cuOccupancyMaxPotentialBlockSize (int *min_grid, int *block_size, CUfunction function,
                                  CUoccupancyB2DSize shared_of_block, size_t shared_bytes, int block_limit)
{
  return cuOccupancyMaxPotentialBlockSizeWithFlags (min_grid, block_size, function, shared_of_block, shared_bytes,
                                                    block_limit, CU_OCCUPANCY_DEFAULT);
}

CUresult
cuOccupancyAvailableDynamicSMemPerBlock (size_t *shared_bytes, CUfunction function, int n_blocks, int block_size)
{
  const LeatCpuProfile *profile = leat_cpu_profile_get ();
  LeatCpuFunction *self = (LeatCpuFunction *) function;
  gsize each;

  LEAT_CPU_ENTER ();
  if (function == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (shared_bytes == NULL || n_blocks <= 0 || block_size <= 0
      || (guint) n_blocks > leat_cpu_occupancy_get_blocks (self, (guint) block_size, 0))
    return CUDA_ERROR_INVALID_VALUE;
  each = MIN (profile->shared_per_multiprocessor / (guint) n_blocks, profile->shared_per_block_optin);
  *shared_bytes = each > self->kernel->static_shared ? each - self->kernel->static_shared : 0;
  return CUDA_SUCCESS;
}
