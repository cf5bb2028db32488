/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "csr-graphs.h"
#include "primitive-fixture.h"
#include "tune-fixture.h"

#include <math.h>
#include <string.h>

/* `csr:reach`, `csr:sssp` and `csr:components` against plain C. */

static const struct
{
  const char *name;
  CsrMaker make;
  guint32 size;
} relax_cases[] = {
  { "path", csr_graph_make_path, 500 },   { "star", csr_graph_make_star, 3000 },
  { "grid", csr_graph_make_grid, 900 },   { "random", csr_graph_make_random, 700 },
  { "rmat", csr_graph_make_rmat, 1024 },  { "rmat-both", csr_graph_make_rmat_both, 1024 },
  { "parts", csr_graph_make_parts, 300 }, { "empty", csr_graph_make_empty, 77 },
  { "one", csr_graph_make_empty, 1 },     { "bottle", csr_graph_make_bottle, 1000 },
};

static void
relax_push (PrimitiveFixture *fixture, const CsrGraph *graph, const float *weights, const guint32 *sources, guint n)
{
  guint input = 0;

  primitive_fixture_push (fixture, input++, graph->offsets, (graph->vertices + 1) * sizeof (guint32));
  primitive_fixture_push (fixture, input++, graph->indices, MAX (graph->n_edges, 1) * sizeof (guint32));
  if (weights != NULL)
    primitive_fixture_push (fixture, input++, weights, MAX (graph->n_edges, 1) * sizeof (float));
  primitive_fixture_push (fixture, input, sources, n * sizeof *sources);
}

static void
relax_open (PrimitiveFixture *fixture, const char *node, const CsrGraph *graph, gboolean weighted, const char *outputs)
{
  guint edges = MAX (graph->n_edges, 1);
  g_autofree char *weights = weighted ? g_strdup_printf ("weights=f32[%u] ", edges) : g_strdup ("");
  g_autofree char *inputs =
    g_strdup_printf ("offsets=u32[%u] indices=u32[%u] %ssources=u32[<=64]", graph->vertices + 1, edges, weights);

  primitive_fixture_open (fixture, node, inputs, outputs);
}

static void
relax_search_reach (const CsrGraph *graph, const guint32 *sources, guint n, guint64 *reached)
{
  g_autofree guint32 *levels = g_new (guint32, graph->vertices);

  memset (reached, 0, graph->vertices * sizeof *reached);
  for (guint i = 0; i < n; i++)
    {
      csr_graph_search (graph, &sources[i], 1, levels, NULL);
      for (guint32 v = 0; v < graph->vertices; v++)
        if (levels[v] != G_MAXUINT32)
          reached[v] |= (guint64) 1 << i;
    }
}

static void
test_csr_reach_graphs (void)
{
  for (guint c = 0; c < G_N_ELEMENTS (relax_cases); c++)
    {
      CsrGraph graph = relax_cases[c].make (relax_cases[c].size);
      g_autofree guint64 *wanted = g_new (guint64, graph.vertices);
      guint64 seed = c;
      PrimitiveFixture fixture;

      g_test_message ("%s", relax_cases[c].name);
      relax_open (&fixture, "csr:reach threads=64", &graph, FALSE, "reached report");
      for (guint n = 65; n-- > 0; n = n == 64 ? 2 : n)
        {
          guint32 sources[64];
          g_autoptr (GBytes) reached = NULL, report = NULL;

          for (guint i = 0; i < n; i++)
            sources[i] = (guint32) (primitive_random (&seed) % graph.vertices);
          relax_push (&fixture, &graph, NULL, sources, n);
          primitive_fixture_replay (&fixture);
          reached = primitive_fixture_pull (&fixture, 0);
          report = primitive_fixture_pull (&fixture, 1);
          relax_search_reach (&graph, sources, n, wanted);
          g_assert_cmpmem (g_bytes_get_data (reached, NULL), g_bytes_get_size (reached), wanted,
                           graph.vertices * sizeof *wanted);
          g_assert_cmpuint (((const guint64 *) g_bytes_get_data (report, NULL))[1], ==, 0);
        }
      primitive_fixture_close (&fixture);
      csr_graph_clear (&graph);
    }
}

/* The same bits whichever way rounds are done, and the report says by which limit. */
static void
relax_check_alone (const char *node, const CsrGraph *graph, const guint64 *alone, guint runs)
{
  g_autofree guint64 *wanted = g_new (guint64, graph->vertices);
  const guint32 source = 1;
  PrimitiveFixture fixture;

  relax_search_reach (graph, &source, 1, wanted);
  relax_open (&fixture, node, graph, FALSE, "reached report");
  for (guint run = 0; run < runs; run++)
    {
      g_autoptr (GBytes) reached = NULL, report = NULL;

      relax_push (&fixture, graph, NULL, &source, 1);
      primitive_fixture_replay (&fixture);
      reached = primitive_fixture_pull (&fixture, 0);
      report = primitive_fixture_pull (&fixture, 1);
      g_assert_cmpmem (g_bytes_get_data (reached, NULL), g_bytes_get_size (reached), wanted,
                       graph->vertices * sizeof *wanted);
      g_assert_cmpuint (((const guint64 *) g_bytes_get_data (report, NULL))[3], ==, alone[run]);
    }
  primitive_fixture_close (&fixture);
}

