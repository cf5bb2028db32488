/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Counts times in bins, and gives percentiles of them. */

#include "leat-histogram-private.h"

#include <math.h>

/* Times below the number of steps have a bin each; above, each power of two is cut into as many. */
static guint
leat_histogram_find_bin (gint64 us)
{
  guint64 value = us > 0 ? (guint64) us : 0;
  guint power, bin;

  if (value < LEAT_HISTOGRAM_STEPS)
    return (guint) value;
  power = g_bit_nth_msf ((gulong) value, -1) - 4;
  bin = LEAT_HISTOGRAM_STEPS * (power + 1) + (guint) ((value >> power) - LEAT_HISTOGRAM_STEPS);
  return MIN (bin, LEAT_HISTOGRAM_BINS - 1);
}

/* The greatest time that is in it. */
static gint64
leat_histogram_get_limit (guint bin)
{
  guint power = bin / LEAT_HISTOGRAM_STEPS;

  if (power == 0)
    return bin;
  return ((gint64) (LEAT_HISTOGRAM_STEPS + bin % LEAT_HISTOGRAM_STEPS + 1) << (power - 1)) - 1;
}

void
leat_histogram_add (LeatHistogram *self, gint64 us)
{
  self->bins[leat_histogram_find_bin (us)]++;
  self->n++;
  self->sum_us += MAX (us, 0);
  self->most_us = MAX (self->most_us, us);
}

void
leat_histogram_add_all (LeatHistogram *self, const LeatHistogram *from)
{
  for (guint i = 0; i < LEAT_HISTOGRAM_BINS; i++)
    self->bins[i] += from->bins[i];
  self->n += from->n;
  self->sum_us += from->sum_us;
  self->most_us = MAX (self->most_us, from->most_us);
}

gint64
leat_histogram_get_percentile (const LeatHistogram *self, double share)
{
  guint64 wanted = MAX ((guint64) ceil (share * (double) self->n), 1), seen = 0;

  for (guint i = 0; i < LEAT_HISTOGRAM_BINS && self->n > 0; i++)
    {
      seen += self->bins[i];
      if (seen >= wanted)
        return MIN (leat_histogram_get_limit (i), self->most_us);
    }
  return self->most_us;
}
