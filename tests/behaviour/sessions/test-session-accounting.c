/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"

#include "bind/leat-bound-plan-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* What plans say of runs against what the driver's side counts of them: whatever runs are, and from the first on. */

#define MOST_RUNS 16

/* A pipeline from app "source" to app "sink", of u8[100] unless it says otherwise. */
typedef struct
{
  const char *name, *text;
} Pipeline;

#define MAP "app name=source spec=u8[100] -> upload mode=copy -> map expr=x+1 -> readback mode=copy -> app name=sink\n"

static const Pipeline pipelines[] = {
  { "copies", MAP },
  { "kernels",
    "app name=source spec=u8[100] -> upload mode=kernel -> map expr=x+1 -> readback mode=kernel -> app name=sink\n" },
  { "measured", "app name=source spec=u8[100] -> upload -> map expr=x+1 -> readback -> app name=sink\n" },
  /* Counts are copied by themselves, for each lane. */
  { "bounded", "app name=source spec=u8[<=100] -> upload mode=copy -> map expr=x+1 -> map expr=x*2 -> "
               "readback mode=copy -> app name=sink\n" },
  /* Has counters that stay, and shared memory. */
  { "marks", "app name=source spec=u8[<=100] -> upload -> compact where=\"x < 100\" -> readback -> app name=sink\n" },
  { "state", "s = state spec=u8[100]\nm = map inputs=x,s expr=x+s\n"
             "app name=source spec=u8[100] -> upload mode=copy -> m.x\ns -> m.s\nm -> s\n"
             "m -> readback mode=copy -> app name=sink\n" },
  { "loop", "l = loop max-iterations=3 method=host carry=x:y {\n  in.x -> map expr=x+1 -> out.y\n}\n"
            "app name=source spec=u8[100] -> upload mode=copy -> l.x\nl.y -> readback mode=copy -> app name=sink\n" },
};

typedef struct
{
  const char *name;
  LeatExecutor executor;
  guint batch; /* lanes of a launch; 0: runs are by themselves */
  guint lanes;
} Way;

static const Way ways[] = {
  { "graph", LEAT_EXECUTOR_GRAPH, 0, 1 },
  { "eager", LEAT_EXECUTOR_EAGER, 0, 1 },
  { "auto", LEAT_EXECUTOR_AUTO, 0, 1 },
  { "resident", LEAT_EXECUTOR_PERSISTENT_AUTO, 0, 1 },
  { "batch", LEAT_EXECUTOR_GRAPH, 4, 1 },
  { "batch-eager", LEAT_EXECUTOR_EAGER, 4, 1 },
  { "batch-resident", LEAT_EXECUTOR_PERSISTENT_AUTO, 2, 1 },
};

static guint64
get (GVariant *from, const char *name)
{
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (from, name, "t", &value));
  return value;
}

static void
run_batch (SessionFixture *fixture, guint n)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  guint8 x[100] = { 1, 2, 3 };
  g_autoptr (GPtrArray) results = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
  leat_session_replay_batch (fixture->session, n, inputs, &results, NULL, &error);
  g_assert_no_error (error);
}

static void
run (SessionFixture *fixture, const Way *way, guint n)
{
  guint8 x[100] = { 1, 2, 3 };

  if (way->batch > 0)
    {
      run_batch (fixture, n);
      return;
    }
  for (guint i = 0; i < n; i++)
    g_bytes_unref (session_fixture_run (fixture, x, sizeof x));
}

/* What is counted of so many runs is by how much what was predicted has grown. */
static void
check_runs (SessionFixture *fixture, const Way *way, guint n)
{
  static const char *const same[] = { "kernels", "copies", "fills", "early-starts", "graph-launches", "waits" };
  g_autoptr (GVariant) before = leat_session_dup_predicted (fixture->session), after = NULL, counts = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_session_start_counting (fixture->session, &error));
  g_assert_no_error (error);
  run (fixture, way, n);
  counts = leat_session_stop_counting (fixture->session, &error);
  g_assert_no_error (error);
  after = leat_session_dup_predicted (fixture->session);
  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    {
      guint64 predicted = get (after, same[i]) - get (before, same[i]), counted = get (counts, same[i]);

      if (predicted != counted)
        g_test_fail_printf ("%s of %u runs: predicted %" G_GUINT64_FORMAT ", counted %" G_GUINT64_FORMAT, same[i], n,
                            predicted, counted);
    }
  g_assert_cmpuint (get (counts, "waits"), >, 0);
}

