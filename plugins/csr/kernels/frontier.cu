/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A graph in rows, the frontier of a search through it, and the blocks that search together.  Before this text stand
 *
 *   Offset        type of an offset
 *   CORRUPT_OFFSETS  what is reported of a row that cannot be (leat-csr-input.c)
 *   EDGE_SHIFT    edges of a frontier are counted in units of 2^EDGE_SHIFT, so that the sum has 32 bits
 *   ITERATIONS_SPENT, ITERATIONS_SPENT_TOLD, TIME_SPENT  what is reported where a limit ends it (leat-csr-limits.c)
 *
 * A frontier is a list or a set of bits.
 *
 * The list holds pieces of rows, of at most FRONTIER_PIECE edges each, so that a row of any length is dealt out to many
 * warps, and which vertex a piece belongs to need not be known.  A warp takes 32 pieces and gives each lane an edge of
 * all of theirs in turn, whichever piece it is in.
 *
 * The bits, one for each vertex, are for frontiers that are a large part of the graph: there each vertex that was not
 * reached looks for a neighbour in it.
 *
 * All blocks run at once. */

#include <leat-frontier.h>

#define FRONTIER_NONE 0xffffffffu
#define FRONTIER_PIECE 64u
#define FRONTIER_UNROLL 4
#define FRONTIER_SLOT(level) ((uint32_t) (level) & 3)
#define FRONTIER_ROOM_OF_BLOCK 2048u /* pieces that a block keeps in shared memory of each of two levels */
#ifndef FRONTIER_RECENT_SHIFT
#define FRONTIER_RECENT_SHIFT 11 /* a block knows 2^11 vertices that it was at lately */
#endif

/* Words of `control`, all zeros when a run begins; those that are waited for or counted up have a line for themselves. */
#define FRONTIER_ARRIVED 0
#define FRONTIER_WAKE 16
#define FRONTIER_TAILS 32 /* three, by round: pieces in the lower half, units of edges in the upper */
#define FRONTIER_REBUILT 80
#define FRONTIER_REACHED 96
#define FRONTIER_DEEPEST 97
#define FRONTIER_LOST 98 /* the last round in which blocks lost some, above the inverse of the first such level */
#define FRONTIER_CROWDED 99 /* the last round in which a block had too much to itself */
#define FRONTIER_LATE 100 /* the first round after which time was over */
#define FRONTIER_PIECES 101 /* of rows that are too long for one warp, where parents are looked for */
#define FRONTIER_DESCENTS 102 /* in the rows that lead to vertices */
#define FRONTIER_STATE 112 /* what block 0 tells those that it wakes */
#define FRONTIER_STATES 5
#define FRONTIER_PROGRESS 128 /* and on: for each block a half of a word, the level that it is at */
#define FRONTIER_BLOCKS_MOST 256 /* for which there are such; other grids do without */

LEAT_REPORT (CORRUPT_INDEX = 1, error, "an index that is no vertex")
LEAT_REPORT (NO_SUCH_SOURCE = 2, error, "a source that is no vertex")
LEAT_REPORT (NO_ROOM = 3, error, "a frontier with more edges than the graph has; offsets overlap")
LEAT_REPORT (NO_SUCH_CHANGED = 8, error, "a changed vertex that is none")

/* What a search begins with, as in leat-csr-warm.h. */
enum
{
  WARM_COLD,
  WARM_KNOWN,
  WARM_CHANGED
};

/* How long a search may take, in ns; 0: as long as it likes.  Block 0's thread 0 looks at the clock. */
struct Budget
{
  uint64_t ns, began;
};

static __device__ __forceinline__ bool
budget_is_over (const Budget &budget)
{
  return budget.ns > 0 && leat_clock_now () - budget.began > budget.ns;
}

struct Graph
{
  const Offset *offsets;
  const uint32_t *indices;
  uint64_t vertices, edges; /* edges: that are there in this run, whatever there is memory for */
};

struct Frontier
{
  uint64_t *control;
  uint64_t *even_list, *odd_list; /* of levels; no array, which would be in memory for the sake of its index */
  uint64_t room;                  /* of each */
  uint32_t *even_bits, *odd_bits;
  uint32_t *seen;    /* a bit for each vertex that was reached */
  uint64_t arrivals; /* at barriers so far */
};

/* What all blocks know at the beginning of a level. */
struct Level
{
  uint64_t number;
  uint64_t round;      /* levels that were done together: a block that is late may still read what the last one gave */
  uint64_t size;       /* pieces of the list, or vertices of the bits */
  uint64_t units;      /* of their edges */
  uint64_t unexplored; /* units that are in no frontier yet */
  bool late;           /* time is over */
};

