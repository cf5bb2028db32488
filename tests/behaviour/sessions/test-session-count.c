/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"

#define MAP                                                                                                            \
  "app name=source spec=f32[256] -> upload mode=copy -> map expr=\"2*x+1\" -> readback mode=copy -> app name=sink"
#define N    256
#define RUNS 3

static guint64
count_get (GVariant *counts, const char *name)
{
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (counts, name, "t", &value));
  return value;
}

static void
test_session_count_equals_the_prediction (gconstpointer data)
{
  LeatExecutor executor = GPOINTER_TO_INT (data);
  static const char *const same[] = { "kernels", "copies", "fills", "waits" };
  SessionFixture fixture;
  g_autoptr (GVariant) counts = NULL;
  g_autoptr (GVariant) predicted = NULL;
  g_autoptr (GError) error = NULL;
  float x[N] = { 0 };
  g_autoptr (LeatPlan) plan = NULL;

  session_fixture_open (&fixture, MAP, executor);
  g_assert_true (leat_session_start_counting (fixture.session, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < RUNS; i++)
    g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
  counts = leat_session_stop_counting (fixture.session, &error);
  g_assert_no_error (error);
  plan = leat_session_dup_plan (fixture.session);
  predicted = leat_plan_dup_prediction (plan);
  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    {
      g_test_message ("%s", same[i]);
      g_assert_cmpuint (count_get (counts, same[i]), ==, RUNS * count_get (predicted, same[i]));
    }
  g_assert_cmpuint (count_get (counts, "copies"), ==, 2 * RUNS);
  g_assert_cmpuint (count_get (counts, "uploads"), ==, RUNS);
  g_assert_cmpuint (count_get (counts, "readbacks"), ==, RUNS);
  g_assert_cmpuint (count_get (counts, "graph-launches"), ==, executor == LEAT_EXECUTOR_GRAPH ? RUNS : 0);
  g_clear_object (&plan);
  session_fixture_close (&fixture);
}

static void
count_run (SessionFixture *fixture, guint n, guint runs)
{
  g_autofree char *spec = g_strdup_printf ("f32[%u]", n);
  g_autofree float *x = g_new0 (float, n);

  g_object_set (fixture->source, "spec", spec, NULL);
  for (guint i = 0; i < runs; i++)
    g_bytes_unref (session_fixture_run (fixture, x, n * sizeof *x));
}

/* What was done in other shapes counts, whether they are kept or gone, and nothing of what was before. */
static void
test_session_count_in_other_shapes (gconstpointer cache)
{
  SessionFixture fixture;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  if (g_str_equal (cache, "gone"))
    g_object_set (fixture.session, "cache-bytes", (guint64) 0, NULL);
  count_run (&fixture, 1000, 5);
  count_run (&fixture, N, 7);
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (GVariant) counts = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (leat_session_start_counting (fixture.session, &error));
      g_assert_no_error (error);
      count_run (&fixture, N, 2);
      count_run (&fixture, 1000, 3);
      count_run (&fixture, N, 1);
      count_run (&fixture, 500, 4);
      counts = leat_session_stop_counting (fixture.session, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (count_get (counts, "kernels"), ==, 10);
      g_assert_cmpuint (count_get (counts, "copies"), ==, 20);
      g_assert_cmpuint (count_get (counts, "uploads"), ==, 10);
      g_assert_cmpuint (count_get (counts, "readbacks"), ==, 10);
      g_assert_cmpuint (count_get (counts, "graph-launches"), ==, 10);
    }
  session_fixture_close (&fixture);
}

/* Seven runs at once, and one. (transfer full) */
static GVariant *
count_repeated (gboolean changes)
{
  float x[N] = { 0 };
  g_autoptr (GBytes) input = g_bytes_new (x, sizeof x), output = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  GVariant *counts;

  session_fixture_open (&fixture,
                        "app name=source spec=f32[256] -> upload mode=copy -> map name=m expr=a*x a=2 -> readback "
                        "mode=copy -> app name=sink",
                        LEAT_EXECUTOR_GRAPH);
  g_assert_true (leat_session_start_counting (fixture.session, &error));
  g_assert_true (leat_app_push_bytes (fixture.source, input, NULL));
  g_assert_cmpint (leat_session_repeat (fixture.session, 7, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  output = leat_app_pull_bytes (fixture.sink, 0, &error);
  if (changes)
    leat_node_set_arg (leat_pipeline_get_node (fixture.pipeline, "m", NULL), "a", g_variant_new_double (3), &error);
  g_assert_no_error (error);
  g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
  counts = leat_session_stop_counting (fixture.session, &error);
  g_assert_no_error (error);
  session_fixture_close (&fixture);
  return counts;
}

/* What repeated runs did counts, also where their graphs are gone since, as when a property changes. */
static void
test_session_count_over_a_change (void)
{
  static const char *const same[] = { "kernels", "copies", "fills", "uploads", "readbacks", "graph-launches" };
  g_autoptr (GVariant) counts = count_repeated (TRUE), others = count_repeated (FALSE);

  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    {
      g_test_message ("%s", same[i]);
      g_assert_cmpuint (count_get (counts, same[i]), ==, count_get (others, same[i]));
    }
  g_assert_cmpuint (count_get (counts, "kernels"), >=, 8);
}

typedef struct
{
  SessionFixture fixture;
  gboolean end; /* atomic */
  guint runs;   /* atomic */
} OtherSession;

static gpointer
run_to_the_end (gpointer data)
{
  OtherSession *self = data;
  float x[N] = { 0 };

  while (!g_atomic_int_get (&self->end))
    {
      g_bytes_unref (session_fixture_run (&self->fixture, x, sizeof x));
      g_atomic_int_inc (&self->runs);
    }
  return NULL;
}

/* Calls of all sessions of the driver are counted, from where they are when the counting begins.  The other one sleeps
 * until its runs end, because a wait that ends by looking is known to its own session alone. */
static void
test_session_count_while_another_runs (void)
{
  OtherSession other = { 0 };
  SessionFixture fixture;
  GThread *thread;
  float x[N] = { 0 };

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  session_fixture_open (&other.fixture, MAP, LEAT_EXECUTOR_EAGER);
  g_object_set (other.fixture.session, "wait", LEAT_WAIT_BLOCK, NULL);
  thread = g_thread_new ("other", run_to_the_end, &other);
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GVariant) counts = NULL;
      g_autoptr (GError) error = NULL;
      guint before, after;

      g_assert_true (leat_session_start_counting (fixture.session, &error));
      before = g_atomic_int_get (&other.runs);
      g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
      after = g_atomic_int_get (&other.runs);
      counts = leat_session_stop_counting (fixture.session, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (count_get (counts, "graph-launches"), ==, 1);
      /* One of them may have begun before. */
      g_assert_cmpuint (count_get (counts, "waits"), >=, MAX (after - before, 1));
    }
  g_atomic_int_set (&other.end, TRUE);
  g_thread_join (thread);
  session_fixture_close (&other.fixture);
  session_fixture_close (&fixture);
}

static void
test_session_count_needs_an_open_session (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (LeatSession) session = leat_session_new (pipeline, "cpu");
  g_autoptr (GError) error = NULL;

  g_assert_false (leat_session_start_counting (session, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/count/equals-the-prediction/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_session_count_equals_the_prediction);
  g_test_add_data_func ("/leat/session/count/equals-the-prediction/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_session_count_equals_the_prediction);
  g_test_add_data_func ("/leat/session/count/in-other-shapes/kept", "kept", test_session_count_in_other_shapes);
  g_test_add_data_func ("/leat/session/count/in-other-shapes/gone", "gone", test_session_count_in_other_shapes);
  g_test_add_func ("/leat/session/count/over-a-change", test_session_count_over_a_change);
  g_test_add_func ("/leat/session/count/while-another-runs", test_session_count_while_another_runs);
  g_test_add_func ("/leat/session/count/needs-an-open-session", test_session_count_needs_an_open_session);
  return g_test_run ();
}
