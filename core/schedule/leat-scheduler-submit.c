/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* From a wish to a place in a queue, and from a result to who wished. */

#include "leat-scheduler-private.h"

void
leat_submission_unwatch (LeatSubmission *self)
{
  if (self->watch != 0)
    g_cancellable_disconnect (self->cancellable, self->watch);
  self->watch = 0;
}

static void
leat_submission_clear (LeatSubmission *self)
{
  leat_submission_unwatch (self);
  g_clear_error (&self->error);
  g_clear_pointer (&self->results, g_ptr_array_unref);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
  g_clear_pointer (&self->member, leat_member_unref);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->session);
}

static void
leat_submission_free (gpointer data)
{
  leat_submission_clear (data);
  g_free (data);
}

/* The array is the caller's, and what it holds may go when the call has ended. */
static GPtrArray *
leat_submission_hold_inputs (GPtrArray *inputs)
{
  GPtrArray *held = g_ptr_array_new_full (inputs->len, (GDestroyNotify) g_bytes_unref);

  for (guint i = 0; i < inputs->len; i++)
    g_ptr_array_add (held, g_ptr_array_index (inputs, i) != NULL ? g_bytes_ref (g_ptr_array_index (inputs, i))
                                                                 : g_bytes_new (NULL, 0));
  return held;
}

static void
leat_submission_init (LeatSubmission *self, LeatScheduler *scheduler, LeatSession *session, GPtrArray *inputs,
                      gint64 deadline, GCancellable *cancellable)
{
  self->scheduler = scheduler;
  self->session = g_object_ref (session);
  self->inputs = inputs != NULL ? leat_submission_hold_inputs (inputs) : NULL;
  /* The clock is never below 0: that is past, by as much as can be said. */
  self->deadline = deadline == 0 ? G_MAXINT64 : MAX (deadline, 0);
  self->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  self->flow = LEAT_FLOW_ERROR;
}

static GError *
leat_submission_new_cancelled (void)
{
  return g_error_new (G_IO_ERROR, G_IO_ERROR_CANCELLED, "the run was cancelled before its turn");
}

/* One that runs has been told by the cancellable itself. */
static void
leat_submission_cancelled (GCancellable *cancellable, gpointer data)
{
  LeatSubmission *self = data;
  LeatScheduler *scheduler = self->scheduler;

  leat_scheduler_lock (scheduler);
  self->cancelled = TRUE;
  if (self->state == LEAT_SUBMISSION_WAITING)
    {
      g_mutex_lock (&scheduler->accounts);
      self->member->stats.cancelled++;
      g_mutex_unlock (&scheduler->accounts);
      leat_submission_give_up (self, leat_submission_new_cancelled ());
      leat_scheduler_dispatch (scheduler);
    }
  leat_scheduler_unlock (scheduler);
}

/* The error with which a member refuses a run that is to come; else NULL. */
static GError *
leat_submission_refuse (LeatSubmission *self, gint64 now)
{
  LeatScheduler *scheduler = self->scheduler;
  const LeatMember *member = self->member;

  if (self->cancelled)
    return leat_submission_new_cancelled ();
  if (member->closing || !leat_session_is_open (self->session))
    return g_error_new (LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE, "the session is not open");
  if (self->deadline < now)
    return g_error_new (LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_DEADLINE,
                        "the run was not taken: its deadline passed %" G_GINT64_FORMAT " us ago", now - self->deadline);
  if (member->waiting.length >= scheduler->queue_limit)
    return g_error_new (LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_FULL,
                        "the run was not taken: %u runs of the session wait, and no more may (queue-limit)",
                        member->waiting.length);
  return NULL;
}

static gboolean
leat_submission_find_member (LeatSubmission *self, GError **error)
{
  LeatMember *member = NULL;

  if (self->scheduler->closed)
    g_set_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_CLOSED, "the scheduler is closed");
  else
    member = leat_scheduler_find (self->scheduler, self->session, error);
  self->member = member != NULL ? leat_member_ref (member) : NULL;
  return member != NULL;
}

/* With the lock held. */
static gboolean
leat_submission_enqueue (LeatSubmission *self, GError **error)
{
  gint64 now = g_get_monotonic_time ();
  GError *refusal;

  if (!leat_submission_find_member (self, error))
    return FALSE;
  refusal = leat_submission_refuse (self, now);
  if (refusal != NULL)
    {
      self->member->stats.refused++;
      g_propagate_error (error, refusal);
      return FALSE;
    }
  self->submitted_us = now;
  self->number = ++self->scheduler->n_submitted;
  self->member->stats.submitted++;
  leat_member_enqueue (self->scheduler, self->member, self);
  leat_scheduler_dispatch (self->scheduler);
  return TRUE;
}

/* FALSE: it is still the caller's. */
static gboolean
leat_submission_submit (LeatSubmission *self, GError **error)
{
  LeatScheduler *scheduler = self->scheduler;
  gboolean taken;

  /* Before anybody else can have it, so that whoever ends it knows what to disconnect. */
  if (self->cancellable != NULL)
    self->watch = g_cancellable_connect (self->cancellable, G_CALLBACK (leat_submission_cancelled), self, NULL);
  leat_scheduler_lock (scheduler);
  taken = leat_submission_enqueue (self, error);
  leat_scheduler_unlock (scheduler);
  return taken;
}

/* One more than there can be runs, so that there is always one for a run that was given up. */
guint
leat_scheduler_count_workers (LeatScheduler *self)
{
  return LEAT_N_PRIORITIES * self->in_flight + 1;
}

