/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "csr-graphs.h"
#include "primitive-fixture.h"

#include <string.h>

/* `csr:bfs` against a search with a queue. */

enum
{
  REPORT_ITERATIONS,
  REPORT_REASON,
  REPORT_REACHED,
  REPORT_ALONE,
  REPORT_PUSHED,
  REPORT_PULLED,
  REPORT_LEFT,
  REPORT_APART
};

typedef struct
{
  GBytes *levels, *parents, *report;
} BfsResult;

static void
bfs_result_clear (BfsResult *self)
{
  g_clear_pointer (&self->levels, g_bytes_unref);
  g_clear_pointer (&self->parents, g_bytes_unref);
  g_clear_pointer (&self->report, g_bytes_unref);
}

static guint64
bfs_result_get (const BfsResult *self, guint word)
{
  return ((const guint64 *) g_bytes_get_data (self->report, NULL))[word];
}

static void
bfs_open (PrimitiveFixture *fixture, const char *node, const CsrGraph *graph, gboolean back)
{
  g_autoptr (GString) inputs = g_string_new (NULL);

  for (guint i = 0; i < (back ? 2 : 1); i++)
    g_string_append_printf (inputs, "%soffsets=u32[%u] %sindices=u32[%u] ", i > 0 ? "back_" : "", graph->vertices + 1,
                            i > 0 ? "back_" : "", MAX (graph->n_edges, 1));
  g_string_append (inputs, "sources=u32[<=100]");
  primitive_fixture_open (fixture, node, inputs->str, "levels parents report");
}

static void
bfs_push (PrimitiveFixture *fixture, const CsrGraph *graph, const CsrGraph *back, const guint32 *sources, guint n)
{
  guint input = 0;

  for (const CsrGraph *g = graph; g != NULL; g = g == graph ? back : NULL)
    {
      primitive_fixture_push (fixture, input++, g->offsets, (g->vertices + 1) * sizeof (guint32));
      primitive_fixture_push (fixture, input++, g->indices, MAX (g->n_edges, 1) * sizeof (guint32));
    }
  primitive_fixture_push (fixture, input, sources, n * sizeof *sources);
}

static BfsResult
bfs_run (PrimitiveFixture *fixture, const CsrGraph *graph, const CsrGraph *back, const guint32 *sources, guint n)
{
  BfsResult result;

  bfs_push (fixture, graph, back, sources, n);
  primitive_fixture_replay (fixture);
  result.levels = primitive_fixture_pull (fixture, 0);
  result.parents = primitive_fixture_pull (fixture, 1);
  result.report = primitive_fixture_pull (fixture, 2);
  return result;
}

static void
bfs_check (const BfsResult *result, const CsrGraph *graph, const guint32 *sources, guint n)
{
  g_autofree guint32 *levels = g_new (guint32, graph->vertices), *parents = g_new (guint32, graph->vertices);
  gsize size = graph->vertices * sizeof (guint32);
  guint64 reached = 0, iterations = 0;

  csr_graph_search (graph, sources, n, levels, parents);
  g_assert_cmpmem (g_bytes_get_data (result->levels, NULL), g_bytes_get_size (result->levels), levels, size);
  g_assert_cmpmem (g_bytes_get_data (result->parents, NULL), g_bytes_get_size (result->parents), parents, size);
  for (guint32 v = 0; v < graph->vertices; v++)
    if (levels[v] != G_MAXUINT32)
      {
        reached++;
        iterations = MAX (iterations, levels[v] + 1);
      }
  g_assert_cmpuint (bfs_result_get (result, REPORT_REACHED), ==, reached);
  g_assert_cmpuint (bfs_result_get (result, REPORT_REASON), ==, 0);
  g_assert_cmpuint (bfs_result_get (result, REPORT_ITERATIONS), ==, iterations);
}

static const struct
{
  const char *name;
  CsrMaker make;
  guint32 size;
  gboolean symmetric;
} bfs_cases[] = {
  { "path", csr_graph_make_path, 700, TRUE },    { "star", csr_graph_make_star, 6000, TRUE },
  { "grid", csr_graph_make_grid, 900, TRUE },    { "random", csr_graph_make_random, 1500, FALSE },
  { "rmat", csr_graph_make_rmat, 1024, FALSE },  { "rmat-both", csr_graph_make_rmat_both, 1024, TRUE },
  { "parts", csr_graph_make_parts, 300, TRUE },  { "empty", csr_graph_make_empty, 77, TRUE },
  { "one", csr_graph_make_empty, 1, TRUE },      { "bottle", csr_graph_make_bottle, 1500, TRUE },
  { "brush", csr_graph_make_brush, 9000, TRUE },
};

