/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "replan-fixture.h"

/* Arguments that an expression brings which is set while the session is open. */

static void
check_arg (SessionFixture *fixture, const char *name, const char *printed)
{
  g_autoptr (GVariant) value = leat_node_dup_arg (replan_fixture_get_node (fixture, "m"), name);
  g_autofree char *text = value != NULL ? g_variant_print (value, FALSE) : NULL;

  g_assert_cmpstr (text, ==, printed);
}

static void
set_number (SessionFixture *fixture, const char *name, double number)
{
  g_autoptr (GError) error = NULL;

  leat_node_set_arg_double (replan_fixture_get_node (fixture, "m"), name, number, &error);
  g_assert_no_error (error);
}

static void
test_args_are_taken (gconstpointer executor)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  replan_fixture_set (&fixture, "m", "expr", "a*x+c*d");
  set_number (&fixture, "c", 3);
  set_number (&fixture, "c", 4);
  replan_fixture_set (&fixture, "m", "arg.d", "5");
  check_arg (&fixture, "c", "4.0");
  check_arg (&fixture, "d", "5");
  check_arg (&fixture, "b", "1.0"); /* until the run */
  replan_fixture_run_and_check (&fixture, N, 2, 20);
  check_arg (&fixture, "c", "4.0");
  check_arg (&fixture, "b", NULL);
  set_number (&fixture, "c", 2);
  replan_fixture_run_and_check (&fixture, N, 2, 10);
  replan_fixture_set (&fixture, "m", "expr", "a*x+k");
  set_number (&fixture, "k", 7);
  leat_session_close (fixture.session);
  check_arg (&fixture, "k", "7.0");
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  replan_fixture_run_and_check (&fixture, N, 2, 7);
  session_fixture_close (&fixture);
}

static void
fail_number (SessionFixture *fixture, const char *name, int code, const char *says)
{
  LeatNode *node = replan_fixture_get_node (fixture, "m");
  g_autoptr (GError) error = NULL, text_error = NULL;

  g_assert_false (leat_node_set_arg_double (node, name, 1, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, code);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, says));
  g_assert_false (leat_node_set_from_string (node, name, "1", &text_error));
  g_assert_error (text_error, LEAT_GRAPH_ERROR, code);
}

/* They go with what brought them. */
static void
test_args_are_dropped (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  fail_number (&fixture, "gain", LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, "there are a and b");
  replan_fixture_set (&fixture, "m", "expr", "a*x+gain");
  fail_number (&fixture, "gaim", LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, "did you mean \"gain\"");
  replan_fixture_set (&fixture, "m", "expr", "a*x+(gain");
  fail_number (&fixture, "gain", LEAT_GRAPH_ERROR_TYPE, "gain");
  replan_fixture_set (&fixture, "m", "expr", "a*x+gain");
  set_number (&fixture, "gain", 9);
  replan_fixture_set (&fixture, "source", "spec", "f32[100000000000]");
  replan_fixture_fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  check_arg (&fixture, "gain", NULL);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  replan_fixture_set (&fixture, "m", "expr", "a*x+gain");
  set_number (&fixture, "gain", 9);
  replan_fixture_set (&fixture, "m", "expr", "b*x+a"); /* before any run */
  replan_fixture_run_and_check (&fixture, N, 1, 2);
  check_arg (&fixture, "gain", NULL);
  replan_fixture_set (&fixture, "m", "inputs", "x,gain");
  replan_fixture_set (&fixture, "m", "expr", "b*x+gain");
  leat_node_set_from_string (replan_fixture_get_node (&fixture, "m"), "port.gain", "f32", &error);
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  session_fixture_close (&fixture);
}

/* What was pushed for it waits for the next run. */
static void
test_args_refused_run_leaves_its_push (void)
{
  SessionFixture fixture;
  float x[N];
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) input = NULL, output = NULL;

  for (guint i = 0; i < N; i++)
    x[i] = (float) i;
  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  input = g_bytes_new (x, sizeof x);
  leat_app_push_bytes (fixture.source, input, &error);
  g_assert_no_error (error);
  replan_fixture_set (&fixture, "m", "expr", "a*x+gain");
  replan_fixture_fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  output = leat_app_pull_bytes (fixture.sink, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[3], ==, 7);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_EMPTY);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  const gconstpointer graph = GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH);
  const gconstpointer eager = GINT_TO_POINTER (LEAT_EXECUTOR_EAGER);

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/replan/args/are-taken/graph", graph, test_args_are_taken);
  g_test_add_data_func ("/leat/session/replan/args/are-taken/eager", eager, test_args_are_taken);
  g_test_add_func ("/leat/session/replan/args/are-dropped", test_args_are_dropped);
  g_test_add_func ("/leat/session/replan/args/refused-run-leaves-its-push", test_args_refused_run_leaves_its_push);
  return g_test_run ();
}
