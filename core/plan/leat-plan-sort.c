/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-private.h"

#include "graph/leat-graph-error.h"
#include "graph/leat-node-private.h"

static gboolean
leat_plan_node_is_ready (LeatNode *node, GHashTable *placed)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);
      LeatPort *peer = leat_port_get_direction (port) == LEAT_PORT_INPUT ? leat_port_get_peer (port) : NULL;

      if (peer != NULL && (leat_port_get_flags (port) & LEAT_PORT_DELAYED) == 0
          && !g_hash_table_contains (placed, leat_port_get_node (peer)))
        return FALSE;
    }
  return TRUE;
}

/* Nodes in an order in which every node follows those that feed it; among equals, the order they were added in. */
GPtrArray *
leat_plan_sort_nodes (LeatPipeline *pipeline, GError **error)
{
  g_autoptr (GPtrArray) waiting = leat_pipeline_list_nodes (pipeline);
  g_autoptr (GPtrArray) sorted = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) placed = g_hash_table_new (NULL, NULL);

  while (waiting->len > 0)
    {
      guint i = 0;

      while (i < waiting->len && !leat_plan_node_is_ready (g_ptr_array_index (waiting, i), placed))
        i++;
      if (i == waiting->len)
        {
          g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_CYCLE, "the links through \"%s\" form a cycle",
                       leat_node_get_name (g_ptr_array_index (waiting, 0)));
          return NULL;
        }
      g_hash_table_add (placed, g_ptr_array_index (waiting, i));
      g_ptr_array_add (sorted, g_object_ref (g_ptr_array_index (waiting, i)));
      g_ptr_array_remove_index (waiting, i);
    }
  return g_steal_pointer (&sorted);
}

/* Fixes the spec of every port of @nodes, which are in topological order: when a node's turn comes, its inputs are. */
gboolean
leat_plan_negotiate (GPtrArray *nodes, GError **error)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      LeatNode *node = g_ptr_array_index (nodes, i);

      if (leat_node_prepare (node, error) && leat_node_negotiate (node, error))
        continue;
      leat_node_prefix_origin (node, error);
      return FALSE;
    }
  return TRUE;
}
