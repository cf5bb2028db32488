/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A run in two halves: it is launched, the program does something else and is told of the end, it is completed. */

#include "leat-session-private.h"
#include "leat-session-run-private.h"
#include "leat-session-setup-private.h"

/* Once somebody wants to be told of the ends of runs: the waiter has this one, which is launched. */
static gboolean
leat_session_watch_flight (LeatSession *self, GError **error)
{
  LeatFlight *flight = leat_session_get_flight (self, 0);
  LeatLane *lane = flight->lane;

  leat_waiter_reset (self->await.waiter);
  if (!flight->run.launched)
    {
      leat_waiter_tell (self->await.waiter);
      return TRUE;
    }
  flight->run.watched =
    leat_lane_mark_end (lane, error) && leat_waiter_watch (self->await.waiter, leat_lane_await_mark, lane, error);
  return flight->run.watched;
}

LeatFlow
leat_session_launch_taken (LeatSession *self, gboolean tell, GCancellable *cancellable, GError **error)
{
  LeatFlow flow;

  if (self->ends.ended)
    return LEAT_FLOW_END;
  do
    {
      if (!leat_session_may_go_on (self, cancellable, error) || !leat_session_take_props (self, FALSE, error)
          || !leat_flight_check_bindings (leat_session_get_flight (self, 0), error))
        return LEAT_FLOW_ERROR;
      flow = leat_session_begin_run (self, leat_session_get_flight (self, 0), FALSE, cancellable, error);
    }
  while (flow == LEAT_FLOW_EMPTY && leat_session_is_read (self));
  if (flow == LEAT_FLOW_DATA && tell && !leat_session_watch_flight (self, error))
    flow = LEAT_FLOW_ERROR;
  return flow == LEAT_FLOW_DATA ? flow : leat_session_settle (self, flow, error);
}

LeatFlow
leat_session_complete_taken (LeatSession *self, GCancellable *cancellable, GError **error)
{
  LeatFlight *flight = leat_session_get_flight (self, 0);
  LeatFlow flow;

  flight->run.apart = flight->run.launched && !flight->run.watched;
  flow = leat_session_end_run (self, flight, cancellable, error);
  if (self->await.waiter != NULL)
    leat_waiter_reset (self->await.waiter);
  leat_session_leave_scratch (self);
  return leat_session_settle (self, flow, error);
}

gboolean
leat_session_take_flight (LeatSession *self)
{
  return g_atomic_int_compare_and_exchange (&self->hold.use, LEAT_SESSION_LAUNCHED, LEAT_SESSION_RUNNING);
}

/* The lane waits for the device before it goes; the waiter must have done so by then. */
void
leat_session_drop_flight (LeatSession *self)
{
  LeatFlight *flight = leat_session_get_flight (self, 0);
  gint64 ended_us;

  leat_repeating_call_off (&self->repeating);
  leat_told_call_off_loops (&self->told);
  if (flight->run.watched)
    leat_waiter_collect (self->await.waiter, &ended_us, NULL);
  if (self->await.waiter != NULL)
    leat_waiter_reset (self->await.waiter);
  leat_repeating_forget (&self->repeating, flight);
  leat_told_forget_loops (&self->told, flight->lane);
  flight->run = (LeatRun){ 0 };
  if (self->await.task_source != NULL)
    g_source_set_ready_time (self->await.task_source, LEAT_SESSION_DROPPED);
  g_clear_pointer (&self->await.task_source, g_source_unref);
}

gboolean
leat_session_have_waiter (LeatSession *self, GError **error)
{
  if (self->await.waiter == NULL)
    self->await.waiter = leat_waiter_new (error);
  return self->await.waiter != NULL;
}

/**
 * leat_session_launch:
 * @self: an open session that is not running
 * @cancellable: (nullable): to give up before the launch
 * @error: return location for an error
 *
 * Begins one run and does not wait for it: every source gives its next data, and the device begins to work.
 *
 * Sources that have nothing are not waited for.  A launched run must be completed, with leat_session_complete (),
 * before any other call than the one that closes the session; other calls say %LEAT_SESSION_ERROR_BUSY.
 * leat_session_get_fd () and leat_session_create_source () tell when completing it need not wait.
 *
 * Returns: %LEAT_FLOW_DATA when a run is under way, %LEAT_FLOW_EMPTY when a source has nothing yet, %LEAT_FLOW_END when
 *   there is nothing left, %LEAT_FLOW_ERROR with @error set as by leat_session_replay ()
 */
