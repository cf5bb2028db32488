/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Sets of vertices that a search goes through in rounds, on a GPU and on the CPU: `#include <leat-frontier.h>` puts this
 * text into a kernel file.  The kernel is launched with cooperative=true.
 *
 * A set has a bit for each vertex, and a list of its members as long as that takes no more memory than the bits: a thread
 * that goes through a small set reads the list, through a large one the bits.  Whether a vertex is in it, the bits tell in
 * both cases, and that none is added twice too.
 *
 * There are three sets, which take turns: the one that a round goes through, the one that it fills, and one that is
 * emptied meanwhile, so that one barrier a round is enough. */

#define LEAT_FRONTIER_NONE 0xffffffffu
#define LEAT_FRONTIER_LINE 32 /* words between two counts, which are in memory of their own */

/* How many words of memory are enough for so many vertices. */
#define LEAT_FRONTIER_WORDS(vertices) (3 * LEAT_FRONTIER_LINE + 6 * (((vertices) + 31) / 32))

/* A thread's own copy of the frontier's numbers; the same in all threads. */
struct LeatFrontier
{
  uint32_t *words;
  uint64_t vertices;
  uint64_t room; /* of each list */
  uint64_t round;
  uint64_t size, size_before; /* of this round's set, and of that of the round before */
};

/* Puts a vertex into a set of bits; whether it was not there. */
static __device__ __forceinline__ bool
leat_bits_add (uint32_t *bits, uint64_t v)
{
  uint32_t bit = 1u << v % 32;

  return !(atomicOr (bits + v / 32, bit) & bit);
}

static __device__ __forceinline__ void
leat_bits_remove (uint32_t *bits, uint64_t v)
{
  atomicAnd (bits + v / 32, ~(1u << v % 32));
}

static __device__ __forceinline__ bool
leat_bits_have (const uint32_t *bits, uint64_t v)
{
  return bits[v / 32] >> v % 32 & 1;
}

static __device__ __forceinline__ uint64_t
leat_frontier_lines (const LeatFrontier &frontier)
{
  return (frontier.vertices + 31) / 32;
}

static __device__ __forceinline__ uint32_t *
leat_frontier_count (const LeatFrontier &frontier, uint64_t round)
{
  return frontier.words + round % 3 * LEAT_FRONTIER_LINE;
}

static __device__ __forceinline__ uint32_t *
leat_frontier_bits (const LeatFrontier &frontier, uint64_t round)
{
  return frontier.words + 3 * LEAT_FRONTIER_LINE + round % 3 * leat_frontier_lines (frontier);
}

static __device__ __forceinline__ uint32_t *
leat_frontier_list (const LeatFrontier &frontier, uint64_t round)
{
  return frontier.words + 3 * LEAT_FRONTIER_LINE + 3 * leat_frontier_lines (frontier) + round % 3 * frontier.room;
}

/* All threads of the grid come here, with the same: an empty frontier in @capacity words of memory, in which anything may
 * be.  Less than LEAT_FRONTIER_WORDS () make lists shorter; without room for the bits the kernel ends in an error. */
static __device__ inline LeatFrontier
leat_frontier_begin (uint32_t *words, uint64_t capacity, uint64_t vertices)
{
  LeatFrontier frontier = { words, vertices, 0, 0, 0, 0 };
  uint64_t least = 3 * LEAT_FRONTIER_LINE + 3 * leat_frontier_lines (frontier);

  assert (capacity >= least && "too little memory for a frontier of so many vertices");
  frontier.room = (capacity - least) / 3;
  if (frontier.room > leat_frontier_lines (frontier))
    frontier.room = leat_frontier_lines (frontier);
  GRID_FOR (i, least)
    words[i] = 0;
  leat_grid_sync ();
  return frontier;
}

/* Into the list, for as long as there is room.  On a GPU those of a warp that are here together for the same frontier count
 * up once. */
