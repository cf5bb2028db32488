/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs one after the other: by hand, until the end, or in a thread. */

#include "leat-session-stream-private.h"
#include "leat-session-reports-private.h"
#include "bind/leat-bind-private.h"
#include "leat-session-run-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-told-private.h"

gboolean
leat_session_take_lightly (LeatSession *self, GError **error)
{
  if (g_atomic_int_compare_and_exchange (&self->hold.use, LEAT_SESSION_FREE, LEAT_SESSION_CHANGING))
    return TRUE;
  switch (g_atomic_int_get (&self->hold.use))
    {
    case LEAT_SESSION_LAUNCHED:
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY,
                   "a run of the session is launched and under way: leat_session_complete () gives its results");
      break;
    case LEAT_SESSION_RUNNING:
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY,
                   "the session is running in another thread; wait until it is done, or close it");
      break;
    default:
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY,
                   "the session is being opened or closed by another thread");
    }
  return FALSE;
}

gboolean
leat_session_take (LeatSession *self, GError **error)
{
  if (!leat_session_take_lightly (self, error))
    return FALSE;
  self->hold.quick = FALSE;
  return TRUE;
}

/* Nothing that comes after need wait until others have seen it, as it would with g_atomic_int_set (). */
void
leat_session_give (LeatSession *self, LeatSessionUse use)
{
  __atomic_store_n (&self->hold.use, (gint) use, __ATOMIC_RELEASE);
}

void
leat_session_let_go (LeatSession *self)
{
  leat_session_give (self, LEAT_SESSION_FREE);
}

/* The run that another thread has under way ends as if it had been cancelled.  While it is under way, only who has
 * closing can make the session anything but open, so its endpoints stay. */
void
leat_session_take_over (LeatSession *self)
{
  while (!g_atomic_int_compare_and_exchange (&self->hold.closing, FALSE, TRUE))
    g_usleep (500);
  while (!leat_session_take (self, NULL))
    {
      if (g_atomic_int_compare_and_exchange (&self->hold.use, LEAT_SESSION_LAUNCHED, LEAT_SESSION_CHANGING))
        {
          leat_session_drop_flight (self);
          break;
        }
      if (g_atomic_int_get (&self->hold.use) == LEAT_SESSION_RUNNING)
        leat_session_unblock_endpoints (self);
      leat_session_call_off_steps (self);
      leat_session_call_off_loops (self);
      g_usleep (500);
    }
}

void
leat_session_let_go_over (LeatSession *self)
{
  g_atomic_int_set (&self->hold.closing, FALSE);
  leat_session_let_go (self);
}

gboolean
leat_session_check_may_run (LeatSession *self, GError **error)
{
  if (!self->hold.is_open)
    g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE, "the session is not open");
  else if (!leat_device_check (self->device, error))
    return FALSE;
  else if (self->hold.failed)
    g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED,
                 "an earlier run of this session failed; close it and open it again");
  return self->hold.is_open && !self->hold.failed;
}

/* A graph launch takes its context from the stream; launching ops one by one needs it current, better once for all runs
 * than in each.  A result that is remembered needs none, nor
 * does a kernel that is there already; what else such a session launches sees to it by itself. */
gboolean
leat_session_wants_push (LeatSession *self)
{
  return self->recall.memo == NULL && !LEAT_BOUND_PLAN (self->plan)->traits.persistent
         && leat_plan_count_graphs (self->plan) < LEAT_BOUND_PLAN (self->plan)->pieces->len;
}

static gboolean
leat_session_push (LeatSession *self, GError **error)
{
  self->hold.is_pushed = leat_session_wants_push (self);
  return !self->hold.is_pushed || leat_device_push (self->device, error);
}

/* @self: taken, and FREE after an error */
static gboolean
leat_session_begin_taken (LeatSession *self, GError **error)
{
  self->hold.quick = FALSE;
  if (leat_session_check_may_run (self, error) && leat_session_bring_back (self, NULL, error)
      && leat_session_enter_scratch (self, error))
    {
      if (leat_session_push (self, error))
        {
          leat_session_give (self, LEAT_SESSION_RUNNING);
          return TRUE;
        }
      leat_session_leave_scratch (self);
    }
  leat_session_let_go (self);
  return FALSE;
}

