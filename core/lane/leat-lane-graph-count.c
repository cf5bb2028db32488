/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Adds up what the driver says of the graphs of a lane.  Touches the lane's counts only. */

#include "leat-lane-graph-private.h"

static gboolean
leat_lane_fail_count (LeatLane *self, const char *call, CUresult result, GError **error)
{
  return leat_device_set_error (self->program->device, error, call, result, "the graph of a lane");
}

static gboolean leat_lane_count_nodes (LeatLane *self, CUgraph graph, LeatGraphCount *count, GError **error);

/* Captured work may be a graph in the graph. */
static gboolean
leat_lane_count_child (LeatLane *self, CUgraphNode node, LeatGraphCount *count, GError **error)
{
  CUgraph child = NULL;
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;

  if (self->table->cuGraphChildGraphNodeGetGraph != NULL)
    result = (*self->table->cuGraphChildGraphNodeGetGraph) (node, &child);
  if (result != CUDA_SUCCESS)
    return leat_lane_fail_count (self, "cuGraphChildGraphNodeGetGraph", result, error);
  return leat_lane_count_nodes (self, child, count, error);
}

/* Which way it goes. */
static gboolean
leat_lane_count_copy (LeatLane *self, CUgraphNode node, LeatGraphCount *count, GError **error)
{
  CUDA_MEMCPY3D copy = { 0 };
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;

  if (self->table->cuGraphMemcpyNodeGetParams != NULL)
    result = (*self->table->cuGraphMemcpyNodeGetParams) (node, &copy);
  if (result != CUDA_SUCCESS)
    return leat_lane_fail_count (self, "cuGraphMemcpyNodeGetParams", result, error);
  count->copies++;
  count->uploads += copy.srcMemoryType == CU_MEMORYTYPE_HOST && copy.dstMemoryType != CU_MEMORYTYPE_HOST;
  count->readbacks += copy.dstMemoryType == CU_MEMORYTYPE_HOST && copy.srcMemoryType != CU_MEMORYTYPE_HOST;
  return TRUE;
}

static gboolean
leat_lane_count_node (LeatLane *self, CUgraphNode node, LeatGraphCount *count, GError **error)
{
  CUgraphNodeType type;
  CUresult result = (*self->table->cuGraphNodeGetType) (node, &type);

  if (result != CUDA_SUCCESS)
    return leat_lane_fail_count (self, "cuGraphNodeGetType", result, error);
  if (type == CU_GRAPH_NODE_TYPE_GRAPH)
    return leat_lane_count_child (self, node, count, error);
  if (type == CU_GRAPH_NODE_TYPE_MEMCPY)
    return leat_lane_count_copy (self, node, count, error);
  count->kernels += type == CU_GRAPH_NODE_TYPE_KERNEL;
  count->fills += type == CU_GRAPH_NODE_TYPE_MEMSET;
  return TRUE;
}

static gboolean
leat_lane_count_nodes (LeatLane *self, CUgraph graph, LeatGraphCount *count, GError **error)
{
  g_autofree CUgraphNode *nodes = NULL;
  size_t n = 0;
  CUresult result = (*self->table->cuGraphGetNodes) (graph, NULL, &n);

  nodes = g_new0 (CUgraphNode, n + 1);
  if (result == CUDA_SUCCESS && n > 0)
    result = (*self->table->cuGraphGetNodes) (graph, nodes, &n);
  if (result != CUDA_SUCCESS)
    return leat_lane_fail_count (self, "cuGraphGetNodes", result, error);
  for (size_t i = 0; i < n; i++)
    if (!leat_lane_count_node (self, nodes[i], count, error))
      return FALSE;
  return TRUE;
}

/* The driver tells no kinds of edges where it knows none. */
static gboolean
leat_lane_count_edges (LeatLane *self, CUgraph graph, LeatGraphCount *count, GError **error)
{
  g_autofree CUgraphNode *nodes = NULL;
  g_autofree CUgraphEdgeData *edges = NULL;
  size_t n = 0;
  CUresult result;

  if (self->table->cuGraphGetEdges == NULL)
    return TRUE;
  result = (*self->table->cuGraphGetEdges) (graph, NULL, NULL, NULL, &n);
  nodes = g_new0 (CUgraphNode, 2 * n + 1);
  edges = g_new0 (CUgraphEdgeData, n + 1);
  if (result == CUDA_SUCCESS && n > 0)
    result = (*self->table->cuGraphGetEdges) (graph, nodes, nodes + n, edges, &n);
  if (result != CUDA_SUCCESS)
    return leat_lane_fail_count (self, "cuGraphGetEdges", result, error);
  for (size_t i = 0; i < n; i++)
    count->early_starts += edges[i].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  return TRUE;
}

static void
leat_graph_count_add (LeatGraphCount *self, const LeatGraphCount *more, guint64 times)
{
  self->kernels += times * more->kernels;
  self->copies += times * more->copies;
  self->uploads += times * more->uploads;
  self->readbacks += times * more->readbacks;
  self->fills += times * more->fills;
  self->early_starts += times * more->early_starts;
}

/* The nodes that the driver says each graph of the path has, times its launches. */
gboolean
leat_lane_count_graphs (LeatLane *self, LeatPath path, LeatGraphCount *sum, GError **error)
{
  const LeatExecutable *head = &self->executables[path];
  LeatGraphCount count = { 0 };
  gboolean good = TRUE;

  if (head->launches == head->counted_from || head->graph == NULL)
    return TRUE;
  if (!leat_device_push (self->program->device, error))
    return FALSE;
  for (const LeatExecutable *it = head; it != NULL && it->graph != NULL && good; it = it->next)
    good =
      leat_lane_count_nodes (self, it->graph, &count, error) && leat_lane_count_edges (self, it->graph, &count, error);
  leat_device_pop (self->program->device);
  if (good)
    leat_graph_count_add (sum, &count, head->launches - head->counted_from);
  return good;
}

/* Graphs that go are counted before.  A lane that outlives its session has nobody to count for. */
void
leat_lane_count_gone (LeatLane *self, LeatPath path)
{
  LeatExecutable *head = &self->executables[path];

  if (self->counts != NULL && self->counts->is_counting
      && leat_lane_count_graphs (self, path, &self->counts->gone, NULL))
    head->counted_from = head->launches;
}
