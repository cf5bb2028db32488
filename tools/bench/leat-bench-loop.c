/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A loop as one kernel, against a conditional node and a loop of the host's, both written by hand: a body of two steps,
 * each of which needs what other blocks did in the one before, and a test of one number.  One of each in turn, and all
 * bring the same bytes. */

#include "leat-bench-loop-raw.h"
#include "leat-bench-subject.h"

#include "session/leat-session-bare-private.h"

#include <string.h>

#define SETTLE  20
#define WARM_UP 8 /* rounds before a session has made its graph */

typedef enum
{
  LEAT_BENCH_LOOP_FUSED,     /* method=fused */
  LEAT_BENCH_LOOP_WHILE,     /* method=while */
  LEAT_BENCH_LOOP_RAW_WHILE, /* a conditional node by hand */
  LEAT_BENCH_LOOP_RAW_HOST,  /* the host launches, and looks at the number */
  LEAT_BENCH_N_LOOPS
} LeatBenchLoopSide;

typedef struct
{
  LeatBenchSubject subjects[2];
  LeatBareReplay bare[2];
  LeatBenchLoopRaw *raw;
  LeatBenchSeries times[LEAT_BENCH_N_LOOPS], ratios[LEAT_BENCH_N_LOOPS];
  double us[LEAT_BENCH_N_LOOPS];
  guint n;
  float limit;
} LeatBenchLoop;

static void
leat_bench_loop_clear (LeatBenchLoop *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->subjects); i++)
    leat_bench_subject_close (&self->subjects[i]);
  for (guint i = 0; i < LEAT_BENCH_N_LOOPS; i++)
    {
      leat_bench_series_clear (&self->times[i]);
      leat_bench_series_clear (&self->ratios[i]);
    }
  g_clear_pointer (&self->raw, leat_bench_loop_raw_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchLoop, leat_bench_loop_clear)

/* In two steps of an iteration each number grows by 2, and all begin between 0 and 1. */
static void
leat_bench_loop_fill (float *x, guint n)
{
  for (guint i = 0; i < n; i++)
    x[i] = (float) (i % 251) / 256;
}

static gboolean
leat_bench_loop_open (LeatBenchLoop *self, const LeatBench *bench, LeatBenchLoopSide side, GError **error)
{
  LeatBenchSubject *subject = &self->subjects[side];
  g_autofree char *text = g_strdup_printf ("leat 1\n"
                                           "l = loop until=\"top >= limit\" limit=%g carry=x:y method=%s {\n"
                                           "  a = kernel source=\"%s\" entry=shift block=256\n"
                                           "  b = kernel source=\"%s\" entry=shift_and_tell block=256 top=f32[1]\n"
                                           "  in.x -> a -> b\n  b.y -> out.y\n  b.top -> out.top\n"
                                           "}\n"
                                           "app name=source spec=f32[%u] -> upload mode=copy -> l.x\n"
                                           "l.y -> readback mode=copy -> app name=sink\n",
                                           (double) self->limit, side == LEAT_BENCH_LOOP_FUSED ? "fused" : "while",
                                           bench->kernels, bench->kernels, self->n);

  if (!leat_bench_subject_open (subject, bench, text, error, "executor", LEAT_EXECUTOR_GRAPH, NULL))
    return FALSE;
  for (guint i = 0; i < WARM_UP; i++)
    {
      if (!leat_bench_subject_lend (subject, error))
        return FALSE;
      leat_bench_loop_fill (subject->in, self->n);
      if (leat_bench_subject_replay (subject, FALSE, error) < 0)
        return FALSE;
    }
  return TRUE;
}

/* Microseconds; negative after an error. */
static double
leat_bench_loop_launch (const LeatBareReplay *bare, gboolean spin, GError **error)
{
  double begin = leat_bench_now_us ();
  CUresult result = (*bare->table->cuGraphLaunch) (bare->exec, bare->stream);

  while (result == CUDA_SUCCESS && spin
         && (result = (*bare->table->cuStreamQuery) (bare->stream)) == CUDA_ERROR_NOT_READY)
    result = CUDA_SUCCESS;
  if (result == CUDA_SUCCESS)
    result = (*bare->table->cuStreamSynchronize) (bare->stream);
  if (result == CUDA_SUCCESS)
    return leat_bench_now_us () - begin;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "a graph that is launched by hand returned %d", result);
  return -1;
}

static gboolean
leat_bench_loop_check (LeatBenchLoop *self, const float *found, const char *side, GError **error)
{
  if (memcmp (found, self->subjects[LEAT_BENCH_LOOP_FUSED].out, self->n * sizeof *found) == 0 && found[0] >= self->limit
      && found[0] < self->limit + 2)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s brings other numbers than the loop that is one kernel", side);
  return FALSE;
}

