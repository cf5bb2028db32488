/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include "driver/leat-driver-private.h"

#define MAP "app name=source spec=f32[1000] -> upload -> map expr=\"a*x+b\" a=2 b=1 -> readback -> app name=sink\n"
#define BOUNDED_MAP                                                                                                    \
  "app name=source spec=f32[<=1000] -> upload -> map expr=\"a*x+b\" a=2 b=1 -> readback -> app name=sink\n"
#define N 1000

static void
fill (float *x, guint seed)
{
  for (guint i = 0; i < N; i++)
    x[i] = (float) ((i * 7 + seed) % 513) - 100;
}

static void
check_map (GBytes *output, const float *x)
{
  const float *y = g_bytes_get_data (output, NULL);

  g_assert_cmpuint (g_bytes_get_size (output), ==, N * sizeof (float));
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, 2 * x[i] + 1);
}

static void
test_session_replays (gconstpointer executor)
{
  SessionFixture fixture;
  float x[N];

  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  for (guint run = 0; run < 5; run++)
    {
      g_autoptr (GBytes) output = NULL;

      fill (x, run);
      output = session_fixture_run (&fixture, x, sizeof x);
      check_map (output, x);
    }
  session_fixture_close (&fixture);
}

static void
test_session_ends (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) output = NULL;
  float x[N];

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  fill (x, 3);
  output = session_fixture_run (&fixture, x, sizeof x);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_EMPTY);
  g_assert_no_error (error);
  leat_app_end (fixture.source);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_END);
  g_assert_no_error (error);
  g_assert_null (leat_app_pull_bytes (fixture.sink, 0, &error));
  g_assert_no_error (error);
  session_fixture_close (&fixture);
}

/* In steady state a run is one graph launch and the wait: the trace has nothing else in it, but for what makes the
 * context current, once, around all runs. */
static void
test_session_steady_replay_is_one_launch_and_one_wait (gconstpointer text)
{
  SessionFixture fixture;
  LeatDriver *driver;
  g_autoptr (GError) error = NULL;
  g_autofree char *log = NULL;
  float x[N];
  const guint runs = 50;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  driver = leat_device_get_driver (leat_session_get_device (fixture.session));
  fill (x, 0);
  g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
  leat_driver_trace_start (driver, TRUE, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < runs; i++)
    {
      g_autoptr (GBytes) input = g_bytes_new (x, sizeof x);
      g_autoptr (GBytes) output = NULL;

      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
      leat_driver_trace_reset (driver);
      leat_session_replay (fixture.session, FALSE, NULL, &error);
      g_assert_no_error (error);
      g_clear_pointer (&log, g_free);
      log = leat_driver_trace_print (driver);
      if (leat_device_is_cpu (leat_session_get_device (fixture.session)))
        g_assert_cmpstr (log, ==, "cuGraphLaunch cuStreamSynchronize");
      else
        g_assert_true (g_str_has_prefix (log, "cuGraphLaunch ") && strstr (log + 1, "cuGraphLaunch") == NULL);
      output = leat_app_pull_bytes (fixture.sink, 0, &error);
      check_map (output, x);
    }
  leat_driver_trace_stop (driver);
  session_fixture_close (&fixture);
}

/* Counts the nodes of the graph that was built, by asking the driver. */
static void
count_graph_nodes (LeatLane *lane, guint *kernels, guint *copies, guint *fills)
{
  CUgraphNode nodes[64];
  size_t n = G_N_ELEMENTS (nodes);

  g_assert_true (leat_device_push (lane->program->device, NULL));
  g_assert_cmpint (lane->table->cuGraphGetNodes (lane->executables[LEAT_PATH_FULL].graph, nodes, &n), ==, CUDA_SUCCESS);
  *kernels = *copies = *fills = 0;
  for (size_t i = 0; i < n; i++)
    {
      CUgraphNodeType type;

      g_assert_cmpint (lane->table->cuGraphNodeGetType (nodes[i], &type), ==, CUDA_SUCCESS);
      *kernels += type == CU_GRAPH_NODE_TYPE_KERNEL;
      *copies += type == CU_GRAPH_NODE_TYPE_MEMCPY;
      *fills += type == CU_GRAPH_NODE_TYPE_MEMSET;
    }
  leat_device_pop (lane->program->device);
}

static void
test_session_prediction_equals_the_built_graph (gconstpointer data)
{
  const char *text = data;
  SessionFixture fixture;
  g_autoptr (LeatPlan) plan = NULL;
  guint kernels, copies, fills;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  plan = leat_session_dup_plan (fixture.session);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.graph_launches, ==, 1);
  count_graph_nodes (g_ptr_array_index (fixture.session->lanes, 0), &kernels, &copies, &fills);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.kernels, ==, kernels);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.copies, ==, copies);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.fills, ==, fills);
  g_clear_object (&plan);
  session_fixture_close (&fixture);
}

