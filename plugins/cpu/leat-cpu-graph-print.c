/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A graph as DOT text in a file, for cuGraphDebugDotPrint.  Changes nothing of the graph. */

#include "leat-cpu-exports.h"
#include "leat-cpu-graph.h"

static const char *const leat_cpu_node_type_names[] = {
  [CU_GRAPH_NODE_TYPE_KERNEL] = "KERNEL",
  [CU_GRAPH_NODE_TYPE_MEMCPY] = "MEMCPY",
  [CU_GRAPH_NODE_TYPE_MEMSET] = "MEMSET",
  [CU_GRAPH_NODE_TYPE_HOST] = "HOST",
  [CU_GRAPH_NODE_TYPE_GRAPH] = "GRAPH",
  [CU_GRAPH_NODE_TYPE_EMPTY] = "EMPTY",
  [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "WAIT_EVENT",
  [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "EVENT_RECORD",
  [CU_GRAPH_NODE_TYPE_CONDITIONAL] = "CONDITIONAL",
};

static void
leat_cpu_node_print_label (LeatCpuNode *node, GString *text)
{
  const LeatCpuLaunch *launch = &node->op.kernel;

  g_string_append_printf (text, "%u\\n%s", node->index, leat_cpu_node_type_names[node->type]);
  if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
    g_string_append_printf (text, "\\n%s\\n<<<(%u,%u,%u), (%u,%u,%u), %u>>>",
                            leat_cpu_function_get_kernel (launch->function)->name, launch->grid.x, launch->grid.y,
                            launch->grid.z, launch->block.x, launch->block.y, launch->block.z, launch->dynamic_shared);
  else if (node->type == CU_GRAPH_NODE_TYPE_MEMCPY)
    g_string_append_printf (text, "\\n%" G_GSIZE_FORMAT " bytes", leat_cpu_copy_get_bytes (&node->op.copy));
  else if (node->type == CU_GRAPH_NODE_TYPE_MEMSET)
    g_string_append_printf (text, "\\n%" G_GSIZE_FORMAT " bytes", leat_cpu_set_get_bytes (&node->op.set));
}

/* Child graphs and bodies become clusters of their own, tied to their node by a dashed line. */
static void
leat_cpu_graph_print (LeatCpuGraph *graph, GString *text)
{
  g_string_append_printf (text, "subgraph cluster_%" G_GUINT64_FORMAT " {\nlabel=\"graph_%" G_GUINT64_FORMAT "\";\n",
                          graph->id, graph->id);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

      node->index = i;
      g_string_append_printf (text, "\"n%p\" [shape=box label=\"", (void *) node);
      leat_cpu_node_print_label (node, text);
      g_string_append (text, "\"];\n");
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

      for (guint e = 0; e < node->to->len; e++)
        g_string_append_printf (text, "\"n%p\" -> \"n%p\";\n", (void *) node,
                                (void *) leat_cpu_node_get_to (node, e)->node);
    }
  g_string_append (text, "}\n");
}

static void
leat_cpu_graph_print_with_children (LeatCpuGraph *graph, LeatCpuNode *owner, GString *text)
{
  leat_cpu_graph_print (graph, text);
  if (owner != NULL && graph->nodes->len > 0)
    g_string_append_printf (text, "\"n%p\" -> \"n%p\" [style=dashed];\n", (void *) owner,
                            (void *) leat_cpu_graph_get_node (graph, 0));
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

      if (node->child != NULL)
        leat_cpu_graph_print_with_children (node->child, node, text);
      for (guint b = 0; b < node->conditional.n_bodies; b++)
        leat_cpu_graph_print_with_children ((LeatCpuGraph *) node->conditional.bodies[b], node, text);
    }
}

CUresult
cuGraphDebugDotPrint (CUgraph handle, const char *path, unsigned int flags)
{
  g_autoptr (GString) text = g_string_new ("digraph dot {\n");

  LEAT_CPU_ENTER ();
  if (path == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  LeatCpuGraph *graph = leat_cpu_graph_from_handle (handle);
  if (graph != NULL)
    leat_cpu_graph_print_with_children (graph, NULL, text);
  leat_cpu_release ();
  if (graph == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  g_string_append (text, "}\n");
  return g_file_set_contents (path, text->str, (gssize) text->len, NULL) ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