static gboolean
leat_scheduler_have_workers (LeatScheduler *self, GError **error)
{
  gboolean good;

  leat_scheduler_lock (self);
  if (self->workers == NULL)
    self->workers =
      g_thread_pool_new (leat_submission_work, NULL, (gint) leat_scheduler_count_workers (self), TRUE, error);
  good = self->workers != NULL;
  g_mutex_unlock (&self->lock);
  return good;
}

/**
 * leat_scheduler_submit_async:
 * @self: a scheduler
 * @session: an open session that is in it
 * @inputs: (nullable) (element-type GLib.Bytes): the data of every input, in the order in which the plan has the
 *   sources; results are then given by leat_scheduler_submit_finish ().  %NULL: the session's own sources are asked,
 *   and its sinks are given the results
 * @deadline: when the run should have ended, by g_get_monotonic_time (); 0 for no deadline
 * @cancellable: (nullable): to give it up
 * @callback: (scope async): called in the thread-default main context of the caller
 * @user_data: for @callback
 *
 * Puts one run of a session among those that wait for their turn.
 *
 * The callback is called exactly once.  Cancelling takes a run that waits out of the queue; of one that is under way,
 * it does what it does to leat_session_replay ().
 */
void
leat_scheduler_submit_async (LeatScheduler *self, LeatSession *session, GPtrArray *inputs, gint64 deadline,
                             GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  LeatSubmission *submission;
  g_autoptr (GTask) task = NULL;
  GError *error = NULL;

  g_return_if_fail (LEAT_IS_SCHEDULER (self));
  g_return_if_fail (LEAT_IS_SESSION (session));

  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, leat_scheduler_submit_async);
  g_task_set_check_cancellable (task, FALSE);
  submission = g_new0 (LeatSubmission, 1);
  leat_submission_init (submission, self, session, inputs, deadline, cancellable);
  g_task_set_task_data (task, submission, leat_submission_free);
  submission->task = g_object_ref (task);
  if (leat_scheduler_have_workers (self, &error) && leat_submission_submit (submission, &error))
    return;
  g_clear_object (&submission->task);
  leat_submission_unwatch (submission);
  g_task_return_error (task, error);
}

/**
 * leat_scheduler_submit_finish:
 * @self: a scheduler
 * @result: what the callback got
 * @results: (out) (optional) (nullable) (transfer container) (element-type GLib.Bytes): the data of every output, in
 *   the order in which the plan has the sinks; %NULL where the run was given no inputs
 * @error: return location for an error
 *
 * Ends leat_scheduler_submit_async ().
 *
 * Returns: as leat_session_replay (); %LEAT_FLOW_ERROR with %LEAT_SCHEDULER_ERROR where the run was not begun,
 *   %LEAT_SESSION_ERROR_BATCH for inputs that do not fit, %LEAT_SESSION_ERROR_STATE where the session is not open
 */
LeatFlow
leat_scheduler_submit_finish (LeatScheduler *self, GAsyncResult *result, GPtrArray **results, GError **error)
{
  LeatSubmission *submission;

  g_return_val_if_fail (g_task_is_valid (result, self), LEAT_FLOW_ERROR);
  if (results != NULL)
    *results = NULL;
  if (!g_task_propagate_boolean (G_TASK (result), error))
    return LEAT_FLOW_ERROR;
  submission = g_task_get_task_data (G_TASK (result));
  if (results != NULL)
    *results = g_steal_pointer (&submission->results);
  return submission->flow;
}

/* The thread that waits does the run itself: nobody has to be woken for it when the way is free. */
static void
leat_submission_await (LeatSubmission *self)
{
  leat_submission_await_turn (self);
  if (self->state == LEAT_SUBMISSION_RUNNING)
    leat_scheduler_free_place (self->scheduler, self->member, self->level, leat_submission_run (self));
}

/**
 * leat_scheduler_replay:
 * @self: a scheduler
 * @session: an open session that is in it
 * @inputs: (nullable) (element-type GLib.Bytes): as for leat_scheduler_submit_async ()
 * @deadline: when the run should have ended, by g_get_monotonic_time (); 0 for no deadline
 * @results: (out) (optional) (nullable) (transfer container) (element-type GLib.Bytes): as for
 *   leat_scheduler_submit_finish ()
 * @cancellable: (nullable): to give it up
 * @error: return location for an error
 *
 * Does one run of a session when it is its turn, in the calling thread, and waits until then.
 *
 * A paused scheduler lets it wait, however long.
 *
 * Returns: as leat_scheduler_submit_finish ()
 */
LeatFlow
leat_scheduler_replay (LeatScheduler *self, LeatSession *session, GPtrArray *inputs, gint64 deadline,
                       GPtrArray **results, GCancellable *cancellable, GError **error)
{
  LeatSubmission submission = { 0 };
  LeatFlow flow;

  g_return_val_if_fail (LEAT_IS_SCHEDULER (self), LEAT_FLOW_ERROR);
  g_return_val_if_fail (LEAT_IS_SESSION (session), LEAT_FLOW_ERROR);

  if (results != NULL)
    *results = NULL;
  leat_submission_init (&submission, self, session, inputs, deadline, cancellable);
  if (leat_submission_submit (&submission, &submission.error))
    leat_submission_await (&submission);
  leat_submission_unwatch (&submission);
  flow = submission.flow;
  if (submission.error != NULL)
    g_propagate_error (error, g_steal_pointer (&submission.error));
  if (results != NULL)
    *results = g_steal_pointer (&submission.results);
  leat_submission_clear (&submission);
  return flow;
}
