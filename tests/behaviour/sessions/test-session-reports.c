/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "report-fixture.h"

#include "driver/leat-driver-private.h"

#include <string.h>
#include <unistd.h>

#define JUDGE "kernel name=judge source=\"KERNELS\" entry=judge"
#define MEET  "kernel name=meet source=\"KERNELS\" entry=meet"

static void
fill (gint32 *x, gint32 value)
{
  for (guint i = 0; i < REPORT_ITEMS; i++)
    x[i] = value;
}

static void
check_result (GBytes *output, const gint32 *x, guint n, gint32 more)
{
  const gint32 *y = g_bytes_get_data (output, NULL);

  g_assert_cmpuint (g_bytes_get_size (output), ==, n * sizeof *y);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (y[i], ==, x[i] + more);
}

/* A run that is to go well, with what was reported held against the input. */
static void
run_well (SessionFixture *fixture, const gint32 *x, guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) output = report_fixture_run (fixture, x, n, &error);

  g_assert_no_error (error);
  check_result (output, x, n, 1);
}

static void
run_badly (SessionFixture *fixture, const gint32 *x, guint n, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) output = report_fixture_run (fixture, x, n, &error);

  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  g_assert_null (output);
  if (message != NULL)
    g_assert_cmpstr (error->message, ==, message);
}

/* The driver calls of one run of @chain, in which nothing is reported. */
static char *
trace_silent_run (const char *chain, LeatExecutor executor)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reports = NULL;
  LeatDriver *driver;
  char *log;

  fill (x, 5);
  report_fixture_open (&fixture, chain, executor);
  g_object_set (fixture.session, "wait", LEAT_WAIT_BLOCK, NULL);
  run_well (&fixture, x, REPORT_ITEMS);
  driver = leat_device_get_driver (leat_session_get_device (fixture.session));
  leat_driver_trace_start (driver, TRUE, &error);
  g_assert_no_error (error);
  run_well (&fixture, x, REPORT_ITEMS);
  log = leat_driver_trace_print (driver);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (report_fixture_count_warnings (&fixture), ==, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "reports"), ==, 0);
  reports = leat_session_dup_reports (fixture.session);
  g_assert_cmpuint (g_variant_n_children (reports), ==, 0);
  session_fixture_close (&fixture);
  return log;
}

/* A kernel that may report and does not costs the calls of one that cannot. */
static void
test_reports_silence_costs_no_call (gconstpointer executor)
{
  g_autofree char *silent = trace_silent_run (JUDGE, GPOINTER_TO_INT (executor));
  g_autofree char *other = trace_silent_run ("map expr=x+1", GPOINTER_TO_INT (executor));

  g_assert_cmpstr (silent, !=, "");
  g_assert_cmpstr (silent, ==, other);
}

/* What a message and a session tell is made when somebody asks, and by then there may be no session. */
static void
test_reports_outlive_the_session (void)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];
  g_autoptr (LeatMessage) message = NULL;
  GVariant *details;
  const char *node = NULL;
  guint64 index = 0, count = 0;

  fill (x, 5);
  x[77] = 2000;
  report_fixture_open (&fixture, JUDGE, LEAT_EXECUTOR_GRAPH);
  run_well (&fixture, x, REPORT_ITEMS);
  message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0);
  session_fixture_close (&fixture);
  g_assert_nonnull (message);
  details = leat_message_get_details (message);
  g_assert_true (g_variant_lookup (details, "node", "&s", &node));
  g_assert_cmpstr (node, ==, "judge");
  g_assert_true (g_variant_lookup (details, "index", "t", &index));
  g_assert_cmpuint (index, ==, 77);
  g_assert_true (g_variant_lookup (details, "count", "t", &count));
  g_assert_cmpuint (count, ==, 1);
  g_assert_true (leat_message_get_details (message) == details);
}

