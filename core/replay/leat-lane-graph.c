/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-lane-private.h"

/* Builds the CUDA graph of a path from the op list: one node an op, edges where the data say so. */

gboolean
leat_path_skips (LeatPath path, const LeatOp *op)
{
  return op->elided || (path == LEAT_PATH_RESIDENT && op->kept);
}

static gboolean
leat_lane_fail (LeatLane *self, const LeatOp *op, const char *call, CUresult result, GError **error)
{
  return leat_device_set_error (self->resident->device, error, call, result, "%s \"%s\"", leat_node_get_id (op->node),
                                leat_node_get_name (op->node));
}

static void
leat_lane_describe_end (LeatLane *self, LeatBufferId id, CUmemorytype *type, CUdeviceptr *device, const void **host)
{
  *host = self->hosts[id];
  *device = self->addresses[id];
  *type = *host != NULL ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

static CUresult
leat_lane_add_copy (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after, gsize n_after)
{
  CUDA_MEMCPY3D copy = { .WidthInBytes = op->bytes, .Height = 1, .Depth = 1 };
  const void *target = NULL;

  leat_lane_describe_end (self, op->from, &copy.srcMemoryType, &copy.srcDevice, &copy.srcHost);
  leat_lane_describe_end (self, op->to, &copy.dstMemoryType, &copy.dstDevice, &target);
  copy.dstHost = (void *) target;
  return (*self->table->cuGraphAddMemcpyNode) (&to->nodes[op->index], to->graph, after, n_after, &copy,
                                               leat_device_get_context (self->resident->device));
}

static CUresult
leat_lane_add_fill (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after, gsize n_after)
{
  gboolean words = op->bytes % 4 == 0;
  CUDA_MEMSET_NODE_PARAMS fill = {
    .dst = self->addresses[op->to],
    .value = words ? op->value * 0x01010101u : op->value,
    .elementSize = words ? 4 : 1,
    .width = words ? op->bytes / 4 : op->bytes,
    .height = 1,
  };

  return (*self->table->cuGraphAddMemsetNode) (&to->nodes[op->index], to->graph, after, n_after, &fill,
                                               leat_device_get_context (self->resident->device));
}

static CUDA_KERNEL_NODE_PARAMS
leat_lane_get_kernel (LeatLane *self, const LeatOp *op)
{
  return (CUDA_KERNEL_NODE_PARAMS){
    .func = self->resident->functions[op->index]->function,
    .gridDimX = op->grid[0],
    .gridDimY = op->grid[1],
    .gridDimZ = op->grid[2],
    .blockDimX = op->block[0],
    .blockDimY = op->block[1],
    .blockDimZ = op->block[2],
    .sharedMemBytes = op->shared_bytes,
    .kernelParams = self->launches[op->index].params,
  };
}

static CUresult
leat_lane_add_kernel (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after, gsize n_after)
{
  CUDA_KERNEL_NODE_PARAMS kernel = leat_lane_get_kernel (self, op);
  CUgraphNode *node = &to->nodes[op->index];
  CUresult result = (*self->table->cuGraphAddKernelNode) (node, to->graph, after, n_after, &kernel);
  CUlaunchAttributeValue cooperative = { .cooperative = 1 };

  if (result == CUDA_SUCCESS && op->cooperative)
    {
      if (self->table->cuGraphKernelNodeSetAttribute == NULL)
        return CUDA_ERROR_NOT_SUPPORTED;
      result = (*self->table->cuGraphKernelNodeSetAttribute) (*node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &cooperative);
    }
  return result;
}

static gboolean
leat_lane_add_node (LeatLane *self, LeatExecutable *to, const LeatOp *op, GError **error)
{
  g_autofree CUgraphNode *after = g_new (CUgraphNode, op->n_after + 1);
  gsize n_after = 0;
  const char *call = NULL;
  CUresult result = CUDA_SUCCESS;

  for (guint i = 0; i < op->n_after; i++)
    if (to->nodes[op->after[i]] != NULL)
      after[n_after++] = to->nodes[op->after[i]];
  switch (leat_op_launches (op) ? LEAT_OP_KERNEL : op->kind)
    {
    case LEAT_OP_KERNEL:
      call = "cuGraphAddKernelNode";
      result = leat_lane_add_kernel (self, to, op, after, n_after);
      break;
    case LEAT_OP_COPY:
    case LEAT_OP_TRANSFER:
      call = "cuGraphAddMemcpyNode";
      result = leat_lane_add_copy (self, to, op, after, n_after);
      break;
    case LEAT_OP_FILL:
      call = "cuGraphAddMemsetNode";
      result = leat_lane_add_fill (self, to, op, after, n_after);
      break;
    case LEAT_OP_SOURCE:
    case LEAT_OP_SINK:
      break;
    }
  return result == CUDA_SUCCESS || leat_lane_fail (self, op, call, result, error);
}

static gboolean
leat_lane_instantiate (LeatLane *self, LeatExecutable *to, GError **error)
{
  LeatDevice *device = self->resident->device;
  CUresult result = (*self->table->cuGraphInstantiateWithFlags) (&to->exec, to->graph, 0);

  if (result != CUDA_SUCCESS)
    return leat_device_set_error (device, error, "cuGraphInstantiate", result, "the graph of %u ops",
                                  self->plan->ops->len);
  self->counts->instantiations++;
  result = (*self->table->cuGraphUpload) (to->exec, leat_stream_get (self->stream));
  if (result != CUDA_SUCCESS)
    return leat_device_set_error (device, error, "cuGraphUpload", result, "the graph of %u ops", self->plan->ops->len);
  return TRUE;
}

static gboolean
leat_lane_fill_graph (LeatLane *self, LeatExecutable *to, LeatPath path, GError **error)
{
  CUresult result = (*self->table->cuGraphCreate) (&to->graph, 0);

  to->nodes = g_new0 (CUgraphNode, self->plan->ops->len + 1);
  if (result != CUDA_SUCCESS)
    return leat_device_set_error (self->resident->device, error, "cuGraphCreate", result, "a lane");
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);

      if (!leat_path_skips (path, op) && !leat_lane_add_node (self, to, op, error))
        return FALSE;
    }
  return TRUE;
}

