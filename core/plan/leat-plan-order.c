/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Puts the nodes of a pipeline in order, bodies in one piece, and has their specs negotiated in that order.  Adds
 * nothing to a plan. */

#include "leat-plan-private.h"

#include "graph/leat-graph-error.h"
#include "graph/leat-group-private.h"
#include "graph/leat-node-private.h"
#include "graph/leat-pipeline-private.h"

/* Data that comes in there is for the next run. */
static gboolean
leat_port_delays (LeatPort *port)
{
  return (leat_port_get_flags (port) & LEAT_PORT_DELAYED) != 0;
}

typedef struct
{
  GPtrArray *nodes;   /* LeatNode, in the order in which they were added */
  GHashTable *places; /* LeatNode -> its index there + 1 */
  guint *waits;       /* by index: links that feed it from nodes that have no place yet */
  guint *ready;       /* indices of those that wait for none: a heap, the least first */
  guint n_ready;
} LeatNodeSort;

static void
leat_node_sort_make_ready (LeatNodeSort *self, guint index)
{
  guint at = self->n_ready++;

  for (; at > 0 && self->ready[(at - 1) / 2] > index; at = (at - 1) / 2)
    self->ready[at] = self->ready[(at - 1) / 2];
  self->ready[at] = index;
}

static guint
leat_node_sort_pop (LeatNodeSort *self)
{
  guint first = self->ready[0], last = self->ready[--self->n_ready], at = 0, child;

  while ((child = 2 * at + 1) < self->n_ready)
    {
      if (child + 1 < self->n_ready && self->ready[child + 1] < self->ready[child])
        child++;
      if (self->ready[child] > last)
        break;
      self->ready[at] = self->ready[child];
      at = child;
    }
  self->ready[at] = last;
  return first;
}

/* The end node of a body need wait for nothing else in it but comes last all the same: it was added first, with the
 * other end. */
static void
leat_node_sort_put_end_last (LeatNodeSort *self, LeatGroup *group)
{
  LeatNode *end = leat_group_get_end (group);

  g_ptr_array_remove (self->nodes, end);
  g_ptr_array_add (self->nodes, end);
}

/* @group: (nullable): whose body it is; NULL for the nodes that are in none */
static void
leat_node_sort_begin (LeatNodeSort *self, LeatPipeline *pipeline, LeatGroup *group)
{
  self->nodes = leat_pipeline_list_group (pipeline, group);
  if (group != NULL)
    leat_node_sort_put_end_last (self, group);
  self->places = g_hash_table_new (NULL, NULL);
  self->waits = g_new0 (guint, self->nodes->len + 1);
  self->ready = g_new (guint, self->nodes->len + 1);
  self->n_ready = 0;
  for (guint i = 0; i < self->nodes->len; i++)
    {
      LeatNode *node = g_ptr_array_index (self->nodes, i);
      GPtrArray *ports = leat_node_get_ports (node);

      g_hash_table_insert (self->places, node, GUINT_TO_POINTER (i + 1));
      for (guint p = 0; p < ports->len; p++)
        self->waits[i] +=
          leat_port_get_peer (g_ptr_array_index (ports, p)) != NULL && !leat_port_delays (g_ptr_array_index (ports, p));
      if (self->waits[i] == 0)
        leat_node_sort_make_ready (self, i);
    }
}

static void
leat_node_sort_end (LeatNodeSort *self)
{
  g_ptr_array_unref (self->nodes);
  g_hash_table_unref (self->places);
  g_free (self->waits);
  g_free (self->ready);
}

static void
leat_node_sort_release (LeatNodeSort *self, LeatPort *output)
{
  for (guint i = 0; output->peers != NULL && i < output->peers->len; i++)
    {
      LeatNode *reader = leat_port_get_node (g_ptr_array_index (output->peers, i));
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (self->places, reader));

      if (place > 0 && !leat_port_delays (g_ptr_array_index (output->peers, i)) && --self->waits[place - 1] == 0)
        leat_node_sort_make_ready (self, place - 1);
    }
}