LeatFlow
leat_session_launch (LeatSession *self, GCancellable *cancellable, GError **error)
{
  LeatFlow flow;

  g_return_val_if_fail (LEAT_IS_SESSION (self), LEAT_FLOW_ERROR);
  if (!leat_session_begin (self, error))
    return LEAT_FLOW_ERROR;
  flow = leat_session_launch_taken (self, self->await.waiter != NULL, cancellable, error);
  leat_session_end (self, flow == LEAT_FLOW_DATA ? LEAT_SESSION_LAUNCHED : LEAT_SESSION_FREE);
  return flow;
}

/**
 * leat_session_complete:
 * @self: a session with a run that is launched
 * @cancellable: (nullable): for sinks that wait for something
 * @error: return location for an error
 *
 * Ends a run that leat_session_launch () began: waits for the device where it is still at work, then every sink takes
 * its result.
 *
 * A run of leat_session_replay_async () completes itself, except after that call was cancelled.
 *
 * Returns: %LEAT_FLOW_DATA, or %LEAT_FLOW_ERROR with @error set: %LEAT_SESSION_ERROR_STATE when no run is launched,
 * else as by leat_session_replay ()
 */
LeatFlow
leat_session_complete (LeatSession *self, GCancellable *cancellable, GError **error)
{
  LeatFlow flow = LEAT_FLOW_ERROR;
  LeatSessionUse after = LEAT_SESSION_FREE;

  g_return_val_if_fail (LEAT_IS_SESSION (self), LEAT_FLOW_ERROR);
  if (!leat_session_take_flight (self))
    {
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE,
                   "there is nothing to complete: no run of the session is launched");
      return LEAT_FLOW_ERROR;
    }
  if (self->await.task_source == NULL)
    {
      gulong watch = leat_session_watch (self, cancellable);

      flow = leat_session_complete_taken (self, cancellable, error);
      g_cancellable_disconnect (cancellable, watch);
    }
  else
    {
      after = LEAT_SESSION_LAUNCHED;
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY,
                   "the run that is launched is one of leat_session_replay_async (), and is completed there");
    }
  g_atomic_int_set (&self->hold.use, after);
  return flow;
}

/* A run that was launched before anybody wanted to be told of its end is watched from now on. */
static LeatWaiter *
leat_session_take_waiter (LeatSession *self, GError **error)
{
  gboolean launched = leat_session_take_flight (self);
  LeatWaiter *waiter = NULL;

  if (!launched && !leat_session_take (self, error))
    return NULL;
  if (leat_session_have_waiter (self, error)
      && (!launched || leat_session_get_flight (self, 0)->run.watched || leat_waiter_is_told (self->await.waiter)
          || leat_session_watch_flight (self, error)))
    waiter = self->await.waiter;
  g_atomic_int_set (&self->hold.use, launched ? LEAT_SESSION_LAUNCHED : LEAT_SESSION_FREE);
  return waiter;
}

/**
 * leat_session_get_fd:
 * @self: a session that is not running
 * @error: return location for an error
 *
 * Gets a file descriptor for poll, select or epoll. It is readable from the end of a run that leat_session_launch ()
 * began until that run is completed.
 *
 * It is one and the same as long as the session lives, over close () and open (), and belongs to the session: neither
 * read it nor close it.  The first call makes the session have a thread that waits for the device from then on.
 *
 * Returns: the descriptor, -1 on error: %LEAT_SESSION_ERROR_BUSY while another thread has the session
 */
int
leat_session_get_fd (LeatSession *self, GError **error)
{
  LeatWaiter *waiter;

  g_return_val_if_fail (LEAT_IS_SESSION (self), -1);
  waiter = leat_session_take_waiter (self, error);
  return waiter != NULL ? leat_waiter_get_fd (waiter) : -1;
}

/**
 * leat_session_create_source:
 * @self: a session that is not running
 * @error: return location for an error
 *
 * Makes a source for a main loop. Its callback, a #GSourceFunc, is called when a run that leat_session_launch ()
 * began has ended, and again until that run is completed.
 *
 * The callback is the place for leat_session_complete ().  See leat_session_get_fd ().
 *
 * Returns: (transfer full): a source, not attached; %NULL on error
 */
GSource *
leat_session_create_source (LeatSession *self, GError **error)
{
  LeatWaiter *waiter;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  waiter = leat_session_take_waiter (self, error);
  return waiter != NULL ? leat_waiter_create_source (waiter, "leat session") : NULL;
}
