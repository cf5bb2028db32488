/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Lanes run beside each other, but for what they share: state that survives from run to run, variables of the kernels'
 * files, and foreign work, which may have memory of its own.  The ops that touch any of it run lane after lane, in the
 * order of the launches. */

#include "leat-lane-private.h"

#include "kernel/leat-kernel-source-private.h"
#include "kernel/leat-kernel-unit-private.h"

LeatTurn *
leat_turn_new (LeatDevice *device, GError **error)
{
  LeatEvent *event = leat_event_new (device, LEAT_EVENT_BLOCKING, error);
  LeatTurn *self;

  if (event == NULL)
    return NULL;
  self = g_new0 (LeatTurn, 1);
  g_atomic_ref_count_init (&self->refs);
  self->event = event;
  return self;
}

static LeatTurn *
leat_turn_ref (LeatTurn *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
leat_turn_unref (LeatTurn *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  leat_event_free (self->event);
  g_free (self);
}

/* Variables of a file are there once for all lanes.  A file that cannot be parsed is taken to have some. */
static gboolean
leat_kernel_source_has_variables (LeatKernelSource *self)
{
  g_autoptr (LeatKernelUnit) unit = leat_kernel_unit_new (leat_kernel_source_get_text (self), NULL);

  for (guint i = 0; unit != NULL && i < unit->decls->len; i++)
    {
      const LeatDecl *decl = &g_array_index (unit->decls, LeatDecl, i);

      if (decl->kind == LEAT_DECL_VARIABLE && (decl->flags & LEAT_DECL_IS_DEVICE))
        return TRUE;
    }
  return unit == NULL;
}

static gboolean
leat_op_wants_turn (LeatPlan *self, const LeatOp *op)
{
  if (op->kind == LEAT_OP_FOREIGN)
    return TRUE;
  for (guint i = 0; i < op->n_touches; i++)
    {
      const LeatBuffer *root = leat_plan_get_root (self, op->touches[i].buffer);

      if (root->kind == LEAT_BUFFER_STATE && root->scope != LEAT_STATE_LANE)
        return TRUE;
    }
  /* Where the blocks of a grid meet is in the module's memory, of which there is one for all lanes. */
  return op->kind == LEAT_OP_KERNEL && (op->cooperative || leat_kernel_source_has_variables (op->source));
}

static gboolean
leat_plan_has_turn (LeatPlan *self, const LeatOp *op)
{
  if (LEAT_BOUND_OP (op)->elided || !leat_op_is_on_device (op))
    return FALSE;
  /* A loop has its turn as a whole. */
  for (guint i = op->index + 1; op->kind == LEAT_OP_LOOP && i <= op->runs->last; i++)
    if (leat_op_wants_turn (self, leat_plan_get_op (self, i)))
      return TRUE;
  return op->loop == NULL && leat_op_wants_turn (self, op);
}

gboolean
leat_plan_takes_turns (LeatPlan *self)
{
  for (guint i = 0; i < self->ops->len; i++)
    if (leat_plan_has_turn (self, leat_plan_get_op (self, i)))
      return TRUE;
  return FALSE;
}

void
leat_lane_set_turn (LeatLane *self, LeatTurn *turn)
{
  self->turn = turn != NULL ? leat_turn_ref (turn) : NULL;
}

/* Before graphs are built: which ops are left may have changed. */
void
leat_lane_find_turn (LeatLane *self)
{
  self->turn_first = 1;
  self->turn_last = 0;
  for (guint i = 0; self->turn != NULL && i < self->plan->ops->len; i++)
    if (leat_plan_has_turn (self->plan, leat_plan_get_op (self->plan, i)))
      {
        self->turn_first = self->turn_first > self->turn_last ? i : self->turn_first;
        self->turn_last = i;
      }
}

static gboolean
leat_lane_has_turn_in (const LeatLane *self, const LeatExecutable *it)
{
  return self->turn != NULL && self->turn_first <= self->turn_last && self->turn_first >= it->first
         && self->turn_last < it->end && self->table->cuGraphAddEventWaitNode != NULL
         && self->table->cuGraphAddEventRecordNode != NULL;
}

/* @at: the first or the last op of the turn */
static gboolean
leat_lane_fail_turn (LeatLane *self, guint at, const char *call, CUresult result, GError **error)
{
  const LeatOp *op = leat_plan_get_op (self->plan, at);

  return leat_device_set_error (self->program->device, error, call, result, "the turn of a lane at %s \"%s\"",
                                leat_node_get_id (op->node), leat_node_get_name (op->node));
}

gboolean
leat_lane_begin_turn (LeatLane *self, LeatExecutable *to, GError **error)
{
  CUresult result;

  if (!leat_lane_has_turn_in (self, to))
    return TRUE;
  result = (*self->table->cuGraphAddEventWaitNode) (&to->turn, to->graph, NULL, 0, leat_event_get (self->turn->event));
  return result == CUDA_SUCCESS
         || leat_lane_fail_turn (self, self->turn_first, "cuGraphAddEventWaitNode", result, error);
}

void
leat_lane_add_turn_edge (LeatLane *self, const LeatExecutable *to, const LeatOp *op, LeatEdges *edges)
{
  if (to->turn != NULL && leat_plan_has_turn (self->plan, op))
    edges->nodes[edges->n++] = to->turn;
}

gboolean
leat_lane_end_turn (LeatLane *self, LeatPath path, LeatExecutable *to, GError **error)
{
  g_autofree CUgraphNode *after = NULL;
  CUgraphNode node;
  CUresult result;
  gsize n = 0;

  if (to->turn == NULL)
    return TRUE;
  after = g_new (CUgraphNode, to->end - to->first);
  for (guint i = to->first; i < to->end; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (!leat_path_skips (path, op) && leat_plan_has_turn (self->plan, op))
        after[n++] = to->ends[i];
    }
  result = (*self->table->cuGraphAddEventRecordNode) (&node, to->graph, after, n, leat_event_get (self->turn->event));
  return result == CUDA_SUCCESS
         || leat_lane_fail_turn (self, self->turn_last, "cuGraphAddEventRecordNode", result, error);
}

gboolean
leat_lane_await_turn (LeatLane *self, guint first, guint end, GError **error)
{
  if (G_LIKELY (self->turn == NULL) || self->turn_first > self->turn_last || self->turn_first < first
      || self->turn_first >= end)
    return TRUE;
  return leat_stream_wait (self->stream, self->turn->event, error);
}

gboolean
leat_lane_pass_turn (LeatLane *self, guint first, guint end, GError **error)
{
  if (G_LIKELY (self->turn == NULL) || self->turn_first > self->turn_last || self->turn_last < first
      || self->turn_last >= end)
    return TRUE;
  return leat_event_record (self->turn->event, self->stream, error);
}
