/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Parents, when all levels are known: the least vertex of the level before that has an edge to this one.  Behind bfs-level.cu.
 *
 * Where there are the edges into each vertex, and each vertex's are in ascending order, the first that comes from the level
 * before is what is looked for, mostly one of the first few.  Whether they are is looked up each time, since anything may
 * have made the graph: that takes a look at each edge, one after the other, which is little beside one at where each leads
 * to.  Else every edge of the search is looked at from its near side.
 *
 * Rows that are too long for one warp are cut into pieces, which blocks take from a list.  Its length is a word that nothing
 * else is counted in: a block that is late may still ask for what was counted before. */

#define PARENTS_PIECE 4096 /* edges of a row that are for one warp, or one block */

/* All lanes come here: the row of vertex @v, from piece @first on, goes into the list. */
static __device__ __forceinline__ void
bfs_list_pieces (const Frontier &frontier, uint64_t v, uint64_t edges, uint64_t first)
{
  uint64_t pieces = (edges + PARENTS_PIECE - 1) / PARENTS_PIECE - first, at = 0;

  if (frontier_lane () == 0)
    at = atomicAdd (frontier.control + FRONTIER_PIECES, pieces);
  at = __shfl_sync (0xffffffffu, at, 0);
  for (uint64_t i = frontier_lane (); i < pieces; i += 32)
    if (at + i < frontier.room)
      frontier.even_list[at + i] = (first + i) << 32 | v;
    else
      graph_tell (NO_ROOM, v, at + i);
}

/* How many are in the list. */
static __device__ __forceinline__ uint64_t
bfs_count_pieces (const Frontier &frontier)
{
  uint64_t pieces = leat_load_relaxed (frontier.control + FRONTIER_PIECES);

  return pieces < frontier.room ? pieces : frontier.room;
}

/* Where a piece begins and ends; gives its vertex. */
static __device__ __forceinline__ uint64_t
bfs_find_piece (const Graph &graph, uint64_t piece, uint64_t *first, uint64_t *last)
{
  uint64_t v = (uint32_t) piece;
  Offset begin, end;

  graph_find_row (graph, v, &begin, &end);
  *first = begin + (piece >> 32) * PARENTS_PIECE;
  *last = *first + PARENTS_PIECE < end ? *first + PARENTS_PIECE : end;
  return v;
}

static __device__ __forceinline__ void
bfs_offer_parent (const Search &search, uint32_t *parents, uint64_t edge, uint32_t v, uint32_t level)
{
  uint32_t to = search.graph.indices[edge];

  if (to < search.graph.vertices && search.levels[to] == level + 1 && leat_load_relaxed (parents + to) > v)
    atomicMin (parents + to, v);
}