gboolean
leat_session_begin (LeatSession *self, GError **error)
{
  return leat_session_take (self, error) && leat_session_begin_taken (self, error);
}

void
leat_session_end (LeatSession *self, LeatSessionUse after)
{
  if (self->hold.is_pushed)
    leat_device_pop (self->device);
  if (after == LEAT_SESSION_FREE)
    leat_session_leave_scratch (self);
  leat_session_give (self, after);
}

/* Before a run nothing is lost by stopping; within one, what sources gave already would be missing from the result. */
gboolean
leat_session_may_go_on (LeatSession *self, GCancellable *cancellable, GError **error)
{
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (!g_atomic_int_get (&self->hold.closing))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the session is being closed");
  return FALSE;
}

LeatFlow
leat_session_settle (LeatSession *self, LeatFlow flow, GError **error)
{
  self->ends.ended = flow == LEAT_FLOW_END;
  if (flow == LEAT_FLOW_END && !leat_session_finish_endpoints (self, error))
    flow = LEAT_FLOW_ERROR;
  self->hold.failed = flow == LEAT_FLOW_ERROR && !leat_session_get_flight (self, 0)->run.refused;
  leat_session_tell_stats (self);
  return flow;
}

static void
leat_session_cancelled (GCancellable *cancellable, gpointer data)
{
  leat_session_unblock_endpoints (data);
  leat_session_call_off_loops (data);
}

gulong
leat_session_watch (LeatSession *self, GCancellable *cancellable)
{
  return cancellable != NULL ? g_cancellable_connect (cancellable, G_CALLBACK (leat_session_cancelled), self, NULL) : 0;
}

/* @stream: see leat_session_take_props () */
static LeatFlow
leat_session_advance (LeatSession *self, gboolean wait, gboolean stream, GCancellable *cancellable, GError **error)
{
  LeatFlow flow = LEAT_FLOW_EMPTY;

  if (self->ends.ended)
    return LEAT_FLOW_END;
  do
    {
      if (!leat_session_may_go_on (self, cancellable, error) || !leat_session_take_props (self, stream, error)
          || !leat_session_check_bindings (self, error))
        return LEAT_FLOW_ERROR;
      flow = leat_session_begin_run (self, leat_session_get_flight (self, 0), wait, cancellable, error);
    }
  while (flow == LEAT_FLOW_EMPTY && (wait || leat_session_is_read (self)));
  if (flow == LEAT_FLOW_DATA)
    flow = leat_session_end_run (self, leat_session_get_flight (self, 0), cancellable, error);
  return leat_session_settle (self, flow, error);
}

static LeatFlow
leat_session_advance_by_hand (LeatSession *self, gboolean wait, GCancellable *cancellable, GError **error)
{
  gulong watch = leat_session_watch (self, cancellable);
  LeatFlow flow = leat_session_advance (self, wait, FALSE, cancellable, error);

  g_cancellable_disconnect (cancellable, watch);
  return flow;
}

/**
 * leat_session_replay:
 * @self: an open session
 * @wait: whether to wait for sources that have no data yet
 * @cancellable: (nullable): to give up
 * @error: return location for an error
 *
 * Does one run: every source gives its next data, the device works, every sink takes its result.
 *
 * At the end of the sources the sinks are finished (files get their names) and %LEAT_FLOW_END is returned, from then on
 * always.  After an error within a run (not one before it) results would have a hole: the session must be closed and
 * opened again, and until then says %LEAT_SESSION_ERROR_FAILED.  Not so after %LEAT_SESSION_ERROR_REPORTED: a kernel
 * says that the data of this run are at fault; the run has no results, and the next call goes on with the next data.
 * Not so either after %G_IO_ERROR_WOULD_BLOCK: an `app` sink with `block` off is full; the run was not begun, and the
 * next call does it.  Nor after %LEAT_GRAPH_ERROR_DATA: what was pushed before the session was open does not fit; it is
 * dropped, and the next call takes what was pushed after it.
 * %LEAT_SESSION_ERROR_STATE while it is not open, %LEAT_SESSION_ERROR_BUSY while another thread has it, and
 * %LEAT_DRIVER_ERROR_DEVICE_LOST when its device is gone.
 *
 * Properties and arguments that were set on nodes until the sources have given their data are taken over first.  Where
 * no plan can be made with them, or no graph, that error is given before anything was run, the properties have their
 * former values again, and the next call goes on with these.
 *
 * Returns: %LEAT_FLOW_DATA when a run was done, %LEAT_FLOW_END when there is nothing left, %LEAT_FLOW_EMPTY when @wait
 *   is %FALSE and a source has nothing yet, %LEAT_FLOW_ERROR with @error set
 */
