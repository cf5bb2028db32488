/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

/* Many runs on one set of inputs: what they give, and how few calls of the driver it takes. */

#define SUM                                                                                                            \
  "sum = state spec=u32[16]\n"                                                                                         \
  "m = map inputs=x,sum expr=x*g+sum g=1\n"                                                                            \
  "app name=source spec=u32[16] -> upload mode=copy -> m.x\n"                                                          \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback mode=copy -> app name=sink\n"
/* Its uploads cannot be left out. */
#define OVERWRITTEN                                                                                                    \
  "sum = state spec=u32[256]\n"                                                                                        \
  "k = kernel source=\"%s/counts.cu\" update=hist grid=items:in\n"                                                     \
  "app name=source spec=u32[256] -> upload mode=copy -> k.hist_in\n"                                                   \
  "app name=bytes spec=u8[4] -> upload mode=copy -> k.in\n"                                                            \
  "k -> sum -> discard\n"                                                                                              \
  "k -> readback mode=copy -> app name=sink\n"

static guint
first (GBytes *bytes)
{
  return *(const guint32 *) g_bytes_get_data (bytes, NULL);
}

static void
push (SessionFixture *fixture, guint32 x)
{
  guint32 items[16];
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 16; i++)
    items[i] = x;
  bytes = g_bytes_new (items, sizeof items);
  leat_app_push_bytes (fixture->source, bytes, &error);
  g_assert_no_error (error);
}

static guint
repeat (SessionFixture *fixture, guint32 x, guint64 runs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) result = NULL;

  push (fixture, x);
  g_assert_cmpint (leat_session_repeat (fixture->session, runs, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  result = leat_app_pull_bytes (fixture->sink, 0, NULL);
  g_assert_nonnull (result);
  g_assert_null (leat_app_pull_bytes (fixture->sink, 0, NULL));
  return first (result);
}

static void
test_session_repeat_is_as_one_by_one (gconstpointer executor)
{
  static const guint64 runs[] = { 1, 2, 3, 4, 5, 6, 64, 65, 66, 67, 130, 200, 5, 1 };
  SessionFixture fixture;
  guint64 sum = 0;

  session_fixture_open (&fixture, SUM, GPOINTER_TO_INT (executor));
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      sum += (i + 1) * runs[i];
      g_assert_cmpuint (repeat (&fixture, i + 1, runs[i]), ==, sum);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-silent"), ==,
                    session_fixture_get_count (&fixture, "runs") - G_N_ELEMENTS (runs));
  session_fixture_close (&fixture);
}

static guint64
counted (GVariant *counts, const char *name)
{
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (counts, name, "t", &value));
  return value;
}

static LeatLane *
get_lane (SessionFixture *fixture)
{
  return g_ptr_array_index (fixture->session->lanes, 0);
}

static gboolean
has_whiles (SessionFixture *fixture)
{
  return get_lane (fixture)->table->cuGraphConditionalHandleCreate != NULL
         && get_lane (fixture)->least_method == LEAT_REPEAT_ON_DEVICE;
}

/* One upload, one readback, one wait, and not a launch for each run. */
static void
test_session_repeat_costs_little (gconstpointer whiles)
{
  SessionFixture fixture;
  g_autoptr (GVariant) counts = NULL;
  g_autoptr (GError) error = NULL;
  guint64 up, back;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  if (whiles == NULL)
    get_lane (&fixture)->least_method = LEAT_REPEAT_UNROLLED;
  repeat (&fixture, 1, 130);
  up = session_fixture_get_count (&fixture, "bytes-up");
  back = session_fixture_get_count (&fixture, "bytes-back");
  leat_session_start_counting (fixture.session, &error);
  g_assert_no_error (error);
  repeat (&fixture, 1, 130);
  counts = leat_session_stop_counting (fixture.session, &error);
  g_assert_no_error (error);
  /* of the loop, one before it and one for each of its runs */
  g_assert_cmpuint (counted (counts, "kernels"), ==, has_whiles (&fixture) ? 130 + 1 + 128 : 130);
  g_assert_cmpuint (counted (counts, "copies"), ==, 2);
  /* the first, a loop or two times 64, the last */
  g_assert_cmpuint (counted (counts, "graph-launches"), ==, has_whiles (&fixture) ? 3 : 4);
  g_assert_cmpuint (counted (counts, "waits"), ==, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "bytes-up") - up, ==, 64);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "bytes-back") - back, ==, 64);
  session_fixture_close (&fixture);
}

