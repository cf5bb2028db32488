/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "replan-fixture.h"

#include <glib/gstdio.h>

/* What a property that is set while the session is open comes to. */

#define KERNEL_TEXT                                                                                                    \
  "__global__ void twice (const float *x, uint64_t x_count, float *y)\n"                                               \
  "{\n  GRID_FOR (i, x_count)\n    y[i] = 2 * x[i];\n}\n"

/* Launch geometry: the node of the graph is updated, nothing is built. */
static void
test_replan_updates_a_launch (gconstpointer executor)
{
  SessionFixture fixture;
  g_autofree char *folder = g_dir_make_tmp ("leat-replan-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "twice.cu", NULL);
  g_autofree char *text = g_strdup_printf ("app name=source spec=f32[256] -> upload mode=copy "
                                           "-> kernel name=k source=\"%s\" block=256 -> readback mode=copy "
                                           "-> app name=sink\n",
                                           file);
  gboolean graph = GPOINTER_TO_INT (executor) == LEAT_EXECUTOR_GRAPH;
  LeatDriver *driver;

  g_assert_true (g_file_set_contents (file, KERNEL_TEXT, -1, NULL));
  session_fixture_open (&fixture, text, GPOINTER_TO_INT (executor));
  replan_fixture_run_and_check (&fixture, N, 2, 0);
  driver = replan_fixture_start_trace (&fixture);
  replan_fixture_set (&fixture, "k", "block", "64");
  replan_fixture_run_and_check (&fixture, N, 2, 0);
  replan_fixture_set (&fixture, "k", "block", "32");
  replan_fixture_set (&fixture, "k", "grid", "3");
  replan_fixture_set (&fixture, "k", "shared", "128");
  replan_fixture_run_and_check (&fixture, N, 2, 0);
  replan_fixture_run_and_check (&fixture, N, 2, 0);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (COUNT (driver, cuGraphExecKernelNodeSetParams), ==, graph ? 2 : 0);
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuGraphExecUpdate), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuModuleLoadData), ==, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "updates"), ==, graph ? 2 : 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "replans"), ==, 2);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, graph ? 1 : 0);
  session_fixture_close (&fixture);
  g_remove (file);
  g_remove (folder);
}

/* Another kernel over the same buffers: the executable takes the new graph. */
static void
test_replan_updates_the_graph (gconstpointer executor)
{
  SessionFixture fixture;
  gboolean graph = GPOINTER_TO_INT (executor) == LEAT_EXECUTOR_GRAPH;
  g_autoptr (LeatMessage) message = NULL;
  g_autofree char *reason = NULL;
  LeatDriver *driver;

  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  driver = replan_fixture_start_trace (&fixture);
  replan_fixture_set (&fixture, "m", "expr", "3*x+a");
  replan_fixture_run_and_check (&fixture, N, 3, 2);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (COUNT (driver, cuGraphExecUpdate), ==, graph ? 1 : 0);
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "graph-updates"), ==, graph ? 1 : 0);
  reason = replan_fixture_dup_reason (&fixture);
  g_assert_cmpstr (reason, ==, "map \"m\" has another kernel");
  message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0);
  g_assert_nonnull (message);
  g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_CHANGE);
  /* What was updated can be updated again: a node alone, and the whole. */
  replan_fixture_set (&fixture, "m", "a", "7");
  replan_fixture_run_and_check (&fixture, N, 3, 7);
  replan_fixture_set (&fixture, "m", "expr", "a*x+5");
  replan_fixture_run_and_check (&fixture, N, 7, 5);
  session_fixture_close (&fixture);
}

/* Other work: an executable of its own, and why. */
static void
test_replan_instantiates (void)
{
  SessionFixture fixture;
  g_autofree char *reason = NULL;
  LeatDriver *driver;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  driver = replan_fixture_start_trace (&fixture);
  replan_fixture_set (&fixture, "r", "mode", "mapped");
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, 1);
  reason = replan_fixture_dup_reason (&fixture);
  g_assert_nonnull (strstr (reason, "has other work or other dependencies"));
  replan_fixture_set (&fixture, "r", "mode", "copy");
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  session_fixture_close (&fixture);
}

