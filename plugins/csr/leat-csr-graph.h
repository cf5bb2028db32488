/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-csr-rounding.h"

G_BEGIN_DECLS

#define LEAT_CSR_MOST_VERTICES ((guint64) 1 << 31)
#define LEAT_CSR_MOST_EDGES    ((guint64) 1 << 36)

/* Edges as a file lists them, in any order. */
typedef struct
{
  guint64 vertices;  /* one more than the greatest number, or what the file says */
  GArray *from, *to; /* guint32 */
  GArray *weights;   /* float; empty where edges have none */
  LeatCsrRounding rounding;
} LeatCsrEdges;

/* A graph as compressed rows: the edges of vertex v go to indices[offsets[v]] ... indices[offsets[v + 1] - 1]. */
typedef struct
{
  guint64 vertices;
  guint64 n_edges;
  guint64 *offsets; /* vertices + 1 */
  guint32 *indices;
  float *weights; /* (nullable) */
} LeatCsrGraph;

void leat_csr_edges_init (LeatCsrEdges *self);
void leat_csr_edges_clear (LeatCsrEdges *self);

/* Both fail where there is no memory for it. */
LeatCsrGraph *leat_csr_graph_new (guint64 vertices, guint64 n_edges, gboolean weighted, GError **error);
LeatCsrGraph *leat_csr_graph_new_from_edges (const LeatCsrEdges *edges, GError **error);
void leat_csr_graph_free (LeatCsrGraph *self);

/* Every edge turned around.  Rows come out in ascending order. */
LeatCsrGraph *leat_csr_graph_transpose (const LeatCsrGraph *self, GError **error);
/* With every edge its opposite, where that is another. */
LeatCsrGraph *leat_csr_graph_symmetrize (const LeatCsrGraph *self, GError **error);
/* Of equal edges one is left, that with the least weight.  Rows are sorted. */
void leat_csr_graph_remove_doubles (LeatCsrGraph *self);
gboolean leat_csr_graph_is_sorted (const LeatCsrGraph *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatCsrGraph, leat_csr_graph_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatCsrEdges, leat_csr_edges_clear)

G_END_DECLS
