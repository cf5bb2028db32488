/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The session's side of an `app` node: from the start to the stop, and what each run takes from the queue or puts
 * there.  Touches the node's queue, under its lock, and the memory that it is lent for the call. */

#include "leat-app-internal-private.h"

#include "leat-graph-error.h"
#include "leat-node-private.h"
#include "leat-pipeline-private.h"

#include <string.h>

/* Under the lock: what flows from now on. */
static gboolean
leat_app_set_planned (LeatApp *self, GError **error)
{
  gboolean source = leat_endpoint_is_source (LEAT_ENDPOINT (self));
  LeatPort *port = leat_node_get_port (LEAT_NODE (self), source ? "out" : "in", error);

  if (port == NULL)
    return FALSE;
  g_clear_pointer (&self->planned, leat_spec_unref);
  self->planned = leat_spec_ref (leat_port_get_spec (port));
  g_free (self->planned_from);
  self->planned_from = g_strdup (self->spec);
  return TRUE;
}

void
leat_app_respec (LeatEndpoint *endpoint)
{
  LeatApp *self = LEAT_APP (endpoint);

  leat_app_lock (self);
  leat_app_set_planned (self, NULL);
  leat_app_unlock (self);
}

gboolean
leat_app_start (LeatEndpoint *endpoint, GError **error)
{
  LeatApp *self = LEAT_APP (endpoint);
  gboolean source = leat_endpoint_is_source (endpoint);

  leat_app_lock (self);
  if (!leat_app_set_planned (self, error))
    {
      leat_app_unlock (self);
      return FALSE;
    }
  if (!source)
    g_queue_clear_full (&self->queue, (GDestroyNotify) g_bytes_unref);
  self->state = LEAT_APP_RUNNING;
  self->woken = self->asked = FALSE;
  g_atomic_int_set (&self->dropped, 0);
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return TRUE;
}

/* Is @size right for @spec?  Fewer rows than there is room for are, where the number of rows is data. */
static gboolean
leat_app_fits (gsize size, LeatSpec *spec)
{
  guint64 capacity = leat_spec_get_bytes (spec);

  return size == capacity
         || (leat_spec_is_bounded (spec) && size < capacity && size % leat_spec_get_row_bytes (spec) == 0);
}

/* Names the node in an error.  A session does so by itself, other calls by this. */
gboolean
leat_app_prefix_title (LeatApp *self, GError **error)
{
  g_autofree char *title = leat_node_dup_title (LEAT_NODE (self));

  g_prefix_error (error, "%s: ", title);
  return FALSE;
}

gboolean
leat_app_check_size (gsize size, LeatSpec *spec, GError **error)
{
  guint64 capacity = leat_spec_get_bytes (spec);
  g_autofree char *text = NULL;

  if (leat_app_fits (size, spec))
    return TRUE;
  text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  if (leat_spec_is_bounded (spec))
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                 "%" G_GSIZE_FORMAT " bytes were pushed; %s takes a multiple of %" G_GUINT64_FORMAT
                 " bytes, at most %" G_GUINT64_FORMAT,
                 size, text, leat_spec_get_row_bytes (spec), capacity);
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                 "%" G_GSIZE_FORMAT " bytes were pushed; %s takes %" G_GUINT64_FORMAT " bytes", size, text, capacity);
  return FALSE;
}

/* Has anything been set on any node that the session has not taken over yet? */
static gboolean
leat_app_is_news_waiting (LeatApp *self)
{
  LeatPipeline *pipeline = leat_node_get_pipeline (LEAT_NODE (self));

  return pipeline != NULL && leat_changes_have_props (leat_pipeline_get_changes (pipeline));
}

/* Was another spec set, that the session has not taken over yet? */
static gboolean
leat_app_waits_for_spec (LeatApp *self)
{
  LeatPipeline *pipeline = leat_node_get_pipeline (LEAT_NODE (self));
  gboolean waits;

  if (!leat_app_is_news_waiting (self))
    return FALSE;
  leat_node_lock (LEAT_NODE (self));
  waits = leat_changes_peek_prop (leat_pipeline_get_changes (pipeline), LEAT_NODE (self),
                                  leat_node_find_prop (LEAT_NODE (self), "spec"))
          != NULL;
  leat_node_unlock (LEAT_NODE (self));
  return waits;
}

/* The next push, or why there is none.  Properties that were set before a push are for the run that takes it.  So a
 * push that was waited for is left until the session has taken those over. */
static LeatFlow
leat_app_take (LeatApp *self, gboolean wait, GBytes **bytes)
{
  LeatFlow flow;
  gboolean waited = FALSE;

  leat_app_lock (self);
  self->asked = TRUE;
  for (; wait && self->queue.length == 0 && !self->ended && !self->woken; waited = TRUE)
    leat_app_wait (self, -1);
  if (self->queue.length == 0)
    self->woken = FALSE;
  if (waited && self->queue.length > 0 && leat_app_is_news_waiting (self))
    {
      leat_app_unlock (self);
      return LEAT_FLOW_EMPTY;
    }
  *bytes = g_queue_pop_head (&self->queue);
  flow = *bytes != NULL ? LEAT_FLOW_DATA : self->ended ? LEAT_FLOW_END : LEAT_FLOW_EMPTY;
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return flow;
}