/* What a block has to itself. */
struct FrontierOfBlock
{
  uint64_t lists[2][FRONTIER_ROOM_OF_BLOCK]; /* by level */
  uint32_t tails[4], units[4];               /* likewise, at FRONTIER_SLOT () */
  uint32_t recent[1 << FRONTIER_RECENT_SHIFT]; /* vertices that were offered a level, each at a place of its number's */
  uint32_t late;                             /* the first level at whose beginning time is over; 0: not yet */
  uint32_t spills;                           /* pieces that there is no room for go to memory; else they are lost */
};

/* The same pointer.  A function that is not inlined cannot see that it leads to the device's memory, for which there are
 * better instructions than for any. */
template <class T>
static __device__ __forceinline__ T *
frontier_in_memory (T *p)
{
#ifdef LEAT_CUDA
  __builtin_assume (__isGlobal (p));
#endif
  return p;
}

static __device__ __forceinline__ uint32_t
frontier_lane ()
{
  return threadIdx.x % 32;
}

/* Not inlined: what hardly ever happens takes no room where edges are followed. */
static __device__ __noinline__ void
graph_tell (unsigned int code, uint64_t index, uint64_t value)
{
  leat_report_at (code, index, value);
}

/* Rows that cannot be are empty, and told. */
static __device__ __forceinline__ void
graph_check_row (const Graph &graph, uint64_t v, Offset *begin, Offset *end)
{
  if (*begin <= *end && *end <= graph.edges)
    return;
  graph_tell (CORRUPT_OFFSETS, v, *begin);
  *begin = *end = 0;
}

static __device__ __forceinline__ void
graph_find_row (const Graph &graph, uint64_t v, Offset *begin, Offset *end)
{
  *begin = graph.offsets[v];
  *end = graph.offsets[v + 1];
  graph_check_row (graph, v, begin, end);
}

/* Edges that rows lead to, of those that are there. */
static __device__ __forceinline__ uint64_t
graph_count_edges (const Graph &graph)
{
  uint64_t edges = graph.offsets[graph.vertices];

  return edges < graph.edges ? edges : graph.edges;
}

static __device__ __forceinline__ uint32_t
frontier_count_units (uint64_t edges)
{
  return (uint32_t) ((edges + ((uint64_t) 1 << EDGE_SHIFT) - 1) >> EDGE_SHIFT);
}

static __device__ __forceinline__ uint64_t *
frontier_list (const Frontier &frontier, uint64_t level)
{
  return frontier_in_memory (level % 2 ? frontier.odd_list : frontier.even_list);
}

static __device__ __forceinline__ uint32_t *
frontier_bits (const Frontier &frontier, uint64_t level)
{
  return frontier_in_memory (level % 2 ? frontier.odd_bits : frontier.even_bits);
}

static __device__ __forceinline__ uint64_t *
frontier_tail (const Frontier &frontier, uint64_t round)
{
  return frontier_in_memory (frontier.control) + FRONTIER_TAILS + 16 * (round % 3);
}

static __device__ __forceinline__ void
frontier_prefetch (const void *p)
{
#ifdef LEAT_CUDA
  asm volatile ("prefetch.global.L2 [%0];" ::"l"(p));
#endif
}

/* Before the barrier that ends a round, and behind it.  The number tells who is late at that barrier from the round after:
 * block 0 may have been there and found its time over. */
static __device__ __forceinline__ void
frontier_look_at_clock (const Frontier &frontier, const Budget &budget, uint64_t round)
{
  if (blockIdx.x == 0 && threadIdx.x == 0 && frontier.control[FRONTIER_LATE] == 0 && budget_is_over (budget))
    leat_store_relaxed (frontier.control + FRONTIER_LATE, round);
}

static __device__ __forceinline__ bool
frontier_is_late (const Frontier &frontier, uint64_t round)
{
  uint64_t late = leat_load_relaxed (frontier.control + FRONTIER_LATE);

  return late != 0 && late <= round;
}

/* A barrier of all blocks.  The arrivals are only ever counted up, so that the word that is added to is also the one that
 * is waited for.  The fences make what every thread of a block wrote, which is before the block's barrier, visible to
 * all that go on. */
static __device__ void
frontier_sync (Frontier *frontier)
{
  uint64_t *arrived = frontier_in_memory (frontier->control) + FRONTIER_ARRIVED;

  frontier->arrivals += gridDim.x;
  __syncthreads ();
  if (threadIdx.x == 0)
    {
      __threadfence ();
      atomicAdd (arrived, (uint64_t) 1);
      while (leat_load_relaxed (arrived) < frontier->arrivals)
        __nanosleep (20);
      __threadfence ();
    }
  __syncthreads ();
}

/* What block 0 tells when it wakes the others for the @epoch-th time.  A few threads ask for it on behalf of all, and have
 * it before the barrier: block 0 tells something else once all have met again, and a thread that has not needed an answer by
 * then may be given that. */
