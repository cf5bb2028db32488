/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Graphs in CSR form in the host's memory: made from a list of edges, turned around, made symmetric, rid of doubles.
 * Each of these but the last gives a new graph and leaves the old one alone. */

#include "leat-csr-graph.h"

void
leat_csr_edges_init (LeatCsrEdges *self)
{
  *self = (LeatCsrEdges){ 0 };
  self->from = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->to = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->weights = g_array_new (FALSE, FALSE, sizeof (float));
}

void
leat_csr_edges_clear (LeatCsrEdges *self)
{
  g_clear_pointer (&self->from, g_array_unref);
  g_clear_pointer (&self->to, g_array_unref);
  g_clear_pointer (&self->weights, g_array_unref);
}

void
leat_csr_graph_free (LeatCsrGraph *self)
{
  g_free (self->offsets);
  g_free (self->indices);
  g_free (self->weights);
  g_free (self);
}

LeatCsrGraph *
leat_csr_graph_new (guint64 vertices, guint64 n_edges, gboolean weighted, GError **error)
{
  g_autoptr (LeatCsrGraph) self = g_new0 (LeatCsrGraph, 1);

  self->vertices = vertices;
  self->n_edges = n_edges;
  /* One more than there are: a graph without edges has an address for them too. */
  self->offsets = g_try_new0 (guint64, vertices + 1);
  self->indices = g_try_new0 (guint32, n_edges + 1);
  self->weights = weighted ? g_try_new0 (float, n_edges + 1) : NULL;
  if (self->offsets != NULL && self->indices != NULL && (!weighted || self->weights != NULL))
    return g_steal_pointer (&self);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "no memory for a graph of %" G_GUINT64_FORMAT " vertices and %" G_GUINT64_FORMAT " edges", vertices,
               n_edges);
  return NULL;
}

/* Counts become places: offsets[v] is where the next edge of v goes, and in the end where the row after v begins. */
static void
leat_csr_graph_open_rows (LeatCsrGraph *self)
{
  guint64 sum = 0;

  for (guint64 v = 0; v <= self->vertices; v++)
    {
      guint64 count = self->offsets[v];

      self->offsets[v] = sum;
      sum += count;
    }
}

static void
leat_csr_graph_close_rows (LeatCsrGraph *self)
{
  memmove (self->offsets + 1, self->offsets, self->vertices * sizeof *self->offsets);
  self->offsets[0] = 0;
}

static void
leat_csr_graph_put (LeatCsrGraph *self, guint32 from, guint32 to, float weight)
{
  guint64 at = self->offsets[from]++;

  self->indices[at] = to;
  if (self->weights != NULL)
    self->weights[at] = weight;
}

LeatCsrGraph *
leat_csr_graph_new_from_edges (const LeatCsrEdges *edges, GError **error)
{
  const guint32 *from = (const guint32 *) (gpointer) edges->from->data;
  const guint32 *to = (const guint32 *) (gpointer) edges->to->data;
  const float *weights = edges->weights->len > 0 ? (const float *) (gpointer) edges->weights->data : NULL;
  LeatCsrGraph *self = leat_csr_graph_new (edges->vertices, edges->from->len, weights != NULL, error);

  if (self == NULL)
    return NULL;
  for (guint i = 0; i < edges->from->len; i++)
    self->offsets[from[i]]++;
  leat_csr_graph_open_rows (self);
  for (guint i = 0; i < edges->from->len; i++)
    leat_csr_graph_put (self, from[i], to[i], weights != NULL ? weights[i] : 0);
  leat_csr_graph_close_rows (self);
  return self;
}

LeatCsrGraph *
leat_csr_graph_transpose (const LeatCsrGraph *self, GError **error)
{
  LeatCsrGraph *back = leat_csr_graph_new (self->vertices, self->n_edges, self->weights != NULL, error);

  if (back == NULL)
    return NULL;
  for (guint64 e = 0; e < self->n_edges; e++)
    back->offsets[self->indices[e]]++;
  leat_csr_graph_open_rows (back);
  for (guint64 v = 0; v < self->vertices; v++)
    for (guint64 e = self->offsets[v]; e < self->offsets[v + 1]; e++)
      leat_csr_graph_put (back, self->indices[e], (guint32) v, self->weights != NULL ? self->weights[e] : 0);
  leat_csr_graph_close_rows (back);
  return back;
}

static void
leat_csr_graph_put_both (LeatCsrGraph *both, const LeatCsrGraph *self, guint32 v, guint64 e)
{
  float weight = self->weights != NULL ? self->weights[e] : 0;

  leat_csr_graph_put (both, v, self->indices[e], weight);
  if (self->indices[e] != v)
    leat_csr_graph_put (both, self->indices[e], v, weight);
}

LeatCsrGraph *
leat_csr_graph_symmetrize (const LeatCsrGraph *self, GError **error)
{
  LeatCsrGraph *both;
  guint64 loops = 0;

  for (guint64 v = 0; v < self->vertices; v++)
    for (guint64 e = self->offsets[v]; e < self->offsets[v + 1]; e++)
      loops += self->indices[e] == v;
  both = leat_csr_graph_new (self->vertices, 2 * self->n_edges - loops, self->weights != NULL, error);
  if (both == NULL)
    return NULL;
  for (guint64 v = 0; v < self->vertices; v++)
    for (guint64 e = self->offsets[v]; e < self->offsets[v + 1]; e++)
      {
        both->offsets[v]++;
        both->offsets[self->indices[e]] += self->indices[e] != v;
      }
  leat_csr_graph_open_rows (both);
  for (guint64 v = 0; v < self->vertices; v++)
    for (guint64 e = self->offsets[v]; e < self->offsets[v + 1]; e++)
      leat_csr_graph_put_both (both, self, (guint32) v, e);
  leat_csr_graph_close_rows (both);
  return both;
}

void
leat_csr_graph_remove_doubles (LeatCsrGraph *self)
{
  guint64 kept = 0, begin = 0;

  for (guint64 v = 0; v < self->vertices; v++)
    {
      guint64 end = self->offsets[v + 1], row = kept;

      for (guint64 e = begin; e < end; e++)
        if (kept > row && self->indices[kept - 1] == self->indices[e])
          {
            if (self->weights != NULL)
              self->weights[kept - 1] = MIN (self->weights[kept - 1], self->weights[e]);
          }
        else
          {
            self->indices[kept] = self->indices[e];
            if (self->weights != NULL)
              self->weights[kept] = self->weights[e];
            kept++;
          }
      begin = end;
      self->offsets[v + 1] = kept;
    }
  self->n_edges = kept;
}

gboolean
leat_csr_graph_is_sorted (const LeatCsrGraph *self)
{
  for (guint64 v = 0; v < self->vertices; v++)
    for (guint64 e = self->offsets[v] + 1; e < self->offsets[v + 1]; e++)
      if (self->indices[e - 1] > self->indices[e])
        return FALSE;
  return TRUE;
}