LeatFlow
leat_session_replay (LeatSession *self, gboolean wait, GCancellable *cancellable, GError **error)
{
  LeatFlow flow;

  g_return_val_if_fail (LEAT_IS_SESSION (self), LEAT_FLOW_ERROR);
  if (!leat_session_take_lightly (self, error))
    return LEAT_FLOW_ERROR;
  if (leat_session_replay_quickly (self, cancellable, &flow, error))
    {
      leat_session_let_go (self);
      return flow;
    }
  if (!leat_session_begin_taken (self, error))
    return LEAT_FLOW_ERROR;
  flow = leat_session_advance_by_hand (self, wait, cancellable, error);
  self->hold.quick = flow == LEAT_FLOW_DATA && leat_session_may_be_quick (self);
  leat_session_end (self, LEAT_SESSION_FREE);
  return flow;
}

/**
 * leat_session_repeat:
 * @self: an open session
 * @runs: how many, at least 1
 * @wait: whether to wait for sources that have no data yet
 * @cancellable: (nullable): to give up
 * @error: return location for an error
 *
 * Does several runs on the same inputs and gives the results of the last. Data that the pipeline keeps from run to
 * run (`state`) continues through all of them.
 *
 * Every source gives its next data once and every sink takes one result.  Between the runs nothing is waited for and
 * nothing read back, and where the pipeline is one graph, many runs are one launch: a loop on the device, where the
 * driver has conditional nodes (#LeatSession:why-not-repeated-on-device tells why not).  Inputs that stay on the device
 * are uploaded once.
 *
 * However many runs are asked for, they end soon after @cancellable is cancelled or the session closed.  As after any
 * error within a run, the session must be closed and opened again then.
 *
 * Returns: as leat_session_replay (); %LEAT_SESSION_ERROR_ARGUMENT for no runs, and nothing has happened then;
 *   %G_IO_ERROR_CANCELLED where not all of them were done
 */
LeatFlow
leat_session_repeat (LeatSession *self, guint64 runs, gboolean wait, GCancellable *cancellable, GError **error)
{
  LeatReadback readback;
  guint64 repeat;
  LeatFlow flow;

  g_return_val_if_fail (LEAT_IS_SESSION (self), LEAT_FLOW_ERROR);
  if (runs == 0)
    {
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_ARGUMENT,
                   "a run cannot be repeated 0 times: there would be no results to give; ask for 1 or more");
      return LEAT_FLOW_ERROR;
    }
  if (!leat_session_begin (self, error))
    return LEAT_FLOW_ERROR;
  repeat = self->options.repeat;
  readback = self->options.readback;
  self->options.repeat = runs;
  self->options.readback = LEAT_READBACK_FINAL;
  flow = leat_session_advance_by_hand (self, wait, cancellable, error);
  self->options.repeat = repeat;
  self->options.readback = readback;
  leat_session_end (self, LEAT_SESSION_FREE);
  return flow;
}

/* The only part of a run that allocates; it stays a function of its own so that backtraces tell it from the rest. */
G_NO_INLINE void
leat_session_post_progress (LeatSession *self)
{
  gint64 now = g_get_monotonic_time ();
  GVariantDict details;

  if (now - self->streaming.last_progress_us < G_USEC_PER_SEC / 10)
    return;
  self->streaming.last_progress_us = now;
  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "runs", "t", self->ledger.stats.runs);
  g_variant_dict_insert (&details, "bytes", "t", self->ledger.stats.bytes_in);
  g_variant_dict_insert (&details, "total-bytes", "t", self->ends.total_bytes);
  g_variant_dict_insert (&details, "seconds", "d", (now - self->ledger.open_since_us) / (double) G_USEC_PER_SEC);
  leat_bus_post (leat_pipeline_get_bus (self->pipeline),
                 leat_message_new (LEAT_MESSAGE_PROGRESS, NULL, NULL, g_variant_dict_end (&details)));
}

