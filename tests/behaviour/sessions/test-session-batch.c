/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include "lane/leat-batch-memory-private.h"

#include <string.h>

#define N       100
#define MAP     "app name=source spec=f32[100] -> upload -> map expr=\"a*x+b\" a=2 b=1 -> readback -> app name=sink\n"
#define BOUNDED "app name=source spec=f32[<=100] -> upload -> map expr=\"a*x+b\" a=2 b=1 -> readback -> app name=sink\n"

static float
value (guint lane, guint i)
{
  return (float) ((lane * 31 + i * 7) % 513) - 100;
}

/* (element-type GBytes) Of @lane there are as many items as @count says. */
static GPtrArray *
make_inputs (guint n, guint (*count) (guint lane))
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint lane = 0; lane < n; lane++)
    {
      float x[N];

      for (guint i = 0; i < N; i++)
        x[i] = value (lane, i);
      g_ptr_array_add (inputs, g_bytes_new (x, (*count) (lane) * sizeof *x));
    }
  return inputs;
}

static guint
count_all (guint lane)
{
  return N;
}

/* Also lanes without any item, and full ones. */
static guint
count_some (guint lane)
{
  return lane * 37 % (N + 1);
}

static GPtrArray *
run_batch (SessionFixture *fixture, guint n, GPtrArray *inputs)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *results = NULL;

  leat_session_replay_batch (fixture->session, n, inputs, &results, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (results);
  g_assert_cmpuint (results->len, ==, n);
  return results;
}

static void
check_lane (GBytes *result, guint lane, guint n)
{
  gsize size;
  const float *y;

  g_assert_nonnull (result);
  y = g_bytes_get_data (result, &size);
  g_assert_cmpuint (size, ==, n * sizeof *y);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (y[i], ==, 2 * value (lane, i) + 1);
}

static void
check_batch (SessionFixture *fixture, guint n, guint (*count) (guint lane))
{
  g_autoptr (GPtrArray) inputs = make_inputs (n, count);
  g_autoptr (GPtrArray) results = run_batch (fixture, n, inputs);

  for (guint lane = 0; lane < n; lane++)
    check_lane (g_ptr_array_index (results, lane), lane, (*count) (lane));
}

typedef struct
{
  const char *text;
  guint (*count) (guint lane);
  LeatExecutor executor;
  guint batch;
} Case;

static const Case cases[] = {
  { MAP, count_all, LEAT_EXECUTOR_GRAPH, 0 },      { MAP, count_all, LEAT_EXECUTOR_EAGER, 0 },
  { BOUNDED, count_some, LEAT_EXECUTOR_GRAPH, 0 }, { BOUNDED, count_some, LEAT_EXECUTOR_EAGER, 16 },
  { MAP, count_all, LEAT_EXECUTOR_AUTO, 8 },       { BOUNDED, count_some, LEAT_EXECUTOR_AUTO, 1 },
};

static void
test_batch_of_any_size (gconstpointer data)
{
  const Case *it = data;
  SessionFixture fixture;

  session_fixture_open (&fixture, it->text, it->executor);
  g_object_set (fixture.session, "batch", it->batch, NULL);
  for (guint n = 1; n <= 130; n++)
    check_batch (&fixture, n, it->count);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "batch-entries"), ==, 130 * 131 / 2);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "entry-errors"), ==, 0);
  session_fixture_close (&fixture);
}

static void
test_batch_is_what_single_runs_give (void)
{
  SessionFixture fixture;
  g_autoptr (GPtrArray) inputs = make_inputs (70, count_some);
  g_autoptr (GPtrArray) results = NULL;

  session_fixture_open (&fixture, BOUNDED, LEAT_EXECUTOR_GRAPH);
  results = run_batch (&fixture, 70, inputs);
  for (guint lane = 0; lane < 70; lane++)
    {
      gsize size;
      gconstpointer data = g_bytes_get_data (g_ptr_array_index (inputs, lane), &size);
      g_autoptr (GBytes) single = session_fixture_run (&fixture, data, size);

      g_assert_true (g_bytes_equal (single, g_ptr_array_index (results, lane)));
    }
  session_fixture_close (&fixture);
}

