/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Breadth-first search, one level of it.  Behind frontier.cu and
 *
 *   PULLS        whether there are the edges into each vertex (back_offsets, back_indices)
 *   PARENTS      whether parents are wanted
 *   BFS_THREADS  of a block
 *
 * Levels are done in one of four ways; which one, all blocks find out from the same numbers:
 *
 *   alone   block 0, for level after level
 *   apart   all blocks, each from its share of the frontier, for some levels without a word to the others
 *   push    all blocks, along the edges that leave the frontier
 *   pull    all blocks: each vertex that was not reached looks for an edge from the frontier (Beamer and others, 2012) */

#define ALONE_EDGES 8 /* for each piece, of a frontier with which block 0 goes on alone */
#ifndef APART_LEVELS
#define APART_LEVELS 128 /* that blocks do before they meet for the first time */
#endif
#ifndef APART_LEVELS_MOST
#define APART_LEVELS_MOST 512 /* that they do where the frontier hardly grows */
#endif
#ifndef APART_LEASH
#define APART_LEASH 8 /* levels that a block may be ahead of the last one; 0: any number */
#endif
#ifndef APART_UNEVEN
#define APART_UNEVEN 2 /* times its share and a few more: a block that has so much, and what all have is shared out anew */
#endif
#define APART_SHARE 256 /* pieces of a block at first */
#define APART_MOST 1024 /* that it may have in any case */
#define PULL_AT_LEAST 256 /* part of all vertices that a frontier has which is pulled from */
#define PULL_ALONE 32    /* edges that a lane looks at before the warp helps */

enum
{
  REPORT_ITERATIONS,
  REPORT_REASON, /* 0: done, 1: max-iterations, 2: time */
  REPORT_REACHED,
  REPORT_ALONE,
  REPORT_PUSHED,
  REPORT_PULLED,
  REPORT_LEFT,
  REPORT_APART,
  REPORT_WORDS
};

enum
{
  WAY_ALONE,
  WAY_PUSH,
  WAY_PULL,
  WAY_APART,
  WAYS
};

/* By which the way of a level is chosen. */
struct Limits
{
  uint64_t alone;      /* pieces, up to which block 0 goes on alone */
  uint64_t pull_from;  /* part of the edges not seen yet that makes pulling worth while; 0: never */
  uint64_t pull_until; /* part of all vertices below which it is not any more */
};

enum
{
  LIMITS_ALONE,
  LIMITS_PULL_FROM,
  LIMITS_PULL_UNTIL,
  LIMITS_DENSITY, /* bits of the number of edges for 16 vertices */
  LIMITS_RUNS,    /* searches that were counted under these conditions */
  LIMITS_TRIED,   /* whether one of them was tried in this run */
  LIMITS_WORDS
};

struct Search
{
  Graph graph, back;
  uint64_t most;
  Limits &limits;
  uint32_t *levels;
  Budget budget;
};

static __device__ __forceinline__ bool
bfs_is_small (const Search &search, const Level &level)
{
  return level.size <= search.limits.alone && (level.units << EDGE_SHIFT) <= search.limits.alone * ALONE_EDGES;
}

/* Whether the edges into all that is left are fewer to look at than those out of a level.  @edges: of the level, and of
 * those not seen yet, in the same unit; @size: its vertices, or pieces */
static __device__ __forceinline__ bool
bfs_is_dense (const Search &search, uint64_t edges, uint64_t unexplored, uint64_t size)
{
  return PULLS && search.limits.pull_from != 0 && edges > unexplored / search.limits.pull_from
         && size * PULL_AT_LEAST > search.graph.vertices;
}

/* The other way round it takes another limit, so that no search goes to and fro between the two. */
static __device__ __forceinline__ bool
bfs_stays_dense (const Search &search, uint64_t size)
{
  return size * search.limits.pull_until >= search.graph.vertices;
}

/* What tells whether the vertex is this thread's to go on from. */
template <int Way>
static __device__ __forceinline__ uint32_t
bfs_claim (const Search &search, const Frontier &frontier, uint32_t v, uint32_t level)
{
  return Way == WAY_APART ? atomicMin (frontier_in_memory (search.levels) + v, level)
                          : leat_bits_add (frontier_in_memory (frontier.seen), v);
}

/* Whether it is, by what the claim gave: the level before, or whether it was not seen. */
template <int Way>
static __device__ __forceinline__ bool
bfs_settle (const Search &search, const Frontier &frontier, uint32_t v, uint32_t level, uint32_t before)
{
  if (Way != WAY_APART)
    {
      if (before != 0)
        frontier_in_memory (search.levels)[v] = level;
      return before != 0;
    }
  if (before == FRONTIER_NONE)
    leat_bits_add (frontier_in_memory (frontier.seen), v);
  return before > level;
}

/* Where an edge leads to; one that cannot be is told and left out. */
static __device__ __forceinline__ uint32_t
bfs_follow (const Search &search, uint64_t edge, bool *fresh)
{
  uint32_t to = *fresh ? frontier_in_memory (search.graph.indices)[edge] : 0;

  if (to < search.graph.vertices)
    return to;
  graph_tell (CORRUPT_INDEX, edge, to);
  *fresh = false;
  return 0;
}

/* The edges of 32 pieces: what they lead to and was not reached is now, and is in the list of the next level. */
static __device__ __forceinline__ void
bfs_expand (const Search &search, const Frontier &frontier, uint64_t piece, uint64_t level, uint64_t *tail, Found *found)
{
  uint32_t mine = (uint32_t) piece & 127, upto = frontier_scan_of_warp (mine);
  uint32_t total = __shfl_sync (0xffffffffu, upto, 31);

  for (uint32_t first = 0; first < total; first += 32 * FRONTIER_UNROLL)
    {
      uint32_t to[FRONTIER_UNROLL];
      bool fresh[FRONTIER_UNROLL];
      FrontierRows<FRONTIER_UNROLL> rows;

#pragma unroll
      for (int u = 0; u < FRONTIER_UNROLL; u++)
        {
          uint32_t k = first + 32 * u + frontier_lane (), owner;
          uint64_t edge = frontier_find_edge (k, upto, mine, piece >> 7, &owner);

          fresh[u] = k < total;
          to[u] = bfs_follow (search, edge, fresh + u);
        }
#pragma unroll
      for (int u = 0; u < FRONTIER_UNROLL; u++)
        fresh[u] = fresh[u] && !(leat_load_relaxed (frontier.seen + to[u] / 32) >> to[u] % 32 & 1);
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
          uint32_t next = (uint32_t) level + 1;

          if (!fresh[u]
              || !bfs_settle<WAY_PUSH> (search, frontier, to[u], next,
                                        bfs_claim<WAY_PUSH> (search, frontier, to[u], next)))
            rows.edges[u] = 0;
          found->units += frontier_count_units (rows.edges[u]);
        }
      frontier_push (frontier, nullptr, level + 1, tail, rows);
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

      bfs_expand (search, frontier, at < level.size ? list[at] : 0, level.number,
                  frontier_tail (frontier, level.round + 1), found);
    }
}

/* Whether an edge comes from the frontier. */
static __device__ __forceinline__ bool
bfs_comes_from (const Search &search, const uint32_t *bits, uint64_t edge)
{
  uint32_t from = search.back.indices[edge];

  if (from < search.graph.vertices)
    return leat_bits_have (bits, from);
  graph_tell (CORRUPT_INDEX, edge, from);
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
