/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The data that sources give to a run and sinks take from it. */

#include "leat-session-private.h"

#include "graph/leat-app-private.h"
#include "graph/leat-graph-error.h"
#include "graph/leat-node-private.h"
#include "graph/leat-pipeline-private.h"
#include "lane/leat-nvtx-private.h"
#include "leat-session-run-private.h"

#include <sys/resource.h>

/* The outcome of asking a source. */
static LeatFlow
leat_session_take_flow (const LeatSessionInput *input, const LeatStaging *staging, const LeatView *view, LeatFlow flow,
                        GError **error)
{
  if (flow == LEAT_FLOW_ERROR)
    leat_node_prefix_error (input->op->node, error);
  if (flow == LEAT_FLOW_DATA && staging->count != NULL)
    *staging->count = view->count;
  return flow;
}

/* A push that does not fit is dropped, and its source asked for another one: what others gave for that run is there. */
static void
leat_session_look_at_refusal (LeatSessionInput *input, LeatFlight *flight, GError **error)
{
  if (input->app != NULL && error != NULL)
    flight->run.refused = g_error_matches (*error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA);
}

static LeatFlow
leat_session_ask (LeatSessionInput *input, const LeatStaging *staging, LeatView *view, gboolean wait,
                  GCancellable *cancellable, GError **error)
{
  LeatEndpoint *endpoint = LEAT_ENDPOINT (input->op->node);
  LeatFlow flow;

  leat_nvtx_push (leat_node_get_name (input->op->node));
  flow = LEAT_ENDPOINT_GET_CLASS (endpoint)->fill (endpoint, view, wait, cancellable, error);
  leat_nvtx_pop ();
  return leat_session_take_flow (input, staging, view, flow, error);
}

void
leat_session_watch_inputs (LeatSession *self, LeatInputWatch watch, gpointer data)
{
  self->ends.watch = watch;
  self->ends.watch_data = data;
}

static void
leat_session_note_filled (LeatSession *self, LeatSessionInput *input, LeatFlight *flight, const LeatStaging *staging,
                          const LeatView *view)
{
  if (G_UNLIKELY (self->ends.watch != NULL))
    self->ends.watch (input->op->node, view, self->ends.watch_data);
  input->generation += !input->direct;
  flight->run.items += view->count;
  flight->run.bytes += leat_staging_get_live_bytes (staging, view);
}

static LeatFlow
leat_session_fill (LeatSession *self, LeatFlight *flight, guint index, gboolean wait, GCancellable *cancellable,
                   GError **error)
{
  LeatSessionInput *input = leat_session_get_input (self, index);
  const LeatStaging *staging = &flight->inputs[index];
  LeatView view;
  LeatFlow flow;

  leat_staging_view (staging, &view);
  flow = input->direct ? LEAT_FLOW_DATA : leat_session_ask (input, staging, &view, wait, cancellable, error);
  if (flow == LEAT_FLOW_DATA)
    leat_session_note_filled (self, input, flight, staging, &view);
  if (G_UNLIKELY (flow == LEAT_FLOW_ERROR))
    leat_session_look_at_refusal (input, flight, error);
  return flow;
}

/* With several sources a run would be begun by some of them alone where others can not. */
gboolean
leat_session_begin_fill (LeatSession *self, LeatFlight *flight)
{
  LeatSessionInput *input = self->ends.inputs->len == 1 ? leat_session_get_input (self, 0) : NULL;
  LeatEndpoint *endpoint = input != NULL && !input->direct ? LEAT_ENDPOINT (input->op->node) : NULL;
  LeatView view;

  if (endpoint == NULL || LEAT_ENDPOINT_GET_CLASS (endpoint)->begin == NULL)
    return FALSE;
  leat_staging_view (&flight->inputs[0], &view);
  return LEAT_ENDPOINT_GET_CLASS (endpoint)->begin (endpoint, &view);
}

