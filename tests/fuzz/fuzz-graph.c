/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-csr-packages.h"
#include "leat-csr-text.h"
#include "leat-fuzz.h"

#include <string.h>

/* A text with three numbers may say that it has 2^31 vertices, which are not worth the memory here. */
#define MOST_VERTICES 4096

const char *const leat_fuzz_words[] = {
  "%%MatrixMarket",
  " matrix",
  " coordinate",
  " array",
  " pattern",
  " real",
  " integer",
  " general",
  " symmetric",
  "Package: ",
  "Depends: ",
  "Pre-Depends: ",
  "Provides: ",
  "Status: install ok installed",
  ":any",
  " (>= 1)",
  " | ",
  ", ",
  "\n",
  "\n\n",
  " ",
  "#",
  "%",
  "0",
  "1",
  "-1",
  "2147483647",
  "2147483648",
  "4294967296",
  "18446744073709551616",
  "1e400",
  "nan",
  NULL,
};

/* Rows begin where the one before ends, and every edge goes to a vertex. */
static void
fuzz_check_rows (const LeatCsrGraph *graph, guint64 vertices, guint64 n_edges)
{
  g_assert_cmpuint (graph->vertices, ==, vertices);
  g_assert_cmpuint (graph->n_edges, ==, n_edges);
  g_assert_cmpuint (graph->offsets[0], ==, 0);
  g_assert_cmpuint (graph->offsets[vertices], ==, n_edges);
  for (guint64 v = 0; v < vertices; v++)
    g_assert_cmpuint (graph->offsets[v], <=, graph->offsets[v + 1]);
  for (guint64 e = 0; e < n_edges; e++)
    g_assert_cmpuint (graph->indices[e], <, vertices);
}

/* Turned around twice it is itself, with its rows sorted. */
static void
fuzz_check_graph (const LeatCsrEdges *edges)
{
  g_autoptr (LeatCsrGraph) graph = leat_csr_graph_new_from_edges (edges, NULL);
  g_autoptr (LeatCsrGraph) back = leat_csr_graph_transpose (graph, NULL);
  g_autoptr (LeatCsrGraph) again = leat_csr_graph_transpose (back, NULL);
  g_autoptr (LeatCsrGraph) third = NULL;
  g_autoptr (LeatCsrGraph) both = leat_csr_graph_symmetrize (graph, NULL);

  fuzz_check_rows (graph, edges->vertices, edges->from->len);
  fuzz_check_rows (back, edges->vertices, edges->from->len);
  g_assert_true (leat_csr_graph_is_sorted (back));
  g_assert_true (leat_csr_graph_is_sorted (again));
  g_assert_cmpmem (graph->offsets, (edges->vertices + 1) * sizeof (guint64), again->offsets,
                   (edges->vertices + 1) * sizeof (guint64));
  third = leat_csr_graph_transpose (again, NULL);
  g_assert_cmpmem (back->indices, back->n_edges * sizeof (guint32), third->indices, back->n_edges * sizeof (guint32));
  fuzz_check_rows (both, edges->vertices, both->n_edges);
  leat_csr_graph_remove_doubles (again);
  fuzz_check_rows (again, edges->vertices, again->n_edges);
}

static void
fuzz_check_edges (const LeatCsrEdges *edges, gboolean good, const GError *error)
{
  g_assert_cmpint (good, ==, error == NULL);
  if (!good)
    return;
  g_assert_cmpuint (edges->from->len, ==, edges->to->len);
  g_assert_true (edges->weights->len == 0 || edges->weights->len == edges->from->len);
  for (guint i = 0; i < edges->from->len; i++)
    {
      g_assert_cmpuint (g_array_index (edges->from, guint32, i), <, edges->vertices);
      g_assert_cmpuint (g_array_index (edges->to, guint32, i), <, edges->vertices);
    }
  if (edges->vertices <= MOST_VERTICES)
    fuzz_check_graph (edges);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_malloc (size + 1); /* as files are read: with a 0 behind them, and perhaps in them */

  memcpy (text, data, size);
  text[size] = '\0';
  for (guint reader = 0; reader < 3; reader++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (LeatCsrPackages) packages = { NULL };
      g_auto (LeatCsrEdges) edges = { 0 };
      gboolean symmetric = FALSE, good;

      leat_csr_edges_init (&edges);
      if (reader == 0)
        good = leat_csr_text_read_edges (&edges, "fuzz", text, size, &error);
      else if (reader == 1)
        good = leat_csr_text_read_matrix (&edges, "fuzz", text, size, &symmetric, &error);
      else
        good = leat_csr_packages_read (&packages, &edges, "fuzz", text, size, &error);
      fuzz_check_edges (&edges, good, error);
    }
  return 0;
}
