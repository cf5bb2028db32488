/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Builds the CUDA graph of a path from the op list: one node an op, edges where the data say so. */

#include "leat-nvtx-private.h"
#include "bind/leat-bind-private.h"
#include "leat-lane-graph-private.h"

static gboolean
leat_lane_instantiate (LeatLane *self, LeatExecutable *to, GError **error)
{
  LeatDevice *device = self->program->device;
  gint64 begin = g_get_monotonic_time ();
  CUresult result = (*self->table->cuGraphInstantiateWithFlags) (&to->exec, to->graph, 0);

  if (result != CUDA_SUCCESS && leat_lane_does_without_early (self, result))
    return FALSE;
  if (result != CUDA_SUCCESS)
    return leat_device_set_error (device, error, "cuGraphInstantiateWithFlags", result, "the graph of %u ops",
                                  self->plan->ops->len);
  self->counts->instantiations++;
  result = (*self->table->cuGraphUpload) (to->exec, leat_stream_get (self->stream));
  if (result != CUDA_SUCCESS)
    return leat_device_set_error (device, error, "cuGraphUpload", result, "the graph of %u ops", self->plan->ops->len);
  self->counts->instantiate_us += g_get_monotonic_time () - begin;
  return TRUE;
}

static const char *
leat_exec_update_result_get_name (CUgraphExecUpdateResult result)
{
  static const char *const names[] = {
    "success",          "the driver's error", "another topology",         "another kind of node",
    "another function", "other parameters",   "what it does not support", "a function that it cannot change to",
    "other attributes",
  };

  return (guint) result < G_N_ELEMENTS (names) ? names[result] : "an unknown reason";
}

/* Which op the driver stumbled over: a node of the new graph, or of the one that the executable was made from. */
static const LeatOp *
leat_lane_find_node (LeatLane *self, const LeatExecutable *it, CUgraphNode node)
{
  for (guint i = 0; node != NULL && i < self->plan->ops->len; i++)
    if (it->nodes[i] == node)
      return leat_plan_get_op (self->plan, i);
  return NULL;
}

static char *
leat_lane_explain_refusal (LeatLane *self, const LeatExecutable *to, LeatLane *donor, const LeatExecutable *from,
                           const CUgraphExecUpdateResultInfo *info)
{
  const char *why = leat_exec_update_result_get_name (info->result);
  const LeatOp *op = leat_lane_find_node (self, to, info->errorNode);

  if (op == NULL)
    op = leat_lane_find_node (donor, from, info->errorNode);
  if (op == NULL)
    return g_strdup_printf ("the driver does not update the executable: %s", why);
  return g_strdup_printf ("the driver does not update the executable at %s \"%s\": %s", leat_node_get_id (op->node),
                          leat_node_get_name (op->node), why);
}

/* Loops neither: whether the driver would take over their bodies is not to be relied on. */
static gboolean
leat_lane_is_unchanged (LeatLane *self, const LeatExecutable *it)
{
  for (guint i = it->first; i < it->end; i++)
    if (leat_plan_get_op (self->plan, i)->kind == LEAT_OP_FOREIGN
        || leat_plan_get_op (self->plan, i)->kind == LEAT_OP_LOOP)
      return TRUE;
  return FALSE;
}

/* That of the same piece.  Not where foreign work is captured in it: a library may have tied what its kernels use to
 * the graph that it was captured into, which goes when another executable is updated with it. */
static LeatExecutable *
leat_lane_find_donor (LeatLane *self, LeatPath path, const LeatExecutable *to)
{
  LeatExecutable *it = self->donor != NULL ? &self->donor->executables[path] : NULL;

  while (it != NULL && (it->first != to->first || it->end != to->end))
    it = it->next;
  return it != NULL && it->exec != NULL && !leat_lane_is_unchanged (self, to) ? it : NULL;
}

/* The nodes of the graph that an executable was made from stay those by which it is updated. */
static void
leat_lane_take_executable (LeatLane *self, LeatExecutable *to, LeatExecutable *from)
{
  (*self->table->cuGraphDestroy) (to->graph);
  to->graph = g_steal_pointer (&from->graph);
  to->exec = g_steal_pointer (&from->exec);
  memcpy (to->nodes + to->first, from->nodes + to->first, (to->end - to->first) * sizeof *to->nodes);
  memcpy (to->ends + to->first, from->ends + to->first, (to->end - to->first) * sizeof *to->ends);
  self->counts->graph_updates++;
}

static gboolean
leat_lane_update_executable (LeatLane *self, LeatPath path, LeatExecutable *to)
{
  CUgraphExecUpdateResultInfo info = { .result = CU_GRAPH_EXEC_UPDATE_ERROR };
  LeatExecutable *from = leat_lane_find_donor (self, path, to);
  char *why = NULL;

  if (from == NULL)
    return FALSE;
  /* Whether the driver would take over the kinds of edges is not to be relied on. */
  if (!leat_plan_has_same_early (self->plan, self->donor->plan))
    why = g_strdup ("other kernels may begin before what they depend on has ended");
  else if (self->table->cuGraphExecUpdate == NULL)
    why = g_strdup ("the driver has no cuGraphExecUpdate");
  else if ((*self->table->cuGraphExecUpdate) (from->exec, to->graph, &info) != CUDA_SUCCESS)
    why = leat_lane_explain_refusal (self, to, self->donor, from, &info);
  if (why == NULL)
    {
      leat_lane_take_executable (self, to, from);
      return TRUE;
    }
  g_free (self->refusal);
  self->refusal = why;
  return FALSE;
}

