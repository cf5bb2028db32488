/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls of the driver API that make, clone and destroy graphs, and list their nodes and edges.  Lists are copied into
 * the caller's arrays. */

#include "leat-cpu-capture.h"
#include "leat-cpu-count.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-graph.h"

CUresult
cuGraphCreate (CUgraph *graph, unsigned int flags)
{
  LEAT_CPU_ENTER ();
  if (graph == NULL || flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  *graph = (CUgraph) leat_cpu_graph_new ();
  leat_cpu_release ();
  return CUDA_SUCCESS;
}

CUresult
cuGraphDestroy (CUgraph handle)
{
  CUresult result = leat_cpu_enter_to_give_back (FALSE);

  if (result != CUDA_SUCCESS)
    return result;
  leat_cpu_acquire ();
  LeatCpuGraph *graph = (LeatCpuGraph *) handle;
  gboolean own = graph != NULL && graph->owner == NULL
                 && (graph->magic == LEAT_CPU_GRAPH_MAGIC || graph->magic == LEAT_CPU_GRAPH_BROKEN_MAGIC);
  own = own && (!graph->captures || leat_cpu_capture_forget_graph (graph));
  if (own)
    leat_cpu_graph_free (graph);
  leat_cpu_release ();
  return own ? leat_cpu_get_failure () : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGraphDestroyNode (CUgraphNode handle)
{
  CUresult result = CUDA_SUCCESS;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle (handle);
  if (node == NULL)
    result = CUDA_ERROR_INVALID_VALUE;
  else
    leat_cpu_node_free (node);
  leat_cpu_release ();
  return result;
}

CUresult
cuGraphClone (CUgraph *clone, CUgraph original)
{
  CUresult result = CUDA_SUCCESS;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (original);
  if (graph == NULL || clone == NULL)
    result = CUDA_ERROR_INVALID_VALUE;
  else if (leat_cpu_graph_has_type (graph, CU_GRAPH_NODE_TYPE_CONDITIONAL))
    result = CUDA_ERROR_NOT_SUPPORTED;
  else
    *clone = (CUgraph) leat_cpu_graph_clone (graph);
  leat_cpu_release ();
  return result;
}

static LeatCpuNode *
leat_cpu_graph_find_clone (LeatCpuGraph *graph, LeatCpuNode *original)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);
      LeatCpuNode *found = node->clone_of == original ? node : NULL;

      if (found == NULL && node->child != NULL)
        found = leat_cpu_graph_find_clone (node->child, original);
      if (found != NULL)
        return found;
    }
  return NULL;
}

