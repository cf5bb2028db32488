/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include "driver/leat-driver-private.h"

#include <pthread.h>

#define N 64
#define MAP                                                                                                            \
  "app name=source spec=f32[64] -> upload mode=copy -> map name=m expr=\"a*x+b\" a=2 b=1 -> readback mode=copy "       \
  "-> app name=sink\n"

static void
set_arg (SessionFixture *fixture, const char *name, double value)
{
  g_autoptr (GError) error = NULL;

  leat_node_set_arg (leat_pipeline_get_node (fixture->pipeline, "m", NULL), name, g_variant_new_double (value), &error);
  g_assert_no_error (error);
}

static void
run_and_check (SessionFixture *fixture, float a, float b)
{
  float x[N];
  g_autoptr (GBytes) output = NULL;
  const float *y;

  for (guint i = 0; i < N; i++)
    x[i] = (float) i;
  output = session_fixture_run (fixture, x, sizeof x);
  y = g_bytes_get_data (output, NULL);
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, a * x[i] + b);
}

static void
test_change_takes_effect_in_the_next_run (gconstpointer executor)
{
  SessionFixture fixture;

  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  run_and_check (&fixture, 2, 1);
  set_arg (&fixture, "a", 5);
  run_and_check (&fixture, 5, 1);
  set_arg (&fixture, "a", 6);
  set_arg (&fixture, "b", -3);
  run_and_check (&fixture, 6, -3);
  run_and_check (&fixture, 6, -3);
  session_fixture_close (&fixture);
}

/* One node of the graph is updated in place, however many arguments changed; nothing is built anew. */
static void
test_change_is_one_update (void)
{
  SessionFixture fixture;
  LeatDriver *driver;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, 2, 1);
  driver = leat_device_get_driver (leat_session_get_device (fixture.session));
  leat_driver_trace_start (driver, FALSE, &error);
  g_assert_no_error (error);
  set_arg (&fixture, "a", 3);
  set_arg (&fixture, "b", 4);
  run_and_check (&fixture, 3, 4);
  run_and_check (&fixture, 3, 4);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuGraphExecKernelNodeSetParams), ==, 1);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuGraphLaunch), ==, 2);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuGraphInstantiateWithFlags), ==, 0);
  session_fixture_close (&fixture);
}

/* Both graphs are updated: the one with uploads and the one without. */
static void
test_change_reaches_every_path (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView in, out;
  float *y;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_map_output (fixture.session, "sink", &out, &error);
  leat_session_map_input (fixture.session, "source", &in, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N; i++)
    ((float *) in.data)[i] = (float) i;
  for (guint run = 0; run < 4; run++)
    {
      set_arg (&fixture, "a", run);
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      y = out.data;
      for (guint i = 0; i < N; i++)
        g_assert_cmpfloat (y[i], ==, (float) (run * i + 1));
    }
  set_arg (&fixture, "a", 9);
  leat_session_map_input (fixture.session, "source", &in, &error);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpfloat (y[3], ==, 28);
  session_fixture_close (&fixture);
}