static void
books_open (SessionFixture *fixture, const char *text, const Way *way)
{
  g_autofree char *whole = g_strconcat ("leat 1\n", text, NULL);
  g_autoptr (GError) error = NULL;

  memset (fixture, 0, sizeof *fixture);
  fixture->pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  fixture->source = LEAT_APP (leat_pipeline_get_node (fixture->pipeline, "source", NULL));
  fixture->sink = LEAT_APP (leat_pipeline_get_node (fixture->pipeline, "sink", NULL));
  fixture->session = leat_session_new (fixture->pipeline, NULL);
  g_object_set (fixture->session, "executor", way->executor, "batch", way->batch, "lanes", way->lanes, NULL);
  leat_session_open (fixture->session, NULL, &error);
  g_assert_no_error (error);
}

/* The first run tries out how data go best; later ones may be on inputs that are there, or a launch for few. */
static void
test_books_predict_what_is_counted (gconstpointer data)
{
  const Pipeline *pipeline = data;

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      SessionFixture fixture;

      g_test_message ("%s", ways[i].name);
      books_open (&fixture, pipeline->text, &ways[i]);
      check_runs (&fixture, &ways[i], 1);
      check_runs (&fixture, &ways[i], 3);
      check_runs (&fixture, &ways[i], 9);
      session_fixture_close (&fixture);
    }
}

/* By hand: an upload, a kernel and a readback for each launch of four. */
static void
test_books_of_a_batch (void)
{
  SessionFixture fixture;
  g_autoptr (GVariant) counts = NULL;
  g_autoptr (GError) error = NULL;

  books_open (&fixture, MAP, &ways[4]);
  run_batch (&fixture, 4);
  g_assert_true (leat_session_start_counting (fixture.session, &error));
  run_batch (&fixture, 8);
  counts = leat_session_stop_counting (fixture.session, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (get (counts, "kernels"), ==, 2);
  g_assert_cmpuint (get (counts, "uploads"), ==, 2);
  g_assert_cmpuint (get (counts, "readbacks"), ==, 2);
  g_assert_cmpuint (get (counts, "graph-launches"), ==, 2);
  g_assert_cmpuint (get (counts, "waits"), ==, 2);
  session_fixture_close (&fixture);
}

/* One copy takes all lanes with what lies between them, and nothing behind the last. */
static void
test_books_of_bytes_between_lanes (void)
{
  SessionFixture fixture;
  g_autoptr (LeatPlan) plan = NULL;
  g_autoptr (GVariant) predicted = NULL;
  g_autoptr (GError) error = NULL;
  guint64 up, back, stride;

  books_open (&fixture, MAP, &ways[4]);
  run_batch (&fixture, 4);
  up = session_fixture_get_count (&fixture, "bytes-up");
  back = session_fixture_get_count (&fixture, "bytes-back");
  run_batch (&fixture, 4);
  up = session_fixture_get_count (&fixture, "bytes-up") - up;
  back = session_fixture_get_count (&fixture, "bytes-back") - back;
  plan = leat_session_get_batch_plan (fixture.session, &error);
  g_assert_no_error (error);
  predicted = leat_plan_dup_prediction (plan);
  stride = LEAT_BOUND_BUFFER (leat_plan_get_buffer (plan, 0))->stride;
  g_assert_cmpuint (stride, >, 100);
  g_assert_cmpuint (up, ==, 3 * stride + 100);
  g_assert_cmpuint (back, ==, up);
  g_assert_cmpuint (get (predicted, "upload-bytes"), ==, up);
  g_assert_cmpuint (get (predicted, "readback-bytes"), ==, back);
  g_clear_object (&plan);
  session_fixture_close (&fixture);
}

/* What a result is brought back from is overwritten in the same run, which does not wait for the other result: it goes
 * by itself. */
static void
test_books_of_a_readback_that_is_waited_for (void)
{
  SessionFixture fixture;
  g_autoptr (LeatPlan) plan = NULL;
  g_autoptr (GVariant) predicted = NULL;
  guint32 was[64] = { 0 }, x[64];
  LeatApp *before;

  session_fixture_open (&fixture,
                        "s = state spec=u32[64]\nm = map inputs=x,s expr=x+s\n"
                        "app name=source spec=u32[64] -> upload mode=copy -> m.x\ns -> m.s\nm -> s\n"
                        "s -> readback mode=kernel -> app name=before\n"
                        "m -> readback mode=kernel -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  plan = leat_session_dup_plan (fixture.session);
  predicted = leat_plan_dup_prediction (plan);
  g_assert_cmpuint (get (predicted, "kernels"), ==, 1 + 2);
  before = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "before", NULL));
  for (guint run_ = 0; run_ < 3; run_++)
    {
      g_autoptr (GBytes) after = NULL, found = NULL;

      for (guint i = 0; i < 64; i++)
        x[i] = i + run_;
      after = session_fixture_run (&fixture, x, sizeof x);
      found = leat_app_pull_bytes (before, 0, NULL);
      g_assert_nonnull (found);
      g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), was, sizeof was);
      for (guint i = 0; i < 64; i++)
        was[i] += x[i];
      g_assert_cmpmem (g_bytes_get_data (after, NULL), g_bytes_get_size (after), was, sizeof was);
    }
  g_clear_object (&plan);
  session_fixture_close (&fixture);
}

