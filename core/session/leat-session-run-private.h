/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

G_BEGIN_DECLS

/* One run of a session: its data come, it is launched, its results go. */

gboolean leat_session_start_endpoints (LeatSession *self, GError **error);
gboolean leat_session_finish_endpoints (LeatSession *self, GError **error);
void leat_session_stop_endpoints (LeatSession *self);
void leat_session_unblock_endpoints (LeatSession *self);
/* FALSE when another thread has it. */
gboolean leat_session_take (LeatSession *self, GError **error);
/* As take, for who leaves all as it is that a settled session relies on. */
gboolean leat_session_take_lightly (LeatSession *self, GError **error);
/* Open, and no earlier run has failed?  For who has it. */
gboolean leat_session_check_may_run (LeatSession *self, GError **error);
void leat_session_let_go (LeatSession *self);
/* For who has it. */
void leat_session_give (LeatSession *self, LeatSessionUse use);
/* As take, for runs: open, and in the state that the executor needs. */
gboolean leat_session_begin (LeatSession *self, GError **error);
/* @after: who has the session from now on, FREE or LAUNCHED */
void leat_session_end (LeatSession *self, LeatSessionUse after);
gboolean leat_session_may_go_on (LeatSession *self, GCancellable *cancellable, GError **error);
/* Notes from the outcome of a run whether the stream has ended, or the session has failed. */
LeatFlow leat_session_settle (LeatSession *self, LeatFlow flow, GError **error);
/* The run that is launched is given up; for a thread that closes. */
void leat_session_drop_flight (LeatSession *self);
/* Has the session again for the end of a run that is launched; FALSE when none is. */
gboolean leat_session_take_flight (LeatSession *self);
/* One run in two halves with the session taken, in between the device works: watched where @tell. */
LeatFlow leat_session_launch_taken (LeatSession *self, gboolean tell, GCancellable *cancellable, GError **error);
LeatFlow leat_session_complete_taken (LeatSession *self, GCancellable *cancellable, GError **error);
gboolean leat_session_have_waiter (LeatSession *self, GError **error);
/* As take, after the run that is under way, if any, has been called off. */
void leat_session_take_over (LeatSession *self);
void leat_session_let_go_over (LeatSession *self);
/* After all sources have given something to a run. */
void leat_flight_check_aligned (const LeatFlight *flight, LeatBus *bus, const guint64 *runs);
/* Sets @error, and returns FALSE. */
gboolean leat_session_fail_overflow (LeatSession *self, const LeatOp *op, const LeatView *view, GError **error);
/* When lanes are others, or more. */
void leat_session_make_flights (LeatSession *self);
/* As take_open, for who leaves all as it is that a settled session relies on. */
gboolean leat_session_take_open_lightly (LeatSession *self, GError **error);
/* Has the session to itself, and open, until leat_session_let_go (). */
gboolean leat_session_take_open (LeatSession *self, GError **error);
/* @entries: structures that begin with their op. @kind: "source" or "sink", for the message */
gpointer leat_session_find_app (LeatSession *self, GArray *entries, const char *name, const char *kind, GError **error);
gboolean leat_session_check_count (const char *name, LeatSpec *spec, guint64 count, GError **error);
/* Has every port whose memory the program brings got some? */
gboolean leat_flight_check_bindings (LeatFlight *flight, GError **error);
/* One run of a lane: fill and launch, then wait and drain. */
LeatFlow leat_session_begin_run (LeatSession *self, LeatFlight *flight, gboolean wait, GCancellable *cancellable,
                                 GError **error);
LeatFlow leat_session_end_run (LeatSession *self, LeatFlight *flight, GCancellable *cancellable, GError **error);
/* Asks every source for a run's data, and gives its results to every sink.  EMPTY when one has nothing, or when all
 * have given and properties that were set meanwhile are to be taken over before the run. */
LeatFlow leat_session_fill_all (LeatSession *self, LeatFlight *flight, gboolean wait, GCancellable *cancellable,
                                GError **error);
/* Is there any source that is asked for its data? */
gboolean leat_session_asks (LeatSession *self);
/* A run that was read is not begun: its data are there for the next call. */
void leat_session_keep_read (LeatSession *self, const LeatFlight *flight);
/* Has every sink that does not wait for it room for the results of a run, and of @ahead before it? */
gboolean leat_session_has_room (LeatSession *self, guint64 ahead);
/* For one; FALSE, and which is full. */
gboolean leat_session_check_sinks (LeatSession *self, GError **error);
/* Before it is wanted, where the source can: then it is completed, in the order in which it was begun. */
gboolean leat_session_begin_fill (LeatSession *self, LeatFlight *flight);
LeatFlow leat_session_complete_fill (LeatSession *self, LeatFlight *flight, GError **error);
gboolean leat_session_drain_all (LeatSession *self, LeatFlight *flight, GCancellable *cancellable, GError **error);
/* The same in steps, for who has several under way: the first and the last come each from a thread of its own. */
LeatFlow leat_session_read_run (LeatSession *self, LeatFlight *flight, gboolean wait, GCancellable *cancellable,
                                GError **error);
/* Of a streamed run: begins to read, and waits until it has been read.  FALSE: it is for leat_session_read_run (). */
gboolean leat_session_begin_read (LeatSession *self, LeatFlight *flight);
LeatFlow leat_session_complete_read (LeatSession *self, LeatFlight *flight, GError **error);
/* All that has been read of a run that is traced is there now. */
void leat_run_mark_filled (LeatRun *run);
gboolean leat_session_start_run (LeatSession *self, LeatFlight *flight, GError **error);
gboolean leat_session_await_run (LeatSession *self, LeatFlight *flight, GError **error);
gboolean leat_session_give_run (LeatSession *self, LeatFlight *flight, GCancellable *cancellable, GError **error);
/* One run of a settled session, whose context is current where it is to be. */
LeatFlow leat_session_run_settled (LeatSession *self, GError **error);
/* Must all that was launched before it have ended before this one is? */
gboolean leat_session_needs_quiet (LeatSession *self, const LeatFlight *flight);
/* One run, or what has come of it without one. @stream: see leat_session_take_props () */
LeatFlow leat_session_advance (LeatSession *self, gboolean wait, gboolean stream, GCancellable *cancellable,
                               GError **error);
void leat_session_unblock (LeatSession *self, gboolean sources, gboolean sinks);
/* Calls off who waits in a source or a sink when it is cancelled, until it is disconnected; 0 without one. */
gulong leat_session_watch (LeatSession *self, GCancellable *cancellable);
/* A thread's times and waits when it went into a source or sink. */
typedef struct
{
  gint64 begin_us, busy_us;
  glong n_waits;
} LeatWatch;

void leat_session_begin_watch (LeatSession *self, LeatWatch *watch);
void leat_session_end_watch (LeatSession *self, const LeatWatch *watch);

G_END_DECLS
