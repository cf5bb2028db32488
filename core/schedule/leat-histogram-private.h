/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How often which time was measured: exact below 16 us, and within a sixteenth above. */

#define LEAT_HISTOGRAM_STEPS 16 /* to each power of two */
#define LEAT_HISTOGRAM_BINS  (LEAT_HISTOGRAM_STEPS * 33)

typedef struct
{
  guint64 n;
  gint64 sum_us, most_us;
  guint32 bins[LEAT_HISTOGRAM_BINS];
} LeatHistogram;

void leat_histogram_add (LeatHistogram *self, gint64 us);
void leat_histogram_add_all (LeatHistogram *self, const LeatHistogram *from);
/* The time that @share (0 to 1) of all are not above; 0 where there is none. */
gint64 leat_histogram_get_percentile (const LeatHistogram *self, double share);

G_END_DECLS
