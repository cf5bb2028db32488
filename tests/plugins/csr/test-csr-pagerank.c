/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "csr-graphs.h"
#include "primitive-fixture.h"

#include <math.h>
#include <string.h>

/* `csr:pagerank` against plain C in double. */

static const struct
{
  const char *name;
  CsrMaker make;
  guint32 size;
} rank_cases[] = {
  { "path", csr_graph_make_path, 500 },  { "star", csr_graph_make_star, 9000 },
  { "grid", csr_graph_make_grid, 900 },  { "random", csr_graph_make_random, 700 },
  { "rmat", csr_graph_make_rmat, 2048 }, { "parts", csr_graph_make_parts, 300 },
  { "empty", csr_graph_make_empty, 77 }, { "one", csr_graph_make_empty, 1 },
};

static void
rank_open (PrimitiveFixture *fixture, const char *node, const CsrGraph *graph, const char *outputs)
{
  g_autofree char *inputs = g_strdup_printf ("offsets=u32[%u] back_offsets=u32[%u] back_indices=u32[%u]",
                                             graph->vertices + 1, graph->vertices + 1, MAX (graph->n_edges, 1));

  primitive_fixture_open (fixture, node, inputs, outputs);
}

static void
rank_push (PrimitiveFixture *fixture, const CsrGraph *graph, const CsrGraph *back)
{
  primitive_fixture_push (fixture, 0, graph->offsets, (graph->vertices + 1) * sizeof (guint32));
  primitive_fixture_push (fixture, 1, back->offsets, (graph->vertices + 1) * sizeof (guint32));
  primitive_fixture_push (fixture, 2, back->indices, MAX (graph->n_edges, 1) * sizeof (guint32));
}

