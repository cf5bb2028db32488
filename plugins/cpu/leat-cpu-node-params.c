/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Parameters of graph nodes: from the driver API to ops and back, and the calls that read and change them.  Touches
 * nodes of graphs only; leat-cpu-exec-change.c changes executables. */

#include "leat-cpu-node-params.h"

#include "leat-cpu-exports.h"

CUresult
leat_cpu_op_init_kernel (LeatCpuOp *op, const CUDA_KERNEL_NODE_PARAMS *params)
{
  if (params == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if (params->func == NULL)
    return params->kern != NULL ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
  *op = (LeatCpuOp){ .kind = LEAT_CPU_OP_KERNEL, .in_graph = TRUE };
  return leat_cpu_launch_init (&op->kernel, (LeatCpuFunction *) params->func,
                               (LeatHostDim3){ params->gridDimX, params->gridDimY, params->gridDimZ },
                               (LeatHostDim3){ params->blockDimX, params->blockDimY, params->blockDimZ },
                               params->sharedMemBytes, FALSE, params->kernelParams, params->extra);
}

CUresult
leat_cpu_op_init_copy (LeatCpuOp *op, const CUDA_MEMCPY3D *params)
{
  *op = (LeatCpuOp){ .kind = LEAT_CPU_OP_COPY, .in_graph = TRUE };
  CUresult result = leat_cpu_copy_init (&op->copy, params);
  if (result == CUDA_SUCCESS && leat_cpu_copy_get_bytes (&op->copy) == 0)
    result = CUDA_ERROR_INVALID_VALUE;
  return result;
}

CUresult
leat_cpu_op_init_set (LeatCpuOp *op, const CUDA_MEMSET_NODE_PARAMS *params)
{
  *op = (LeatCpuOp){ .kind = LEAT_CPU_OP_SET, .in_graph = TRUE };
  CUresult result = leat_cpu_set_init (&op->set, params);
  if (result == CUDA_SUCCESS && leat_cpu_set_get_bytes (&op->set) == 0)
    result = CUDA_ERROR_INVALID_VALUE;
  return result;
}

CUresult
leat_cpu_op_init_host (LeatCpuOp *op, const CUDA_HOST_NODE_PARAMS *params)
{
  if (params == NULL || params->fn == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *op = (LeatCpuOp){ .kind = LEAT_CPU_OP_HOST, .in_graph = TRUE, .host = { params->fn, params->userData } };
  return CUDA_SUCCESS;
}

CUresult
leat_cpu_op_init_params (LeatCpuOp *op, const CUgraphNodeParams *params)
{
  CUDA_MEMSET_NODE_PARAMS set;

  switch (params->type)
    {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return leat_cpu_op_init_kernel (op, &params->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return leat_cpu_op_init_copy (op, &params->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      set = (CUDA_MEMSET_NODE_PARAMS){ params->memset.dst,         params->memset.pitch, params->memset.value,
                                       params->memset.elementSize, params->memset.width, params->memset.height };
      return leat_cpu_op_init_set (op, &set);
    case CU_GRAPH_NODE_TYPE_HOST:
      return leat_cpu_op_init_host (op, &params->host);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult
leat_cpu_op_check_change (const LeatCpuOp *from, const LeatCpuOp *to)
{
  if (from->kind != to->kind)
    return CUDA_ERROR_INVALID_VALUE;
  if (from->kind == LEAT_CPU_OP_KERNEL && from->kernel.cooperative != to->kernel.cooperative)
    return CUDA_ERROR_INVALID_VALUE;
  if (from->kind == LEAT_CPU_OP_COPY && (from->copy.height != to->copy.height || from->copy.depth != to->copy.depth))
    return CUDA_ERROR_INVALID_VALUE;
  if (from->kind == LEAT_CPU_OP_COPY && from->copy.direction != to->copy.direction
      && (from->copy.pageable || to->copy.pageable))
    return CUDA_ERROR_INVALID_VALUE;
  if (from->kind == LEAT_CPU_OP_SET && (from->set.height != to->set.height || from->set.element != to->set.element))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

static void
leat_cpu_node_list_kernel_params (LeatCpuNode *node)
{
  const LeatHostKernel *kernel = leat_cpu_function_get_kernel (node->op.kernel.function);

  if (node->kernel_params != NULL || kernel->n_params == 0)
    return;
  node->kernel_params = g_new (void *, kernel->n_params);
  for (guint i = 0; i < kernel->n_params; i++)
    node->kernel_params[i] = (char *) node->op.kernel.params + kernel->params[i].offset;
}

CUresult
cuGraphKernelNodeGetParams_v2 (CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS *params)
{
  CUresult result = CUDA_ERROR_INVALID_VALUE;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle_of_type (handle, CU_GRAPH_NODE_TYPE_KERNEL);
  if (node != NULL && params != NULL)
    {
      const LeatCpuLaunch *launch = &node->op.kernel;

      leat_cpu_node_list_kernel_params (node);
      *params = (CUDA_KERNEL_NODE_PARAMS){ .func = (CUfunction) launch->function,
                                           .gridDimX = launch->grid.x,
                                           .gridDimY = launch->grid.y,
                                           .gridDimZ = launch->grid.z,
                                           .blockDimX = launch->block.x,
                                           .blockDimY = launch->block.y,
                                           .blockDimZ = launch->block.z,
                                           .sharedMemBytes = launch->dynamic_shared,
                                           .kernelParams = node->kernel_params };
      result = CUDA_SUCCESS;
    }
  leat_cpu_release ();
  return result;
}

/* Takes the op over. */
static CUresult
leat_cpu_node_change (CUgraphNode handle, LeatCpuOp *op)
{
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle_of_type (handle, leat_cpu_op_get_node_type (op));
  if (node != NULL)
    {
      if (op->kind == LEAT_CPU_OP_KERNEL)
        op->kernel.cooperative = node->op.kernel.cooperative;
      leat_cpu_node_set_op (node, op);
    }
  leat_cpu_release ();
  if (node == NULL)
    leat_cpu_op_clear (op);
  return node != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGraphKernelNodeSetParams_v2 (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_kernel (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_node_change (node, &op) : result;
}

CUresult
cuGraphMemcpyNodeSetParams (CUgraphNode handle, const CUDA_MEMCPY3D *params)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_copy (&op, params);
  if (result == CUDA_SUCCESS)
    result = leat_cpu_node_change (handle, &op);
  if (result == CUDA_SUCCESS)
    ((LeatCpuNode *) handle)->copy_params = *params;
  return result;
}

CUresult
cuGraphMemsetNodeSetParams (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_set (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_node_change (node, &op) : result;
}

CUresult
cuGraphHostNodeSetParams (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_host (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_node_change (node, &op) : result;
}

CUresult
cuGraphNodeSetParams (CUgraphNode node, CUgraphNodeParams *params)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  if (params == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if (params->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
    return cuGraphEventRecordNodeSetEvent (node, params->eventRecord.event);
  if (params->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT)
    return cuGraphEventWaitNodeSetEvent (node, params->eventWait.event);
  CUresult result = leat_cpu_op_init_params (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_node_change (node, &op) : result;
}

CUresult
cuGraphMemcpyNodeGetParams (CUgraphNode handle, CUDA_MEMCPY3D *params)
{
  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle_of_type (handle, CU_GRAPH_NODE_TYPE_MEMCPY);
  if (node != NULL && params != NULL)
    *params = node->copy_params;
  leat_cpu_release ();
  return node != NULL && params != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGraphMemsetNodeGetParams (CUgraphNode handle, CUDA_MEMSET_NODE_PARAMS *params)
{
  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle_of_type (handle, CU_GRAPH_NODE_TYPE_MEMSET);
  if (node != NULL && params != NULL)
    *params = node->set_params;
  leat_cpu_release ();
  return node != NULL && params != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGraphHostNodeGetParams (CUgraphNode handle, CUDA_HOST_NODE_PARAMS *params)
{
  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle_of_type (handle, CU_GRAPH_NODE_TYPE_HOST);
  if (node != NULL && params != NULL)
    *params = (CUDA_HOST_NODE_PARAMS){ node->op.host.fn, node->op.host.data };
  leat_cpu_release ();
  return node != NULL && params != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult
leat_cpu_node_get_event (CUgraphNode handle, CUgraphNodeType type, CUevent *event)
{
  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle_of_type (handle, type);
  if (node != NULL && event != NULL)
    *event = (CUevent) node->event;
  leat_cpu_release ();
  return node != NULL && event != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult
leat_cpu_node_change_event (CUgraphNode handle, CUgraphNodeType type, CUevent event_handle)
{
  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle_of_type (handle, type);
  LeatCpuEvent *event = leat_cpu_event_from_handle (event_handle);
  if (node != NULL && event != NULL)
    leat_cpu_node_set_event (node, event);
  leat_cpu_release ();
  return node != NULL && event != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGraphEventRecordNodeGetEvent (CUgraphNode node, CUevent *event)
{
  return leat_cpu_node_get_event (node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult
cuGraphEventRecordNodeSetEvent (CUgraphNode node, CUevent event)
{
  return leat_cpu_node_change_event (node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult
cuGraphEventWaitNodeGetEvent (CUgraphNode node, CUevent *event)
{
  return leat_cpu_node_get_event (node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

CUresult
cuGraphEventWaitNodeSetEvent (CUgraphNode node, CUevent event)
{
  return leat_cpu_node_change_event (node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

CUresult
cuGraphKernelNodeGetAttribute (CUgraphNode handle, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue *value)
{
  CUresult result = CUDA_SUCCESS;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle_of_type (handle, CU_GRAPH_NODE_TYPE_KERNEL);
  if (node == NULL || value == NULL)
    result = CUDA_ERROR_INVALID_VALUE;
  else
    {
      *value = (CUkernelNodeAttrValue){ { 0 } };
      if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        value->cooperative = node->op.kernel.cooperative;
      else if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        value->priority = node->priority;
    }
  leat_cpu_release ();
  return result;
}

CUresult
cuGraphKernelNodeSetAttribute (CUgraphNode handle, CUkernelNodeAttrID attribute, const CUkernelNodeAttrValue *value)
{
  CUresult result = CUDA_SUCCESS;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle_of_type (handle, CU_GRAPH_NODE_TYPE_KERNEL);
  if (node == NULL || value == NULL)
    result = CUDA_ERROR_INVALID_VALUE;
  else if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
    node->op.kernel.cooperative = value->cooperative != 0;
  else if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
    node->priority = value->priority;
  else if (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
           || attribute == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
    result = CUDA_ERROR_NOT_SUPPORTED;
  leat_cpu_release ();
  return result;
}

CUresult
cuGraphKernelNodeCopyAttributes (CUgraphNode to_handle, CUgraphNode from_handle)
{
  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *to = leat_cpu_node_from_handle_of_type (to_handle, CU_GRAPH_NODE_TYPE_KERNEL);
  LeatCpuNode *from = leat_cpu_node_from_handle_of_type (from_handle, CU_GRAPH_NODE_TYPE_KERNEL);
  if (to != NULL && from != NULL)
    {
      to->op.kernel.cooperative = from->op.kernel.cooperative;
      to->priority = from->priority;
    }
  leat_cpu_release ();
  return to != NULL && from != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
