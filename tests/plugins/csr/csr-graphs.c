/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "csr-graphs.h"

#include <string.h>

typedef struct
{
  guint32 from, to;
} CsrEdge;

static int
csr_edge_compare (gconstpointer a, gconstpointer b)
{
  const CsrEdge *x = a, *y = b;

  return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->to < y->to ? -1 : x->to > y->to;
}

static void
csr_edges_add (GArray *edges, guint32 from, guint32 to, gboolean both)
{
  CsrEdge edge = { from, to }, opposite = { to, from };

  g_array_append_val (edges, edge);
  if (both)
    g_array_append_val (edges, opposite);
}

static CsrGraph
csr_graph_build (guint32 vertices, GArray *edges)
{
  CsrGraph self = { vertices, edges->len, g_new0 (guint32, vertices + 1), g_new0 (guint32, MAX (edges->len, 1)) };

  g_array_sort (edges, csr_edge_compare);
  for (guint i = 0; i < edges->len; i++)
    {
      CsrEdge edge = g_array_index (edges, CsrEdge, i);

      self.offsets[edge.from + 1]++;
      self.indices[i] = edge.to;
    }
  for (guint32 v = 0; v < vertices; v++)
    self.offsets[v + 1] += self.offsets[v];
  g_array_unref (edges);
  return self;
}

static GArray *
csr_edges_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (CsrEdge));
}

CsrGraph
csr_graph_make_path (guint32 size)
{
  GArray *edges = csr_edges_new ();

  for (guint32 v = 0; v + 1 < size; v++)
    csr_edges_add (edges, v, v + 1, TRUE);
  return csr_graph_build (size, edges);
}

CsrGraph
csr_graph_make_star (guint32 size)
{
  GArray *edges = csr_edges_new ();

  for (guint32 v = 0; v < size; v++)
    if (v != size / 2)
      csr_edges_add (edges, size / 2, v, TRUE);
  return csr_graph_build (size, edges);
}

CsrGraph
csr_graph_make_grid (guint32 size)
{
  GArray *edges = csr_edges_new ();
  guint32 side = 1;

  while ((side + 1) * (side + 1) <= size)
    side++;
  for (guint32 y = 0; y < side; y++)
    for (guint32 x = 0; x < side; x++)
      {
        if (x + 1 < side)
          csr_edges_add (edges, y * side + x, y * side + x + 1, TRUE);
        if (y + 1 < side)
          csr_edges_add (edges, y * side + x, (y + 1) * side + x, TRUE);
      }
  return csr_graph_build (side * side, edges);
}

CsrGraph
csr_graph_make_random (guint32 size)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (size);
  GArray *edges = csr_edges_new ();

  for (guint32 i = 0; i < 4 * size; i++)
    csr_edges_add (edges, g_rand_int (random) % size, g_rand_int (random) % size, FALSE);
  return csr_graph_build (size, edges);
}

/* Quadrants with 57, 19, 19 and 5 of 100 edges, as in the Graph500 benchmark. */
static CsrGraph
csr_graph_make_rmat_of (guint32 size, gboolean both)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (size + both);
  GArray *edges = csr_edges_new ();
  guint scale = g_bit_storage (size) - 1;

  for (guint32 i = 0; i < 16u << scale; i++)
    {
      guint32 from = 0, to = 0;

      for (guint bit = 0; bit < scale; bit++)
        {
          int dice = g_rand_int_range (random, 0, 100);

          from |= (guint32) (dice >= 76) << bit;
          to |= (guint32) ((dice >= 57 && dice < 76) || dice >= 95) << bit;
        }
      csr_edges_add (edges, from, to, both);
    }
  return csr_graph_build (1u << scale, edges);
}

CsrGraph
csr_graph_make_rmat (guint32 size)
{
  return csr_graph_make_rmat_of (size, FALSE);
}

CsrGraph
csr_graph_make_rmat_both (guint32 size)
{
  return csr_graph_make_rmat_of (size, TRUE);
}

CsrGraph
csr_graph_make_parts (guint32 size)
{
  GArray *edges = csr_edges_new ();

  for (guint32 v = 0; v < size; v++)
    {
      csr_edges_add (edges, v, v, FALSE);
      if (v % 5 != 0)
        csr_edges_add (edges, v, v - 1, TRUE);
    }
  return csr_graph_build (size, edges);
}

