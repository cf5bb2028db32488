/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Bytes in, one kernel (2x + 1), bytes out: from what the application has written into the input's memory to what it
 * reads in the output's. */

#include "leat-bench-subject.h"

#define SETTLE  50
#define N_KNOWN 8 /* inputs that come again and again */

static const LeatBenchRule leat_bench_axpb = { 2, 1 };

static char *
leat_bench_write_round_trip (const LeatBench *bench, const LeatBenchCase *kind)
{
  return g_strdup_printf ("leat 1\n"
                          "app name=source spec=f32[%" G_GSIZE_FORMAT ",4] -> upload mode=%s -> kernel source=\"%s\" "
                          "entry=axpb a=2 b=1 block=128 -> readback mode=%s -> app name=sink\n",
                          kind->bytes / 16, kind->mode, bench->kernels, kind->mode);
}

static gboolean
leat_bench_time_round_trip (LeatBenchSubject *subject, LeatBenchSeries *times, GError **error)
{
  for (guint round = 0; round < SETTLE + times->most; round++)
    {
      double us;

      leat_bench_subject_stir (subject, round);
      us = leat_bench_subject_replay (subject, TRUE, error);
      if (us < 0 || !leat_bench_subject_check (subject, round, &leat_bench_axpb, error))
        return FALSE;
      if (round >= SETTLE)
        leat_bench_series_add (times, us);
    }
  return TRUE;
}

/* The trials that Leat chose from, with times in microseconds. */
static void
leat_bench_tell_trials (LeatBench *bench, LeatBenchSubject *subject)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (subject->session);
  g_autoptr (GVariant) trials = g_variant_lookup_value (stats, "trials", G_VARIANT_TYPE ("a(sd)"));

  if (g_variant_n_children (trials) == 0)
    leat_bench_report_add_note (bench->report, "no trials: nothing to choose, or known from an earlier session");
  for (gsize i = 0; i < g_variant_n_children (trials); i++)
    {
      g_autofree char *text = NULL;
      const char *ways;
      double us;

      g_variant_get_child (trials, i, "(&sd)", &ways, &us);
      text = g_strdup_printf ("trial %s: %.3f us", ways, us);
      leat_bench_report_add_note (bench->report, text);
    }
}

static gboolean
leat_bench_run_round_trip (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autofree char *text = leat_bench_write_round_trip (bench, kind);
  g_auto (LeatBenchSubject) subject = { 0 };
  g_auto (LeatBenchSeries) times = { 0 };

  leat_bench_series_init (&times, leat_bench_case_get_runs (kind, bench));
  if (!leat_bench_subject_open (&subject, bench, text, error, "memo", LEAT_MEMO_OFF, NULL)
      || !leat_bench_subject_try (&subject, &leat_bench_axpb, error)
      || !leat_bench_time_round_trip (&subject, &times, error))
    return FALSE;
  leat_bench_report_add_times (bench->report, "replay", &times);
  if (bench->trials)
    leat_bench_tell_trials (bench, &subject);
  return TRUE;
}

/* The input stays what the last full run was given, another one each time the clock is not looked at. */
static gboolean
leat_bench_time_reused (LeatBenchSubject *subject, LeatBenchSeries *times, GError **error)
{
  for (guint round = 0; round < times->most; round++)
    {
      double us;

      leat_bench_subject_stir (subject, round);
      if (leat_bench_subject_replay (subject, TRUE, error) < 0)
        return FALSE;
      us = leat_bench_subject_replay (subject, FALSE, error);
      if (us < 0 || !leat_bench_subject_check (subject, round, &leat_bench_axpb, error))
        return FALSE;
      leat_bench_series_add (times, us);
    }
  return TRUE;
}

static gboolean
leat_bench_run_reused (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autofree char *text = leat_bench_write_round_trip (bench, kind);
  g_auto (LeatBenchSubject) subject = { 0 };
  g_auto (LeatBenchSeries) settle = { 0 }, times = { 0 };
  guint64 before;

  leat_bench_series_init (&settle, 5);
  leat_bench_series_init (&times, leat_bench_case_get_runs (kind, bench));
  if (!leat_bench_subject_open (&subject, bench, text, error, "memo", LEAT_MEMO_OFF, NULL)
      || !leat_bench_subject_try (&subject, &leat_bench_axpb, error)
      || !leat_bench_time_reused (&subject, &settle, error))
    return FALSE;
  before = leat_bench_subject_get_stat (&subject, "runs-reused");
  if (!leat_bench_time_reused (&subject, &times, error))
    return FALSE;
  if (leat_bench_subject_get_stat (&subject, "runs-reused") - before < times.n)
    leat_bench_report_add_note (bench->report, "the session did not leave the uploads out, so there is no figure");
  else
    leat_bench_report_add_times (bench->report, "replay", &times);
  return TRUE;
}

static gboolean
leat_bench_time_known (LeatBenchSubject *subject, LeatBenchSeries *times, GError **error)
{
  for (guint round = 0; round < times->most; round++)
    {
      guint known = round % N_KNOWN;
      double us;

      leat_bench_subject_stir (subject, known);
      us = leat_bench_subject_replay (subject, TRUE, error);
      if (us < 0 || !leat_bench_subject_check (subject, known, &leat_bench_axpb, error))
        return FALSE;
      leat_bench_series_add (times, us);
    }
  return TRUE;
}

