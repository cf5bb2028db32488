/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* The CPU driver's work since the process began, counted where it is done and not where it is asked for.  Exported as
 * `leat_cpu_get_counters`; look it up with dlsym in the loaded driver. */

#define LEAT_CPU_COUNTERS_SYMBOL "leat_cpu_get_counters"

typedef struct
{
  uint64_t size; /* bytes that the driver filled in; set it to sizeof (LeatCpuCounters) before the call */
  /* Calls that reached the device's queues. */
  uint64_t kernel_launches; /* cuLaunchKernel and its relatives, capture not counted */
  uint64_t graph_launches;
  uint64_t copy_calls;
  uint64_t set_calls;
  uint64_t host_function_calls;
  uint64_t event_records;
  uint64_t stream_waits;
  /* Work that ran, from streams and from graphs alike. */
  uint64_t kernels_run;
  uint64_t graph_kernels_run; /* of these, as nodes of a graph */
  uint64_t graph_nodes_run;   /* of any kind */
  uint64_t graphs_run;
  uint64_t copies_to_device;
  uint64_t copies_to_host;
  uint64_t copies_on_device;
  uint64_t copies_on_host;
  uint64_t bytes_to_device;
  uint64_t bytes_to_host;
  uint64_t bytes_on_device;
  uint64_t bytes_on_host;
  uint64_t sets_run;
  uint64_t bytes_set;
  uint64_t host_functions_run;
  /* Memory. */
  uint64_t device_allocations;
  uint64_t device_frees;
  uint64_t host_allocations; /* pinned or registered */
  uint64_t host_frees;
  uint64_t device_bytes; /* now */
  uint64_t device_bytes_peak;
  /* Objects. */
  uint64_t streams_created;
  uint64_t events_created;
  uint64_t graphs_created;
  uint64_t instantiates;
  uint64_t exec_updates;      /* whole executables */
  uint64_t exec_node_updates; /* single nodes */
  uint64_t modules_loaded;
  /* The host waiting for the device: calls that may block, whether they had to or not. */
  uint64_t host_waits;
  uint64_t queries;
  /* The other end of objects; those that the context still had when it ended are counted here too. */
  uint64_t streams_destroyed;
  uint64_t events_destroyed;
  uint64_t graphs_destroyed;
  uint64_t execs_destroyed;
  uint64_t modules_unloaded;
  uint64_t left_to_context; /* streams, events and allocations that ended with their context */
  /* Graphs inside conditional nodes that ran: branches taken, and each turn of a loop. */
  uint64_t bodies_run;
} LeatCpuCounters;

typedef void (*LeatCpuGetCounters) (LeatCpuCounters *counters);

/* Faults planted while the application runs; `LEAT_CPU_FAULT` must be in the environment, if only empty, when the
 * application asks for the driver's functions.  plant: replaces what was planted and counts from 0 again; 0 where the
 * text is not understood; for when no call is under way and no work runs.  count: driver calls since then.  failed: the
 * last that was made to fail, or NULL. */
#define LEAT_CPU_PLANT_SYMBOL  "leat_cpu_plant_faults"
#define LEAT_CPU_CALLS_SYMBOL  "leat_cpu_count_calls"
#define LEAT_CPU_FAILED_SYMBOL "leat_cpu_get_failed_call"

typedef int (*LeatCpuPlantFaults) (const char *text);
typedef uint64_t (*LeatCpuCountCalls) (void);
typedef const char *(*LeatCpuGetFailedCall) (void);
