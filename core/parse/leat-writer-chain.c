/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds the chains in which a pipeline is written, and the nodes that need a name in its text.  Touches the writer's
 * lists only. */

#include "leat-namer-private.h"
#include "leat-writer-private.h"

/* More rounds than this would be a strange pipeline; then all of its nodes are named. */
#define LEAT_WRITER_MAX_ROUNDS 8

/* Only the single port of a direction needs no name; those of a body come from being named. */
static LeatPort *
leat_writer_name_port (LeatPort *port)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (leat_port_get_node (port));
  guint n_alike = LEAT_IS_GROUP_END (leat_port_get_node (port));

  for (guint i = 0; i < ports->len; i++)
    if (leat_port_get_direction (g_ptr_array_index (ports, i)) == leat_port_get_direction (port))
      n_alike++;
  return n_alike > 1 ? port : NULL;
}

static LeatWriterStep *
leat_writer_add_step (LeatWriter *self, GPtrArray *steps, LeatNode *node, LeatPort *port)
{
  LeatWriterStep *step = g_new0 (LeatWriterStep, 1);

  step->node = g_hash_table_lookup (self->by_node, node);
  step->port = port;
  if (port != NULL && step->node->n_mentions == 0 && !step->node->written)
    step->node->needs_own = TRUE;
  step->node->n_mentions++;
  g_ptr_array_add (steps, step);
  return step;
}

/* The next link from @node that no chain has yet. */
static LeatPort *
leat_writer_find_link (LeatWriter *self, LeatNode *node, LeatPort **output)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);
      g_autoptr (GPtrArray) peers = NULL;

      if (leat_port_get_direction (port) != LEAT_PORT_OUTPUT)
        continue;
      peers = leat_port_list_peers (port);
      for (guint j = 0; j < peers->len; j++)
        if (!g_hash_table_contains (self->done, g_ptr_array_index (peers, j)))
          {
            *output = port;
            return g_ptr_array_index (peers, j);
          }
    }
  return NULL;
}

/* Follows links while no port need be named on the way. */
static void
leat_writer_gather_chain (LeatWriter *self, LeatNode *node)
{
  GPtrArray *steps = g_ptr_array_new_with_free_func (g_free);
  LeatPort *output, *input = leat_writer_find_link (self, node, &output);
  LeatWriterStep *step = leat_writer_add_step (self, steps, node, leat_writer_name_port (output));

  while (input != NULL)
    {
      step->output = output;
      g_hash_table_add (self->done, input);
      node = leat_port_get_node (input);
      step = leat_writer_add_step (self, steps, node, leat_writer_name_port (input));
      /* Where links meet, the chain ends, and another goes on after all of them. */
      if (step->port != NULL)
        break;
      input = leat_writer_find_link (self, node, &output);
      /* A port that is named only for going on needs the node to exist before. */
      if (input != NULL && leat_writer_name_port (output) != NULL)
        break;
    }
  g_ptr_array_add (self->chains, steps);
}

static guint
leat_writer_count_fed (LeatNode *node)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (node);
  guint n_fed = 0;

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);

      if (leat_port_get_direction (port) == LEAT_PORT_INPUT && leat_port_get_peer (port) != NULL
          && (leat_port_get_flags (port) & LEAT_PORT_DELAYED) == 0)
        n_fed++;
    }
  return n_fed;
}

/* One of the links that feed the reader of @peer is accounted for. */
static void
leat_writer_release (LeatWriter *self, LeatPort *peer, GPtrArray *order)
{
  LeatWriterNode *reader = g_hash_table_lookup (self->by_node, leat_port_get_node (peer));

  if ((leat_port_get_flags (peer) & LEAT_PORT_DELAYED) == 0 && --reader->n_waiting == 0)
    g_ptr_array_add (order, reader);
}

/* Sources first, then each node after all that feed it; else as in the pipeline.  There are no cycles but
 * those that delay. */
