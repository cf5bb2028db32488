/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Kernels one after the other and side by side, and what a session adds to the launch of its graph.  The first kernel
 * reads the application's memory and the last writes it, so that the graph is kernels only. */

#include "leat-bench-subject.h"
#include "session/leat-session-bare-private.h"

#define SETTLE         50
#define WARM_UP        64 /* runs; a session makes a graph of one op after some */
#define CHAIN_NUMBERS  (132 * 256)
#define BRANCH_NUMBERS 256
#define BRANCH_STEPS   2000

/* These take turns, so that what changes on the machine meets all of them.  The first changes from round to round. */
typedef enum
{
  LEAT_BENCH_TURN_REPLAY,  /* leat_session_replay () */
  LEAT_BENCH_TURN_BY_HAND, /* the same graph, launched and waited for with two calls */
  LEAT_BENCH_TURN_HALVES,  /* leat_session_launch (), leat_session_complete () */
  LEAT_BENCH_N_TURNS
} LeatBenchTurn;

typedef struct
{
  LeatBareReplay bare;
  LeatBenchSeries whole[LEAT_BENCH_N_TURNS];
  LeatBenchSeries launch[LEAT_BENCH_N_TURNS];                         /* the first half, of those that have two */
  LeatBenchSeries over, launch_over;                                  /* of the session less by hand, in each round */
  double whole_us[LEAT_BENCH_N_TURNS], launch_us[LEAT_BENCH_N_TURNS]; /* in this round */
} LeatBenchTurns;

static void
leat_bench_turns_init (LeatBenchTurns *self, guint runs)
{
  for (guint i = 0; i < LEAT_BENCH_N_TURNS; i++)
    {
      leat_bench_series_init (&self->whole[i], runs);
      leat_bench_series_init (&self->launch[i], runs);
    }
  leat_bench_series_init (&self->over, runs);
  leat_bench_series_init (&self->launch_over, runs);
}

static void
leat_bench_turns_clear (LeatBenchTurns *self)
{
  for (guint i = 0; i < LEAT_BENCH_N_TURNS; i++)
    {
      leat_bench_series_clear (&self->whole[i]);
      leat_bench_series_clear (&self->launch[i]);
    }
  leat_bench_series_clear (&self->over);
  leat_bench_series_clear (&self->launch_over);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchTurns, leat_bench_turns_clear)

static void
leat_bench_turns_note (LeatBenchTurns *self)
{
  for (guint i = 0; i < LEAT_BENCH_N_TURNS; i++)
    {
      leat_bench_series_add (&self->whole[i], self->whole_us[i]);
      leat_bench_series_add (&self->launch[i], self->launch_us[i]);
    }
  leat_bench_series_add (&self->over, self->whole_us[LEAT_BENCH_TURN_REPLAY] - self->whole_us[LEAT_BENCH_TURN_BY_HAND]);
  leat_bench_series_add (&self->launch_over,
                         self->launch_us[LEAT_BENCH_TURN_HALVES] - self->launch_us[LEAT_BENCH_TURN_BY_HAND]);
}

static gboolean
leat_bench_fail_call (CUresult result, const char *call, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s returned %d", call, result);
  return FALSE;
}

/* The fastest wait that an application has: a GPU is asked again and again; the CPU driver needs the processor. */
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
leat_bench_launch_by_hand (LeatBenchTurns *self, gboolean spin, GError **error)
{
  double begin = leat_bench_now_us ();
  CUresult result = (*self->bare.table->cuGraphLaunch) (self->bare.exec, self->bare.stream);

  self->launch_us[LEAT_BENCH_TURN_BY_HAND] = leat_bench_now_us () - begin;
  if (result != CUDA_SUCCESS)
    return leat_bench_fail_call (result, "cuGraphLaunch", error);
  result = leat_bench_wait (&self->bare, spin);
  self->whole_us[LEAT_BENCH_TURN_BY_HAND] = leat_bench_now_us () - begin;
  return result == CUDA_SUCCESS || leat_bench_fail_call (result, "the wait for the graph", error);
}

