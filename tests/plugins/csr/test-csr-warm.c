/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "csr-graphs.h"
#include "primitive-fixture.h"

#include <string.h>

/* Searches that go on from what was found before edges were added, against searches that do not. */

#define CHANGED 40

typedef struct
{
  const char *node, *output;
  gboolean searches, weighted; /* it has sources, and lengths */
  gsize item;
} WarmNode;

static const WarmNode warm_nodes[] = {
  { "csr:sssp threads=64", "distances", TRUE, TRUE, 4 },
  { "csr:reach threads=64", "reached", TRUE, FALSE, 8 },
  { "csr:components threads=64", "labels", FALSE, FALSE, 4 },
};

/* A graph, and the same without some edges: those of `changed` have one more each, or all of them. */
typedef struct
{
  CsrGraph less, more;
  guint32 changed[CHANGED];
} WarmPair;

static void
warm_pair_init (WarmPair *self, CsrMaker make, guint32 size)
{
  guint32 at = 0, next = 0;

  self->more = make (size);
  self->less = (CsrGraph){ self->more.vertices, 0, g_new0 (guint32, self->more.vertices + 1),
                           g_new0 (guint32, MAX (self->more.n_edges, 1)) };
  for (guint32 v = 0; v < self->more.vertices; v++)
    {
      guint32 begin = self->more.offsets[v], end = self->more.offsets[v + 1];
      gboolean changes = next < CHANGED && v % 7 == 3;

      if (changes)
        self->changed[next++] = v;
      for (guint32 e = begin; e < end; e++)
        if (!changes || e % 2 == 0)
          self->less.indices[at++] = self->more.indices[e];
      self->less.offsets[v + 1] = at;
    }
  self->less.n_edges = at;
  while (next < CHANGED)
    self->changed[next++] = self->changed[0];
}

static void
warm_open (PrimitiveFixture *fixture, const WarmNode *node, const CsrGraph *graph, const char *more)
{
  guint edges = MAX (graph->n_edges, 1);
  g_autofree char *weights = node->weighted ? g_strdup_printf (" weights=f32[%u]", edges) : g_strdup ("");
  g_autofree char *inputs = g_strdup_printf ("offsets=u32[%u] indices=u32[%u]%s%s%s", graph->vertices + 1, edges,
                                             weights, node->searches ? " sources=u32[2]" : "", more);

  primitive_fixture_open (fixture, node->node, inputs, node->output);
}

/* @known: (nullable) */
static GBytes *
warm_run (PrimitiveFixture *fixture, const WarmNode *node, const CsrGraph *graph, GBytes *known, const guint32 *changed)
{
  const guint32 sources[] = { graph->vertices / 2, 0 };
  g_autofree float *weights = g_new (float, MAX (graph->n_edges, 1));
  guint input = 0;

  primitive_fixture_push (fixture, input++, graph->offsets, (graph->vertices + 1) * sizeof (guint32));
  primitive_fixture_push (fixture, input++, graph->indices, MAX (graph->n_edges, 1) * sizeof (guint32));
  /* Of where it goes alone, so that an edge has the same length in both graphs. */
  for (guint32 e = 0; e < graph->n_edges; e++)
    weights[e] = (float) (graph->indices[e] % 97) / 7.0f;
  if (node->weighted)
    primitive_fixture_push (fixture, input++, weights, MAX (graph->n_edges, 1) * sizeof *weights);
  if (node->searches)
    primitive_fixture_push (fixture, input++, sources, sizeof sources);
  if (known != NULL)
    primitive_fixture_push (fixture, input++, g_bytes_get_data (known, NULL), g_bytes_get_size (known));
  if (changed != NULL)
    primitive_fixture_push (fixture, input++, changed, CHANGED * sizeof *changed);
  primitive_fixture_replay (fixture);
  return primitive_fixture_pull (fixture, 0);
}

static void
warm_check (const WarmNode *node, const WarmPair *pair)
{
  g_autofree char *known_spec = g_strdup_printf (" known=%s[%u]",
                                                 node->item == 8  ? "u64"
                                                 : node->weighted ? "f32"
                                                                  : "u32",
                                                 pair->more.vertices);
  g_autofree char *changed_spec = g_strdup_printf ("%s changed=u32[<=%u]", known_spec, CHANGED);
  g_autoptr (GBytes) known = NULL, cold = NULL, warm = NULL, all = NULL;
  PrimitiveFixture fixture;

  warm_open (&fixture, node, &pair->less, "");
  known = warm_run (&fixture, node, &pair->less, NULL, NULL);
  primitive_fixture_close (&fixture);
  warm_open (&fixture, node, &pair->more, "");
  cold = warm_run (&fixture, node, &pair->more, NULL, NULL);
  primitive_fixture_close (&fixture);
  warm_open (&fixture, node, &pair->more, known_spec);
  all = warm_run (&fixture, node, &pair->more, known, NULL);
  primitive_fixture_close (&fixture);
  warm_open (&fixture, node, &pair->more, changed_spec);
  warm = warm_run (&fixture, node, &pair->more, known, pair->changed);
  primitive_fixture_close (&fixture);
  g_assert_true (g_bytes_equal (all, cold));
  g_assert_true (g_bytes_equal (warm, cold));
}

