/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Graphs, their nodes and their edges, for captures and for the calls of the driver API.  Touches the graph at hand,
 * with the lock held. */

#include "leat-cpu-graph.h"

#include "leat-cpu-count.h"
#include "leat-cpu-graph-exec.h"

static guint64 leat_cpu_next_graph_id = 1;

LeatCpuGraph *
leat_cpu_graph_new (void)
{
  LeatCpuGraph *graph = g_new0 (LeatCpuGraph, 1);

  graph->magic = LEAT_CPU_GRAPH_MAGIC;
  graph->id = leat_cpu_next_graph_id++;
  graph->nodes = g_ptr_array_new ();
  graph->conditions = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_cpu_condition_unref);
  leat_cpu_count (graphs_created);
  return graph;
}

static void
leat_cpu_node_release (LeatCpuNode *node)
{
  node->magic = 0;
  leat_cpu_op_clear (&node->op);
  g_free (node->kernel_params);
  if (node->event != NULL)
    leat_cpu_event_unref (node->event);
  if (node->child != NULL)
    leat_cpu_graph_free (node->child);
  if (node->conditional.condition != NULL)
    node->conditional.condition->used = FALSE;
  for (guint i = 0; i < node->conditional.n_bodies; i++)
    leat_cpu_graph_free ((LeatCpuGraph *) node->conditional.bodies[i]);
  g_free (node->conditional.bodies);
  g_array_unref (node->from);
  g_array_unref (node->to);
  g_free (node);
}

void
leat_cpu_graph_free (LeatCpuGraph *graph)
{
  leat_cpu_count (graphs_destroyed);
  graph->magic = 0;
  if (graph->exec != NULL)
    graph->exec->graph = NULL;
  for (guint i = 0; i < graph->nodes->len; i++)
    leat_cpu_node_release (leat_cpu_graph_get_node (graph, i));
  g_ptr_array_unref (graph->nodes);
  g_ptr_array_unref (graph->conditions);
  g_free (graph);
}

LeatCpuGraph *
leat_cpu_graph_from_handle (CUgraph handle)
{
  LeatCpuGraph *graph = (LeatCpuGraph *) handle;

  return graph != NULL && graph->magic == LEAT_CPU_GRAPH_MAGIC ? graph : NULL;
}

LeatCpuNode *
leat_cpu_node_from_handle (CUgraphNode handle)
{
  LeatCpuNode *node = (LeatCpuNode *) handle;

  return node != NULL && node->magic == LEAT_CPU_NODE_MAGIC ? node : NULL;
}

LeatCpuNode *
leat_cpu_node_from_handle_of_type (CUgraphNode handle, CUgraphNodeType type)
{
  LeatCpuNode *node = leat_cpu_node_from_handle (handle);

  return node != NULL && node->type == type ? node : NULL;
}

LeatCpuNode *
leat_cpu_node_new (LeatCpuGraph *graph, CUgraphNodeType type)
{
  LeatCpuNode *node = g_new0 (LeatCpuNode, 1);

  node->magic = LEAT_CPU_NODE_MAGIC;
  node->graph = graph;
  node->type = type;
  node->from = g_array_new (FALSE, FALSE, sizeof (LeatCpuEdge));
  node->to = g_array_new (FALSE, FALSE, sizeof (LeatCpuEdge));
  g_ptr_array_add (graph->nodes, node);
  return node;
}

static gboolean
leat_cpu_node_remove_edge (GArray *edges, LeatCpuNode *other)
{
  for (guint i = 0; i < edges->len; i++)
    if (g_array_index (edges, LeatCpuEdge, i).node == other)
      {
        g_array_remove_index (edges, i);
        return TRUE;
      }
  return FALSE;
}

void
leat_cpu_node_free (LeatCpuNode *node)
{
  for (guint i = 0; i < node->from->len; i++)
    leat_cpu_node_remove_edge (leat_cpu_node_get_from (node, i)->node->to, node);
  for (guint i = 0; i < node->to->len; i++)
    leat_cpu_node_remove_edge (leat_cpu_node_get_to (node, i)->node->from, node);
  g_ptr_array_remove (node->graph->nodes, node);
  leat_cpu_node_release (node);
}

