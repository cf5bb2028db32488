/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How many edges each vertex of a graph is away from one of them, with a frontier: the vertices that were reached in the
 * round before.  A small one offers what its edges lead to; when it has become large, each vertex that was not reached
 * looks whether an edge of its own leads there, which for edges that go both ways is the same. */

#include <leat-frontier.h>

#define FAR 0xffffffffu

LEAT_REPORT (1, error, "from= is no vertex of the graph")
LEAT_REPORT (2, error, "too little memory for a frontier of so many vertices; memory= is to be at least")

__device__ void
push (const LeatFrontier &frontier, const uint32_t *offsets, const uint32_t *indices, uint32_t *away, uint32_t round)
{
  FRONTIER_EACH (v, frontier)
    for (uint32_t e = offsets[v]; e < offsets[v + 1]; e++)
      {
        uint32_t to = indices[e];

        if (to < frontier.vertices && leat_load_relaxed (away + to) == FAR && atomicCAS (away + to, FAR, round) == FAR)
          leat_frontier_add (frontier, to);
      }
}

__device__ void
pull (const LeatFrontier &frontier, const uint32_t *offsets, const uint32_t *indices, uint32_t *away, uint32_t round)
{
  GRID_FOR (v, frontier.vertices)
    for (uint32_t e = offsets[v]; e < offsets[v + 1] && away[v] == FAR; e++)
      if (leat_frontier_has (frontier, indices[e]))
        {
          away[v] = round;
          leat_frontier_add (frontier, (uint32_t) v);
        }
}

__global__ void
hops (const uint32_t *offsets, const uint32_t *indices, uint64_t offsets_count, uint32_t from, uint32_t *away,
      uint64_t *away_count, uint32_t *memory, uint64_t memory_capacity)
{
  uint64_t vertices = offsets_count - 1, least = 96 + 3 * ((vertices + 31) / 32);
  bool is_first = blockIdx.x == 0 && threadIdx.x == 0;

  if (memory_capacity < least)
    {
      if (is_first)
        leat_report (2, least);
      return;
    }
  LeatFrontier frontier = leat_frontier_begin (memory, memory_capacity, vertices);

  GRID_FOR (v, frontier.vertices)
    away[v] = v == from ? 0 : FAR;
  if (is_first)
    {
      *away_count = vertices;
      if (from < vertices)
        leat_frontier_add (frontier, from);
      else
        leat_report (1, from);
    }
  for (uint32_t round = 1; leat_frontier_turn (&frontier) > 0; round++)
    if (leat_frontier_is_dense (frontier))
      pull (frontier, offsets, indices, away, round);
    else
      push (frontier, offsets, indices, away, round);
}