static __device__ const uint64_t *
frontier_await_state (const Frontier &frontier, uint64_t epoch)
{
  __shared__ uint64_t state[FRONTIER_STATES];

  if (threadIdx.x == 0)
    while (leat_load_acquire (frontier.control + FRONTIER_WAKE) < epoch)
      __nanosleep (500);
  __syncthreads ();
  if (threadIdx.x < FRONTIER_STATES)
    state[threadIdx.x] = leat_load_relaxed (frontier.control + FRONTIER_STATE + threadIdx.x);
  __syncthreads ();
  return state;
}

/* Lane 0 has the sum. */
static __device__ __forceinline__ uint32_t
frontier_sum_of_warp (uint32_t x)
{
#if defined(LEAT_CUDA) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync (0xffffffffu, x);
#else
  for (int step = 16; step > 0; step /= 2)
    x += __shfl_down_sync (0xffffffffu, x, step);
  return x;
#endif
}

static __device__ __forceinline__ uint32_t
frontier_scan_of_warp (uint32_t x)
{
  for (int step = 1; step < 32; step *= 2)
    {
      uint32_t before = __shfl_up_sync (0xffffffffu, x, step);

      if (frontier_lane () >= (uint32_t) step)
        x += before;
    }
  return x;
}

static __device__ __forceinline__ uint32_t
frontier_count_pieces (Offset edges)
{
  return (uint32_t) (edges / FRONTIER_PIECE) + (edges % FRONTIER_PIECE != 0);
}

static __device__ __forceinline__ uint64_t
frontier_make_piece (uint64_t begin, uint64_t edges, uint64_t number)
{
  uint64_t left = edges - number * FRONTIER_PIECE;

  return (uint64_t) (begin + number * FRONTIER_PIECE) << 7 | (left < FRONTIER_PIECE ? left : FRONTIER_PIECE);
}

/* @alone: (nullable): where the block keeps the first ones. */
static __device__ __forceinline__ void
frontier_store (const Frontier &frontier, FrontierOfBlock *alone, uint64_t level, uint64_t at, uint64_t piece)
{
  if (alone != nullptr && at < FRONTIER_ROOM_OF_BLOCK)
    alone->lists[level % 2][at] = piece;
  else if (alone != nullptr && !alone->spills)
    return; /* its tail tells */
  else if (at < frontier.room)
    frontier_list (frontier, level)[at] = piece;
  else
    graph_tell (NO_ROOM, level, at);
}

/* Pieces that are in the list, of @tail that were to be.  More there are only where rows share edges: some row is out of
 * order then, and the run fails. */
static __device__ __forceinline__ uint32_t
frontier_count_listed (const Frontier &frontier, uint32_t tail)
{
  return tail < frontier.room ? tail : (uint32_t) frontier.room;
}

/* The rows of as many vertices as a warp has lanes, N times, are added to the list of a level. */
template <int N> struct FrontierRows
{
  Offset begin[N], edges[N]; /* no edges: nothing to add */
};

/* A row of more pieces than a warp has lanes, that of lane @lane: all store it. */
static __device__ __forceinline__ void
frontier_store_long (const Frontier &frontier, FrontierOfBlock *alone, uint64_t level, int lane, uint32_t at, Offset begin,
                     Offset edges)
{
  uint32_t first = __shfl_sync (0xffffffffu, at, lane);

  begin = __shfl_sync (0xffffffffu, begin, lane);
  edges = __shfl_sync (0xffffffffu, edges, lane);
  for (uint32_t i = frontier_lane (); i < frontier_count_pieces (edges); i += 32)
    frontier_store (frontier, alone, level, (uint64_t) first + i, frontier_make_piece (begin, edges, i));
}

/* All lanes come here: where the first of as many pieces in the list is. */
static __device__ __forceinline__ uint32_t
frontier_take_room (FrontierOfBlock *alone, uint64_t level, uint64_t *tail, uint32_t pieces)
{
  uint32_t at = 0;

  if (frontier_lane () == 0)
    at = alone != nullptr ? atomicAdd (alone->tails + FRONTIER_SLOT (level), pieces)
                          : (uint32_t) atomicAdd (frontier_in_memory (tail), (uint64_t) pieces);
  return __shfl_sync (0xffffffffu, at, 0);
}