/* The eager run's calls are the plan's ops, one for one. */
static void
test_session_prediction_equals_the_eager_calls (void)
{
  SessionFixture fixture;
  LeatDriver *driver;
  g_autoptr (LeatPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  float x[N];

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_EAGER);
  driver = leat_device_get_driver (leat_session_get_device (fixture.session));
  plan = leat_session_dup_plan (fixture.session);
  fill (x, 1);
  leat_driver_trace_start (driver, FALSE, &error);
  g_assert_no_error (error);
  g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuLaunchKernel), ==,
                    LEAT_BOUND_PLAN (plan)->prediction.kernels);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuMemcpyHtoDAsync)
                      + leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuMemcpyDtoHAsync)
                      + leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuMemcpyDtoDAsync),
                    ==, LEAT_BOUND_PLAN (plan)->prediction.copies);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuMemsetD8Async), ==,
                    LEAT_BOUND_PLAN (plan)->prediction.fills);
  g_clear_object (&plan);
  session_fixture_close (&fixture);
}

static void
test_session_copies_when_told_to (void)
{
  SessionFixture fixture;
  g_autoptr (LeatPlan) plan = NULL;
  g_autoptr (GBytes) output = NULL;
  float x[N];

  session_fixture_open (&fixture,
                        "app name=source spec=f32[1000] -> upload mode=copy -> map expr=\"a*x+b\" a=2 b=1 -> "
                        "readback mode=copy -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  plan = leat_session_dup_plan (fixture.session);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.copies, ==, 2);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.upload_bytes, ==, sizeof x);
  fill (x, 9);
  output = session_fixture_run (&fixture, x, sizeof x);
  check_map (output, x);
  g_clear_object (&plan);
  session_fixture_close (&fixture);
}

static void
test_session_bounded_data_keeps_its_count (gconstpointer mode)
{
  g_autofree char *text =
    g_strdup_printf ("app name=source spec=i32[<=4096] -> upload mode=%s -> map expr=3*x -> readback mode=%s -> "
                     "app name=sink\n",
                     (const char *) mode, (const char *) mode);
  SessionFixture fixture;
  gint32 x[4096];

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  for (guint n = 1; n <= 4096; n = n * 3 + 1)
    {
      g_autoptr (GBytes) output = NULL;
      const gint32 *y;

      for (guint i = 0; i < n; i++)
        x[i] = (gint32) (i * n);
      output = session_fixture_run (&fixture, x, n * sizeof (gint32));
      g_assert_cmpuint (g_bytes_get_size (output), ==, n * sizeof (gint32));
      y = g_bytes_get_data (output, NULL);
      for (guint i = 0; i < n; i++)
        g_assert_cmpint (y[i], ==, 3 * x[i]);
    }
  session_fixture_close (&fixture);
}

static void
test_session_opens_again (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  float x[N];

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  g_clear_error (&error);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (leat_session_open (fixture.session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  fill (x, 2);
  {
    g_autoptr (GBytes) output = session_fixture_run (&fixture, x, sizeof x);

    check_map (output, x);
  }
  session_fixture_close (&fixture);
}

static void
test_session_refuses_a_missing_argument (void)
{
  g_autoptr (GError) error = session_fixture_fail (
    "app name=source spec=f32[8] -> upload -> map expr=\"gain*x\" -> readback -> app name=sink\n", NULL);

  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING);
  g_assert_nonnull (strstr (error->message, "\"gain\""));
}

static void
test_session_refuses_an_unknown_device (void)
{
  g_autoptr (GError) error = session_fixture_fail (MAP, "cuda:977");

  g_assert_cmpuint (error->domain, ==, LEAT_DRIVER_ERROR);
}

static void
test_session_refuses_more_memory_than_there_is (void)
{
  g_autoptr (GError) error = session_fixture_fail (
    "app name=source spec=u8[2305843009213693000] -> upload mode=copy -> readback mode=copy -> app name=sink\n", NULL);

  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  g_assert_nonnull (strstr (error->message, "1.9 EiB is needed"));
}

static void
on_run_done (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_session_run_finish (LEAT_SESSION (object), result, &error));
  g_assert_no_error (error);
  g_main_loop_quit (data);
}

static void
test_session_runs_in_the_background_and_posts_one_end (void)
{
  SessionFixture fixture;
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (LeatMessage) message = NULL;
  LeatBus *bus;
  g_autoptr (GError) error = NULL;
  float x[N];

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  bus = leat_pipeline_get_bus (fixture.pipeline);
  leat_session_run_async (fixture.session, NULL, on_run_done, loop);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GBytes) input = NULL;
      g_autoptr (GBytes) output = NULL;

      fill (x, i);
      input = g_bytes_new (x, sizeof x);
      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
      output = leat_app_pull_bytes (fixture.sink, 10 * G_USEC_PER_SEC, &error);
      g_assert_no_error (error);
      check_map (output, x);
    }
  leat_app_end (fixture.source);
  g_main_loop_run (loop);
  while (message == NULL || leat_message_get_kind (message) == LEAT_MESSAGE_PROGRESS)
    {
      g_clear_pointer (&message, leat_message_unref);
      message = leat_bus_pop (bus, 10 * G_USEC_PER_SEC);
      g_assert_nonnull (message);
    }
  g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_STATS);
  g_clear_pointer (&message, leat_message_unref);
  message = leat_bus_pop (bus, 10 * G_USEC_PER_SEC);
  g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_END);
  g_assert_null (leat_bus_pop (bus, 0));
  session_fixture_close (&fixture);
}

