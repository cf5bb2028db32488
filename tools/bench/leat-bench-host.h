/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-case.h"

G_BEGIN_DECLS

/* By hand: an application has its data in its own memory and orchestrates each step from there.  For every kernel of a
 * plan it allocates memory, uploads what the kernel reads, launches it, waits, reads back what it wrote, and frees
 * all.  The driver, the kernels and the shapes of launches are those of the session whose plan it is. */

typedef struct _LeatBenchHost LeatBenchHost;

/* @session: open, for as long as this is there; it is not run.  An error where a plan has what this cannot do. */
LeatBenchHost *leat_bench_host_new (LeatSession *session, GError **error);
void leat_bench_host_free (LeatBenchHost *self);
/* The memory of an `app` node's data: to fill before a run, or to read after it.  @count: where its count lies; left as
 * it is where that is always the same */
gpointer leat_bench_host_get_data (LeatBenchHost *self, LeatNode *app, guint64 **count);
gboolean leat_bench_host_run (LeatBenchHost *self, GError **error);
/* That were uploaded so far. */
guint64 leat_bench_host_get_bytes_up (LeatBenchHost *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatBenchHost, leat_bench_host_free)

G_END_DECLS
