/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* What `csr:` does with graphs, as a C programmer would write it for some threads: no driver, no framework. */

typedef struct
{
  guint32 vertices;
  const guint32 *offsets, *indices;
} PlainGraph;

/* The level of each vertex; G_MAXUINT32 where @source does not lead. */
void plain_bfs (const PlainGraph *graph, guint32 source, guint32 *levels, guint threads);

/* The least vertex that each is joined to, of a graph that has each edge both ways. */
void plain_components (const PlainGraph *graph, guint32 *labels, guint threads);

/* @iterations steps of a graph that has each edge both ways, damped by 0.85. */
void plain_pagerank (const PlainGraph *graph, guint iterations, float *ranks, guint threads);

/* @weights: above 0, one for each edge; INFINITY where @source does not lead. */
void plain_sssp (const PlainGraph *graph, const float *weights, guint32 source, float *distances, guint threads);

/* Bit i of each vertex: whether the i-th of 64 sources leads there. */
void plain_reach (const PlainGraph *graph, const guint32 *sources, guint64 *reached, guint threads);