/* By giving, where the node takes; so many iterations. */
static double *
rank_compute (const CsrGraph *graph, double damping, guint iterations)
{
  double *ranks = g_new (double, graph->vertices);
  g_autofree double *next = g_new (double, graph->vertices);

  for (guint32 v = 0; v < graph->vertices; v++)
    ranks[v] = 1.0 / graph->vertices;
  for (guint k = 0; k < iterations; k++)
    {
      double idle = 0;

      memset (next, 0, graph->vertices * sizeof *next);
      for (guint32 v = 0; v < graph->vertices; v++)
        {
          guint32 degree = graph->offsets[v + 1] - graph->offsets[v];

          idle += degree == 0 ? ranks[v] : 0;
          for (guint32 e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            next[graph->indices[e]] += ranks[v] / degree;
        }
      for (guint32 v = 0; v < graph->vertices; v++)
        ranks[v] = (1 - damping + damping * idle) / graph->vertices + damping * next[v];
    }
  return ranks;
}

static void
rank_check (const CsrGraph *graph, GBytes *ranks, GBytes *residuals, GBytes *report)
{
  const float *got = g_bytes_get_data (ranks, NULL), *changes = g_bytes_get_data (residuals, NULL);
  const guint64 *told = g_bytes_get_data (report, NULL);
  g_autofree double *wanted = rank_compute (graph, 0.85, (guint) told[0]);
  double sum = 0;

  g_assert_cmpuint (g_bytes_get_size (residuals), ==, told[0] * sizeof *changes);
  g_assert_cmpuint (told[1], ==, 0);
  g_assert_cmpfloat (changes[told[0] - 1], <, 1e-6);
  for (guint k = 0; k + 1 < told[0]; k++)
    g_assert_cmpfloat (changes[k], >=, 1e-6f * 0.999f);
  for (guint32 v = 0; v < graph->vertices; v++)
    {
      g_assert_cmpfloat (fabs (got[v] - wanted[v]), <=, 2e-5 * wanted[v]);
      sum += got[v];
    }
  g_assert_cmpfloat (fabs (sum - 1), <, 1e-4);
}

/* The same bytes however many threads there are in a block. */
static void
test_csr_pagerank_graphs (void)
{
  static const char *const nodes[] = { "csr:pagerank threads=64", "csr:pagerank threads=256" };

  for (guint c = 0; c < G_N_ELEMENTS (rank_cases); c++)
    {
      CsrGraph graph = rank_cases[c].make (rank_cases[c].size), back = csr_graph_turn (&graph);
      g_autoptr (GBytes) first = NULL;

      g_test_message ("%s", rank_cases[c].name);
      for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
        {
          PrimitiveFixture fixture;

          rank_open (&fixture, nodes[i], &graph, "ranks residuals report");
          for (guint run = 0; run < 2; run++)
            {
              g_autoptr (GBytes) ranks = NULL, residuals = NULL, report = NULL;

              rank_push (&fixture, &graph, &back);
              primitive_fixture_replay (&fixture);
              ranks = primitive_fixture_pull (&fixture, 0);
              residuals = primitive_fixture_pull (&fixture, 1);
              report = primitive_fixture_pull (&fixture, 2);
              rank_check (&graph, ranks, residuals, report);
              if (first == NULL)
                first = g_bytes_ref (ranks);
              g_assert_true (g_bytes_equal (first, ranks));
            }
          primitive_fixture_close (&fixture);
        }
      csr_graph_clear (&back);
      csr_graph_clear (&graph);
    }
}

/* The bytes are those of every device and driver: of a graph with rows of each kind, made without a random generator.
 */
static void
test_csr_pagerank_golden (void)
{
  CsrGraph graph = csr_graph_make_star (9000), back = csr_graph_turn (&graph);
  PrimitiveFixture fixture;
  g_autoptr (GBytes) ranks = NULL;
  const guint32 *words;

  rank_open (&fixture, "csr:pagerank max-iterations=3 on-limit=stop", &graph, "ranks");
  rank_push (&fixture, &graph, &back);
  primitive_fixture_replay (&fixture);
  ranks = primitive_fixture_pull (&fixture, 0);
  words = g_bytes_get_data (ranks, NULL);
  g_test_message ("0x%08x 0x%08x", words[0], words[4500]);
  g_assert_cmphex (words[0], ==, 0x37f0e658);
  g_assert_cmphex (words[4500], ==, 0x3f3dd79e);
  primitive_fixture_close (&fixture);
  csr_graph_clear (&back);
  csr_graph_clear (&graph);
}

static void
test_csr_pagerank_ends (void)
{
  static const struct
  {
    const char *node, *word, *then;
  } cases[] = {
    { "csr:pagerank max-iterations=3",
      "\": max-iterations=3 iterations were done, in the last of which the ranks changed by 0.",
      ", all together, where tolerance=1e-06: raise max-iterations= or tolerance=, or set on-limit=stop or warn" },
    { "csr:pagerank tolerance=0 max-iterations=1000000 budget=0.02", "\": budget=0.02 seconds were over after ",
      ", all together, where tolerance=0: raise budget= (0: no limit), or set max-iterations= and on-limit=stop" },
  };
  CsrGraph graph = csr_graph_make_rmat (512), back = csr_graph_turn (&graph);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      PrimitiveFixture fixture;

      rank_open (&fixture, cases[i].node, &graph, "ranks");
      rank_push (&fixture, &graph, &back);
      g_assert_cmpint (leat_session_replay (fixture.session, TRUE, NULL, &error), ==, LEAT_FLOW_ERROR);
      if (strstr (error->message, cases[i].word) == NULL || strstr (error->message, cases[i].then) == NULL
          || strstr (error->message, "csr:pagerank \"n\"") == NULL)
        g_error ("\"%s\" does not say \"%s\" and \"%s\"", error->message, cases[i].word, cases[i].then);
      g_test_message ("%s", error->message);
      primitive_fixture_close (&fixture);
    }
  csr_graph_clear (&back);
  csr_graph_clear (&graph);
}

