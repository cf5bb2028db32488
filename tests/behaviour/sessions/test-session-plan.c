/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* What a session will take, held against what it has taken, and against what it may. */

#define SUM                                                                                                            \
  "sum = state spec=u32[4096]\n"                                                                                       \
  "table = const path=\"TABLE\" spec=u32[4096]\n"                                                                      \
  "m = map inputs=x,sum,table expr=x*table+sum\n"                                                                      \
  "app name=source spec=u32[4096] -> upload mode=copy -> m.x\n"                                                        \
  "table -> m.table\n"                                                                                                 \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback mode=copy -> app name=sink\n"
#define MAP                                                                                                            \
  "app name=source spec=u32[4096] -> upload mode=copy -> map expr=2*x -> readback mode=copy -> app name=sink\n"

#define BYTES G_GUINT64_CONSTANT (16384)

static char *folder, *graphs, *table;

static guint64
get (GVariant *plan, const char *name)
{
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (plan, name, "t", &value));
  return value;
}

static char *
dup_text (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "TABLE", -1);

  return g_strjoinv (table, parts);
}

/* A session that is not open. */
static LeatSession *
new_session (const char *text, LeatPipeline **pipeline)
{
  g_autofree char *statements = dup_text (text), *whole = g_strconcat ("leat 1\n", statements, NULL);
  g_autoptr (GError) error = NULL;

  *pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  return leat_session_new (*pipeline, NULL);
}

static GVariant *
predict (LeatSession *session, guint64 runs)
{
  g_autoptr (GError) error = NULL;
  GVariant *plan = leat_session_predict (session, runs, &error);

  g_assert_no_error (error);
  return plan;
}

/* Every figure is what the plan says of it. @other: one of which it may say nothing */
static void
assert_report_but_for (LeatSession *session, const char *when, const char *other)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) report = leat_session_dup_accounting (session, &error);
  const char *name, *relation;
  guint64 planned, counted;
  GVariantIter iter;

  g_assert_no_error (error);
  g_variant_iter_init (&iter, report);
  while (g_variant_iter_next (&iter, "(&stt&s)", &name, &planned, &counted, &relation))
    {
      gboolean good = g_str_equal (relation, "equal")      ? counted == planned
                      : g_str_equal (relation, "at-most")  ? counted <= planned
                      : g_str_equal (relation, "at-least") ? counted >= planned
                                                           : g_str_equal (name, other);

      if (!good)
        g_test_fail_printf ("%s: %s: planned %" G_GUINT64_FORMAT ", counted %" G_GUINT64_FORMAT ", %s", when, name,
                            planned, counted, relation);
    }
}

static void
push (LeatPipeline *pipeline, guint32 x)
{
  g_autofree guint32 *items = g_new (guint32, BYTES / 4);
  g_autoptr (GBytes) input = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < BYTES / 4; i++)
    items[i] = x + i;
  input = g_bytes_new (items, BYTES);
  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "source", NULL)), input, &error);
  g_assert_no_error (error);
}

static void
assert_report (LeatSession *session, const char *when)
{
  assert_report_but_for (session, when, "");
}

/* The example graphs, from file to file. */
typedef struct
{
  const char *graph, *input, *suffix; /* NULL: a text of ours */
  const char *more;                   /* another variable */
  gboolean is_single;                 /* what it gives is one file */
} Example;

static const Example examples[] = {
  { "scan", NULL, ".txt", "chunk=1000" },
  { "counts", NULL, ".bin", "chunk=1000" },
  { "edges", "photo.jpg", ".png", "threshold=50", TRUE },
  { "stats", "samples.npy", ".npy", "scale=2" },
  { "check", "samples.npy", ".npy", "limit=1000" },
};

/* For the graphs, and for a constant. */
static void
write_files (const char *path)
{
  g_autofree guint8 *zeros = g_malloc0 (BYTES);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 400; i++)
    g_string_append_printf (text, "a license %u ", i);
  g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, &error));
  g_assert_true (g_file_set_contents (table, (const char *) zeros, BYTES, &error));
}

