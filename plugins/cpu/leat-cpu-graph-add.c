/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls of the driver API that add nodes, conditions and edges to a graph.  Arguments are checked first, so that a
 * refused call leaves the graph as it was. */

#include "leat-cpu-capture.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-graph.h"
#include "leat-cpu-node-params.h"

/* With the lock: the nodes must be of this graph, each once, and their edges such as a node of @type can have. */
static CUresult
leat_cpu_graph_check_dependencies (LeatCpuGraph *graph, CUgraphNodeType type, const CUgraphNode *dependencies,
                                   const CUgraphEdgeData *edges, gsize n)
{
  if (n > 0 && dependencies == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  for (gsize i = 0; i < n; i++)
    {
      LeatCpuNode *node = leat_cpu_node_from_handle (dependencies[i]);

      if (node == NULL || node->graph != graph
          || !leat_cpu_edge_is_sound (node->type, type, edges != NULL ? &edges[i] : NULL))
        return CUDA_ERROR_INVALID_VALUE;
      for (gsize k = 0; k < i; k++)
        if (dependencies[k] == dependencies[i])
          return CUDA_ERROR_INVALID_VALUE;
    }
  return CUDA_SUCCESS;
}

/* With the lock. */
static CUresult
leat_cpu_graph_add (CUgraph graph_handle, CUgraphNodeType type, const CUgraphNode *dependencies,
                    const CUgraphEdgeData *edges, gsize n, LeatCpuNode **node)
{
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (graph_handle);

  if (graph == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = leat_cpu_graph_check_dependencies (graph, type, dependencies, edges, n);
  if (result != CUDA_SUCCESS)
    return result;
  *node = leat_cpu_node_new (graph, type);
  for (gsize i = 0; i < n; i++)
    leat_cpu_node_connect ((LeatCpuNode *) dependencies[i], *node, edges != NULL ? &edges[i] : NULL);
  return CUDA_SUCCESS;
}

/* Takes the op over. */
static CUresult
leat_cpu_graph_add_op (CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                       gsize n, LeatCpuOp *op)
{
  LeatCpuNode *node = NULL;
  CUresult result = CUDA_ERROR_INVALID_VALUE;

  if (out != NULL)
    {
      leat_cpu_acquire ();
      result = leat_cpu_graph_add (graph, leat_cpu_op_get_node_type (op), dependencies, edges, n, &node);
      if (result == CUDA_SUCCESS)
        {
          leat_cpu_node_set_op (node, op);
          *out = (CUgraphNode) node;
        }
      leat_cpu_release ();
    }
  if (result != CUDA_SUCCESS)
    leat_cpu_op_clear (op);
  return result;
}

CUresult
cuGraphAddKernelNode_v2 (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
                         const CUDA_KERNEL_NODE_PARAMS *params)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_kernel (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_graph_add_op (node, graph, dependencies, NULL, n_dependencies, &op) : result;
}

CUresult
cuGraphAddMemcpyNode (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
                      const CUDA_MEMCPY3D *params, CUcontext context)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_copy (&op, params);
  if (result == CUDA_SUCCESS)
    result = leat_cpu_graph_add_op (node, graph, dependencies, NULL, n_dependencies, &op);
  if (result == CUDA_SUCCESS)
    ((LeatCpuNode *) *node)->copy_params = *params;
  return result;
}

CUresult
cuGraphAddMemsetNode (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
                      const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_set (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_graph_add_op (node, graph, dependencies, NULL, n_dependencies, &op) : result;
}

CUresult
cuGraphAddHostNode (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
                    const CUDA_HOST_NODE_PARAMS *params)
{
  LeatCpuOp op;

  LEAT_CPU_ENTER ();
  CUresult result = leat_cpu_op_init_host (&op, params);
  return result == CUDA_SUCCESS ? leat_cpu_graph_add_op (node, graph, dependencies, NULL, n_dependencies, &op) : result;
}

CUresult
cuGraphAddEmptyNode (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies)
{
  LeatCpuOp op = { .kind = LEAT_CPU_OP_EMPTY };

  LEAT_CPU_ENTER ();
  return leat_cpu_graph_add_op (node, graph, dependencies, NULL, n_dependencies, &op);
}

static CUresult
leat_cpu_graph_add_child (CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
                          const CUgraphEdgeData *edges, gsize n, LeatCpuGraph *child)
{
  LeatCpuNode *node = NULL;

  if (child == NULL || child == (LeatCpuGraph *) graph)
    return CUDA_ERROR_INVALID_VALUE;
  if (leat_cpu_graph_has_type (child, CU_GRAPH_NODE_TYPE_CONDITIONAL))
    return CUDA_ERROR_NOT_SUPPORTED;
  CUresult result = leat_cpu_graph_add (graph, CU_GRAPH_NODE_TYPE_GRAPH, dependencies, edges, n, &node);
  if (result != CUDA_SUCCESS)
    return result;
  node->child = leat_cpu_graph_clone (child);
  node->child->owner = node;
  *out = (CUgraphNode) node;
  return CUDA_SUCCESS;
}

CUresult
cuGraphAddChildGraphNode (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
                          CUgraph child)
{
  LEAT_CPU_ENTER ();
  if (node == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  CUresult result =
    leat_cpu_graph_add_child (node, graph, dependencies, NULL, n_dependencies, leat_cpu_graph_from_handle (child));
  leat_cpu_release ();
  return result;
}

static CUresult
leat_cpu_graph_add_event (CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
                          const CUgraphEdgeData *edges, gsize n, CUgraphNodeType type, CUevent handle)
{
  LeatCpuNode *node = NULL;
  CUresult result = CUDA_ERROR_INVALID_VALUE;

  if (out == NULL)
    return result;
  leat_cpu_acquire ();
  LeatCpuEvent *event = leat_cpu_event_from_handle (handle);
  if (event != NULL)
    result = leat_cpu_graph_add (graph, type, dependencies, edges, n, &node);
  if (result == CUDA_SUCCESS)
    {
      leat_cpu_node_set_event (node, event);
      *out = (CUgraphNode) node;
    }
  leat_cpu_release ();
  return result;
}

CUresult
cuGraphAddEventRecordNode (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
                           CUevent event)
{
  LEAT_CPU_ENTER ();
  return leat_cpu_graph_add_event (node, graph, dependencies, NULL, n_dependencies, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                   event);
}

CUresult
cuGraphAddEventWaitNode (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
                         CUevent event)
{
  LEAT_CPU_ENTER ();
  return leat_cpu_graph_add_event (node, graph, dependencies, NULL, n_dependencies, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
                                   event);
}

/* Graphs hold no allocation nodes here, so there is nothing that such a node could free. */
CUresult
cuGraphAddMemFreeNode (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
                       CUdeviceptr address)
{
  LEAT_CPU_ENTER ();
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult
cuGraphConditionalHandleCreate (CUgraphConditionalHandle *handle, CUgraph graph_handle, CUcontext context,
                                unsigned int initial, unsigned int flags)
{
  CUresult result = CUDA_ERROR_INVALID_VALUE;

  LEAT_CPU_ENTER ();
  if (handle == NULL || (flags & ~(guint) CU_GRAPH_COND_ASSIGN_DEFAULT) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (context == NULL)
    return CUDA_ERROR_INVALID_CONTEXT;
  leat_cpu_acquire ();
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (graph_handle);
  if (graph != NULL)
    {
      LeatCpuCondition *condition = leat_cpu_condition_new (initial, (flags & CU_GRAPH_COND_ASSIGN_DEFAULT) != 0);

      result = condition != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
      if (condition != NULL)
        {
          g_ptr_array_add (leat_cpu_graph_get_root (graph)->conditions, condition);
          *handle = condition->handle;
        }
    }
  leat_cpu_release ();
  return result;
}

/* Handles made for a body serve in the whole graph. */
static LeatCpuCondition *
leat_cpu_graph_find_condition (LeatCpuGraph *graph, CUgraphConditionalHandle handle)
{
  GPtrArray *conditions = leat_cpu_graph_get_root (graph)->conditions;

  for (guint i = 0; i < conditions->len; i++)
    {
      LeatCpuCondition *condition = g_ptr_array_index (conditions, i);

      if (condition->handle == handle)
        return condition;
    }
  return NULL;
}

static gboolean
leat_cpu_conditional_check (const CUDA_CONDITIONAL_NODE_PARAMS *params)
{
  switch (params->type)
    {
    case CU_GRAPH_COND_TYPE_IF:
      return params->size == 1 || params->size == 2;
    case CU_GRAPH_COND_TYPE_WHILE:
      return params->size == 1;
    case CU_GRAPH_COND_TYPE_SWITCH:
      return params->size >= 1;
    default:
      return FALSE;
    }
}

static CUresult
leat_cpu_graph_add_conditional (CUgraphNode *out, CUgraph graph_handle, const CUgraphNode *dependencies,
                                const CUgraphEdgeData *edges, gsize n, CUDA_CONDITIONAL_NODE_PARAMS *params)
{
  LeatCpuNode *node = NULL;
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (graph_handle);
  LeatCpuCondition *condition = graph != NULL ? leat_cpu_graph_find_condition (graph, params->handle) : NULL;

  if (params->ctx == NULL)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (condition == NULL || condition->used || !leat_cpu_conditional_check (params))
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = leat_cpu_graph_add (graph_handle, CU_GRAPH_NODE_TYPE_CONDITIONAL, dependencies, edges, n, &node);
  if (result != CUDA_SUCCESS)
    return result;
  condition->used = TRUE;
  node->conditional = (LeatCpuConditional){ condition, params->type, params->size, g_new (CUgraph, params->size) };
  for (guint i = 0; i < params->size; i++)
    {
      LeatCpuGraph *body = leat_cpu_graph_new ();

      body->owner = node;
      node->conditional.bodies[i] = (CUgraph) body;
    }
  params->phGraph_out = node->conditional.bodies;
  *out = (CUgraphNode) node;
  return CUDA_SUCCESS;
}

/* Moving a child graph in would need its nodes re-homed; only copies are taken. */
static CUresult
leat_cpu_graph_add_structure (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              const CUgraphEdgeData *edges, gsize n, CUgraphNodeParams *params)
{
  CUresult result;

  leat_cpu_acquire ();
  if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    result = leat_cpu_graph_add_conditional (node, graph, dependencies, edges, n, &params->conditional);
  else if (params->graph.ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE)
    result = CUDA_ERROR_NOT_SUPPORTED;
  else
    result =
      leat_cpu_graph_add_child (node, graph, dependencies, edges, n, leat_cpu_graph_from_handle (params->graph.graph));
  leat_cpu_release ();
  return result;
}

/* Fields that CUDA's documentation reserves must be 0. */
static gboolean
leat_cpu_node_params_are_clean (const CUgraphNodeParams *params)
{
  return params->reserved0[0] == 0 && params->reserved0[1] == 0 && params->reserved0[2] == 0 && params->reserved2 == 0;
}

CUresult
cuGraphAddNode_v2 (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                   size_t n_dependencies, CUgraphNodeParams *params)
{
  LeatCpuOp op = { .kind = LEAT_CPU_OP_EMPTY };
  CUresult result = CUDA_SUCCESS;

  LEAT_CPU_ENTER ();
  if (node == NULL || params == NULL || !leat_cpu_node_params_are_clean (params))
    return CUDA_ERROR_INVALID_VALUE;
  switch (params->type)
    {
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return leat_cpu_graph_add_structure (node, graph, dependencies, edges, n_dependencies, params);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return leat_cpu_graph_add_event (node, graph, dependencies, edges, n_dependencies, params->type,
                                       params->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      break;
    default:
      result = leat_cpu_op_init_params (&op, params);
      break;
    }
  return result == CUDA_SUCCESS ? leat_cpu_graph_add_op (node, graph, dependencies, edges, n_dependencies, &op)
                                : result;
}

/* An edge to be taken away must be there with exactly this data; one to be added must not be there with any. */
static CUresult
leat_cpu_graph_check_edge (LeatCpuGraph *graph, CUgraphNode from_handle, CUgraphNode to_handle,
                           const CUgraphEdgeData *data, gboolean add)
{
  const CUgraphEdgeData *there;
  gboolean good;

  LeatCpuNode *from = leat_cpu_node_from_handle (from_handle);
  LeatCpuNode *to = leat_cpu_node_from_handle (to_handle);

  if (from == NULL || to == NULL || from == to || from->graph != graph || to->graph != graph)
    return CUDA_ERROR_INVALID_VALUE;
  there = leat_cpu_node_find_edge (from, to);
  good = add ? there == NULL && leat_cpu_edge_is_sound (from->type, to->type, data)
             : there != NULL && leat_cpu_edge_equal (there, data);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* All edges are checked before the first one is changed. */
static CUresult
leat_cpu_graph_change_edges (CUgraph graph_handle, const CUgraphNode *from, const CUgraphNode *to,
                             const CUgraphEdgeData *edges, gsize n, gboolean add)
{
  CUresult result = CUDA_SUCCESS;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (graph_handle);
  if (graph == NULL || (n > 0 && (from == NULL || to == NULL)))
    result = CUDA_ERROR_INVALID_VALUE;
  for (gsize i = 0; i < n && result == CUDA_SUCCESS; i++)
    result = leat_cpu_graph_check_edge (graph, from[i], to[i], edges != NULL ? &edges[i] : NULL, add);
  for (gsize i = 0; i < n && result == CUDA_SUCCESS; i++)
    if (add)
      leat_cpu_node_connect ((LeatCpuNode *) from[i], (LeatCpuNode *) to[i], edges != NULL ? &edges[i] : NULL);
    else
      leat_cpu_node_disconnect ((LeatCpuNode *) from[i], (LeatCpuNode *) to[i]);
  leat_cpu_release ();
  return result;
}

CUresult
cuGraphAddDependencies_v2 (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edges,
                           size_t n_dependencies)
{
  return leat_cpu_graph_change_edges (graph, from, to, edges, n_dependencies, TRUE);
}

CUresult
cuGraphRemoveDependencies_v2 (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                              const CUgraphEdgeData *edges, size_t n_dependencies)
{
  return leat_cpu_graph_change_edges (graph, from, to, edges, n_dependencies, FALSE);
}
