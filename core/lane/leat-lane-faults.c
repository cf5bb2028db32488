/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Faults while the graphs of a lane are made: the message names the node.  Where a foreign op turns out not to be
 * captured, the plan is cut there, and the bus is told. */

#include "leat-foreign-stream-private.h"
#include "bind/leat-bind-private.h"
#include "leat-lane-graph-private.h"

/* Said once, when the cut is made: which node, which call, and what it costs. */
static void
leat_lane_post_cut (LeatLane *self, const LeatOp *op, const LeatCaptureFault *fault)
{
  guint graphs = leat_plan_count_graphs (self->plan);
  guint outside = 0;
  const char *name = leat_node_get_name (op->node);
  g_autoptr (GError) warning = NULL;
  GVariantDict details;

  for (guint i = 0; i < LEAT_BOUND_PLAN (self->plan)->pieces->len; i++)
    {
      const LeatPiece *piece = &g_array_index (LEAT_BOUND_PLAN (self->plan)->pieces, LeatPiece, i);

      outside += piece->captured ? 0 : piece->n_ops;
    }
  warning = g_error_new (LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_CAPTURE,
                         "%s \"%s\": %s cannot be captured: %s; each run is %u graph launch%s and %u op%s outside, "
                         "instead of one launch",
                         leat_node_get_id (op->node), name, op->name, fault->why, graphs, graphs == 1 ? "" : "es",
                         outside, outside == 1 ? "" : "s");
  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "op", "u", op->index);
  if (fault->call != NULL)
    g_variant_dict_insert (&details, "call", "s", fault->call);
  g_variant_dict_insert (&details, "graph-launches", "u", graphs);
  g_variant_dict_insert (&details, "ops-outside", "u", outside);
  leat_bus_post (leat_pipeline_get_bus (self->plan->pipeline),
                 leat_message_new (LEAT_MESSAGE_WARNING, name, warning, g_variant_dict_end (&details)));
}

void
leat_lane_cut (LeatLane *self, LeatOp *op, LeatCaptureFault *fault)
{
  leat_plan_cut_at (self->plan, op, fault->why, self->program->loaded);
  leat_lane_post_cut (self, op, fault);
  leat_capture_fault_clear (fault);
}

gboolean
leat_lane_fail (LeatLane *self, const LeatOp *op, const char *call, CUresult result, GError **error)
{
  return leat_device_set_error (self->program->device, error, call, result, "%s \"%s\"", leat_node_get_id (op->node),
                                leat_node_get_name (op->node));
}