/* A run in two halves, of which the first is what an application's thread pays that does something else meanwhile. */
static gboolean
leat_bench_launch_by_session (LeatBenchTurns *self, LeatBenchSubject *subject, GError **error)
{
  double begin = leat_bench_now_us ();

  if (leat_session_launch (subject->session, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  self->launch_us[LEAT_BENCH_TURN_HALVES] = leat_bench_now_us () - begin;
  if (leat_session_complete (subject->session, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  self->whole_us[LEAT_BENCH_TURN_HALVES] = leat_bench_now_us () - begin;
  return TRUE;
}

static gboolean
leat_bench_take_turn (LeatBenchTurns *self, LeatBenchSubject *subject, LeatBenchTurn turn, GError **error)
{
  if (turn == LEAT_BENCH_TURN_BY_HAND)
    return leat_bench_launch_by_hand (self, !leat_device_is_cpu (leat_session_get_device (subject->session)), error);
  if (!leat_bench_subject_lend (subject, error))
    return FALSE;
  if (turn == LEAT_BENCH_TURN_HALVES)
    return leat_bench_launch_by_session (self, subject, error);
  self->whole_us[turn] = leat_bench_subject_replay (subject, FALSE, error);
  return self->whole_us[turn] >= 0;
}

static gboolean
leat_bench_take_turns (LeatBenchTurns *self, LeatBenchSubject *subject, const LeatBenchRule *rule, GError **error)
{
  for (guint round = 0; round < SETTLE + self->over.most; round++)
    {
      for (guint i = 0; i < LEAT_BENCH_N_TURNS; i++)
        {
          guint input = LEAT_BENCH_N_TURNS * round + i;

          leat_bench_subject_stir (subject, input);
          if (!leat_bench_take_turn (self, subject, (round + i) % LEAT_BENCH_N_TURNS, error)
              || !leat_bench_subject_check (subject, input, rule, error))
            return FALSE;
        }
      if (round >= SETTLE)
        leat_bench_turns_note (self);
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
leat_bench_run_turns (LeatBench *bench, const LeatBenchCase *kind, const char *text, const LeatBenchRule *rule,
                      LeatEarlyStart early, GError **error)
{
  g_auto (LeatBenchSubject) subject = { 0 };
  g_auto (LeatBenchTurns) turns = { 0 };

  leat_bench_turns_init (&turns, leat_bench_case_get_runs (kind, bench));
  if (!leat_bench_subject_open (&subject, bench, text, error, "early-start", early, NULL)
      || !leat_bench_warm_up (&subject, rule, error))
    return FALSE;
  if (!leat_session_get_bare (subject.session, &turns.bare))
    {
      leat_bench_report_add_note (bench->report, "the session made no graph, so there is nothing to launch by hand");
      return TRUE;
    }
  if (!leat_bench_take_turns (&turns, &subject, rule, error))
    return FALSE;
  leat_bench_report_add_times (bench->report, "replay", &turns.whole[LEAT_BENCH_TURN_REPLAY]);
  leat_bench_report_add_times (bench->report, "by-hand", &turns.whole[LEAT_BENCH_TURN_BY_HAND]);
  leat_bench_report_add_times (bench->report, "launch", &turns.launch[LEAT_BENCH_TURN_HALVES]);
  leat_bench_report_add_times (bench->report, "launch-by-hand", &turns.launch[LEAT_BENCH_TURN_BY_HAND]);
  leat_bench_report_add_median (bench->report, "over", &turns.over);
  leat_bench_report_add_median (bench->report, "launch-over", &turns.launch_over);
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

/* @quickly: with the setter that is made for it */
static gboolean
leat_bench_set (LeatNode *node, double value, gboolean quickly, GError **error)
{
  return quickly ? leat_node_set_arg_double (node, "a", value, error)
                 : leat_node_set_arg (node, "a", g_variant_new_double (value), error);
}

/* In microseconds, negative after an error. */
static double
leat_bench_time_change (LeatBenchSubject *subject, LeatNode *node, guint round, gboolean quickly, GError **error)
{
  LeatBenchRule rule = { 2 + round % 32, 1 };
  double begin, us;

  leat_bench_subject_stir (subject, round);
  if (!leat_bench_subject_lend (subject, error))
    return -1;
  begin = leat_bench_now_us ();
  if (!leat_bench_set (node, rule.times, quickly, error) || leat_bench_subject_replay (subject, FALSE, error) < 0)
    return -1;
  us = leat_bench_now_us () - begin;
  return leat_bench_subject_check (subject, round, &rule, error) ? us : -1;
}

static double
leat_bench_time_no_change (LeatBenchSubject *subject, guint round, GError **error)
{
  LeatBenchRule rule = { 2 + round % 32, 1 };
  double us;

  leat_bench_subject_stir (subject, round + 1);
  us = leat_bench_subject_lend (subject, error) ? leat_bench_subject_replay (subject, FALSE, error) : -1;
  return us >= 0 && leat_bench_subject_check (subject, round + 1, &rule, error) ? us : -1;
}

typedef struct
{
  LeatBenchSeries changed, same, over;
} LeatBenchChanges;

static void
leat_bench_changes_clear (LeatBenchChanges *self)
{
  leat_bench_series_clear (&self->changed);
  leat_bench_series_clear (&self->same);
  leat_bench_series_clear (&self->over);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchChanges, leat_bench_changes_clear)

static gboolean
leat_bench_time_changes (LeatBenchChanges *self, LeatBenchSubject *subject, gboolean quickly, GError **error)
{
  LeatNode *node = leat_pipeline_get_node (subject->pipeline, "k", error);

  for (guint round = 0; round < SETTLE + self->over.most; round++)
    {
      double changed, same;

      changed = leat_bench_time_change (subject, node, round, quickly, error);
      same = changed >= 0 ? leat_bench_time_no_change (subject, round, error) : -1;
      if (same < 0)
        return FALSE;
      if (round < SETTLE)
        continue;
      leat_bench_series_add (&self->changed, changed);
      leat_bench_series_add (&self->same, same);
      leat_bench_series_add (&self->over, changed - same);
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
  g_auto (LeatBenchChanges) changes = { 0 };

  leat_bench_series_init (&changes.changed, runs);
  leat_bench_series_init (&changes.same, runs);
  leat_bench_series_init (&changes.over, runs);
  if (!leat_bench_subject_open (&subject, bench, text, error, "memo", LEAT_MEMO_OFF, NULL)
      || !leat_bench_time_changes (&changes, &subject, kind->mode != NULL, error))
    return FALSE;
  leat_bench_report_add_times (bench->report, "replay", &changes.same);
  leat_bench_report_add_times (bench->report, "set-and-replay", &changes.changed);
  leat_bench_report_add_median (bench->report, "over", &changes.over);
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
  { "argument-double", "the same by the setter for doubles", leat_bench_run_argument, 0, 1, "double", 1, FALSE },
  { NULL },
};
/* clang-format on */
