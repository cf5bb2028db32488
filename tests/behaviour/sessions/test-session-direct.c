/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#define N 1000
#define MAP                                                                                                            \
  "app name=source spec=f32[1000] -> upload mode=copy -> map expr=\"a*x+b\" a=2 b=1 -> readback mode=copy -> app "     \
  "name=sink\n"
#define BOUNDED                                                                                                        \
  "app name=source spec=f32[<=1000] -> upload mode=copy -> map expr=\"a*x+b\" a=2 b=1 -> readback -> app name=sink\n"

static LeatView
map_input (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;
  LeatView view;

  leat_session_map_input (fixture->session, "source", &view, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (view.capacity, ==, N * sizeof (float));
  return view;
}

static LeatView
map_output (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;
  LeatView view;

  leat_session_map_output (fixture->session, "sink", &view, &error);
  g_assert_no_error (error);
  return view;
}

static void
fill (float *x, guint seed)
{
  for (guint i = 0; i < N; i++)
    x[i] = (float) ((i * 7 + seed) % 513) - 100;
}

static void
replay (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (leat_session_replay (fixture->session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
}

static void
check (const LeatView *view, guint n, guint seed)
{
  const float *y = view->data;
  float x[N];

  fill (x, seed);
  g_assert_cmpuint (view->count, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (y[i], ==, 2 * x[i] + 1);
}

static void
test_session_direct_fills_in_place (gconstpointer executor)
{
  SessionFixture fixture;
  LeatView output;

  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  map_output (&fixture);
  for (guint run = 0; run < 5; run++)
    {
      fill (map_input (&fixture).data, run);
      replay (&fixture);
      output = map_output (&fixture);
      check (&output, N, run);
    }
  g_assert_null (leat_app_pull_bytes (fixture.sink, 0, NULL));
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-full"), ==, 5);
  session_fixture_close (&fixture);
}

/* What was not mapped again is not uploaded again: other bytes there change nothing. */
static void
test_session_direct_keeps_what_is_on_the_device (gconstpointer executor)
{
  SessionFixture fixture;
  g_autoptr (GVariant) counts = NULL;
  g_autoptr (GError) error = NULL;
  LeatView input, output;
  guint64 copies = 0;

  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  map_output (&fixture);
  input = map_input (&fixture);
  fill (input.data, 1);
  replay (&fixture);
  fill (input.data, 2);
  leat_session_start_counting (fixture.session, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 3; run++)
    replay (&fixture);
  counts = leat_session_stop_counting (fixture.session, &error);
  g_assert_no_error (error);
  output = map_output (&fixture);
  check (&output, N, 1);
  g_assert_true (g_variant_lookup (counts, "copies", "t", &copies));
  g_assert_cmpuint (copies, ==, 3); /* the readbacks */
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-reused"), ==, 3);
  map_input (&fixture);
  replay (&fixture);
  output = map_output (&fixture);
  check (&output, N, 2);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-full"), ==, 2);
  session_fixture_close (&fixture);
}

static void
test_session_direct_uploads_always_where_asked (void)
{
  SessionFixture fixture;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "reuse", FALSE, NULL);
  fill (map_input (&fixture).data, 1);
  replay (&fixture);
  replay (&fixture);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-full"), ==, 2);
  session_fixture_close (&fixture);
}

static void
test_session_direct_takes_counts (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView output;

  session_fixture_open (&fixture, BOUNDED, LEAT_EXECUTOR_GRAPH);
  map_output (&fixture);
  fill (map_input (&fixture).data, 4);
  replay (&fixture);
  g_assert_cmpuint (map_output (&fixture).count, ==, 0);
  leat_session_set_input_count (fixture.session, "source", 17, &error);
  g_assert_no_error (error);
  replay (&fixture);
  output = map_output (&fixture);
  check (&output, 17, 4);
  g_assert_false (leat_session_set_input_count (fixture.session, "source", N + 1, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE);
  replay (&fixture);
  output = map_output (&fixture);
  check (&output, 17, 4);
  session_fixture_close (&fixture);
}

static void
test_session_direct_refuses (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView view;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_assert_false (leat_session_map_input (fixture.session, "sourc", &view, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NAME);
  g_assert_nonnull (strstr (error->message, "did you mean \"source\"?"));
  g_clear_error (&error);
  g_assert_false (leat_session_map_input (fixture.session, "sink", &view, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION);
  g_clear_error (&error);
  g_assert_false (leat_session_map_output (fixture.session, "source", &view, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION);
  g_clear_error (&error);
  g_assert_false (leat_session_set_input_count (fixture.session, "source", 3, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE);
  g_clear_error (&error);
  leat_session_close (fixture.session);
  g_assert_false (leat_session_map_input (fixture.session, "source", &view, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  session_fixture_close (&fixture);
}

/* What is refused changes nothing: the queue is asked as before. */
static void
test_session_direct_keeps_the_queue_where_refused (void)
{
  SessionFixture fixture;
  g_autoptr (GBytes) result = NULL;
  g_autofree float *x = g_new (float, N);

  session_fixture_open (&fixture, BOUNDED, LEAT_EXECUTOR_GRAPH);
  g_assert_false (leat_session_set_input_count (fixture.session, "source", N + 1, NULL));
  fill (x, 3);
  result = session_fixture_run (&fixture, x, N * sizeof *x);
  g_assert_cmpuint (g_bytes_get_size (result), ==, N * sizeof *x);
  g_assert_cmpfloat (((const float *) g_bytes_get_data (result, NULL))[5], ==, 2 * x[5] + 1);
  session_fixture_close (&fixture);
}

/* Data of which it is not known before the run what they must be. */
static void
test_direct_names_a_source_once (void)
{
  const char *const text = "leat 1\napp name=source -> f32[4] -> upload -> map expr=x -> readback -> app name=sink\n";
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, NULL);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  LeatApp *source = LEAT_APP (leat_pipeline_get_node (pipeline, "source", NULL));
  g_autoptr (GBytes) bytes = g_bytes_new ("abc", 3);
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_app_push_bytes (source, bytes, NULL));
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_suffix (error->message, "app \"source\": 3 bytes were pushed; f32[4] takes 16 bytes"));
  g_assert_null (strstr (strstr (error->message, "source") + 1, "source"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/direct/fills-in-place/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_session_direct_fills_in_place);
  g_test_add_data_func ("/leat/session/direct/fills-in-place/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_session_direct_fills_in_place);
  g_test_add_data_func ("/leat/session/direct/keeps-what-is-on-the-device/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_session_direct_keeps_what_is_on_the_device);
  g_test_add_data_func ("/leat/session/direct/keeps-what-is-on-the-device/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_session_direct_keeps_what_is_on_the_device);
  g_test_add_func ("/leat/session/direct/uploads-always-where-asked", test_session_direct_uploads_always_where_asked);
  g_test_add_func ("/leat/session/direct/takes-counts", test_session_direct_takes_counts);
  g_test_add_func ("/leat/session/direct/refuses", test_session_direct_refuses);
  g_test_add_func ("/leat/session/direct/keeps-the-queue-where-refused",
                   test_session_direct_keeps_the_queue_where_refused);
  g_test_add_func ("/leat/session/direct/names-a-source-once", test_direct_names_a_source_once);
  return g_test_run ();
}
