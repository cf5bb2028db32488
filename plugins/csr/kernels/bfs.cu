/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Breadth-first search, all of it in one launch.  Behind frontier.cu and
 *
 *   PULLS      whether there are the edges into each vertex (back_offsets, back_indices)
 *   PARENTS    whether parents are wanted
 *
 * A level is done in one of three ways; which one, all blocks find out from the same numbers:
 *
 *   alone   block 0, for level after level, with the frontier in its shared memory
 *   push    all blocks, along the edges that leave the frontier
 *   pull    all blocks: each vertex that was not reached looks for an edge from the frontier (Beamer and others, 2012)
 *
 * Levels do not depend on who is faster.  A parent would, so the least of those that may be is taken, in a pass over all
 * edges when the levels are known. */

#ifndef ALONE_PIECES
#define ALONE_PIECES 512
#define ALONE_EDGES 4096
#endif
#define PULL_FROM 14     /* part of the edges not seen yet that makes pulling worth while */
#define PULL_AT_LEAST 256 /* part of all vertices that a frontier has then */
#define PULL_UNTIL 24    /* part of all vertices below which it is not any more */
#define PULL_ALONE 32    /* edges that a lane looks at before the warp helps */
#define PARENTS_ALONE 4096 /* edges of a row that are for one warp */

enum
{
  REPORT_ITERATIONS,
  REPORT_REASON, /* 0: done, 1: max-iterations */
  REPORT_REACHED,
  REPORT_ALONE,
  REPORT_PUSHED,
  REPORT_PULLED,
  REPORT_LEFT,
  REPORT_WORDS = 8
};

enum
{
  WAY_ALONE,
  WAY_PUSH,
  WAY_PULL
};

struct Search
{
  Graph graph, back;
  uint64_t most;
  uint32_t *levels;
};

static __device__ __forceinline__ bool
bfs_is_small (const Level &level)
{
  return level.size <= ALONE_PIECES && (level.units << EDGE_SHIFT) <= ALONE_EDGES;
}

static __device__ __forceinline__ int
bfs_choose (const Search &search, const Level &level, bool pulls, bool grows)
{
  if (pulls)
    return grows || level.size * PULL_UNTIL >= search.graph.vertices ? WAY_PULL : WAY_PUSH;
  if (bfs_is_small (level))
    return WAY_ALONE;
  return PULLS && grows && level.units > level.unexplored / PULL_FROM
             && level.size * PULL_AT_LEAST > search.graph.vertices
           ? WAY_PULL
           : WAY_PUSH;
}

/* The edges of 32 pieces: what they lead to and was not reached is now, and is in the list of the next level.  Block 0
 * alone has few edges and waits for each step, so it leaves out a look that would save it atomics. */
template <bool Alone>
static __device__ __forceinline__ void
bfs_expand (const Search &search, const Frontier &frontier, FrontierOfBlock *alone, uint64_t piece, uint64_t level,
            uint64_t *tail, Found *found)
{
  uint32_t mine = (uint32_t) piece & 127, upto = frontier_scan_of_warp (mine);
  uint32_t total = __shfl_sync (0xffffffffu, upto, 31);

  for (uint32_t first = 0; first < total; first += 32 * FRONTIER_UNROLL)
    {
      uint32_t to[FRONTIER_UNROLL];
      bool fresh[FRONTIER_UNROLL];
      FrontierRows rows;

#pragma unroll
      for (int u = 0; u < FRONTIER_UNROLL; u++)
        {
          uint32_t k = first + 32 * u + frontier_lane (), owner;
          uint64_t edge = frontier_find_edge (k, upto, mine, piece >> 7, &owner);

          fresh[u] = k < total;
          to[u] = fresh[u] ? search.graph.indices[edge] : 0;
          if (to[u] >= search.graph.vertices)
            {
              leat_report_at (CORRUPT_INDEX, edge, to[u]);
              fresh[u] = false;
            }
        }
      if (!Alone)
        {
#pragma unroll
          for (int u = 0; u < FRONTIER_UNROLL; u++)
            fresh[u] = fresh[u] && !(leat_load_relaxed (frontier.seen + to[u] / 32) >> to[u] % 32 & 1);
        }
#pragma unroll
      for (int u = 0; u < FRONTIER_UNROLL; u++)
        {
          Offset end = 0;

          rows.begin[u] = 0;
          if (fresh[u])
            graph_find_row (search.graph, to[u], rows.begin + u, &end);
          rows.edges[u] = end - rows.begin[u];
        }
#pragma unroll
      for (int u = 0; u < FRONTIER_UNROLL; u++)
        {
          if (fresh[u])
            fresh[u] = !(atomicOr (frontier.seen + to[u] / 32, 1u << to[u] % 32) >> to[u] % 32 & 1);
          if (!fresh[u])
            {
              rows.edges[u] = 0;
              continue;
            }
          if (Alone)
            frontier_prefetch (search.graph.indices + rows.begin[u]);
          search.levels[to[u]] = (uint32_t) level + 1;
          found->vertices++;
          found->units += frontier_count_units (rows.edges[u]);
        }
      frontier_push (frontier, alone, level + 1, tail, rows);
    }
}