static void
test_reports_one_warning (gconstpointer executor)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];
  g_autoptr (LeatMessage) message = NULL;
  g_autoptr (GVariant) value = NULL;
  const char *text = NULL, *name = NULL;
  guint64 index = 0;

  fill (x, 5);
  x[1234] = 2000;
  report_fixture_open (&fixture, JUDGE, GPOINTER_TO_INT (executor));
  run_well (&fixture, x, REPORT_ITEMS);
  message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0);
  g_assert_nonnull (message);
  g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_WARNING);
  g_assert_cmpstr (leat_message_get_source (message), ==, "judge");
  g_assert_cmpstr (leat_message_get_error (message)->message, ==,
                   "kernel \"judge\": a large number: 2000 at index 1234");
  g_assert_true (g_variant_lookup (leat_message_get_details (message), "text", "&s", &text));
  g_assert_cmpstr (text, ==, "a large number");
  g_assert_true (g_variant_lookup (leat_message_get_details (message), "name", "&s", &name));
  g_assert_cmpstr (name, ==, "LARGE");
  g_assert_true (g_variant_lookup (leat_message_get_details (message), "index", "t", &index));
  g_assert_cmpuint (index, ==, 1234);
  value = g_variant_lookup_value (leat_message_get_details (message), "value", G_VARIANT_TYPE_INT64);
  g_assert_nonnull (value);
  g_assert_cmpint (g_variant_get_int64 (value), ==, 2000);
  report_fixture_check (&fixture, "judge", x, REPORT_ITEMS);
  g_assert_cmpuint (report_fixture_count_warnings (&fixture), ==, 0);
  session_fixture_close (&fixture);
}

/* Every thread reports, all codes at once. */
static void
test_reports_many (gconstpointer executor)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];

  report_fixture_open (&fixture, JUDGE, GPOINTER_TO_INT (executor));
  for (guint run = 0; run < 4; run++)
    {
      for (guint i = 0; i < REPORT_ITEMS; i++)
        x[i] = (i + run) % 2 ? 77 : 1001 + (gint32) i;
      run_well (&fixture, x, REPORT_ITEMS);
      report_fixture_check (&fixture, "judge", x, REPORT_ITEMS);
      g_assert_cmpuint (report_fixture_count_warnings (&fixture), ==, 2);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "reports"), ==, 4 * REPORT_ITEMS);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "reports-lost"), ==, 4 * (REPORT_ITEMS - 16));
  session_fixture_close (&fixture);
}

/* With barriers: as fibres or by the variant, whichever the driver takes. */
static void
test_reports_with_barriers (gconstpointer executor)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];

  report_fixture_open (&fixture, MEET " grid=3 block=64", GPOINTER_TO_INT (executor));
  for (guint i = 0; i < REPORT_ITEMS; i++)
    x[i] = i % 3 ? 5 : 1001 + (gint32) i;
  run_well (&fixture, x, REPORT_ITEMS);
  report_fixture_check (&fixture, "meet", x, REPORT_ITEMS);
  run_well (&fixture, x, 7);
  report_fixture_check (&fixture, "meet", x, 7);
  x[4000] = -1;
  run_badly (&fixture, x, REPORT_ITEMS, "kernel \"meet\": a negative number: -1 at index 4000");
  report_fixture_check (&fixture, "meet", x, REPORT_ITEMS);
  session_fixture_close (&fixture);
}

/* The run has no result and the session goes on; warnings of that run are told all the same. */
static void
test_reports_error_fails_the_run (gconstpointer executor)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS], bad[REPORT_ITEMS];

  fill (x, 5);
  fill (bad, 6);
  bad[3] = -8;
  bad[9] = -7;
  bad[11] = 5000;
  report_fixture_open (&fixture, JUDGE, GPOINTER_TO_INT (executor));
  for (guint round = 1; round <= 3; round++)
    {
      run_well (&fixture, x, REPORT_ITEMS);
      g_assert_cmpuint (report_fixture_count_warnings (&fixture), ==, 0);
      run_badly (&fixture, bad, REPORT_ITEMS, "kernel \"judge\": a negative number: -8 at index 3 (and 1 more)");
      report_fixture_check (&fixture, "judge", bad, REPORT_ITEMS);
      g_assert_cmpuint (report_fixture_count_warnings (&fixture), ==, 1);
      run_badly (&fixture, bad, 10, NULL);
      report_fixture_check (&fixture, "judge", bad, 10);
      g_assert_cmpuint (session_fixture_get_count (&fixture, "runs"), ==, 3 * round);
      g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-refused"), ==, 2 * round);
    }
  run_well (&fixture, x, REPORT_ITEMS);
  session_fixture_close (&fixture);
}