static void
test_csr_pagerank_bad_data (void)
{
  CsrGraph graph = csr_graph_make_star (5000), back = csr_graph_turn (&graph);
  g_autoptr (GError) error = NULL;
  PrimitiveFixture fixture;

  rank_open (&fixture, "csr:pagerank", &graph, "ranks");
  back.indices[7] = 5000;
  rank_push (&fixture, &graph, &back);
  g_assert_cmpint (leat_session_replay (fixture.session, TRUE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_nonnull (strstr (error->message, "an index that is no vertex: 5000 at index 7"));
  g_clear_error (&error);
  back.indices[7] = 0;
  /* Rows that overlap, each of them long. */
  for (guint32 v = 1; v < 5000; v += 2)
    back.offsets[v] = back.n_edges;
  for (guint32 v = 2; v < 5000; v += 2)
    back.offsets[v] = 0;
  rank_push (&fixture, &graph, &back);
  g_assert_cmpint (leat_session_replay (fixture.session, TRUE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "out of order"));
  primitive_fixture_close (&fixture);
  csr_graph_clear (&back);
  csr_graph_clear (&graph);
}

/* What an earlier run has left behind the indices of this one is no part of the graph. */
static void
test_csr_pagerank_beyond (void)
{
  CsrGraph graph = csr_graph_make_star (50), back = csr_graph_turn (&graph);
  PrimitiveFixture fixture;

  primitive_fixture_open (&fixture, "csr:pagerank", "offsets=u32[51] back_offsets=u32[51] back_indices=u32[<=500]",
                          "ranks");
  for (guint run = 0; run < 3; run++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) ranks = NULL;

      primitive_fixture_push (&fixture, 0, graph.offsets, 51 * sizeof (guint32));
      primitive_fixture_push (&fixture, 1, back.offsets, 51 * sizeof (guint32));
      primitive_fixture_push (&fixture, 2, back.indices, (run == 1 ? 20 : back.n_edges) * sizeof (guint32));
      if (run == 1)
        {
          g_assert_cmpint (leat_session_replay (fixture.session, TRUE, NULL, &error), ==, LEAT_FLOW_ERROR);
          g_assert_nonnull (strstr (error->message, "is out of order or beyond the indices"));
          continue;
        }
      primitive_fixture_replay (&fixture);
      ranks = primitive_fixture_pull (&fixture, 0);
    }
  primitive_fixture_close (&fixture);
  csr_graph_clear (&back);
  csr_graph_clear (&graph);
}

static void
test_csr_pagerank_refuses (void)
{
  static const struct
  {
    const char *node, *inputs, *word;
  } cases[] = {
    { "csr:pagerank", "offsets=u32[6] back_offsets=u32[5] back_indices=u32[6]", "not of one size and type" },
    { "csr:pagerank", "offsets=u64[5] back_offsets=u32[5] back_indices=u32[6]", "not of one size and type" },
    { "csr:pagerank threads=33", "offsets=u32[5] back_offsets=u32[5] back_indices=u32[6]", "multiple of 32" },
    { "csr:pagerank", "back_offsets=u32[5] back_indices=u32[6]", "needs a link to its port \"offsets\"" },
    { "csr:pagerank", "offsets=u32[5] back_indices=u32[6]", "needs a link to its port \"back_offsets\"" },
    { "csr:pagerank", "offsets=u32[5] back_offsets=u32[5]", "needs a link to its port \"back_indices\"" },
    { "csr:pagerank damping=1.5", "offsets=u32[5] back_offsets=u32[5] back_indices=u32[6]", "damping" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = primitive_fixture_fail (cases[i].node, cases[i].inputs, "ranks");

      if (strstr (error->message, cases[i].word) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, cases[i].word);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/csr/pagerank/graphs", test_csr_pagerank_graphs);
  g_test_add_func ("/leat/csr/pagerank/golden", test_csr_pagerank_golden);
  g_test_add_func ("/leat/csr/pagerank/ends", test_csr_pagerank_ends);
  g_test_add_func ("/leat/csr/pagerank/bad-data", test_csr_pagerank_bad_data);
  g_test_add_func ("/leat/csr/pagerank/beyond", test_csr_pagerank_beyond);
  g_test_add_func ("/leat/csr/pagerank/refuses", test_csr_pagerank_refuses);
  return g_test_run ();
}
