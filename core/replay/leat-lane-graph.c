/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-foreign-private.h"
#include "leat-nvtx-private.h"
#include "leat-timing-private.h"

/* Builds the CUDA graph of a path from the op list: one node an op, edges where the data say so. */

gboolean
leat_path_skips (LeatPath path, const LeatOp *op)
{
  return op->elided || op->kind == LEAT_OP_SOURCE || op->kind == LEAT_OP_SINK
         || ((path == LEAT_PATH_RESIDENT || path == LEAT_PATH_STEP) && op->kept)
         || ((path == LEAT_PATH_FIRST || path == LEAT_PATH_STEP) && op->gives_back);
}

static gboolean
leat_lane_fail (LeatLane *self, const LeatOp *op, const char *call, CUresult result, GError **error)
{
  return leat_device_set_error (self->resident->device, error, call, result, "%s \"%s\"", leat_node_get_id (op->node),
                                leat_node_get_name (op->node));
}

static CUDA_MEMCPY3D
leat_lane_get_copy (LeatLane *self, const LeatOp *op)
{
  CUDA_MEMCPY3D copy = { .WidthInBytes = leat_lane_get_moved_bytes (self, op), .Height = 1, .Depth = 1 };
  void *source;

  if (op->by_rows)
    {
      copy.Height = self->plan->traits.lanes;
      copy.srcPitch = leat_plan_get_buffer (self->plan, op->from)->stride;
      copy.dstPitch = leat_plan_get_buffer (self->plan, op->to)->stride;
    }

  leat_lane_get_end (self, op, op->from, &copy.srcDevice, &source);
  leat_lane_get_end (self, op, op->to, &copy.dstDevice, &copy.dstHost);
  copy.srcHost = source;
  copy.srcMemoryType = copy.srcHost != NULL ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  copy.dstMemoryType = copy.dstHost != NULL ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  return copy;
}

/* One more node of the op. */
static void
leat_executable_note_copy (LeatExecutable *self, const LeatOp *op, const CUDA_MEMCPY3D *copy)
{
  LeatTraffic traffic = { 0 };

  leat_traffic_add_copy (&traffic, copy->srcMemoryType == CU_MEMORYTYPE_HOST, copy->dstMemoryType == CU_MEMORYTYPE_HOST,
                         copy->WidthInBytes * copy->Height);
  leat_traffic_add (&self->copies[op->index], &traffic, 1);
  leat_traffic_add (&self->traffic, &traffic, 1);
}

static CUresult
leat_lane_add_copy (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after, gsize n_after)
{
  CUDA_MEMCPY3D copy = leat_lane_get_copy (self, op);
  CUresult result = (*self->table->cuGraphAddMemcpyNode) (&to->nodes[op->index], to->graph, after, n_after, &copy,
                                                          leat_device_get_context (self->resident->device));

  if (result == CUDA_SUCCESS)
    leat_executable_note_copy (to, op, &copy);
  return result;
}

static CUresult
leat_lane_add_fill (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after, gsize n_after)
{
  guint64 bytes = leat_lane_get_moved_bytes (self, op);
  gboolean words = bytes % 4 == 0;
  CUDA_MEMSET_NODE_PARAMS fill = {
    .dst = self->addresses[op->to],
    .value = words ? op->value * 0x01010101u : op->value,
    .elementSize = words ? 4 : 1,
    .width = words ? bytes / 4 : bytes,
    .height = op->by_rows ? self->plan->traits.lanes : 1,
    .pitch = op->by_rows ? leat_plan_get_buffer (self->plan, op->to)->stride : 0,
  };

  return (*self->table->cuGraphAddMemsetNode) (&to->nodes[op->index], to->graph, after, n_after, &fill,
                                               leat_device_get_context (self->resident->device));
}

CUfunction
leat_lane_get_function (LeatLane *self, LeatPath path, const LeatOp *op)
{
  const LeatFunction **timed = path == LEAT_PATH_TIMED ? self->resident->timed : NULL;

  return timed != NULL && timed[op->index] != NULL ? timed[op->index]->function
                                                   : self->resident->functions[op->index]->function;
}

static CUDA_KERNEL_NODE_PARAMS
leat_lane_get_kernel (LeatLane *self, LeatPath path, const LeatOp *op)
{
  return (CUDA_KERNEL_NODE_PARAMS){
    .func = leat_lane_get_function (self, path, op),
    .gridDimX = op->grid[0],
    .gridDimY = op->grid[1],
    .gridDimZ = leat_lane_get_depth (self, op),
    .blockDimX = op->block[0],
    .blockDimY = op->block[1],
    .blockDimZ = op->block[2],
    .sharedMemBytes = op->shared_bytes,
    .kernelParams = leat_lane_get_launch (self, op)->params,
  };
}

