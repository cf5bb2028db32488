/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lanes-fixture.h"
#include "report-fixture.h"

/* What kernels report of one of many lanes: it fails alone, whether the lanes are in one launch or in several that are
 * under way. */

#define JUDGE   "kernel name=judge source=\"KERNELS\" entry=judge block=64"
#define MEET    "kernel name=meet source=\"KERNELS\" entry=meet block=64"
#define KINDS   "kernel name=kinds source=\"KERNELS\" entry=kinds grid=2 block=64"
#define ZED     "kernel name=zed source=\"KERNELS\" entry=zed block=64"
#define N_LANES 300
#define N_ITEMS 200

static const struct
{
  const char *name, *chain;
  gboolean spread, writes_nothing;
} chains[] = {
  { "judge", JUDGE, FALSE },           { "meet", MEET, FALSE }, { "kinds", KINDS, FALSE, TRUE },
  { "two", JUDGE " -> " MEET, FALSE }, { "spread", ZED, TRUE }, { "mixed", JUDGE " -> " ZED, TRUE },
};

/* Most lanes have nothing to tell of, some a warning, and some an error too. */
static GBytes *
make_lane (guint lane, guint round)
{
  guint n = 1 + (lane * 37) % N_ITEMS;
  gint32 x[N_ITEMS];

  for (guint i = 0; i < n; i++)
    x[i] = 100 + (gint32) (lane + i) % 800;
  if (lane % 60 == 7 + round)
    x[n / 2] = -(gint32) lane;
  if (lane % 60 == 7 + round)
    x[n - 1] = -5;
  if (lane % 90 == 7)
    x[0] = 1001 + (gint32) lane;
  return g_bytes_new (x, n * sizeof *x);
}

static GPtrArray *
make_lanes (guint round)
{
  GPtrArray *lanes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint lane = 0; lane < N_LANES; lane++)
    g_ptr_array_add (lanes, make_lane (lane, round));
  return lanes;
}

/* What a single run says of the same data. */
static void
check_lane (SessionFixture *single, SessionFixture *batch, guint which, guint lane, GBytes *input, GBytes *result)
{
  g_autoptr (GError) expected = NULL, error = leat_session_dup_entry_error (batch->session, lane);
  g_autoptr (GBytes) output = NULL;
  gsize size;
  gconstpointer data = g_bytes_get_data (input, &size);

  output = report_fixture_run (single, data, size / sizeof (gint32), &expected);
  g_assert_cmpint (error != NULL, ==, expected != NULL);
  g_assert_cmpint (result == NULL, ==, expected != NULL);
  if (expected != NULL)
    {
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
      g_assert_cmpstr (error->message, ==, expected->message);
    }
  else if (!chains[which].writes_nothing)
    g_assert_true (g_bytes_equal (result, output));
}

/* Each lane that had anything to report, with its number. */
static void
check_told (SessionFixture *batch, SessionFixture *single, GPtrArray *inputs, guint64 n_before)
{
  g_autoptr (GVariant) told = leat_session_dup_reports (batch->session);
  gsize k = 0;

  for (guint lane = 0; lane < N_LANES; lane++)
    {
      gsize size;
      const gint32 *x = g_bytes_get_data (g_ptr_array_index (inputs, lane), &size);
      guint64 reports = session_fixture_get_count (single, "reports");
      g_autoptr (GVariant) expected = NULL;

      g_bytes_unref (report_fixture_run (single, x, size / sizeof *x, NULL) ?: g_bytes_new (NULL, 0));
      if (session_fixture_get_count (single, "reports") == reports)
        continue;
      expected = leat_session_dup_reports (single->session);
      for (gsize i = 0; i < g_variant_n_children (expected); i++, k++)
        {
          g_autoptr (GVariant) is = g_variant_get_child_value (told, k);
          g_autoptr (GVariant) must = g_variant_get_child_value (expected, i);
          static const char *const fields[] = { "node", "code", "severity", "count", "index", "value", "records" };
          guint of = G_MAXUINT;
          guint64 run = 0;

          g_assert_true (g_variant_lookup (is, "entry", "u", &of));
          g_assert_cmpuint (of, ==, lane);
          g_assert_true (g_variant_lookup (is, "run", "t", &run));
          g_assert_cmpuint (run, ==, n_before + lane + 1);
          for (guint f = 0; f < G_N_ELEMENTS (fields); f++)
            {
              g_autoptr (GVariant) a = g_variant_lookup_value (is, fields[f], NULL);
              g_autoptr (GVariant) b = g_variant_lookup_value (must, fields[f], NULL);

              g_assert_true (g_variant_equal (a, b));
            }
        }
    }
  g_assert_cmpuint (k, ==, g_variant_n_children (told));
}

