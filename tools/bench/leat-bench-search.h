/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Graphs for measuring, each edge with its opposite and rows in order, and a plain search in them to compare with. */
typedef struct
{
  guint32 vertices, n_edges;
  guint32 *offsets, *indices;
  guint32 source; /* a vertex with edges */
} LeatBenchSearch;

/* A square of 2^@scale times 2^@scale vertices, and R-MAT with 2^@scale vertices and @factor edges for each. */
void leat_bench_search_init_grid (LeatBenchSearch *self, guint scale);
void leat_bench_search_init_rmat (LeatBenchSearch *self, guint scale, guint factor);
/* The edges of each vertex in any order. */
void leat_bench_search_mix_rows (LeatBenchSearch *self);
void leat_bench_search_clear (LeatBenchSearch *self);

/* Levels and parents, level by level, by @n_threads that share each level's frontier.  Edges that were followed. */
guint64 leat_bench_search_run_plain (const LeatBenchSearch *self, guint n_threads, guint32 *levels, guint32 *parents);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchSearch, leat_bench_search_clear)

G_END_DECLS
