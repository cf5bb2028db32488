/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The nodes where data enter and leave: starts, finishes and stops them, and finds the staging memory of each lane.
 * Touches LeatSessionEnds and the flights. */

#include "leat-session-private.h"

#include "graph/leat-node-private.h"
#include "leat-session-run-private.h"

/* @origins: of all buffers of the plan */
static void
leat_staging_find (const LeatLane *lane, const LeatOp *op, const LeatBufferId *origins, LeatStaging *staging)
{
  LeatBufferId id = op->touches[0].buffer;
  const LeatBuffer *buffer = leat_plan_get_buffer (lane->plan, id);

  staging->op = op;
  leat_lane_view (lane, id, &staging->view);
  staging->count = buffer->header ? (guint64 *) lane->hosts[id] : NULL;
  staging->binding = buffer->user ? &lane->bindings[buffer->slot] : NULL;
  staging->row_bytes = buffer->header ? leat_spec_get_row_bytes (buffer->spec) : 0;
  staging->most = leat_buffer_get_capacity (leat_plan_get_buffer (lane->plan, origins[id]));
}

/* That of the first lane is what programs map. */
static void
leat_session_find_staging (LeatSession *self)
{
  const LeatFlight *flight = leat_session_get_flight (self, 0);

  for (guint i = 0; i < self->ends.inputs->len; i++)
    leat_session_get_input (self, i)->staging = flight->inputs[i];
  for (guint i = 0; i < self->ends.outputs->len; i++)
    leat_session_get_output (self, i)->staging = flight->outputs[i];
}

static void
leat_session_add_flight (LeatSession *self, LeatLane *lane)
{
  g_autofree LeatBufferId *origins = leat_plan_list_origins (lane->plan);
  LeatFlight flight = {
    .lane = lane,
    .index = self->flights->len,
    .inputs = g_new0 (LeatStaging, self->ends.inputs->len + 1),
    .outputs = g_new0 (LeatStaging, self->ends.outputs->len + 1),
    .n_inputs = self->ends.inputs->len,
    .n_outputs = self->ends.outputs->len,
  };

  for (guint i = 0; i < self->ends.inputs->len; i++)
    leat_staging_find (lane, leat_session_get_input (self, i)->op, origins, &flight.inputs[i]);
  for (guint i = 0; i < self->ends.outputs->len; i++)
    leat_staging_find (lane, leat_session_get_output (self, i)->op, origins, &flight.outputs[i]);
  g_array_append_val (self->flights, flight);
}

/* Data that sources gave already for the next run was counted in the first flight. */
void
leat_session_make_flights (LeatSession *self)
{
  LeatRun run = { 0 };

  self->streaming.not_wide = NULL;
  leat_told_forget_loops (&self->told, NULL);
  if (self->flights->len > 0)
    run = leat_session_get_flight (self, 0)->run;
  g_array_set_size (self->flights, 0);
  for (guint i = 0; i < self->lanes->len; i++)
    leat_session_add_flight (self, g_ptr_array_index (self->lanes, i));
  leat_session_get_flight (self, 0)->run = run;
  leat_session_find_staging (self);
}

/* Other threads call a run off through these while the plan, and what is known of its inputs and outputs, becomes
 * another one; the nodes stay. */
static void
leat_session_list_nodes (LeatSession *self)
{
  g_ptr_array_set_size (self->ends.endpoints, 0);
  for (guint i = 0; i < self->ends.inputs->len; i++)
    g_ptr_array_add (self->ends.endpoints, leat_session_get_input (self, i)->op->node);
  for (guint i = 0; i < self->ends.outputs->len; i++)
    g_ptr_array_add (self->ends.endpoints, leat_session_get_output (self, i)->op->node);
}

gboolean
leat_session_start_endpoints (LeatSession *self, GError **error)
{
  self->ends.total_bytes = 0;
  leat_session_list_nodes (self);
  for (self->ends.started = 0; self->ends.started < self->ends.endpoints->len;)
    {
      LeatEndpoint *endpoint = g_ptr_array_index (self->ends.endpoints, self->ends.started);
      LeatEndpointClass *klass = LEAT_ENDPOINT_GET_CLASS (endpoint);

      self->ends.started++;
      if (klass->start != NULL && !klass->start (endpoint, error))
        {
          leat_node_prefix_error (LEAT_NODE (endpoint), error);
          return FALSE;
        }
      if (leat_endpoint_is_source (endpoint) && klass->get_total != NULL)
        self->ends.total_bytes += klass->get_total (endpoint);
    }
  return TRUE;
}

/* Every sink completes what it has written; the first failure is reported, the others still get their turn. */
gboolean
leat_session_finish_endpoints (LeatSession *self, GError **error)
{
  gboolean good = TRUE;

  for (guint i = 0; i < self->ends.endpoints->len; i++)
    {
      LeatEndpoint *endpoint = g_ptr_array_index (self->ends.endpoints, i);
      LeatEndpointClass *klass = LEAT_ENDPOINT_GET_CLASS (endpoint);

      if (klass->finish != NULL && !klass->finish (endpoint, good ? error : NULL))
        {
          if (good)
            leat_node_prefix_error (LEAT_NODE (endpoint), error);
          good = FALSE;
        }
    }
  return good;
}

void
leat_session_stop_endpoints (LeatSession *self)
{
  for (guint i = 0; i < self->ends.started; i++)
    {
      LeatEndpoint *endpoint = g_ptr_array_index (self->ends.endpoints, i);
      LeatEndpointClass *klass = LEAT_ENDPOINT_GET_CLASS (endpoint);

      if (klass->stop != NULL)
        klass->stop (endpoint);
    }
  self->ends.started = 0;
  g_ptr_array_set_size (self->ends.endpoints, 0);
}

void
leat_session_unblock (LeatSession *self, gboolean sources, gboolean sinks)
{
  for (guint i = 0; i < self->ends.endpoints->len; i++)
    {
      LeatEndpoint *endpoint = g_ptr_array_index (self->ends.endpoints, i);
      LeatEndpointClass *klass = LEAT_ENDPOINT_GET_CLASS (endpoint);

      if (klass->unblock != NULL && (leat_endpoint_is_source (endpoint) ? sources : sinks))
        klass->unblock (endpoint);
    }
}

void
leat_session_unblock_endpoints (LeatSession *self)
{
  leat_session_unblock (self, TRUE, TRUE);
}
