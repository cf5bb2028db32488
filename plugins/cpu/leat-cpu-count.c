/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The counters of the whole driver, and the call with which tests read them. */

#include "leat-cpu-count.h"
#include "leat-cpu-exports.h"

#include <stddef.h>

LeatCpuCounters leat_cpu_counters;

/* Copies as many fields as both sides know.  Kernels of graphs are counted once, and added here. */
LEAT_CPU_EXPORT void
leat_cpu_get_counters (LeatCpuCounters *counters)
{
  uint64_t size = counters->size < sizeof (LeatCpuCounters) ? counters->size : sizeof (LeatCpuCounters);
  const uint64_t *from = (const uint64_t *) &leat_cpu_counters;
  uint64_t *to = (uint64_t *) counters;

  for (uint64_t i = 1; i < size / sizeof (uint64_t); i++)
    to[i] = __atomic_load_n (&from[i], __ATOMIC_RELAXED);
  if (size > offsetof (LeatCpuCounters, kernels_run))
    counters->kernels_run += __atomic_load_n (&leat_cpu_counters.graph_kernels_run, __ATOMIC_RELAXED);
  counters->size = size;
}