/* The first that reported is the cause, and each node has its own. */
static void
test_reports_two_nodes (gconstpointer executor)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS], next[REPORT_ITEMS];
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) error = NULL;

  report_fixture_open (&fixture, JUDGE " -> " MEET, GPOINTER_TO_INT (executor));
  for (guint i = 0; i < REPORT_ITEMS; i++)
    {
      x[i] = i % 5 == 0 ? 76 : i % 7 == 0 ? 1000 : 77;
      next[i] = x[i] + 1;
    }
  output = report_fixture_run (&fixture, x, REPORT_ITEMS, &error);
  g_assert_no_error (error);
  check_result (output, x, REPORT_ITEMS, 2);
  report_fixture_check (&fixture, "judge", x, REPORT_ITEMS);
  report_fixture_check (&fixture, "meet", next, REPORT_ITEMS);
  g_assert_cmpuint (report_fixture_count_warnings (&fixture), ==, 3);
  x[0] = -1; /* and 0 for the second */
  run_badly (&fixture, x, REPORT_ITEMS, "kernel \"judge\": a negative number: -1 at index 0");
  x[0] = -5;
  run_badly (&fixture, x, REPORT_ITEMS, "kernel \"judge\": a negative number: -5 at index 0");
  session_fixture_close (&fixture);
}

static const struct
{
  const char *message;
  const char *type;
} kinds[] = {
  { "kernel \"kinds\": report 3: -5 at index 67", "x" },
  { "kernel \"kinds\": report 3: 9223372036854775808 at index 67", "t" },
  { "kernel \"kinds\": report 3: -9223372036854775808 at index 67", "x" },
  { "kernel \"kinds\": report 3: 0.25 at index 67", "d" },
  { "kernel \"kinds\": report 3: -1e+300 at index 67", "d" },
  { "kernel \"kinds\": report 31: 255 at index 67", "x" },
  { "kernel \"kinds\": report 32, a code above 31: 1 at index 67", "x" },
  { "kernel \"kinds\": report 4294967295, a code above 31: 97 at index 67", "x" },
};

static void
test_reports_kinds_of_values (void)
{
  SessionFixture fixture;

  report_fixture_open (&fixture, "kernel name=kinds source=\"KERNELS\" entry=kinds grid=2 block=64",
                       LEAT_EXECUTOR_GRAPH);
  for (gint32 what = 0; what < (gint32) G_N_ELEMENTS (kinds); what++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) output = report_fixture_run (&fixture, &what, 1, &error);
      g_autoptr (LeatMessage) message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0);
      g_autoptr (GVariant) value = NULL;

      g_assert_no_error (error);
      g_assert_nonnull (message);
      g_assert_cmpstr (leat_message_get_error (message)->message, ==, kinds[what].message);
      value = g_variant_lookup_value (leat_message_get_details (message), "value", NULL);
      g_assert_cmpstr (g_variant_get_type_string (value), ==, kinds[what].type);
    }
  session_fixture_close (&fixture);
}

/* More kinds than anybody reads are told of by their number, and can be asked for. */
static void
test_reports_of_many_kinds (void)
{
  SessionFixture fixture;
  gint32 x[24];
  g_autoptr (GVariant) reports = NULL;
  guint told = 0, left_out = 0;
  LeatMessage *message;

  for (guint i = 0; i < G_N_ELEMENTS (x); i++)
    x[i] = (gint32) i;
  report_fixture_open (&fixture, "kernel name=codes source=\"KERNELS\" entry=codes", LEAT_EXECUTOR_GRAPH);
  run_well (&fixture, x, G_N_ELEMENTS (x));
  while ((message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0)) != NULL)
    {
      if (!g_variant_lookup (leat_message_get_details (message), "left-out", "u", &left_out))
        told++;
      leat_message_unref (message);
    }
  g_assert_cmpuint (told, ==, 16);
  g_assert_cmpuint (left_out, ==, 8);
  reports = leat_session_dup_reports (fixture.session);
  g_assert_cmpuint (g_variant_n_children (reports), ==, 24);
  session_fixture_close (&fixture);
}