static LeatPipeline *
parse_example (const Example *example)
{
  g_autofree char *name = g_strconcat (example->graph, ".leat", NULL),
                  *out = g_strconcat ("out", example->suffix, NULL);
  g_autofree char *graph = g_build_filename (graphs, name, NULL);
  g_autofree char *input = g_build_filename (example->input != NULL ? graphs : folder,
                                             example->input != NULL ? example->input : "in.txt", NULL);
  g_autofree char *set_input = g_strconcat ("input=", input, NULL);
  g_autofree char *set_output = g_strconcat ("output=", folder, G_DIR_SEPARATOR_S, out, NULL);
  const char *variables[] = { set_input, example->more, set_output, NULL };
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline;

  /* What it finds goes to standard output. */
  if (g_str_equal (example->graph, "scan"))
    variables[2] = NULL;
  pipeline = leat_parse_file (graph, variables, &error);
  g_assert_no_error (error);
  return pipeline;
}

/* Results that go to standard output are not for who reads what tests say. */
static void
run_silently (LeatSession *session)
{
  int out = dup (STDOUT_FILENO), nowhere = open ("/dev/null", O_WRONLY | O_CLOEXEC);
  g_autoptr (GError) error = NULL;

  fflush (stdout);
  dup2 (nowhere, STDOUT_FILENO);
  leat_session_run (session, NULL, &error);
  dup2 (out, STDOUT_FILENO);
  close (nowhere);
  close (out);
  g_assert_no_error (error);
}

static void
run_example (const Example *example, LeatExecutor executor, guint lanes, guint64 repeat, LeatReadback readback)
{
  g_autofree char *when = g_strdup_printf ("%s, executor %d, %u lanes, %u runs, readback %d", example->graph, executor,
                                           lanes, (guint) repeat, readback);
  g_autoptr (LeatPipeline) pipeline = parse_example (example);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  g_autoptr (GVariant) before = NULL, after = NULL;
  g_autoptr (GError) error = NULL;

  g_test_message ("%s", when);
  g_object_set (session, "executor", executor, "lanes", lanes, "repeat", repeat, "readback", readback, "calibrate",
                executor != LEAT_EXECUTOR_AUTO, NULL);
  before = predict (session, 10);
  g_assert_true (leat_session_open (session, NULL, &error));
  g_assert_no_error (error);
  after = predict (session, 10);
  g_assert_true (g_variant_equal (before, after));
  run_silently (session);
  assert_report (session, when);
  leat_session_close (session);
}

static void
test_session_plan_examples (gconstpointer data)
{
  const Example *example = data;

  for (LeatExecutor executor = LEAT_EXECUTOR_AUTO; executor <= LEAT_EXECUTOR_EAGER; executor++)
    {
      run_example (example, executor, 1, 1, LEAT_READBACK_FINAL);
      run_example (example, executor, 3, 1, LEAT_READBACK_FINAL);
      run_example (example, executor, 1, 6, LEAT_READBACK_FINAL);
      if (!example->is_single)
        run_example (example, executor, 1, 3, LEAT_READBACK_EACH);
    }
}

/* With numbers that a person can check. */
static void
test_session_plan_figures (void)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = new_session (SUM, &pipeline);
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
  g_autoptr (GVariant) plan = NULL, final = NULL, each = NULL;
  gboolean copies;

  plan = predict (session, 7);
  copies = get (plan, "run-upload-bytes") > 0;
  g_assert_cmpuint (get (plan, "runs"), ==, 7);
  g_assert_cmpuint (get (plan, "once-bytes"), ==, BYTES);
  g_assert_cmpuint (get (plan, "constant-bytes"), ==, BYTES);
  g_assert_cmpuint (get (plan, "state-bytes"), >=, BYTES);
  g_assert_cmpuint (get (plan, "run-upload-bytes"), ==, copies ? BYTES : 0);
  g_assert_cmpuint (get (plan, "upload-bytes"), ==, copies ? 7 * BYTES : 0);
  g_assert_cmpuint (get (plan, "readback-bytes"), ==, copies ? 7 * BYTES : 0);
  g_assert_cmpuint (get (plan, "waits"), ==, 7);
  g_assert_cmpuint (get (plan, "device-bytes"), ==,
                    get (plan, "scratch-bytes") + get (plan, "state-bytes") + get (plan, "constant-bytes")
                      + get (plan, "report-bytes") + get (plan, "clock-bytes"));
  g_object_set (session, "repeat", G_GUINT64_CONSTANT (7), NULL);
  final = predict (session, 7);
  g_assert_cmpuint (get (final, "readback-bytes"), ==, copies ? BYTES : 0);
  g_assert_cmpuint (get (final, "upload-bytes"), ==, copies ? BYTES : 0);
  g_assert_cmpuint (get (final, "waits"), ==, 1);
  g_object_set (session, "readback", LEAT_READBACK_EACH, NULL);
  each = predict (session, 7);
  g_assert_cmpuint (get (each, "readback-bytes"), ==, copies ? 7 * BYTES : 0);
  g_assert_cmpuint (get (each, "upload-bytes"), ==, copies ? BYTES : 0);
  g_assert_cmpuint (get (each, "waits"), ==, 7);
}