/* Several runs of one session, with other sources in each. */
static void
bfs_check_case (const char *node, const CsrGraph *graph, const CsrGraph *back)
{
  guint64 seed = graph->vertices;
  PrimitiveFixture fixture;

  bfs_open (&fixture, node, graph, back != NULL);
  for (guint run = 0; run < 4; run++)
    {
      guint n = run == 2 ? 100 : run == 3 ? 0 : 1;
      guint32 sources[100];
      BfsResult result;

      for (guint i = 0; i < n; i++)
        sources[i] = run == 0 ? 0 : (guint32) (primitive_random (&seed) % graph->vertices);
      result = bfs_run (&fixture, graph, back, sources, n);
      bfs_check (&result, graph, sources, n);
      bfs_result_clear (&result);
    }
  primitive_fixture_close (&fixture);
}

static void
test_csr_bfs_graphs (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bfs_cases); i++)
    {
      CsrGraph graph = bfs_cases[i].make (bfs_cases[i].size), back = csr_graph_turn (&graph);

      g_test_message ("%s", bfs_cases[i].name);
      bfs_check_case ("csr:bfs threads=64", &graph, NULL);
      bfs_check_case ("csr:bfs threads=64", &graph, &back);
      csr_graph_shuffle (&back, i);
      bfs_check_case ("csr:bfs threads=64", &graph, &back);
      bfs_check_case ("csr:bfs threads=32 alone=8", &graph, NULL);
      bfs_check_case ("csr:bfs threads=32 alone=1", &graph, NULL);
      bfs_check_case ("csr:bfs threads=32 alone=0", &graph, NULL);
      if (bfs_cases[i].symmetric)
        bfs_check_case ("csr:bfs threads=32 symmetric=true", &graph, NULL);
      csr_graph_clear (&graph);
      csr_graph_clear (&back);
    }
}

/* The one edge that leads to a vertex from the level before is the last of very many. */
static void
test_csr_bfs_last_edge (void)
{
  CsrGraph graph = csr_graph_make_star (9000);
  const guint32 source = graph.vertices - 1;
  PrimitiveFixture fixture;
  BfsResult result;

  bfs_open (&fixture, "csr:bfs threads=64 symmetric=true", &graph, FALSE);
  result = bfs_run (&fixture, &graph, NULL, &source, 1);
  bfs_check (&result, &graph, &source, 1);
  bfs_result_clear (&result);
  primitive_fixture_close (&fixture);
  csr_graph_clear (&graph);
}

/* Whatever the limits are set to, the levels and parents are the same. */
static void
test_csr_bfs_limits (void)
{
  static const char *const alone[] = { "1", "40", "1024" }, *const from[] = { "1", "14", "1048576" },
                           *const until[] = { "1", "24", "1048576" };
  static const struct
  {
    CsrMaker make;
    guint32 size;
  } makers[] = { { csr_graph_make_rmat_both, 1024 }, { csr_graph_make_brush, 9000 }, { csr_graph_make_bottle, 1500 } };

  for (guint m = 0; m < G_N_ELEMENTS (makers); m++)
    {
      CsrGraph graph = makers[m].make (makers[m].size);

      for (guint i = 0; i < 27; i++)
        {
          g_autofree char *node =
            g_strdup_printf ("csr:bfs threads=32 symmetric=true alone=%s pull-from=%s pull-until=%s", alone[i % 3],
                             from[i / 3 % 3], until[i / 9]);

          g_test_message ("%s", node);
          bfs_check_case (node, &graph, NULL);
        }
      bfs_check_case ("csr:bfs threads=32 symmetric=true alone=0 pull-from=0", &graph, NULL);
      csr_graph_clear (&graph);
    }
}

static void
bfs_count_ways (const CsrGraph *graph, const char *props, guint64 *alone, guint64 *pulled)
{
  g_autofree char *node = g_strconcat ("csr:bfs threads=32 symmetric=true ", props, NULL);
  PrimitiveFixture fixture;
  guint32 source = 0;
  BfsResult result;

  bfs_open (&fixture, node, graph, FALSE);
  result = bfs_run (&fixture, graph, NULL, &source, 1);
  bfs_check (&result, graph, &source, 1);
  *alone = bfs_result_get (&result, REPORT_ALONE);
  *pulled = bfs_result_get (&result, REPORT_PULLED);
  bfs_result_clear (&result);
  primitive_fixture_close (&fixture);
}

