/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-case.h"

G_BEGIN_DECLS

/* By hand: an application has its data on the device, and wants what one kernel keeps of them.  It launches the kernel,
 * copies the count back, waits, copies as many items back, and waits.  All memory is there before, and the
 * application's is pinned.  The kernel, its arguments and the shape of its launch are those of a session's plan. */

typedef struct _LeatBenchFetch LeatBenchFetch;

/* @session: open, for as long as this is there; it is not run.  @node: with one kernel and one bounded output */
LeatBenchFetch *leat_bench_fetch_new (LeatBench *bench, LeatSession *session, const char *node, GError **error);
void leat_bench_fetch_free (LeatBenchFetch *self);
gboolean leat_bench_fetch_run (LeatBenchFetch *self, GError **error);
/* Of the last run. */
gconstpointer leat_bench_fetch_get_items (LeatBenchFetch *self, guint64 *count);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatBenchFetch, leat_bench_fetch_free)

G_END_DECLS