static double
sum_durations (const char *trace, const char *name)
{
  g_autofree char *pattern = g_strdup_printf ("\"name\":\"%s\"[^}]*\"dur\":([0-9.]+)", name);
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  double sum = 0;

  for (g_regex_match (regex, trace, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *number = g_match_info_fetch (match, 1);

      sum += g_ascii_strtod (number, NULL);
    }
  return sum;
}

/* The means that are told are those of what the trace has of each run. */
static void
test_books_of_times (void)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-books-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "trace.json", NULL), *trace = NULL;
  static const char *const names[] = { "wait" };
  g_autoptr (GVariant) times = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  guint8 x[100] = { 0 };

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "timing", LEAT_TIMING_NODES, "trace", path, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < MOST_RUNS; i++)
    g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
  times = leat_session_dup_times (fixture.session);
  session_fixture_close (&fixture);
  g_assert_true (g_file_get_contents (path, &trace, NULL, NULL));
  g_assert_cmpuint (get (times, "samples"), ==, MOST_RUNS);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *name = g_strdup_printf ("%s-us", names[i]);
      double mean = -1;

      g_assert_true (g_variant_lookup (times, name, "d", &mean));
      g_assert_cmpfloat (sum_durations (trace, names[i]), >, 0);
      g_assert_cmpfloat_with_epsilon (mean * MOST_RUNS, sum_durations (trace, names[i]), 0.01 * MOST_RUNS);
    }
  g_unlink (path);
  g_rmdir (folder);
}

static void
check_report (LeatSession *session)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) report = leat_session_dup_accounting (session, &error);
  const char *name, *relation;
  guint64 planned, counted;
  GVariantIter iter;

  g_assert_no_error (error);
  g_variant_iter_init (&iter, report);
  while (g_variant_iter_next (&iter, "(&stt&s)", &name, &planned, &counted, &relation))
    if ((g_str_equal (relation, "equal") && planned != counted)
        || (g_str_equal (relation, "at-most") && counted > planned)
        || (g_str_equal (relation, "at-least") && counted < planned))
      g_test_fail_printf ("%s: planned %" G_GUINT64_FORMAT ", counted %" G_GUINT64_FORMAT ", %s", name, planned,
                          counted, relation);
}

/* Also of what a persistent kernel copies by itself. */
static void
test_books_report (gconstpointer data)
{
  const Pipeline *pipeline = data;

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      SessionFixture fixture;

      g_test_message ("%s", ways[i].name);
      books_open (&fixture, pipeline->text, &ways[i]);
      run (&fixture, &ways[i], 5);
      check_report (fixture.session);
      session_fixture_close (&fixture);
    }
}

/* A persistent kernel copies, and its copies count. */
static void
test_books_of_copies_that_stay (void)
{
  SessionFixture fixture;

  books_open (&fixture, MAP, &ways[3]);
  run (&fixture, &ways[3], 5);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "persistent-runs"), ==, 5);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "bytes-up"), ==, 500);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "bytes-back"), ==, 500);
  session_fixture_close (&fixture);
}