static void
leat_session_post_stats (LeatSession *self)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (self);

  leat_bus_post (leat_pipeline_get_bus (self->pipeline), leat_message_new (LEAT_MESSAGE_STATS, NULL, NULL, stats));
}

static LeatFlow
leat_session_advance_one (LeatSession *self, GCancellable *cancellable, GError **error)
{
  LeatFlow flow = leat_session_advance (self, TRUE, TRUE, cancellable, error);

  if (flow == LEAT_FLOW_DATA)
    leat_session_post_progress (self);
  return flow;
}

static void
leat_session_run_to_end (LeatSession *self, GCancellable *cancellable, GError **error)
{
  LeatLanesTrial trial = { 0 };
  LeatFlow flow = LEAT_FLOW_DATA;
  gulong watch = leat_session_watch (self, cancellable);

  self->streaming.last_progress_us = g_get_monotonic_time ();
  while (flow == LEAT_FLOW_DATA)
    if (leat_session_should_widen (self))
      flow = leat_session_stream_wide (self, cancellable, error);
    else if (leat_session_should_stream (self, &trial))
      flow = leat_session_stream (self, trial.run_ns, cancellable, error);
    else
      flow = leat_session_advance_one (self, cancellable, error);
  leat_session_end_trial (&trial);
  self->ends.watches_waits = FALSE;
  g_cancellable_disconnect (cancellable, watch);
  if (flow == LEAT_FLOW_END)
    leat_session_post_stats (self);
  leat_session_end (self, LEAT_SESSION_FREE);
}

/* Which of many it was, nobody but the session knows. */
static void
leat_session_post_outcome (LeatSession *self, GError *error)
{
  LeatMessageType type = error == NULL ? LEAT_MESSAGE_END : LEAT_MESSAGE_ERROR;
  gboolean reported = g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  g_autoptr (GVariant) details = reported ? leat_session_dup_refusal (self) : NULL;
  guint64 run;

  if (details != NULL && g_variant_lookup (details, "run", "t", &run) && run > 1)
    g_prefix_error (&error, "run %" G_GUINT64_FORMAT ": ", run);
  leat_bus_post (leat_pipeline_get_bus (self->pipeline), leat_message_new (type, NULL, error, details));
}

/**
 * leat_session_run:
 * @self: an open session
 * @cancellable: (nullable): to stop early
 * @error: return location for an error
 *
 * Runs until the sources have ended and the sinks have finished.  Progress is posted on the pipeline's bus about ten
 * times a second, and statistics (what leat_session_dup_stats () gives) at the end.  Properties that were set and
 * cannot be taken over are told by a %LEAT_MESSAGE_WARNING, have their former values again, and the runs go on.  Last
 * comes exactly one message that tells how it ended: %LEAT_MESSAGE_END, or %LEAT_MESSAGE_ERROR with what @error is set
 * to.  A call that is refused (%LEAT_SESSION_ERROR_STATE, %LEAT_SESSION_ERROR_BUSY, %LEAT_SESSION_ERROR_FAILED) is no
 * run and posts nothing: another may be under way.  After an error as leat_session_replay (), which posts none of
 * these.
 *
 * Returns: whether the end was reached
 */
gboolean
leat_session_run (LeatSession *self, GCancellable *cancellable, GError **error)
{
  GError *inner = NULL;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  if (!leat_session_begin (self, error))
    return FALSE;
  leat_session_run_to_end (self, cancellable, &inner);
  leat_session_post_outcome (self, inner);
  if (inner == NULL)
    return TRUE;
  g_propagate_error (error, inner);
  return FALSE;
}

static void
leat_session_run_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;

  if (leat_session_run (source, cancellable, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/**
 * leat_session_run_async:
 * @self: an open session
 * @cancellable: (nullable): to stop early
 * @callback: (scope async): called in the thread-default main context of the caller
 * @user_data: for @callback
 *
 * Does leat_session_run () in a thread of its own, with the same messages.
 */
void
leat_session_run_async (LeatSession *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, leat_session_run_async);
  g_task_run_in_thread (task, leat_session_run_thread);
}

/**
 * leat_session_run_finish:
 * @self: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Ends leat_session_run_async ().
 *
 * Returns: whether the end was reached
 */
gboolean
leat_session_run_finish (LeatSession *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}