/* All lanes come here. */
template <int N>
static __device__ __forceinline__ void
frontier_push (const Frontier &frontier, FrontierOfBlock *alone, uint64_t level, uint64_t *tail, const FrontierRows<N> &rows)
{
  uint32_t mine = 0, some, upto, at;

#pragma unroll
  for (int u = 0; u < N; u++)
    mine += frontier_count_pieces (rows.edges[u]);
  some = __ballot_sync (0xffffffffu, mine != 0);
  if (some == 0)
    return;
  if (N == 1 && !__any_sync (0xffffffffu, mine > 1)) /* short rows need no sums */
    {
      at = frontier_take_room (alone, level, tail, (uint32_t) __popc (some));
      if (mine != 0)
        frontier_store (frontier, alone, level, (uint64_t) at + (uint32_t) __popc (some & ((1u << frontier_lane ()) - 1)),
                        frontier_make_piece (rows.begin[0], rows.edges[0], 0));
      return;
    }
  upto = frontier_scan_of_warp (mine);
  at = frontier_take_room (alone, level, tail, __shfl_sync (0xffffffffu, upto, 31)) + upto - mine;
#pragma unroll
  for (int u = 0; u < N; u++)
    {
      uint32_t pieces = frontier_count_pieces (rows.edges[u]);
      uint32_t long_ones = __ballot_sync (0xffffffffu, pieces > 32);

      if (pieces <= 32)
        for (uint32_t i = 0; i < pieces; i++)
          frontier_store (frontier, alone, level, (uint64_t) at + i, frontier_make_piece (rows.begin[u], rows.edges[u], i));
      for (; long_ones != 0; long_ones &= long_ones - 1)
        frontier_store_long (frontier, alone, level, __ffs ((int) long_ones) - 1, at, rows.begin[u], rows.edges[u]);
      at += pieces;
    }
}

/* Which edge is number @k of those of a warp's pieces: a lane has `upto` edges with those of the lanes before it. */
static __device__ __forceinline__ uint64_t
frontier_find_edge (uint32_t k, uint32_t upto, uint32_t mine, uint64_t begin, uint32_t *owner)
{
  uint32_t lane = 0;

  for (uint32_t step = 16; step > 0; step /= 2)
    if (__shfl_sync (0xffffffffu, upto, (int) (lane + step - 1)) <= k)
      lane += step;
  *owner = lane;
  return __shfl_sync (0xffffffffu, begin, (int) lane) + k - __shfl_sync (0xffffffffu, upto - mine, (int) lane);
}

/* What a thread has found in a level; added up when it ends. */
struct Found
{
  uint32_t vertices, units;
};

/* The other blocks see what this one found when they have passed the barrier behind. @sum: of the block, zeros. */
static __device__ void
frontier_add_up (uint64_t *tail, Found found, bool with_vertices, uint32_t *sum)
{
  uint32_t units = frontier_sum_of_warp (found.units);
  uint32_t vertices = with_vertices ? frontier_sum_of_warp (found.vertices) : 0;

  if (frontier_lane () == 0 && (units | vertices) != 0)
    {
      atomicAdd (sum, units);
      atomicAdd (sum + 1, vertices);
    }
  __syncthreads ();
  if (threadIdx.x == 0 && (sum[0] | sum[1]) != 0)
    {
      atomicAdd (tail, (uint64_t) sum[0] << 32 | sum[1]);
      sum[0] = sum[1] = 0;
    }
}

/* From the bits of a level to its list; behind a barrier after which `rebuilt` is 0. */
static __device__ void
frontier_list_bits (const Graph &graph, const Frontier &frontier, uint64_t level)
{
  uint64_t warps = (uint64_t) gridDim.x * (blockDim.x / 32), words = (graph.vertices + 31) / 32;

  for (uint64_t i = (uint64_t) (threadIdx.x / 32) * gridDim.x + blockIdx.x; i < words; i += warps)
    {
      uint32_t bits = frontier_bits (frontier, level)[i];
      FrontierRows<1> rows = {};
      Offset end = 0;

      if (bits == 0)
        continue;
      if (bits >> frontier_lane () & 1)
        graph_find_row (graph, 32 * i + frontier_lane (), rows.begin, &end);
      rows.edges[0] = end - rows.begin[0];
      frontier_push (frontier, nullptr, level, frontier.control + FRONTIER_REBUILT, rows);
    }
}

/* The bits of a level, from what was reached in it. */
static __device__ void
frontier_set_bits (const Graph &graph, const Frontier &frontier, const uint32_t *levels, uint64_t level)
{
  uint64_t warps = (uint64_t) gridDim.x * (blockDim.x / 32), words = (graph.vertices + 31) / 32;

  for (uint64_t i = (uint64_t) (threadIdx.x / 32) * gridDim.x + blockIdx.x; i < words; i += warps)
    {
      uint64_t v = 32 * i + frontier_lane ();
      uint32_t bits = __ballot_sync (0xffffffffu, v < graph.vertices && levels[v] == (uint32_t) level);

      if (frontier_lane () == 0)
        frontier_bits (frontier, level)[i] = bits;
    }
}