/* Without uploads the same is reported again. */
static void
test_reports_in_resident_runs (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView in, out;

  report_fixture_open (&fixture, JUDGE, LEAT_EXECUTOR_GRAPH);
  leat_session_map_input (fixture.session, "source", &in, &error);
  g_assert_no_error (error);
  leat_session_map_output (fixture.session, "sink", &out, &error);
  g_assert_no_error (error);
  ((gint32 *) in.data)[0] = 77;
  leat_session_set_input_count (fixture.session, "source", 1, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 3; run++)
    {
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      g_assert_cmpuint (report_fixture_count_warnings (&fixture), ==, 1);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-reused"), ==, 2);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "reports"), ==, 3);
  session_fixture_close (&fixture);
}

/* The kernel finds its data through slots then, and the block as ever. */
static void
test_reports_on_bound_memory (gconstpointer executor)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];
  g_autofree char *text = g_strdup_printf ("app name=source memory=user spec=i32[%d] -> upload mode=mapped -> " JUDGE
                                           " -> readback mode=mapped -> app name=sink memory=user\n",
                                           REPORT_ITEMS);

  report_fixture_open_text (&fixture, text, GPOINTER_TO_INT (executor));
  for (gint32 run = 0; run < 3; run++)
    {
      g_autoptr (LeatMemory) in = NULL, out = NULL;
      g_autoptr (GError) error = NULL;

      in = leat_memory_new (leat_session_get_device (fixture.session), LEAT_MEMORY_PINNED, sizeof x, "in", &error);
      out = leat_memory_new (leat_session_get_device (fixture.session), LEAT_MEMORY_PINNED, sizeof x, "out", &error);
      g_assert_no_error (error);
      fill (x, run);
      x[10 + run] = run == 1 ? -9 : 77;
      memcpy (leat_memory_get_host (in), x, sizeof x);
      leat_session_bind_input (fixture.session, "source", leat_memory_get_address (in), sizeof x, REPORT_ITEMS, &error);
      g_assert_no_error (error);
      leat_session_bind_output (fixture.session, "sink", leat_memory_get_address (out), sizeof x, &error);
      g_assert_no_error (error);
      leat_session_replay (fixture.session, FALSE, NULL, &error);
      if (run == 1)
        g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
      else
        g_assert_no_error (error);
      report_fixture_check (&fixture, "judge", x, REPORT_ITEMS);
    }
  session_fixture_close (&fixture);
}

static void
on_replayed (GObject *object, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

/* The next one may be begun when the callback has told of the error. */
static void
test_reports_to_a_main_loop (void)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];

  report_fixture_open (&fixture, JUDGE, LEAT_EXECUTOR_GRAPH);
  for (guint run = 0; run < 6; run++)
    {
      g_autoptr (GAsyncResult) result = NULL;
      g_autoptr (GBytes) input = NULL;
      g_autoptr (GError) error = NULL;
      LeatFlow flow;

      fill (x, 5);
      x[run] = run % 2 ? -1 : 77;
      input = g_bytes_new (x, sizeof x);
      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
      leat_session_replay_async (fixture.session, NULL, on_replayed, &result);
      while (result == NULL)
        g_main_context_iteration (NULL, TRUE);
      flow = leat_session_replay_finish (fixture.session, result, &error);
      g_assert_cmpint (flow, ==, run % 2 ? LEAT_FLOW_ERROR : LEAT_FLOW_DATA);
      if (run % 2)
        g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
      report_fixture_check (&fixture, "judge", x, REPORT_ITEMS);
      if (run % 2 == 0)
        g_bytes_unref (leat_app_pull_bytes (fixture.sink, 0, NULL));
    }
  session_fixture_close (&fixture);
}

