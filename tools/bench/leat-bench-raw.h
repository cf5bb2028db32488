/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-case.h"

#include "device/leat-memory-private.h"

G_BEGIN_DECLS

/* The code of an application without Leat for many inputs: a graph for each (upload, kernels, readback), launched on
 * eight streams in turn.  There are also copies both ways at once, for what the link carries. */

typedef struct _LeatBenchRaw LeatBenchRaw;

/* Numbers of each lane in and out; @n_kernels: `step` so often, the last of them `head` where fewer go out. */
LeatBenchRaw *leat_bench_raw_new (LeatBench *bench, guint n_lanes, guint n_in, guint n_out, guint n_kernels,
                                  GError **error);
void leat_bench_raw_free (LeatBenchRaw *self);
float *leat_bench_raw_get_in (LeatBenchRaw *self);
const float *leat_bench_raw_get_out (LeatBenchRaw *self);
/* Microseconds; negative after an error. */
double leat_bench_raw_launch_all (LeatBenchRaw *self, GError **error);
double leat_bench_raw_copy_both_ways (LeatBenchRaw *self, GError **error);

/* Adds a copy behind *@last, which it becomes: from the host, pinned, or to it. */
CUresult leat_bench_raw_add_copy (LeatDevice *device, CUgraph graph, CUgraphNode *last, gboolean up, LeatMemory *host,
                                  gsize offset, CUdeviceptr address, gsize bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatBenchRaw, leat_bench_raw_free)

G_END_DECLS
