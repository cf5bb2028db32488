/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

#include "graph/leat-node-private.h"
#include "leat-nvtx-private.h"
#include "replay/leat-session.h"

/* The steady state.  Nothing here allocates, looks anything up by name, or parses. */

static LeatFlow
leat_session_ask (LeatSessionInput *input, LeatView *view, gboolean wait, GCancellable *cancellable, GError **error)
{
  const LeatOp *op = input->op;
  LeatEndpoint *endpoint = LEAT_ENDPOINT (op->node);
  LeatFlow flow;

  leat_nvtx_push (leat_node_get_name (op->node));
  flow = LEAT_ENDPOINT_GET_CLASS (endpoint)->fill (endpoint, view, wait, cancellable, error);
  leat_nvtx_pop ();
  if (flow == LEAT_FLOW_ERROR)
    leat_node_prefix_error (op->node, error);
  if (flow != LEAT_FLOW_DATA)
    return flow;
  input->generation++;
  if (input->staging.count != NULL)
    *input->staging.count = view->count;
  return LEAT_FLOW_DATA;
}

static LeatFlow
leat_session_fill (LeatSession *self, LeatSessionInput *input, gboolean wait, GCancellable *cancellable, GError **error)
{
  LeatView view;
  LeatFlow flow;

  leat_session_view (&input->staging, &view);
  flow = input->direct ? LEAT_FLOW_DATA : leat_session_ask (input, &view, wait, cancellable, error);
  if (flow != LEAT_FLOW_DATA)
    return flow;
  self->stats.items_in += view.count;
  self->stats.bytes_in += leat_session_get_live_bytes (&input->staging, &view);
  return LEAT_FLOW_DATA;
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
leat_session_fill_flush (LeatSession *self, LeatLane *lane, GError **error)
{
  if (!self->plan->flush || self->flushed)
    return LEAT_FLOW_END;
  self->flushed = TRUE;
  for (guint i = 0; i < self->inputs->len; i++)
    {
      LeatSessionInput *input = leat_session_get_input (self, i);

      leat_lane_set_count (lane, input->op->touches[0].buffer, 0);
      input->generation++;
    }
  return leat_lane_set_ending (lane, error) ? LEAT_FLOW_DATA : LEAT_FLOW_ERROR;
}

/* With no source there is one run: constants in, results out.  It is the first and the last. */
static LeatFlow
leat_session_fill_constants (LeatSession *self, LeatLane *lane, GError **error)
{
  if (self->stats.runs > 0)
    return LEAT_FLOW_END;
  if (self->plan->flush && !leat_lane_set_ending (lane, error))
    return LEAT_FLOW_ERROR;
  return LEAT_FLOW_DATA;
}

static LeatFlow
leat_session_fill_all (LeatSession *self, LeatLane *lane, gboolean wait, GCancellable *cancellable, GError **error)
{
  if (self->flushed)
    return LEAT_FLOW_END;
  if (self->inputs->len == 0)
    return leat_session_fill_constants (self, lane, error);
  for (; self->n_filled < self->inputs->len; self->n_filled++)
    {
      LeatSessionInput *input = leat_session_get_input (self, self->n_filled);
      LeatFlow flow = leat_session_fill (self, input, wait, cancellable, error);

      if (flow == LEAT_FLOW_END && self->n_filled > 0)
        leat_session_warn_uneven (self, input->op);
      if (flow == LEAT_FLOW_END)
        return leat_session_fill_flush (self, lane, error);
      if (flow != LEAT_FLOW_DATA)
        return flow;
    }
  self->n_filled = 0;
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
leat_session_drain (LeatSession *self, LeatSessionOutput *output, GCancellable *cancellable, GError **error)
{
  const LeatOp *op = output->op;
  LeatEndpoint *endpoint = LEAT_ENDPOINT (op->node);
  LeatView view;
  gboolean good;

  leat_session_view (&output->staging, &view);
  if (G_UNLIKELY (view.count > output->staging.most))
    return leat_session_fail_overflow (self, op, &view, error);
  self->stats.bytes_out += leat_session_get_live_bytes (&output->staging, &view);
  if (output->direct)
    return TRUE;
  leat_nvtx_push (leat_node_get_name (op->node));
  good = LEAT_ENDPOINT_GET_CLASS (endpoint)->drain (endpoint, &view, cancellable, error);
  leat_nvtx_pop ();
  if (!good)
    leat_node_prefix_error (op->node, error);
  return good;
}

static gboolean
leat_session_drain_all (LeatSession *self, GCancellable *cancellable, GError **error)
{
  for (guint i = 0; i < self->outputs->len; i++)
    if (!leat_session_drain (self, leat_session_get_output (self, i), cancellable, error))
      return FALSE;
  return TRUE;
}

/* Is what the program gave for the last run still on the device, and is nothing else to be brought there? */
static LeatPath
leat_session_choose_path (LeatSession *self)
{
  if (!self->reuse || self->plan->why_not_reusable != NULL || self->flushed)
    return LEAT_PATH_FULL;
  for (guint i = 0; i < self->inputs->len; i++)
    {
      const LeatSessionInput *input = leat_session_get_input (self, i);

      if (input->on_device != input->generation)
        return LEAT_PATH_FULL;
    }
  return LEAT_PATH_RESIDENT;
}

/* The first run that can take a path pays for its graph; each brings what was bound since the last. */
static gboolean
leat_session_prepare_path (LeatSession *self, LeatLane *lane, LeatPath path, GError **error)
{
  if (self->plan->users->len > 0 && !leat_lane_bring_bindings (lane, path, error))
    return FALSE;
  if (G_LIKELY (lane->executables[path].is_built))
    return TRUE;
  self->levels_changed = TRUE;
  return leat_lane_build_graph (lane, path, error);
}

/* What is on the device is known only when a run has completed; from before the launch until then it is nothing. */
static void
leat_session_note_on_device (LeatSession *self, gboolean completed)
{
  for (guint i = 0; i < self->inputs->len; i++)
    {
      LeatSessionInput *input = leat_session_get_input (self, i);

      input->on_device = completed ? input->generation : 0;
    }
}

/* From the next launch on the smallest pieces are graphs too. */
static G_NO_INLINE void
leat_session_settle_plan (LeatSession *self)
{
  self->levels_changed = TRUE;
  if (leat_plan_settle (self->plan))
    for (guint i = 0; i < self->lanes->len; i++)
      leat_lane_destroy_graphs (g_ptr_array_index (self->lanes, i));
}

static gboolean
leat_session_launch_path (LeatSession *self, LeatLane *lane, LeatPath path, GError **error)
{
  gboolean good;

  leat_nvtx_push ("launch");
  good =
    path == LEAT_PATH_TIMED ? leat_session_launch_measured (self, lane, error) : leat_lane_launch (lane, path, error);
  leat_nvtx_pop ();
  if (G_UNLIKELY (self->flight.traced) && path != LEAT_PATH_TIMED)
    self->marks[LEAT_MARK_LAUNCHED] = leat_session_now_ns ();
  return good;
}

static gboolean
leat_session_launch_work (LeatSession *self, LeatLane *lane, GError **error)
{
  gboolean measured = lane->timing != NULL && leat_session_is_next_measured (self);
  LeatPath path = measured ? LEAT_PATH_TIMED : leat_session_choose_path (self);

  if (self->plan->prediction.waits == 0)
    return TRUE;
  if (G_UNLIKELY (self->plan->holds_back && self->stats.runs >= LEAT_SESSION_RUNS_TO_SETTLE))
    leat_session_settle_plan (self);
  if (!leat_session_prepare_path (self, lane, path, error))
    return FALSE;
  leat_session_note_on_device (self, FALSE);
  if (!leat_session_launch_path (self, lane, path, error))
    return FALSE;
  self->flight.path = path;
  self->flight.measured = measured;
  self->flight.launched = TRUE;
  return TRUE;
}

/* Where a kernel says what was wrong, a count that came of it says nothing more. */
static gboolean
leat_session_check_run (LeatSession *self, LeatLane *lane, GError **error)
{
  if (leat_session_check_reports (self, lane, error))
    return leat_lane_check_overs (lane, error);
  leat_lane_check_overs (lane, NULL);
  return FALSE;
}

/* How long a run took is known only to who waited for it from its launch on. */
static gboolean
leat_session_wait_for_work (LeatSession *self, LeatLane *lane, gint64 *ended_us, GError **error)
{
  LeatSessionFlight *flight = &self->flight;
  gboolean good;

  leat_nvtx_push ("wait");
  if (flight->watched)
    good = leat_lane_check_wait (lane, leat_waiter_collect (self->waiter, ended_us), error);
  else
    {
      good = leat_lane_wait (lane, g_atomic_int_get (&self->wait), error);
      *ended_us = g_get_monotonic_time ();
    }
  leat_nvtx_pop ();
  if (G_UNLIKELY (flight->traced || flight->measured))
    self->marks[LEAT_MARK_COMPUTED] = leat_session_now_ns ();
  flight->launched = flight->watched = FALSE;
  if (!good || (flight->measured && !leat_session_read_measured (self, lane, error))
      || !leat_session_check_run (self, lane, error))
    return FALSE;
  if (lane->timing != NULL && !flight->measured)
    leat_session_note_unmeasured (self, *ended_us - flight->filled_us);
  leat_session_note_on_device (self, TRUE);
  leat_lane_note_wait (lane, *ended_us - flight->filled_us);
  self->stats.runs_of[flight->measured ? LEAT_PATH_FULL : flight->path]++;
  self->stats.bytes_up += self->up_bytes[flight->path];
  self->stats.bytes_back += self->back_bytes[flight->path];
  return TRUE;
}

/* A run whose result was known, or that has none, is no measurement of anything. */
static void
leat_session_note_recalled (LeatSession *self)
{
  if (self->stats.runs++ == 0)
    self->stats.first_us = g_get_monotonic_time () - self->open_since_us;
}

/* @sink_us: how long the sinks took */
static void
leat_session_note_times (LeatSession *self, const LeatSessionFlight *flight, gint64 ended_us, gint64 sink_us)
{
  LeatSessionStats *stats = &self->stats;
  gint64 device_us = ended_us - flight->filled_us;

  if (stats->runs++ == 0)
    stats->first_us = g_get_monotonic_time () - self->open_since_us;
  if (stats->device_max_us == 0)
    stats->device_min_us = G_MAXINT64;
  stats->source_us += flight->filled_us - flight->begin_us;
  stats->device_us += device_us;
  stats->sink_us += sink_us;
  stats->device_min_us = MIN (stats->device_min_us, device_us);
  stats->device_max_us = MAX (stats->device_max_us, device_us);
}

static void
leat_session_mark_filled (LeatSession *self)
{
  self->marks[LEAT_MARK_FILLED] = leat_session_now_ns ();
  self->marks[LEAT_MARK_HANDED] = self->marks[LEAT_MARK_LAUNCHED] = self->marks[LEAT_MARK_COMPUTED] =
    self->marks[LEAT_MARK_FILLED];
}

/* Does any source have to be asked for its data, or any sink to be given them?  A clock that nobody needs is not looked
 * at. */
static gboolean
leat_session_asks (LeatSession *self)
{
  for (guint i = 0; i < self->inputs->len; i++)
    if (!leat_session_get_input (self, i)->direct)
      return TRUE;
  return FALSE;
}

static gboolean
leat_session_gives (LeatSession *self)
{
  for (guint i = 0; i < self->outputs->len; i++)
    if (!leat_session_get_output (self, i)->direct)
      return TRUE;
  return FALSE;
}

LeatFlow
leat_session_begin_run (LeatSession *self, LeatLane *lane, gboolean wait, GCancellable *cancellable, GError **error)
{
  LeatSessionFlight *flight = &self->flight;
  gboolean asks = leat_session_asks (self);
  LeatFlow flow;

  *flight = (LeatSessionFlight){ .begin_us = asks ? g_get_monotonic_time () : 0 };
  if (!leat_device_check (self->device, error))
    return LEAT_FLOW_ERROR;
  flight->traced = leat_session_is_traced (self);
  if (G_UNLIKELY (flight->traced))
    self->marks[LEAT_MARK_BEGUN] = leat_session_now_ns ();
  flow = leat_session_fill_all (self, lane, wait, cancellable, error);
  if (flow != LEAT_FLOW_DATA)
    return flow;
  if (!leat_session_take_changes (self, error))
    return LEAT_FLOW_ERROR;
  flight->known = leat_session_recall (self);
  if (!flight->known && self->to_calibrate
      && (!leat_session_prepare_path (self, lane, LEAT_PATH_FULL, error)
          || !leat_session_calibrate (self, lane, error)))
    return LEAT_FLOW_ERROR;
  if (asks || !flight->known)
    flight->filled_us = g_get_monotonic_time ();
  flight->begin_us = asks ? flight->begin_us : flight->filled_us;
  if (G_UNLIKELY (flight->traced))
    leat_session_mark_filled (self);
  return flight->known || leat_session_launch_work (self, lane, error) ? LEAT_FLOW_DATA : LEAT_FLOW_ERROR;
}

LeatFlow
leat_session_end_run (LeatSession *self, LeatLane *lane, GCancellable *cancellable, GError **error)
{
  LeatSessionFlight *flight = &self->flight;
  gint64 ended_us = flight->filled_us;
  gint64 computed_us;
  gboolean gives = leat_session_gives (self);

  if (flight->known)
    {
      leat_session_note_recalled (self);
      if (!leat_session_drain_all (self, cancellable, error))
        return LEAT_FLOW_ERROR;
      if (G_UNLIKELY (flight->traced))
        leat_session_trace_run (self, lane, TRUE);
      return LEAT_FLOW_DATA;
    }
  if (flight->launched && !leat_session_wait_for_work (self, lane, &ended_us, error))
    {
      if (flight->refused)
        leat_session_note_recalled (self);
      return LEAT_FLOW_ERROR;
    }
  computed_us = gives ? g_get_monotonic_time () : 0;
  /* A result that is known already would come without what was reported of it. */
  if (G_LIKELY (!flight->reported))
    leat_session_remember (self);
  if (!leat_session_drain_all (self, cancellable, error))
    return LEAT_FLOW_ERROR;
  leat_session_note_times (self, flight, ended_us, gives ? g_get_monotonic_time () - computed_us : 0);
  if (G_UNLIKELY (flight->traced))
    leat_session_trace_run (self, lane, FALSE);
  return LEAT_FLOW_DATA;
}
