/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fault-driver.h"
#include "loop-fixture.h"
#include "ways-fixture.h"

#include <string.h>

/* Who does a loop is found out in the first run, and remembered. */

static gboolean loop_measured_counts; /* the driver counts its work, so that no clock has to tell */

static char *
dup_executor (Loop *loop)
{
  g_autoptr (GVariant) loops = leat_session_dup_loops (loop->session);
  g_autoptr (GVariant) one = g_variant_get_child_value (loops, 0);
  char *who = NULL;

  g_assert_true (g_variant_lookup (one, "method", "s", &who));
  return who;
}

/* Nothing but who does the loop is left to find out. */
static void
open_halve (Loop *loop)
{
  g_autoptr (GString) text = g_string_new (halve_text);

  g_string_replace (text, "-> upload", "-> upload mode=copy", 0);
  g_string_replace (text, "-> readback", "-> readback mode=copy", 0);
  loop_open_measured (loop, text->str, "auto", LEAT_EXECUTOR_GRAPH, 1, TRUE);
  ways_fixture_be_patient (loop->session);
}

/* All that can do it are tried with the data of the first run; the next session knows. */
static void
test_loop_measured_once (void)
{
  g_autofree char *first = NULL;
  Loop loop;

  ways_fixture_drop ();
  open_halve (&loop);
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", NULL), ==, 0);
  halve_run (&loop, 1, 0.5f, 0.5f, NULL);
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", NULL), ==, 2);
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", "halve=host"), ==, 1);
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", "halve=fused"), ==, 1);
  halve_run (&loop, 1000, 0.5f, 0.5f, NULL);
  halve_run (&loop, 0.0001f, 0.5f, 0.5f, NULL);
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", NULL), ==, 2);
  first = dup_executor (&loop);
  loop_close (&loop);
  open_halve (&loop);
  halve_run (&loop, 7, 0.5f, 0.5f, first);
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", NULL), ==, 0);
  g_assert_cmpuint (ways_fixture_count (loop.session, "former-trials", NULL), ==, 2);
  loop_close (&loop);
}

/* A device that cannot run the one kernel goes by the rule, and no run fails. */
static void
test_loop_measured_refused (gconstpointer why_not)
{
  Loop loop;

  if (why_not != NULL)
    {
      g_test_skip (why_not);
      return;
    }
  ways_fixture_drop ();
  open_halve (&loop);
  fault_driver_plant ("module:1+");
  halve_run (&loop, 1, 0.5f, 0.5f, NULL);
  fault_driver_plant ("");
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", NULL), ==, 2);
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", "halve=while"), ==, 1);
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", "halve=host"), ==, 1);
  halve_run (&loop, 1000, 0.5f, 0.5f, NULL);
  loop_close (&loop);
}

/* As if it had come out so: what is remembered is done, and stays so when arguments and properties change. */
static void
test_loop_measured_recalled (gconstpointer who)
{
  g_autofree char *path = NULL, *text = NULL, *is = g_strdup_printf ("=%s\n", (const char *) who);
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) file = NULL;
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *planned = NULL;
  LeatNode *node;
  Loop loop;

  ways_fixture_drop ();
  open_halve (&loop);
  halve_run (&loop, 1, 0.5f, 0.5f, NULL);
  loop_close (&loop);
  path = ways_fixture_dup_path ();
  g_assert_true (g_file_get_contents (path, &text, NULL, &error));
  file = g_string_new (text);
  g_string_replace (file, "=host\n", is, 0);
  g_string_replace (file, "=fused\n", is, 0);
  g_assert_true (g_file_set_contents (path, file->str, -1, &error));
  open_halve (&loop);
  for (guint run = 0; run < 3; run++)
    halve_run (&loop, (float) (run * run * 10), 0.5f, 0.5f, who);
  plan = leat_session_dup_plan (loop.session);
  planned = leat_plan_to_text (plan);
  g_assert_nonnull (strstr (planned, "(it was measured to be the fastest)"));
  g_assert_cmpint (strstr (planned, "fused_loop") != NULL, ==, g_str_equal (who, "fused"));
  node = leat_pipeline_get_node (loop.pipeline, "h", NULL);
  g_assert_true (leat_node_set_arg_double (node, "gain", 0.25, &error));
  halve_run (&loop, 3, 0.25f, 0.5f, who);
  g_assert_true (leat_node_set_from_string (node, "expr", "gain*x", &error));
  g_assert_no_error (error);
  halve_run (&loop, 5, 0.25f, 0.5f, who);
  halve_run (&loop, 6, 0.25f, 0.5f, who);
  loop_close (&loop);
}

