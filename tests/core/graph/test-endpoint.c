/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "toy.h"

static void
test_endpoint_roles (void)
{
  g_autoptr (LeatNode) source = g_object_new (toy_source_get_type (), NULL);
  g_autoptr (LeatNode) sink = g_object_new (toy_sink_get_type (), NULL);

  g_assert_true (
    leat_port_link (leat_node_get_port (source, "out", NULL), leat_node_get_port (sink, "in", NULL), NULL));
  g_assert_true (leat_endpoint_is_source (LEAT_ENDPOINT (source)));
  g_assert_false (leat_endpoint_is_source (LEAT_ENDPOINT (sink)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/endpoint/roles", test_endpoint_roles);
  return g_test_run ();
}