static void
test_batch (gconstpointer index)
{
  guint which = GPOINTER_TO_UINT (index);
  SessionFixture batch, single;
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *text = NULL;

  report_fixture_open (&batch, chains[which].chain, LEAT_EXECUTOR_GRAPH);
  report_fixture_open (&single, chains[which].chain, LEAT_EXECUTOR_GRAPH);
  g_object_set (batch.session, "batch", 64, NULL);
  plan = leat_session_get_batch_plan (batch.session, NULL);
  text = leat_plan_to_text (plan);
  g_assert_cmpint (strstr (text, "it uses the grid's z") != NULL, ==, chains[which].spread);
  g_assert_null (LEAT_BOUND_PLAN (plan)->why_in_turn);
  g_clear_object (&plan);
  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (GPtrArray) inputs = make_lanes (round), results = NULL;
      g_autoptr (GError) error = NULL;

      leat_session_replay_batch (batch.session, N_LANES, inputs, &results, NULL, &error);
      g_assert_no_error (error);
      for (guint lane = 0; lane < N_LANES; lane++)
        check_lane (&single, &batch, which, lane, g_ptr_array_index (inputs, lane), g_ptr_array_index (results, lane));
      check_told (&batch, &single, inputs, round * N_LANES);
      g_assert_cmpuint (report_fixture_count_warnings (&batch), <=, 17);
    }
  g_assert_cmpuint (session_fixture_get_count (&batch, "batch-entries"), ==, 3 * N_LANES);
  report_fixture_count_warnings (&single);
  session_fixture_close (&batch);
  session_fixture_close (&single);
}

static const char judge_text[] = "LEAT_REPORT (BAD = 1, error, \"a multiple of 5\")\n"
                                 "__global__ void judge (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
                                 "{\n  GRID_FOR (i, x_count)\n    {\n      if (i == 0 && x[i] % 5 == 3)\n"
                                 "        leat_report_at (BAD, i, x[i]);\n      y[i] = x[i];\n    }\n}\n";