static __device__ void
bfs_push_level (const Search &search, const Frontier &frontier, const Level &level, Found *found)
{
  uint64_t warps = (uint64_t) gridDim.x * (blockDim.x / 32);
  uint64_t warp = (uint64_t) (threadIdx.x / 32) * gridDim.x + blockIdx.x;
  const uint64_t *list = frontier_list (frontier, level.number);

  /* Neighbouring pieces, which may be of one long row, go to different multiprocessors. */
  for (uint64_t first = 0; first < level.size; first += 32 * warps)
    {
      uint64_t at = first + frontier_lane () * warps + warp;

      bfs_expand<false> (search, frontier, nullptr, at < level.size ? list[at] : 0, level.number,
                         frontier_tail (frontier, level.round + 1), found);
    }
}

/* Whether an edge comes from the frontier. */
static __device__ __forceinline__ bool
bfs_comes_from (const Search &search, const uint32_t *bits, uint64_t edge)
{
  uint32_t from = search.back.indices[edge];

  if (from < search.graph.vertices)
    return bits[from / 32] >> from % 32 & 1;
  leat_report_at (CORRUPT_INDEX, edge, from);
  return false;
}

/* For 32 vertices, those that are `wanted`: which of them have an edge from the frontier. */
static __device__ __forceinline__ uint32_t
bfs_pull (const Search &search, const uint32_t *bits, uint64_t v, bool wanted)
{
  Offset begin = 0, end = 0;
  uint32_t hits, rest;
  bool hit = false;

  if (wanted)
    graph_find_row (search.back, v, &begin, &end);
  for (uint64_t e = begin; e < end && e < (uint64_t) begin + PULL_ALONE && !hit; e++)
    hit = bfs_comes_from (search, bits, e);
  hits = __ballot_sync (0xffffffffu, hit);
  rest = __ballot_sync (0xffffffffu, !hit && end - begin > PULL_ALONE);
  for (; rest != 0; rest &= rest - 1)
    {
      int lane = __ffs ((int) rest) - 1;
      uint64_t last = __shfl_sync (0xffffffffu, end, lane);
      uint64_t first = (uint64_t) __shfl_sync (0xffffffffu, begin, lane) + PULL_ALONE;

      for (hit = false; first < last && !hit; first += 32)
        {
          uint64_t e = first + frontier_lane ();

          hit = __any_sync (0xffffffffu, e < last && bfs_comes_from (search, bits, e));
        }
      hits |= (uint32_t) hit << lane;
    }
  return hits;
}

/* A word of bits belongs to one warp, so that nothing here is atomic. */
static __device__ void
bfs_pull_level (const Search &search, const Frontier &frontier, const Level &level, Found *found)
{
  uint64_t warps = (uint64_t) gridDim.x * (blockDim.x / 32), words = (search.graph.vertices + 31) / 32;
  uint32_t *next = frontier_bits (frontier, level.number + 1);

  for (uint64_t i = (uint64_t) (threadIdx.x / 32) * gridDim.x + blockIdx.x; i < words; i += warps)
    {
      uint64_t v = 32 * i + frontier_lane ();
      uint32_t seen = frontier.seen[i], hits = 0;
      bool wanted = v < search.graph.vertices && !(seen >> frontier_lane () & 1);

      if (__any_sync (0xffffffffu, wanted))
        hits = bfs_pull (search, frontier_bits (frontier, level.number), v, wanted);
      if (frontier_lane () == 0)
        {
          next[i] = hits;
          frontier.seen[i] = seen | hits;
        }
      if (hits >> frontier_lane () & 1)
        {
          Offset begin, end;

          graph_find_row (search.graph, v, &begin, &end);
          search.levels[v] = (uint32_t) level.number + 1;
          found->vertices++;
          found->units += frontier_count_units (end - begin);
        }
    }
}

