/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-case.h"
#include "leat-bench-search.h"

G_BEGIN_DECLS

/* Runs until all limits were tried that a node measures (docs/reference/nodes/csr.md). */
#define LEAT_BENCH_SEARCH_SETTLE 26

/* A session of one node of csr: whose graph is on the device, and what it found. */
typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatView found, report;
} LeatBenchSearchSession;

/* Words for a `const` node, in the folder of the bench. */
gboolean leat_bench_search_save (const LeatBench *bench, const char *name, const guint32 *words, gsize n,
                                 GError **error);
gboolean leat_bench_search_save_graph (const LeatBenchSearch *self, const LeatBench *bench, GError **error);

/* @node: with its properties; @result: its port; @links: (nullable) lines of text for other ports of `n`
 * @checked: whether the result comes to the host, else it stays where it is */
gboolean leat_bench_search_session_open (LeatBenchSearchSession *self, const LeatBench *bench,
                                         const LeatBenchSearch *graph, const char *node, const char *links,
                                         const char *result, gboolean checked, GError **error);
void leat_bench_search_session_clear (LeatBenchSearchSession *self);
/* @times: (nullable) where @runs is 0 */
gboolean leat_bench_search_session_measure (LeatBenchSearchSession *self, guint settle, guint runs,
                                            LeatBenchSeries *times, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchSearchSession, leat_bench_search_session_clear)

G_END_DECLS
