/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-bench-case.h"
#include "leat-bench-series.h"

/* A batch in which the data of one lane are at fault, and a kernel says so: what that costs the others. */

#define LANES    4096
#define POISONED 1729
#define ROUNDS   3 /* that are not measured */

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatView in, out;
  guint64 in_stride, out_stride;
  guint n; /* numbers of a lane */
  LeatBenchSeries clean, poisoned;
} LeatBenchPoison;

static void
leat_bench_poison_clear (LeatBenchPoison *self)
{
  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
  leat_bench_series_clear (&self->clean);
  leat_bench_series_clear (&self->poisoned);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchPoison, leat_bench_poison_clear)

static float *
leat_bench_poison_get_lane (const LeatView *view, guint64 stride, guint lane)
{
  return (float *) ((guint8 *) view->data + lane * stride);
}

static gboolean
leat_bench_poison_open (LeatBenchPoison *self, LeatBench *bench, GError **error)
{
  g_autofree char *text = g_strdup_printf ("leat 1\napp name=source spec=f32[%u] -> upload -> kernel source=\"%s\" "
                                           "entry=judge a=1 b=1 block=128 -> readback -> app name=sink\n",
                                           self->n, bench->kernels);

  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  if (self->pipeline == NULL)
    return FALSE;
  self->session = leat_session_new (self->pipeline, bench->selector);
  g_object_set (self->session, "wait", bench->wait, NULL);
  if (!leat_session_open (self->session, NULL, error)
      || !leat_session_map_batch (self->session, "source", LANES, &self->in, &self->in_stride, error)
      || !leat_session_map_batch (self->session, "sink", LANES, &self->out, &self->out_stride, error))
    return FALSE;
  for (guint lane = 0; lane < LANES; lane++)
    for (guint i = 0; i < self->n; i++)
      leat_bench_poison_get_lane (&self->in, self->in_stride, lane)[i] = (float) ((lane * 131 + i * 7) % 4093);
  return TRUE;
}

static gboolean
leat_bench_poison_check_lane (LeatBenchPoison *self, guint lane, gboolean poisoned, GError **error)
{
  const float *x = leat_bench_poison_get_lane (&self->in, self->in_stride, lane);
  const float *y = leat_bench_poison_get_lane (&self->out, self->out_stride, lane);
  g_autoptr (GError) failure = leat_session_dup_lane_error (self->session, lane);
  gboolean good = g_error_matches (failure, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED) == poisoned
                  && (failure != NULL) == poisoned;

  for (guint i = 0; i < self->n && good && !poisoned; i++)
    good = y[i] == x[i] + 1;
  if (!good)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "lane %u is %s", lane,
                 failure != NULL ? failure->message
                 : poisoned      ? "not refused"
                                 : "wrong");
  return good;
}

/* One batch, of which every number is looked at. */
static gboolean
leat_bench_poison_take_turn (LeatBenchPoison *self, guint round, gboolean poisoned, GError **error)
{
  LeatBenchSeries *series = poisoned ? &self->poisoned : &self->clean;
  float *place = &leat_bench_poison_get_lane (&self->in, self->in_stride, POISONED)[self->n / 2];
  float was = *place;
  double begin = leat_bench_now_us (), us;
  gboolean good;

  *place = poisoned ? -1 : was;
  begin = leat_bench_now_us ();
  good = leat_session_replay_batch (self->session, LANES, NULL, NULL, NULL, error);
  us = leat_bench_now_us () - begin;
  for (guint lane = 0; lane < LANES && good; lane++)
    good = leat_bench_poison_check_lane (self, lane, poisoned && lane == POISONED, error);
  *place = was;
  if (round >= ROUNDS)
    leat_bench_series_add (series, us);
  return good;
}

static void
leat_bench_poison_report (LeatBenchPoison *self, LeatBench *bench)
{
  LeatBenchSummary clean, poisoned;

  leat_bench_series_summarize (&self->clean, &clean);
  leat_bench_series_summarize (&self->poisoned, &poisoned);
  leat_bench_report_add_times (bench->report, "clean", &self->clean);
  leat_bench_report_add_times (bench->report, "one-poisoned", &self->poisoned);
  leat_bench_report_add_value (bench->report, "slower", 100 * (poisoned.median / clean.median - 1), "%");
}

static gboolean
leat_bench_run_poison (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_auto (LeatBenchPoison) self = { .n = kind->bytes / sizeof (float) };
  guint runs = leat_bench_case_get_runs (kind, bench);

  leat_bench_series_init (&self.clean, runs);
  leat_bench_series_init (&self.poisoned, runs);
  if (!leat_bench_poison_open (&self, bench, error))
    return FALSE;
  for (guint round = 0; round < ROUNDS + runs; round++)
    if (!leat_bench_poison_take_turn (&self, round, FALSE, error)
        || !leat_bench_poison_take_turn (&self, round, TRUE, error))
      return FALSE;
  leat_bench_poison_report (&self, bench);
  return TRUE;
}

/* clang-format off */
const LeatBenchCase leat_bench_poisons[] = {
  { "batch-poisoned", "4,096 lanes of 4 KiB in and out, one of them refused by its kernel", leat_bench_run_poison, 4096, 1,
    NULL, 20, TRUE },
  { NULL },
};
/* clang-format on */