/* Levels while they are small.  Only block 0 is here. */
static __device__ void
bfs_go_alone (const Search &search, const Frontier &frontier, FrontierOfBlock *alone, Level *level, uint64_t *levels_done,
              Found *total)
{
  uint64_t at = level->number;

  for (uint32_t i = threadIdx.x; i < level->size; i += blockDim.x)
    alone->lists[at % 2][i] = frontier_list (frontier, at)[i];
  if (threadIdx.x < 3)
    alone->tails[threadIdx.x] = alone->units[threadIdx.x] = 0;
  __syncthreads ();
  for (; level->size > 0 && level->number < search.most && bfs_is_small (*level); (*levels_done)++)
    {
      Found found = {};

      at = level->number;
      for (uint32_t first = threadIdx.x / 32; first < level->size; first += blockDim.x)
        {
          uint32_t i = first + frontier_lane () * (blockDim.x / 32);

          bfs_expand<true> (search, frontier, alone, i < level->size ? alone->lists[at % 2][i] : 0, at, nullptr, &found);
        }
      total->vertices += found.vertices;
      found.units = frontier_sum_of_warp (found.units);
      if (frontier_lane () == 0 && found.units != 0)
        atomicAdd (alone->units + (at + 1) % 3, found.units);
      if (threadIdx.x == 0) /* everybody has read these before the barrier that ended the level before */
        alone->tails[(at + 2) % 3] = alone->units[(at + 2) % 3] = 0;
      __syncthreads ();
      level->number = at + 1;
      level->size = alone->tails[(at + 1) % 3];
      level->units = alone->units[(at + 1) % 3];
      level->unexplored -= level->units < level->unexplored ? level->units : level->unexplored;
    }
  at = level->number;
  for (uint32_t i = threadIdx.x; i < level->size && i < FRONTIER_ROOM_OF_BLOCK; i += blockDim.x)
    frontier_list (frontier, at)[i] = alone->lists[at % 2][i];
}

/* The others learn where block 0 has got to. */
static __device__ void
bfs_wake (const Frontier &frontier, const Level &level, uint64_t epoch)
{
  __syncthreads ();
  if (threadIdx.x == 0)
    {
      uint64_t *state = frontier.control + FRONTIER_STATE;

      state[0] = level.number;
      state[1] = level.size;
      state[2] = level.units;
      state[3] = level.unexplored;
      leat_store_release (frontier.control + FRONTIER_WAKE, epoch);
    }
  __syncthreads ();
}

static __device__ void
bfs_wait (const Frontier &frontier, Level *level, uint64_t epoch)
{
  const uint64_t *state = frontier.control + FRONTIER_STATE;

  if (threadIdx.x == 0)
    while (leat_load_acquire (frontier.control + FRONTIER_WAKE) < epoch)
      __nanosleep (500);
  __syncthreads ();
  level->number = leat_load_relaxed (state);
  level->size = leat_load_relaxed (state + 1);
  level->units = leat_load_relaxed (state + 2);
  level->unexplored = leat_load_relaxed (state + 3);
}

/* The sources, each of them once. */
static __device__ void
bfs_begin (const Search &search, const Frontier &frontier, const uint32_t *sources, uint64_t n, uint32_t *parents,
           Found *found)
{
  uint64_t step = (uint64_t) gridDim.x * blockDim.x, thread = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;

  for (uint64_t first = 0; first < n; first += step)
    {
      bool fresh = first + thread < n;
      uint32_t v = fresh ? sources[first + thread] : 0;
      FrontierRows rows = {};
      Offset end = 0;

      if (fresh && v >= search.graph.vertices)
        {
          leat_report_at (NO_SUCH_SOURCE, first + thread, v);
          fresh = false;
        }
      if (fresh && !(atomicOr (frontier.seen + v / 32, 1u << v % 32) >> v % 32 & 1))
        {
          graph_find_row (search.graph, v, rows.begin, &end);
          rows.edges[0] = end - rows.begin[0];
          search.levels[v] = 0;
          if (PARENTS)
            parents[v] = v;
          found->vertices++;
          found->units += frontier_count_units (rows.edges[0]);
        }
      frontier_push (frontier, nullptr, 0, frontier_tail (frontier, 0), rows);
    }
}