/* It is for the run after the session has taken another spec over. */
static void
leat_app_put_back (LeatApp *self, GBytes *bytes)
{
  leat_app_lock (self);
  g_queue_push_head (&self->queue, bytes);
  leat_app_unlock (self);
}

LeatFlow
leat_app_fill (LeatEndpoint *endpoint, LeatView *view, gboolean wait, GCancellable *cancellable, GError **error)
{
  LeatApp *self = LEAT_APP (endpoint);
  g_autoptr (GBytes) bytes = NULL;
  gconstpointer data;
  LeatFlow flow;
  gsize size;

  /* A call that is woken has taken nothing: its caller tells that it was called off, before the next run. */
  flow = leat_app_take (self, wait, &bytes);
  if (flow != LEAT_FLOW_DATA)
    return flow;
  data = g_bytes_get_data (bytes, &size);
  if (!leat_app_fits (size, view->spec) && leat_app_waits_for_spec (self))
    {
      leat_app_put_back (self, g_steal_pointer (&bytes));
      return LEAT_FLOW_EMPTY;
    }
  if (!leat_app_check_size (size, view->spec, error))
    return LEAT_FLOW_ERROR;
  if (size > 0)
    memcpy (view->data, data, size);
  view->count = size / leat_spec_get_row_bytes (view->spec);
  return LEAT_FLOW_DATA;
}

gboolean
leat_app_has_room (LeatApp *self, guint64 ahead)
{
  gboolean room;

  leat_app_lock (self);
  room = self->block || self->leaky != LEAT_APP_LEAKY_NONE || self->max_queue == 0
         || self->queue.length + ahead < self->max_queue;
  leat_app_unlock (self);
  return room;
}

gboolean
leat_app_refuse_result (LeatApp *self, GError **error)
{
  leat_app_lock (self);
  leat_app_refuse_full (self, "pull from it, in another thread or between runs", error);
  leat_app_unlock (self);
  return FALSE;
}

gboolean
leat_app_refuse_full (LeatApp *self, const char *advice, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK, "its queue is full with %u items: %s, or raise max-queue",
               self->queue.length, advice);
  return FALSE;
}

/* Under the lock.  Data that need not wait goes in, also of a run that is called off: it is there already. */
static gboolean
leat_app_wait_for_room (LeatApp *self, GCancellable *cancellable, GError **error)
{
  if (self->leaky != LEAT_APP_LEAKY_NONE || !leat_app_is_full (self))
    return TRUE;
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  while (self->block && leat_app_is_full (self) && !self->woken)
    leat_app_wait (self, -1);
  if (!leat_app_is_full (self))
    return TRUE;
  if (!self->block)
    return leat_app_refuse_full (self, "pull from it, in another thread or between runs", error);
  self->woken = FALSE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "waiting for a pull from it was called off");
  return FALSE;
}

gboolean
leat_app_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error)
{
  LeatApp *self = LEAT_APP (endpoint);
  g_autoptr (GBytes) bytes = NULL;
  gboolean room;

  /* A call to wake an earlier run may have come too late for it.  A thread that means this run has cancelled it before,
   * or wakes it again. */
  leat_app_lock (self);
  self->woken = FALSE;
  leat_app_unlock (self);
  bytes = g_bytes_new (view->data, leat_view_get_bytes (view));
  leat_app_lock (self);
  room = leat_app_wait_for_room (self, cancellable, error);
  if (room)
    leat_app_put (self, bytes);
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return room;
}

gboolean
leat_app_finish (LeatEndpoint *endpoint, GError **error)
{
  LeatApp *self = LEAT_APP (endpoint);

  leat_app_lock (self);
  self->state = LEAT_APP_FINISHED;
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return TRUE;
}

void
leat_app_stop (LeatEndpoint *endpoint)
{
  LeatApp *self = LEAT_APP (endpoint);

  leat_app_lock (self);
  if (self->state == LEAT_APP_RUNNING)
    self->state = LEAT_APP_STOPPED;
  /* Data that no run has asked for (another node could not begin) is there for the next session. */
  if (leat_endpoint_is_source (endpoint) && self->asked)
    {
      g_queue_clear_full (&self->queue, (GDestroyNotify) g_bytes_unref);
      g_clear_pointer (&self->planned, leat_spec_unref);
      self->ended = FALSE;
    }
  self->stops++;
  leat_app_wake_all (self);
  leat_app_unlock (self);
}

void
leat_app_unblock (LeatEndpoint *endpoint)
{
  LeatApp *self = LEAT_APP (endpoint);

  leat_app_lock (self);
  self->woken = TRUE;
  leat_app_wake_all (self);
  leat_app_unlock (self);
}