static __device__ __forceinline__ void
leat_frontier_append (const LeatFrontier &frontier, uint64_t round, uint32_t v)
{
  uint32_t *count = leat_frontier_count (frontier, round), at;
#if defined(LEAT_CUDA) && __CUDA_ARCH__ >= 700
  uint32_t here = __match_any_sync (__activemask (), (unsigned long long) count), before;
  int first = __ffs ((int) here) - 1;

  asm ("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
  before = (uint32_t) __popc (here & before);
  at = before == 0 ? atomicAdd (count, (uint32_t) __popc (here)) : 0;
  at = __shfl_sync (here, at, first) + before;
#else
  at = atomicAdd (count, 1u);
#endif
  if (at < frontier.room)
    leat_frontier_list (frontier, round)[at] = v;
}

/* Adds a vertex to the next round's set; whether it was not there yet, and is a vertex. */
static __device__ __forceinline__ bool
leat_frontier_add (const LeatFrontier &frontier, uint32_t v)
{
  uint32_t *bits = leat_frontier_bits (frontier, frontier.round + 1);

  if (v >= frontier.vertices || leat_load_relaxed (bits + v / 32) >> v % 32 & 1 || !leat_bits_add (bits, v))
    return false;
  leat_frontier_append (frontier, frontier.round + 1, v);
  return true;
}

/* How many vertices are in this round's set. */
static __device__ __forceinline__ uint64_t
leat_frontier_size (const LeatFrontier &frontier)
{
  return frontier.size;
}

/* Whether FRONTIER_EACH goes through this round's bits, not through a list. */
static __device__ __forceinline__ bool
leat_frontier_is_dense (const LeatFrontier &frontier)
{
  return frontier.size > frontier.room;
}

/* Whether a vertex is in this round's set. */
static __device__ __forceinline__ bool
leat_frontier_has (const LeatFrontier &frontier, uint32_t v)
{
  return v < frontier.vertices && leat_bits_have (leat_frontier_bits (frontier, frontier.round), v);
}

/* The set of the round before is that of the round after the next: empties it. */
static __device__ inline void
leat_frontier_forget (const LeatFrontier &frontier)
{
  uint64_t round = frontier.round + 2;
  uint32_t *bits = leat_frontier_bits (frontier, round);

  if (frontier.size_before <= frontier.room)
    GRID_FOR (i, frontier.size_before)
      leat_store_relaxed (bits + leat_frontier_list (frontier, round)[i] / 32, 0u);
  else
    GRID_FOR (i, leat_frontier_lines (frontier))
      bits[i] = 0;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *leat_frontier_count (frontier, round) = 0;
}

/* All threads of the grid come here: the next round begins, with the set that was filled; how many are in it.  It is a
 * barrier, behind which is seen what was written before. */
static __device__ inline uint64_t
leat_frontier_turn (LeatFrontier *frontier)
{
  leat_frontier_forget (*frontier);
  leat_grid_sync ();
  frontier->round++;
  frontier->size_before = frontier->size;
  frontier->size = leat_load_relaxed (leat_frontier_count (*frontier, frontier->round));
  return frontier->size;
}

static __device__ __forceinline__ uint64_t
leat_frontier_span (const LeatFrontier &frontier)
{
  return leat_frontier_is_dense (frontier) ? frontier.vertices : frontier.size;
}

static __device__ __forceinline__ uint32_t
leat_frontier_get (const LeatFrontier &frontier, uint64_t at)
{
  if (!leat_frontier_is_dense (frontier))
    return leat_frontier_list (frontier, frontier.round)[at];
  return leat_bits_have (leat_frontier_bits (frontier, frontier.round), at) ? (uint32_t) at : LEAT_FRONTIER_NONE;
}

/* Gives each vertex of this round's set to one thread of the grid; all threads come here. */
#define FRONTIER_EACH(v, frontier)                                                                                     \
  GRID_FOR (leat_at_of_##v, leat_frontier_span (frontier))                                                             \
  if (uint32_t v = leat_frontier_get (frontier, leat_at_of_##v); v == LEAT_FRONTIER_NONE)                              \
    {                                                                                                                  \
    }                                                                                                                  \
  else
