/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The edges of a graph that lead to an op, and kernels that are added with edges of more than one kind. */

#include "leat-lane-private.h"
#include "bind/leat-bind-private.h"
#include "leat-lane-graph-private.h"

void
leat_edges_clear (LeatEdges *self)
{
  g_clear_pointer (&self->nodes, g_free);
  g_clear_pointer (&self->data, g_free);
  self->n = 0;
}

/* From a kernel itself, and not from an event behind it, to a kernel, and not to an event before it. */
static gboolean
leat_executable_begins_early (const LeatExecutable *it, const LeatOp *op, guint edge, gboolean apart)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);
  guint before = bound->after[edge];

  return !apart && bound->early[edge] && it->ends[before] == it->nodes[before];
}

/* @apart: there is a node before that of the op */
void
leat_executable_list_edges (const LeatExecutable *self, const LeatOp *op, gboolean apart, LeatEdges *edges)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);
  static const CUgraphEdgeData early = { .from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                                         .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC };

  *edges = (LeatEdges){ .nodes = g_new (CUgraphNode, bound->n_after + 2) };
  for (guint i = 0; i < bound->n_after; i++)
    {
      if (bound->after[i] < self->first || self->ends[bound->after[i]] == NULL)
        continue;
      edges->nodes[edges->n] = self->ends[bound->after[i]];
      if (leat_executable_begins_early (self, op, i, apart))
        {
          if (edges->data == NULL)
            edges->data = g_new0 (CUgraphEdgeData, bound->n_after + 2);
          edges->data[edges->n] = early;
        }
      edges->n++;
    }
}

CUresult
leat_lane_add_kernel_node (LeatLane *self, CUgraph graph, CUgraphNode *node, const CUDA_KERNEL_NODE_PARAMS *kernel,
                           const LeatEdges *edges, const char **call)
{
  CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_KERNEL };

  *call = "cuGraphAddKernelNode";
  if (edges->data == NULL)
    return (*self->table->cuGraphAddKernelNode) (node, graph, edges->nodes, edges->n, kernel);
  *call = "cuGraphAddNode";
  params.kernel = *kernel;
  return (*self->table->cuGraphAddNode) (node, graph, edges->nodes, edges->data, edges->n, &params);
}

/* A driver that has the call and not the means is left alone: the graph is built with full edges. */
gboolean
leat_lane_does_without_early (LeatLane *self, CUresult result)
{
  if (LEAT_BOUND_PLAN (self->plan)->prediction.early_starts == 0
      || (result != CUDA_ERROR_NOT_SUPPORTED && result != CUDA_ERROR_INVALID_VALUE))
    return FALSE;
  leat_plan_allow_early (self->plan, "the driver refuses graphs in which kernels do", self->program->loaded);
  self->is_cut_anew = TRUE;
  return TRUE;
}
