/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "toy-nodes.h"

#include "bind/leat-bound-plan-private.h"

/* In which order nodes are planned: each after those that feed it, and of those that may come next the one that was
 * added first.  Here that is done step by step. */

#define PIPELINES 20
#define MOST      120

/* Half of them join two nodes that were linked before, the others go on from one; they are added in any order. */
static LeatPipeline *
make_pipeline (GRand *rand)
{
  LeatPipeline *pipeline = leat_pipeline_new ();
  g_autoptr (GPtrArray) linked = g_ptr_array_new ();
  guint n = g_rand_int_range (rand, 1, MOST);
  LeatNode *nodes[MOST];

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i);
      g_autoptr (LeatNode) node = i % 2 == 0 ? toy_join_new (name) : toy_stage_new (name, FALSE);

      g_assert_true (leat_pipeline_add (pipeline, node, NULL));
      nodes[i] = node;
    }
  for (guint i = n; i > 1; i--)
    {
      guint other = g_rand_int_range (rand, 0, i);
      LeatNode *node = nodes[i - 1];

      nodes[i - 1] = nodes[other];
      nodes[other] = node;
    }
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GPtrArray) ports = leat_node_list_ports (nodes[i]);

      for (guint p = 0; p < ports->len; p++)
        if (leat_port_get_direction (ports->pdata[p]) == LEAT_PORT_INPUT && linked->len > 0)
          g_assert_true (
            leat_port_link (linked->pdata[g_rand_int_range (rand, 0, (int) linked->len)], ports->pdata[p], NULL));
      g_ptr_array_add (linked, leat_node_get_port (nodes[i], "out", NULL));
    }
  return pipeline;
}

static gboolean
is_fed (LeatNode *node, GPtrArray *before)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (node);

  for (guint p = 0; p < ports->len; p++)
    {
      LeatPort *peer =
        leat_port_get_direction (ports->pdata[p]) == LEAT_PORT_INPUT ? leat_port_get_peer (ports->pdata[p]) : NULL;

      if (peer != NULL && !g_ptr_array_find (before, leat_port_get_node (peer), NULL))
        return FALSE;
    }
  return TRUE;
}

static GPtrArray *
sort_slowly (LeatPipeline *pipeline)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);
  GPtrArray *sorted = g_ptr_array_new ();

  while (sorted->len < nodes->len)
    {
      guint i = 0;

      while (g_ptr_array_find (sorted, nodes->pdata[i], NULL) || !is_fed (nodes->pdata[i], sorted))
        i++;
      g_ptr_array_add (sorted, nodes->pdata[i]);
    }
  return sorted;
}

static void
test_order_of_nodes (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());

  for (guint round = 0; round < PIPELINES; round++)
    {
      g_autoptr (LeatPipeline) pipeline = make_pipeline (rand);
      g_autoptr (GPtrArray) sorted = leat_plan_sort_nodes (pipeline, NULL);
      g_autoptr (GPtrArray) expected = sort_slowly (pipeline);

      g_assert_cmpuint (sorted->len, ==, expected->len);
      for (guint i = 0; i < sorted->len; i++)
        g_assert_cmpstr (leat_node_get_name (sorted->pdata[i]), ==, leat_node_get_name (expected->pdata[i]));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/plan/order/of-nodes", test_order_of_nodes);
  return g_test_run ();
}
