/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include <glib/gstdio.h>

/* What the three executors make of a plan. */

#define N 64
#define ONE_OP                                                                                                         \
  "app name=source spec=f32[64] -> upload mode=mapped -> map expr=\"2*x+1\" -> readback mode=mapped -> app "           \
  "name=sink\n"
#define COPIES                                                                                                         \
  "app name=source spec=f32[64] -> upload mode=copy -> map expr=\"2*x+1\" -> readback mode=copy -> app name=sink\n"

static guint64
predicted (SessionFixture *fixture, const char *name)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (fixture->session);
  g_autoptr (GVariant) all = leat_plan_dup_prediction (plan);
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (all, name, "t", &value));
  return value;
}

static void
run_and_check (SessionFixture *fixture, guint salt)
{
  float x[N];
  g_autoptr (GBytes) output = NULL;
  const float *y;

  for (guint i = 0; i < N; i++)
    x[i] = (float) (i + salt);
  output = session_fixture_run (fixture, x, sizeof x);
  y = g_bytes_get_data (output, NULL);
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, 2 * x[i] + 1);
}

/* Graph launches of @n runs, as the driver counts them. */
static guint64
run_counted (SessionFixture *fixture, guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) counts = NULL;
  guint64 launches = G_MAXUINT64;

  leat_session_start_counting (fixture->session, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < n; run++)
    run_and_check (fixture, run);
  counts = leat_session_stop_counting (fixture->session, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (counts, "graph-launches", "t", &launches));
  return launches;
}

static void
test_executor_auto_takes_a_graph (void)
{
  SessionFixture fixture;

  session_fixture_open (&fixture, COPIES, LEAT_EXECUTOR_AUTO);
  g_assert_cmpuint (predicted (&fixture, "graph-launches"), ==, 1);
  g_assert_cmpuint (run_counted (&fixture, 3), ==, 3);
  session_fixture_close (&fixture);
}

/* A graph of one op is made when it has been shown that it is run often. */
static void
test_executor_auto_waits_with_one_op (void)
{
  SessionFixture fixture;
  g_autofree char *text = NULL;
  g_autoptr (LeatPlan) plan = NULL;

  session_fixture_open (&fixture, ONE_OP, LEAT_EXECUTOR_AUTO);
  g_assert_cmpuint (predicted (&fixture, "kernels"), ==, 1);
  g_assert_cmpuint (predicted (&fixture, "copies"), ==, 0);
  g_assert_cmpuint (predicted (&fixture, "graph-launches"), ==, 0);
  g_assert_cmpuint (predicted (&fixture, "waits"), ==, 1);
  plan = leat_session_dup_plan (fixture.session);
  text = leat_plan_to_text (plan);
  g_assert_nonnull (strstr (text, "one by one: a graph of one op pays for itself only when it is launched often"));
  g_assert_cmpuint (run_counted (&fixture, LEAT_SESSION_RUNS_TO_SETTLE), ==, 0);
  g_assert_cmpuint (run_counted (&fixture, 5), ==, 5);
  g_assert_cmpuint (predicted (&fixture, "graph-launches"), ==, 1);
  g_clear_object (&plan);
  session_fixture_close (&fixture);
}

static void
test_executor_is_forced (void)
{
  SessionFixture graph, eager;

  session_fixture_open (&graph, ONE_OP, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (run_counted (&graph, 3), ==, 3);
  session_fixture_close (&graph);
  session_fixture_open (&eager, COPIES, LEAT_EXECUTOR_EAGER);
  g_assert_cmpuint (predicted (&eager, "graph-launches"), ==, 0);
  g_assert_cmpuint (run_counted (&eager, LEAT_SESSION_RUNS_TO_SETTLE + 3), ==, 0);
  session_fixture_close (&eager);
}

/* One run is all that there is, so nothing would be launched again. */
static void
test_executor_auto_without_a_source (void)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-executor-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "table", NULL);
  g_autofree char *text = g_strdup_printf (
    "leat 1\nconst path=\"%s\" spec=u8[8] -> map expr=\"x+1\" -> map expr=\"2*x\" -> readback -> app name=sink\n",
    path);
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autofree char *plan = NULL;
  g_autoptr (LeatPlan) bound = NULL;

  g_file_set_contents (path, "abcdefgh", 8, &error);
  g_assert_no_error (error);
  pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  bound = leat_session_dup_plan (session);
  plan = leat_plan_to_text (bound);
  g_assert_nonnull (strstr (plan, "a run: 0 graph launch, 1 wait"));
  g_assert_nonnull (strstr (plan, "without a source there is one run"));
  leat_session_run (session, NULL, &error);
  g_assert_no_error (error);
  output = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "sink", NULL)), 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (((const guint8 *) g_bytes_get_data (output, NULL))[0], ==, (guint8) (2 * ('a' + 1)));
  leat_session_close (session);
  g_remove (path);
  g_rmdir (folder);
}

/* The plugin that the documents show. */
static void
test_executor_example_is_captured (void)
{
  SessionFixture fixture;
  guint8 x[16];
  g_autoptr (GBytes) output = NULL;
  const guint8 *y;

  session_fixture_open (&fixture,
                        "app name=source spec=u8[16] -> upload mode=copy -> example:rotate by=5 -> readback mode=copy "
                        "-> app name=sink\n",
                        LEAT_EXECUTOR_AUTO);
  g_assert_cmpuint (predicted (&fixture, "graph-launches"), ==, 1);
  for (guint i = 0; i < sizeof x; i++)
    x[i] = (guint8) i;
  output = session_fixture_run (&fixture, x, sizeof x);
  y = g_bytes_get_data (output, NULL);
  for (guint i = 0; i < sizeof x; i++)
    g_assert_cmpuint (y[i], ==, (i + 5) % sizeof x);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/executor/auto-takes-a-graph", test_executor_auto_takes_a_graph);
  g_test_add_func ("/leat/session/executor/auto-waits-with-one-op", test_executor_auto_waits_with_one_op);
  g_test_add_func ("/leat/session/executor/is-forced", test_executor_is_forced);
  g_test_add_func ("/leat/session/executor/auto-without-a-source", test_executor_auto_without_a_source);
  g_test_add_func ("/leat/session/executor/example-is-captured", test_executor_example_is_captured);
  return g_test_run ();
}
