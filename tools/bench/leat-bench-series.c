/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Times of one thing, and their summary.  Taking the summary sorts them. */

#include "leat-bench-series.h"

#include <stdlib.h>

void
leat_bench_series_init (LeatBenchSeries *self, guint most)
{
  self->samples = g_new0 (double, most);
  self->n = 0;
  self->most = most;
}

void
leat_bench_series_clear (LeatBenchSeries *self)
{
  g_clear_pointer (&self->samples, g_free);
  self->n = self->most = 0;
}

static int
leat_bench_compare_samples (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

void
leat_bench_series_summarize (LeatBenchSeries *self, LeatBenchSummary *summary)
{
  const double *sorted = self->samples;
  guint n = self->n;

  g_return_if_fail (n > 0);
  qsort (self->samples, n, sizeof (double), leat_bench_compare_samples);
  *summary = (LeatBenchSummary){ .n = n,
                                 .least = sorted[0],
                                 .p10 = sorted[n / 10],
                                 .median = sorted[n / 2],
                                 .p90 = sorted[n - 1 - n / 10],
                                 .p99 = sorted[n - 1 - n / 100],
                                 .most = sorted[n - 1] };
}