/* In the device's context, or with @alive FALSE. */
static void
leat_lane_clear_executable (LeatLane *self, LeatExecutable *it, gboolean alive)
{
  if (alive && it->exec != NULL)
    (*self->table->cuGraphExecDestroy) (it->exec);
  if (alive && it->graph != NULL)
    (*self->table->cuGraphDestroy) (it->graph);
  g_free (it->nodes);
  *it = (LeatExecutable){ 0 };
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

/* The nodes of the graph that an executable was made from stay those by which it is updated. */
static gboolean
leat_lane_update_executable (LeatLane *self, LeatExecutable *to, LeatLane *donor, LeatExecutable *from, char **why)
{
  CUgraphExecUpdateResultInfo info = { .result = CU_GRAPH_EXEC_UPDATE_ERROR };

  if (self->table->cuGraphExecUpdate == NULL)
    *why = g_strdup ("the driver has no cuGraphExecUpdate");
  else if ((*self->table->cuGraphExecUpdate) (from->exec, to->graph, &info) != CUDA_SUCCESS)
    *why = leat_lane_explain_refusal (self, to, donor, from, &info);
  if (*why != NULL)
    return FALSE;
  leat_lane_clear_executable (self, to, TRUE);
  *to = *from;
  *from = (LeatExecutable){ 0 };
  to->launches = 0;
  self->counts->graph_updates++;
  return TRUE;
}

static gboolean
leat_lane_make_graph (LeatLane *self, LeatPath path, LeatLane *donor, char **why, GError **error)
{
  LeatExecutable *to = &self->executables[path];
  LeatExecutable *from = donor != NULL ? &donor->executables[path] : NULL;

  if (!leat_lane_fill_graph (self, to, path, error))
    return FALSE;
  if (from != NULL && from->exec != NULL && leat_lane_update_executable (self, to, donor, from, why))
    return TRUE;
  return leat_lane_instantiate (self, to, error) && leat_lane_synchronize (self, error);
}

/* Builds and instantiates; a plan without device work has no graph. */
gboolean
leat_lane_take_graph (LeatLane *self, LeatPath path, LeatLane *donor, char **why, GError **error)
{
  gboolean good;

  *why = NULL;
  if (self->plan->prediction.graph_launches == 0)
    return TRUE;
  if (!leat_device_push (self->resident->device, error))
    return FALSE;
  good = leat_lane_make_graph (self, path, donor, why, error);
  if (!good)
    leat_lane_clear_executable (self, &self->executables[path], TRUE);
  leat_device_pop (self->resident->device);
  return good;
}

gboolean
leat_lane_build_graph (LeatLane *self, LeatPath path, GError **error)
{
  g_autofree char *why = NULL;

  return leat_lane_take_graph (self, path, NULL, &why, error);
}

static gboolean
leat_lane_update_all_kernels (LeatLane *self, LeatPath path, GError **error)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (leat_op_launches (op) && !leat_path_skips (path, op) && !leat_lane_update_kernel (self, path, op, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
leat_lane_rebuild_executable (LeatLane *self, LeatPath path, GError **error)
{
  LeatExecutable *it = &self->executables[path];
  gboolean good;

  if (it->exec == NULL)
    return TRUE;
  if (!leat_device_push (self->resident->device, error))
    return FALSE;
  (*self->table->cuGraphExecDestroy) (g_steal_pointer (&it->exec));
  good = leat_lane_instantiate (self, it, error) && leat_lane_update_all_kernels (self, path, error)
         && leat_lane_synchronize (self, error);
  leat_device_pop (self->resident->device);
  return good;
}

gboolean
leat_lane_update_kernel (LeatLane *self, LeatPath path, const LeatOp *op, GError **error)
{
  CUDA_KERNEL_NODE_PARAMS kernel = leat_lane_get_kernel (self, op);
  LeatExecutable *it = &self->executables[path];
  CUresult result = (*self->table->cuGraphExecKernelNodeSetParams) (it->exec, it->nodes[op->index], &kernel);

  if (result != CUDA_SUCCESS)
    return leat_lane_fail (self, op, "cuGraphExecKernelNodeSetParams", result, error);
  self->counts->updates++;
  return TRUE;
}

void
leat_lane_destroy_graphs (LeatLane *self)
{
  /* A dead device's handles went with its context. */
  gboolean alive = leat_device_push (self->resident->device, NULL);

  for (guint i = 0; i < LEAT_N_PATHS; i++)
    leat_lane_clear_executable (self, &self->executables[i], alive);
  if (alive)
    leat_device_pop (self->resident->device);
}

gboolean
leat_lane_launch_graph (LeatLane *self, LeatPath path, GError **error)
{
  LeatExecutable *it = &self->executables[path];
  CUresult result = (*self->table->cuGraphLaunch) (it->exec, leat_stream_get (self->stream));

  if (result != CUDA_SUCCESS)
    return leat_device_set_error (self->resident->device, error, "cuGraphLaunch", result, "a run of %u ops",
                                  self->plan->ops->len);
  it->launches++;
  return TRUE;
}