static gboolean
leat_bench_run_known (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autofree char *text = leat_bench_write_round_trip (bench, kind);
  g_auto (LeatBenchSubject) subject = { 0 };
  g_auto (LeatBenchSeries) settle = { 0 }, times = { 0 };
  guint64 before;

  leat_bench_series_init (&settle, 2 * N_KNOWN);
  leat_bench_series_init (&times, leat_bench_case_get_runs (kind, bench));
  if (!leat_bench_subject_open (&subject, bench, text, error, "memo", LEAT_MEMO_EXACT, NULL)
      || !leat_bench_subject_try (&subject, &leat_bench_axpb, error))
    return FALSE;
  subject.step = 1; /* all numbers, so that the inputs differ */
  if (!leat_bench_time_known (&subject, &settle, error))
    return FALSE;
  before = leat_bench_subject_get_stat (&subject, "memo-hits");
  if (!leat_bench_time_known (&subject, &times, error))
    return FALSE;
  if (leat_bench_subject_get_stat (&subject, "memo-hits") - before < times.n)
    leat_bench_report_add_note (bench->report, "the memo did not pay here and was turned off, so there is no figure");
  else
    leat_bench_report_add_times (bench->report, "replay", &times);
  return TRUE;
}

/* Through the queues of the app nodes: every byte is copied once more on each side. */
static gboolean
leat_bench_time_queue (LeatPipeline *pipeline, LeatSession *session, gsize bytes, LeatBenchSeries *times,
                       GError **error)
{
  LeatApp *source = LEAT_APP (leat_pipeline_get_node (pipeline, "source", error));
  LeatApp *sink = LEAT_APP (leat_pipeline_get_node (pipeline, "sink", error));
  g_autofree float *x = g_new0 (float, bytes / sizeof (float));

  for (guint round = 0; round < SETTLE + times->most; round++)
    {
      gsize changed = round % (bytes / sizeof (float));
      g_autoptr (GBytes) input = NULL, output = NULL;
      double begin;

      x[changed] = (float) (round % 4093);
      input = g_bytes_new_static (x, bytes);
      begin = leat_bench_now_us ();
      if (!leat_app_push_bytes (source, input, error)
          || leat_session_replay (session, FALSE, NULL, error) == LEAT_FLOW_ERROR)
        return FALSE;
      output = leat_app_pull_bytes (sink, 0, error);
      if (output == NULL)
        return FALSE;
      if (round >= SETTLE)
        leat_bench_series_add (times, leat_bench_now_us () - begin);
      if (((const float *) g_bytes_get_data (output, NULL))[changed] == 2 * x[changed] + 1)
        continue;
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "wrong result: number %" G_GSIZE_FORMAT, changed);
      return FALSE;
    }
  return TRUE;
}

static gboolean
leat_bench_run_queue (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autofree char *text = leat_bench_write_round_trip (bench, kind);
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  g_autoptr (LeatSession) session = NULL;
  g_auto (LeatBenchSeries) times = { 0 };

  if (pipeline == NULL)
    return FALSE;
  session = leat_session_new (pipeline, bench->selector);
  g_object_set (session, "wait", bench->wait, NULL);
  leat_bench_series_init (&times, leat_bench_case_get_runs (kind, bench));
  if (!leat_session_open (session, NULL, error)
      || !leat_bench_time_queue (pipeline, session, kind->bytes, &times, error))
    return FALSE;
  leat_bench_report_add_times (bench->report, "replay", &times);
  return TRUE;
}

#define ROUND_TRIP(size, bytes, divisor)                                                                               \
  { "round-trip-" size "-auto",                                                                                        \
    "upload and readback as Leat chooses",                                                                             \
    leat_bench_run_round_trip,                                                                                         \
    bytes,                                                                                                             \
    0,                                                                                                                 \
    "auto",                                                                                                            \
    divisor,                                                                                                           \
    FALSE },                                                                                                           \
    { "round-trip-" size "-copy",                                                                                      \
      "the copy engine brings the bytes in and out",                                                                   \
      leat_bench_run_round_trip,                                                                                       \
      bytes,                                                                                                           \
      0,                                                                                                               \
      "copy",                                                                                                          \
      divisor,                                                                                                         \
      FALSE },                                                                                                         \
    { "round-trip-" size "-mapped",                                                                                    \
      "the kernel reads and writes the program's memory",                                                              \
      leat_bench_run_round_trip,                                                                                       \
      bytes,                                                                                                           \
      0,                                                                                                               \
      "mapped",                                                                                                        \
      divisor,                                                                                                         \
      FALSE },                                                                                                         \
    { "reused-" size, "the input is on the device already", leat_bench_run_reused, bytes, 0, "copy", divisor, FALSE }, \
  {                                                                                                                    \
    "queue-" size, "through the queues of app nodes", leat_bench_run_queue, bytes, 0, "auto", divisor, FALSE           \
  }

#define KNOWN(size, bytes)                                                                                             \
  {                                                                                                                    \
    "memo-" size, "eight inputs come again and again", leat_bench_run_known, bytes, 0, "copy", 1, FALSE                \
  }

/* clang-format off */
const LeatBenchCase leat_bench_round_trips[] = {
  ROUND_TRIP ("4k", 4096, 1),
  ROUND_TRIP ("64k", 65536, 1),
  ROUND_TRIP ("1m", 1 << 20, 2),
  ROUND_TRIP ("16m", 16 << 20, 20),
  KNOWN ("4k", 4096),
  KNOWN ("64k", 65536),
  { NULL },
};
/* clang-format on */
