/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-bench-subject.h"
#include "replay/leat-session-bare-private.h"

/* Kernels one after the other and side by side, and what a session adds to the launch of its graph.  The first kernel
 * reads the program's memory and the last writes it, so that the graph is kernels only. */

#define SETTLE         50
#define WARM_UP        32
#define CHAIN_NUMBERS  (132 * 256)
#define BRANCH_NUMBERS 256
#define BRANCH_STEPS   2000

/* One after the other and in turns, so that what changes on the machine meets all of them. */
typedef struct
{
  LeatBareReplay bare;
  LeatBenchSeries replay;  /* leat_session_replay () */
  LeatBenchSeries by_hand; /* the same graph, launched and waited for with two calls */
  LeatBenchSeries launch;  /* the first of the two */
  LeatBenchSeries begin;   /* leat_session_launch () */
} LeatBenchTurns;

static void
leat_bench_turns_clear (LeatBenchTurns *self)
{
  leat_bench_series_clear (&self->replay);
  leat_bench_series_clear (&self->by_hand);
  leat_bench_series_clear (&self->launch);
  leat_bench_series_clear (&self->begin);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchTurns, leat_bench_turns_clear)

static gboolean
leat_bench_fail_call (CUresult result, const char *call, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s returned %d", call, result);
  return FALSE;
}

/* The fastest way that a program has to wait: a GPU is asked again and again; the CPU driver needs the processor. */
static CUresult
leat_bench_wait (const LeatBareReplay *bare, gboolean spin)
{
  CUresult result;

  if (!spin)
    return (*bare->table->cuStreamSynchronize) (bare->stream);
  do
    result = (*bare->table->cuStreamQuery) (bare->stream);
  while (result == CUDA_ERROR_NOT_READY);
  return result;
}

static gboolean
leat_bench_launch_by_hand (LeatBenchTurns *self, gboolean spin, gboolean count, GError **error)
{
  double begin = leat_bench_now_us (), launched;
  CUresult result = (*self->bare.table->cuGraphLaunch) (self->bare.exec, self->bare.stream);

  launched = leat_bench_now_us ();
  if (result != CUDA_SUCCESS)
    return leat_bench_fail_call (result, "cuGraphLaunch", error);
  result = leat_bench_wait (&self->bare, spin);
  if (result != CUDA_SUCCESS)
    return leat_bench_fail_call (result, "the wait for the graph", error);
  if (!count)
    return TRUE;
  leat_bench_series_add (&self->launch, launched - begin);
  leat_bench_series_add (&self->by_hand, leat_bench_now_us () - begin);
  return TRUE;
}