/* One session with one run of @n items beside the loop. @measures: whether it finds out anything, with one trial at
 * least on the slowest machine; @executor: (nullable) */
static void
bands_run (guint n, gboolean measures, const char *executor)
{
  g_autoptr (GString) text = g_string_new (halve_text);
  g_autofree guint32 *items = g_new0 (guint32, n);
  g_autofree char *who = NULL;
  g_autoptr (GBytes) out = NULL;
  guint64 counted;
  Loop loop;

  for (guint i = 0; i < n; i++)
    items[i] = 1;
  g_string_append (text, "app name=some spec=u32[<=1024] -> upload -> reduce op=count -> readback -> app name=n\n");
  g_string_replace (text, "-> upload", "-> upload mode=copy", 0);
  g_string_replace (text, "-> readback", "-> readback mode=copy", 0);
  loop_open_measured (&loop, text->str, "auto", LEAT_EXECUTOR_GRAPH, 1, TRUE);
  loop_push (&loop, "some", items, n * sizeof *items);
  halve_run (&loop, (float) n, 0.5f, 0.5f, NULL);
  out = loop_pull (&loop, "n");
  memcpy (&counted, g_bytes_get_data (out, NULL), sizeof counted);
  g_assert_cmpuint (counted, ==, n);
  g_assert_cmpint (ways_fixture_count (loop.session, "trials", NULL) > 0, ==, measures);
  who = dup_executor (&loop);
  if (executor != NULL)
    g_assert_cmpstr (who, ==, executor);
  loop_close (&loop);
}

/* As if it had come out so for inputs of a band. */
static void
bands_plant (const char *group, const char *who)
{
  g_autofree char *path = ways_fixture_dup_path ();
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_auto (GStrv) keys = NULL;
  guint n = 0;

  g_assert_true (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL));
  keys = g_key_file_get_keys (file, group, NULL, NULL);
  g_assert_nonnull (keys);
  for (guint i = 0; keys[i] != NULL; i++)
    {
      g_autofree char *is = g_key_file_get_string (file, group, keys[i], NULL);

      if (!g_str_equal (is, "host") && !g_str_equal (is, "fused"))
        continue;
      g_key_file_set_string (file, group, keys[i], who);
      n++;
    }
  g_assert_cmpuint (n, ==, 1);
  g_assert_true (g_key_file_save_to_file (file, path, NULL));
}

/* What was found for full inputs does not go for nearly empty ones, and each is remembered beside the other. */
static void
test_loop_measured_bands (void)
{
  ways_fixture_drop ();
  bands_run (1000, TRUE, NULL);
  bands_run (600, FALSE, NULL); /* more than a half too */
  bands_run (10, TRUE, NULL);
  bands_run (512, TRUE, NULL);
  bands_plant ("ways 1", "host");
  bands_plant ("ways 7", "fused");
  for (guint i = 0; i < 2; i++)
    {
      bands_run (1000, FALSE, "host");
      bands_run (700, FALSE, "host");
      bands_run (10, FALSE, "fused");
      bands_run (9, FALSE, "fused");
    }
}