/* The rows of 32 vertices, but for those that are too long. */
static __device__ __forceinline__ void
bfs_offer_rows (const Search &search, const Frontier &frontier, uint64_t v, uint32_t *parents)
{
  uint32_t level = v < search.graph.vertices ? search.levels[v] : FRONTIER_NONE, mine, upto, total, long_ones;
  Offset begin = 0, end = 0;

  if (level != FRONTIER_NONE)
    graph_find_row (search.graph, v, &begin, &end);
  long_ones = __ballot_sync (0xffffffffu, end - begin > PARENTS_PIECE);
  for (uint32_t rest = long_ones; rest != 0; rest &= rest - 1)
    {
      int lane = __ffs ((int) rest) - 1;

      bfs_list_pieces (frontier, v - frontier_lane () + (uint32_t) lane, __shfl_sync (0xffffffffu, end - begin, lane), 0);
    }
  mine = long_ones >> frontier_lane () & 1 ? 0 : (uint32_t) (end - begin);
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

/* Each vertex offers itself to those behind it. */
static __device__ void
bfs_offer_parents (const Search &search, Frontier *frontier, uint32_t *parents)
{
  uint64_t warps = (uint64_t) gridDim.x * (blockDim.x / 32), words = (search.graph.vertices + 31) / 32, pieces;

  for (uint64_t i = (uint64_t) (threadIdx.x / 32) * gridDim.x + blockIdx.x; i < words; i += warps)
    bfs_offer_rows (search, *frontier, 32 * i + frontier_lane (), parents);
  frontier_sync (frontier);
  pieces = bfs_count_pieces (*frontier);
  for (uint64_t i = blockIdx.x; i < pieces; i += gridDim.x)
    {
      uint64_t first, last, v = bfs_find_piece (search.graph, frontier->even_list[i], &first, &last);

      for (uint64_t e = first + threadIdx.x; e < last; e += blockDim.x)
        bfs_offer_parent (search, parents, e, (uint32_t) v, search.levels[v]);
    }
}

/* How often an index is less than the one before it. */
static __device__ __forceinline__ uint32_t
bfs_count_all_descents (const uint32_t *indices, uint64_t edges)
{
  uint64_t step = (uint64_t) gridDim.x * blockDim.x, thread = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t descents = 0;

  for (uint64_t first = thread; first < edges; first += FRONTIER_UNROLL * step)
    {
      uint32_t now[FRONTIER_UNROLL], before[FRONTIER_UNROLL];

#pragma unroll
      for (int u = 0; u < FRONTIER_UNROLL; u++)
        {
          uint64_t e = first + u * step;

          before[u] = e > 0 && e < edges ? indices[e - 1] : 0;
          now[u] = e < edges ? indices[e] : 0xffffffffu;
        }
#pragma unroll
      for (int u = 0; u < FRONTIER_UNROLL; u++)
        descents += before[u] > now[u];
    }
  return descents;
}

/* The same but where a row begins: 0 where all rows are in order. */
static __device__ void
bfs_count_descents (const Search &search, const Frontier &frontier)
{
  const uint32_t *indices = frontier_in_memory (search.back.indices);
  uint64_t edges = graph_count_edges (search.back);
  uint32_t descents = bfs_count_all_descents (indices, edges);

  GRID_FOR (v, search.graph.vertices)
    {
      uint64_t at = search.back.offsets[v];

      if (v > 0 && at < edges && at > search.back.offsets[v - 1] && indices[at - 1] > indices[at])
        descents--;
    }
  descents = frontier_sum_of_warp (descents);
  if (frontier_lane () == 0 && descents != 0)
    atomicAdd (frontier.control + FRONTIER_DESCENTS, (uint64_t) (int64_t) (int32_t) descents);
}

/* Where edge @edge comes from, if that is of level @level. */
static __device__ __forceinline__ uint32_t
bfs_find_origin (const Search &search, uint64_t edge, uint32_t level)
{
  uint32_t from = search.back.indices[edge];

  return from < search.graph.vertices && search.levels[from] == level ? from : FRONTIER_NONE;
}

/* The row of lane @lane by all lanes, behind what that has looked at: what that lane has from then on. */
static __device__ __forceinline__ uint32_t
bfs_take_of_row (const Search &search, const Frontier &frontier, int lane, uint64_t begin, uint64_t edges, uint32_t level,
                 uint64_t v)
{
  uint32_t from = FRONTIER_NONE, hits = 0;

  begin = __shfl_sync (0xffffffffu, begin, lane);
  edges = __shfl_sync (0xffffffffu, edges, lane);
  level = __shfl_sync (0xffffffffu, level, lane);
  for (uint64_t k = PULL_ALONE, end = edges < PARENTS_PIECE ? edges : PARENTS_PIECE; k < end && hits == 0; k += 32)
    {
      uint64_t e = begin + k + frontier_lane ();

      from = k + frontier_lane () < end ? bfs_find_origin (search, e, level - 1) : FRONTIER_NONE;
      hits = __ballot_sync (0xffffffffu, from != FRONTIER_NONE);
    }
  if (hits == 0 && edges > PARENTS_PIECE)
    bfs_list_pieces (frontier, v - frontier_lane () + (uint32_t) lane, edges, 1);
  return hits != 0 ? __shfl_sync (0xffffffffu, from, __ffs ((int) hits) - 1) : FRONTIER_NONE;
}

/* Of 32 vertices. */
static __device__ __forceinline__ void
bfs_take_of_rows (const Search &search, const Frontier &frontier, uint64_t v, uint32_t *parents)
{
  uint32_t level = v < search.graph.vertices ? search.levels[v] : FRONTIER_NONE, parent = FRONTIER_NONE, rest;
  bool wanted = level != FRONTIER_NONE && level > 0;
  Offset begin = 0, end = 0;
  uint64_t e;

  if (wanted)
    graph_find_row (search.back, v, &begin, &end);
  for (e = begin; e < end && e < (uint64_t) begin + PULL_ALONE && parent == FRONTIER_NONE; e++)
    parent = bfs_find_origin (search, e, level - 1);
  rest = __ballot_sync (0xffffffffu, e < end && parent == FRONTIER_NONE);
  for (; rest != 0; rest &= rest - 1)
    {
      int lane = __ffs ((int) rest) - 1;
      uint32_t its = bfs_take_of_row (search, frontier, lane, begin, end - begin, level, v);

      if (frontier_lane () == (uint32_t) lane)
        parent = its;
    }
  if (parent != FRONTIER_NONE)
    parents[v] = parent;
}

/* Each vertex takes the first of those before it. */
static __device__ void
bfs_take_parents (const Search &search, Frontier *frontier, uint32_t *parents)
{
  uint64_t warps = (uint64_t) gridDim.x * (blockDim.x / 32), words = (search.graph.vertices + 31) / 32, pieces;

  for (uint64_t i = (uint64_t) (threadIdx.x / 32) * gridDim.x + blockIdx.x; i < words; i += warps)
    bfs_take_of_rows (search, *frontier, 32 * i + frontier_lane (), parents);
  frontier_sync (frontier);
  pieces = bfs_count_pieces (*frontier);
  for (uint64_t i = blockIdx.x; i < pieces; i += gridDim.x)
    {
      uint64_t first, last, v = bfs_find_piece (search.back, frontier->even_list[i], &first, &last);

      for (uint64_t e = first + threadIdx.x; e < last && search.back.indices[e] < leat_load_relaxed (parents + v);
           e += blockDim.x)
        {
          uint32_t from = bfs_find_origin (search, e, search.levels[v] - 1);

          if (from != FRONTIER_NONE)
            atomicMin (parents + v, from);
        }
    }
}

static __device__ void
bfs_find_parents (const Search &search, Frontier *frontier, uint32_t *parents)
{
  if (PULLS && leat_load_relaxed (frontier->control + FRONTIER_DESCENTS) == 0)
    bfs_take_parents (search, frontier, parents);
  else
    bfs_offer_parents (search, frontier, parents);
}