/* Of the errors those that are told on the bus. @runs: a bit for each run that they are of */
static guint
stream_count_told (Lanes *self, guint32 *runs)
{
  LeatMessage *message;
  guint n = 0;

  while ((message = leat_bus_pop (leat_pipeline_get_bus (self->pipeline), 0)) != NULL)
    {
      GVariant *details = leat_message_get_details (message);
      const char *severity = "";
      guint64 run = 0;

      if (leat_message_get_kind (message) == LEAT_MESSAGE_WARNING
          || leat_message_get_kind (message) == LEAT_MESSAGE_ERROR)
        {
          g_assert_error (leat_message_get_error (message), LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
          g_assert_true (g_variant_lookup (details, "severity", "&s", &severity));
          g_assert_cmpstr (severity, ==, "error");
          g_assert_true (g_variant_lookup (details, "run", "t", &run));
          g_assert_cmpuint (run, <, 32);
          *runs |= 1u << run;
          n++;
        }
      leat_message_unref (message);
    }
  return n;
}

/* Runs whose data are at fault have no results, all others do, and the session goes on behind them. */
static void
test_stream (gconstpointer data)
{
  guint lanes = GPOINTER_TO_UINT (data), n_calls = 0, k = 0;
  guint32 runs = 0;
  gboolean done = FALSE;
  Lanes self;

  lanes_set_up_kernel (&self, lanes, judge_text, "judge", FALSE);
  self.source->n = 24;
  while (!done)
    {
      g_autoptr (GError) error = NULL;

      done = leat_session_run (self.session, NULL, &error);
      if (!done)
        {
          g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
          g_assert_true (g_str_has_prefix (error->message, "run "));
          g_assert_cmpuint (++n_calls, <=, 5);
        }
    }
  g_assert_cmpuint (stream_count_told (&self, &runs), ==, 5);
  g_assert_cmphex (runs, ==, 1 << 4 | 1 << 9 | 1 << 14 | 1 << 19 | 1 << 24);
  g_assert_cmpuint (self.sink->got->len, ==, 24 - 5);
  for (guint i = 0; i < 24; i++)
    if (i % 5 != 3)
      g_assert_cmpuint (g_array_index (self.sink->got, guint32, k++), ==, i);
  lanes_tear_down (&self);
}

/* FALSE: the source had not been asked for more when the data were found to be at fault. */
static gboolean
stream_waits (void)
{
  g_autoptr (GError) error = NULL;
  gboolean waited;
  Lanes self;

  lanes_set_up_kernel (&self, 4, judge_text, "judge", FALSE);
  self.source->n = 24;
  self.source->fails_at = 4;
  self.source->hangs = TRUE;
  g_assert_false (leat_session_run (self.session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  g_assert_cmpuint (self.sink->got->len, ==, 3);
  g_clear_error (&error);
  waited = self.source->unblocked;
  self.source->unblocked = TRUE;
  g_assert_false (leat_session_run (self.session, NULL, &error));
  g_assert_true (g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED) == waited);
  lanes_tear_down (&self);
  return waited;
}

/* A source that has no more data for now is called off after a while, and then its data are missing. */
static void
test_stream_waits (void)
{
  guint tries = 0;

  while (!stream_waits ())
    g_assert_cmpuint (++tries, <, 100);
}

/* What is on the bus: who says what of what. (transfer full) */
static GPtrArray *
take_messages (SessionFixture *fixture)
{
  GPtrArray *messages = g_ptr_array_new_with_free_func (g_free);

  for (;;)
    {
      g_autoptr (LeatMessage) message = leat_bus_pop (leat_pipeline_get_bus (fixture->pipeline), 0);
      g_autofree char *details = NULL;

      if (message == NULL)
        return messages;
      g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_WARNING);
      details = g_variant_print (leat_message_get_details (message), FALSE);
      g_ptr_array_add (messages, g_strdup_printf ("%s: %s %s", leat_message_get_source (message),
                                                  leat_message_get_error (message)->message, details));
    }
}

/* Lanes that depend on each other are run in turn, and then the same is told of them. */
static void
test_in_turn (gconstpointer n_lanes)
{
  static const char beside[] =
    "app name=source spec=i32[<=4096] -> upload mode=copy -> " JUDGE " -> readback -> app name=sink\n"
    "n = state spec=u32[1]\n"
    "k = map inputs=x expr=x+1\n"
    "l = map inputs=x expr=x*2\n"
    "n -> k.x\n"
    "k -> l.x\n"
    "l -> n\n";
  const guint n = GPOINTER_TO_UINT (n_lanes);
  SessionFixture together, turns;
  g_autoptr (LeatPlan) plan = NULL;

  report_fixture_open (&together, JUDGE, LEAT_EXECUTOR_GRAPH);
  report_fixture_open_text (&turns, beside, LEAT_EXECUTOR_GRAPH);
  plan = leat_session_get_batch_plan (turns.session, NULL);
  g_assert_nonnull (LEAT_BOUND_PLAN (plan)->why_in_turn);
  g_clear_object (&plan);
  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (GPtrArray) inputs = make_lanes (round), first = NULL, second = NULL, told = NULL, said = NULL;
      g_autoptr (GVariant) reports = NULL, expected = NULL;
      g_autoptr (GError) error = NULL;

      g_ptr_array_set_size (inputs, (gint) n);
      leat_session_replay_batch (together.session, n, inputs, &first, NULL, &error);
      g_assert_no_error (error);
      leat_session_replay_batch (turns.session, n, inputs, &second, NULL, &error);
      g_assert_no_error (error);
      told = take_messages (&together);
      said = take_messages (&turns);
      g_assert_cmpuint (said->len, >, 0);
      g_assert_cmpuint (said->len, ==, told->len);
      for (guint i = 0; i < told->len; i++)
        g_assert_cmpstr (said->pdata[i], ==, told->pdata[i]);
      expected = leat_session_dup_reports (together.session);
      reports = leat_session_dup_reports (turns.session);
      g_assert_true (g_variant_equal (reports, expected));
      for (guint lane = 0; lane < n; lane++)
        g_assert_cmpint (g_ptr_array_index (second, lane) == NULL, ==, g_ptr_array_index (first, lane) == NULL);
    }
  g_assert_cmpuint (session_fixture_get_count (&turns, "batch-entries"), ==, 0);
  session_fixture_close (&together);
  session_fixture_close (&turns);
}