static void
test_batch_in_place (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView in, out;
  guint64 in_stride, out_stride, count;

  session_fixture_open (&fixture, BOUNDED, LEAT_EXECUTOR_GRAPH);
  leat_session_map_batch (fixture.session, "source", 200, &in, &in_stride, &error);
  g_assert_no_error (error);
  leat_session_map_batch (fixture.session, "sink", 200, &out, &out_stride, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < 200; lane++)
    {
      float *x = (float *) ((guint8 *) in.data + lane * in_stride);

      for (guint i = 0; i < N; i++)
        x[i] = value (lane, i);
      leat_session_set_entry_count (fixture.session, "source", lane, count_some (lane), &error);
      g_assert_no_error (error);
    }
  leat_session_replay_batch (fixture.session, 200, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < 200; lane++)
    {
      const float *y = (const float *) ((guint8 *) out.data + lane * out_stride);

      g_assert_true (leat_session_get_entry_count (fixture.session, "sink", lane, &count, &error));
      g_assert_cmpuint (count, ==, count_some (lane));
      for (guint i = 0; i < count; i++)
        g_assert_cmpfloat (y[i], ==, 2 * value (lane, i) + 1);
    }
  session_fixture_close (&fixture);
}

static void
test_batch_says_what_is_coalesced (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *text = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  plan = leat_session_get_batch_plan (fixture.session, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->traits.entries, >=, 64);
  g_assert_null (LEAT_BOUND_PLAN (plan)->why_in_turn);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.kernels, ==, 1);
  g_assert_cmpuint (LEAT_BOUND_PLAN (plan)->prediction.copies, ==, 2);
  text = leat_plan_to_text (plan);
  g_assert_nonnull (strstr (text, "coalesced"));
  g_assert_null (strstr (text, "spread"));
  g_clear_object (&plan);
  session_fixture_close (&fixture);
}

static void
test_batch_takes_arguments (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) inputs = make_inputs (100, count_all), results = NULL;
  LeatNode *node;

  session_fixture_open (&fixture,
                        "app name=source spec=f32[100] -> upload -> map name=m expr=\"a*x+b\" a=2 b=1 -> "
                        "readback -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  check_batch (&fixture, 100, count_all);
  node = leat_pipeline_get_node (fixture.pipeline, "m", &error);
  leat_node_set_arg (node, "b", g_variant_new_double (5), &error);
  g_assert_no_error (error);
  results = run_batch (&fixture, 100, inputs);
  for (guint lane = 0; lane < 100; lane++)
    {
      const float *y = g_bytes_get_data (g_ptr_array_index (results, lane), NULL);

      g_assert_cmpfloat (y[3], ==, 2 * value (lane, 3) + 5);
    }
  session_fixture_close (&fixture);
}

static void
test_batch_refuses_wrong_sizes (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) inputs = make_inputs (20, count_all);
  GPtrArray *results = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_bytes_unref (g_ptr_array_index (inputs, 13));
  g_ptr_array_index (inputs, 13) = g_bytes_new_static ("abc", 3);
  g_assert_false (leat_session_replay_batch (fixture.session, 20, inputs, &results, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH);
  g_assert_nonnull (strstr (error->message, "entry 13"));
  g_assert_null (results);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs"), ==, 0);
  g_clear_error (&error);
  g_assert_false (leat_session_replay_batch (fixture.session, 19, inputs, &results, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH);
  g_clear_error (&error);
  g_assert_false (leat_session_replay_batch (fixture.session, 0, inputs, &results, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH);
  g_clear_error (&error);
  g_assert_false (leat_session_replay_batch (fixture.session, 5, NULL, NULL, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH);
  check_batch (&fixture, 33, count_all);
  session_fixture_close (&fixture);
}

static void
test_batch_is_remembered (void)
{
  SessionFixture fixture;
  g_autoptr (GPtrArray) inputs = make_inputs (1, count_all);
  g_autoptr (GPtrArray) results = NULL;

  for (guint lane = 1; lane < 40; lane++)
    g_ptr_array_add (inputs, g_bytes_ref (g_ptr_array_index (inputs, 0)));
  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "memo", LEAT_MEMO_EXACT, NULL);
  g_assert_true (leat_session_open (fixture.session, NULL, NULL));
  results = run_batch (&fixture, 40, inputs);
  for (guint lane = 0; lane < 40; lane++)
    check_lane (g_ptr_array_index (results, lane), 0, N);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 39);
  session_fixture_close (&fixture);
}

#define DISTINCT 20
#define N_KINDS  80 /* lanes: so few lookups in all that the memo does not weigh twice what it is worth */

/* Which of the distinct inputs a lane has. */
static guint
get_kind (guint lane)
{
  return lane < 2 * DISTINCT ? lane % DISTINCT : lane * 7 % DISTINCT;
}

/* (element-type GBytes) */
static GPtrArray *
make_kinds (guint n, guint (*count) (guint lane), guint more)
{
  g_autoptr (GPtrArray) kinds = make_inputs (DISTINCT + more, count);
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint lane = 0; lane < n; lane++)
    {
      gsize size;
      gconstpointer data = g_bytes_get_data (g_ptr_array_index (kinds, get_kind (lane) + more), &size);

      g_ptr_array_add (inputs, g_bytes_new (data, size));
    }
  return inputs;
}