CUresult
cuGraphNodeFindInClone (CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
  LeatCpuNode *found = NULL;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (clone);
  if (graph != NULL && original != NULL)
    found = leat_cpu_graph_find_clone (graph, (LeatCpuNode *) original);
  leat_cpu_release ();
  if (found == NULL || node == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *node = (CUgraphNode) found;
  return CUDA_SUCCESS;
}

static gboolean
leat_cpu_node_is_listed (LeatCpuNode *node, gboolean roots_only)
{
  return !roots_only || node->from->len == 0;
}

/* Without room to write to, the number is what is asked for; with more room than nodes, the rest becomes NULL. */
static CUresult
leat_cpu_graph_list_nodes (CUgraph handle, CUgraphNode *nodes, gsize *n_nodes, gboolean roots_only)
{
  gsize n = 0;

  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (handle);
  for (guint i = 0; graph != NULL && n_nodes != NULL && i < graph->nodes->len; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

      if (!leat_cpu_node_is_listed (node, roots_only))
        continue;
      if (nodes != NULL && n < *n_nodes)
        nodes[n] = (CUgraphNode) node;
      n++;
    }
  leat_cpu_release ();
  if (graph == NULL || n_nodes == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  for (gsize i = n; nodes != NULL && i < *n_nodes; i++)
    nodes[i] = NULL;
  *n_nodes = nodes != NULL ? MIN (n, *n_nodes) : n;
  return CUDA_SUCCESS;
}

CUresult
cuGraphGetNodes (CUgraph graph, CUgraphNode *nodes, size_t *n_nodes)
{
  return leat_cpu_graph_list_nodes (graph, nodes, n_nodes, FALSE);
}

CUresult
cuGraphGetRootNodes (CUgraph graph, CUgraphNode *nodes, size_t *n_nodes)
{
  return leat_cpu_graph_list_nodes (graph, nodes, n_nodes, TRUE);
}

/* A caller that takes no data of edges gets CUDA_ERROR_LOSSY_QUERY where an edge has some. */
CUresult
cuGraphGetEdges_v2 (CUgraph handle, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *n_edges)
{
  gboolean lossy = FALSE;
  gsize n = 0;

  LEAT_CPU_ENTER ();
  if (n_edges == NULL || (from == NULL) != (to == NULL))
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (handle);
  for (guint i = 0; graph != NULL && i < graph->nodes->len; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

      for (guint e = 0; e < node->from->len; e++, n++)
        if (from != NULL && n < *n_edges)
          {
            from[n] = (CUgraphNode) leat_cpu_node_get_from (node, e)->node;
            to[n] = (CUgraphNode) node;
            if (edges != NULL)
              edges[n] = leat_cpu_node_get_from (node, e)->data;
            else
              lossy = lossy || !leat_cpu_edge_is_plain (&leat_cpu_node_get_from (node, e)->data);
          }
    }
  leat_cpu_release ();
  if (graph == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if (lossy)
    return CUDA_ERROR_LOSSY_QUERY;
  *n_edges = from != NULL ? MIN (n, *n_edges) : n;
  return CUDA_SUCCESS;
}

static CUresult
leat_cpu_node_list_edges (CUgraphNode handle, CUgraphNode *nodes, CUgraphEdgeData *data, gsize *n_nodes,
                          gboolean forward)
{
  gboolean lossy = FALSE;

  LEAT_CPU_ENTER ();
  if (n_nodes == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle (handle);
  GArray *edges = node == NULL ? NULL : forward ? node->to : node->from;
  for (guint i = 0; edges != NULL && nodes != NULL && i < MIN (edges->len, *n_nodes); i++)
    {
      nodes[i] = (CUgraphNode) g_array_index (edges, LeatCpuEdge, i).node;
      if (data != NULL)
        data[i] = g_array_index (edges, LeatCpuEdge, i).data;
      else
        lossy = lossy || !leat_cpu_edge_is_plain (&g_array_index (edges, LeatCpuEdge, i).data);
    }
  if (edges != NULL)
    *n_nodes = nodes != NULL ? MIN (edges->len, *n_nodes) : edges->len;
  leat_cpu_release ();
  if (lossy)
    return CUDA_ERROR_LOSSY_QUERY;
  return node != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGraphNodeGetDependencies_v2 (CUgraphNode node, CUgraphNode *dependencies, CUgraphEdgeData *edges,
                               size_t *n_dependencies)
{
  return leat_cpu_node_list_edges (node, dependencies, edges, n_dependencies, FALSE);
}

CUresult
cuGraphNodeGetDependentNodes_v2 (CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *n_nodes)
{
  return leat_cpu_node_list_edges (node, nodes, edges, n_nodes, TRUE);
}

CUresult
cuGraphNodeGetType (CUgraphNode handle, CUgraphNodeType *type)
{
  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle (handle);
  if (node != NULL && type != NULL)
    *type = node->type;
  leat_cpu_release ();
  return node != NULL && type != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGraphChildGraphNodeGetGraph (CUgraphNode handle, CUgraph *graph)
{
  LEAT_CPU_ENTER ();
  leat_cpu_acquire ();
  LeatCpuNode *node = leat_cpu_node_from_handle_of_type (handle, CU_GRAPH_NODE_TYPE_GRAPH);
  if (node != NULL && graph != NULL)
    *graph = (CUgraph) node->child;
  leat_cpu_release ();
  return node != NULL && graph != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