/* The session, the properties and the arguments are what they were. */
static void
test_replan_refuses_and_goes_on (void)
{
  SessionFixture fixture;
  g_autofree char *expr = NULL;
  g_autofree char *spec = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  replan_fixture_set (&fixture, "m", "expr", "c*x+");
  replan_fixture_fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE);
  g_object_get (replan_fixture_get_node (&fixture, "m"), "expr", &expr, NULL);
  g_assert_cmpstr (expr, ==, "a*x+b");
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  replan_fixture_set (&fixture, "m", "expr", "a*x+c"); /* c has no value */
  replan_fixture_fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  replan_fixture_set (&fixture, "source", "spec", "f32[");
  replan_fixture_fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
  g_object_get (fixture.source, "spec", &spec, NULL);
  g_assert_cmpstr (spec, ==, "f32[256]");
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  replan_fixture_set (&fixture, "m", "inputs", "x,b"); /* a port without a link */
  replan_fixture_fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNLINKED);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  replan_fixture_set (&fixture, "m", "inputs", "a"); /* takes the link away */
  replan_fixture_fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  replan_fixture_set (&fixture, "source", "spec", "f32[100000000000]"); /* more than there is */
  replan_fixture_fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 1);
  session_fixture_close (&fixture);
}

/* Sources and sinks are in the middle of their streams. */
static void
test_replan_leaves_endpoints_alone (void)
{
  SessionFixture fixture;
  g_autofree char *folder = g_dir_make_tmp ("leat-replan-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "out.npy", NULL);
  g_autofree char *text = g_strdup_printf ("app name=source spec=f32[256] -> upload -> map name=m expr=\"2*x\" "
                                           "-> readback -> io:npy name=file path=\"%s\"\n"
                                           "m -> readback -> app name=sink\n",
                                           file);
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  replan_fixture_run_and_check (&fixture, N, 2, 0);
  g_assert_false (
    leat_node_set_from_string (replan_fixture_get_node (&fixture, "file"), "path", "/proc/nowhere/b.npy", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  g_clear_error (&error);
  g_assert_false (leat_node_set_from_string (replan_fixture_get_node (&fixture, "source"), "max-queue", "3", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  replan_fixture_set (&fixture, "source", "spec", "f32[300]");
  replan_fixture_fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  replan_fixture_run_and_check (&fixture, N, 2, 0);
  replan_fixture_set (&fixture, "m", "expr", "3*x");
  replan_fixture_run_and_check (&fixture, N, 3, 0);
  session_fixture_close (&fixture);
  g_remove (file);
  g_remove (folder);
}

/* State goes on through every kind of change, constants are written again. */
static void
test_replan_keeps_state (void)
{
  SessionFixture fixture;
  LeatDriver *driver;

  replan_fixture_open_tally (&fixture, "f32[64]");
  replan_fixture_run_and_check (&fixture, 64, 1, 1);
  replan_fixture_run_and_check (&fixture, 64, 1, 2);
  driver = replan_fixture_start_trace (&fixture);
  replan_fixture_set (&fixture, "tally", "step", "10"); /* a value */
  replan_fixture_run_and_check (&fixture, 64, 1, 12);
  replan_fixture_set (&fixture, "tally", "table", "1000"); /* a constant */
  replan_fixture_run_and_check (&fixture, 64, 1, 1022);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (COUNT (driver, cuGraphExecKernelNodeSetParams), ==, 1);
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, 0);
  replan_fixture_set (&fixture, "source", "spec", "f32[100]"); /* a shape */
  replan_fixture_run_and_check (&fixture, 100, 1, 1032);
  replan_fixture_set (&fixture, "tally", "table", "0");
  replan_fixture_run_and_check (&fixture, 100, 1, 42);
  replan_fixture_set (&fixture, "source", "spec", "f32[64]"); /* one that was there, with another constant */
  replan_fixture_run_and_check (&fixture, 64, 1, 52);
  session_fixture_close (&fixture);
}

/* What the program filled in place stays where it is unless the shape is another. */
static void
test_replan_and_mapped_memory (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView in, again, out;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_map_output (fixture.session, "sink", &out, &error);
  leat_session_map_input (fixture.session, "source", &in, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N; i++)
    ((float *) in.data)[i] = (float) i;
  replan_fixture_set (&fixture, "m", "expr", "x-a");
  leat_session_replay (fixture.session, FALSE, NULL, &error);
  g_assert_no_error (error);
  leat_session_map_output (fixture.session, "sink", &out, &error);
  g_assert_cmpfloat (((float *) out.data)[9], ==, 7);
  leat_session_replay (fixture.session, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-reused"), ==, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 2);
  replan_fixture_set (&fixture, "m", "expr", "x+a");
  leat_session_replay (fixture.session, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (((float *) out.data)[9], ==, 11);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 2); /* both paths were updated */
  g_assert_cmpuint (session_fixture_get_count (&fixture, "graph-updates"), ==, 3);
  leat_session_map_input (fixture.session, "source", &again, &error);
  g_assert_true (again.data == in.data);
  replan_fixture_set (&fixture, "source", "spec", "f32[<=512]");
  leat_session_replay (fixture.session, FALSE, NULL, &error);
  g_assert_no_error (error);
  leat_session_map_input (fixture.session, "source", &in, &error);
  g_assert_cmpuint (in.capacity, ==, 512 * sizeof (float));
  g_assert_cmpuint (in.count, ==, 0);
  for (guint i = 0; i < 300; i++)
    ((float *) in.data)[i] = (float) i;
  leat_session_set_input_count (fixture.session, "source", 300, &error);
  g_assert_no_error (error);
  leat_session_replay (fixture.session, FALSE, NULL, &error);
  g_assert_no_error (error);
  leat_session_map_output (fixture.session, "sink", &out, &error);
  g_assert_cmpuint (out.count, ==, 300);
  g_assert_cmpfloat (((float *) out.data)[299], ==, 301);
  session_fixture_close (&fixture);
}

/* What no run has taken when the session closes is there when it opens again. */
static void
test_replan_after_close (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  replan_fixture_set (&fixture, "m", "expr", "a*x-1");
  leat_session_close (fixture.session);
  g_assert_true (leat_session_open (fixture.session, NULL, &error));
  g_assert_no_error (error);
  replan_fixture_run_and_check (&fixture, N, 2, -1);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  const gconstpointer graph = GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), eager = GINT_TO_POINTER (LEAT_EXECUTOR_EAGER);

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/replan/updates-a-launch/graph", graph, test_replan_updates_a_launch);
  g_test_add_data_func ("/leat/session/replan/updates-a-launch/eager", eager, test_replan_updates_a_launch);
  g_test_add_data_func ("/leat/session/replan/updates-the-graph/graph", graph, test_replan_updates_the_graph);
  g_test_add_data_func ("/leat/session/replan/updates-the-graph/eager", eager, test_replan_updates_the_graph);
  g_test_add_func ("/leat/session/replan/instantiates", test_replan_instantiates);
  g_test_add_func ("/leat/session/replan/refuses-and-goes-on", test_replan_refuses_and_goes_on);
  g_test_add_func ("/leat/session/replan/leaves-endpoints-alone", test_replan_leaves_endpoints_alone);
  g_test_add_func ("/leat/session/replan/keeps-state", test_replan_keeps_state);
  g_test_add_func ("/leat/session/replan/mapped-memory", test_replan_and_mapped_memory);
  g_test_add_func ("/leat/session/replan/after-close", test_replan_after_close);
  return g_test_run ();
}
