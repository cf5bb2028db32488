/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-case.h"

G_BEGIN_DECLS

/* A pipeline from `source` to `sink` in whose own memory there are the inputs and results of so many lanes.  Each input
 * is numbers that no other lane has at the same place. */
typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatView in, out;
  guint64 in_stride, out_stride;
  guint n;
} LeatBenchLanes;

/* @text: of the pipeline; @n_in: numbers of a lane */
gboolean leat_bench_lanes_open (LeatBenchLanes *self, LeatBench *bench, const char *text, guint n, guint n_in,
                                GError **error);
void leat_bench_lanes_clear (LeatBenchLanes *self);
float *leat_bench_lanes_get_in (LeatBenchLanes *self, guint lane);
const float *leat_bench_lanes_get_out (LeatBenchLanes *self, guint lane);
/* Is each of the @n_out results of a lane the number that was there, and @more?  @who: whose result it is, else */
gboolean leat_bench_lanes_check (const char *who, const float *out, guint lane, guint n_out, float more,
                                 GError **error);
/* All lanes at once, with @inputs or with those in the session's memory; microseconds, negative after an error. */
double leat_bench_lanes_replay (LeatBenchLanes *self, GPtrArray *inputs, GError **error);

G_END_DECLS