static void
test_loop_measured_bands_all (void)
{
  static const guint sizes[] = { 1000, 500, 250, 120, 60, 30, 15, 7, 3 };

  ways_fixture_drop ();
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    bands_run (sizes[i], TRUE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    bands_run (sizes[i], FALSE, NULL);
}

/* Of more than 16, as several inputs may have them, those that were found first go. */
static void
test_loop_measured_bands_bound (void)
{
  g_autofree char *path = NULL;
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_auto (GStrv) groups = NULL;
  guint n = 0;

  ways_fixture_drop ();
  bands_run (1000, TRUE, NULL);
  path = ways_fixture_dup_path ();
  g_assert_true (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL));
  for (guint i = 0; i < 16; i++)
    {
      g_autofree char *group = g_strdup_printf ("ways 9%u", i);

      g_key_file_set_double (file, group, "us", i);
    }
  g_assert_true (g_key_file_save_to_file (file, path, NULL));
  bands_run (10, TRUE, NULL);
  g_assert_true (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL));
  groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    n += g_str_has_prefix (groups[i], "ways ");
  g_assert_cmpuint (n, ==, 16);
  g_assert_true (g_key_file_has_group (file, "ways 7"));
  g_assert_true (g_key_file_has_group (file, "ways 915"));
  g_assert_false (g_key_file_has_group (file, "ways 1"));
  g_assert_false (g_key_file_has_group (file, "trials 1"));
  g_assert_false (g_key_file_has_group (file, "ways 90"));
  bands_run (10, FALSE, NULL);
  bands_run (1000, TRUE, NULL);
}

/* Where the body cannot be one kernel, the plan says why, and nothing of that kind is tried. */
static void
test_loop_measured_without (void)
{
  static const char text[] = "leat 1\nl = loop max-iterations=100 until=\"n == 0\" carry=x:kept {\n"
                             "  c = compact where=\"x > 0\"\n  h = map expr=x-1\n"
                             "  in.x -> c -> h -> out.kept\n  c -> reduce op=count -> out.n\n}\n"
                             "app name=in spec=i32[<=1000] -> upload -> l.x\n"
                             "l.iterations -> readback -> app name=out\n";
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *planned = NULL;
  const gint32 x[4] = { 1, 5, 2, 5 };
  guint64 n;
  g_autoptr (GBytes) out = NULL;
  Loop loop;

  ways_fixture_drop ();
  loop_open_measured (&loop, text, "auto", LEAT_EXECUTOR_GRAPH, 1, TRUE);
  plan = leat_session_dup_plan (loop.session);
  planned = leat_plan_to_text (plan);
  g_assert_nonnull (strstr (planned, "cannot be one kernel: compact \"c\" cannot be in the body of loop \"l\""));
  loop_push (&loop, "in", x, sizeof x);
  loop_replay (&loop);
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", "l="), ==, 0);
  out = loop_pull (&loop, "out");
  memcpy (&n, g_bytes_get_data (out, NULL), sizeof n);
  g_assert_cmpuint (n, ==, 6);
  loop_close (&loop);
}

static const char away_text[] = "leat 1\n"
                                "away = loop until=\"y > limit\" limit=-1 carry=x:y budget=1 method=auto {\n"
                                "  in.x -> map expr=x*0.5 -> out.y\n"
                                "}\n"
                                "app name=in spec=f32[1] -> upload mode=copy -> away.x\n"
                                "away.y -> readback mode=copy -> app name=out\n";

static void
away_run (Loop *loop, double limit)
{
  LeatNode *away = leat_pipeline_get_node (loop->pipeline, "away", NULL);
  float x = -8, y;
  g_autoptr (GBytes) out = NULL;

  g_assert_true (leat_node_set_arg_double (away, "limit", limit, NULL));
  loop_push (loop, "in", &x, sizeof x);
  loop_replay (loop);
  out = loop_pull (loop, "out");
  memcpy (&y, g_bytes_get_data (out, NULL), sizeof y);
  g_assert_cmpfloat (y, ==, -0.5f);
}