/* What was reported of is done again, and reported again; other results are known. */
static void
test_reports_are_not_remembered (void)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];
  g_autoptr (GError) error = NULL;

  report_fixture_open (&fixture, JUDGE, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "memo", LEAT_MEMO_EXACT, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  fill (x, 5);
  for (guint run = 0; run < 2; run++)
    {
      x[0] = 77;
      run_well (&fixture, x, REPORT_ITEMS);
      g_assert_cmpuint (report_fixture_count_warnings (&fixture), ==, 1);
      x[0] = -77;
      run_badly (&fixture, x, REPORT_ITEMS, NULL);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 0);
  x[0] = 7;
  run_well (&fixture, x, REPORT_ITEMS);
  run_well (&fixture, x, REPORT_ITEMS);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "memo-hits"), ==, 1);
  g_assert_cmpuint (report_fixture_count_warnings (&fixture), ==, 0);
  session_fixture_close (&fixture);
}

static void
test_reports_in_measured_runs (gconstpointer executor)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];
  g_autoptr (GError) error = NULL;

  report_fixture_open (&fixture, JUDGE, GPOINTER_TO_INT (executor));
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "timing", LEAT_TIMING_NODES, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  fill (x, 5);
  x[17] = 77;
  for (guint run = 0; run < 3; run++)
    {
      run_well (&fixture, x, REPORT_ITEMS);
      report_fixture_check (&fixture, "judge", x, REPORT_ITEMS);
    }
  x[18] = -1;
  run_badly (&fixture, x, REPORT_ITEMS, "kernel \"judge\": a negative number: -1 at index 18");
  session_fixture_close (&fixture);
}

/* Another launch and another graph report to where the lane looks. */
static void
test_reports_after_a_change (gconstpointer executor)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];
  LeatNode *node;

  report_fixture_open (&fixture, JUDGE " -> map name=same expr=x -> " MEET, GPOINTER_TO_INT (executor));
  node = leat_pipeline_get_node (fixture.pipeline, "judge", NULL);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) output = NULL;
      g_autofree char *expr = g_strdup_printf ("x+%u", i);

      leat_node_set_from_string (node, "block", i % 2 ? "128" : "64", &error);
      g_assert_no_error (error);
      if (i >= 2)
        leat_node_set_from_string (leat_pipeline_get_node (fixture.pipeline, "same", NULL), "expr", expr, &error);
      g_assert_no_error (error);
      fill (x, 5);
      x[i] = 77;
      output = report_fixture_run (&fixture, x, REPORT_ITEMS, &error);
      g_assert_no_error (error);
      report_fixture_check (&fixture, "judge", x, REPORT_ITEMS);
    }
  session_fixture_close (&fixture);
}

/* An overflow that a kernel has reported itself is told in its words, and is over with the run. */
static void
test_reports_explain_an_overflow (void)
{
  SessionFixture fixture;
  gint32 x = 900;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) output = NULL;

  report_fixture_open (&fixture,
                       "kernel name=first source=\"KERNELS\" entry=overflowing y=i32[<=100] -> "
                       "map name=second expr=x+1",
                       LEAT_EXECUTOR_GRAPH);
  run_badly (&fixture, &x, 1, "kernel \"first\": a negative number: 900 at index 0");
  x = 3;
  output = report_fixture_run (&fixture, &x, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (output), ==, 3 * sizeof x);
  session_fixture_close (&fixture);
}

/* Messages of leat_session_run (): warnings, and the error with what it is about. */
static void
test_reports_end_a_stream (void)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatMessage) last = NULL;
  LeatMessage *message;
  guint code = 0;

  report_fixture_open (&fixture, JUDGE, LEAT_EXECUTOR_GRAPH);
  for (guint run = 0; run < 3; run++)
    {
      g_autoptr (GBytes) input = NULL;

      fill (x, (gint32) run);
      x[2] = run == 1 ? -4 : 4;
      input = g_bytes_new (x, sizeof x);
      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
    }
  leat_app_end (fixture.source);
  g_assert_false (leat_session_run (fixture.session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  while ((message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0)) != NULL)
    {
      g_clear_pointer (&last, leat_message_unref);
      last = message;
    }
  g_assert_cmpint (leat_message_get_kind (last), ==, LEAT_MESSAGE_ERROR);
  g_assert_nonnull (leat_message_get_details (last));
  g_assert_true (g_variant_lookup (leat_message_get_details (last), "code", "u", &code));
  g_assert_cmpuint (code, ==, REPORT_NEGATIVE);
  g_clear_error (&error);
  g_assert_true (leat_session_run (fixture.session, NULL, &error)); /* with what comes next */
  g_assert_no_error (error);
  for (gint32 run = 0; run < 3; run += 2)
    {
      g_autoptr (GBytes) output = leat_app_pull_bytes (fixture.sink, 0, &error);

      g_assert_cmpint (((const gint32 *) g_bytes_get_data (output, NULL))[0], ==, run + 1);
    }
  g_assert_null (leat_app_pull_bytes (fixture.sink, 0, NULL));
  session_fixture_close (&fixture);
}