/* While it runs, and not more often than ten times a second. @lanes: of the session */
static void
test_session_run_posts_progress (gconstpointer lanes)
{
  SessionFixture fixture;
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (LeatMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  guint64 runs, bytes, pushed = 0;
  guint n_posted = 0;
  double seconds;
  gint64 begin;
  float x[N];

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "lanes", GPOINTER_TO_UINT (lanes), NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  fill (x, 1);
  begin = g_get_monotonic_time ();
  leat_session_run_async (fixture.session, NULL, on_run_done, loop);
  while (n_posted < 2)
    {
      g_autoptr (GBytes) input = g_bytes_new (x, sizeof x), output = NULL;
      GVariant *details;

      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
      output = leat_app_pull_bytes (fixture.sink, 10 * G_USEC_PER_SEC, &error);
      g_assert_no_error (error);
      pushed++;
      g_assert_cmpuint (pushed, <, 1000);
      message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), G_USEC_PER_SEC / 100);
      if (message == NULL)
        continue;
      n_posted++;
      g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_PROGRESS);
      g_assert_cmpint (g_get_monotonic_time () - begin, >=, n_posted * G_USEC_PER_SEC / 10);
      details = leat_message_get_details (message);
      g_assert_true (g_variant_lookup (details, "runs", "t", &runs));
      g_assert_true (g_variant_lookup (details, "bytes", "t", &bytes));
      g_assert_true (g_variant_lookup (details, "seconds", "d", &seconds));
      g_assert_cmpuint (runs, >, 0);
      g_assert_cmpuint (runs, <=, pushed);
      /* Another lane may have its input by then. */
      g_assert_cmpuint (bytes, >=, runs * sizeof x);
      g_assert_cmpuint (bytes, <=, (GPOINTER_TO_UINT (lanes) > 1 ? pushed : runs) * sizeof x);
      g_assert_cmpfloat (seconds, >=, n_posted * 0.1);
      g_clear_pointer (&message, leat_message_unref);
    }
  leat_app_end (fixture.source);
  g_main_loop_run (loop);
  session_fixture_close (&fixture);
}

