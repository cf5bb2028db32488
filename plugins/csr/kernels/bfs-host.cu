/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The search of bfs.cu in plain C, a block being a thread of the host.  The same levels are done alone, by pushing and by
 * pulling, the limit to what is done alone being in edges: the list has whole vertices, and a barrier takes longer.  Parents are found on the
 * way, since what leads to a vertex is in the cache then. */

#ifdef LEAT_HOST
#define HOST_ALONE_EDGES 64 /* for each piece up to which a GPU's block goes on alone */
#define HOST_SHARE 64    /* vertices of the list that a block takes at once */
#define HOST_WORDS 256   /* of bits */
#define HOST_BUFFER 1024 /* vertices that a block finds before it adds them to the list */

/* Further words of `control`. */
#define HOST_LEVEL (FRONTIER_STATE + 0)
#define HOST_SIZE (FRONTIER_STATE + 1)
#define HOST_EDGES (FRONTIER_STATE + 2)
#define HOST_UNEXPLORED (FRONTIER_STATE + 3)
#define HOST_WAY (FRONTIER_STATE + 4)
#define HOST_DONE (FRONTIER_WAKE + 1) /* one for each way */
#define HOST_ENDED (FRONTIER_STATE + 8)
#define HOST_UNSET (FRONTIER_STATE + 9) /* the bits of this level are not set yet */
#define HOST_BEFORE (FRONTIER_STATE + 10) /* edges of the level before */
#define HOST_REACHED (FRONTIER_STATE + 11) /* up to the level before */
#define HOST_TICKET FRONTIER_WAKE
#define HOST_FOUND FRONTIER_TAILS
#define HOST_FOUND_EDGES (FRONTIER_TAILS + 16)

struct HostSearch
{
  Search search;
  Frontier frontier;
  uint32_t *lists[2];
  uint32_t *parents;
  bool shared; /* other blocks are at work on the same */
};

/* What a block has found in a level. */
struct HostFound
{
  uint32_t vertices[HOST_BUFFER];
  uint64_t n, edges, reached;
};

static __device__ inline void
host_flush (const HostSearch &self, uint64_t level, HostFound *found)
{
  uint64_t *tail = self.frontier.control + HOST_FOUND, at;

  if (self.shared)
    at = atomicAdd (tail, found->n);
  else
    {
      at = *tail;
      *tail += found->n;
    }
  __builtin_memcpy (self.lists[level % 2] + at, found->vertices, found->n * sizeof (uint32_t));
  found->n = 0;
}

static __device__ inline void
host_find (const HostSearch &self, uint32_t v, uint64_t level, HostFound *found)
{
  Offset begin, end;

  graph_find_row (self.search.graph, v, &begin, &end);
  found->reached++;
  if (begin == end)
    return;
  found->edges += end - begin;
  found->vertices[found->n++] = v;
  if (found->n == HOST_BUFFER)
    host_flush (self, level, found);
}

/* Of those that lead to a vertex the least becomes its parent. */
static __device__ inline void
host_offer (const HostSearch &self, uint32_t from, uint32_t to, uint32_t next, HostFound *found)
{
  uint32_t *level = self.search.levels + to, now = __atomic_load_n (level, __ATOMIC_RELAXED);

  if (now == FRONTIER_NONE)
    {
      if (!self.shared)
        *level = next;
      if (!self.shared || (now = atomicCAS (level, FRONTIER_NONE, next)) == FRONTIER_NONE)
        {
          host_find (self, to, next, found);
          now = next;
        }
    }
  if (!PARENTS || now != next || __atomic_load_n (self.parents + to, __ATOMIC_RELAXED) <= from)
    return;
  if (self.shared)
    atomicMin (self.parents + to, from);
  else
    self.parents[to] = from;
}

static __device__ inline void
host_push_some (const HostSearch &self, const uint32_t *list, uint64_t n, uint64_t level, HostFound *found)
{
  for (uint64_t i = 0; i < n; i++)
    {
      Offset begin, end;

      graph_find_row (self.search.graph, list[i], &begin, &end);
      for (uint64_t e = begin; e < end; e++)
        {
          uint32_t to = self.search.graph.indices[e];

          if (to < self.search.graph.vertices)
            host_offer (self, list[i], to, (uint32_t) level + 1, found);
          else
            leat_report_at (CORRUPT_INDEX, e, to);
        }
    }
}

static __device__ inline void
host_push_level (const HostSearch &self, uint64_t level, uint64_t size, HostFound *found)
{
  uint64_t at;

  while ((at = atomicAdd (self.frontier.control + HOST_TICKET, (uint64_t) HOST_SHARE)) < size)
    host_push_some (self, self.lists[level % 2] + at, size - at < HOST_SHARE ? size - at : HOST_SHARE, level, found);
}

