/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Paths come and go: each has the executor that the plan's pieces ask for, which prepares it.  Foreign ops are tried
 * before. */

#include "leat-executor-private.h"

#include "leat-foreign-stream-private.h"

#include "bind/leat-bind-private.h"
#include "leat-lane-graph-private.h"

/* Finds out of all foreign work whether it can be captured, before any graph is built. */
static gboolean
leat_lane_try_foreign (LeatLane *self, GError **error)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);
      LeatCaptureFault fault = { 0 };
      CUgraph graph;
      size_t n_nodes = 0;

      if (op->kind != LEAT_OP_FOREIGN || LEAT_BOUND_OP (op)->tried || leat_op_get_why_alone (op) != NULL
          || !leat_plan_is_captured (self->plan, op))
        continue;
      graph = leat_lane_capture_foreign (self, op, &fault);
      if (graph == NULL)
        {
          leat_lane_cut (self, op, &fault);
          if (!leat_device_check (self->program->device, error))
            return FALSE;
          continue;
        }
      (*self->table->cuGraphGetNodes) (graph, NULL, &n_nodes);
      (*self->table->cuGraphDestroy) (graph);
      leat_plan_note_captured (self->plan, op, (guint) n_nodes);
    }
  return TRUE;
}

static gboolean
leat_lane_prepare (LeatLane *self, LeatPath path, GError **error)
{
  LeatExecutable *head = &self->executables[path];

  head->executor = leat_lane_choose_executor (self, path);
  head->nodes = g_new0 (CUgraphNode, self->plan->ops->len + 1);
  head->ends = g_new0 (CUgraphNode, self->plan->ops->len + 1);
  head->copies = g_new0 (LeatTraffic, self->plan->ops->len + 1);
  head->loops = g_new0 (LeatLoopGraph, self->plan->loops->len + 1);
  head->unrolled = g_new0 (CUgraphNode *, self->plan->ops->len + 1);
  if (!(*head->executor->prepare) (self, path, error))
    return FALSE;
  head->is_built = TRUE;
  head->bound = head->made_with = self->bound;
  return TRUE;
}

/* Was there anything? */
static gboolean
leat_lane_drop_path (LeatLane *self, LeatPath path)
{
  LeatExecutable *head = &self->executables[path];
  gboolean had = FALSE;

  leat_lane_count_gone (self, path);
  leat_lane_drop_repeats_of (self, path);
  if (head->executor != NULL)
    had = (*head->executor->drop) (self, path);
  g_free (head->nodes);
  g_free (head->ends);
  g_free (head->copies);
  g_free (head->loops);
  for (guint i = 0; head->unrolled != NULL && i < self->plan->ops->len; i++)
    g_free (head->unrolled[i]);
  g_free (head->unrolled);
  *head = (LeatExecutable){ .launches = head->launches, .counted_from = head->counted_from };
  return had;
}

void
leat_lane_destroy_path (LeatLane *self, LeatPath path)
{
  gboolean pushed = leat_device_push_anyhow (self->program->device);

  if (leat_lane_drop_path (self, path) && pushed)
    leat_lane_trim_graph_memory (self);
  if (pushed)
    leat_device_pop (self->program->device);
}

void
leat_lane_destroy_graphs (LeatLane *self)
{
  gboolean pushed = leat_device_push_anyhow (self->program->device), built = FALSE;

  for (guint i = 0; i < LEAT_N_PATHS; i++)
    built = leat_lane_drop_path (self, i) || built;
  if (pushed && built)
    leat_lane_trim_graph_memory (self);
  if (pushed)
    leat_device_pop (self->program->device);
}

/* Builds and instantiates what is captured of a path; of a plan without device work that is nothing.  Where a copy
 * waits for memory that the program brings, the first run builds it. */
gboolean
leat_lane_build_graph (LeatLane *self, LeatPath path, GError **error)
{
  guint64 unused;
  gboolean good;

  if (LEAT_BOUND_PLAN (self->plan)->prediction.waits == 0 || leat_lane_lacks_bindings (self))
    return TRUE;
  if (!leat_device_push (self->program->device, error))
    return FALSE;
  unused = leat_lane_get_unused_bytes (self);
  leat_lane_find_turn (self);
  good = leat_lane_try_foreign (self, error);
  do
    {
      self->is_cut_anew = FALSE;
      good = good && leat_lane_prepare (self, path, error);
      if (self->is_cut_anew)
        leat_lane_destroy_graphs (self);
      good = good || self->is_cut_anew;
    }
  while (self->is_cut_anew);
  good = good && leat_lane_synchronize (self, error);
  if (good)
    leat_lane_note_other_wait (self);
  if (good)
    leat_lane_note_graph_bytes (self, path, unused);
  else
    leat_lane_destroy_path (self, path); /* a part of it would be taken for the whole */
  self->reserved_bytes = leat_lane_get_reserved_bytes (self);
  leat_device_pop (self->program->device);
  return good;
}

gboolean
leat_lane_take_graph (LeatLane *self, LeatPath path, LeatLane *donor, char **why, GError **error)
{
  gboolean good;

  if (donor != NULL)
    leat_lane_count_gone (donor, path);
  self->donor = donor;
  good = leat_lane_build_graph (self, path, error);
  self->donor = NULL;
  if (good && donor != NULL && donor->executables[path].exec == NULL)
    {
      self->executables[path].device_bytes += donor->executables[path].device_bytes;
      donor->executables[path].device_bytes = 0;
    }
  *why = g_steal_pointer (&self->refusal);
  return good;
}
