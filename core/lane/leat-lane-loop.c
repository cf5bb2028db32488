/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Loops on a lane: as a node of the graph that does its body again and again, as a body that is in the graph as often
 * as it is done, or launched by the host. */

#include "leat-lane-private.h"
#include "leat-lane-graph-private.h"

CUgraph
leat_executable_get_graph (const LeatExecutable *self, const LeatOp *op)
{
  for (const LeatPlanLoop *loop = op->loop; loop != NULL; loop = loop->parent)
    if (LEAT_BOUND_LOOP (loop)->method == LEAT_LOOP_WHILE)
      return self->loops[loop->index].body;
  return self->graph;
}

static const LeatPlanLoop *
leat_op_get_told_loop (const LeatOp *op)
{
  return op->starts != NULL ? op->starts : op->loop;
}

/* Puts the handle of a loop into its test, or the op that begins it: for the graph of a path, or 0 outside of
 * graphs. */
void
leat_lane_set_loop_handle (LeatLane *self, LeatPath path, const LeatOp *op, gboolean in_graph)
{
  LeatLaunch *launch = &self->launches[op->index];
  guint64 handle = 0;

  if (launch->handle == NULL)
    return;
  if (in_graph && LEAT_BOUND_LOOP (leat_op_get_told_loop (op))->method == LEAT_LOOP_WHILE)
    handle = self->executables[path].loops[leat_op_get_told_loop (op)->index].handle;
  memcpy (launch->handle, &handle, sizeof handle);
}

/* Before the first op that is given it. */
gboolean
leat_lane_make_loop_handle (LeatLane *self, LeatExecutable *to, const LeatPlanLoop *loop, GError **error)
{
  const LeatOp *op = leat_plan_get_op (self->plan, loop->first);
  CUresult result;

  if (to->loops[loop->index].handle != 0 || LEAT_BOUND_LOOP (loop)->method != LEAT_LOOP_WHILE)
    return TRUE;
  result = (*self->table->cuGraphConditionalHandleCreate) (
    &to->loops[loop->index].handle, leat_executable_get_graph (to, op), leat_device_get_context (self->program->device),
    1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  return result == CUDA_SUCCESS || leat_lane_fail (self, op, "cuGraphConditionalHandleCreate", result, error);
}

gboolean
leat_lane_add_while (LeatLane *self, LeatExecutable *to, const LeatOp *op, const LeatEdges *edges, GError **error)
{
  LeatLoopGraph *loop = &to->loops[op->runs->index];
  CUgraph graph = leat_executable_get_graph (to, op);
  CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
  CUresult result;

  if (!leat_lane_make_loop_handle (self, to, op->runs, error))
    return FALSE;
  params.conditional.handle = loop->handle;
  params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  params.conditional.size = 1;
  params.conditional.ctx = leat_device_get_context (self->program->device);
  result = (*self->table->cuGraphAddNode) (&to->nodes[op->index], graph, edges->nodes, NULL, edges->n, &params);
  if (result != CUDA_SUCCESS)
    return leat_lane_fail (self, op, "cuGraphAddNode", result, error);
  loop->body = params.conditional.phGraph_out[0];
  return TRUE;
}

/* The first op of an unrolled loop's body waits for what the loop waits for, and that of a later iteration for the test
 * of the one before, which waits for all of its body. */
static gboolean
leat_lane_add_iteration (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatPlanLoop *loop, guint64 iteration,
                         const LeatEdges *before, GError **error)
{
  for (guint i = loop->first + 1; i <= loop->last; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);
      g_auto (LeatEdges) edges = { 0 };

      if (leat_path_skips (path, op))
        continue;
      leat_executable_list_edges (to, op, FALSE, &edges);
      if (!leat_lane_add_work (self, path, to, op, edges.n > 0 ? &edges : before, error))
        return FALSE;
      to->ends[i] = to->nodes[i];
      to->unrolled[i][iteration] = to->nodes[i];
    }
  return TRUE;
}

