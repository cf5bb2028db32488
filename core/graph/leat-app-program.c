/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The application's side of an `app` node: push, end and pull, from any thread.  Touches the queue of the node, under
 * its lock. */

#include "leat-app-internal-private.h"

#include "leat-graph-error.h"
#include "leat-node-private.h"

/* Data are pushed to a source and pulled from a sink; one that is not linked may become either. */
static gboolean
leat_app_check_direction (LeatApp *self, LeatDirection direction, const char *refused, GError **error)
{
  GPtrArray *ports = leat_node_get_ports (LEAT_NODE (self));
  gboolean is_other = FALSE;

  for (guint i = 0; i < ports->len; i++)
    {
      if (!leat_port_is_linked (ports->pdata[i]))
        continue;
      if (leat_port_get_direction (ports->pdata[i]) == direction)
        return TRUE;
      is_other = TRUE;
    }
  if (is_other)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION, "app \"%s\" %s",
                 leat_node_get_name (LEAT_NODE (self)), refused);
  return !is_other;
}

static gboolean
leat_app_check_memory (LeatApp *self, const char *refused, GError **error)
{
  if (!leat_app_has_user_memory (self))
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION, "app \"%s\" has memory=user: %s",
               leat_node_get_name (LEAT_NODE (self)), refused);
  return FALSE;
}

guint
leat_app_get_dropped (LeatApp *self)
{
  return (guint) g_atomic_int_get (&self->dropped);
}

guint
leat_app_get_queue_length (LeatApp *self)
{
  guint length;

  pthread_mutex_lock (&self->lock);
  length = self->queue.length;
  pthread_mutex_unlock (&self->lock);
  return length;
}

/* Under the lock: may one more be pushed? */
static gboolean
leat_app_admit_push (LeatApp *self, GError **error)
{
  guint stops = self->stops;

  if (self->ended)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED,
                   "cannot push to app \"%s\": the stream was ended with leat_app_end ()",
                   leat_node_get_name (LEAT_NODE (self)));
      return FALSE;
    }
  if (self->leaky != LEAT_APP_LEAKY_NONE)
    return TRUE;
  if (leat_app_is_full (self) && !self->block)
    return leat_app_refuse_full (self, "run the session, in another thread or between pushes", error)
           || leat_app_prefix_title (self, error);
  while (leat_app_is_full (self) && self->stops == stops)
    leat_app_wait (self, -1);
  if (self->stops == stops)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "cannot push to app \"%s\": its session was closed",
               leat_node_get_name (LEAT_NODE (self)));
  return FALSE;
}

/**
 * leat_app_push_bytes:
 * @self: an `app` node that is a source
 * @bytes: the data of one run, items in this machine's byte order, row after row
 * @error: return location for an error
 *
 * Gives the pipeline data for one run.
 *
 * Before a session is open the data is queued.  @bytes must have the size of the spec; where that is bounded, fewer
 * whole rows are fine and are the run's count.  With a full queue (property `max-queue`) the call waits, or fails with
 * %G_IO_ERROR_WOULD_BLOCK when `block` is off.  Any thread may push.
 *
 * Returns: whether the data was taken; %LEAT_GRAPH_ERROR_DATA for the wrong size, %LEAT_GRAPH_ERROR_DIRECTION for a
 * sink, or a source whose memory is the program's
 */
gboolean
leat_app_push_bytes (LeatApp *self, GBytes *bytes, GError **error)
{
  g_autoptr (LeatSpec) spec = NULL;
  gboolean good;

  g_return_val_if_fail (LEAT_IS_APP (self), FALSE);
  g_return_val_if_fail (bytes != NULL, FALSE);

  if (!leat_app_check_direction (self, LEAT_PORT_OUTPUT, "is a sink: it gives data and takes none", error)
      || !leat_app_check_memory (self, "bind its memory with leat_session_bind_input ()", error))
    return FALSE;
  spec = leat_app_dup_spec (self);
  if (spec != NULL && leat_spec_is_fixed (spec) && !leat_app_check_size (g_bytes_get_size (bytes), spec, error))
    return leat_app_prefix_title (self, error);
  leat_app_lock (self);
  good = leat_app_admit_push (self, error);
  if (good)
    leat_app_put (self, bytes);
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return good;
}