/* Where the session has inputs and results. (element-type GBytes) */
static GPtrArray *
run_mapped (SessionFixture *fixture, GPtrArray *inputs)
{
  GPtrArray *results = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GError) error = NULL;
  guint64 in_stride, out_stride, live;
  LeatView in, out;

  leat_session_map_batch (fixture->session, "source", inputs->len, &in, &in_stride, &error);
  leat_session_map_batch (fixture->session, "sink", inputs->len, &out, &out_stride, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < inputs->len; lane++)
    {
      gsize size;
      gconstpointer data = g_bytes_get_data (g_ptr_array_index (inputs, lane), &size);

      if (size > 0)
        memcpy ((guint8 *) in.data + lane * in_stride, data, size);
      g_assert_true (leat_session_set_entry_count (fixture->session, "source", lane, size / sizeof (float), NULL));
    }
  leat_session_replay_batch (fixture->session, inputs->len, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < inputs->len; lane++)
    {
      g_assert_true (leat_session_get_entry_count (fixture->session, "sink", lane, &live, NULL));
      g_ptr_array_add (results, g_bytes_new ((guint8 *) out.data + lane * out_stride, live * sizeof (float)));
    }
  return results;
}

static void
check_kinds (SessionFixture *fixture, guint n, guint (*count) (guint lane), guint more, gboolean mapped)
{
  g_autoptr (GPtrArray) inputs = make_kinds (n, count, more);
  g_autoptr (GPtrArray) results = mapped ? run_mapped (fixture, inputs) : run_batch (fixture, n, inputs);

  for (guint lane = 0; lane < n; lane++)
    check_lane (g_ptr_array_index (results, lane), get_kind (lane) + more, (*count) (get_kind (lane) + more));
}

/* Each distinct input goes into a launch once, with others; what has been run is not run again, by hand or in a batch.
 */
static void
test_batch_runs_what_is_unknown (gconstpointer data)
{
  const gboolean bounded = GPOINTER_TO_UINT (data) & 1, mapped = (GPOINTER_TO_UINT (data) & 2) != 0;
  guint (*count) (guint lane) = bounded ? count_some : count_all;
  g_autoptr (GPtrArray) inputs = make_inputs (2, count);
  SessionFixture fixture;
  gsize size;
  gconstpointer x = g_bytes_get_data (g_ptr_array_index (inputs, 1), &size);

  session_fixture_open (&fixture, bounded ? BOUNDED : MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "memo", LEAT_MEMO_EXACT, NULL);
  g_assert_true (leat_session_open (fixture.session, NULL, NULL));
  g_bytes_unref (session_fixture_run (&fixture, x, size));
  check_kinds (&fixture, N_KINDS, count, 0, mapped);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "batch-entries"), ==, DISTINCT - 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "batch-launches"), ==, 2);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs"), ==, N_KINDS + 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, N_KINDS - DISTINCT + 1);
  check_kinds (&fixture, N_KINDS, count, 0, mapped);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "batch-entries"), ==, DISTINCT - 1);
  g_bytes_unref (session_fixture_run (&fixture, x, size));
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 2 * N_KINDS - DISTINCT + 2);
  /* Some are known, and some not. */
  check_kinds (&fixture, N_KINDS, count, 10, mapped);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "batch-entries"), ==, DISTINCT - 1 + 10);
  session_fixture_close (&fixture);
}

