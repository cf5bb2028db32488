/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A path as the plan's pieces: a graph for each that is captured, in a list.  Ops between them go to the same stream
 * one by one. */

#include "leat-foreign-stream-private.h"

#include "bind/leat-bind-private.h"
#include "leat-lane-graph-private.h"

static gboolean
leat_lane_is_captured (LeatLane *self, const LeatOp *op)
{
  for (guint i = 0; i < LEAT_BOUND_PLAN (self->plan)->pieces->len; i++)
    {
      const LeatPiece *piece = &g_array_index (LEAT_BOUND_PLAN (self->plan)->pieces, LeatPiece, i);

      if (op->index >= piece->first && op->index < piece->end)
        return piece->captured;
    }
  return FALSE;
}

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
          || !leat_lane_is_captured (self, op))
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

static LeatExecutable *
leat_lane_add_executable (LeatLane *self, LeatPath path, const LeatPiece *piece)
{
  LeatExecutable *head = &self->executables[path], *it = head, *fresh;

  if (head->end == 0)
    fresh = head;
  else
    {
      while (it->next != NULL)
        it = it->next;
      fresh = it->next = g_new0 (LeatExecutable, 1);
      fresh->nodes = head->nodes;
      fresh->ends = head->ends;
      fresh->copies = head->copies;
      fresh->loops = head->loops;
      fresh->unrolled = head->unrolled;
    }
  fresh->first = piece->first;
  fresh->end = piece->end;
  return fresh;
}

static gboolean
leat_lane_has_ops (LeatLane *self, LeatPath path, const LeatPiece *piece)
{
  for (guint i = piece->first; i < piece->end; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (leat_op_is_on_device (op) && !leat_path_skips (path, op))
        return TRUE;
    }
  return FALSE;
}

static gboolean
leat_lane_build_pieces (LeatLane *self, LeatPath path, GError **error)
{
  self->executables[path].nodes = g_new0 (CUgraphNode, self->plan->ops->len + 1);
  self->executables[path].ends = g_new0 (CUgraphNode, self->plan->ops->len + 1);
  self->executables[path].copies = g_new0 (LeatTraffic, self->plan->ops->len + 1);
  self->executables[path].loops = g_new0 (LeatLoopGraph, self->plan->loops->len + 1);
  self->executables[path].unrolled = g_new0 (CUgraphNode *, self->plan->ops->len + 1);
  for (guint i = 0; i < LEAT_BOUND_PLAN (self->plan)->pieces->len; i++)
    {
      LeatPiece piece = g_array_index (LEAT_BOUND_PLAN (self->plan)->pieces, LeatPiece, i);

      if (piece.captured && leat_lane_has_ops (self, path, &piece)
          && !leat_lane_fill_graph (self, path, leat_lane_add_executable (self, path, &piece), error))
        return FALSE;
    }
  self->executables[path].is_built = TRUE;
  self->executables[path].bound = self->executables[path].made_with = self->bound;
  return TRUE;
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
      good = good && leat_lane_build_pieces (self, path, error);
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