static CUresult
leat_lane_add_kernel (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op, const LeatEdges *edges,
                      const char **call)
{
  CUDA_KERNEL_NODE_PARAMS kernel = leat_lane_get_kernel (self, path, op);
  CUgraphNode *node = &to->nodes[op->index];
  CUresult result = leat_lane_add_kernel_node (self, to->graph, node, &kernel, edges, call);
  CUlaunchAttributeValue cooperative = { .cooperative = 1 };

  if (result == CUDA_SUCCESS && op->cooperative)
    {
      *call = "cuGraphKernelNodeSetAttribute";
      if (self->table->cuGraphKernelNodeSetAttribute == NULL)
        return CUDA_ERROR_NOT_SUPPORTED;
      result = (*self->table->cuGraphKernelNodeSetAttribute) (*node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &cooperative);
    }
  return result;
}

/* The plan is cut here where the capture fails, which spoils the graph. */
static gboolean
leat_lane_add_foreign_node (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after,
                            gsize n_after)
{
  LeatCaptureFault fault = { 0 };

  if (leat_lane_add_foreign (self, to, op, after, n_after, &fault))
    return TRUE;
  leat_lane_cut (self, leat_plan_get_op (self->plan, op->index), &fault);
  self->is_cut_anew = TRUE;
  return FALSE;
}

static gboolean
leat_lane_add_work (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op, const LeatEdges *edges,
                    GError **error)
{
  const char *call = NULL;
  CUresult result = CUDA_SUCCESS;

  switch (leat_op_launches (op) ? LEAT_OP_KERNEL : op->kind)
    {
    case LEAT_OP_KERNEL:
      result = leat_lane_add_kernel (self, path, to, op, edges, &call);
      break;
    case LEAT_OP_COPY:
    case LEAT_OP_TRANSFER:
      call = "cuGraphAddMemcpyNode";
      result = leat_lane_add_copy (self, to, op, edges->nodes, edges->n);
      break;
    case LEAT_OP_FILL:
      call = "cuGraphAddMemsetNode";
      result = leat_lane_add_fill (self, to, op, edges->nodes, edges->n);
      break;
    case LEAT_OP_FOREIGN:
      return leat_lane_add_foreign_node (self, to, op, edges->nodes, edges->n);
    case LEAT_OP_SOURCE:
    case LEAT_OP_SINK:
      break;
    }
  if (result == CUDA_SUCCESS)
    return TRUE;
  return edges->data != NULL && leat_lane_does_without_early (self, result)
           ? FALSE
           : leat_lane_fail (self, op, call, result, error);
}

/* One node for each lane, and one that waits for all of them where they are side by side. */
static gboolean
leat_lane_add_spread (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op, const LeatEdges *edges,
                      GError **error)
{
  guint n = self->plan->traits.lanes;
  g_autofree CUgraphNode *nodes = g_new0 (CUgraphNode, n);
  CUresult result = CUDA_SUCCESS;
  gboolean good = TRUE;

  for (guint i = 0; i < n && good; i++)
    {
      const LeatEdges before = { i > 0 ? &nodes[i - 1] : NULL, NULL, 1 };

      leat_lane_shift (self, i);
      good = leat_lane_add_work (self, path, to, op, op->in_order && i > 0 ? &before : edges, error);
      nodes[i] = to->nodes[op->index];
    }
  leat_lane_shift (self, 0);
  if (good && !op->in_order)
    result = (*self->table->cuGraphAddEmptyNode) (&to->nodes[op->index], to->graph, nodes, n);
  return good && (result == CUDA_SUCCESS || leat_lane_fail (self, op, "cuGraphAddEmptyNode", result, error));
}

static gboolean
leat_lane_add_event (LeatLane *self, LeatExecutable *to, const LeatOp *op, LeatEvent *event, const CUgraphNode *after,
                     gsize n_after, CUgraphNode *node, GError **error)
{
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;

  if (self->table->cuGraphAddEventRecordNode != NULL)
    result = (*self->table->cuGraphAddEventRecordNode) (node, to->graph, after, n_after, leat_event_get (event));
  return result == CUDA_SUCCESS || leat_lane_fail (self, op, "cuGraphAddEventRecordNode", result, error);
}

/* The op between two events: what waits for it waits for the second. */
static gboolean
leat_lane_add_between (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op, const LeatEdges *edges,
                       GError **error)
{
  CUgraphNode begin = NULL;
  const LeatEdges own = { &begin, NULL, 1 };

  return leat_lane_add_event (self, to, op, self->timing->begins[op->index], edges->nodes, edges->n, &begin, error)
         && leat_lane_add_work (self, path, to, op, &own, error)
         && leat_lane_add_event (self, to, op, self->timing->ends[op->index], &to->nodes[op->index], 1,
                                 &to->ends[op->index], error);
}

static gboolean
leat_lane_add_node (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op, GError **error)
{
  gboolean apart = path == LEAT_PATH_TIMED && leat_timing_uses_events (self->timing, op);
  g_auto (LeatEdges) edges = { 0 };

  leat_executable_list_edges (to, op, apart, &edges);
  leat_lane_add_turn_edge (self, to, op, &edges);
  if (apart)
    return leat_lane_add_between (self, path, to, op, &edges, error);
  if (op->why_spread != NULL ? !leat_lane_add_spread (self, path, to, op, &edges, error)
                             : !leat_lane_add_work (self, path, to, op, &edges, error))
    return FALSE;
  to->ends[op->index] = to->nodes[op->index];
  return TRUE;
}