const CUgraphEdgeData *
leat_cpu_node_find_edge (LeatCpuNode *from, LeatCpuNode *to)
{
  for (guint i = 0; i < to->from->len; i++)
    if (leat_cpu_node_get_from (to, i)->node == from)
      return &leat_cpu_node_get_from (to, i)->data;
  return NULL;
}

void
leat_cpu_node_connect (LeatCpuNode *from, LeatCpuNode *to, const CUgraphEdgeData *data)
{
  static const CUgraphEdgeData plain;
  LeatCpuEdge there = { to, data != NULL ? *data : plain };
  LeatCpuEdge back = { from, data != NULL ? *data : plain };

  g_array_append_val (from->to, there);
  g_array_append_val (to->from, back);
}

gboolean
leat_cpu_node_disconnect (LeatCpuNode *from, LeatCpuNode *to)
{
  return leat_cpu_node_remove_edge (from->to, to) && leat_cpu_node_remove_edge (to->from, from);
}

CUgraphNodeType
leat_cpu_op_get_node_type (const LeatCpuOp *op)
{
  switch (op->kind)
    {
    case LEAT_CPU_OP_KERNEL:
      return CU_GRAPH_NODE_TYPE_KERNEL;
    case LEAT_CPU_OP_COPY:
      return CU_GRAPH_NODE_TYPE_MEMCPY;
    case LEAT_CPU_OP_SET:
      return CU_GRAPH_NODE_TYPE_MEMSET;
    case LEAT_CPU_OP_HOST:
      return CU_GRAPH_NODE_TYPE_HOST;
    default:
      return CU_GRAPH_NODE_TYPE_EMPTY;
    }
}

void
leat_cpu_node_set_op (LeatCpuNode *node, LeatCpuOp *op)
{
  leat_cpu_op_clear (&node->op);
  g_clear_pointer (&node->kernel_params, g_free);
  node->op = *op;
  if (op->kind == LEAT_CPU_OP_COPY)
    leat_cpu_copy_describe (&op->copy, &node->copy_params);
  else if (op->kind == LEAT_CPU_OP_SET)
    leat_cpu_set_describe (&op->set, &node->set_params);
}

void
leat_cpu_node_set_event (LeatCpuNode *node, LeatCpuEvent *event)
{
  leat_cpu_event_ref (event);
  if (node->event != NULL)
    leat_cpu_event_unref (node->event);
  node->event = event;
}

gboolean
leat_cpu_graph_has_type (LeatCpuGraph *graph, CUgraphNodeType type)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

      if (node->type == type || (node->child != NULL && leat_cpu_graph_has_type (node->child, type)))
        return TRUE;
      for (guint b = 0; b < node->conditional.n_bodies; b++)
        if (leat_cpu_graph_has_type ((LeatCpuGraph *) node->conditional.bodies[b], type))
          return TRUE;
    }
  return FALSE;
}

static void
leat_cpu_node_copy_body (LeatCpuNode *to, LeatCpuNode *from)
{
  leat_cpu_op_copy (&to->op, &from->op);
  to->copy_params = from->copy_params;
  to->set_params = from->set_params;
  to->priority = from->priority;
  to->clone_of = from;
  if (from->event != NULL)
    leat_cpu_node_set_event (to, from->event);
  if (from->child != NULL)
    {
      to->child = leat_cpu_graph_clone (from->child);
      to->child->owner = to;
    }
}

/* Graphs with conditional nodes cannot be cloned; the callers refuse them. */
LeatCpuGraph *
leat_cpu_graph_clone (LeatCpuGraph *graph)
{
  LeatCpuGraph *clone = leat_cpu_graph_new ();

  clone->clone_of = graph;
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

      node->index = i;
      leat_cpu_node_copy_body (leat_cpu_node_new (clone, node->type), node);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      LeatCpuNode *node = leat_cpu_graph_get_node (graph, i);

      for (guint e = 0; e < node->from->len; e++)
        {
          LeatCpuEdge *edge = leat_cpu_node_get_from (node, e);

          leat_cpu_node_connect (leat_cpu_graph_get_node (clone, edge->node->index), leat_cpu_graph_get_node (clone, i),
                                 &edge->data);
        }
    }
  return clone;
}
