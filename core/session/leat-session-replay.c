/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs that the program asks for one by one: leat_session_replay () and leat_session_repeat (), and whether the next is
 * like the last.  Touches LeatSessionHold and LeatSessionEnds. */

#include "leat-session-private.h"
#include "lane/leat-nvtx-private.h"
#include "graph/leat-pipeline-private.h"
#include "bind/leat-bind-private.h"
#include "leat-session-run-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-told-private.h"

/* A graph launch takes its context from the stream; launching ops one by one needs it current, better once for all runs
 * than in each.  A result that is remembered needs none, nor
 * does a kernel that is there already; what else such a session launches sees to it by itself. */
/* Is the context to be current for all of a run? */
static gboolean
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
  self->hold.settled = FALSE;
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

/* Has the session failed?  Tells what others may ask for. */
static inline void
leat_session_note_outcome (LeatSession *self, LeatFlow flow)
{
  self->hold.failed = flow == LEAT_FLOW_ERROR && !leat_session_get_flight (self, 0)->run.refused;
  if (G_LIKELY (self->hold.settled && !self->told.ledger.levels_changed))
    leat_session_tell_run (self);
  else
    leat_session_tell_stats (self);
}

LeatFlow
leat_session_settle (LeatSession *self, LeatFlow flow, GError **error)
{
  self->ends.ended = flow == LEAT_FLOW_END;
  if (flow == LEAT_FLOW_END && !leat_session_finish_endpoints (self, error))
    flow = LEAT_FLOW_ERROR;
  leat_session_note_outcome (self, flow);
  return flow;
}

static void
leat_session_cancelled (GCancellable *cancellable, gpointer data)
{
  leat_session_unblock_endpoints (data);
  leat_told_call_off_loops (&LEAT_SESSION (data)->told);
}

gulong
leat_session_watch (LeatSession *self, GCancellable *cancellable)
{
  return cancellable != NULL ? g_cancellable_connect (cancellable, G_CALLBACK (leat_session_cancelled), self, NULL) : 0;
}

LeatFlow
leat_session_advance (LeatSession *self, gboolean wait, gboolean stream, GCancellable *cancellable, GError **error)
{
  LeatFlow flow = LEAT_FLOW_EMPTY;

  if (self->ends.ended)
    return LEAT_FLOW_END;
  do
    {
      if (!leat_session_may_go_on (self, cancellable, error) || !leat_session_take_props (self, stream, error)
          || !leat_flight_check_bindings (leat_session_get_flight (self, 0), error))
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

/* When a run has ended the session finds out once whether the next one needs anything but its launch, the wait and the
 * figures: nobody asks its sources or gives to its sinks, it is neither measured nor traced, no loop and no memory of
 * the program's is to be looked after.  That holds until somebody else takes the session (leat_session_take ()).
 * Anything that others may change without taking it is looked at before each run. */
static gboolean
leat_session_is_in_place (LeatSession *self)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    if (!leat_session_get_input (self, i)->direct)
      return FALSE;
  for (guint i = 0; i < self->ends.outputs->len; i++)
    if (!leat_session_get_output (self, i)->direct)
      return FALSE;
  return self->ends.inputs->len > 0;
}

/* Does the plan want no more of a run than that it is launched? */
static gboolean
leat_plan_is_plain (const LeatPlan *self)
{
  return LEAT_BOUND_PLAN (self)->prediction.waits > 0 && LEAT_BOUND_PLAN (self)->prediction.foreign == 0
         && self->users->len == 0 && self->loops->len == 0 && !self->grows && !LEAT_BOUND_PLAN (self)->holds_back;
}

static gboolean
leat_session_may_settle (LeatSession *self)
{
  return leat_session_is_in_place (self) && leat_plan_is_plain (self->plan) && !self->options.never_settled
         && !self->tuning.to_calibrate && self->told.tracing.trace == NULL
         && leat_session_get_flight (self, 0)->lane->timing == NULL && self->scratch.used == NULL
         && self->states.lent->len == 0 && self->bindings.held == NULL
         && self->hold.is_pushed == leat_session_wants_push (self);
}

/* By other threads, or by properties of the session that nobody need take it for. */
static gboolean
leat_session_is_disturbed (LeatSession *self, GCancellable *cancellable)
{
  return leat_changes_have_props (leat_pipeline_get_changes (self->pipeline)) || g_atomic_int_get (&self->hold.closing)
         || g_atomic_pointer_get (&self->scratch.wanted) != NULL || !leat_device_check (self->device, NULL)
         || self->options.repeat > 1 || leat_nvtx.push != NULL
         || (cancellable != NULL && g_cancellable_is_cancelled (cancellable));
}

/* As leat_session_begin_taken () and what follows it, where the session is settled. */
static LeatFlow
leat_session_replay_settled (LeatSession *self, GError **error)
{
  LeatFlow flow;

  if (self->hold.is_pushed && !leat_device_push (self->device, error))
    {
      self->hold.settled = FALSE;
      leat_session_let_go (self);
      return LEAT_FLOW_ERROR;
    }
  leat_session_give (self, LEAT_SESSION_RUNNING);
  flow = leat_session_run_settled (self, error);
  self->hold.settled = flow == LEAT_FLOW_DATA;
  leat_session_note_outcome (self, flow);
  if (self->hold.is_pushed)
    leat_device_pop (self->device);
  leat_session_let_go (self);
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
  if (self->hold.settled && !leat_session_is_disturbed (self, cancellable))
    return leat_session_replay_settled (self, error);
  if (!leat_session_begin_taken (self, error))
    return LEAT_FLOW_ERROR;
  flow = leat_session_advance_by_hand (self, wait, cancellable, error);
  self->hold.settled = flow == LEAT_FLOW_DATA && leat_session_may_settle (self);
  if (self->hold.settled)
    leat_session_get_flight (self, 0)->run = (LeatRun){ 0 };
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
  if (runs >= LEAT_SESSION_RUNS_TO_SETTLE)
    leat_session_bind_for_repeat (self);
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