/* However many there are, few of them are put on the stream before others have ended: else memory grows with each. */
static void
test_session_repeat_is_held_back (void)
{
  static const guint64 runs = 64 * 64 * 5 + 1; /* five times 64 launches, and the run that is read back */
  SessionFixture fixture;
  g_autoptr (GVariant) counts = NULL;
  g_autoptr (GError) error = NULL;
  const LeatLane *lane;
  guint64 waits;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  get_lane (&fixture)->least_method = LEAT_REPEAT_UNROLLED;
  g_assert_cmpuint (repeat (&fixture, 1, 200), ==, 200);
  lane = g_ptr_array_index (fixture.session->lanes, 0);
  waits = lane->other_waits;
  g_assert_cmpuint (repeat (&fixture, 0, 64 * 64 * 2), ==, 200);
  g_assert_cmpuint (lane->other_waits, ==, waits);
  leat_session_start_counting (fixture.session, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (repeat (&fixture, 0, runs + 1), ==, 200);
  counts = leat_session_stop_counting (fixture.session, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lane->other_waits - waits, ==, 3);
  g_assert_cmpuint (counted (counts, "kernels"), ==, runs + 1);
  g_assert_cmpuint (counted (counts, "waits"), ==, 1);
  session_fixture_close (&fixture);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (50000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* More runs than any machine does in a year. */
static void
test_session_repeat_is_called_off (gconstpointer whiles)
{
  SessionFixture fixture;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  if (whiles == NULL)
    get_lane (&fixture)->least_method = LEAT_REPEAT_UNROLLED;
  g_assert_cmpuint (repeat (&fixture, 1, 200), ==, 200);
  push (&fixture, 1);
  thread = g_thread_new ("cancel", cancel_soon, cancellable);
  g_assert_cmpint (leat_session_repeat (fixture.session, G_MAXUINT64 / 2, FALSE, cancellable, &error), ==,
                   LEAT_FLOW_ERROR);
  g_thread_join (thread);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_null (leat_app_pull_bytes (fixture.sink, 0, NULL));
  g_clear_error (&error);
  leat_session_close (fixture.session);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (repeat (&fixture, 3, 100), ==, 300);
  session_fixture_close (&fixture);
}

/* An argument that is set between is that of all runs that follow. */
/* What was given for the run is there for the next call. */
static void
test_session_repeat_refuses_none (void)
{
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  const guint32 items[16] = { 0 };
  g_autoptr (GBytes) bytes = g_bytes_new (items, sizeof items), result = NULL;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (repeat (&fixture, 1, 10), ==, 10);
  g_assert_true (leat_app_push_bytes (fixture.source, bytes, NULL));
  g_assert_cmpint (leat_session_repeat (fixture.session, 0, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_ARGUMENT);
  g_clear_error (&error);
  g_assert_cmpint (leat_session_repeat (fixture.session, 3, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  result = leat_app_pull_bytes (fixture.sink, 0, NULL);
  g_assert_cmpuint (*(const guint32 *) g_bytes_get_data (result, NULL), ==, 10);
  session_fixture_close (&fixture);
}

static void
test_session_repeat_takes_changes (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatNode *node;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (repeat (&fixture, 1, 100), ==, 100);
  node = leat_pipeline_get_node (fixture.pipeline, "m", NULL);
  leat_node_set_from_string (node, "g", "10", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (repeat (&fixture, 1, 100), ==, 1100);
  leat_node_set_from_string (node, "expr", "x*g*2+sum", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (repeat (&fixture, 1, 100), ==, 3100);
  session_fixture_close (&fixture);
}

static void
test_session_repeat_gives_each (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "repeat", (guint64) 5, "readback", LEAT_READBACK_EACH, NULL);
  push (&fixture, 3);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  for (guint i = 1; i <= 5; i++)
    {
      g_autoptr (GBytes) result = leat_app_pull_bytes (fixture.sink, 0, NULL);

      g_assert_nonnull (result);
      g_assert_cmpuint (first (result), ==, 3 * i);
    }
  g_assert_null (leat_app_pull_bytes (fixture.sink, 0, NULL));
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs"), ==, 5);
  /* In two halves, and only the last. */
  g_object_set (fixture.session, "readback", LEAT_READBACK_FINAL, NULL);
  push (&fixture, 1);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpint (leat_session_complete (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  {
    g_autoptr (GBytes) result = leat_app_pull_bytes (fixture.sink, 0, NULL);

    g_assert_cmpuint (first (result), ==, 20);
  }
  session_fixture_close (&fixture);
}

/* Where a kernel writes over its input, each run brings it anew. */
static void
test_session_repeat_uploads_what_is_overwritten (void)
{
  const guint32 zeros[256] = { 0 };
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "..", "graphs", NULL);
  g_autofree char *text = g_strdup_printf (OVERWRITTEN, folder);
  g_autoptr (GBytes) start = g_bytes_new_static (zeros, sizeof zeros), bytes = g_bytes_new_static ("aab\0", 4),
                     result = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  leat_app_push_bytes (fixture.source, start, &error);
  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "bytes", NULL)), bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_repeat (fixture.session, 50, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  result = leat_app_pull_bytes (fixture.sink, 0, NULL);
  g_assert_cmpuint (((const guint32 *) g_bytes_get_data (result, NULL))['a'], ==, 2);
  session_fixture_close (&fixture);
}

/* A run without repetition after one with it, on the same inputs and on others. */
static void
test_session_repeat_leaves_nothing (void)
{
  SessionFixture fixture;
  g_autoptr (GBytes) result = NULL;
  guint32 items[16] = { 7 };

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (repeat (&fixture, 1, 10), ==, 10);
  result = session_fixture_run (&fixture, items, sizeof items);
  g_assert_cmpuint (first (result), ==, 17);
  g_assert_cmpuint (repeat (&fixture, 1, 10), ==, 27);
  session_fixture_close (&fixture);
}

static guint
pull (SessionFixture *fixture)
{
  g_autoptr (GBytes) result = leat_app_pull_bytes (fixture->sink, 0, NULL);

  g_assert_nonnull (result);
  return first (result);
}

static void
open_with_lanes (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;

  session_fixture_open (fixture, SUM, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture->session);
  g_object_set (fixture->session, "lanes", 3u, "calibrate", FALSE, NULL);
  leat_session_open (fixture->session, NULL, &error);
  g_assert_no_error (error);
}

/* Several lanes are asked for; runs that are repeated, and states that the program has, are of one. */
static void
test_session_repeat_streams_in_one_lane (gconstpointer lends)
{
  SessionFixture fixture;
  g_autoptr (LeatDeviceBuffer) state = NULL;
  g_autoptr (GError) error = NULL;
  const guint64 n = lends != NULL ? 1 : 5;

  open_with_lanes (&fixture);
  g_object_set (fixture.session, "repeat", n, NULL);
  if (lends != NULL)
    {
      state = leat_session_get_state (fixture.session, "sum", &error);
      g_assert_no_error (error);
    }
  for (guint x = 1; x <= 10; x++)
    push (&fixture, x);
  leat_app_end (fixture.source);
  leat_session_run (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint x = 1; x <= 10; x++)
    g_assert_cmpuint (pull (&fixture), ==, n * x * (x + 1) / 2);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs"), ==, 10 * n);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "in-flight-most"), ==, 0);
  session_fixture_close (&fixture);
}

/* Where there are several lanes, their graphs wait for each other; so does a loop of them. */
static void
test_session_repeat_goes_on_after_lanes (void)
{
  SessionFixture fixture;
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancelled);
  open_with_lanes (&fixture);
  g_assert_cmpuint (repeat (&fixture, 1, 100), ==, 100);
  /* Nothing is read, but the lanes are there. */
  leat_session_run (fixture.session, cancelled, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "lanes-used"), ==, 3);
  g_assert_cmpuint (repeat (&fixture, 2, 100), ==, 300);
  g_assert_cmpuint (repeat (&fixture, 1, 1), ==, 301);
  session_fixture_close (&fixture);
}

/* A batch is of single runs. */
static void
test_session_repeat_is_not_of_batches (void)
{
  SessionFixture fixture;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "repeat", (guint64) 7, NULL);
  for (guint lane = 0; lane < 6; lane++)
    {
      const guint32 items[16] = { lane + 1 };

      g_ptr_array_add (inputs, g_bytes_new (items, sizeof items));
    }
  leat_session_replay_batch (fixture.session, 6, inputs, &results, NULL, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < 6; lane++)
    g_assert_cmpuint (first (g_ptr_array_index (results, lane)), ==, (lane + 1) * (lane + 2) / 2);
  push (&fixture, 1);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpuint (pull (&fixture), ==, 28);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session-repeat/refuses-none", test_session_repeat_refuses_none);
  g_test_add_data_func ("/leat/session-repeat/is-as-one-by-one/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_session_repeat_is_as_one_by_one);
  g_test_add_data_func ("/leat/session-repeat/is-as-one-by-one/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_session_repeat_is_as_one_by_one);
  g_test_add_data_func ("/leat/session-repeat/is-as-one-by-one/auto", GINT_TO_POINTER (LEAT_EXECUTOR_AUTO),
                        test_session_repeat_is_as_one_by_one);
  g_test_add_data_func ("/leat/session-repeat/costs-little/on-the-device", "", test_session_repeat_costs_little);
  g_test_add_data_func ("/leat/session-repeat/costs-little/chained", NULL, test_session_repeat_costs_little);
  g_test_add_func ("/leat/session-repeat/is-held-back", test_session_repeat_is_held_back);
  g_test_add_data_func ("/leat/session-repeat/is-called-off/on-the-device", "", test_session_repeat_is_called_off);
  g_test_add_data_func ("/leat/session-repeat/is-called-off/chained", NULL, test_session_repeat_is_called_off);
  g_test_add_func ("/leat/session-repeat/takes-changes", test_session_repeat_takes_changes);
  g_test_add_func ("/leat/session-repeat/gives-each", test_session_repeat_gives_each);
  g_test_add_func ("/leat/session-repeat/uploads-what-is-overwritten", test_session_repeat_uploads_what_is_overwritten);
  g_test_add_func ("/leat/session-repeat/leaves-nothing", test_session_repeat_leaves_nothing);
  g_test_add_data_func ("/leat/session-repeat/streams-in-one-lane/repeats", NULL,
                        test_session_repeat_streams_in_one_lane);
  g_test_add_data_func ("/leat/session-repeat/streams-in-one-lane/lends", "state",
                        test_session_repeat_streams_in_one_lane);
  g_test_add_func ("/leat/session-repeat/goes-on-after-lanes", test_session_repeat_goes_on_after_lanes);
  g_test_add_func ("/leat/session-repeat/is-not-of-batches", test_session_repeat_is_not_of_batches);
  return g_test_run ();
}