static void
test_batch_needs_app_nodes (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView view;
  guint64 stride;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_assert_false (leat_session_map_batch (fixture.session, "nobody", 4, &view, &stride, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NAME);
  g_clear_error (&error);
  g_assert_false (leat_session_set_entry_count (fixture.session, "source", 4, N, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH);
  session_fixture_close (&fixture);
}

static gpointer
cancel_later (gpointer cancellable)
{
  g_usleep (g_random_int_range (0, 2000));
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* Called off at any moment: all of it or nothing is given, and the next batch is none the worse. */
static void
test_batch_cancelled (gconstpointer executor)
{
  SessionFixture fixture;
  guint n_cancelled = 0;

  session_fixture_open (&fixture, BOUNDED, GPOINTER_TO_INT (executor));
  g_object_set (fixture.session, "batch", 8, NULL);
  for (guint i = 0; i < 60; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GPtrArray) inputs = make_inputs (200, count_some), results = NULL;
      g_autoptr (GError) error = NULL;
      GThread *thread = g_thread_new ("cancel", cancel_later, cancellable);
      gboolean good = leat_session_replay_batch (fixture.session, 200, inputs, &results, cancellable, &error);

      g_thread_join (thread);
      if (!good)
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_true (good == (results != NULL));
      for (guint lane = 0; lane < 200 && good; lane++)
        check_lane (g_ptr_array_index (results, lane), lane, count_some (lane));
      n_cancelled += !good;
    }
  g_test_message ("%u of 60 called off", n_cancelled);
  check_batch (&fixture, 200, count_some);
  session_fixture_close (&fixture);
}

/* A graph for each launch that is under way at a time, made when there first are so many; whatever is left at the end
 * of a batch goes into these. */
static void
test_batch_needs_no_graph_for_its_rest (void)
{
  static const struct
  {
    guint n, graphs;
  } batches[] = { { 5, 1 }, { 1, 1 }, { 4096, 3 }, { 37, 3 }, { 1000, 3 }, { 4095, 3 }, { 1, 3 } };
  SessionFixture fixture;
  guint64 before;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  before = session_fixture_get_count (&fixture, "instantiations");
  for (guint i = 0; i < G_N_ELEMENTS (batches); i++)
    {
      check_batch (&fixture, batches[i].n, count_all);
      g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations") - before, ==, batches[i].graphs);
    }
  session_fixture_close (&fixture);
}

static gint64
get_noted_time (SessionFixture *fixture)
{
  gint64 noted = 0;

  g_assert_cmpuint (fixture->session->batch->widths->len, ==, 1);
  for (guint i = 0; i < fixture->session->batch->n_flights; i++)
    {
      const LeatWidth *width = g_ptr_array_index (fixture->session->batch->widths, 0);

      noted += width->lanes[i]->recent_ns;
    }
  return noted;
}

/* So that wait=auto knows for how long to look for the end of one.  Those that have ended before somebody waits, as the
 * CPU driver's may, tell nothing: where it is quick, some batches go by before one does. */
static void
test_batch_notes_how_long_launches_take (void)
{
  SessionFixture fixture;
  guint n = 0;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_AUTO);
  do
    check_batch (&fixture, 4096, count_all);
  while (get_noted_time (&fixture) == 0 && ++n < 300);
  g_test_message ("noted after %u batches", n + 1);
  g_assert_cmpint (get_noted_time (&fixture), >, 0);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strdup_printf ("/leat/session/batch/of-any-size/%u", i);

      g_test_add_data_func (name, &cases[i], test_batch_of_any_size);
    }
  g_test_add_func ("/leat/session/batch/is-what-single-runs-give", test_batch_is_what_single_runs_give);
  g_test_add_func ("/leat/session/batch/notes-how-long-launches-take", test_batch_notes_how_long_launches_take);
  g_test_add_func ("/leat/session/batch/needs-no-graph-for-its-rest", test_batch_needs_no_graph_for_its_rest);
  g_test_add_func ("/leat/session/batch/in-place", test_batch_in_place);
  g_test_add_func ("/leat/session/batch/says-what-is-coalesced", test_batch_says_what_is_coalesced);
  g_test_add_func ("/leat/session/batch/takes-arguments", test_batch_takes_arguments);
  g_test_add_func ("/leat/session/batch/refuses-wrong-sizes", test_batch_refuses_wrong_sizes);
  g_test_add_func ("/leat/session/batch/is-remembered", test_batch_is_remembered);
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("/leat/session/batch/runs-what-is-unknown/%s-%s",
                                               i & 1 ? "bounded" : "whole", i & 2 ? "mapped" : "given");

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_batch_runs_what_is_unknown);
    }
  g_test_add_func ("/leat/session/batch/needs-app-nodes", test_batch_needs_app_nodes);
  g_test_add_data_func ("/leat/session/batch/cancelled/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_batch_cancelled);
  g_test_add_data_func ("/leat/session/batch/cancelled/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_batch_cancelled);
  return g_test_run ();
}
