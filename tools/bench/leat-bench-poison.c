/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A batch in which the data of one lane are at fault, and a kernel says so: what that costs the others. */

#include "leat-bench-lanes.h"
#include "leat-bench-series.h"

#define LANES    4096
#define POISONED 1729
#define ROUNDS   3 /* that are not measured */

typedef struct
{
  LeatBenchLanes lanes;
  guint n; /* numbers of a lane */
  LeatBenchSeries clean, poisoned;
} LeatBenchPoison;

static void
leat_bench_poison_clear (LeatBenchPoison *self)
{
  leat_bench_lanes_clear (&self->lanes);
  leat_bench_series_clear (&self->clean);
  leat_bench_series_clear (&self->poisoned);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchPoison, leat_bench_poison_clear)

static gboolean
leat_bench_poison_open (LeatBenchPoison *self, LeatBench *bench, GError **error)
{
  g_autofree char *text = g_strdup_printf ("leat 1\napp name=source spec=f32[%u] -> upload -> kernel source=\"%s\" "
                                           "entry=judge a=1 b=1 block=128 -> readback -> app name=sink\n",
                                           self->n, bench->kernels);

  return leat_bench_lanes_open (&self->lanes, bench, text, LANES, self->n, error);
}

static gboolean
leat_bench_poison_check_lane (LeatBenchPoison *self, guint lane, gboolean poisoned, GError **error)
{
  g_autoptr (GError) failure = leat_session_dup_entry_error (self->lanes.session, lane);

  if (!poisoned && failure == NULL)
    return leat_bench_lanes_check ("the batch", leat_bench_lanes_get_out (&self->lanes, lane), lane, self->n, 1, error);
  if (poisoned && g_error_matches (failure, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "lane %u is %s", lane,
               failure != NULL ? failure->message : "not refused");
  return FALSE;
}

/* One batch, of which every number is looked at. */
static gboolean
leat_bench_poison_take_turn (LeatBenchPoison *self, guint round, gboolean poisoned, GError **error)
{
  LeatBenchSeries *series = poisoned ? &self->poisoned : &self->clean;
  float *place = &leat_bench_lanes_get_in (&self->lanes, POISONED)[self->n / 2];
  float was = *place;
  gboolean good;
  double us;

  *place = poisoned ? -1 : was;
  us = leat_bench_lanes_replay (&self->lanes, NULL, error);
  good = us >= 0;
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