gboolean
leat_lane_fill_graph (LeatLane *self, LeatPath path, LeatExecutable *to, GError **error)
{
  CUresult result = (*self->table->cuGraphCreate) (&to->graph, 0);

  if (result != CUDA_SUCCESS)
    return leat_device_set_error (self->program->device, error, "cuGraphCreate", result, "a lane");
  if (!leat_lane_begin_turn (self, to, error))
    return FALSE;
  for (guint i = to->first; i < to->end; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);

      gboolean good;

      /* The body of one that is unrolled comes with the loop. */
      if (leat_path_skips (path, op) || (op->loop != NULL && LEAT_BOUND_LOOP (op->loop)->method == LEAT_LOOP_UNROLLED))
        continue;
      leat_nvtx_push (leat_node_get_name (op->node));
      good = leat_lane_add_node (self, path, to, op, error);
      leat_nvtx_pop ();
      if (!good)
        return FALSE;
    }
  if (!leat_lane_end_turn (self, path, to, error))
    return FALSE;
  return leat_lane_update_executable (self, path, to) || leat_lane_instantiate (self, to, error);
}

/* The graph of the path that has the op in it; NULL where none has. */
static LeatExecutable *
leat_lane_find_executable (LeatLane *self, LeatPath path, const LeatOp *op)
{
  LeatExecutable *it = &self->executables[path];

  while (it != NULL && (op->index < it->first || op->index >= it->end))
    it = it->next;
  return it != NULL && it->exec != NULL && it->nodes[op->index] != NULL ? it : NULL;
}

/* Of an op in the graph: in an unrolled loop there is one in each iteration. */
static guint64
leat_executable_count_nodes (const LeatExecutable *self, const LeatOp *op)
{
  return self->unrolled[op->index] != NULL ? op->loop->most : 1;
}

gboolean
leat_lane_update_kernel (LeatLane *self, LeatPath path, const LeatOp *op, GError **error)
{
  CUDA_KERNEL_NODE_PARAMS kernel = leat_lane_get_kernel (self, path, op);
  LeatExecutable *it = leat_lane_find_executable (self, path, op);
  CUresult result;

  if (it == NULL)
    return TRUE;
  for (guint64 i = 0; i < leat_executable_count_nodes (it, op); i++)
    {
      CUgraphNode node = it->unrolled[op->index] != NULL ? it->unrolled[op->index][i] : it->nodes[op->index];

      result = (*self->table->cuGraphExecKernelNodeSetParams) (it->exec, node, &kernel);
      if (result != CUDA_SUCCESS)
        return leat_lane_fail (self, op, "cuGraphExecKernelNodeSetParams", result, error);
      self->counts->updates++;
    }
  return TRUE;
}

gboolean
leat_lane_update_copy (LeatLane *self, LeatPath path, const LeatOp *op, GError **error)
{
  CUDA_MEMCPY3D copy = leat_lane_get_copy (self, op);
  LeatExecutable *it = leat_lane_find_executable (self, path, op);
  CUresult result;

  if (it == NULL)
    return TRUE;
  result = (*self->table->cuGraphExecMemcpyNodeSetParams) (it->exec, it->nodes[op->index], &copy,
                                                           leat_device_get_context (self->program->device));
  if (result != CUDA_SUCCESS)
    return leat_lane_fail (self, op, "cuGraphExecMemcpyNodeSetParams", result, error);
  leat_traffic_take_out (&it->traffic, &it->copies[op->index]);
  it->copies[op->index] = (LeatTraffic){ 0 };
  leat_executable_note_copy (it, op, &copy);
  self->counts->updates++;
  return TRUE;
}

typedef struct
{
  LeatDevice *device; /* owned */
  CUgraphExec exec;
  CUgraph graph;
} LeatOldGraph;

static void
leat_old_graph_release (gpointer data)
{
  LeatOldGraph *self = data;
  const LeatDriverTable *table = leat_device_get_table (self->device);

  if (self->exec != NULL)
    (*table->cuGraphExecDestroy) (self->exec);
  if (self->graph != NULL)
    (*table->cuGraphDestroy) (self->graph);
  g_object_unref (self->device);
  g_free (self);
}

/* The lane goes on without it, also where the driver cannot be asked to destroy it now. */
void
leat_lane_drop_graph (LeatLane *self, CUgraphExec exec, CUgraph graph)
{
  LeatOldGraph *old;

  if (exec == NULL && graph == NULL)
    return;
  old = g_new (LeatOldGraph, 1);
  *old = (LeatOldGraph){ g_object_ref (self->program->device), exec, graph };
  leat_device_release (old->device, old, leat_old_graph_release);
}

void
leat_lane_leave_counts (LeatLane *self)
{
  for (guint i = 0; i < LEAT_N_PATHS; i++)
    leat_lane_count_gone (self, i);
  self->counts = NULL;
}

void
leat_lane_drop_repeat (LeatLane *self, LeatRepeatGraph *repeat)
{
  leat_lane_drop_graph (self, repeat->exec, repeat->graph);
  *repeat = (LeatRepeatGraph){ 0 };
}

void
leat_lane_drop_repeats_of (LeatLane *self, LeatPath path)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->repeats); i++)
    if (self->repeats[i].graph != NULL && self->repeats[i].path == path)
      leat_lane_drop_repeat (self, &self->repeats[i]);
}