static void
test_change_refuses (void)
{
  SessionFixture fixture;
  LeatNode *node;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  node = leat_pipeline_get_node (fixture.pipeline, "m", NULL);
  g_assert_false (leat_node_set_arg (node, "c", g_variant_new_double (5), &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY);
  g_clear_error (&error);
  g_assert_false (leat_node_set_arg (node, "a", g_variant_new_string ("five"), &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE);
  run_and_check (&fixture, 2, 1);
  session_fixture_close (&fixture);
}

/* A remembered result is one of other arguments. */
static void
test_change_clears_the_memo (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "memo", LEAT_MEMO_EXACT, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  run_and_check (&fixture, 2, 1);
  set_arg (&fixture, "a", 7);
  run_and_check (&fixture, 7, 1);
  session_fixture_close (&fixture);
}

/* A kernel that takes the count of its input from the device has more parameters before its arguments. */
static void
test_change_reaches_kernels_of_bounded_data (gconstpointer executor)
{
  SessionFixture fixture;
  float x[N] = { 0 };

  for (guint i = 0; i < N; i++)
    x[i] = (float) i;
  session_fixture_open (&fixture,
                        "app name=source spec=f32[<=64] -> upload mode=copy -> map name=m expr=\"a*x+b\" a=2 b=1 -> "
                        "readback mode=copy -> app name=sink\n",
                        GPOINTER_TO_INT (executor));
  for (guint run = 0; run < 4; run++)
    {
      g_autoptr (GBytes) output = NULL;
      gsize n = N - 7 * run;
      const float *y;

      set_arg (&fixture, "b", run);
      set_arg (&fixture, "a", 10 + run);
      output = session_fixture_run (&fixture, x, n * sizeof *x);
      y = g_bytes_get_data (output, NULL);
      g_assert_cmpuint (g_bytes_get_size (output), ==, n * sizeof *x);
      for (guint i = 0; i < n; i++)
        g_assert_cmpfloat (y[i], ==, (float) ((10 + run) * i + run));
    }
  session_fixture_close (&fixture);
}

static LeatDriverTable real;
static guint n_updates, n_without;

static CUresult
note_context (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
  CUcontext context = NULL;

  n_updates++;
  if ((*real.cuCtxGetCurrent) (&context) == CUDA_SUCCESS && context != NULL)
    return (*real.cuGraphExecKernelNodeSetParams) (exec, node, params);
  n_without++;
  return CUDA_ERROR_INVALID_CONTEXT;
}

/* A GPU's driver crashes when a node is updated while no context is current. */
static void
test_change_is_made_with_a_context (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, 2, 1);
  table = (LeatDriverTable *) leat_device_get_table (leat_session_get_device (fixture.session));
  real = *table;
  table->cuGraphExecKernelNodeSetParams = note_context;
  set_arg (&fixture, "a", 3);
  run_and_check (&fixture, 3, 1);
  *table = real;
  g_assert_cmpuint (n_updates, >, 0);
  g_assert_cmpuint (n_without, ==, 0);
  session_fixture_close (&fixture);
}

static void *
turn_knob (void *data)
{
  LeatNode *node = leat_pipeline_get_node (((SessionFixture *) data)->pipeline, "m", NULL);

  for (guint i = 0; i < 2000; i++)
    {
      set_arg (data, "a", i % 8);
      g_assert_true (leat_node_set_arg_double (node, "a", i % 8, NULL));
    }
  return NULL;
}

/* Another thread sets while runs go on: every run sees one of the values in all of its items. */
static void
test_change_from_another_thread (void)
{
  SessionFixture fixture;
  pthread_t thread;
  float x[N];

  for (guint i = 0; i < N; i++)
    x[i] = 1;
  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  pthread_create (&thread, NULL, turn_knob, &fixture);
  for (guint run = 0; run < 500; run++)
    {
      g_autoptr (GBytes) output = session_fixture_run (&fixture, x, sizeof x);
      const float *y = g_bytes_get_data (output, NULL);

      g_assert_cmpfloat (y[0], >=, 1);
      g_assert_cmpfloat (y[0], <=, 8);
      for (guint i = 1; i < N; i++)
        g_assert_cmpfloat (y[i], ==, y[0]);
    }
  pthread_join (thread, NULL);
  run_and_check (&fixture, 7, 1);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/change/takes-effect-in-the-next-run/graph",
                        GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test_change_takes_effect_in_the_next_run);
  g_test_add_data_func ("/leat/session/change/takes-effect-in-the-next-run/eager",
                        GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test_change_takes_effect_in_the_next_run);
  g_test_add_func ("/leat/session/change/is-one-update", test_change_is_one_update);
  g_test_add_func ("/leat/session/change/reaches-every-path", test_change_reaches_every_path);
  g_test_add_func ("/leat/session/change/refuses", test_change_refuses);
  g_test_add_func ("/leat/session/change/clears-the-memo", test_change_clears_the_memo);
  g_test_add_data_func ("/leat/session/change/reaches-kernels-of-bounded-data/graph",
                        GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test_change_reaches_kernels_of_bounded_data);
  g_test_add_data_func ("/leat/session/change/reaches-kernels-of-bounded-data/eager",
                        GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test_change_reaches_kernels_of_bounded_data);
  g_test_add_func ("/leat/session/change/is-made-with-a-context", test_change_is_made_with_a_context);
  g_test_add_func ("/leat/session/change/from-another-thread", test_change_from_another_thread);
  return g_test_run ();
}