static void
on_run_cancelled (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (leat_session_run_finish (LEAT_SESSION (object), result, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_main_loop_quit (data);
}

static gboolean
cancel_it (gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
  return G_SOURCE_REMOVE;
}

static void
test_session_cancel_wakes_a_waiting_source (void)
{
  SessionFixture fixture;
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_run_async (fixture.session, cancellable, on_run_cancelled, loop);
  g_timeout_add (30, cancel_it, cancellable);
  g_main_loop_run (loop);
  session_fixture_close (&fixture);
}

/* Another number than the property has, of its type. */
static gboolean
set_other_value (GParamSpec *pspec, GValue *value)
{
  if (G_IS_PARAM_SPEC_UINT64 (pspec))
    g_value_set_uint64 (value, g_value_get_uint64 (value) + (1ull << 33) + 1);
  else if (G_IS_PARAM_SPEC_UINT (pspec))
    g_value_set_uint (value, g_value_get_uint (value) + 1);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    g_value_set_boolean (value, !g_value_get_boolean (value));
  else if (G_IS_PARAM_SPEC_ENUM (pspec))
    g_value_set_enum (value, G_PARAM_SPEC_ENUM (pspec)->enum_class->maximum - g_value_get_enum (value));
  else
    return FALSE;
  return !g_param_value_validate (pspec, value);
}

/* GLib tells values of two variants apart by where they are. */
static gboolean
is_same_value (GParamSpec *pspec, const GValue *one, const GValue *other)
{
  return G_VALUE_HOLDS_VARIANT (one) ? g_variant_equal (g_value_get_variant (one), g_value_get_variant (other))
                                     : g_param_values_cmp (pspec, one, other) == 0;
}

/* A number that is set is there, and in no other property. */
static void
test_session_keeps_properties (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL), fresh = leat_session_new (pipeline, NULL);
  guint n_props, n_set = 0;
  g_autofree GParamSpec **props = g_object_class_list_properties (G_OBJECT_GET_CLASS (session), &n_props);

  for (guint i = 0; i < n_props; i++)
    {
      g_auto (GValue) was = G_VALUE_INIT, value = G_VALUE_INIT;

      if (!(props[i]->flags & G_PARAM_WRITABLE) || (props[i]->flags & G_PARAM_CONSTRUCT_ONLY))
        continue;
      g_value_init (&was, G_PARAM_SPEC_VALUE_TYPE (props[i]));
      g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (props[i]));
      g_object_get_property (G_OBJECT (session), props[i]->name, &was);
      g_value_copy (&was, &value);
      if (!set_other_value (props[i], &value))
        continue;
      g_object_set_property (G_OBJECT (session), props[i]->name, &value);
      n_set++;
      for (guint k = 0; k < n_props; k++)
        {
          g_auto (GValue) mine = G_VALUE_INIT, other = G_VALUE_INIT;

          g_value_init (&mine, G_PARAM_SPEC_VALUE_TYPE (props[k]));
          g_value_init (&other, G_PARAM_SPEC_VALUE_TYPE (props[k]));
          g_object_get_property (G_OBJECT (session), props[k]->name, &mine);
          g_object_get_property (G_OBJECT (fresh), props[k]->name, &other);
          if (!is_same_value (props[k], &mine, k == i ? &value : &other))
            g_error ("\"%s\" was set, and \"%s\" is not what it should be", props[i]->name, props[k]->name);
        }
      g_object_set_property (G_OBJECT (session), props[i]->name, &was);
    }
  g_assert_cmpuint (n_set, >=, 20);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/replay/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test_session_replays);
  g_test_add_data_func ("/leat/session/replay/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test_session_replays);
  g_test_add_func ("/leat/session/replay/ends", test_session_ends);
  g_test_add_data_func ("/leat/session/trace/steady-replay-is-one-launch-and-one-wait/map", MAP,
                        test_session_steady_replay_is_one_launch_and_one_wait);
  g_test_add_data_func ("/leat/session/trace/steady-replay-is-one-launch-and-one-wait/bounded", BOUNDED_MAP,
                        test_session_steady_replay_is_one_launch_and_one_wait);
  g_test_add_data_func ("/leat/session/prediction/equals-the-built-graph/map", MAP,
                        test_session_prediction_equals_the_built_graph);
  g_test_add_data_func ("/leat/session/prediction/equals-the-built-graph/scan",
                        "app name=source spec=u8[<=100000] -> upload mode=copy -> text:scan patterns=a,bc -> readback "
                        "mode=copy -> app name=sink\n",
                        test_session_prediction_equals_the_built_graph);
  g_test_add_data_func ("/leat/session/prediction/equals-the-built-graph/bounded-map",
                        "app name=source spec=i32[<=4096] -> upload -> map expr=x+1 -> readback -> app name=sink\n",
                        test_session_prediction_equals_the_built_graph);
  g_test_add_func ("/leat/session/prediction/equals-the-eager-calls", test_session_prediction_equals_the_eager_calls);
  g_test_add_func ("/leat/session/transfer/copies-when-told-to", test_session_copies_when_told_to);
  g_test_add_data_func ("/leat/session/bounded/keeps-its-count/mapped", "mapped",
                        test_session_bounded_data_keeps_its_count);
  g_test_add_data_func ("/leat/session/bounded/keeps-its-count/copy", "copy",
                        test_session_bounded_data_keeps_its_count);
  g_test_add_func ("/leat/session/keeps-properties", test_session_keeps_properties);
  g_test_add_func ("/leat/session/open/again", test_session_opens_again);
  g_test_add_func ("/leat/session/open/refuses-a-missing-argument", test_session_refuses_a_missing_argument);
  g_test_add_func ("/leat/session/open/refuses-an-unknown-device", test_session_refuses_an_unknown_device);
  g_test_add_func ("/leat/session/open/refuses-more-memory-than-there-is",
                   test_session_refuses_more_memory_than_there_is);
  g_test_add_func ("/leat/session/async/runs-in-the-background-and-posts-one-end",
                   test_session_runs_in_the_background_and_posts_one_end);
  g_test_add_data_func ("/leat/session/async/posts-progress/one-lane", GUINT_TO_POINTER (1),
                        test_session_run_posts_progress);
  g_test_add_data_func ("/leat/session/async/posts-progress/lanes", GUINT_TO_POINTER (3),
                        test_session_run_posts_progress);
  g_test_add_func ("/leat/session/async/cancel-wakes-a-waiting-source", test_session_cancel_wakes_a_waiting_source);
  return g_test_run ();
}
