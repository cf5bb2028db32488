/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "csr-graphs.h"
#include "primitive-fixture.h"
#include "repeat-watch.h"

#include <math.h>
#include <string.h>

/* Kernels whose blocks wait for each other, the same run again and again: none hangs, and each has the same result. */

#define FEW  3
#define MANY 1000
#define SIZE 4096

typedef struct
{
  const char *node, *output;
  gboolean has_back, has_weights, has_sources;
} RepeatCase;

static const RepeatCase repeat_cases[] = {
  { "csr:bfs threads=64", "levels", FALSE, FALSE, TRUE },
  { "csr:bfs threads=64 alone=256 pull-until=24 symmetric=true", "parents", FALSE, FALSE, TRUE },
  { "csr:reach threads=64", "reached", FALSE, FALSE, TRUE },
  { "csr:sssp threads=64", "distances", FALSE, TRUE, TRUE },
  { "csr:components threads=64", "labels", FALSE, FALSE, FALSE },
  { "csr:pagerank threads=64", "ranks", TRUE, FALSE, FALSE },
};

static const CsrMaker repeat_makers[] = { csr_graph_make_rmat_both, csr_graph_make_grid, csr_graph_make_parts };

/* One source, so that a search with a queue says what comes out of all of them; with all weights 1. */
static gboolean
repeat_make_wanted (const RepeatCase *self, const CsrGraph *graph, guint32 source, GByteArray *wanted)
{
  g_autofree guint32 *levels = g_new (guint32, graph->vertices), *parents = g_new (guint32, graph->vertices);

  if (self->has_back)
    return FALSE;
  csr_graph_search (graph, &source, 1, levels, parents);
  for (guint32 v = 0; v < graph->vertices; v++)
    {
      gboolean found = levels[v] != G_MAXUINT32;
      guint64 bits = found ? 1 : 0;
      float distance = found ? (float) levels[v] : HUGE_VALF;

      if (g_str_equal (self->output, "levels"))
        g_byte_array_append (wanted, (const guint8 *) &levels[v], sizeof *levels);
      else if (g_str_equal (self->output, "parents"))
        g_byte_array_append (wanted, (const guint8 *) &parents[v], sizeof *parents);
      else if (g_str_equal (self->output, "reached"))
        g_byte_array_append (wanted, (const guint8 *) &bits, sizeof bits);
      else if (g_str_equal (self->output, "distances"))
        g_byte_array_append (wanted, (const guint8 *) &distance, sizeof distance);
    }
  return wanted->len > 0;
}

/* By the least vertex of each part, as all edges go both ways. */
static void
repeat_make_labels (const CsrGraph *graph, GByteArray *wanted)
{
  g_autofree guint32 *levels = g_new (guint32, graph->vertices), *labels = g_new (guint32, graph->vertices);

  memset (labels, 0xff, graph->vertices * sizeof *labels);
  for (guint32 least = 0; least < graph->vertices; least++)
    if (labels[least] == G_MAXUINT32)
      {
        csr_graph_search (graph, &least, 1, levels, NULL);
        for (guint32 v = 0; v < graph->vertices; v++)
          labels[v] = levels[v] != G_MAXUINT32 ? least : labels[v];
      }
  g_byte_array_append (wanted, (const guint8 *) labels, (guint) (graph->vertices * sizeof *labels));
}

static void
repeat_open_case (const RepeatCase *self, PrimitiveFixture *fixture, const CsrGraph *graph)
{
  const char *back = self->has_back ? "back_" : "";
  g_autoptr (GString) inputs = g_string_new (NULL);

  g_string_append_printf (inputs, "offsets=u32[%u]", graph->vertices + 1);
  if (self->has_back)
    g_string_append_printf (inputs, " back_offsets=u32[%u]", graph->vertices + 1);
  g_string_append_printf (inputs, " %sindices=u32[%u]", back, graph->n_edges);
  if (self->has_weights)
    g_string_append_printf (inputs, " weights=f32[%u]", graph->n_edges);
  if (self->has_sources)
    g_string_append (inputs, " sources=u32[<=1]");
  primitive_fixture_open (fixture, self->node, inputs->str, self->output);
}

/* Edges go both ways: those back are those forth. */
static void
repeat_push_case (const RepeatCase *self, PrimitiveFixture *fixture, const CsrGraph *graph, const float *weights,
                  guint32 source)
{
  guint input = 0;

  for (guint i = 0; i < (self->has_back ? 2 : 1); i++)
    primitive_fixture_push (fixture, input++, graph->offsets, (graph->vertices + 1) * sizeof (guint32));
  primitive_fixture_push (fixture, input++, graph->indices, graph->n_edges * sizeof (guint32));
  if (self->has_weights)
    primitive_fixture_push (fixture, input++, weights, graph->n_edges * sizeof *weights);
  if (self->has_sources)
    primitive_fixture_push (fixture, input, &source, sizeof source);
}

static void
repeat_run_case (const RepeatCase *self, const CsrGraph *graph)
{
  guint times = repeat_count (FEW, MANY);
  guint32 source = graph->vertices / 3;
  g_autofree float *weights = g_new (float, graph->n_edges);
  g_autoptr (GByteArray) wanted = g_byte_array_new ();
  PrimitiveFixture fixture;
  RepeatWatch watch;

  for (guint32 e = 0; e < graph->n_edges; e++)
    weights[e] = 1;
  if (g_str_equal (self->output, "labels"))
    repeat_make_labels (graph, wanted);
  else
    repeat_make_wanted (self, graph, source, wanted);
  repeat_open_case (self, &fixture, graph);
  repeat_watch_begin (&watch, self->node, fixture.session);
  for (guint i = 0; i < times; i++)
    {
      g_autoptr (GBytes) got = NULL;

      repeat_watch_step (&watch);
      repeat_push_case (self, &fixture, graph, weights, source);
      primitive_fixture_replay (&fixture);
      got = primitive_fixture_pull (&fixture, 0);
      if (wanted->len == 0) /* ranks: as at first; csr-pagerank holds them against C */
        g_byte_array_append (wanted, g_bytes_get_data (got, NULL), (guint) g_bytes_get_size (got));
      g_assert_cmpmem (g_bytes_get_data (got, NULL), g_bytes_get_size (got), wanted->data, wanted->len);
    }
  repeat_watch_end (&watch);
  primitive_fixture_close (&fixture);
}

static void
test_csr_again (gconstpointer data)
{
  const RepeatCase *self = data;

  for (guint i = 0; i < G_N_ELEMENTS (repeat_makers); i++)
    {
      CsrGraph graph = repeat_makers[i](repeat_is_short () ? SIZE / 8 : SIZE);

      repeat_run_case (self, &graph);
      csr_graph_clear (&graph);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (repeat_cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/csr/repeat/%s-of-%u", repeat_cases[i].output, i);

      g_test_add_data_func (path, &repeat_cases[i], test_csr_again);
    }
  return g_test_run ();
}
