/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs until the sources end, in this thread or in one of their own.  Touches the streaming part of the session. */

#include "leat-streaming-private.h"
#include "tell/leat-reports-private.h"
#include "session/leat-session-run-private.h"

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
  g_variant_dict_insert (&details, "runs", "t", self->told.ledger.stats.runs);
  g_variant_dict_insert (&details, "bytes", "t", self->told.ledger.stats.bytes_in);
  g_variant_dict_insert (&details, "total-bytes", "t", self->ends.total_bytes);
  g_variant_dict_insert (&details, "seconds", "d", (now - self->told.ledger.open_since_us) / (double) G_USEC_PER_SEC);
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
  g_autoptr (GVariant) details = reported ? leat_told_dup_refusal (&self->told) : NULL;
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
