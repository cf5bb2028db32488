/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "lane/leat-run-private.h"
#include "leat-session-stats-private.h"
#include "leat-trace-private.h"

G_BEGIN_DECLS

/* Counts, by the owner of the session. */
typedef struct
{
  LeatSessionStats stats;
  gboolean levels_changed; /* graphs, or what is kept of them, since the stats were told */
  guint lanes_most;        /* that there have been since it was opened */
  guint64 n_settled;       /* runs of the settled session, since it was made */
  gint64 open_since_us;
  GArray *kernel_transfers; /* guint: ops that are kernels which move data between host and device */
  gint64 counted_seen_from; /* LeatGraphCounts.unseen_waits when start_counting () was called */
  LeatGraphCounts graph_counts;
  LeatPrediction predicted; /* by the plans of all launches since the session was opened, summed up */
} LeatLedger;

/* Which runs have clocks. */
typedef struct
{
  gboolean is_on;                    /* runs may be: as timing_mode was when it was opened */
  guint n;                           /* runs that were */
  guint64 next;                      /* the run that is to be, once the first ones were */
  gint64 measured_us, unmeasured_us; /* the least that a run took that was, and one that was not */
} LeatMeasuring;

/* The trace that runs are written to. */
typedef struct
{
  LeatTrace *trace; /* NULL where none is written */
  guint n;          /* runs that were */
  GArray *widths;   /* guint, by lane: tracks of the device so far */
} LeatTracing;

G_END_DECLS
