/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-case.h"

G_BEGIN_DECLS

/* The code of an application without Leat for work that is done until it is enough.  One way is a graph with a
 * conditional node, of whose two kernels the last decides.  The other is two launches for each iteration, a copy of one
 * number to the host, and a wait for it. */

typedef struct _LeatBenchLoopRaw LeatBenchLoopRaw;

/* @n: numbers; @limit: of the first of them, at which it is enough */
LeatBenchLoopRaw *leat_bench_loop_raw_new (LeatBench *bench, guint n, float limit, GError **error);
void leat_bench_loop_raw_free (LeatBenchLoopRaw *self);
/* Whether the driver has conditional nodes. */
gboolean leat_bench_loop_raw_has_graph (LeatBenchLoopRaw *self);
float *leat_bench_loop_raw_get_in (LeatBenchLoopRaw *self);
const float *leat_bench_loop_raw_get_out (LeatBenchLoopRaw *self);
/* Microseconds, the copies up and back too; negative after an error. */
double leat_bench_loop_raw_run_graph (LeatBenchLoopRaw *self, GError **error);
double leat_bench_loop_raw_run_host (LeatBenchLoopRaw *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatBenchLoopRaw, leat_bench_loop_raw_free)

G_END_DECLS