/* With parents the whole row is looked at, for the least that is in the frontier. */
static __device__ inline bool
host_pull (const HostSearch &self, const uint32_t *bits, uint32_t v)
{
  uint32_t least = FRONTIER_NONE;
  Offset begin, end;

  graph_find_row (self.search.back, v, &begin, &end);
  for (uint64_t e = begin; e < end; e++)
    if (bfs_comes_from (self.search, bits, e))
      {
        if (!PARENTS)
          return true;
        least = self.search.back.indices[e] < least ? self.search.back.indices[e] : least;
      }
  if (PARENTS && least != FRONTIER_NONE)
    self.parents[v] = least;
  return least != FRONTIER_NONE;
}

static __device__ inline void
host_pull_word (const HostSearch &self, uint64_t word, uint64_t level, HostFound *found)
{
  const uint32_t *bits = frontier_bits (self.frontier, level);
  uint32_t hits = 0;

  for (uint64_t v = 32 * word; v < 32 * word + 32 && v < self.search.graph.vertices; v++)
    if (self.search.levels[v] == FRONTIER_NONE && host_pull (self, bits, (uint32_t) v))
      {
        self.search.levels[v] = (uint32_t) level + 1;
        hits |= 1u << v % 32;
        host_find (self, (uint32_t) v, level + 1, found);
      }
  frontier_bits (self.frontier, level + 1)[word] = hits;
}

static __device__ inline void
host_pull_level (const HostSearch &self, uint64_t level, HostFound *found)
{
  uint64_t words = (self.search.graph.vertices + 31) / 32, at;

  while ((at = atomicAdd (self.frontier.control + HOST_TICKET, (uint64_t) HOST_WORDS)) < words)
    for (uint64_t word = at; word < at + HOST_WORDS && word < words; word++)
      host_pull_word (self, word, level, found);
}

static __device__ inline void
host_set_bits (const HostSearch &self, uint64_t level)
{
  uint64_t words = (self.search.graph.vertices + 31) / 32;

  for (uint64_t word = blockIdx.x; word < words; word += gridDim.x)
    {
      uint32_t bits = 0;

      for (uint64_t v = 32 * word; v < 32 * word + 32 && v < self.search.graph.vertices; v++)
        bits |= (uint32_t) (self.search.levels[v] == (uint32_t) level) << v % 32;
      frontier_bits (self.frontier, level)[word] = bits;
    }
}

/* Block 0, between two barriers: the next level is there. */
static __device__ inline void
host_step (const HostSearch &self, uint64_t level)
{
  uint64_t *control = self.frontier.control;

  control[HOST_LEVEL] = level;
  control[HOST_SIZE] = control[HOST_FOUND];
  control[HOST_BEFORE] = control[HOST_EDGES];
  control[HOST_EDGES] = control[HOST_FOUND_EDGES];
  control[HOST_UNEXPLORED] -= control[HOST_EDGES] < control[HOST_UNEXPLORED] ? control[HOST_EDGES] : control[HOST_UNEXPLORED];
  control[HOST_FOUND] = control[HOST_FOUND_EDGES] = control[HOST_TICKET] = 0;
  if (control[FRONTIER_REACHED] > control[HOST_REACHED])
    control[FRONTIER_DEEPEST] = level;
  control[HOST_REACHED] = control[FRONTIER_REACHED];
}

/* The last that a block found in a level. */
static __device__ inline void
host_end_level (const HostSearch &self, uint64_t level, HostFound *found)
{
  uint64_t *control = self.frontier.control;

  host_flush (self, level, found);
  atomicAdd (control + HOST_FOUND_EDGES, found->edges);
  atomicAdd (control + FRONTIER_REACHED, found->reached);
  found->edges = found->reached = 0;
}

/* Block 0: levels while they are small, and what is done with the next one. */
static __device__ inline void
host_go_alone (HostSearch *self, HostFound *found)
{
  uint64_t *control = self->frontier.control;
  bool pulled = control[HOST_WAY] == WAY_PULL;

  self->shared = false;
  frontier_look_at_clock (self->frontier, self->search.budget, 1);
  while (control[HOST_SIZE] > 0 && control[HOST_LEVEL] < self->search.most && control[HOST_EDGES] <= self->search.limits.alone * HOST_ALONE_EDGES
         && control[FRONTIER_LATE] == 0)
    {
      uint64_t level = control[HOST_LEVEL];

      if (level % 32 == 0)
        frontier_look_at_clock (self->frontier, self->search.budget, 1);
      host_push_some (*self, self->lists[level % 2], control[HOST_SIZE], level, found);
      host_end_level (*self, level + 1, found);
      host_step (*self, level + 1);
      control[HOST_DONE + WAY_ALONE]++;
      pulled = false;
    }
  self->shared = true;
  control[HOST_ENDED] =
    control[HOST_SIZE] == 0 || control[HOST_LEVEL] >= self->search.most || control[FRONTIER_LATE] != 0;
  control[HOST_WAY] = WAY_PUSH;
  if (!control[HOST_ENDED]
      && (pulled ? bfs_stays_dense (self->search, control[HOST_SIZE])
                 : control[HOST_EDGES] > control[HOST_BEFORE]
                     && bfs_is_dense (self->search, control[HOST_EDGES], control[HOST_UNEXPLORED], control[HOST_SIZE])))
    control[HOST_WAY] = WAY_PULL;
  control[HOST_UNSET] = !pulled;
  control[HOST_DONE + control[HOST_WAY]] += !control[HOST_ENDED];
}

