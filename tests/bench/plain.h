/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* The three graphs as a C programmer would write them: a loop, split over threads.  What the CPU driver is measured
 * against. */

typedef struct
{
  guint64 offset;
  guint64 pattern;
} PlainHit;

/* Every occurrence, by offset, then by pattern. (element-type PlainHit) */
GArray *plain_scan (const guint8 *text, gsize length, const char *const *patterns, guint threads);

/* rgb [h][w][3] to edges [h][w]; float arithmetic in the order of graphs/edges.cu. @scratch: 3 * w * h floats. */
void plain_edges (const guint8 *rgb, guint8 *edges, float *scratch, guint width, guint height, float limit,
                  guint threads);

/* mean, variance, least, greatest of scale * x + offset */
void plain_stats (const float *x, gsize n, float scale, float offset, double result[4], guint threads);

/* y = a * x + b, for kernels without barriers. */
void plain_saxpy (const float *x, float *y, gsize n, float a, float b, guint threads);