LeatFlow
leat_session_complete_fill (LeatSession *self, LeatFlight *flight, GError **error)
{
  LeatSessionInput *input = leat_session_get_input (self, 0);
  const LeatStaging *staging = &flight->inputs[0];
  LeatEndpoint *endpoint = LEAT_ENDPOINT (input->op->node);
  LeatView view;
  LeatFlow flow;

  leat_staging_view (staging, &view);
  leat_nvtx_push (leat_node_get_name (input->op->node));
  flow = LEAT_ENDPOINT_GET_CLASS (endpoint)->complete (endpoint, &view, error);
  leat_nvtx_pop ();
  if (leat_session_take_flow (input, staging, &view, flow, error) == LEAT_FLOW_DATA)
    leat_session_note_filled (self, input, flight, staging, &view);
  return flow;
}

/* Once, at the end, and only where somebody loses something. */
static G_NO_INLINE void
leat_session_warn_uneven (LeatSession *self, const LeatOp *ended)
{
  g_autoptr (GError) warning =
    g_error_new (LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_UNEVEN,
                 "%s \"%s\" ended while other sources had more to give; what they gave last is dropped",
                 leat_node_get_id (ended->node), leat_node_get_name (ended->node));

  leat_bus_post (leat_pipeline_get_bus (self->pipeline),
                 leat_message_new (LEAT_MESSAGE_WARNING, leat_node_get_name (ended->node), warning, NULL));
}

/* A run with no data at all, so that nodes give out what they kept. */
static LeatFlow
leat_session_fill_flush (LeatSession *self, LeatFlight *flight)
{
  if (!self->plan->flush || self->ends.flushed)
    return LEAT_FLOW_END;
  self->ends.flushed = TRUE;
  for (guint i = 0; i < self->ends.inputs->len; i++)
    {
      LeatSessionInput *input = leat_session_get_input (self, i);

      leat_lane_set_count (flight->lane, input->op->touches[0].buffer, 0);
      input->generation++;
    }
  flight->run.flushes = flight->run.ends = TRUE;
  return LEAT_FLOW_DATA;
}

/* With no source there is one run: constants in, results out.  It is the first and the last. */
static LeatFlow
leat_session_fill_constants (LeatSession *self, LeatFlight *flight)
{
  if (self->told.ledger.stats.runs > 0)
    return LEAT_FLOW_END;
  flight->run.ends = self->plan->flush;
  return LEAT_FLOW_DATA;
}

/* Is there any source that is asked for its data? */
gboolean
leat_session_asks (LeatSession *self)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    if (!leat_session_get_input (self, i)->direct)
      return TRUE;
  return FALSE;
}

/* Was a property set while sources were waited for, that can be taken over before this run?  One of a source that has
 * given its data is for the next. */
static gboolean
leat_session_has_news (LeatSession *self)
{
  LeatChanges *changes = leat_pipeline_get_changes (self->pipeline);

  if (G_LIKELY (!leat_changes_have_props (changes)) || !leat_session_asks (self))
    return FALSE;
  for (guint i = 0; i < self->ends.inputs->len; i++)
    if (leat_changes_have_props_of (changes, leat_session_get_input (self, i)->op->node))
      return FALSE;
  return TRUE;
}

void
leat_session_keep_read (LeatSession *self, const LeatFlight *flight)
{
  if (flight->run.flushes)
    self->ends.flushed = FALSE;
  else
    self->ends.n_filled = self->ends.inputs->len;
}

static LeatSessionOutput *
leat_session_find_full (LeatSession *self, guint64 ahead)
{
  for (guint i = 0; i < self->ends.outputs->len; i++)
    {
      LeatSessionOutput *output = leat_session_get_output (self, i);

      if (output->app != NULL && !output->direct && !leat_app_has_room (output->app, ahead))
        return output;
    }
  return NULL;
}

gboolean
leat_session_has_room (LeatSession *self, guint64 ahead)
{
  return leat_session_find_full (self, ahead) == NULL;
}

gboolean
leat_session_check_sinks (LeatSession *self, GError **error)
{
  const LeatSessionOutput *full = leat_session_find_full (self, 0);

  if (G_LIKELY (full == NULL))
    return TRUE;
  leat_app_refuse_result (full->app, error);
  leat_node_prefix_error (full->op->node, error);
  return FALSE;
}