/* A run in two halves, of which the first is what a program's thread pays that does something else meanwhile. */
static gboolean
leat_bench_launch_by_session (LeatBenchTurns *self, LeatBenchSubject *subject, gboolean count, GError **error)
{
  double begin = leat_bench_now_us ();

  if (leat_session_launch (subject->session, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  if (count)
    leat_bench_series_add (&self->begin, leat_bench_now_us () - begin);
  return leat_session_complete (subject->session, NULL, error) != LEAT_FLOW_ERROR;
}

static gboolean
leat_bench_take_turns (LeatBenchTurns *self, LeatBenchSubject *subject, const LeatBenchRule *rule, GError **error)
{
  gboolean spin = !leat_device_is_cpu (leat_session_get_device (subject->session));

  for (guint round = 0; round < SETTLE + self->replay.most; round++)
    {
      double us;

      leat_bench_subject_stir (subject, 3 * round);
      us = leat_bench_subject_lend (subject, error) ? leat_bench_subject_replay (subject, FALSE, error) : -1;
      if (us < 0 || !leat_bench_subject_check (subject, 3 * round, rule, error))
        return FALSE;
      if (round >= SETTLE)
        leat_bench_series_add (&self->replay, us);
      leat_bench_subject_stir (subject, 3 * round + 1);
      if (!leat_bench_launch_by_hand (self, spin, round >= SETTLE, error)
          || !leat_bench_subject_check (subject, 3 * round + 1, rule, error))
        return FALSE;
      leat_bench_subject_stir (subject, 3 * round + 2);
      if (!leat_bench_subject_lend (subject, error)
          || !leat_bench_launch_by_session (self, subject, round >= SETTLE, error)
          || !leat_bench_subject_check (subject, 3 * round + 2, rule, error))
        return FALSE;
    }
  return TRUE;
}

/* A session makes no graph of a single op before it has been run some times. */
static gboolean
leat_bench_warm_up (LeatBenchSubject *subject, const LeatBenchRule *rule, GError **error)
{
  for (guint i = 0; i < WARM_UP; i++)
    if (!leat_bench_subject_try (subject, rule, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_bench_open_chain (LeatBenchSubject *self, const LeatBench *bench, const char *text, LeatEarlyStart early,
                       GError **error)
{
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  g_autoptr (LeatSession) session = NULL;

  if (pipeline == NULL)
    return FALSE;
  session = leat_session_new (pipeline, bench->selector);
  g_object_set (session, "wait", bench->wait, "early-start", early, NULL);
  return leat_session_open (session, NULL, error)
         && leat_bench_subject_take (self, g_steal_pointer (&pipeline), g_steal_pointer (&session), error);
}

static gboolean
leat_bench_run_turns (LeatBench *bench, const LeatBenchCase *kind, const char *text, const LeatBenchRule *rule,
                      LeatEarlyStart early, GError **error)
{
  guint runs = leat_bench_case_get_runs (kind, bench);
  g_auto (LeatBenchSubject) subject = { 0 };
  g_auto (LeatBenchTurns) turns = { 0 };
  LeatBenchSummary replay, by_hand, begin, launch;

  leat_bench_series_init (&turns.replay, runs);
  leat_bench_series_init (&turns.by_hand, runs);
  leat_bench_series_init (&turns.launch, runs);
  leat_bench_series_init (&turns.begin, runs);
  if (!leat_bench_open_chain (&subject, bench, text, early, error) || !leat_bench_warm_up (&subject, rule, error))
    return FALSE;
  if (!leat_session_get_bare (subject.session, &turns.bare))
    {
      leat_bench_report_add_note (bench->report, "the session made no graph, so there is nothing to launch by hand");
      return TRUE;
    }
  if (!leat_bench_take_turns (&turns, &subject, rule, error))
    return FALSE;
  leat_bench_report_add_times (bench->report, "replay", &turns.replay);
  leat_bench_report_add_times (bench->report, "by-hand", &turns.by_hand);
  leat_bench_report_add_times (bench->report, "launch", &turns.begin);
  leat_bench_report_add_times (bench->report, "launch-by-hand", &turns.launch);
  leat_bench_series_summarize (&turns.replay, &replay);
  leat_bench_series_summarize (&turns.by_hand, &by_hand);
  leat_bench_series_summarize (&turns.begin, &begin);
  leat_bench_series_summarize (&turns.launch, &launch);
  leat_bench_report_add_value (bench->report, "over", replay.median - by_hand.median, "us");
  leat_bench_report_add_value (bench->report, "launch-over", begin.median - launch.median, "us");
  return TRUE;
}

static gboolean
leat_bench_run_kernels (LeatBench *bench, const LeatBenchCase *kind, LeatEarlyStart early, GError **error)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");
  LeatBenchRule rule = { 1, kind->n };

  g_string_append_printf (text, "app name=source spec=f32[%u] -> upload mode=mapped\n", CHAIN_NUMBERS);
  for (guint i = 0; i < kind->n; i++)
    g_string_append_printf (text, "  -> kernel source=\"%s\" entry=step a=1 b=1 block=256\n", bench->kernels);
  g_string_append (text, "  -> readback mode=mapped -> app name=sink\n");
  return leat_bench_run_turns (bench, kind, text->str, &rule, early, error);
}

static gboolean
leat_bench_run_chain (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  return leat_bench_run_kernels (bench, kind, LEAT_EARLY_START_AUTO, error);
}

static gboolean
leat_bench_run_chain_in_turn (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  return leat_bench_run_kernels (bench, kind, LEAT_EARLY_START_OFF, error);
}

/* Branch i adds i+1 two thousand times. */
static gboolean
leat_bench_run_fan_out (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");
  LeatBenchRule rule = { kind->n, BRANCH_STEPS * kind->n * (kind->n + 1) / 2.0 };

  g_string_append_printf (text, "up = upload mode=copy\nsum = kernel source=\"%s\" entry=sum8 block=256\n",
                          bench->kernels);
  g_string_append_printf (text, "app name=source spec=f32[%u] -> up\n", BRANCH_NUMBERS);
  for (guint i = 0; i < kind->n; i++)
    g_string_append_printf (text, "up -> kernel source=\"%s\" entry=work a=1 b=%u steps=%u block=256 -> sum.x%u\n",
                            bench->kernels, i + 1, BRANCH_STEPS, i);
  g_string_append (text, "sum -> readback mode=mapped -> app name=sink\n");
  return leat_bench_run_turns (bench, kind, text->str, &rule, LEAT_EARLY_START_AUTO, error);
}

static gboolean
leat_bench_time_change (LeatBenchSubject *subject, LeatNode *node, guint round, LeatBenchSeries *times, GError **error)
{
  LeatBenchRule rule = { 2 + round % 32, 1 };
  double begin, us;

  leat_bench_subject_stir (subject, round);
  if (!leat_bench_subject_lend (subject, error))
    return FALSE;
  begin = leat_bench_now_us ();
  if (!leat_node_set_arg (node, "a", g_variant_new_double (rule.times), error)
      || leat_bench_subject_replay (subject, FALSE, error) < 0)
    return FALSE;
  us = leat_bench_now_us () - begin;
  if (round >= SETTLE)
    leat_bench_series_add (times, us);
  return leat_bench_subject_check (subject, round, &rule, error);
}

static gboolean
leat_bench_time_argument (LeatBenchSubject *subject, LeatBenchSeries *changed, LeatBenchSeries *same, GError **error)
{
  LeatNode *node = leat_pipeline_get_node (subject->pipeline, "k", error);

  for (guint round = 0; round < SETTLE + changed->most; round++)
    {
      LeatBenchRule rule = { 2 + round % 32, 1 };
      double us;

      if (!leat_bench_time_change (subject, node, round, changed, error))
        return FALSE;
      leat_bench_subject_stir (subject, round + 1);
      us = leat_bench_subject_lend (subject, error) ? leat_bench_subject_replay (subject, FALSE, error) : -1;
      if (us < 0 || !leat_bench_subject_check (subject, round + 1, &rule, error))
        return FALSE;
      if (round >= SETTLE)
        leat_bench_series_add (same, us);
    }
  return TRUE;
}

static gboolean
leat_bench_run_argument (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autofree char *text =
    g_strdup_printf ("leat 1\nk = kernel source=\"%s\" entry=axpb a=2 b=1 block=128\n"
                     "app name=source spec=f32[256,4] -> upload mode=mapped -> k -> readback mode=mapped -> "
                     "app name=sink\n",
                     bench->kernels);
  guint runs = leat_bench_case_get_runs (kind, bench);
  g_auto (LeatBenchSubject) subject = { 0 };
  g_auto (LeatBenchSeries) changed = { 0 }, same = { 0 };
  LeatBenchSummary with, without;

  leat_bench_series_init (&changed, runs);
  leat_bench_series_init (&same, runs);
  if (!leat_bench_subject_open (&subject, bench, text, LEAT_MEMO_OFF, error)
      || !leat_bench_time_argument (&subject, &changed, &same, error))
    return FALSE;
  leat_bench_report_add_times (bench->report, "replay", &same);
  leat_bench_report_add_times (bench->report, "set-and-replay", &changed);
  leat_bench_series_summarize (&changed, &with);
  leat_bench_series_summarize (&same, &without);
  leat_bench_report_add_value (bench->report, "over", with.median - without.median, "us");
  return TRUE;
}

/* clang-format off */
const LeatBenchCase leat_bench_chains[] = {
  { "chain-1", "a kernel", leat_bench_run_chain, 0, 1, NULL, 1, FALSE },
  { "chain-32", "32 kernels one after the other", leat_bench_run_chain, 0, 32, NULL, 2, FALSE },
  { "chain-512", "512 kernels one after the other", leat_bench_run_chain, 0, 512, NULL, 10, FALSE },
  { "in-turn-32", "32 kernels of which none begins before the one before it has ended", leat_bench_run_chain_in_turn, 0,
    32, NULL, 2, FALSE },
  { "in-turn-512", "512 such kernels", leat_bench_run_chain_in_turn, 0, 512, NULL, 10, FALSE },
  { "fan-out-8", "eight kernels side by side, and one that adds their results", leat_bench_run_fan_out, 0, 8, NULL, 10,
    FALSE },
  { "argument", "an argument is set before each replay", leat_bench_run_argument, 0, 1, NULL, 1, FALSE },
  { NULL },
};
/* clang-format on */
