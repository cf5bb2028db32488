/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* A session of a pipeline with loops, and what the same does in plain C. */

#define N 1000

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
} Loop;

/* Who is asked for and who does it, in which executor of the session. */
typedef struct
{
  const char *who, *becomes;
  LeatExecutor executor;
} LoopCase;

/* Halves until the largest is under a limit; and loops within a loop.  EXECUTOR is to be put in. */
extern const char halve_text[], nested_text[];

/* @text: with EXECUTOR for that of the loops; auto goes by the rule, or by what the first run shows */
void loop_open (Loop *self, const char *text, const char *who, LeatExecutor executor, guint lanes);
void loop_open_measured (Loop *self, const char *text, const char *who, LeatExecutor executor, guint lanes,
                         gboolean calibrate);
void loop_close (Loop *self);
void loop_push (Loop *self, const char *name, gconstpointer data, gsize size);
GBytes *loop_pull (Loop *self, const char *name);
void loop_replay (Loop *self);
/* @executor: (nullable) */
void loop_check_report (Loop *self, guint index, guint64 iterations, const char *end, const char *executor);
void check_floats (GBytes *bytes, const float *expected, gsize n);
/* What halve_text does; the series is the maxima. */
guint halve (float *x, float gain, float limit, guint most, float *series);
/* One run of halve_text, looked at. */
void halve_run (Loop *loop, float scale, float gain, float limit, const char *executor);
/* A test for each #LoopCase.  @joint: of those too in which the loop is one kernel */
void add_cases (const char *what, gboolean joint, GTestDataFunc test);

G_END_DECLS