LeatFlow
leat_session_fill_all (LeatSession *self, LeatFlight *flight, gboolean wait, GCancellable *cancellable, GError **error)
{
  if (self->ends.flushed)
    return LEAT_FLOW_END;
  if (self->ends.inputs->len == 0)
    return leat_session_fill_constants (self, flight);
  for (; self->ends.n_filled < self->ends.inputs->len; self->ends.n_filled++)
    {
      LeatFlow flow = leat_session_fill (self, flight, self->ends.n_filled, wait, cancellable, error);

      if (flow == LEAT_FLOW_END && self->ends.n_filled > 0)
        leat_session_warn_uneven (self, leat_session_get_input (self, self->ends.n_filled)->op);
      if (flow == LEAT_FLOW_END)
        return leat_session_fill_flush (self, flight);
      if (flow != LEAT_FLOW_DATA)
        return flow;
    }
  if (G_UNLIKELY (leat_session_has_news (self)))
    return LEAT_FLOW_EMPTY;
  self->ends.n_filled = 0;
  if (self->ends.inputs->len > 1)
    leat_flight_check_aligned (flight, self->told.bus, &self->told.ledger.stats.runs);
  return LEAT_FLOW_DATA;
}

/* A sink finds out; the node whose output was too small is the cause. */
G_NO_INLINE gboolean
leat_session_fail_overflow (LeatSession *self, const LeatOp *op, const LeatView *view, GError **error)
{
  const LeatBuffer *buffer = leat_plan_get_origin (self->plan, op->touches[0].buffer);

  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW,
               "there are %" G_GUINT64_FORMAT " items to give in %s, but room for %" G_GUINT64_FORMAT
               "; give that output a larger spec",
               view->count, buffer->name, leat_buffer_get_capacity (buffer));
  leat_node_prefix_error (leat_plan_find_writer (self->plan, buffer->id), error);
  return FALSE;
}

static gboolean
leat_session_drain (LeatSession *self, LeatFlight *flight, guint index, GCancellable *cancellable, GError **error)
{
  const LeatSessionOutput *output = leat_session_get_output (self, index);
  const LeatStaging *staging = &flight->outputs[index];
  const LeatOp *op = output->op;
  LeatEndpoint *endpoint = LEAT_ENDPOINT (op->node);
  LeatView view;
  gboolean good;

  leat_staging_view (staging, &view);
  if (G_UNLIKELY (view.count > staging->most))
    return leat_session_fail_overflow (self, op, &view, error);
  flight->run.taken += leat_staging_get_live_bytes (staging, &view);
  if (output->direct)
    return TRUE;
  leat_nvtx_push (leat_node_get_name (op->node));
  good = LEAT_ENDPOINT_GET_CLASS (endpoint)->drain (endpoint, &view, cancellable, error);
  leat_nvtx_pop ();
  if (!good)
    leat_node_prefix_error (op->node, error);
  return good;
}

gboolean
leat_session_drain_all (LeatSession *self, LeatFlight *flight, GCancellable *cancellable, GError **error)
{
  for (guint i = 0; i < self->ends.outputs->len; i++)
    if (!leat_session_drain (self, flight, i, cancellable, error))
      return FALSE;
  return TRUE;
}

static gint64
leat_watch_sum_us (const struct rusage *usage)
{
  return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * G_USEC_PER_SEC + usage->ru_utime.tv_usec
         + usage->ru_stime.tv_usec;
}

void
leat_session_begin_watch (LeatSession *self, LeatWatch *watch)
{
  struct rusage usage;

  if (!self->ends.watches_waits)
    return;
  getrusage (RUSAGE_THREAD, &usage);
  *watch = (LeatWatch){ g_get_monotonic_time (), leat_watch_sum_us (&usage), usage.ru_nvcsw };
}

/* Time in which another thread had the processor was no waiting. */
void
leat_session_end_watch (LeatSession *self, const LeatWatch *watch)
{
  struct rusage usage;

  if (!self->ends.watches_waits)
    return;
  getrusage (RUSAGE_THREAD, &usage);
  if (usage.ru_nvcsw > watch->n_waits)
    self->ends.waited_us += g_get_monotonic_time () - watch->begin_us - (leat_watch_sum_us (&usage) - watch->busy_us);
}