/* The first of those that are ready. */
static LeatNode *
leat_node_sort_take (LeatNodeSort *self)
{
  LeatNode *node = g_ptr_array_index (self->nodes, leat_node_sort_pop (self));
  GPtrArray *ports = leat_node_get_ports (node);

  for (guint i = 0; i < ports->len; i++)
    leat_node_sort_release (self, g_ptr_array_index (ports, i));
  return node;
}

/* The node that feeds it and waits, too: there is one. */
static guint
leat_node_sort_find_waiting (LeatNodeSort *self, guint index)
{
  GPtrArray *ports = leat_node_get_ports (g_ptr_array_index (self->nodes, index));

  for (guint p = 0; p < ports->len; p++)
    {
      LeatPort *port = g_ptr_array_index (ports, p);
      guint place = port->peer != NULL && !leat_port_delays (port)
                      ? GPOINTER_TO_UINT (g_hash_table_lookup (self->places, leat_port_get_node (port->peer)))
                      : 0;

      if (place > 0 && self->waits[place - 1] > 0)
        return place - 1;
    }
  g_return_val_if_reached (index);
}

/* No link closes a cycle, but an input may have stopped being a delayed one since.  A waiting node may stand behind the
 * cycle: a node that is met again, upstream of it, is in one. */
static void
leat_node_sort_set_error (LeatNodeSort *self, GError **error)
{
  g_autoptr (GHashTable) met = g_hash_table_new (NULL, NULL);
  guint i = 0;

  while (self->waits[i] == 0)
    i++;
  while (g_hash_table_add (met, GUINT_TO_POINTER (i)))
    i = leat_node_sort_find_waiting (self, i);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_CYCLE, "the links through \"%s\" form a cycle",
               leat_node_get_name (g_ptr_array_index (self->nodes, i)));
}

/* Links stay within a body, so that each is sorted by itself. */
static gboolean
leat_plan_sort_group (LeatPipeline *pipeline, LeatGroup *group, GPtrArray *sorted, GError **error)
{
  LeatNodeSort sort;
  gboolean good = TRUE;
  guint n = 0;

  leat_node_sort_begin (&sort, pipeline, group);
  for (; good && sort.n_ready > 0; n++)
    {
      LeatNode *node = leat_node_sort_take (&sort);

      g_ptr_array_add (sorted, g_object_ref (node));
      good = !LEAT_IS_GROUP (node) || leat_plan_sort_group (pipeline, LEAT_GROUP (node), sorted, error);
    }
  if (good && n < sort.nodes->len)
    {
      leat_node_sort_set_error (&sort, error);
      good = FALSE;
    }
  leat_node_sort_end (&sort);
  return good;
}

/* Nodes in an order in which every node follows those that feed it; among equals, the order they were added in.  The
 * body of a group stands behind it, in one piece. */
GPtrArray *
leat_plan_sort_nodes (LeatPipeline *pipeline, GError **error)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new_with_free_func (g_object_unref);
  GPtrArray *nodes = leat_pipeline_get_nodes (pipeline);

  /* That may take ports and their links away, so it comes before links are counted. */
  for (guint i = 0; i < nodes->len; i++)
    leat_node_prepare (g_ptr_array_index (nodes, i), NULL);
  return leat_plan_sort_group (pipeline, NULL, sorted, error) ? g_steal_pointer (&sorted) : NULL;
}

/* Fixes the spec of every port of @nodes, which are in topological order: when a node's turn comes, its inputs are. */
gboolean
leat_plan_negotiate (GPtrArray *nodes, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (guint i = 0; i < nodes->len; i++)
    {
      LeatNode *node = g_ptr_array_index (nodes, i);

      if (leat_node_prepare (node, error) && leat_node_negotiate (node, names, error))
        continue;
      leat_node_prefix_origin (node, error);
      return FALSE;
    }
  return TRUE;
}
