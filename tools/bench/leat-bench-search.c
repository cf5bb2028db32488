/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Graphs for the cases that search, and a plain search by threads of the host to compare with.  Touches the host's
 * memory only. */

#include "leat-bench-search.h"

#include <pthread.h>
#include <string.h>

#define SHARE 64 /* vertices that a thread takes at once */

static void
leat_bench_search_open_rows (LeatBenchSearch *self)
{
  for (guint32 v = 0; v < self->vertices; v++)
    self->offsets[v + 1] += self->offsets[v];
}

/* To be found again from the vertices that it leads to, one after the other, each edge comes into its opposite's row in
 * ascending order. */
static void
leat_bench_search_sort_rows (LeatBenchSearch *self)
{
  g_autofree guint32 *next = g_memdup2 (self->offsets, self->vertices * sizeof *next);
  guint32 *sorted = g_new (guint32, self->n_edges);

  for (guint32 v = 0; v < self->vertices; v++)
    for (guint32 e = self->offsets[v]; e < self->offsets[v + 1]; e++)
      sorted[next[self->indices[e]]++] = v;
  g_free (self->indices);
  self->indices = sorted;
}

void
leat_bench_search_mix_rows (LeatBenchSearch *self)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint32 v = 0; v < self->vertices; v++)
    for (guint32 e = self->offsets[v]; e < self->offsets[v + 1]; e++)
      {
        guint32 other = e + g_rand_int (rand) % (self->offsets[v + 1] - e), index = self->indices[e];

        self->indices[e] = self->indices[other];
        self->indices[other] = index;
      }
}

/* Of @n edges in @ends, two words each, both ways. */
static void
leat_bench_search_build (LeatBenchSearch *self, guint32 vertices, const guint32 *ends, guint32 n)
{
  g_autofree guint32 *next = g_new (guint32, vertices);

  self->vertices = vertices;
  self->n_edges = 2 * n;
  self->offsets = g_new0 (guint32, vertices + 1);
  self->indices = g_new (guint32, self->n_edges);
  for (guint32 i = 0; i < 2 * n; i++)
    self->offsets[ends[i] + 1]++;
  leat_bench_search_open_rows (self);
  memcpy (next, self->offsets, vertices * sizeof *next);
  for (guint32 i = 0; i < 2 * n; i++)
    self->indices[next[ends[i]]++] = ends[i ^ 1];
  while (self->offsets[self->source + 1] == self->offsets[self->source])
    self->source++;
  leat_bench_search_sort_rows (self);
}

void
leat_bench_search_init_grid (LeatBenchSearch *self, guint scale)
{
  guint32 side = 1u << scale, n = 0;
  g_autofree guint32 *ends = g_new (guint32, 4 * (gsize) side * side);

  memset (self, 0, sizeof *self);
  for (guint32 y = 0; y < side; y++)
    for (guint32 x = 0; x < side; x++)
      {
        guint32 v = y * side + x;

        if (x + 1 < side)
          ends[n++] = v, ends[n++] = v + 1;
        if (y + 1 < side)
          ends[n++] = v, ends[n++] = v + side;
      }
  leat_bench_search_build (self, side * side, ends, n / 2);
}

/* Quadrants with 57, 19, 19 and 5 of 100 edges, as in the Graph500 benchmark; each bit of both ends by one throw. */
void
leat_bench_search_init_rmat (LeatBenchSearch *self, guint scale, guint factor)
{
  guint32 n = factor << scale;
  g_autofree guint32 *ends = g_new (guint32, 2 * (gsize) n);
  guint64 x = 1;

  memset (self, 0, sizeof *self);
  for (guint32 i = 0; i < n; i++)
    {
      guint32 from = 0, to = 0;

      for (guint bit = 0; bit < scale; bit++)
        {
          guint dice;

          x ^= x << 13;
          x ^= x >> 7;
          x ^= x << 17;
          dice = (guint) ((x >> 32) * 100 >> 32);
          from |= (guint32) (dice >= 76) << bit;
          to |= (guint32) ((dice >= 57 && dice < 76) || dice >= 95) << bit;
        }
      ends[2 * i] = from;
      ends[2 * i + 1] = to;
    }
  leat_bench_search_build (self, 1u << scale, ends, n);
}

void
leat_bench_search_clear (LeatBenchSearch *self)
{
  g_clear_pointer (&self->offsets, g_free);
  g_clear_pointer (&self->indices, g_free);
}

typedef struct
{
  const LeatBenchSearch *graph;
  guint32 *levels, *parents;
  guint32 *lists[2];
  guint32 sizes[3], ticket;
  guint n_threads;
  guint64 edges;
  pthread_barrier_t barrier;
} LeatBenchPlain;

static guint64
leat_bench_plain_do_level (LeatBenchPlain *self, guint32 level)
{
  const LeatBenchSearch *graph = self->graph;
  guint32 size = self->sizes[level % 3], at;
  guint64 edges = 0;

  while ((at = __atomic_fetch_add (&self->ticket, SHARE, __ATOMIC_RELAXED)) < size)
    for (guint32 i = at; i < size && i < at + SHARE; i++)
      {
        guint32 v = self->lists[level % 2][i];

        edges += graph->offsets[v + 1] - graph->offsets[v];
        for (guint32 e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
          {
            guint32 to = graph->indices[e], none = G_MAXUINT32;

            if (__atomic_load_n (&self->levels[to], __ATOMIC_RELAXED) != none
                || !__atomic_compare_exchange_n (&self->levels[to], &none, level + 1, FALSE, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED))
              continue;
            self->parents[to] = v;
            self->lists[(level + 1) % 2][__atomic_fetch_add (&self->sizes[(level + 1) % 3], 1, __ATOMIC_RELAXED)] = to;
          }
      }
  return edges;
}

static void *
leat_bench_plain_work (gpointer data)
{
  LeatBenchPlain *self = data;
  guint64 edges = 0;

  for (guint32 level = 0; self->sizes[level % 3] > 0; level++)
    {
      edges += leat_bench_plain_do_level (self, level);
      if (pthread_barrier_wait (&self->barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        {
          self->ticket = 0;
          self->sizes[(level + 2) % 3] = 0;
        }
      pthread_barrier_wait (&self->barrier);
    }
  __atomic_fetch_add (&self->edges, edges, __ATOMIC_RELAXED);
  return NULL;
}

guint64
leat_bench_search_run_plain (const LeatBenchSearch *self, guint n_threads, guint32 *levels, guint32 *parents)
{
  g_autofree guint32 *list = g_new (guint32, self->vertices), *other = g_new (guint32, self->vertices);
  LeatBenchPlain plain = { self, levels, parents, { list, other }, { 1, 0, 0 }, 0, n_threads, 0, { { 0 } } };
  g_autofree pthread_t *threads = g_new (pthread_t, n_threads);

  memset (levels, 0xff, self->vertices * sizeof *levels);
  memset (parents, 0xff, self->vertices * sizeof *parents);
  levels[self->source] = 0;
  parents[self->source] = list[0] = self->source;
  pthread_barrier_init (&plain.barrier, NULL, n_threads);
  for (guint i = 1; i < n_threads; i++)
    if (pthread_create (&threads[i], NULL, leat_bench_plain_work, &plain) != 0)
      g_error ("cannot start a thread");
  leat_bench_plain_work (&plain);
  for (guint i = 1; i < n_threads; i++)
    pthread_join (threads[i], NULL);
  pthread_barrier_destroy (&plain.barrier);
  return plain.edges;
}