/**
 * leat_app_end:
 * @self: an `app` node that is a source
 *
 * Says that nothing more will be pushed: when what is queued has run, the stream ends.
 *
 * With the session's end this is forgotten, so that the next session can be fed again.
 */
void
leat_app_end (LeatApp *self)
{
  g_return_if_fail (LEAT_IS_APP (self));

  leat_app_lock (self);
  self->ended = TRUE;
  leat_app_wake_all (self);
  leat_app_unlock (self);
}

/* Under the lock: why a pull gets nothing. Without an error: the stream is over. */
static void
leat_app_explain_nothing (LeatApp *self, GError **error)
{
  if (self->state == LEAT_APP_STOPPED)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED,
                 "nothing more comes from app \"%s\": its session was closed before the stream ended",
                 leat_node_get_name (LEAT_NODE (self)));
  else if (self->state != LEAT_APP_FINISHED)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "nothing came from app \"%s\" in the time given",
                 leat_node_get_name (LEAT_NODE (self)));
}

/**
 * leat_app_pull_bytes:
 * @self: an `app` node that is a sink
 * @timeout_us: how long to wait for data, in microseconds; negative waits for ever, 0 not at all
 * @error: return location for an error
 *
 * Takes the result of one run: its live items, row after row.
 *
 * Results come in the order of the runs, and what is queued when a session ends can still be pulled.
 * leat_app_dup_spec() says what the bytes are; where it is bounded, their number says how many rows there are.
 *
 * Returns: (transfer full) (nullable): the data.  %NULL without an error at the end of the stream; with
 *   %G_IO_ERROR_TIMED_OUT when nothing came in time, with %G_IO_ERROR_CLOSED when the session was closed before,
 *   with %LEAT_GRAPH_ERROR_DIRECTION for a source, or a sink whose memory is the program's
 */
GBytes *
leat_app_pull_bytes (LeatApp *self, gint64 timeout_us, GError **error)
{
  gint64 deadline = timeout_us < 0 ? -1 : g_get_monotonic_time () + timeout_us;
  gboolean in_time = timeout_us != 0;
  GBytes *bytes;

  g_return_val_if_fail (LEAT_IS_APP (self), NULL);

  if (!leat_app_check_direction (self, LEAT_PORT_INPUT, "is a source: it takes data and gives none", error)
      || !leat_app_check_memory (self, "its data are where leat_session_bind_output () put them", error))
    return NULL;
  leat_app_lock (self);
  while (in_time && self->queue.length == 0 && self->state <= LEAT_APP_RUNNING)
    in_time = leat_app_wait (self, deadline);
  bytes = g_queue_pop_head (&self->queue);
  if (bytes == NULL)
    leat_app_explain_nothing (self, error);
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return bytes;
}

/**
 * leat_app_dup_spec:
 * @self: an `app` node
 *
 * Gets the spec of the data: the fixed spec once a session has begun, and otherwise the text of the property `spec`.
 *
 * Returns: (transfer full) (nullable): the spec, or %NULL when nothing is known yet
 */
LeatSpec *
leat_app_dup_spec (LeatApp *self)
{
  g_autofree char *text = NULL;
  LeatSpec *spec = NULL;

  g_return_val_if_fail (LEAT_IS_APP (self), NULL);

  /* A session that takes another spec over is not done with it when the property is no longer waiting. */
  g_object_get (self, "spec", &text, NULL);
  leat_app_lock (self);
  if (self->planned != NULL && g_strcmp0 (text, self->planned_from) == 0)
    spec = leat_spec_ref (self->planned);
  leat_app_unlock (self);
  return spec != NULL || text == NULL ? spec : leat_spec_parse (text, NULL);
}
