/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Where the data of a lane's ops lie, and how much of them is moved.  Changes nothing but the entry whose addresses the
 * lane has. */

#include "leat-executor-private.h"
#include "leat-lane-graph-private.h"

gboolean
leat_path_skips (LeatPath path, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  return bound->elided || op->kind == LEAT_OP_SOURCE || op->kind == LEAT_OP_SINK
         || ((path == LEAT_PATH_REUSED || path == LEAT_PATH_STEP) && bound->kept)
         || ((path == LEAT_PATH_FIRST || path == LEAT_PATH_STEP) && bound->gives_back);
}

CUdeviceptr
leat_lane_get_items (LeatLane *self, LeatBufferId id)
{
  const LeatBuffer *user = leat_plan_get_user (self->plan, id);

  if (user != NULL)
    return (self->addresses[self->plan->table] + (guint64) user->slot * LEAT_PLAN_SLOT_BYTES) | LEAT_SLOT_TAG;
  return self->addresses[id] + (leat_plan_get_buffer (self->plan, id)->header ? LEAT_BUFFER_HEADER : 0);
}

void
leat_lane_get_end (LeatLane *self, const LeatOp *op, LeatBufferId id, CUdeviceptr *device, void **host)
{
  const LeatBuffer *user = op->kind == LEAT_OP_TRANSFER ? leat_plan_get_user (self->plan, id) : NULL;
  const LeatBinding *binding = user != NULL ? &self->bindings[user->slot] : NULL;

  *device = binding != NULL ? binding->address : self->addresses[id];
  *host = binding == NULL ? self->hosts[id] : binding->on_device ? NULL : (void *) (guintptr) binding->given;
}

gboolean
leat_lane_lacks_bindings (LeatLane *self)
{
  for (guint i = 0; i < LEAT_BOUND_PLAN (self->plan)->user_copies->len; i++)
    {
      const LeatOp *op =
        leat_plan_get_op (self->plan, g_array_index (LEAT_BOUND_PLAN (self->plan)->user_copies, guint, i));
      const LeatBuffer *from = leat_plan_get_user (self->plan, op->from);
      const LeatBuffer *to = leat_plan_get_user (self->plan, op->to);

      if ((from != NULL && self->bindings[from->slot].given == 0)
          || (to != NULL && self->bindings[to->slot].given == 0))
        return TRUE;
    }
  return FALSE;
}

void
leat_lane_shift (LeatLane *self, guint entry)
{
  for (guint i = 0; i < self->plan->buffers->len && entry != self->shift; i++)
    {
      guint64 stride = LEAT_BOUND_BUFFER (leat_plan_get_buffer (self->plan, i))->stride;

      self->addresses[i] += stride * entry - stride * self->shift;
      if (self->hosts[i] != NULL)
        self->hosts[i] += stride * entry - stride * self->shift;
    }
  self->shift = entry;
}

guint64
leat_lane_get_moved_bytes (LeatLane *self, const LeatOp *op)
{
  if (LEAT_BOUND_PLAN (self->plan)->traits.entries == 0 || leat_op_goes_by_entry (op))
    return op->bytes;
  return (self->live - 1) * LEAT_BOUND_BUFFER (leat_plan_get_buffer (self->plan, op->to))->stride + op->bytes;
}

guint
leat_lane_get_depth (LeatLane *self, const LeatOp *op)
{
  return LEAT_BOUND_OP (op)->wide ? self->live : self->program->loaded[op->index].grid[2];
}

LeatLaunch *
leat_lane_get_launch (LeatLane *self, const LeatOp *op)
{
  return LEAT_BOUND_OP (op)->why_spread != NULL ? &self->spread[op->index][self->shift] : &self->launches[op->index];
}

/* A fault inside a graph cannot be told apart while it runs: these are the nodes that it may come from. */
char *
leat_lane_list_nodes (LeatPlan *plan)
{
  GString *text = g_string_new (NULL);
  LeatNode *last = NULL;

  for (guint i = 0; i < plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (plan, i);

      if ((op->kind == LEAT_OP_KERNEL || op->kind == LEAT_OP_FOREIGN) && op->node != last)
        g_string_append_printf (text, "%s%s \"%s\"", last != NULL ? ", " : "", leat_node_get_id (op->node),
                                leat_node_get_name (op->node));
      if (op->kind == LEAT_OP_KERNEL || op->kind == LEAT_OP_FOREIGN)
        last = op->node;
    }
  g_string_prepend (text, strchr (text->str, ',') != NULL ? "one of " : "");
  return g_string_free (text, FALSE);
}

gboolean
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
