/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <time.h>

G_BEGIN_DECLS

/* Times of one thing done again and again.  All memory is there before the first is taken. */

typedef struct
{
  double *samples;
  guint n, most;
} LeatBenchSeries;

typedef struct
{
  guint n;
  double least, p10, median, p90, p99, most;
} LeatBenchSummary;

void leat_bench_series_init (LeatBenchSeries *self, guint most);
void leat_bench_series_clear (LeatBenchSeries *self);
void leat_bench_series_summarize (LeatBenchSeries *self, LeatBenchSummary *summary);

static inline void
leat_bench_series_add (LeatBenchSeries *self, double sample)
{
  if (self->n < self->most)
    self->samples[self->n++] = sample;
}

static inline double
leat_bench_now_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchSeries, leat_bench_series_clear)

G_END_DECLS