static gboolean
leat_bench_loop_do (LeatBenchLoop *self, LeatBenchLoopSide side, gboolean spin, GError **error)
{
  static const char *const names[] = { "the loop", "method=while", "the graph by hand", "the host's loop" };
  const float *found =
    side <= LEAT_BENCH_LOOP_WHILE ? self->subjects[side].out : leat_bench_loop_raw_get_out (self->raw);

  if (side <= LEAT_BENCH_LOOP_WHILE)
    self->us[side] = leat_bench_loop_launch (&self->bare[side], spin, error);
  else
    self->us[side] = side == LEAT_BENCH_LOOP_RAW_WHILE ? leat_bench_loop_raw_run_graph (self->raw, error)
                                                       : leat_bench_loop_raw_run_host (self->raw, error);
  return self->us[side] >= 0 && leat_bench_loop_check (self, found, names[side], error);
}

static gboolean
leat_bench_loop_take_turns (LeatBenchLoop *self, gboolean spin, GError **error)
{
  for (guint round = 0; round < SETTLE + self->times[0].most; round++)
    {
      for (guint i = 0; i < LEAT_BENCH_N_LOOPS; i++)
        if (!leat_bench_loop_do (self, (round + i) % LEAT_BENCH_N_LOOPS, spin, error))
          return FALSE;
      for (guint i = 0; i < LEAT_BENCH_N_LOOPS && round >= SETTLE; i++)
        {
          leat_bench_series_add (&self->times[i], self->us[i]);
          leat_bench_series_add (&self->ratios[i], self->us[LEAT_BENCH_LOOP_FUSED] / self->us[i]);
        }
    }
  return TRUE;
}

static void
leat_bench_loop_report (LeatBenchLoop *self, LeatBench *bench, guint iterations)
{
  static const char *const names[] = { "fused", "while", "raw-while", "raw-host" };

  for (guint i = 0; i < LEAT_BENCH_N_LOOPS; i++)
    leat_bench_report_add_times (bench->report, names[i], &self->times[i]);
  for (guint i = 0; i < LEAT_BENCH_N_LOOPS; i++)
    {
      g_autofree char *each = g_strdup_printf ("%s, an iteration", names[i]);
      g_autofree char *against = g_strdup_printf ("fused against %s", names[i]);
      LeatBenchSummary times, ratio;

      leat_bench_series_summarize (&self->times[i], &times);
      leat_bench_series_summarize (&self->ratios[i], &ratio);
      leat_bench_report_add_value (bench->report, each, times.median / iterations, "us");
      if (i != LEAT_BENCH_LOOP_FUSED)
        leat_bench_report_add_value (bench->report, against, 100 * ratio.median, "%");
    }
}

static gboolean
leat_bench_run_loop (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_auto (LeatBenchLoop) loop = { .n = (guint) (kind->bytes / sizeof (float)), .limit = 2 * (float) kind->n };
  guint runs = leat_bench_case_get_runs (kind, bench);

  loop.raw = leat_bench_loop_raw_new (bench, loop.n, loop.limit, error);
  if (loop.raw == NULL)
    return FALSE;
  leat_bench_loop_fill (leat_bench_loop_raw_get_in (loop.raw), loop.n);
  for (guint i = 0; i < LEAT_BENCH_N_LOOPS; i++)
    {
      leat_bench_series_init (&loop.times[i], runs);
      leat_bench_series_init (&loop.ratios[i], runs);
    }
  for (guint i = 0; i < G_N_ELEMENTS (loop.subjects); i++)
    {
      if (!leat_bench_loop_open (&loop, bench, i, error))
        return FALSE;
      if (leat_bench_loop_raw_has_graph (loop.raw) && leat_session_get_bare (loop.subjects[i].session, &loop.bare[i]))
        continue;
      leat_bench_report_add_note (bench->report, "the driver has no conditional nodes, so there is nothing to compare");
      return TRUE;
    }
  if (!leat_bench_loop_take_turns (&loop, !leat_device_is_cpu (bench->device), error))
    return FALSE;
  leat_bench_loop_report (&loop, bench, kind->n);
  return TRUE;
}

/* clang-format off */
const LeatBenchCase leat_bench_loops[] = {
  { "loop-grid", "200 iterations of two steps over 132 blocks as one kernel, against a conditional node and the host",
    leat_bench_run_loop, 132 * 256 * sizeof (float), 200, "copy", 20, FALSE },
  { "loop-block", "the same where one block does it", leat_bench_run_loop, 1024 * sizeof (float), 200, "copy", 20,
    FALSE },
  { "loop-large", "20 iterations of the same over 2^24 items", leat_bench_run_loop, sizeof (float) << 24, 20, "copy", 100,
    TRUE },
  { NULL },
};
/* clang-format on */