static GPtrArray *
leat_writer_sort_nodes (LeatWriter *self)
{
  GPtrArray *order = g_ptr_array_new ();

  for (guint i = 0; i < self->nodes->len; i++)
    {
      LeatWriterNode *node = g_ptr_array_index (self->nodes, i);

      node->n_waiting = leat_writer_count_fed (node->node);
      if (node->n_waiting == 0)
        g_ptr_array_add (order, node);
    }
  for (guint i = 0; i < order->len; i++)
    {
      LeatWriterNode *node = g_ptr_array_index (order, i);
      g_autoptr (GPtrArray) ports = leat_node_list_ports (node->node);

      for (guint j = 0; j < ports->len; j++)
        if (leat_port_get_direction (g_ptr_array_index (ports, j)) == LEAT_PORT_OUTPUT)
          {
            g_autoptr (GPtrArray) peers = leat_port_list_peers (g_ptr_array_index (ports, j));

            for (guint k = 0; k < peers->len; k++)
              leat_writer_release (self, g_ptr_array_index (peers, k), order);
          }
    }
  return order;
}

void
leat_writer_gather_chains (LeatWriter *self)
{
  g_autoptr (GPtrArray) order = leat_writer_sort_nodes (self);

  for (guint i = 0; i < order->len; i++)
    {
      const LeatWriterNode *node = g_ptr_array_index (order, i);
      LeatPort *output;

      while (leat_writer_find_link (self, node->node, &output) != NULL)
        leat_writer_gather_chain (self, node->node);
    }
}

/* Calls the nodes that are made without a name as a reader would; those that it would call otherwise need theirs. */
static gboolean
leat_writer_check_names (LeatWriter *self, GPtrArray *unnamed)
{
  g_autoptr (LeatNamer) namer = leat_namer_new ();
  gboolean ok = TRUE;

  for (guint i = 0; i < self->nodes->len; i++)
    {
      const LeatWriterNode *node = g_ptr_array_index (self->nodes, i);

      if (node->needs_name)
        leat_namer_take (namer, leat_node_get_name (node->node));
    }
  for (guint i = 0; i < unnamed->len; i++)
    {
      LeatWriterNode *node = g_ptr_array_index (unnamed, i);
      const char *name = node->needs_name ? NULL : leat_namer_make (namer, leat_node_get_id (node->node));

      if (name == NULL || g_str_equal (name, leat_node_get_name (node->node)))
        continue;
      node->needs_name = TRUE;
      ok = FALSE;
    }
  return ok;
}

/* The nodes in the order in which their first mentions are written. */
static GPtrArray *
leat_writer_list_in_text_order (LeatWriter *self)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; i < self->chains->len; i++)
    {
      const GPtrArray *steps = g_ptr_array_index (self->chains, i);

      for (guint j = 0; j < steps->len; j++)
        g_ptr_array_add (list, ((LeatWriterStep *) g_ptr_array_index (steps, j))->node);
    }
  for (guint i = 0; i < self->nodes->len; i++)
    {
      LeatWriterNode *node = g_ptr_array_index (self->nodes, i);

      if (node->n_mentions == 0)
        g_ptr_array_add (list, node);
    }
  return list;
}

void
leat_writer_choose_names (LeatWriter *self)
{
  g_autoptr (GPtrArray) in_order = leat_writer_list_in_text_order (self);
  gboolean ok = FALSE;

  for (guint i = 0; i < self->nodes->len; i++)
    {
      LeatWriterNode *node = g_ptr_array_index (self->nodes, i);

      node->needs_name = node->n_mentions > 1 || node->needs_own;
    }
  for (guint round = 0; round < LEAT_WRITER_MAX_ROUNDS && !ok; round++)
    ok = leat_writer_check_names (self, in_order);
  for (guint i = 0; i < self->nodes->len && !ok; i++)
    ((LeatWriterNode *) g_ptr_array_index (self->nodes, i))->needs_name = TRUE;
}
