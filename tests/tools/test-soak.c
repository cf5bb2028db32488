/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

/* A million replays of one session, results looked at after each: no memory is lost, on the host or on the device. */

static double
get_value (JsonObject *figures, const char *name)
{
  double value = json_object_get_double_member (json_object_get_object_member (figures, name), "value");

  g_test_message ("%s: %g", name, value);
  return value;
}

static void
check_soak (JsonObject *figures)
{
  g_assert_cmpfloat (get_value (figures, "replays"), ==, 1e6);
  g_assert_cmpfloat (get_value (figures, "host-growth"), <=, 256 << 10);
  g_assert_cmpfloat (get_value (figures, "host-growth"), ==,
                     get_value (figures, "host-resident-after") - get_value (figures, "host-resident-before"));
  g_assert_cmpfloat (get_value (figures, "device-growth"), <=, 2 << 20);
  g_assert_cmpfloat (get_value (figures, "device-free-before"), >, 0);
  g_assert_cmpfloat (get_value (figures, "p50"), >, 0);
  g_assert_cmpfloat (get_value (figures, "p99.9"), >=, get_value (figures, "p99"));
  g_assert_cmpfloat (get_value (figures, "most"), >=, get_value (figures, "p99.9"));
}

static void
test_soak_memory_does_not_grow (gconstpointer name)
{
  const char *const words[] = { "leat-bench", "--json", name, "--replays=1000000", NULL };
  g_autoptr (ToolResult) result = NULL;
  g_autoptr (JsonObject) all = NULL;

  if (tool_why_not_measure () != NULL)
    {
      g_test_skip (tool_why_not_measure ());
      return;
    }
  result = tool_run (NULL, words);
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  all = tool_parse_json (result->out);
  check_soak (json_object_get_object_member (
    json_array_get_object_element (json_object_get_array_member (all, "cases"), 0), "figures"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/tools/soak/memory-does-not-grow/copy", "soak-copy", test_soak_memory_does_not_grow);
  g_test_add_data_func ("/leat/tools/soak/memory-does-not-grow/mapped", "soak-mapped", test_soak_memory_does_not_grow);
  return g_test_run ();
}