static __device__ inline void
host_begin (HostSearch *self, const uint32_t *sources, uint64_t n, HostFound *found)
{
  self->shared = false;
  for (uint64_t i = 0; i < n; i++)
    if (sources[i] >= self->search.graph.vertices)
      leat_report_at (NO_SUCH_SOURCE, i, sources[i]);
    else if (self->search.levels[sources[i]] == FRONTIER_NONE)
      {
        self->search.levels[sources[i]] = 0;
        if (PARENTS)
          self->parents[sources[i]] = sources[i];
        host_find (*self, sources[i], 0, found);
      }
  host_end_level (*self, 0, found);
  self->frontier.control[HOST_UNEXPLORED] = graph_count_edges (self->search.graph);
  host_step (*self, 0);
}

LEAT_HOST_VARIANT void
bfs_search (const Offset *offsets, const uint32_t *indices, const Offset *back_offsets, const uint32_t *back_indices,
            const uint32_t *sources, uint64_t sources_count, uint64_t vertices, uint64_t indices_count, uint64_t back_indices_count,
            uint64_t most, uint64_t alone, uint64_t pull_from, uint64_t pull_until, uint64_t tells, uint64_t budget, uint64_t room, uint64_t *control, uint64_t *list, uint64_t *other_list,
            uint32_t *bits, uint32_t *other_bits, uint32_t *seen, uint32_t *levels, uint32_t *parents, uint64_t *tuning, uint64_t *limits, uint64_t *report)
{
  Limits limits_set = { alone, pull_from, pull_until };
  HostSearch self = { { { offsets, indices, vertices, indices_count }, { back_offsets, back_indices, vertices, back_indices_count }, most, limits_set, levels, { budget, leat_clock_now () } },
                      { control, list, other_list, room, bits, other_bits, seen, 0 },
                      { (uint32_t *) list, (uint32_t *) other_list },
                      parents,
                      true };
  uint64_t first = vertices * blockIdx.x / gridDim.x, last = vertices * (blockIdx.x + 1) / gridDim.x;
  HostFound found;
  Tune tune = {};

  if (TUNES && blockIdx.x == 0) /* which alone looks at limits */
    {
      tune = tune_begin (tuning, bfs_get_key (self.search.graph, sources_count, self.search.limits), vertices);
      self.search.limits = bfs_get_limits (tune, self.search.limits);
    }
  found.n = found.edges = found.reached = 0;
  __builtin_memset (levels + first, 0xff, (last - first) * sizeof (uint32_t));
  if (PARENTS)
    __builtin_memset (parents + first, 0xff, (last - first) * sizeof (uint32_t));
  leat_grid_sync ();
  if (blockIdx.x == 0)
    host_begin (&self, sources, sources_count, &found);
  for (;;)
    {
      uint64_t level;

      if (blockIdx.x == 0)
        host_go_alone (&self, &found);
      leat_grid_sync ();
      if (control[HOST_ENDED])
        break;
      level = control[HOST_LEVEL];
      if (control[HOST_WAY] == WAY_PULL)
        {
          if (control[HOST_UNSET])
            {
              host_set_bits (self, level);
              leat_grid_sync ();
            }
          host_pull_level (self, level, &found);
        }
      else
        host_push_level (self, level, control[HOST_SIZE], &found);
      host_end_level (self, level + 1, &found);
      leat_grid_sync ();
      if (blockIdx.x == 0)
        host_step (self, level + 1);
    }
  if (blockIdx.x == 0)
    {
      Level level = { control[HOST_LEVEL], 0, control[HOST_SIZE], 0, 0, control[FRONTIER_LATE] != 0 };
      uint64_t reached = control[FRONTIER_REACHED], levels_reached = control[FRONTIER_DEEPEST] + (reached > 0);

      if (TUNES && level.size == 0)
        tune_end (tuning, tune, leat_clock_now () - self.search.budget.began, levels_reached, reached);
      bfs_tell_limits (self.search, tuning, tune, limits);
      bfs_tell (level, level.size > 0 ? level.number : levels_reached, reached, control + HOST_DONE, tells, report);
    }
}
#endif
