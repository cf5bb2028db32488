/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-ledger-private.h"
#include "leat-monitored-private.h"

G_BEGIN_DECLS

/* Room that an output was given since the session is open, because a run needed it. */
typedef struct
{
  char *output;
  guint64 needed, from, to;
} LeatGrowth;

/* Told by a session: its counts, times and reports.  The first three are for its owner only; any thread may look at
 * what follows, under the lock or atomically. */
typedef struct _LeatTold LeatTold;
struct _LeatTold
{
  LeatLedger ledger;
  LeatMeasuring measuring;
  LeatTracing tracing;
  LeatBus *bus; /* of the pipeline, not owned; from the first opening on */

  GMutex lock;
  LeatSessionStats stats; /* as they were told last */
  char *name;
  char *device;           /* the id of the last device; NULL before the first */
  char *reason;           /* why an executable was built for the last plan that needed one; or NULL */
  LeatSessionTimes times; /* under the lock while the session is open */
  GPtrArray *growths;     /* LeatGrowth, likewise */
  GPtrArray *looping;     /* LeatLane: loops are under way in them */
  GPtrArray *reported;    /* LeatReportTold: by kernels in the last run in which any did */
  GVariant *queues;       /* of kernels, as somebody had them last; NULL before */
  GVariant *refusal;      /* what the run that was refused last failed with; or NULL */
  GArray *report_totals;  /* by node and code */
  GArray *loop_totals;    /* by loop of the plan */
  LeatMonitored monitored;
  guint64 id; /* no other session of the process has it */

  /* from open to close, for the monitor: */
  GPtrArray *apps;                                /* LeatApp */
  LeatDevice *seen_on;                            /* not owned; the device of the session */
  gconstpointer owner;                            /* the session, */
  const char *(*get_state) (gconstpointer owner); /* and what it is doing, in a word */
};

void leat_told_init (LeatTold *self);
void leat_told_clear (LeatTold *self);
/* When a session opens.  @measures: runs have clocks */
void leat_told_begin (LeatTold *self, LeatBus *bus, gboolean measures);
void leat_told_set_device (LeatTold *self, LeatDevice *device);
/* From now on others see the numbers that the ledger has now. */
void leat_told_set_stats (LeatTold *self);
/* The same after a run of which nothing else has changed. */
void leat_told_set_run_stats (LeatTold *self);
void leat_told_get_stats (LeatTold *self, LeatSessionStats *stats);
/* All numbers, and what goes with them. */
void leat_told_fill_stats (LeatTold *self, GVariantDict *dict);
/* One number of them. */
guint64 leat_told_get_number (LeatTold *self, const char *name);
void leat_told_set_reason (LeatTold *self, const char *reason);
/* (transfer full) */
char *leat_told_dup_reason (LeatTold *self);
const char *leat_told_get_why_not_on_device (LeatTold *self);
/* @growth: its name is taken */
void leat_told_add_growth (LeatTold *self, const LeatGrowth *growth);
const LeatCounter *leat_counters_get (guint *n);
guint64 leat_counter_get (const LeatCounter *self, const LeatSessionStats *stats);
gboolean leat_counter_is_time (const LeatCounter *self);
/* In the text format of Prometheus. (transfer full) */
char *leat_told_to_prometheus (LeatTold *self, const char *pipeline);

/* From when a session is open until before anything of it goes, others may look at it (leat-told-monitor.c).
 * @endpoints: LeatNode */
void leat_told_enter_monitor (LeatTold *self, GPtrArray *endpoints, LeatDevice *device);
void leat_told_leave_monitor (LeatTold *self);
/* The list of those that are (leat-told-list.c). */
void leat_told_list_add (LeatTold *told);
void leat_told_list_remove (LeatTold *told);
/* The lengths of its app queues; NULL where it is not open.  Any thread.  (transfer full) */
GVariant *leat_told_list_dup_queues (LeatTold *told);
/* With the lock of the list held. */
GVariant *leat_told_describe_queues (LeatTold *self);
/* Between the two, in any thread; floating. */
GVariant *leat_told_describe_monitored (LeatTold *self);

/* Loops (leat-loop-totals.c): from the launch of a run with loops to its end others may call them off.  @lane: NULL for
 * all */
GArray *leat_loop_totals_new (void);
void leat_told_watch_loops (LeatTold *self, LeatFlight *flight, gboolean called_off);
void leat_told_forget_loops (LeatTold *self, LeatLane *lane);
void leat_told_call_off_loops (LeatTold *self);
/* After a run.  REPORTED where one ran away. */
gboolean leat_told_check_loops (LeatTold *self, LeatFlight *flight, GError **error);
/* (transfer full) */
GVariant *leat_told_dup_loops (LeatTold *self);

/* The work of a lane's graphs since then (leat-work-counts.c). */
void leat_lane_begin_work_counts (LeatLane *lane);
gboolean leat_lane_count_work (LeatLane *lane, LeatGraphCount *sum, GError **error);
/* Other lanes take the place of these. */
void leat_ledger_settle_counts (LeatLedger *self, GPtrArray *lanes);
/* Of the plan as it is bound now: what kernels move across the link is not known from their nodes. */
void leat_ledger_list_kernel_transfers (LeatLedger *self, LeatPlan *plan);
/* After a run, or @n that bring the same: the live bytes of these. */
void leat_ledger_note_kernel_transfers (LeatLedger *self, LeatPlan *plan, LeatLane *lane, LeatPath path, guint64 n);

/* The trace (leat-run-trace.c). @path: NULL for none */
gboolean leat_told_open_trace (LeatTold *self, const char *path, LeatDevice *device, GCancellable *cancellable,
                               GError **error);
void leat_told_close_trace (LeatTold *self);
/* Is the run that is to come written to the trace? */
gboolean leat_told_is_traced (LeatTold *self);
void leat_told_trace_run (LeatTold *self, LeatFlight *flight);

/* For timing=nodes (leat-measured-runs.c). */
GArray *leat_node_times_new (void);
void leat_told_clear_times (LeatTold *self);
gboolean leat_told_is_next_measured (LeatTold *self);
/* How long one took that was not. */
void leat_told_note_unmeasured (LeatTold *self, gint64 us);
/* Launches a measured run, and looks at the clocks when it has ended. */
gboolean leat_told_launch_measured (LeatTold *self, LeatFlight *flight, GError **error);
gboolean leat_told_read_measured (LeatTold *self, LeatFlight *flight, GError **error);
/* (transfer full) */
GVariant *leat_told_dup_times (LeatTold *self);
/* The measured time of each op of @plan, as lines for its drawing. (transfer full) */
GStrv leat_told_dup_notes (LeatTold *self, LeatPlan *plan);

G_END_DECLS