gboolean
leat_lane_add_unrolled (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op, const LeatEdges *edges,
                        GError **error)
{
  const LeatPlanLoop *loop = op->runs;
  CUgraphNode last = NULL;
  LeatEdges before = *edges;

  for (guint i = loop->first + 1; i <= loop->last; i++)
    to->unrolled[i] = g_new0 (CUgraphNode, loop->most + 1);
  for (guint64 k = 0; k < loop->most; k++)
    {
      for (guint i = loop->first + 1; i <= loop->last; i++)
        to->ends[i] = NULL;
      if (!leat_lane_add_iteration (self, path, to, loop, k, &before, error))
        return FALSE;
      last = to->nodes[loop->last];
      before = (LeatEdges){ &last, NULL, 1 };
    }
  to->nodes[op->index] = last;
  return TRUE;
}

void
leat_lane_get_loop_report (LeatLane *self, const LeatPlanLoop *loop, LeatLoopReport *report)
{
  memcpy (report, self->hosts[loop->report], sizeof *report);
}

gboolean
leat_lane_has_runaway (LeatLane *self)
{
  for (guint i = 0; i < self->plan->loops->len; i++)
    {
      LeatLoopReport report;

      leat_lane_get_loop_report (self, g_ptr_array_index (self->plan->loops, i), &report);
      if (report.away > 0)
        return TRUE;
    }
  return FALSE;
}

/* Before what is launched next: what ran away in it, once or more, is told of at its end. */
void
leat_lane_forget_runaways (LeatLane *self)
{
  for (guint i = 0; i < self->plan->loops->len; i++)
    {
      const LeatPlanLoop *loop = g_ptr_array_index (self->plan->loops, i);

      ((LeatLoopReport *) self->hosts[loop->report])->away = 0;
      ((LeatLoopReport *) self->hosts[loop->report])->ends = 0;
    }
}

void
leat_lane_end_loops (LeatLane *self)
{
  for (guint i = 0; i < self->plan->loops->len; i++)
    {
      const LeatPlanLoop *loop = g_ptr_array_index (self->plan->loops, i);

      __atomic_store_n (&((LeatLoopReport *) self->hosts[loop->report])->ends, 1, __ATOMIC_RELEASE);
    }
}

/* Does any op behind the loop write where the buffer's count is? */
static gboolean
leat_lane_keeps_count (LeatLane *self, const LeatPlanLoop *loop, LeatBufferId id)
{
  CUdeviceptr count = self->addresses[id];

  for (guint i = loop->last + 1; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      for (guint t = 0; t < op->n_touches && !LEAT_BOUND_OP (op)->elided; t++)
        {
          LeatBufferId other = op->touches[t].buffer;

          if ((op->touches[t].access & LEAT_ACCESS_WRITE) != 0 && self->addresses[other] < count + LEAT_BUFFER_HEADER
              && count < self->addresses[other] + leat_plan_get_buffer (self->plan, other)->bytes)
            return FALSE;
        }
    }
  return TRUE;
}

static char *
leat_lane_dup_count (LeatLane *self, const LeatPlanLoop *loop, const LeatBuffer *buffer)
{
  guint64 count;

  if (!buffer->header || !leat_lane_keeps_count (self, loop, buffer->id)
      || (*self->table->cuMemcpyDtoH) (&count, self->addresses[buffer->id], sizeof count) != CUDA_SUCCESS)
    return g_strdup ("");
  return g_strdup_printf (" (%" G_GUINT64_FORMAT " at the end)", count);
}

/* @counts: whether the counts of what goes on are still those of the loop's end */
char *
leat_lane_dup_loop_state (LeatLane *self, const LeatPlanLoop *loop, gboolean counts)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < loop->delays->len; i++)
    {
      const LeatDelay *delay = &g_array_index (loop->delays, LeatDelay, i);
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, delay->state);
      g_autofree char *spec =
        buffer->spec != NULL ? leat_spec_to_string (buffer->spec, LEAT_SPEC_STYLE_FILE) : g_strdup ("");
      g_autofree char *count = counts ? leat_lane_dup_count (self, loop, buffer) : g_strdup ("");

      g_string_append_printf (text, "%s%s %s%s", i > 0 ? ", " : "", buffer->name, spec, count);
    }
  return g_string_free (text, FALSE);
}
