/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A run as a task of a main loop: launched at once, completed in the loop when the device is done. */

#include "leat-session-private.h"
#include "leat-session-run-private.h"

/* Somebody else has the session: it is being closed, or has been. */
static void
leat_session_return_closed (GTask *task)
{
  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the session was closed during the run");
}

static void
leat_session_return_cancelled (GTask *task)
{
  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                           "the replay was cancelled; the run is still under way, and can be completed");
}

static void
leat_session_return_flow (GTask *task, LeatFlow flow, GError *error)
{
  if (flow == LEAT_FLOW_ERROR)
    g_task_return_error (task, error);
  else
    g_task_return_int (task, flow);
}

/* Dropping the flight wakes its source by this ready time. */
static gboolean
leat_session_is_dropped (GSource *source)
{
  return g_source_get_ready_time (source) == LEAT_SESSION_DROPPED;
}

/* The device is done, or the task was cancelled, or the session is being closed.  A thread that does not get what it
 * asks of a run that is under way may have it for a moment. */
static gboolean
leat_session_replay_ready (gpointer data)
{
  GTask *task = data;
  LeatSession *self = g_task_get_source_object (task);
  GSource *source = g_main_current_source ();
  GError *error = NULL;
  LeatFlow flow;

  if (!leat_session_take_flight (self))
    {
      if (!leat_session_is_dropped (source))
        return G_SOURCE_CONTINUE;
      leat_session_return_closed (task);
      return G_SOURCE_REMOVE;
    }
  if (self->await.task_source != source)
    {
      g_atomic_int_set (&self->hold.use, LEAT_SESSION_LAUNCHED);
      leat_session_return_closed (task);
      return G_SOURCE_REMOVE;
    }
  g_clear_pointer (&self->await.task_source, g_source_unref);
  if (!leat_waiter_is_told (self->await.waiter))
    {
      g_atomic_int_set (&self->hold.use, LEAT_SESSION_LAUNCHED);
      leat_session_return_cancelled (task);
      return G_SOURCE_REMOVE;
    }
  /* Sinks that give up in the middle would lose the results. */
  flow = leat_session_complete_taken (self, NULL, &error);
  g_atomic_int_set (&self->hold.use, LEAT_SESSION_FREE);
  leat_session_return_flow (task, flow, error);
  return G_SOURCE_REMOVE;
}

static gboolean
leat_session_wake_parent (GCancellable *cancellable, gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static GSource *
leat_session_make_told (LeatSession *self, GTask *task)
{
  GSource *source = leat_waiter_create_source (self->await.waiter, "leat session: replay");
  GCancellable *cancellable = g_task_get_cancellable (task);

  g_source_set_priority (source, g_task_get_priority (task));
  g_source_set_callback (source, leat_session_replay_ready, g_object_ref (task), g_object_unref);
  if (cancellable != NULL)
    {
      g_autoptr (GSource) cancelled = g_cancellable_source_new (cancellable);

      g_source_set_callback (cancelled, G_SOURCE_FUNC (leat_session_wake_parent), NULL, NULL);
      g_source_add_child_source (source, cancelled);
    }
  return source;
}

static LeatFlow
leat_session_launch_task (LeatSession *self, GTask *task, GError **error)
{
  LeatFlow flow = LEAT_FLOW_ERROR;
  GSource *told = NULL;

  if (!leat_session_begin (self, error))
    return LEAT_FLOW_ERROR;
  if (leat_session_have_waiter (self, error))
    flow = leat_session_launch_taken (self, TRUE, g_task_get_cancellable (task), error);
  if (flow == LEAT_FLOW_DATA)
    {
      told = self->await.task_source = leat_session_make_told (self, task);
      g_source_ref (told);
    }
  leat_session_end (self, told != NULL ? LEAT_SESSION_LAUNCHED : LEAT_SESSION_FREE);
  if (told != NULL)
    {
      g_source_attach (told, g_task_get_context (task));
      g_source_unref (told);
    }
  return flow;
}

/**
 * leat_session_replay_async:
 * @self: an open session that is not running
 * @cancellable: (nullable): to be told no more of the run
 * @callback: (scope async): called in the thread-default main context of the caller
 * @user_data: for @callback
 *
 * Does one run as leat_session_replay () does, without a waiting thread and without waiting for sources that have no
 * data. It launches before it returns, and the main loop completes the run.
 *
 * One run of a session is under way at a time; another call fails with %LEAT_SESSION_ERROR_BUSY.  Cancelling does not
 * call the device back: before the launch nothing is done, after it the callback gets %G_IO_ERROR_CANCELLED at once,
 * nothing is lost, and leat_session_complete () still completes the run; only where the device is done already it is
 * completed all the same, and the callback is told so.  leat_session_close () drops it; the callback
 * then gets %G_IO_ERROR_CANCELLED as well.
 */
void
leat_session_replay_async (LeatSession *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                           gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  GError *error = NULL;
  LeatFlow flow;

  g_return_if_fail (LEAT_IS_SESSION (self));
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, leat_session_replay_async);
  /* A run that has been completed is told as what it is. */
  g_task_set_check_cancellable (task, FALSE);
  flow = leat_session_launch_task (self, task, &error);
  if (flow != LEAT_FLOW_DATA)
    leat_session_return_flow (task, flow, error);
}

/**
 * leat_session_replay_finish:
 * @self: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Ends leat_session_replay_async ().
 *
 * Returns: what leat_session_replay () returns
 */
LeatFlow
leat_session_replay_finish (LeatSession *self, GAsyncResult *result, GError **error)
{
  GError *inner = NULL;
  gssize flow;

  g_return_val_if_fail (g_task_is_valid (result, self), LEAT_FLOW_ERROR);
  flow = g_task_propagate_int (G_TASK (result), &inner);
  if (inner == NULL)
    return (LeatFlow) flow;
  g_propagate_error (error, inner);
  return LEAT_FLOW_ERROR;
}