static __device__ void
bfs_clear (const Search &search, const Frontier &frontier, uint32_t *parents)
{
  GRID_FOR (v, search.graph.vertices)
    {
      search.levels[v] = FRONTIER_NONE;
      if (PARENTS)
        parents[v] = FRONTIER_NONE;
    }
  GRID_FOR (i, (search.graph.vertices + 31) / 32)
    frontier.seen[i] = 0;
}

static __device__ __forceinline__ void
bfs_offer_parent (const Search &search, uint32_t *parents, uint64_t edge, uint32_t v, uint32_t level)
{
  uint32_t to = search.graph.indices[edge];

  if (to < search.graph.vertices && search.levels[to] == level + 1 && leat_load_relaxed (parents + to) > v)
    atomicMin (parents + to, v);
}

/* The rows of 32 vertices; one that is too long for a warp goes into a list. */
static __device__ __forceinline__ void
bfs_offer_rows (const Search &search, const Frontier &frontier, uint64_t v, uint32_t *parents)
{
  uint32_t level = v < search.graph.vertices ? search.levels[v] : FRONTIER_NONE, mine, upto, total;
  Offset begin = 0, end = 0;

  if (level != FRONTIER_NONE)
    graph_find_row (search.graph, v, &begin, &end);
  if (end - begin > PARENTS_ALONE)
    {
      frontier.even_list[atomicAdd (frontier.control + FRONTIER_REBUILT, (uint64_t) 1)] = v;
      end = begin;
    }
  mine = (uint32_t) (end - begin);
  upto = frontier_scan_of_warp (mine);
  total = __shfl_sync (0xffffffffu, upto, 31);
  for (uint32_t first = 0; first < total; first += 32)
    {
      uint32_t k = first + frontier_lane (), owner;
      uint64_t edge = frontier_find_edge (k, upto, mine, begin, &owner);
      uint32_t from = __shfl_sync (0xffffffffu, (uint32_t) v, (int) owner);
      uint32_t its_level = __shfl_sync (0xffffffffu, level, (int) owner);

      if (k < total)
        bfs_offer_parent (search, parents, edge, from, its_level);
    }
}

