/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One op of a plan as a node of a CUDA graph. */

#include "leat-foreign-stream-private.h"
#include "leat-lane-timing-private.h"
#include "leat-lane-graph-private.h"

CUDA_MEMCPY3D
leat_lane_get_copy (LeatLane *self, const LeatOp *op)
{
  CUDA_MEMCPY3D copy = { .WidthInBytes = leat_lane_get_moved_bytes (self, op), .Height = 1, .Depth = 1 };
  void *source;

  if (LEAT_BOUND_OP (op)->by_rows)
    {
      copy.Height = LEAT_BOUND_PLAN (self->plan)->traits.entries;
      copy.srcPitch = LEAT_BOUND_BUFFER (leat_plan_get_buffer (self->plan, op->from))->stride;
      copy.dstPitch = LEAT_BOUND_BUFFER (leat_plan_get_buffer (self->plan, op->to))->stride;
    }

  leat_lane_get_end (self, op, op->from, &copy.srcDevice, &source);
  leat_lane_get_end (self, op, op->to, &copy.dstDevice, &copy.dstHost);
  copy.srcHost = source;
  copy.srcMemoryType = copy.srcHost != NULL ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  copy.dstMemoryType = copy.dstHost != NULL ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  leat_lane_copy_by_array (self, op, &copy);
  return copy;
}

/* One more node of the op. */
void
leat_executable_note_copy (LeatExecutable *self, const LeatOp *op, const CUDA_MEMCPY3D *copy)
{
  LeatTraffic traffic = { 0 };

  if (op->loop != NULL)
    return;
  leat_traffic_add_copy (&traffic, copy->srcMemoryType == CU_MEMORYTYPE_HOST, copy->dstMemoryType == CU_MEMORYTYPE_HOST,
                         copy->WidthInBytes * copy->Height * copy->Depth);
  leat_traffic_add (&self->copies[op->index], &traffic, 1);
  leat_traffic_add (&self->traffic, &traffic, 1);
}

static CUresult
leat_lane_add_copy (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after, gsize n_after)
{
  CUDA_MEMCPY3D copy = leat_lane_get_copy (self, op);
  CUresult result =
    (*self->table->cuGraphAddMemcpyNode) (&to->nodes[op->index], leat_executable_get_graph (to, op), after, n_after,
                                          &copy, leat_device_get_context (self->program->device));

  if (result == CUDA_SUCCESS)
    leat_executable_note_copy (to, op, &copy);
  return result;
}

static CUresult
leat_lane_add_fill (LeatLane *self, LeatExecutable *to, const LeatOp *op, const CUgraphNode *after, gsize n_after)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);
  guint64 bytes = leat_lane_get_moved_bytes (self, op);
  gboolean words = bytes % 4 == 0;
  CUDA_MEMSET_NODE_PARAMS fill = {
    .dst = self->addresses[op->to],
    .value = words ? op->value * 0x01010101u : op->value,
    .elementSize = words ? 4 : 1,
    .width = words ? bytes / 4 : bytes,
    .height = bound->by_rows ? LEAT_BOUND_PLAN (self->plan)->traits.entries : 1,
    .pitch = bound->by_rows ? LEAT_BOUND_BUFFER (leat_plan_get_buffer (self->plan, op->to))->stride : 0,
  };

  return (*self->table->cuGraphAddMemsetNode) (&to->nodes[op->index], leat_executable_get_graph (to, op), after,
                                               n_after, &fill, leat_device_get_context (self->program->device));
}

CUfunction
leat_lane_get_function (LeatLane *self, LeatPath path, const LeatOp *op)
{
  const LeatFunction **timed = path == LEAT_PATH_TIMED ? self->program->timed : NULL;

  return timed != NULL && timed[op->index] != NULL && op->loop == NULL ? timed[op->index]->function
                                                                       : self->program->functions[op->index]->function;
}

CUDA_KERNEL_NODE_PARAMS
leat_lane_get_kernel (LeatLane *self, LeatPath path, const LeatOp *op)
{
  const guint *grid = self->program->loaded[op->index].grid;
  LeatLaunch *launch = leat_lane_get_launch (self, op);

  leat_lane_set_loop_handle (self, path, op, TRUE);
  leat_launch_say_waits (launch, op);
  return (CUDA_KERNEL_NODE_PARAMS){
    .func = leat_lane_get_function (self, path, op),
    .gridDimX = grid[0],
    .gridDimY = grid[1],
    .gridDimZ = leat_lane_get_depth (self, op),
    .blockDimX = op->block[0],
    .blockDimY = op->block[1],
    .blockDimZ = op->block[2],
    .sharedMemBytes = op->shared_bytes,
    .kernelParams = launch->params,
  };
}

static CUresult
leat_lane_add_kernel (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op, const LeatEdges *edges,
                      const char **call)
{
  CUDA_KERNEL_NODE_PARAMS kernel = leat_lane_get_kernel (self, path, op);
  CUgraphNode *node = &to->nodes[op->index];
  CUresult result = leat_lane_add_kernel_node (self, leat_executable_get_graph (to, op), node, &kernel, edges, call);
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

gboolean
leat_lane_add_work (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op, const LeatEdges *edges,
                    GError **error)
{
  const char *call = NULL;
  CUresult result = CUDA_SUCCESS;

  switch (leat_op_launches (op) ? LEAT_OP_KERNEL : op->kind)
    {
    case LEAT_OP_KERNEL:
      if (op->starts != NULL && !leat_lane_make_loop_handle (self, to, op->starts, error))
        return FALSE;
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
    case LEAT_OP_LOOP:
      return LEAT_BOUND_LOOP (op->runs)->method == LEAT_LOOP_UNROLLED
               ? leat_lane_add_unrolled (self, path, to, op, edges, error)
               : leat_lane_add_while (self, to, op, edges, error);
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
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);
  guint n = LEAT_BOUND_PLAN (self->plan)->traits.entries;
  g_autofree CUgraphNode *nodes = g_new0 (CUgraphNode, n);
  CUresult result = CUDA_SUCCESS;
  gboolean good = TRUE;

  for (guint i = 0; i < n && good; i++)
    {
      const LeatEdges before = { i > 0 ? &nodes[i - 1] : NULL, NULL, 1 };

      leat_lane_shift (self, i);
      good = leat_lane_add_work (self, path, to, op, bound->in_order && i > 0 ? &before : edges, error);
      nodes[i] = to->nodes[op->index];
    }
  leat_lane_shift (self, 0);
  if (good && !bound->in_order)
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

gboolean
leat_lane_add_node (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op, GError **error)
{
  gboolean apart = path == LEAT_PATH_TIMED && leat_timing_uses_events (self->timing, op);
  g_auto (LeatEdges) edges = { 0 };

  leat_executable_list_edges (to, op, apart, &edges);
  leat_lane_add_turn_edge (self, to, op, &edges);
  if (apart)
    return leat_lane_add_between (self, path, to, op, &edges, error);
  if (LEAT_BOUND_OP (op)->why_spread != NULL ? !leat_lane_add_spread (self, path, to, op, &edges, error)
                                             : !leat_lane_add_work (self, path, to, op, &edges, error))
    return FALSE;
  to->ends[op->index] = to->nodes[op->index];
  return TRUE;
}
