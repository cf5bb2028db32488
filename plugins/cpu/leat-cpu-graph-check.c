/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Rules for graphs with conditional nodes, such as what the bodies of these may hold. */

#include "leat-cpu-graph.h"

/* Every condition made must steer a node. */
static gboolean
leat_cpu_graph_uses_conditions (LeatCpuGraph *graph)
{
  for (guint i = 0; i < graph->conditions->len; i++)
    if (!((LeatCpuCondition *) g_ptr_array_index (graph->conditions, i))->used)
      return FALSE;
  return TRUE;
}

/* Conditional bodies run on the device alone: they hold no host functions, no events, and no copies from or to memory
 * that only the host's processor reaches. */
static gboolean
leat_cpu_graph_is_sound_body (LeatCpuGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

      if (node->type == CU_GRAPH_NODE_TYPE_HOST || node->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD
          || node->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT)
        return FALSE;
      if (node->op.kind == LEAT_CPU_OP_COPY && node->op.copy.pageable)
        return FALSE;
      if (node->child != NULL && !leat_cpu_graph_is_sound_body (node->child))
        return FALSE;
      for (guint b = 0; b < node->conditional.n_bodies; b++)
        if (!leat_cpu_graph_is_sound_body ((LeatCpuGraph *) node->conditional.bodies[b]))
          return FALSE;
    }
  return TRUE;
}

/* Conditional nodes are in no child graphs, so those of the graph itself are the outermost. */
static gboolean
leat_cpu_graph_bodies_are_sound (LeatCpuGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

      for (guint b = 0; b < node->conditional.n_bodies; b++)
        if (!leat_cpu_graph_is_sound_body ((LeatCpuGraph *) node->conditional.bodies[b]))
          return FALSE;
    }
  return TRUE;
}

LeatCpuGraph *
leat_cpu_graph_get_root (LeatCpuGraph *graph)
{
  while (graph->owner != NULL)
    graph = graph->owner->graph;
  return graph;
}

gboolean
leat_cpu_graph_is_in_body (LeatCpuGraph *graph)
{
  for (LeatCpuNode *owner = graph->owner; owner != NULL; owner = owner->graph->owner)
    if (owner->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
      return TRUE;
  return FALSE;
}

CUgraphInstantiateResult
leat_cpu_graph_check_bodies (LeatCpuGraph *graph)
{
  if (!leat_cpu_graph_uses_conditions (graph))
    return CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED;
  if (!leat_cpu_graph_bodies_are_sound (graph))
    return CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
  return CUDA_GRAPH_INSTANTIATE_SUCCESS;
}
