/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "lane/leat-lane-private.h"

G_BEGIN_DECLS

typedef struct
{
  /* Values that any run may change come first, up to `runs_measured`: after a short run only those are told. */
  guint64 runs, runs_of[LEAT_N_PATHS], memo_hits, memo_lookups;
  guint64 runs_timed;            /* by the host's clock, in device_us */
  guint64 runs_refused;          /* because a kernel reported an error */
  guint64 reports, reports_lost; /* of kernels; and of them, those of which no record was kept */
  guint64 memo_entries, memo_bytes;
  guint64 changes; /* nodes whose arguments were set between runs */
  guint64 dropped; /* by sources and sinks with `leaky` */
  guint64 items_in, bytes_in, bytes_out;
  gint64 source_us, device_us, sink_us; /* sums over the runs */
  gint64 device_min_us, device_max_us;
  LeatGraphCounts graphs;
  LeatPersistentCounts persistent;
  guint64 runs_measured; /* by the device's clock */
  guint64 runs_silent;
  guint64 batch_launches, batch_entries; /* of batches whose lanes are done together */
  guint64 entry_errors;
  guint64 bindings;   /* memory of the program's that was bound to a port */
  guint64 replans;    /* plans that were made since the opening */
  guint64 grown;      /* because an output had too little room; not one of these */
  guint64 shape_hits; /* and of them, those for which there was a setup of another shape */
  guint64 shapes;     /* setups that are kept beside the one that runs */
  guint64 shape_bytes;
  guint64 shared_bytes; /* of constants that were on the device before */
  guint64 early_starts;
  guint64 lanes, in_flight_most; /* runs, at the same time */
  guint64 evictions, restores;
  guint64 evicted_bytes;       /* that the host keeps while the session is off the device */
  gint64 evict_us, restore_us; /* sums */
  gint64 reader_busy_us, reader_idle_us, lanes_busy_us, lanes_idle_us, writer_busy_us, writer_idle_us;
  LeatMemoryTally memory;
  guint64 once_bytes;           /* written to the device for all runs */
  guint64 graph_bytes;          /* of the device's memory, taken by instantiating */
  guint64 graph_reserved_bytes; /* by the driver, for nodes that allocate */
  gint64 opened_us, first_us;   /* time that open took; from open to the first result */
  gint64 plan_us, attach_us, bind_us, load_us, build_us, start_us; /* parts of opened_us, one after the other */
  gint64 negotiate_us, contents_us, instantiate_us;                /* of plan_us, load_us and build_us */
  gint64 replan_us; /* sum over the replans, those that failed included */
} LeatSessionStats;

typedef enum
{
  LEAT_COUNTER_SUM,   /* only grows */
  LEAT_COUNTER_LEVEL, /* may go down */
  LEAT_COUNTER_TIME,  /* microseconds that something took */
  LEAT_COUNTER_SPENT, /* a sum of these */
} LeatCounterKind;

/* One of LeatSessionStats's numbers, all of which are 64 bits wide. */
typedef struct
{
  const char *name, *help;
  LeatCounterKind kind;
  glong offset;
} LeatCounter;

/* The measurements of one op. */
typedef struct
{
  char *node, *op;
  const char *clock; /* whose: "kernel" or "event" */
  guint index;
  guint64 bytes;
  gint64 sum_ns, least_ns, most_ns;
  gint64 begin_ns, end_ns; /* in the last one, from when the stream came to the run */
} LeatNodeTimes;

/* And about the run as a whole. */
typedef struct
{
  guint64 samples;
  gint64 launch_ns, wait_ns, work_ns; /* sums */
  GArray *nodes;                      /* LeatNodeTimes */
} LeatSessionTimes;

G_END_DECLS
