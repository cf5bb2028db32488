/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* A graph that a test makes, and what a plain program finds in it. */
typedef struct
{
  guint32 vertices, n_edges;
  guint32 *offsets, *indices;
} CsrGraph;

typedef CsrGraph (*CsrMaker) (guint32 size);

/* Of about @size vertices. */
CsrGraph csr_graph_make_path (guint32 size);
CsrGraph csr_graph_make_star (guint32 size);
CsrGraph csr_graph_make_grid (guint32 size);
CsrGraph csr_graph_make_random (guint32 size);
CsrGraph csr_graph_make_rmat (guint32 size);
/* The same, each edge with its opposite. */
CsrGraph csr_graph_make_rmat_both (guint32 size);
/* Many small parts. */
CsrGraph csr_graph_make_parts (guint32 size);
/* No edges. */
CsrGraph csr_graph_make_empty (guint32 size);
CsrGraph csr_graph_make_bottle (guint32 size);
/* Paths side by side, one of which ends in very many twigs. */
CsrGraph csr_graph_make_brush (guint32 size);
/* Turned around. */
CsrGraph csr_graph_turn (const CsrGraph *self);
/* The edges of each vertex in another order. */
void csr_graph_shuffle (CsrGraph *self, guint64 seed);
void csr_graph_clear (CsrGraph *self);

/* Levels and least parents by a queue. @parents: (nullable) */
void csr_graph_search (const CsrGraph *self, const guint32 *sources, guint n_sources, guint32 *levels,
                       guint32 *parents);

G_END_DECLS