static void
test_csr_warm (gconstpointer data)
{
  static const CsrMaker makers[] = { csr_graph_make_path, csr_graph_make_random, csr_graph_make_rmat,
                                     csr_graph_make_parts };

  for (guint i = 0; i < G_N_ELEMENTS (makers); i++)
    {
      WarmPair pair;

      warm_pair_init (&pair, makers[i], 1024);
      g_assert_cmpuint (pair.less.n_edges, <, pair.more.n_edges);
      warm_check (data, &pair);
      csr_graph_clear (&pair.less);
      csr_graph_clear (&pair.more);
    }
}

/* How many rounds a search took; @known: (nullable) */
static guint64
warm_count_rounds (const CsrGraph *graph, GBytes *known, GBytes **distances)
{
  static const WarmNode node = { "csr:sssp threads=64", "distances report", TRUE, TRUE, 4 };
  const guint32 changed[CHANGED] = { 0 };
  g_autofree char *more = g_strdup_printf (" known=f32[%u] changed=u32[<=%u]", graph->vertices, CHANGED);
  g_autoptr (GBytes) report = NULL;
  PrimitiveFixture fixture;
  guint64 rounds;

  warm_open (&fixture, &node, graph, known != NULL ? more : "");
  *distances = warm_run (&fixture, &node, graph, known, known != NULL ? changed : NULL);
  report = primitive_fixture_pull (&fixture, 1);
  rounds = ((const guint64 *) g_bytes_get_data (report, NULL))[0];
  primitive_fixture_close (&fixture);
  return rounds;
}

/* Nothing is searched for that is known. */
static void
test_csr_warm_rounds (void)
{
  CsrGraph graph = csr_graph_make_path (1000);
  g_autoptr (GBytes) known = NULL, again = NULL;

  g_assert_cmpuint (warm_count_rounds (&graph, NULL, &known), >, 100);
  g_assert_cmpuint (warm_count_rounds (&graph, known, &again), <=, 2);
  g_assert_true (g_bytes_equal (known, again));
  csr_graph_clear (&graph);
}

static void
warm_assert_fails (const WarmNode *node, const guint32 *labels, const guint32 *changed, const char *word)
{
  CsrGraph graph = csr_graph_make_path (100);
  g_autoptr (GError) error = NULL;
  PrimitiveFixture fixture;

  warm_open (&fixture, node, &graph, " known=u32[100] changed=u32[<=40]");
  primitive_fixture_push (&fixture, 0, graph.offsets, 101 * sizeof (guint32));
  primitive_fixture_push (&fixture, 1, graph.indices, graph.n_edges * sizeof (guint32));
  primitive_fixture_push (&fixture, 2, labels, 100 * sizeof (guint32));
  primitive_fixture_push (&fixture, 3, changed, CHANGED * sizeof (guint32));
  g_assert_cmpint (leat_session_replay (fixture.session, TRUE, NULL, &error), ==, LEAT_FLOW_ERROR);
  if (strstr (error->message, word) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, word);
  primitive_fixture_close (&fixture);
  csr_graph_clear (&graph);
}

static void
test_csr_warm_bad_data (void)
{
  guint32 labels[100] = { 0 }, changed[CHANGED] = { 0 };

  changed[5] = 100;
  warm_assert_fails (&warm_nodes[2], labels, changed, "a changed vertex that is none: 100 at index 5");
  changed[5] = 0;
  labels[7] = 8;
  warm_assert_fails (&warm_nodes[2], labels, changed, "a known label that is above its vertex: 8 at index 7");
}

static void
test_csr_warm_refuses (void)
{
  static const struct
  {
    const char *node, *inputs, *output, *word;
  } cases[] = {
    { "csr:components", "offsets=u32[5] indices=u32[6] changed=u32[4]", "labels", "link known too" },
    { "csr:components", "offsets=u32[5] indices=u32[6] known=u32[5]", "labels",
      "known is u32[5], and what it gives is u32[4]" },
    { "csr:reach", "offsets=u32[5] indices=u32[6] sources=u32[1] known=u32[4]", "reached", "known is u32[4]" },
    { "csr:components", "offsets=u32[5] indices=u32[6] known=u32[4] changed=u64[4]", "labels", "it is u32" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = primitive_fixture_fail (cases[i].node, cases[i].inputs, cases[i].output);

      if (strstr (error->message, cases[i].word) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, cases[i].word);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/csr/warm/sssp", &warm_nodes[0], test_csr_warm);
  g_test_add_data_func ("/leat/csr/warm/reach", &warm_nodes[1], test_csr_warm);
  g_test_add_data_func ("/leat/csr/warm/components", &warm_nodes[2], test_csr_warm);
  g_test_add_func ("/leat/csr/warm/rounds", test_csr_warm_rounds);
  g_test_add_func ("/leat/csr/warm/bad-data", test_csr_warm_bad_data);
  g_test_add_func ("/leat/csr/warm/refuses", test_csr_warm_refuses);
  return g_test_run ();
}
