/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "lane/leat-executable-private.h"

/* Copies between the host and the device are counted, each direction for itself; others are not. */
static void
test_lane_memory_traffic (void)
{
  LeatTraffic once = { 0 }, all = { 0 };

  leat_traffic_add_copy (&once, TRUE, FALSE, 8);
  leat_traffic_add_copy (&once, TRUE, FALSE, 16);
  leat_traffic_add_copy (&once, FALSE, TRUE, 4);
  leat_traffic_add_copy (&once, TRUE, TRUE, 1024);
  leat_traffic_add_copy (&once, FALSE, FALSE, 1024);
  leat_traffic_add (&all, &once, 1);
  leat_traffic_add (&all, &once, 1000);
  leat_traffic_take_out (&all, &once);
  g_assert_cmpuint (all.uploads, ==, 2000);
  g_assert_cmpuint (all.up_bytes, ==, 24000);
  g_assert_cmpuint (all.readbacks, ==, 1000);
  g_assert_cmpuint (all.back_bytes, ==, 4000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/lane-memory/traffic", test_lane_memory_traffic);
  return g_test_run ();
}