static guint64
count_allocations (LeatDevice *device)
{
  LeatMemoryCounts counts[LEAT_MEMORY_N_KINDS];

  for (guint i = 0; i < LEAT_MEMORY_N_KINDS; i++)
    leat_device_get_memory_counts (device, i, &counts[i]);
  g_assert_cmpuint (counts[0].live_bytes + counts[1].live_bytes, ==, 0);
  return counts[0].driver_allocations + counts[1].driver_allocations;
}

/* Nothing has been asked of the device when it is refused. */
static void
assert_over_budget (LeatSession *session, guint64 budget, const char *words)
{
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
  guint64 before = count_allocations (device);
  g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, budget);
  g_autoptr (GError) error = NULL;

  g_object_set (session, "budget", budget, NULL);
  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUDGET);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_nonnull (strstr (error->message, number));
  g_assert_cmpuint (count_allocations (device), ==, before);
}

static void
test_session_plan_refuses_over_budget (void)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = new_session (SUM, &pipeline);
  g_autoptr (GVariant) one = NULL, two = NULL, four = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *words = NULL;
  guint64 needed;

  g_object_set (session, "lanes", 1, NULL);
  one = predict (session, 1);
  needed = get (one, "device-bytes");
  assert_over_budget (session, 1, "not even one lane fits");
  assert_over_budget (session, needed - 1, "not even one lane fits");
  g_object_set (session, "budget", needed, NULL);
  g_assert_true (leat_session_open (session, NULL, &error));
  g_assert_no_error (error);
  leat_session_close (session);
  if (get (one, "lane-bytes") == 0)
    return; /* where the device's memory is the host's, lanes take none of it */
  g_object_set (session, "lanes", 2, "budget", G_GUINT64_CONSTANT (0), NULL);
  two = predict (session, 1);
  words = g_strdup_printf ("lanes=2 would take %" G_GUINT64_FORMAT, get (two, "device-bytes"));
  g_object_set (session, "lanes", 4, NULL);
  four = predict (session, 1);
  g_assert_cmpuint (get (four, "device-bytes"), ==, needed + 3 * get (one, "lane-bytes"));
  assert_over_budget (session, get (two, "device-bytes") + get (one, "lane-bytes") - 1, words);
}

/* With lanes=auto there are as many as fit. */
static void
test_session_plan_lanes_fit_budget (void)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = new_session (SUM, &pipeline);
  g_autoptr (GVariant) all = predict (session, 1);
  guint64 most = get (all, "device-bytes"), lane = get (all, "lane-bytes");

  if (lane == 0)
    {
      g_test_skip ("where the device's memory is the host's, lanes take none of it");
      return;
    }
  g_assert_cmpuint (get (all, "lanes"), ==, 3);
  for (guint n = 1; n <= 3; n++)
    {
      g_autoptr (GVariant) fewer = NULL;
      g_autoptr (GError) error = NULL;

      g_object_set (session, "budget", most - (3 - n) * lane, NULL);
      fewer = predict (session, 1);
      g_assert_cmpuint (get (fewer, "lanes"), ==, n);
      g_assert_true (leat_session_open (session, NULL, &error));
      g_assert_no_error (error);
      leat_session_close (session);
    }
}