/* With a memo, lanes with equal inputs need be done once; not where anything is reported of them, in the next batch
 * either. */
static void
test_equal_lanes (void)
{
  static const gint32 items[] = { 5, 2000, 6, 2000, -3, 5, 2000, -3 };
  SessionFixture fixture;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GError) error = NULL;

  report_fixture_open (&fixture, JUDGE, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "memo", LEAT_MEMO_EXACT, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    g_ptr_array_add (inputs, g_bytes_new_static (&items[i], sizeof *items));
  for (guint batch = 1; batch <= 3; batch++)
    {
      g_autoptr (GPtrArray) results = NULL;

      leat_session_replay_batch (fixture.session, G_N_ELEMENTS (items), inputs, &results, NULL, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < G_N_ELEMENTS (items); i++)
        {
          GBytes *result = g_ptr_array_index (results, i);

          g_assert_true ((result == NULL) == (items[i] < 0));
          if (result != NULL)
            g_assert_cmpint (*(const gint32 *) g_bytes_get_data (result, NULL), ==, items[i] + 1);
        }
      g_assert_cmpuint (session_fixture_get_count (&fixture, "reports"), ==, 5 * batch);
    }
  session_fixture_close (&fixture);
}

/* A lane that had too little room is done once more; what is reported of it then is so of the lanes that are equal to
 * it. */
static void
test_equal_to_a_short_one (void)
{
  static const gint32 items[] = { 2000, 20, 30, 40, 50 };
  const guint n = 4;
  SessionFixture fixture;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GPtrArray) results = NULL;
  g_autoptr (GError) error = NULL;

  report_fixture_open_text (
    &fixture,
    "app name=source spec=i32[<=100] -> upload mode=copy -> " JUDGE
    " -> compact where=x>9 out=i32[<=2] on-overflow=grow -> readback mode=copy -> app name=sink\n",
    LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "memo", LEAT_MEMO_EXACT, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < n; lane++)
    g_ptr_array_add (inputs, g_bytes_new_static (items, sizeof items));
  leat_session_replay_batch (fixture.session, n, inputs, &results, NULL, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < n; lane++)
    for (guint i = 0; i < G_N_ELEMENTS (items); i++)
      {
        gsize size;
        const gint32 *found = g_bytes_get_data (g_ptr_array_index (results, lane), &size);

        g_assert_cmpuint (size, ==, sizeof items);
        g_assert_cmpint (found[i], ==, items[i] + 1);
      }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "reports"), ==, n);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  report_fixture_init ();
  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    {
      g_autofree char *name = g_strdup_printf ("/session/lane-reports/batch/%s", chains[i].name);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_batch);
    }
  g_test_add_data_func ("/session/lane-reports/in-turn/few", GUINT_TO_POINTER (12), test_in_turn);
  g_test_add_data_func ("/session/lane-reports/in-turn/more-than-is-posted", GUINT_TO_POINTER (N_LANES), test_in_turn);
  for (guint lanes = 1; lanes <= 5; lanes++)
    {
      g_autofree char *name = g_strdup_printf ("/session/lane-reports/stream/%u", lanes);

      g_test_add_data_func (name, GUINT_TO_POINTER (lanes), test_stream);
    }
  for (guint lanes = 2; lanes <= 32; lanes *= 4)
    {
      g_autofree char *name = g_strdup_printf ("/session/lane-reports/stream/wide-%u", lanes);

      g_test_add_data_func (name, GUINT_TO_POINTER (LANES_WIDE + lanes), test_stream);
    }
  g_test_add_func ("/session/lane-reports/equal-lanes", test_equal_lanes);
  g_test_add_func ("/session/lane-reports/equal-to-a-short-one", test_equal_to_a_short_one);
  g_test_add_func ("/session/lane-reports/stream/waits", test_stream_waits);
  status = g_test_run ();
  report_fixture_clear ();
  return status;
}
