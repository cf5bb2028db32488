/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-csr-graph.h"

G_BEGIN_DECLS

/* Graphs in text.  @name stands in messages, which have the line too; LEAT_GRAPH_ERROR_DATA. */

/* A line for each edge: `from to` or `from to weight`, counted from 0; # and % begin comments. */
gboolean leat_csr_text_read_edges (LeatCsrEdges *edges, const char *name, const char *text, gsize size, GError **error);
/* Whether the comments in front of the first edge have a banner of Matrix Market, or what can only be meant for one. */
gboolean leat_csr_text_find_banner (const char *text, gsize size);
/* A square coordinate matrix of Matrix Market: an entry (i, j) is an edge from i to j.  @symmetric: whether the file
 * has each pair of opposite entries once. */
gboolean leat_csr_text_read_matrix (LeatCsrEdges *edges, const char *name, const char *text, gsize size,
                                    gboolean *symmetric, GError **error);

G_END_DECLS
