/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "plain-csr.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define MOST_THREADS 64
#define BATCH        64 /* vertices that a thread takes off a list at once */

typedef struct PlainTeam PlainTeam;

typedef struct
{
  PlainTeam *team;
  guint index;
  guint32 begin, end; /* its piece of the vertices */
} PlainMember;

struct PlainTeam
{
  const PlainGraph *graph;
  void (*work) (PlainMember *member);
  gpointer job;
  guint threads;
  pthread_barrier_t barrier;
};

static gpointer
plain_member_run (gpointer data)
{
  PlainMember *self = data;

  self->team->work (self);
  return NULL;
}

static gboolean
plain_member_wait (PlainMember *self)
{
  return pthread_barrier_wait (&self->team->barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
}

static void
plain_team_run (const PlainGraph *graph, void (*work) (PlainMember *), gpointer job, guint threads)
{
  PlainTeam team = { graph, work, job, MIN (threads, MOST_THREADS), { { 0 } } };
  PlainMember members[MOST_THREADS];
  GThread *others[MOST_THREADS];
  guint64 n = graph->vertices;

  pthread_barrier_init (&team.barrier, NULL, team.threads);
  for (guint i = 0; i < team.threads; i++)
    members[i] = (PlainMember){ &team, i, (guint32) (n * i / team.threads), (guint32) (n * (i + 1) / team.threads) };
  for (guint i = 1; i < team.threads; i++)
    others[i] = g_thread_new ("plain", plain_member_run, &members[i]);
  work (&members[0]);
  for (guint i = 1; i < team.threads; i++)
    g_thread_join (others[i]);
  pthread_barrier_destroy (&team.barrier);
}

/* Vertices whose neighbours are to be looked at, round after round: a list of this round and one of the next. */
typedef struct PlainRounds PlainRounds;

struct PlainRounds
{
  void (*visit) (PlainRounds *self, const PlainGraph *graph, guint32 vertex, guint32 round);
  guint32 *lists[2], sizes[3], taken;
  guint32 *marks; /* the round for which a vertex was last put on a list */
  const float *weights;
  guint32 *levels, *distances; /* distances: bits of floats, which compare as they do */
  guint64 *reached;
};

static void
plain_rounds_push (PlainRounds *self, guint32 vertex, guint32 round)
{
  guint32 *size = &self->sizes[(round + 1) % 3];

  if (__atomic_exchange_n (&self->marks[vertex], round + 1, __ATOMIC_RELAXED) != round + 1)
    self->lists[(round + 1) % 2][__atomic_fetch_add (size, 1, __ATOMIC_RELAXED)] = vertex;
}

static void
plain_rounds_work (PlainMember *member)
{
  PlainRounds *self = member->team->job;
  guint32 at, size;

  for (guint32 round = 0; (size = self->sizes[round % 3]) > 0; round++)
    {
      while ((at = __atomic_fetch_add (&self->taken, BATCH, __ATOMIC_RELAXED)) < size)
        for (guint32 i = at; i < size && i < at + BATCH; i++)
          self->visit (self, member->team->graph, self->lists[round % 2][i], round);
      if (plain_member_wait (member))
        self->taken = self->sizes[(round + 2) % 3] = 0;
      plain_member_wait (member);
    }
}

static void
plain_rounds_run (PlainRounds *self, const PlainGraph *graph, const guint32 *sources, guint n, guint threads)
{
  self->marks = g_new0 (guint32, graph->vertices);
  self->lists[0] = g_new (guint32, graph->vertices);
  self->lists[1] = g_new (guint32, graph->vertices);
  memcpy (self->lists[0], sources, n * sizeof *sources);
  self->sizes[0] = n;
  plain_team_run (graph, plain_rounds_work, self, threads);
  g_free (self->marks);
  g_free (self->lists[0]);
  g_free (self->lists[1]);
}

static void
plain_bfs_visit (PlainRounds *self, const PlainGraph *graph, guint32 vertex, guint32 round)
{
  for (guint32 e = graph->offsets[vertex]; e < graph->offsets[vertex + 1]; e++)
    {
      guint32 *level = &self->levels[graph->indices[e]], none = G_MAXUINT32;

      if (__atomic_load_n (level, __ATOMIC_RELAXED) == none
          && __atomic_compare_exchange_n (level, &none, round + 1, FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        self->lists[(round + 1) % 2][__atomic_fetch_add (&self->sizes[(round + 1) % 3], 1, __ATOMIC_RELAXED)] =
          graph->indices[e];
    }
}

void
plain_bfs (const PlainGraph *graph, guint32 source, guint32 *levels, guint threads)
{
  PlainRounds self = { .visit = plain_bfs_visit, .levels = levels };

  memset (levels, 0xff, graph->vertices * sizeof *levels);
  levels[source] = 0;
  plain_rounds_run (&self, graph, &source, 1, threads);
}

static void
plain_sssp_visit (PlainRounds *self, const PlainGraph *graph, guint32 vertex, guint32 round)
{
  guint32 own = __atomic_load_n (&self->distances[vertex], __ATOMIC_RELAXED);
  float from, way;

  memcpy (&from, &own, sizeof from);
  for (guint32 e = graph->offsets[vertex]; e < graph->offsets[vertex + 1]; e++)
    {
      guint32 *distance = &self->distances[graph->indices[e]], bits, was;

      way = from + self->weights[e];
      memcpy (&bits, &way, sizeof bits);
      was = __atomic_load_n (distance, __ATOMIC_RELAXED);
      while (bits < was)
        if (__atomic_compare_exchange_n (distance, &was, bits, FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
          {
            plain_rounds_push (self, graph->indices[e], round);
            break;
          }
    }
}

void
plain_sssp (const PlainGraph *graph, const float *weights, guint32 source, float *distances, guint threads)
{
  PlainRounds self = { .visit = plain_sssp_visit, .weights = weights, .distances = (guint32 *) distances };

  for (guint32 v = 0; v < graph->vertices; v++)
    distances[v] = INFINITY;
  distances[source] = 0;
  plain_rounds_run (&self, graph, &source, 1, threads);
}

static void
plain_reach_visit (PlainRounds *self, const PlainGraph *graph, guint32 vertex, guint32 round)
{
  guint64 bits = __atomic_load_n (&self->reached[vertex], __ATOMIC_RELAXED);

  for (guint32 e = graph->offsets[vertex]; e < graph->offsets[vertex + 1]; e++)
    {
      guint64 *other = &self->reached[graph->indices[e]];

      if ((bits & ~__atomic_load_n (other, __ATOMIC_RELAXED)) != 0
          && (bits & ~__atomic_fetch_or (other, bits, __ATOMIC_RELAXED)) != 0)
        plain_rounds_push (self, graph->indices[e], round);
    }
}

void
plain_reach (const PlainGraph *graph, const guint32 *sources, guint64 *reached, guint threads)
{
  PlainRounds self = { .visit = plain_reach_visit, .reached = reached };

  memset (reached, 0, graph->vertices * sizeof *reached);
  for (guint i = 0; i < 64; i++)
    reached[sources[i]] |= G_GUINT64_CONSTANT (1) << i;
  plain_rounds_run (&self, graph, sources, 64, threads);
}

static guint32
plain_components_find (guint32 *labels, guint32 vertex)
{
  guint32 label, next;

  while ((label = __atomic_load_n (&labels[vertex], __ATOMIC_RELAXED)) != vertex)
    {
      next = __atomic_load_n (&labels[label], __ATOMIC_RELAXED);
      if (next != label)
        __atomic_store_n (&labels[vertex], next, __ATOMIC_RELAXED);
      vertex = label;
    }
  return vertex;
}

static void
plain_components_join (guint32 *labels, guint32 a, guint32 b)
{
  for (;;)
    {
      guint32 x = plain_components_find (labels, a), y = plain_components_find (labels, b), most = MAX (x, y);

      if (x == y
          || __atomic_compare_exchange_n (&labels[most], &(guint32){ most }, MIN (x, y), FALSE, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED))
        return;
    }
}

static void
plain_components_work (PlainMember *member)
{
  const PlainGraph *graph = member->team->graph;
  guint32 *labels = member->team->job;

  for (guint32 v = member->begin; v < member->end; v++)
    labels[v] = v;
  plain_member_wait (member);
  for (guint32 v = member->begin; v < member->end; v++)
    for (guint32 e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
      if (graph->indices[e] < v)
        plain_components_join (labels, v, graph->indices[e]);
  plain_member_wait (member);
  for (guint32 v = member->begin; v < member->end; v++)
    labels[v] = plain_components_find (labels, v);
}

void
plain_components (const PlainGraph *graph, guint32 *labels, guint threads)
{
  plain_team_run (graph, plain_components_work, labels, threads);
}

typedef struct
{
  float *ranks, *shares; /* a share: what a vertex gives each of its neighbours */
  double kept[MOST_THREADS];
  guint iterations;
} PlainPagerank;

static void
plain_pagerank_share (PlainMember *member)
{
  const PlainGraph *graph = member->team->graph;
  PlainPagerank *self = member->team->job;
  double kept = 0;

  for (guint32 v = member->begin; v < member->end; v++)
    {
      guint32 degree = graph->offsets[v + 1] - graph->offsets[v];

      self->shares[v] = degree > 0 ? self->ranks[v] / (float) degree : 0;
      kept += degree > 0 ? 0 : self->ranks[v];
    }
  self->kept[member->index] = kept;
}

static void
plain_pagerank_work (PlainMember *member)
{
  const PlainGraph *graph = member->team->graph;
  PlainPagerank *self = member->team->job;

  for (guint32 v = member->begin; v < member->end; v++)
    self->ranks[v] = 1.0f / (float) graph->vertices;
  for (guint i = 0; i < self->iterations; i++)
    {
      double kept = 0;
      float base;

      plain_pagerank_share (member);
      plain_member_wait (member);
      for (guint k = 0; k < member->team->threads; k++)
        kept += self->kept[k];
      base = (float) ((0.15 + 0.85 * kept) / graph->vertices);
      for (guint32 v = member->begin; v < member->end; v++)
        {
          float sum = 0;

          for (guint32 e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            sum += self->shares[graph->indices[e]];
          self->ranks[v] = base + 0.85f * sum;
        }
      plain_member_wait (member);
    }
}

void
plain_pagerank (const PlainGraph *graph, guint iterations, float *ranks, guint threads)
{
  PlainPagerank self = { ranks, g_new (float, graph->vertices), { 0 }, iterations };

  plain_team_run (graph, plain_pagerank_work, &self, threads);
  g_free (self.shares);
}