/* The limits that are set are those by which levels are done.  The levels of a grid grow up to its diagonal. */
static void
test_csr_bfs_limits_hold (void)
{
  CsrGraph graph = csr_graph_make_grid (900);
  guint64 alone, all_alone, pulled, least;

  bfs_count_ways (&graph, "alone=1024 pull-from=1048576", &all_alone, &pulled);
  g_assert_cmpuint (pulled, ==, 0);
  bfs_count_ways (&graph, "alone=1 pull-from=1 pull-until=1048576", &alone, &pulled);
  g_assert_cmpuint (alone, <, all_alone);
  g_assert_cmpuint (pulled, ==, 0);
  bfs_count_ways (&graph, "alone=1 pull-from=1048576 pull-until=1", &alone, &least);
  g_assert_cmpuint (least, >, 0);
  bfs_count_ways (&graph, "alone=1 pull-from=1048576 pull-until=1048576", &alone, &pulled);
  g_assert_cmpuint (pulled, >, least);
  csr_graph_clear (&graph);
}

static gboolean
bfs_runs_as_on_gpu (void)
{
  const char *device = g_getenv ("LEAT_DEVICE");

  return g_strcmp0 (g_getenv ("LEAT_CPU_VARIANTS"), "0") == 0 || (device != NULL && g_str_has_prefix (device, "cuda"));
}