/* How many kernels the CPU driver has run; elsewhere nobody counts. */
static guint64
away_count_kernels (void)
{
  LeatCpuCounters counters = { .size = sizeof counters };

  if (!loop_measured_counts)
    return 0;
  fault_driver_get_counters (&counters);
  return counters.kernels_run;
}

/* One of the counts of leat_session_dup_stats (). */
static guint64
away_get_count (Loop *loop, const char *name)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (loop->session);
  guint64 count = G_MAXUINT64;

  g_assert_true (g_variant_lookup (stats, name, "t", &count));
  return count;
}

/* Its time is over once, and not in a trial and again in the run. */
static void
away_run_away (Loop *loop, guint number)
{
  LeatNode *away = leat_pipeline_get_node (loop->pipeline, "away", NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  gint64 begin = g_get_monotonic_time ();
  guint64 kernels = away_count_kernels ();
  float x = -8;

  g_assert_true (leat_node_set_arg_double (away, "limit", 1, NULL));
  loop_push (loop, "in", &x, sizeof x);
  g_assert_cmpint (leat_session_replay (loop->session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "loop \"away\" had not come to its end"));
  g_assert_nonnull (strstr (error->message, "iterations by method=fused"));
  g_assert_cmpuint (away_get_count (loop, "runs"), ==, number);
  g_assert_cmpuint (away_get_count (loop, "runs-refused"), ==, number);
  g_assert_cmpint (g_get_monotonic_time () - begin, >, 900000);
  if (loop_measured_counts)
    g_assert_cmpuint (away_count_kernels () - kernels, ==, 1);
  else
    g_assert_cmpint (g_get_monotonic_time () - begin, <, 1900000);
  path = ways_fixture_dup_path ();
  g_assert_null (path);
}

/* By the rule it is a node of the graph, and one kernel is faster. */
static void
test_loop_measured_away_ruled (void)
{
  g_autoptr (GError) error = NULL;
  const float x = -8;
  Loop loop;

  ways_fixture_drop ();
  loop_open_measured (&loop, away_text, "auto", LEAT_EXECUTOR_GRAPH, 1, FALSE);
  g_assert_true (leat_node_set_arg_double (leat_pipeline_get_node (loop.pipeline, "away", NULL), "limit", 1, NULL));
  loop_push (&loop, "in", &x, sizeof x);
  g_assert_cmpint (leat_session_replay (loop.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  g_assert_nonnull (strstr (error->message, "iterations by method=while"));
  g_assert_nonnull (strstr (error->message, "; method=fused may do more of them in that time"));
  loop_close (&loop);
}

/* What is tried may run away as what is run: it ends with its budget and is told of, and what was tried is kept for
 * nobody.  Once the loop has an end runs have results, and the next session finds out who does it. */
static void
test_loop_measured_away (void)
{
  Loop loop;

  ways_fixture_drop ();
  loop_open_measured (&loop, away_text, "auto", LEAT_EXECUTOR_GRAPH, 1, TRUE);
  for (guint run = 0; run < 3; run++)
    away_run_away (&loop, run + 1);
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", NULL), ==, 1);
  away_run (&loop, -1);
  loop_close (&loop);
  loop_open_measured (&loop, away_text, "auto", LEAT_EXECUTOR_GRAPH, 1, TRUE);
  away_run (&loop, -1);
  g_assert_cmpuint (ways_fixture_count (loop.session, "former-trials", NULL), ==, 0);
  g_assert_cmpuint (ways_fixture_count (loop.session, "trials", NULL), ==, 2);
  loop_close (&loop);
}

/* The first data of a stream run away: it ends there, with that and nothing given, and goes on with what comes. */
static void
test_loop_measured_streamed (void)
{
  g_autoptr (GError) error = NULL;
  const float x = -8;
  gint64 begin;
  Loop loop;

  ways_fixture_drop ();
  loop_open_measured (&loop, away_text, "auto", LEAT_EXECUTOR_GRAPH, 3, TRUE);
  g_assert_true (leat_node_set_arg_double (leat_pipeline_get_node (loop.pipeline, "away", NULL), "limit", 1, NULL));
  for (guint i = 0; i < 2; i++)
    loop_push (&loop, "in", &x, sizeof x);
  leat_app_end (LEAT_APP (leat_pipeline_get_node (loop.pipeline, "in", NULL)));
  begin = g_get_monotonic_time ();
  leat_session_run (loop.session, NULL, &error);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  g_assert_nonnull (strstr (error->message, "loop \"away\" had not come to its end"));
  g_assert_cmpint (g_get_monotonic_time () - begin, >, 900000);
  g_assert_cmpuint (away_get_count (&loop, "runs-refused"), >=, 1);
  g_assert_cmpuint (away_get_count (&loop, "runs"), ==, away_get_count (&loop, "runs-refused"));
  g_assert_cmpuint (away_get_count (&loop, "bytes-out"), ==, 0);
  loop_close (&loop);
}

/* A state of the program's is what it was before, whatever the trial did to it. */
static void
test_loop_measured_state (void)
{
  static const char text[] = "leat 1\n"
                             "away = loop until=\"y > limit\" limit=1 carry=x:y budget=0.2 method=auto {\n"
                             "  in.x -> map expr=x*0.5 -> out.y\n"
                             "}\n"
                             "sum = state spec=f32[1]\n"
                             "both = map inputs=a,b expr=a+b\n"
                             "app name=in spec=f32[1] -> upload mode=copy -> both.a\n"
                             "sum -> both.b\n"
                             "both -> sum\n"
                             "both -> away.x\n"
                             "away.y -> readback mode=copy -> app name=out\n";
  const float x = -8;
  g_autoptr (GError) error = NULL;
  Loop loop;
  float y;

  ways_fixture_drop ();
  loop_open_measured (&loop, text, "auto", LEAT_EXECUTOR_GRAPH, 1, TRUE);
  loop_push (&loop, "in", &x, sizeof x);
  g_assert_cmpint (leat_session_replay (loop.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  g_assert_true (leat_node_set_arg_double (leat_pipeline_get_node (loop.pipeline, "away", NULL), "limit", -9, NULL));
  loop_push (&loop, "in", &x, sizeof x);
  loop_replay (&loop);
  {
    g_autoptr (GBytes) out = loop_pull (&loop, "out");

    memcpy (&y, g_bytes_get_data (out, NULL), sizeof y);
  }
  g_assert_cmpfloat (y, ==, -4); /* nothing is left of what was tried */
  loop_close (&loop);
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = ways_fixture_init (&argc, &argv);
  const char *why_not = fault_driver_init ();
  int status;

  loop_measured_counts = why_not == NULL;
  g_test_add_func ("/leat/session/loop-measured/once", test_loop_measured_once);
  g_test_add_data_func ("/leat/session/loop-measured/refused", why_not, test_loop_measured_refused);
  g_test_add_data_func ("/leat/session/loop-measured/recalled/host", "host", test_loop_measured_recalled);
  g_test_add_data_func ("/leat/session/loop-measured/recalled/fused", "fused", test_loop_measured_recalled);
  g_test_add_func ("/leat/session/loop-measured/bands", test_loop_measured_bands);
  g_test_add_func ("/leat/session/loop-measured/bands/all", test_loop_measured_bands_all);
  g_test_add_func ("/leat/session/loop-measured/bands/bound", test_loop_measured_bands_bound);
  g_test_add_func ("/leat/session/loop-measured/away", test_loop_measured_away);
  g_test_add_func ("/leat/session/loop-measured/away/ruled", test_loop_measured_away_ruled);
  g_test_add_func ("/leat/session/loop-measured/away/streamed", test_loop_measured_streamed);
  g_test_add_func ("/leat/session/loop-measured/away/state", test_loop_measured_state);
  g_test_add_func ("/leat/session/loop-measured/without", test_loop_measured_without);
  status = g_test_run ();
  return status;
}
