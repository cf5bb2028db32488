/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-counters.h"

extern LeatCpuCounters leat_cpu_counters;

#define leat_cpu_count(field)         leat_cpu_count_many (field, 1)
#define leat_cpu_count_many(field, n) __atomic_fetch_add (&leat_cpu_counters.field, (uint64_t) (n), __ATOMIC_RELAXED)

void leat_cpu_get_counters (LeatCpuCounters *counters);
