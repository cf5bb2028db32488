/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

G_BEGIN_DECLS

/* The counts and measurements of a session, and those of them that any thread may read. */

/* The totals of loops (leat-session-loops.c): after a run.  REPORTED where one ran away. */
GArray *leat_session_loops_new (void);
gboolean leat_session_check_loops (LeatSession *self, LeatSessionFlight *flight, GError **error);
void leat_session_tell_stats (LeatSession *self);
/* The same after a run of which nothing else has changed. */
void leat_session_tell_run (LeatSession *self);
/* From when it is open until before anything of it goes, others may look at it. */
void leat_session_enter_monitor (LeatSession *self);
void leat_session_leave_monitor (LeatSession *self);
/* The list of those that are. */
void leat_sessions_add (LeatSession *session);
void leat_sessions_remove (LeatSession *session);
/* The lengths of its app queues; NULL where it is not open.  Any thread.  (transfer full) */
GVariant *leat_sessions_dup_queues (LeatSession *session);
/* With the lock of the sessions held. */
GVariant *leat_session_describe_queues (LeatSession *self);
/* Between the two, in any thread; floating. */
GVariant *leat_session_describe_monitored (LeatSession *self);
void leat_session_tell_reason (LeatSession *self, const char *reason);
/* (transfer full) */
char *leat_session_dup_reason (LeatSession *self);
const char *leat_session_get_why_not_on_device (LeatSession *self);
void leat_session_get_stats (LeatSession *self, LeatSessionStats *stats);
/* One number of leat_session_dup_stats (), for benchmarks: between runs that are timed, making the dictionary would
 * push other data out of the processor's caches. */
guint64 leat_session_get_number (LeatSession *self, const char *name);
const LeatCounter *leat_counters_get (guint *n);
guint64 leat_counter_get (const LeatCounter *self, const LeatSessionStats *stats);
gboolean leat_counter_is_time (const LeatCounter *self);
void leat_session_begin_lane_counts (LeatLane *lane);
void leat_session_settle_counts (LeatSession *self);
/* Of the plan as it is bound now: what kernels move across the link is not known from their nodes. */
void leat_session_list_kernel_transfers (LeatSession *self);
/* After a run, or @n that bring the same: the live bytes of these. */
void leat_session_note_kernel_transfers (LeatSession *self, LeatLane *lane, LeatPath path, guint64 n);
guint64 leat_session_get_written_bytes (LeatSession *self);
/* Would what is planned take more than the session may? */
gboolean leat_session_check_budget (LeatSession *self, GError **error);
/* Of the device's memory, for the first lane: what must be free so that it can be opened, or come back. */
guint64 leat_session_get_needed_bytes (LeatSession *self);
/* Of @most lanes; 0: not even one. */
guint leat_session_fit_lanes (LeatSession *self, guint most);
gboolean leat_session_open_trace (LeatSession *self, GCancellable *cancellable, GError **error);
void leat_session_close_trace (LeatSession *self);
/* Is the run that is to come written to the trace? */
gboolean leat_session_is_traced (LeatSession *self);
void leat_session_trace_run (LeatSession *self, LeatSessionFlight *flight);
/* For timing=nodes: what is to be known about each op, and the graph with the clocks. */
gboolean leat_session_open_timing (LeatSession *self, GError **error);
GArray *leat_session_times_new (void);
void leat_session_clear_times (LeatSession *self);
gboolean leat_session_is_next_measured (LeatSession *self);
/* How long one took that was not. */
void leat_session_note_unmeasured (LeatSession *self, gint64 us);
/* Launches a measured run, and looks at the clocks when it has ended. */
gboolean leat_session_launch_measured (LeatSession *self, LeatSessionFlight *flight, GError **error);
gboolean leat_session_read_measured (LeatSession *self, LeatSessionFlight *flight, GError **error);
/* From the launch of a run with loops to its end (@lane; NULL: of all) others may call them off. */
void leat_session_watch_loops (LeatSession *self, LeatSessionFlight *flight);
void leat_session_forget_loops (LeatSession *self, LeatLane *lane);
void leat_session_call_off_loops (LeatSession *self);

G_END_DECLS