static gboolean
leat_lane_instantiate (LeatLane *self, LeatExecutable *to, GError **error)
{
  LeatDevice *device = self->resident->device;
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

static gboolean
leat_lane_has_foreign (LeatLane *self, const LeatExecutable *it)
{
  for (guint i = it->first; i < it->end; i++)
    if (leat_plan_get_op (self->plan, i)->kind == LEAT_OP_FOREIGN)
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
  return it != NULL && it->exec != NULL && !leat_lane_has_foreign (self, to) ? it : NULL;
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
    return leat_device_set_error (self->resident->device, error, "cuGraphCreate", result, "a lane");
  if (!leat_lane_begin_turn (self, to, error))
    return FALSE;
  for (guint i = to->first; i < to->end; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);

      gboolean good;

      if (leat_path_skips (path, op))
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

gboolean
leat_lane_take_graph (LeatLane *self, LeatPath path, LeatLane *donor, char **why, GError **error)
{
  gboolean good;

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

/* The graph of the path that has the op in it; NULL where none has. */
LeatExecutable *
leat_lane_find_executable (LeatLane *self, LeatPath path, const LeatOp *op)
{
  LeatExecutable *it = &self->executables[path];

  while (it != NULL && (op->index < it->first || op->index >= it->end))
    it = it->next;
  return it != NULL && it->exec != NULL && it->nodes[op->index] != NULL ? it : NULL;
}

gboolean
leat_lane_update_kernel (LeatLane *self, LeatPath path, const LeatOp *op, GError **error)
{
  CUDA_KERNEL_NODE_PARAMS kernel = leat_lane_get_kernel (self, path, op);
  LeatExecutable *it = leat_lane_find_executable (self, path, op);
  CUresult result;

  if (it == NULL)
    return TRUE;
  result = (*self->table->cuGraphExecKernelNodeSetParams) (it->exec, it->nodes[op->index], &kernel);
  if (result != CUDA_SUCCESS)
    return leat_lane_fail (self, op, "cuGraphExecKernelNodeSetParams", result, error);
  self->counts->updates++;
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
                                                           leat_device_get_context (self->resident->device));
  if (result != CUDA_SUCCESS)
    return leat_lane_fail (self, op, "cuGraphExecMemcpyNodeSetParams", result, error);
  leat_traffic_take_out (&it->traffic, &it->copies[op->index]);
  it->copies[op->index] = (LeatTraffic){ 0 };
  leat_executable_note_copy (it, op, &copy);
  self->counts->updates++;
  return TRUE;
}

static void
leat_lane_destroy_executable (LeatLane *self, LeatExecutable *it)
{
  if (it->exec != NULL)
    (*self->table->cuGraphExecDestroy) (it->exec);
  if (it->graph != NULL)
    (*self->table->cuGraphDestroy) (it->graph);
}

/* Was there anything? */
static gboolean
leat_lane_destroy_executables (LeatLane *self, LeatPath path)
{
  LeatExecutable *head = &self->executables[path], *next;
  gboolean built = FALSE;

  leat_lane_drop_loops (self, path);
  for (LeatExecutable *it = head; it != NULL; it = next)
    {
      next = it->next;
      built = built || it->exec != NULL;
      leat_lane_destroy_executable (self, it);
      if (it != head)
        g_free (it);
    }
  g_free (head->nodes);
  g_free (head->ends);
  g_free (head->copies);
  *head = (LeatExecutable){ .launches = head->launches, .counted_from = head->counted_from };
  return built;
}

void
leat_lane_destroy_path (LeatLane *self, LeatPath path)
{
  gboolean pushed = leat_device_push_anyhow (self->resident->device);

  if (leat_lane_destroy_executables (self, path) && pushed)
    leat_lane_trim_graph_memory (self);
  if (pushed)
    leat_device_pop (self->resident->device);
}

void
leat_lane_destroy_graphs (LeatLane *self)
{
  gboolean pushed = leat_device_push_anyhow (self->resident->device), built = FALSE;

  for (guint i = 0; i < LEAT_N_PATHS; i++)
    built = leat_lane_destroy_executables (self, i) || built;
  if (pushed && built)
    leat_lane_trim_graph_memory (self);
  if (pushed)
    leat_device_pop (self->resident->device);
}

gboolean
leat_lane_launch_graph (LeatLane *self, LeatExecutable *it, GError **error)
{
  CUresult result = (*self->table->cuGraphLaunch) (it->exec, leat_stream_get (self->stream));

  if (result != CUDA_SUCCESS)
    return leat_device_set_error (self->resident->device, error, "cuGraphLaunch", result, "a run of %u ops",
                                  self->plan->ops->len);
  self->counts->work.launches++;
  leat_traffic_add (&self->counts->work.traffic, &it->traffic, 1);
  return TRUE;
}