static gpointer
come_and_go (gpointer text)
{
  for (guint i = 0; i < 15; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
      g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);

      leat_session_open (session, NULL, &error);
      g_assert_no_error (error);
      check_report (session);
      leat_session_close (session);
    }
  return NULL;
}

/* Whether a constant is on the device already is another thing from one moment to the next. */
static void
test_books_while_others_come_and_go (void)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-books-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "table.bin", NULL);
  g_autofree char *text =
    g_strdup_printf ("leat 1\nt = const path=\"%s\" spec=u8[4096]\nm = map inputs=x,t expr=x+t\n"
                     "app name=source spec=u8[4096] -> upload -> m.x\nt -> m.t\nm -> readback -> app name=sink\n",
                     path);
  g_autofree guint8 *table = g_malloc0 (4096);
  GThread *threads[3];

  g_assert_true (g_file_set_contents (path, (const char *) table, 4096, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("session", come_and_go, text);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_unlink (path);
  g_rmdir (folder);
}

static LeatMessage *
find_cap (LeatPipeline *pipeline, guint *n)
{
  LeatMessage *found = NULL, *message;

  while ((message = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0)) != NULL)
    {
      const GError *error = leat_message_get_error (message);

      if (error != NULL && strstr (error->message, "was not met") != NULL)
        {
          *n += 1;
          g_clear_pointer (&found, leat_message_unref);
          found = g_steal_pointer (&message);
        }
      g_clear_pointer (&message, leat_message_unref);
    }
  return found;
}

/* A loop that comes to its cap says what it looked at last, once. */
static void
test_books_of_a_loop_at_its_cap (gconstpointer who)
{
  g_autofree char *text = g_strdup_printf (
    "l = loop until=\"t >= limit\" limit=40 max-iterations=3 carry=x:y method=%s {\n  m = map expr=x+1\n"
    "  in.x -> m -> out.y\n  m -> reduce op=max -> out.t\n}\n"
    "app name=source spec=u32[10] -> upload -> l.x\nl.y -> readback -> app name=sink\n",
    (const char *) who);
  static const guint32 begins[] = { 39, 5, 5 };
  SessionFixture fixture;
  guint n = 0;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  for (guint r = 0; r < G_N_ELEMENTS (begins); r++)
    {
      guint32 x[10];
      LeatMessage *message;

      for (guint i = 0; i < 10; i++)
        x[i] = begins[r];
      g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
      message = find_cap (fixture.pipeline, &n);
      g_assert_cmpuint (n, ==, r == 0 ? 0 : 1);
      if (r == 1)
        g_assert_nonnull (strstr (leat_message_get_error (message)->message,
                                  "loop \"l\" ended at max-iterations=3 and until=\"t >= limit\" was not met: t=8 "
                                  "limit=40"));
      g_clear_pointer (&message, leat_message_unref);
    }
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  static const char *const executors[] = { "while", "host", "fused" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++)
    {
      g_autofree char *counted = g_strdup_printf ("/leat/session/books/predict-what-is-counted/%s", pipelines[i].name);
      g_autofree char *report = g_strdup_printf ("/leat/session/books/report/%s", pipelines[i].name);

      g_test_add_data_func (counted, &pipelines[i], test_books_predict_what_is_counted);
      g_test_add_data_func (report, &pipelines[i], test_books_report);
    }
  for (guint i = 0; i < G_N_ELEMENTS (executors); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/session/books/of-a-loop-at-its-cap/%s", executors[i]);

      g_test_add_data_func (path, executors[i], test_books_of_a_loop_at_its_cap);
    }
  g_test_add_func ("/leat/session/books/of-a-batch", test_books_of_a_batch);
  g_test_add_func ("/leat/session/books/of-bytes-between-lanes", test_books_of_bytes_between_lanes);
  g_test_add_func ("/leat/session/books/of-a-readback-that-is-waited-for", test_books_of_a_readback_that_is_waited_for);
  g_test_add_func ("/leat/session/books/of-times", test_books_of_times);
  g_test_add_func ("/leat/session/books/of-copies-that-stay", test_books_of_copies_that_stay);
  g_test_add_func ("/leat/session/books/while-others-come-and-go", test_books_while_others_come_and_go);
  return g_test_run ();
}
