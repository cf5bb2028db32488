/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "driver/leat-cuda.h"

G_BEGIN_DECLS

/* Faults planted by LEAT_CPU_FAULT, a comma-separated list of PLACE:N[=WHAT]: the N-th time that PLACE is reached, it
 * fails with WHAT, the name of a CUresult without CUDA_ERROR_.  PLACE:N+ fails from the N-th time on.  The place
 * "device-lost" counts units of work and takes no WHAT; "init=WHAT" needs no N.  "call" counts driver calls of any
 * kind: see leat-cpu-gate.c. */
typedef enum
{
  LEAT_CPU_FAULT_INIT,
  LEAT_CPU_FAULT_ALLOC,
  LEAT_CPU_FAULT_HOST_ALLOC,
  LEAT_CPU_FAULT_LAUNCH,
  LEAT_CPU_FAULT_COPY,
  LEAT_CPU_FAULT_SET,
  LEAT_CPU_FAULT_HOST_FUNCTION,
  LEAT_CPU_FAULT_INSTANTIATE,
  LEAT_CPU_FAULT_MODULE,
  LEAT_CPU_FAULT_STREAM,
  LEAT_CPU_FAULT_EVENT,
  LEAT_CPU_FAULT_DEVICE_LOST,
  LEAT_CPU_FAULT_CALL,
  LEAT_CPU_FAULT_N_PLACES
} LeatCpuFaultPlace;

/* Not a CUresult: the work never ends. */
#define LEAT_CPU_FAULT_HANG ((CUresult) -1)

/* Whether the environment has been read, and plants anything; atomic. */
typedef enum
{
  LEAT_CPU_FAULTS_UNREAD,
  LEAT_CPU_FAULTS_NONE,
  LEAT_CPU_FAULTS_PLANTED
} LeatCpuFaults;

extern gint leat_cpu_faults_state;

CUresult leat_cpu_fault_visit_planted (LeatCpuFaultPlace place);
CUresult leat_cpu_fault_visit_work_planted (LeatCpuFaultPlace place);

static inline gboolean
leat_cpu_fault_is_none (void)
{
  return G_LIKELY (__atomic_load_n (&leat_cpu_faults_state, __ATOMIC_ACQUIRE) == LEAT_CPU_FAULTS_NONE);
}

/* Counts one visit; what to fail with, or CUDA_SUCCESS. */
static inline CUresult
leat_cpu_fault_visit (LeatCpuFaultPlace place)
{
  return leat_cpu_fault_is_none () ? CUDA_SUCCESS : leat_cpu_fault_visit_planted (place);
}

/* A unit of work is about to run: also counts towards device-lost, waits for ever (until the context is reset) where a
 * hang is planted, and makes what it returns sticky. */
static inline CUresult
leat_cpu_fault_visit_work (LeatCpuFaultPlace place)
{
  return leat_cpu_fault_is_none () ? CUDA_SUCCESS : leat_cpu_fault_visit_work_planted (place);
}

/* Are calls to be counted?  So it is where the environment has LEAT_CPU_FAULT, be it empty. */
gboolean leat_cpu_fault_watches_calls (void);
/* As visit for the place "call", of one named @name. */
CUresult leat_cpu_fault_visit_call (const char *name);

/* For tests, exported: leat-cpu-counters.h says what they do. */
int leat_cpu_plant_faults (const char *text);
uint64_t leat_cpu_count_calls (void);
const char *leat_cpu_get_failed_call (void);

/* With TRUE, hanging work goes on as failed, and what would hang from now on fails too. */
void leat_cpu_fault_set_hangs_end (gboolean end);

G_END_DECLS