static void
test_csr_reach_alone (void)
{
  static const guint64 alone[] = { 1, 40, 1048576 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (alone); i++)
    {
      CsrGraph graph = i % 2 ? csr_graph_make_grid (900) : csr_graph_make_rmat_both (1024);
      g_autofree char *node = g_strdup_printf ("csr:reach threads=64 alone=%" G_GUINT64_FORMAT, alone[i / 2]);
      const guint64 each[] = { alone[i / 2], alone[i / 2] };

      relax_check_alone (node, &graph, each, 2);
      csr_graph_clear (&graph);
    }
}

/* Where none is set each of six is tried twice, and then one of them is taken.  Nothing is known of this graph. */
static void
test_csr_reach_measures (void)
{
  static const guint64 alone[] = { 512, 256, 128, 1024, 2048, 32, 512, 256, 128, 1024, 2048, 32 };
  CsrGraph graph = csr_graph_make_grid (961);

  relax_check_alone ("csr:reach threads=64", &graph, alone, G_N_ELEMENTS (alone));
  csr_graph_clear (&graph);
}

/* Until nothing changes, in f32 and from the source on, as it is defined. */
static void
relax_search_distances (const CsrGraph *graph, const float *weights, const guint32 *sources, guint n, float *distances)
{
  gboolean changed = TRUE;

  for (guint32 v = 0; v < graph->vertices; v++)
    distances[v] = INFINITY;
  for (guint i = 0; i < n; i++)
    distances[sources[i]] = 0;
  while (changed)
    {
      changed = FALSE;
      for (guint32 v = 0; v < graph->vertices; v++)
        for (guint32 e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
          {
            volatile float sum = distances[v] + weights[e];

            if (sum < distances[graph->indices[e]])
              {
                distances[graph->indices[e]] = sum;
                changed = TRUE;
              }
          }
    }
}

static float *
relax_make_weights (const CsrGraph *graph, guint64 seed)
{
  float *weights = g_new0 (float, MAX (graph->n_edges, 1));

  for (guint32 e = 0; e < graph->n_edges; e++)
    weights[e] = (float) (primitive_random (&seed) % 1000) / 7.0f;
  return weights;
}

static void
test_csr_sssp_graphs (void)
{
  for (guint c = 0; c < G_N_ELEMENTS (relax_cases); c++)
    {
      CsrGraph graph = relax_cases[c].make (relax_cases[c].size);
      g_autofree float *weights = relax_make_weights (&graph, c), *wanted = g_new (float, graph.vertices);
      const guint32 sources[] = { graph.vertices / 2, 0 };
      PrimitiveFixture fixture;

      g_test_message ("%s", relax_cases[c].name);
      relax_open (&fixture, "csr:sssp threads=64", &graph, TRUE, "distances");
      for (guint n = 1; n <= 2; n++)
        {
          g_autoptr (GBytes) distances = NULL;

          relax_push (&fixture, &graph, weights, sources, n);
          primitive_fixture_replay (&fixture);
          distances = primitive_fixture_pull (&fixture, 0);
          relax_search_distances (&graph, weights, sources, n, wanted);
          g_assert_cmpmem (g_bytes_get_data (distances, NULL), g_bytes_get_size (distances), wanted,
                           graph.vertices * sizeof *wanted);
        }
      primitive_fixture_close (&fixture);
      csr_graph_clear (&graph);
    }
}

/* By the least label that comes along edges, either way, until nothing changes.  Threads that are late show in some
 * runs alone. */
#define COMPONENTS_RUNS 20

static void
test_csr_components_graphs (void)
{
  for (guint c = 0; c < G_N_ELEMENTS (relax_cases); c++)
    {
      CsrGraph graph = relax_cases[c].make (relax_cases[c].size);
      g_autofree guint32 *wanted = g_new (guint32, graph.vertices);
      g_autofree char *inputs =
        g_strdup_printf ("offsets=u32[%u] indices=u32[%u]", graph.vertices + 1, MAX (graph.n_edges, 1));
      gboolean changed = TRUE;
      PrimitiveFixture fixture;

      for (guint32 v = 0; v < graph.vertices; v++)
        wanted[v] = v;
      while (changed)
        {
          changed = FALSE;
          for (guint32 v = 0; v < graph.vertices; v++)
            for (guint32 e = graph.offsets[v]; e < graph.offsets[v + 1]; e++)
              {
                guint32 least = MIN (wanted[v], wanted[graph.indices[e]]);

                changed = changed || wanted[v] != least || wanted[graph.indices[e]] != least;
                wanted[v] = wanted[graph.indices[e]] = least;
              }
        }
      primitive_fixture_open (&fixture, "csr:components threads=64", inputs, "labels");
      for (guint run = 0; run < COMPONENTS_RUNS; run++)
        {
          g_autoptr (GBytes) labels = NULL;

          primitive_fixture_push (&fixture, 0, graph.offsets, (graph.vertices + 1) * sizeof (guint32));
          primitive_fixture_push (&fixture, 1, graph.indices, MAX (graph.n_edges, 1) * sizeof (guint32));
          primitive_fixture_replay (&fixture);
          labels = primitive_fixture_pull (&fixture, 0);
          g_assert_cmpmem (g_bytes_get_data (labels, NULL), g_bytes_get_size (labels), wanted,
                           graph.vertices * sizeof *wanted);
        }
      primitive_fixture_close (&fixture);
      csr_graph_clear (&graph);
    }
}

static void
relax_assert_fails (PrimitiveFixture *fixture, const char *word)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (leat_session_replay (fixture->session, TRUE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_nonnull (error);
  if (strstr (error->message, word) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, word);
}

static void
test_csr_relax_bad_data (void)
{
  CsrGraph graph = csr_graph_make_path (100);
  g_autofree float *weights = relax_make_weights (&graph, 1);
  guint32 sources[] = { 0, 100 };
  PrimitiveFixture reach, sssp;

  relax_open (&reach, "csr:reach threads=64", &graph, FALSE, "reached");
  relax_push (&reach, &graph, NULL, sources, 2);
  relax_assert_fails (&reach, "a source that is no vertex: 100 at index 1");
  graph.indices[7] = 100;
  relax_push (&reach, &graph, NULL, sources, 1);
  relax_assert_fails (&reach, "an index that is no vertex: 100 at index 7");
  graph.indices[7] = 3;
  graph.offsets[5] = 1000;
  relax_push (&reach, &graph, NULL, sources, 1);
  relax_assert_fails (&reach, "out of order");
  graph.offsets[5] = 9;
  primitive_fixture_close (&reach);
  relax_open (&sssp, "csr:sssp threads=64", &graph, TRUE, "distances");
  weights[3] = -1;
  relax_push (&sssp, &graph, weights, sources, 1);
  relax_assert_fails (&sssp, "negative or no number: -1 at index 3");
  weights[3] = NAN;
  relax_push (&sssp, &graph, weights, sources, 1);
  relax_assert_fails (&sssp, "negative or no number: ");
  weights[3] = -INFINITY;
  relax_push (&sssp, &graph, weights, sources, 1);
  relax_assert_fails (&sssp, "negative or no number: -inf at index 3");
  primitive_fixture_close (&sssp);
  csr_graph_clear (&graph);
}

/* What an earlier run has left behind the indices of this one, and behind its weights, is no part of the graph. */
static void
test_csr_relax_beyond (void)
{
  static const char *const beyond = "is out of order or beyond the indices";
  CsrGraph graph = csr_graph_make_path (100);
  g_autofree float *weights = relax_make_weights (&graph, 1);
  const guint32 source = 0;

  for (guint i = 0; i < 3; i++)
    {
      static const char *const nodes[] = { "csr:reach", "csr:sssp", "csr:components" };
      static const char *const outputs[] = { "reached", "distances", "labels" };
      const char *more = i == 1 ? " weights=f32[<=500] sources=u32[1]" : i == 0 ? " sources=u32[1]" : "";
      g_autofree char *inputs = g_strdup_printf ("offsets=u32[101] indices=u32[<=500]%s", more);
      guint shorter = i == 1 ? 2 : 1;
      PrimitiveFixture fixture;

      primitive_fixture_open (&fixture, nodes[i], inputs, outputs[i]);
      for (guint run = 0; run < 2 * shorter + 1; run++)
        {
          guint32 n = graph.n_edges, n_indices = run == 1 ? 30 : n, n_weights = run == 3 ? 30 : n;
          g_autoptr (GBytes) result = NULL;

          primitive_fixture_push (&fixture, 0, graph.offsets, 101 * sizeof (guint32));
          primitive_fixture_push (&fixture, 1, graph.indices, n_indices * sizeof (guint32));
          if (i == 1)
            primitive_fixture_push (&fixture, 2, weights, n_weights * sizeof (float));
          if (i < 2)
            primitive_fixture_push (&fixture, i + 2, &source, sizeof source);
          if (run % 2 == 1)
            {
              relax_assert_fails (&fixture, beyond);
              continue;
            }
          primitive_fixture_replay (&fixture);
          result = primitive_fixture_pull (&fixture, 0);
        }
      primitive_fixture_close (&fixture);
    }
  csr_graph_clear (&graph);
}

static void
test_csr_relax_limit (void)
{
  CsrGraph graph = csr_graph_make_path (1000);
  guint32 source = 0;
  PrimitiveFixture fixture;

  relax_open (&fixture, "csr:reach threads=64 max-iterations=10", &graph, FALSE, "reached");
  relax_push (&fixture, &graph, NULL, &source, 1);
  relax_assert_fails (
    &fixture, "csr:reach \"n\": max-iterations=10 rounds were done, with 1 vertices left to go on from: raise ");
  primitive_fixture_close (&fixture);
  csr_graph_clear (&graph);
}

/* Named with what is left, and the session goes on. */
static void
test_csr_relax_budget (void)
{
  CsrGraph graph = csr_graph_make_path (200000);
  guint32 source = 0;
  PrimitiveFixture fixture;

  relax_open (&fixture, "csr:reach threads=64 budget=0.000001", &graph, FALSE, "reached");
  for (guint run = 0; run < 3; run++)
    {
      relax_push (&fixture, &graph, NULL, &source, 1);
      relax_assert_fails (&fixture, "csr:reach \"n\": budget=1e-06 seconds were over after ");
      relax_push (&fixture, &graph, NULL, &source, 1);
      relax_assert_fails (&fixture, " rounds, with 1 vertices left to go on from: raise budget= (0: no limit), or set");
    }
  primitive_fixture_close (&fixture);
  csr_graph_clear (&graph);
}

static void
test_csr_relax_refuses (void)
{
  static const struct
  {
    const char *node, *inputs, *output, *word;
  } cases[] = {
    { "csr:reach", "offsets=u32[5] indices=u32[6] sources=u32[65]", "reached", "64 sources at most" },
    { "csr:reach", "offsets=u32[5] indices=u32[6] sources=u64[4]", "reached", "it is u32" },
    { "csr:reach threads=33", "offsets=u32[5] indices=u32[6] sources=u32[4]", "reached", "multiple of 32" },
    { "csr:reach", "indices=u32[6] sources=u32[4]", "reached", "needs a link to its port \"offsets\"" },
    { "csr:reach", "offsets=u32[5] sources=u32[4]", "reached", "needs a link to its port \"indices\"" },
    { "csr:reach", "offsets=u32[5] indices=u32[6]", "reached", "needs a link to its port \"sources\"" },
    { "csr:sssp", "indices=u32[6] weights=f32[6] sources=u32[4]", "distances", "needs a link to its port \"offsets\"" },
    { "csr:sssp", "offsets=u32[5] weights=f32[6] sources=u32[4]", "distances", "needs a link to its port \"indices\"" },
    { "csr:sssp", "offsets=u32[5] indices=u32[6] sources=u32[4]", "distances", "needs a link to its port \"weights\"" },
    { "csr:sssp", "offsets=u32[5] indices=u32[6] weights=f32[6]", "distances", "needs a link to its port \"sources\"" },
    { "csr:sssp", "offsets=u32[5] indices=u32[6] weights=f32[5] sources=u32[4]", "distances", "5 weights for 6" },
    { "csr:sssp", "offsets=u32[5] indices=u32[6] weights=u32[6] sources=u32[4]", "distances", "weights" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GError *error = NULL;
      g_autoptr (LeatPipeline) pipeline =
        primitive_fixture_parse (cases[i].node, cases[i].inputs, cases[i].output, &error);
      g_autoptr (LeatPlan) plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;

      g_assert_null (plan);
      if (strstr (error->message, cases[i].word) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, cases[i].word);
      g_clear_error (&error);
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = tune_fixture_init (&argc, &argv);

  g_test_add_func ("/leat/csr/reach/graphs", test_csr_reach_graphs);
  g_test_add_func ("/leat/csr/reach/alone", test_csr_reach_alone);
  g_test_add_func ("/leat/csr/reach/measures", test_csr_reach_measures);
  g_test_add_func ("/leat/csr/sssp/graphs", test_csr_sssp_graphs);
  g_test_add_func ("/leat/csr/components/graphs", test_csr_components_graphs);
  g_test_add_func ("/leat/csr/relax/bad-data", test_csr_relax_bad_data);
  g_test_add_func ("/leat/csr/relax/beyond", test_csr_relax_beyond);
  g_test_add_func ("/leat/csr/relax/limit", test_csr_relax_limit);
  g_test_add_func ("/leat/csr/relax/budget", test_csr_relax_budget);
  g_test_add_func ("/leat/csr/relax/refuses", test_csr_relax_refuses);
  return tune_fixture_end (cache, g_test_run ());
}