/* `rebuilt` counts the long rows; it is 0 before. */
static __device__ void
bfs_find_parents (const Search &search, Frontier *frontier, uint32_t *parents)
{
  uint64_t warps = (uint64_t) gridDim.x * (blockDim.x / 32), words = (search.graph.vertices + 31) / 32, long_rows;

  for (uint64_t i = (uint64_t) (threadIdx.x / 32) * gridDim.x + blockIdx.x; i < words; i += warps)
    bfs_offer_rows (search, *frontier, 32 * i + frontier_lane (), parents);
  frontier_sync (frontier);
  long_rows = leat_load_relaxed (frontier->control + FRONTIER_REBUILT);
  for (uint64_t i = 0; i < long_rows; i++)
    {
      uint64_t v = frontier->even_list[i];
      Offset begin, end;

      graph_find_row (search.graph, v, &begin, &end);
      for (uint64_t e = (uint64_t) begin + (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; e < end;
           e += (uint64_t) gridDim.x * blockDim.x)
        bfs_offer_parent (search, parents, e, (uint32_t) v, search.levels[v]);
    }
}

static __device__ void
bfs_tell (const Frontier &frontier, const Level &level, const uint64_t *done, uint64_t tells, uint64_t *report)
{
  report[REPORT_ITERATIONS] = level.number;
  report[REPORT_REASON] = level.size > 0;
  report[REPORT_REACHED] = leat_load_relaxed (frontier.control + FRONTIER_REACHED);
  report[REPORT_ALONE] = done[WAY_ALONE];
  report[REPORT_PUSHED] = done[WAY_PUSH];
  report[REPORT_PULLED] = done[WAY_PULL];
  report[REPORT_LEFT] = level.size;
  report[REPORT_WORDS - 1] = 0;
  if (level.size == 0 || tells == 0)
    return;
  if (tells == 1)
    leat_report_at (ITERATIONS_SPENT_TOLD, level.number, level.size);
  else
    leat_report_at (ITERATIONS_SPENT, level.number, level.size);
}

/* One level of all blocks. */
static __device__ void
bfs_go_together (const Search &search, Frontier *frontier, Level *level, int way, uint32_t *sums, Found *total)
{
  uint64_t *tail = frontier_tail (*frontier, level->round + 1), counts;
  Found found = {};

  if (blockIdx.x == 0 && threadIdx.x == 0)
    {
      *frontier_tail (*frontier, level->round + 2) = 0;
      if (way == WAY_PULL)
        frontier->control[FRONTIER_REBUILT] = 0;
    }
  if (way == WAY_PULL)
    bfs_pull_level (search, *frontier, *level, &found);
  else
    bfs_push_level (search, *frontier, *level, &found);
  total->vertices += found.vertices;
  frontier_add_up (tail, found, way == WAY_PULL, sums);
  frontier_sync (frontier);
  counts = leat_load_relaxed (tail);
  level->number++;
  level->round++;
  level->size = (uint32_t) counts;
  level->units = counts >> 32;
  level->unexplored -= level->units < level->unexplored ? level->units : level->unexplored;
}

/* @tells: 0: nothing where max-iterations are spent, 1: a warning, 2: an error.  @most: max-iterations. */
__global__ void __launch_bounds__ (1024, 1)
bfs_search (const Offset *offsets, const uint32_t *indices, const Offset *back_offsets, const uint32_t *back_indices,
            const uint32_t *sources, uint64_t sources_count, uint64_t vertices, uint64_t edges, uint64_t back_edges,
            uint64_t most, uint64_t tells, uint64_t room, uint64_t *control, uint64_t *list, uint64_t *other_list,
            uint32_t *bits, uint32_t *other_bits, uint32_t *seen, uint32_t *levels, uint32_t *parents, uint64_t *report)
{
  __shared__ FrontierOfBlock alone;
  __shared__ uint32_t sums[2];
  Search search = { { offsets, indices, vertices, edges }, { back_offsets, back_indices, vertices, back_edges }, most, levels };
  Frontier frontier = { control, list, other_list, room, bits, other_bits, seen, 0 };
  uint64_t done[3] = { 0, 0, 0 }, epoch = 0, before = 0;
  Level level = { 0, 0, 0, 0, edges >> EDGE_SHIFT };
  bool pulls = false;
  Found total = {};

  if (threadIdx.x < 2)
    sums[threadIdx.x] = 0;
  bfs_clear (search, frontier, parents);
  frontier_sync (&frontier);
  bfs_begin (search, frontier, sources, sources_count, parents, &total);
  frontier_add_up (frontier_tail (frontier, 0), total, false, sums);
  frontier_sync (&frontier);
  level.size = (uint32_t) leat_load_relaxed (frontier_tail (frontier, 0));
  level.units = leat_load_relaxed (frontier_tail (frontier, 0)) >> 32;
  while (level.size > 0 && level.number < most)
    {
      int way = bfs_choose (search, level, pulls, level.units > before);

      before = level.units;
      if (pulls && way != WAY_PULL) /* vertices become pieces */
        {
          frontier_list_bits (search.graph, frontier, level.number);
          frontier_sync (&frontier);
          level.size = (uint32_t) leat_load_relaxed (control + FRONTIER_REBUILT);
        }
      else if (!pulls && way == WAY_PULL)
        {
          frontier_set_bits (search.graph, frontier, levels, level.number);
          frontier_sync (&frontier);
        }
      pulls = way == WAY_PULL;
      if (way != WAY_ALONE)
        {
          bfs_go_together (search, &frontier, &level, way, sums, &total);
          done[way]++;
          continue;
        }
      epoch++;
      if (blockIdx.x == 0)
        {
          bfs_go_alone (search, frontier, &alone, &level, done + WAY_ALONE, &total);
          bfs_wake (frontier, level, epoch);
        }
      else
        bfs_wait (frontier, &level, epoch);
    }
  if (blockIdx.x == 0 && threadIdx.x == 0)
    control[FRONTIER_REBUILT] = 0;
  total.vertices = frontier_sum_of_warp (total.vertices);
  if (frontier_lane () == 0 && total.vertices != 0)
    atomicAdd (control + FRONTIER_REACHED, (uint64_t) total.vertices);
  frontier_sync (&frontier);
  if (PARENTS)
    bfs_find_parents (search, &frontier, parents);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    bfs_tell (frontier, level, done, tells, report);
}