/* Chance against the oracle. */
static void
test_reports_random (gconstpointer executor)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];
  g_autoptr (GRand) rand = g_rand_new_with_seed (20);

  report_fixture_open (&fixture, JUDGE, GPOINTER_TO_INT (executor));
  for (guint run = 0; run < 60; run++)
    {
      guint n = (guint) g_rand_int_range (rand, 1, REPORT_ITEMS);
      guint rarity = 1u << g_rand_int_range (rand, 0, 14);
      gboolean bad = FALSE;

      for (guint i = 0; i < n; i++)
        {
          gboolean odd = g_rand_int (rand) % rarity == 0;
          static const gint32 values[] = { -3, 5000, 77, 6 };

          x[i] = odd ? values[g_rand_int (rand) % 4] - (gint32) (g_rand_int (rand) % 2) : (gint32) (i % 70);
          bad = bad || x[i] < 0;
        }
      if (bad)
        run_badly (&fixture, x, n, NULL);
      else
        run_well (&fixture, x, n);
      if (report_fixture_count_warnings (&fixture) > 0 || bad)
        report_fixture_check (&fixture, "judge", x, n);
    }
  session_fixture_close (&fixture);
}

static gint64
lookup_total (SessionFixture *fixture, guint wanted)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (fixture->session);
  g_autoptr (GVariant) totals = g_variant_lookup_value (stats, "reports-by-code", G_VARIANT_TYPE ("aa{sv}"));

  for (gsize i = 0; i < g_variant_n_children (totals); i++)
    {
      g_autoptr (GVariant) total = g_variant_get_child_value (totals, i);
      guint code = 0;
      guint64 count = 0;

      g_assert_true (g_variant_lookup (total, "code", "u", &code));
      g_assert_true (g_variant_lookup (total, "count", "t", &count));
      if (code == wanted)
        return (gint64) count;
    }
  return -1;
}

static void
test_reports_are_counted_by_code (void)
{
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];
  g_autofree char *exposition = NULL;
  g_autoptr (GError) error = NULL;

  fill (x, 2000);
  x[0] = x[1] = x[2] = 77;
  report_fixture_open (&fixture, JUDGE, LEAT_EXECUTOR_AUTO);
  run_well (&fixture, x, REPORT_ITEMS);
  run_well (&fixture, x, 100);
  g_assert_cmpint (lookup_total (&fixture, REPORT_ODD), ==, 6);
  g_assert_cmpint (lookup_total (&fixture, REPORT_LARGE), ==, REPORT_ITEMS + 100 - 6);
  g_assert_cmpint (lookup_total (&fixture, REPORT_NEGATIVE), ==, -1);
  exposition = leat_session_to_prometheus (fixture.session, "p");
  g_assert_nonnull (strstr (exposition, "pipeline=\"p\",node=\"judge\",code=\"9\",severity=\"warning\"} 6\n"));
  leat_session_close (fixture.session);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (lookup_total (&fixture, REPORT_ODD), ==, -1);
  session_fixture_close (&fixture);
}