/* What comes after the opening is held to it too: a larger shape, and a batch, which takes fewer lanes at a time. */
static void
test_session_plan_budget_holds (void)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = new_session (MAP, &pipeline);
  g_autoptr (GVariant) plan = NULL;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GPtrArray) results = NULL;
  g_autoptr (GError) error = NULL;
  LeatNode *source = leat_pipeline_get_node (pipeline, "source", NULL);
  guint64 budget;

  g_object_set (session, "lanes", 1, NULL);
  plan = predict (session, 1);
  budget = 4 * get (plan, "device-bytes");
  if (budget == 0)
    {
      g_test_skip ("where the device's memory is the host's, it takes none of it");
      return;
    }
  g_object_set (session, "budget", budget, NULL);
  g_assert_true (leat_session_open (session, NULL, &error));
  g_assert_true (leat_node_set_from_string (source, "spec", "u32[1000000]", &error));
  g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  g_assert_nonnull (strstr (error->message, "session's budget"));
  g_clear_error (&error);
  push (pipeline, 1);
  g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  for (guint i = 0; i < 20; i++)
    g_ptr_array_add (inputs, g_bytes_new_take (g_malloc0 (BYTES), BYTES));
  g_assert_true (leat_session_replay_batch (session, 20, inputs, &results, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (results->len, ==, 20);
  leat_session_close (session);
}

/* The budget of the device is for all sessions, and holds whatever a session may take by its own. */
static void
test_session_plan_device_budget (void)
{
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
  guint64 before = leat_device_get_budget (device);
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = new_session (SUM, &pipeline);
  g_autoptr (GError) error = NULL;

  g_object_set (session, "budget", G_GUINT64_CONSTANT (1) << 30, NULL);
  leat_device_set_budget (device, 1024);
  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  leat_device_set_budget (device, before);
}

static void
test_session_plan_shared_constants (void)
{
  g_autoptr (LeatPipeline) first_pipeline = NULL, second_pipeline = NULL;
  g_autoptr (LeatSession) first = new_session (SUM, &first_pipeline), second = new_session (SUM, &second_pipeline);
  g_autoptr (GVariant) alone = predict (second, 1), shared = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (get (alone, "shared-bytes"), ==, 0);
  g_assert_true (leat_session_open (first, NULL, &error));
  shared = predict (second, 1);
  g_assert_cmpuint (get (shared, "shared-bytes"), ==, BYTES);
  g_assert_cmpuint (get (shared, "constant-bytes"), ==, 0);
  g_assert_cmpuint (get (shared, "device-bytes"), ==, get (alone, "device-bytes") - BYTES);
  g_assert_cmpuint (get (shared, "once-bytes"), ==, get (alone, "once-bytes") - BYTES);
  g_assert_true (leat_session_open (second, NULL, &error));
  leat_session_close (first);
  push (second_pipeline, 1);
  g_assert_cmpint (leat_session_replay (second, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  assert_report (second, "shared constants");
  leat_session_close (second);
}

/* What the plan cannot know is a bound, and marked. */
static void
test_session_plan_bounds (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) report = NULL, row = NULL;
  const char *relation;
  guint8 x[5] = { 0 };
  LeatView view;

  session_fixture_open (&fixture,
                        "app name=source spec=u8[<=4096] -> upload mode=kernel -> map expr=x+1 -> readback mode=kernel "
                        "-> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
  assert_report (fixture.session, "bounded data");
  report = leat_session_dup_accounting (fixture.session, &error);
  row = g_variant_get_child_value (report, 3);
  g_variant_get_child (row, 3, "&s", &relation);
  if (!leat_device_is_cpu (leat_session_get_device (fixture.session)))
    g_assert_cmpstr (relation, ==, "at-most");
  session_fixture_close (&fixture);

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_assert_true (leat_session_map_input (fixture.session, "source", &view, &error));
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  assert_report (fixture.session, "inputs that stay");
  session_fixture_close (&fixture);
}

/* What goes round may lie in the host's memory where that is the device's; the copies of iterations count as nothing,
 * on either side, however the loop is done. */
static void
test_session_plan_of_a_loop (void)
{
  static const LeatExecutor executors[] = { LEAT_EXECUTOR_GRAPH, LEAT_EXECUTOR_EAGER };
  static const guint iterations[] = { 3, 50 };
  guint8 x[5] = { 1, 2, 3, 4, 5 };

  for (guint i = 0; i < G_N_ELEMENTS (executors) * G_N_ELEMENTS (iterations); i++)
    {
      g_autofree char *text =
        g_strdup_printf ("l = loop max-iterations=%u carry=a:b {\n  in.a -> map expr=x*3 -> out.b\n}\n"
                         "app name=source spec=u8[<=4096] -> upload -> l.a\nl.b -> readback -> app name=sink\n",
                         iterations[i / 2]);
      SessionFixture fixture;

      session_fixture_open (&fixture, text, executors[i % 2]);
      for (guint n = 0; n < 3; n++)
        g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
      assert_report (fixture.session, text);
      session_fixture_close (&fixture);
    }
}

static void
test_session_plan_evicted (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *x = g_malloc0 (BYTES);
  g_autofree char *text = dup_text (SUM);

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < 3; i++)
    {
      g_bytes_unref (session_fixture_run (&fixture, x, BYTES));
      g_assert_true (leat_session_evict (fixture.session, NULL, &error));
      g_assert_cmpuint (session_fixture_get_count (&fixture, "device-bytes"), ==, 0);
      assert_report_but_for (fixture.session, "evicted", "shared-bytes");
    }
  session_fixture_close (&fixture);
}

/* On a GPU there are clocks for nodes. */
static void
test_session_plan_measured (void)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = new_session (SUM, &pipeline);
  g_autoptr (GError) error = NULL;

  g_object_set (session, "timing", LEAT_TIMING_NODES, NULL);
  g_assert_true (leat_session_open (session, NULL, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      push (pipeline, i);
      g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
    }
  assert_report (session, "measured");
  leat_session_close (session);
}

static void
test_session_plan_errors (void)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = new_session (MAP, &pipeline), other = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_session_dup_accounting (session, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  g_clear_error (&error);
  g_assert_true (leat_session_open (session, NULL, &error));
  other = leat_session_new (pipeline, NULL);
  g_assert_null (leat_session_predict (other, 1, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  g_clear_error (&error);
  push (pipeline, 1);
  g_assert_cmpint (leat_session_launch (session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_null (leat_session_predict (session, 1, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY);
  g_clear_error (&error);
  g_assert_cmpint (leat_session_complete (session, NULL, &error), ==, LEAT_FLOW_DATA);
  leat_session_close (session);
}

int
main (int argc, char **argv)
{
  g_autofree char *text = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  graphs = g_test_build_filename (G_TEST_DIST, "..", "graphs", NULL);
  folder = g_dir_make_tmp ("leat-test-XXXXXX", NULL);
  text = g_build_filename (folder, "in.txt", NULL);
  table = g_build_filename (folder, "table.bin", NULL);
  write_files (text);
  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    {
      g_autofree char *name = g_strconcat ("/leat/session-plan/examples/", examples[i].graph, NULL);

      g_test_add_data_func (name, &examples[i], test_session_plan_examples);
    }
  g_test_add_func ("/leat/session-plan/figures", test_session_plan_figures);
  g_test_add_func ("/leat/session-plan/refuses-over-budget", test_session_plan_refuses_over_budget);
  g_test_add_func ("/leat/session-plan/lanes-fit-budget", test_session_plan_lanes_fit_budget);
  g_test_add_func ("/leat/session-plan/budget-holds", test_session_plan_budget_holds);
  g_test_add_func ("/leat/session-plan/device-budget", test_session_plan_device_budget);
  g_test_add_func ("/leat/session-plan/shared-constants", test_session_plan_shared_constants);
  g_test_add_func ("/leat/session-plan/bounds", test_session_plan_bounds);
  g_test_add_func ("/leat/session-plan/of-a-loop", test_session_plan_of_a_loop);
  g_test_add_func ("/leat/session-plan/evicted", test_session_plan_evicted);
  g_test_add_func ("/leat/session-plan/measured", test_session_plan_measured);
  g_test_add_func ("/leat/session-plan/errors", test_session_plan_errors);
  status = g_test_run ();
  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    {
      g_autofree char *out = g_strconcat (folder, G_DIR_SEPARATOR_S "out", examples[i].suffix, NULL);

      g_unlink (out);
    }
  g_unlink (text);
  g_unlink (table);
  g_rmdir (folder);
  g_free (table);
  g_free (folder);
  g_free (graphs);
  return status;
}
