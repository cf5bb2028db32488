/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-case.h"
#include "leat-evidence.h"

G_BEGIN_DECLS

/* A session and the same work orchestrated from the host (leat-bench-host.h), on the same inputs in turns: both from
 * the application's memory to the application's memory, all results compared, the calls of each side counted by the
 * driver's table while its clock runs. */

typedef enum
{
  LEAT_BENCH_HOST,
  LEAT_BENCH_RESIDENT,
  LEAT_BENCH_N_SIDES
} LeatBenchSide;

typedef struct _LeatBenchContest LeatBenchContest;

/* @pipeline: between `app` nodes */
LeatBenchContest *leat_bench_contest_new (LeatBench *bench, LeatPipeline *pipeline, guint runs, GError **error);
void leat_bench_contest_free (LeatBenchContest *self);
gboolean leat_bench_contest_run (LeatBenchContest *self, GError **error);
LeatBenchSeries *leat_bench_contest_get_times (LeatBenchContest *self, LeatBenchSide side);
/* Puts down in @row what was measured, counted and compared. */
void leat_bench_contest_tell (LeatBenchContest *self, LeatEvidence *row);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatBenchContest, leat_bench_contest_free)

G_END_DECLS