static void
test_reports_are_planned (void)
{
  SessionFixture fixture;
  g_autofree char *text = NULL, *json = NULL;
  g_autoptr (LeatPlan) plan = NULL;

  report_fixture_open (&fixture, JUDGE " -> map name=same expr=x", LEAT_EXECUTOR_GRAPH);
  plan = leat_session_dup_plan (fixture.session);
  text = leat_plan_to_text (plan);
  json = leat_plan_to_json (plan);
  g_assert_nonnull (strstr (text, " reports"));
  g_assert_nonnull (strstr (json, "\"reports\" : true"));
  g_assert_nonnull (strstr (json, "\"reports\" : false"));
  g_assert_cmpuint (leat_plan_get_report_bytes (plan), ==, sizeof (LeatReportBlock));
  g_clear_object (&plan);
  session_fixture_close (&fixture);
}

/* A text has places for the numbers and for properties of its node, set or not; what is none of these stays. */
static void
test_reports_places (void)
{
  static const char kernel[] =
    "LEAT_REPORT (PLACES = 1, error, \"{value} at {index} of entry={entry} grid={grid} ({update}) {nobody} {\")\n"
    "__global__ void places (const int *x, int *y, uint64_t x_count)\n"
    "{\n  GRID_FOR (i, x_count)\n    if (x[i] < 0)\n      leat_report_at (PLACES, i, x[i]);\n"
    "    else\n      y[i] = x[i] + 1;\n}\n";
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL, *chain = NULL;
  SessionFixture fixture;
  gint32 x[REPORT_ITEMS];
  gint file = g_file_open_tmp ("leat-places-XXXXXX.cu", &path, &error);

  g_assert_no_error (error);
  close (file);
  g_assert_true (g_file_set_contents (path, kernel, -1, &error));
  chain = g_strdup_printf ("kernel name=places source=\"%s\" entry=places grid=2", path);
  report_fixture_open (&fixture, chain, LEAT_EXECUTOR_GRAPH);
  fill (x, 5);
  x[17] = -3;
  run_badly (&fixture, x, REPORT_ITEMS, "kernel \"places\": -3 at 17 of entry=places grid=2 () {nobody} {");
  x[17] = 3;
  run_well (&fixture, x, REPORT_ITEMS);
  session_fixture_close (&fixture);
  unlink (path);
}

static void
add_for_executors (const char *name, GTestDataFunc test)
{
  g_autofree char *graph = g_strconcat ("/leat/session/reports/", name, "/graph", NULL);
  g_autofree char *eager = g_strconcat ("/leat/session/reports/", name, "/eager", NULL);

  g_test_add_data_func (graph, GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test);
  g_test_add_data_func (eager, GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/reports/outlive-the-session", test_reports_outlive_the_session);
  report_fixture_init ();
  add_for_executors ("silence-costs-no-call", test_reports_silence_costs_no_call);
  add_for_executors ("one-warning", test_reports_one_warning);
  add_for_executors ("many", test_reports_many);
  add_for_executors ("with-barriers", test_reports_with_barriers);
  add_for_executors ("error-fails-the-run", test_reports_error_fails_the_run);
  add_for_executors ("two-nodes", test_reports_two_nodes);
  g_test_add_func ("/leat/session/reports/places", test_reports_places);
  g_test_add_func ("/leat/session/reports/kinds-of-values", test_reports_kinds_of_values);
  g_test_add_func ("/leat/session/reports/of-many-kinds", test_reports_of_many_kinds);
  g_test_add_func ("/leat/session/reports/in-resident-runs", test_reports_in_resident_runs);
  add_for_executors ("on-bound-memory", test_reports_on_bound_memory);
  g_test_add_func ("/leat/session/reports/to-a-main-loop", test_reports_to_a_main_loop);
  g_test_add_func ("/leat/session/reports/are-not-remembered", test_reports_are_not_remembered);
  add_for_executors ("in-measured-runs", test_reports_in_measured_runs);
  add_for_executors ("after-a-change", test_reports_after_a_change);
  g_test_add_func ("/leat/session/reports/explain-an-overflow", test_reports_explain_an_overflow);
  g_test_add_func ("/leat/session/reports/end-a-stream", test_reports_end_a_stream);
  add_for_executors ("random", test_reports_random);
  g_test_add_func ("/leat/session/reports/are-counted-by-code", test_reports_are_counted_by_code);
  g_test_add_func ("/leat/session/reports/are-planned", test_reports_are_planned);
  status = g_test_run ();
  report_fixture_clear ();
  return status;
}