/* Each way of doing a level is taken where it should be. */
static void
test_csr_bfs_ways (void)
{
  static const struct
  {
    CsrMaker make;
    guint32 size;
    const char *node;
    guint taken, other;
    gboolean on_gpu; /* plain C has no such way */
  } cases[] = {
    { csr_graph_make_path, 500, "csr:bfs threads=64 symmetric=true", REPORT_ALONE, REPORT_PUSHED, FALSE },
    { csr_graph_make_rmat_both, 2048, "csr:bfs threads=64", REPORT_PUSHED, REPORT_PULLED, FALSE },
    { csr_graph_make_rmat_both, 2048, "csr:bfs threads=64 symmetric=true", REPORT_PULLED, REPORT_APART, FALSE },
    { csr_graph_make_brush, 9000, "csr:bfs threads=32 alone=8", REPORT_APART, REPORT_PULLED, TRUE },
    { csr_graph_make_grid, 900, "csr:bfs threads=32 alone=8", REPORT_APART, REPORT_PULLED, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      CsrGraph graph = cases[i].make (cases[i].size);
      PrimitiveFixture fixture;
      guint32 source = 0;
      BfsResult result;

      bfs_open (&fixture, cases[i].node, &graph, FALSE);
      result = bfs_run (&fixture, &graph, NULL, &source, 1);
      bfs_check (&result, &graph, &source, 1);
      if (!cases[i].on_gpu || bfs_runs_as_on_gpu ())
        g_assert_cmpuint (bfs_result_get (&result, cases[i].taken), >, 0);
      g_assert_cmpuint (bfs_result_get (&result, cases[i].other), ==, 0);
      bfs_result_clear (&result);
      primitive_fixture_close (&fixture);
      csr_graph_clear (&graph);
    }
}

static GError *
bfs_fail (PrimitiveFixture *fixture)
{
  GError *error = NULL;

  g_assert_cmpint (leat_session_replay (fixture->session, TRUE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_nonnull (error);
  return error;
}

static void
bfs_assert_says (const GError *error, const char *word)
{
  if (strstr (error->message, word) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, word);
}

/* What is wrong is told, nothing is written out of bounds, and the next run is as any other. */
static void
test_csr_bfs_corrupt (void)
{
  static const struct
  {
    gboolean in_offsets;
    guint32 at, value;
    const char *word;
  } cases[] = {
    { TRUE, 5, 4000000000u, "is out of order" },
    { TRUE, 3, 0, "" },
    { TRUE, 100, 4000000000u, "is out of order" },
    { FALSE, 7, 100, "no vertex: 100 at index 7" },
    { FALSE, 0, 4294967295u, "no vertex: 4294967295 at index 0" },
  };
  CsrGraph graph = csr_graph_make_path (100);
  PrimitiveFixture fixture;
  guint32 source = 0;

  bfs_open (&fixture, "csr:bfs threads=64 symmetric=true", &graph, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint32 *word = (cases[i].in_offsets ? graph.offsets : graph.indices) + cases[i].at, was = *word;
      g_autoptr (GError) error = NULL;
      BfsResult result;

      *word = cases[i].value;
      bfs_push (&fixture, &graph, NULL, &source, 1);
      error = bfs_fail (&fixture);
      bfs_assert_says (error, cases[i].word);
      *word = was;
      result = bfs_run (&fixture, &graph, NULL, &source, 1);
      bfs_check (&result, &graph, &source, 1);
      bfs_result_clear (&result);
    }
  primitive_fixture_close (&fixture);
  csr_graph_clear (&graph);
}

/* What an earlier run has left behind the indices of this one is no part of the graph, nor of the one turned around. */
static void
test_csr_bfs_beyond (void)
{
  static const char *const nodes[] = { "csr:bfs threads=64", "csr:bfs threads=64 alone=8 pull-from=1048576",
                                       "csr:bfs threads=64 symmetric=true alone=8" };
  CsrGraph graph = csr_graph_make_rmat_both (1024);
  const guint32 source = graph.indices[0];
  const gsize offsets = (graph.vertices + 1) * sizeof (guint32), indices = graph.n_edges * sizeof (guint32);
  g_autofree char *rows = g_strdup_printf ("offsets=u32[%u] indices=u32[<=100000]", graph.vertices + 1);
  g_autofree char *both =
    g_strdup_printf ("%s back_offsets=u32[%u] back_indices=u32[<=100000]", rows, graph.vertices + 1);

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      g_autofree char *inputs = g_strdup_printf ("%s sources=u32[<=100]", i == 1 ? both : rows);
      PrimitiveFixture fixture;

      primitive_fixture_open (&fixture, nodes[i], inputs, "levels parents report");
      for (guint run = 0; run < (i == 1 ? 5 : 3); run++)
        {
          g_autoptr (GError) error = NULL;
          BfsResult result;

          primitive_fixture_push (&fixture, 0, graph.offsets, offsets);
          primitive_fixture_push (&fixture, 1, graph.indices, run == 1 ? indices / 2 : indices);
          if (i == 1)
            {
              primitive_fixture_push (&fixture, 2, graph.offsets, offsets);
              primitive_fixture_push (&fixture, 3, graph.indices, run == 3 ? indices / 2 : indices);
            }
          primitive_fixture_push (&fixture, i == 1 ? 4 : 2, &source, sizeof source);
          if (run % 2 == 1)
            {
              error = bfs_fail (&fixture);
              bfs_assert_says (error, "is out of order or beyond the indices");
              continue;
            }
          primitive_fixture_replay (&fixture);
          result.levels = primitive_fixture_pull (&fixture, 0);
          result.parents = primitive_fixture_pull (&fixture, 1);
          result.report = primitive_fixture_pull (&fixture, 2);
          bfs_check (&result, &graph, &source, 1);
          bfs_result_clear (&result);
        }
      primitive_fixture_close (&fixture);
    }
  csr_graph_clear (&graph);
}

/* Every other row is all edges, so that lists have far more pieces than there is room for.  What is told is whichever
 * block was first; all of it must stay within the lists. */
static void
test_csr_bfs_overlap (void)
{
  static const char *const nodes[] = { "csr:bfs threads=64 alone=8", "csr:bfs threads=64 symmetric=true alone=8",
                                       "csr:bfs threads=64 alone=1024" };
  CsrGraph graph = csr_graph_make_empty (256);
  guint32 source = 0;

  g_free (graph.indices);
  graph.n_edges = 65536;
  graph.indices = g_new (guint32, graph.n_edges);
  for (guint32 e = 0; e < graph.n_edges; e++)
    graph.indices[e] = e % graph.vertices;
  for (guint32 v = 0; v <= graph.vertices; v++)
    graph.offsets[v] = v % 2 == 0 ? 0 : graph.n_edges;
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      g_autoptr (GError) error = NULL;
      PrimitiveFixture fixture;

      bfs_open (&fixture, nodes[i], &graph, FALSE);
      bfs_push (&fixture, &graph, NULL, &source, 1);
      error = bfs_fail (&fixture);
      g_test_message ("%s", error->message);
      if (strstr (error->message, "out of order") == NULL && strstr (error->message, "offsets overlap") == NULL)
        g_error ("\"%s\" says nothing of the offsets", error->message);
      primitive_fixture_close (&fixture);
    }
  csr_graph_clear (&graph);
}

/* The edges into vertices are not those of the graph, and many more. */
static void
test_csr_bfs_other_back (void)
{
  CsrGraph graph = csr_graph_make_star (64), back = csr_graph_make_empty (64);
  g_autoptr (GError) error = NULL;
  PrimitiveFixture fixture;
  guint32 source = 0;

  if (!bfs_runs_as_on_gpu ())
    {
      g_test_skip ("plain C has no list of what is left of long rows");
      csr_graph_clear (&back);
      csr_graph_clear (&graph);
      return;
    }
  g_free (back.indices);
  back.n_edges = 1 << 20;
  back.indices = g_new (guint32, back.n_edges);
  for (guint32 e = 0; e < back.n_edges; e++)
    back.indices[e] = 5; /* which is never of the level before */
  for (guint32 v = 6; v <= back.vertices; v++)
    back.offsets[v] = back.n_edges;
  primitive_fixture_open (&fixture, "csr:bfs threads=64",
                          "offsets=u32[65] indices=u32[126] back_offsets=u32[65] back_indices=u32[1048576] "
                          "sources=u32[<=100]",
                          "levels parents report");
  g_assert_cmpuint (graph.n_edges, ==, 126);
  bfs_push (&fixture, &graph, &back, &source, 1);
  error = bfs_fail (&fixture);
  bfs_assert_says (error, "more edges than the graph has");
  primitive_fixture_close (&fixture);
  csr_graph_clear (&back);
  csr_graph_clear (&graph);
}

static void
test_csr_bfs_no_source (void)
{
  CsrGraph graph = csr_graph_make_path (100);
  guint32 sources[] = { 3, 100 };
  g_autoptr (GError) error = NULL;
  PrimitiveFixture fixture;

  bfs_open (&fixture, "csr:bfs threads=64", &graph, FALSE);
  bfs_push (&fixture, &graph, NULL, sources, 2);
  error = bfs_fail (&fixture);
  bfs_assert_says (error, "a source that is no vertex: 100 at index 1");
  primitive_fixture_close (&fixture);
  csr_graph_clear (&graph);
}

/* The runaway search ends, with its iteration and what was left. */
static void
test_csr_bfs_limit (void)
{
  CsrGraph graph = csr_graph_make_path (1000);
  g_autofree guint32 *levels = g_new (guint32, 1000);
  PrimitiveFixture stops, fails;
  g_autoptr (GError) error = NULL;
  guint32 source = 0;
  BfsResult result;

  bfs_open (&stops, "csr:bfs threads=64 max-iterations=10 on-limit=stop", &graph, FALSE);
  result = bfs_run (&stops, &graph, NULL, &source, 1);
  csr_graph_search (&graph, &source, 1, levels, NULL);
  for (guint32 v = 11; v < 1000; v++)
    levels[v] = G_MAXUINT32;
  g_assert_cmpmem (g_bytes_get_data (result.levels, NULL), g_bytes_get_size (result.levels), levels, 4000);
  g_assert_cmpuint (bfs_result_get (&result, REPORT_ITERATIONS), ==, 10);
  g_assert_cmpuint (bfs_result_get (&result, REPORT_REASON), ==, 1);
  g_assert_cmpuint (bfs_result_get (&result, REPORT_LEFT), ==, 1);
  bfs_result_clear (&result);
  primitive_fixture_close (&stops);
  bfs_open (&fails, "csr:bfs threads=64 max-iterations=10", &graph, FALSE);
  bfs_push (&fails, &graph, NULL, &source, 1);
  error = bfs_fail (&fails);
  bfs_assert_says (error, "csr:bfs \"n\": max-iterations=10 levels were done, with 1 rows left in the frontier: raise "
                          "max-iterations= (0: as many as there are), or set on-limit=stop or warn");
  primitive_fixture_close (&fails);
  csr_graph_clear (&graph);
}

/* However its levels are done, a search ends when its budget is over, and the next one is none the worse. */
static void
test_csr_bfs_budget (void)
{
  static const struct
  {
    CsrMaker make;
    guint32 size;
    const char *node;
    gboolean back;
  } cases[] = {
    { csr_graph_make_path, 100000, "csr:bfs threads=64 budget=0.000001", FALSE },
    { csr_graph_make_grid, 90000, "csr:bfs threads=32 alone=2 budget=0.000001", FALSE },
    { csr_graph_make_brush, 9000, "csr:bfs threads=32 alone=8 budget=0.000001", TRUE },
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      CsrGraph graph = cases[c].make (cases[c].size), back = csr_graph_turn (&graph);
      PrimitiveFixture fixture;
      const guint32 source = 0;

      bfs_open (&fixture, cases[c].node, &graph, cases[c].back);
      for (guint run = 0; run < 3; run++)
        {
          g_autoptr (GError) error = NULL;

          bfs_push (&fixture, &graph, cases[c].back ? &back : NULL, &source, 1);
          error = bfs_fail (&fixture);
          bfs_assert_says (error, "csr:bfs \"n\": budget=1e-06 seconds were over after ");
          bfs_assert_says (error, " rows left in the frontier: raise budget= (0: no limit), or set max-iterations= and "
                                  "on-limit=stop");
        }
      primitive_fixture_close (&fixture);
      csr_graph_clear (&back);
      csr_graph_clear (&graph);
    }
}

static void
test_csr_bfs_refuses (void)
{
  static const struct
  {
    const char *node, *inputs, *word;
  } cases[] = {
    { "csr:bfs source=4", "offsets=u32[5] indices=u32[6]", "numbered from 0 to 3" },
    { "csr:bfs", "offsets=u32[1] indices=u32[6]", "one more offset than vertices" },
    { "csr:bfs", "offsets=u32[<=5] indices=u32[6]", "a fixed size" },
    { "csr:bfs", "offsets=i32[5] indices=u32[6]", "u32 or u64" },
    { "csr:bfs", "offsets=u32[5] indices=u64[6]", "it is u32" },
    { "csr:bfs", "indices=u32[6]", "needs a link to its port \"offsets\"" },
    { "csr:bfs", "offsets=u32[5]", "needs a link to its port \"indices\"" },
    { "csr:bfs", "offsets=u32[5] indices=u32[6] back_offsets=u32[5]", "link both or none" },
    { "csr:bfs", "offsets=u32[5] indices=u32[6] back_indices=u32[6]", "link both or none" },
    { "csr:bfs", "offsets=u32[5] indices=u32[6] back_offsets=u32[6] back_indices=u32[6]", "not of one size" },
    { "csr:bfs", "offsets=u32[5] indices=u32[6] sources=f32[1]", "it is u32" },
    { "csr:bfs pull-until=1048577", "offsets=u32[5] indices=u32[6]", "pull-until" },
    { "csr:bfs threads=48", "offsets=u32[5] indices=u32[6]", "multiple of 32" },
    { "csr:bfs sorce=4", "offsets=u32[5] indices=u32[6]", "did you mean \"source\"" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = primitive_fixture_fail (cases[i].node, cases[i].inputs, "levels");

      bfs_assert_says (error, cases[i].word);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/csr/bfs/graphs", test_csr_bfs_graphs);
  g_test_add_func ("/leat/csr/bfs/last-edge", test_csr_bfs_last_edge);
  g_test_add_func ("/leat/csr/bfs/limits", test_csr_bfs_limits);
  g_test_add_func ("/leat/csr/bfs/limits-hold", test_csr_bfs_limits_hold);
  g_test_add_func ("/leat/csr/bfs/ways", test_csr_bfs_ways);
  g_test_add_func ("/leat/csr/bfs/corrupt", test_csr_bfs_corrupt);
  g_test_add_func ("/leat/csr/bfs/beyond", test_csr_bfs_beyond);
  g_test_add_func ("/leat/csr/bfs/overlap", test_csr_bfs_overlap);
  g_test_add_func ("/leat/csr/bfs/other-back", test_csr_bfs_other_back);
  g_test_add_func ("/leat/csr/bfs/no-source", test_csr_bfs_no_source);
  g_test_add_func ("/leat/csr/bfs/limit", test_csr_bfs_limit);
  g_test_add_func ("/leat/csr/bfs/budget", test_csr_bfs_budget);
  g_test_add_func ("/leat/csr/bfs/refuses", test_csr_bfs_refuses);
  return g_test_run ();
}