CsrGraph
csr_graph_make_empty (guint32 size)
{
  return csr_graph_build (size, csr_edges_new ());
}

/* A path, something wide, and a path again: every way of doing a level gives way to another. */
CsrGraph
csr_graph_make_bottle (guint32 size)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (size);
  GArray *edges = csr_edges_new ();
  guint32 neck = size / 10;

  for (guint32 v = 0; v + 1 < neck; v++)
    csr_edges_add (edges, v, v + 1, TRUE);
  for (guint32 i = 0; i < 16 * (size - 2 * neck); i++)
    csr_edges_add (edges, neck - 1 + g_rand_int (random) % (size - 2 * neck),
                   neck - 1 + g_rand_int (random) % (size - 2 * neck), TRUE);
  for (guint32 v = size - neck - 2; v + 1 < size; v++)
    csr_edges_add (edges, v, v + 1, TRUE);
  return csr_graph_build (size, edges);
}

CsrGraph
csr_graph_make_brush (guint32 size)
{
  const guint32 paths = 64, leaves = 64 * 129;
  GArray *edges = csr_edges_new ();
  guint32 length = (size - leaves) / paths, next = 1 + length * paths;

  for (guint32 i = 0; i < paths; i++)
    {
      csr_edges_add (edges, 0, 1 + i * length, TRUE);
      for (guint32 k = 1; k < length; k++)
        csr_edges_add (edges, i * length + k, i * length + k + 1, TRUE);
    }
  for (guint32 i = 0; i < 64; i++)
    {
      guint32 branch = next++;

      csr_edges_add (edges, length, branch, TRUE);
      for (guint32 k = 0; k < 64; k++)
        {
          csr_edges_add (edges, branch, next, TRUE);
          csr_edges_add (edges, next, next + 1, TRUE);
          next += 2;
        }
    }
  return csr_graph_build (next, edges);
}

CsrGraph
csr_graph_turn (const CsrGraph *self)
{
  GArray *edges = csr_edges_new ();

  for (guint32 v = 0; v < self->vertices; v++)
    for (guint32 e = self->offsets[v]; e < self->offsets[v + 1]; e++)
      csr_edges_add (edges, self->indices[e], v, FALSE);
  return csr_graph_build (self->vertices, edges);
}

void
csr_graph_shuffle (CsrGraph *self, guint64 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) seed);

  for (guint32 v = 0; v < self->vertices; v++)
    for (guint32 e = self->offsets[v]; e + 1 < self->offsets[v + 1]; e++)
      {
        guint32 other = (guint32) g_rand_int_range (rand, (gint32) e, (gint32) self->offsets[v + 1]);
        guint32 index = self->indices[e];

        self->indices[e] = self->indices[other];
        self->indices[other] = index;
      }
}

void
csr_graph_clear (CsrGraph *self)
{
  g_clear_pointer (&self->offsets, g_free);
  g_clear_pointer (&self->indices, g_free);
}

void
csr_graph_search (const CsrGraph *self, const guint32 *sources, guint n_sources, guint32 *levels, guint32 *parents)
{
  g_autofree guint32 *queue = g_new (guint32, self->vertices);
  guint32 head = 0, tail = 0;

  memset (levels, 0xff, self->vertices * sizeof *levels);
  if (parents != NULL)
    memset (parents, 0xff, self->vertices * sizeof *parents);
  for (guint i = 0; i < n_sources; i++)
    if (levels[sources[i]] != 0)
      {
        levels[sources[i]] = 0;
        queue[tail++] = sources[i];
      }
  while (head < tail)
    {
      guint32 v = queue[head++];

      for (guint32 e = self->offsets[v]; e < self->offsets[v + 1]; e++)
        if (levels[self->indices[e]] == G_MAXUINT32)
          {
            levels[self->indices[e]] = levels[v] + 1;
            queue[tail++] = self->indices[e];
          }
    }
  for (guint i = 0; i < n_sources && parents != NULL; i++)
    parents[sources[i]] = sources[i];
  for (guint32 v = 0; v < self->vertices && parents != NULL; v++)
    for (guint32 e = self->offsets[v]; e < self->offsets[v + 1] && levels[v] != G_MAXUINT32; e++)
      if (levels[self->indices[e]] == levels[v] + 1)
        parents[self->indices[e]] = MIN (parents[self->indices[e]], v);
}
