/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Occupancy follows the profile's limits on blocks, threads and shared memory; there are no registers to run out of.
 * More dynamic shared memory than the function may have counts as too much, as on a GPU. */

#include "leat-cpu-function.h"
#include "leat-cpu-profile.h"

guint
leat_cpu_occupancy_get_blocks (LeatCpuFunction *function, guint threads_per_block, gsize dynamic_shared)
{
  const LeatCpuProfile *profile = leat_cpu_profile_get ();
  gsize shared = function->kernel->static_shared + dynamic_shared;
  guint warps = (threads_per_block + 31) / 32;
  gsize n = profile->blocks_per_multiprocessor;

  if (threads_per_block == 0 || threads_per_block > profile->max_threads_per_block
      || shared > profile->shared_per_block_optin
      || dynamic_shared > leat_cpu_function_get_max_dynamic_shared (function))
    return 0;
  n = MIN (n, profile->threads_per_multiprocessor / 32 / warps);
  if (shared > 0)
    n = MIN (n, profile->shared_per_multiprocessor / shared);
  return (guint) n;
}
