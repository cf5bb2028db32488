/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Breadth-first search where a level is so small that a barrier of all blocks would take longer than it.
 *
 * The frontier is in the shared memory of a block.  Either block 0 goes on alone, while the others wait for one word to
 * change, or each block goes on from its share and meets the others only after many levels.  Then it may be at a
 * vertex by a way that is too long, before another block is there by a shorter one.  That does no harm: levels only become
 * less, by atomicMin (), and whoever lowers one goes on from there.  When all blocks have done the levels up to some
 * number, a vertex that many edges away at most has its level: on a shortest way to it, each vertex was given its level
 * by some block, which then offered the next one its own.
 *
 * It costs time, though: a block that is ahead goes round into what others would reach soon by shorter ways, and all that
 * is done again.  So a block waits when it is some levels ahead of the last one, which is no barrier, since who is not
 * ahead never waits; and it finds out while it is at work. */

/* What does level after level is no part of one function with all the rest, so that it has the registers to itself. */

#ifndef OWN_EDGES
#define OWN_EDGES 2 /* that a lane follows at a time, where there are more than one for each; more do not fit registers */
#endif
#ifndef OWN_FEW
#define OWN_FEW 4 /* edges of a piece, for which there are as many lanes */
#endif
#ifndef OWN_AHEAD
#define OWN_AHEAD 64 /* how many vertices or edges further on memory is fetched; 0: not at all */
#endif

/* Whether this block was not at the vertex lately.  Of the edges of a small level most lead back, or to where another edge
 * led just before; a look into shared memory saves the way to the device's (Merrill and others, 2012).  Whoever puts the
 * number there goes on to claim the vertex, so all others may forget it, now and later. */
static __device__ __forceinline__ bool
bfs_is_news (FrontierOfBlock *own, uint32_t v)
{
  return FRONTIER_RECENT_SHIFT == 0
         || atomicExch (own->recent + (v * 2654435769u >> (32 - FRONTIER_RECENT_SHIFT) % 32), v) != v;
}

/* A block that waits for memory in each level has it fetched before.  In meshes and road maps a vertex's neighbours have
 * neighbouring numbers, so that levels go through memory as one reads it, onwards or back; a line of it is asked for when
 * another one, so far away, is entered. */
static __device__ __forceinline__ void
bfs_fetch_ahead (const Search &search, uint32_t v, Offset begin, Offset edges)
{
  const uint32_t *indices = search.graph.indices;
  uint32_t line = v % 8;

  frontier_prefetch (indices + begin);
  if (OWN_AHEAD == 0)
    return;
  if (line == 0 && v + (uint64_t) OWN_AHEAD < search.graph.vertices)
    {
      frontier_prefetch (search.graph.offsets + v + OWN_AHEAD);
      frontier_prefetch (search.levels + v + OWN_AHEAD);
    }
  if (line == 7 && v >= OWN_AHEAD)
    {
      frontier_prefetch (search.graph.offsets + v - OWN_AHEAD);
      frontier_prefetch (search.levels + v - OWN_AHEAD);
    }
  if (begin % 8 + edges < 8)
    return;
  if (begin + edges + OWN_AHEAD < search.graph.edges)
    frontier_prefetch (indices + begin + edges + OWN_AHEAD);
  if (begin >= OWN_AHEAD)
    frontier_prefetch (indices + begin - OWN_AHEAD);
}

/* N edges of each lane, of which those that are not `fresh` are none.  What one step waits for is the whole time that a
 * small level takes: a vertex's row is loaded while it is claimed, whether or not it is needed then.  Blocks that are
 * apart may reach a vertex by a way that is too long, and later by a shorter one; it is in the list for each. */
template <int Way, int N>
static __device__ __forceinline__ void
bfs_expand_edges (const Search &search, const Frontier &frontier, FrontierOfBlock *own, const uint64_t *edge, bool *fresh,
                  uint64_t level, Found *found)
{
  uint32_t to[N], before[N], next = (uint32_t) level + 1;
  Offset end[N];
  FrontierRows<N> rows;

#pragma unroll
  for (int u = 0; u < N; u++)
    to[u] = bfs_follow (search, edge[u], fresh + u);
#pragma unroll
  for (int u = 0; u < N; u++)
    {
      rows.begin[u] = end[u] = before[u] = 0;
      fresh[u] = fresh[u] && bfs_is_news (own, to[u]);
      if (fresh[u])
        {
          const Offset *row = frontier_in_memory (search.graph.offsets) + to[u];

          rows.begin[u] = row[0];
          end[u] = row[1];
          before[u] = bfs_claim<Way> (search, frontier, to[u], next);
        }
    }
#pragma unroll
  for (int u = 0; u < N; u++)
    {
      if (fresh[u] && bfs_settle<Way> (search, frontier, to[u], next, before[u]))
        {
          graph_check_row (search.graph, to[u], rows.begin + u, end + u);
          bfs_fetch_ahead (search, to[u], rows.begin[u], end[u] - rows.begin[u]);
        }
      else
        rows.begin[u] = end[u] = 0;
      rows.edges[u] = end[u] - rows.begin[u];
      found->units += frontier_count_units (rows.edges[u]);
    }
  frontier_push (frontier, own, level + 1, nullptr, rows);
}

/* The edges of 32 pieces, N at a time for each lane. */
template <int Way, int N>
static __device__ __forceinline__ void
bfs_expand_own (const Search &search, const Frontier &frontier, FrontierOfBlock *own, uint64_t piece, uint32_t upto,
                uint64_t level, Found *found)
{
  uint32_t mine = (uint32_t) piece & 127, total = __shfl_sync (0xffffffffu, upto, 31);

  for (uint32_t first = 0; first < total; first += 32 * N)
    {
      uint64_t edge[N];
      bool fresh[N];

#pragma unroll
      for (int u = 0; u < N; u++)
        {
          uint32_t k = first + 32 * u + frontier_lane (), owner;

          edge[u] = frontier_find_edge (k, upto, mine, piece >> 7, &owner);
          fresh[u] = k < total;
        }
      bfs_expand_edges<Way, N> (search, frontier, own, edge, fresh, level, found);
    }
}

/* As many pieces as there are with OWN_FEW lanes each, from the @first-th on, where none has more edges than that, which
 * is so in meshes and road maps: nobody has to look for the edge that is its own.  Whether it is so. */
template <int Way>
static __device__ __forceinline__ bool
bfs_expand_few (const Search &search, const Frontier &frontier, FrontierOfBlock *own, uint32_t first, uint32_t last,
                uint64_t level, Found *found)
{
  uint32_t i = first + frontier_lane () / OWN_FEW, k = frontier_lane () % OWN_FEW;
  uint64_t piece = i < last ? own->lists[level % 2][i] : 0, edge = (piece >> 7) + k;
  uint32_t edges = (uint32_t) piece & 127;
  bool fresh = k < edges;

  if (__any_sync (0xffffffffu, edges > OWN_FEW))
    return false;
  bfs_expand_edges<Way, 1> (search, frontier, own, &edge, &fresh, level, found);
  return true;
}

/* How many pieces a warp takes: its share, or as many as give each lane an edge.  For fewer warps there is less to be
 * done in all, and those that have nothing to do are out of the way. */
static __device__ __forceinline__ uint32_t
bfs_find_share (uint32_t size, uint32_t edges)
{
  uint32_t share = (size + BFS_THREADS / 32 - 1) / (BFS_THREADS / 32), full = 32 / OWN_FEW;

#pragma unroll
  for (uint32_t each = OWN_FEW; each < 32; each *= 2)
    full = edges > each * size ? 16 / each : full;
  full = full > 0 ? full : 1;
  return share > full ? share : full;
}

/* Which level this block is at; @at: of the end of a round when it has nothing to do there. */
static __device__ __forceinline__ void
bfs_tell_progress (const Frontier &frontier, uint64_t at)
{
  if (APART_LEASH > 0 && threadIdx.x == 0 && blockIdx.x < FRONTIER_BLOCKS_MOST)
    leat_store_relaxed ((uint32_t *) (frontier.control + FRONTIER_PROGRESS) + blockIdx.x, (uint32_t) at);
}

/* One warp of a block that is about to leave a level: it waits for those that are far behind. */
static __device__ __noinline__ void
bfs_keep_together (const Frontier &frontier, uint64_t at)
{
  const uint32_t *progress = (const uint32_t *) (frontier.control + FRONTIER_PROGRESS);
  bool ahead = APART_LEASH > 0 && gridDim.x <= FRONTIER_BLOCKS_MOST;

  while (ahead)
    {
      ahead = false;
#pragma unroll
      for (uint32_t i = 0; i < FRONTIER_BLOCKS_MOST; i += 32)
        if (i + frontier_lane () < gridDim.x)
          ahead |= leat_load_relaxed (progress + i + frontier_lane ()) + APART_LEASH < (uint32_t) at;
      ahead = __any_sync (0xffffffffu, ahead);
      if (ahead)
        __nanosleep (20);
    }
}

template <int Way>
static __device__ void
bfs_do_own (const Search &search, const Frontier &frontier, FrontierOfBlock *own, uint64_t at, uint32_t size)
{
  uint32_t share = bfs_find_share (size, own->units[FRONTIER_SLOT (at)] << EDGE_SHIFT), first = threadIdx.x / 32 * share;
  uint32_t last = first + share < size ? first + share : size;
  Found found = {};

  /* Neighbouring pieces stay together, as they are likely to be in the graph. */
  while (first < last)
    if (bfs_expand_few<Way> (search, frontier, own, first, last, at, &found))
      first += 32 / OWN_FEW;
    else
      {
        uint32_t i = first + frontier_lane ();
        uint64_t piece = i < last ? own->lists[at % 2][i] : 0;
        uint32_t upto = frontier_scan_of_warp ((uint32_t) piece & 127);

        if (__shfl_sync (0xffffffffu, upto, 31) <= 32)
          bfs_expand_own<Way, 1> (search, frontier, own, piece, upto, at, &found);
        else
          bfs_expand_own<Way, OWN_EDGES> (search, frontier, own, piece, upto, at, &found);
        first += 32;
      }
  if (__any_sync (0xffffffffu, found.units != 0))
    {
      found.units = frontier_sum_of_warp (found.units);
      if (frontier_lane () == 0)
        atomicAdd (own->units + FRONTIER_SLOT (at + 1), found.units);
    }
  if (threadIdx.x == 0) /* everybody has read these before the barrier that ended the level before */
    {
      own->tails[FRONTIER_SLOT (at + 2)] = own->units[FRONTIER_SLOT (at + 2)] = 0;
      /* A look at the clock takes as long as a small level.  Threads that are late may still ask about the level before. */
      if (Way == WAY_ALONE && at % 32 == 0 && own->late == 0 && budget_is_over (search.budget))
        own->late = (uint32_t) at + 1;
    }
  if (Way == WAY_APART && threadIdx.x / 32 == blockDim.x / 32 - 1)
    bfs_keep_together (frontier, at);
  __syncthreads ();
}

/* From memory. */
static __device__ void
bfs_take_share (const Frontier &frontier, FrontierOfBlock *own, uint64_t level, uint64_t first, uint32_t n, bool spills)
{
  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
    own->lists[level % 2][i] = frontier_list (frontier, level)[first + i];
  for (uint32_t i = threadIdx.x; i < 1 << FRONTIER_RECENT_SHIFT; i += blockDim.x)
    own->recent[i] = FRONTIER_NONE;
  if (threadIdx.x < 4)
    own->tails[threadIdx.x] = own->units[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    {
      own->spills = spills;
      own->late = 0;
    }
  __syncthreads ();
}

/* And back, to what is free from @first on. */
static __device__ void
bfs_give_share (const Frontier &frontier, const FrontierOfBlock *own, uint64_t level, uint64_t first, uint64_t n)
{
  for (uint32_t i = threadIdx.x; i < n && i < FRONTIER_ROOM_OF_BLOCK; i += blockDim.x)
    if (first + i < frontier.room)
      frontier_list (frontier, level)[first + i] = own->lists[level % 2][i];
}

static __device__ __forceinline__ void
bfs_explore (Level *level, uint64_t units)
{
  level->units = units;
  level->unexplored -= units < level->unexplored ? units : level->unexplored;
}

/* Levels while they are small.  Only block 0 is here. */
static __device__ __noinline__ void
bfs_go_alone (const Search &search, const Frontier &frontier, FrontierOfBlock *own, Level *level, uint64_t *done)
{
  bfs_take_share (frontier, own, level->number, 0, (uint32_t) level->size, true);
  for (; level->size > 0 && level->number < search.most && bfs_is_small (search, *level) && !level->late; (*done)++)
    {
      bfs_do_own<WAY_ALONE> (search, frontier, own, level->number, (uint32_t) level->size);
      level->number++;
      level->size = frontier_count_listed (frontier, own->tails[FRONTIER_SLOT (level->number)]);
      bfs_explore (level, own->units[FRONTIER_SLOT (level->number)]);
      level->late = own->late != 0 && own->late <= level->number;
    }
  bfs_give_share (frontier, own, level->number, 0, level->size);
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
      state[4] = level.late;
      leat_store_release (frontier.control + FRONTIER_WAKE, epoch);
    }
  __syncthreads ();
}

static __device__ void
bfs_wait (const Frontier &frontier, Level *level, uint64_t epoch)
{
  const uint64_t *state = frontier_await_state (frontier, epoch);

  level->number = state[0];
  level->size = (uint32_t) state[1];
  level->units = state[2];
  level->unexplored = state[3];
  level->late = state[4] != 0;
}

/* A block's share of levels up to @end; what it has there. */
static __device__ uint32_t
bfs_go_apart (const Search &search, const Frontier &frontier, FrontierOfBlock *own, const Level &level, uint64_t end,
              uint32_t size)
{
  uint64_t at = level.number, round = level.round;

  for (; at < end && size > 0; at++)
    {
      bfs_tell_progress (frontier, at);
      bfs_do_own<WAY_APART> (search, frontier, own, at, size);
      size = own->tails[FRONTIER_SLOT (at + 1)];
      if (size > FRONTIER_ROOM_OF_BLOCK)
        {
          if (threadIdx.x == 0)
            atomicMax (frontier.control + FRONTIER_LOST, (round + 1) << 32 | (FRONTIER_NONE - (at + 1)));
          size = FRONTIER_ROOM_OF_BLOCK;
          break;
        }
    }
  bfs_tell_progress (frontier, end);
  return size;
}

/* The frontier of a level from the levels themselves, those beyond being forgotten; behind a barrier after which
 * `rebuilt` is 0. */
static __device__ __noinline__ void
bfs_go_back (const Search &search, const Frontier &frontier, uint64_t level)
{
  uint64_t warps = (uint64_t) gridDim.x * (blockDim.x / 32), words = (search.graph.vertices + 31) / 32;

  for (uint64_t i = (uint64_t) (threadIdx.x / 32) * gridDim.x + blockIdx.x; i < words; i += warps)
    {
      uint64_t v = 32 * i + frontier_lane ();
      uint32_t its = v < search.graph.vertices ? search.levels[v] : FRONTIER_NONE;
      uint32_t seen = __ballot_sync (0xffffffffu, its <= (uint32_t) level);
      FrontierRows<1> rows = {};
      Offset end = 0;

      if (frontier_lane () == 0)
        frontier.seen[i] = seen;
      if (its != FRONTIER_NONE && its > (uint32_t) level)
        search.levels[v] = FRONTIER_NONE;
      if (its == (uint32_t) level)
        graph_find_row (search.graph, v, rows.begin, &end);
      rows.edges[0] = end - rows.begin[0];
      frontier_push (frontier, nullptr, level, frontier.control + FRONTIER_REBUILT, rows);
    }
}

/* What all blocks have found up to @end, in the words of a round. */
static __device__ void
bfs_meet (Frontier *frontier, const Budget &budget, const FrontierOfBlock *own, Level *level, uint64_t end,
          uint32_t size)
{
  uint64_t *tail = frontier_tail (*frontier, level->round + 1), counts;

  if (threadIdx.x == 0)
    {
      uint64_t units = size > 0 ? own->units[FRONTIER_SLOT (end)] : 0, share = APART_UNEVEN * level->size / gridDim.x + 32;

      atomicAdd (tail, units << 32 | size);
      if (size > (share < APART_MOST ? share : APART_MOST))
        atomicMax (frontier->control + FRONTIER_CROWDED, level->round + 1);
    }
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *frontier_tail (*frontier, level->round + 2) = 0;
  frontier_look_at_clock (*frontier, budget, level->round + 1);
  frontier_sync (frontier);
  counts = leat_load_relaxed (tail);
  level->number = end;
  level->round++;
  level->late = frontier_is_late (*frontier, level->round);
  level->size = frontier_count_listed (*frontier, (uint32_t) counts);
  bfs_explore (level, counts >> 32);
}

/* How many levels the next round has. */
static __device__ __forceinline__ uint64_t
bfs_look_ahead (uint64_t ahead, uint64_t size_before, uint64_t size)
{
  if (size > size_before + size_before / 4)
    return APART_LEVELS;
  return 2 * ahead < APART_LEVELS_MOST ? 2 * ahead : APART_LEVELS_MOST;
}

/* Rounds of levels, until there is too little for all blocks or too much for one.  FALSE: it was not worth while. */
static __device__ __noinline__ bool
bfs_go_in_rounds (const Search &search, Frontier *frontier, FrontierOfBlock *own, Level *level, uint64_t *done)
{
  uint64_t first = level->size * blockIdx.x / gridDim.x, lost = 0, ahead = APART_LEVELS;
  uint32_t size = (uint32_t) (level->size * (blockIdx.x + 1) / gridDim.x - first);
  bool crowded = false;

  if (blockIdx.x == 0 && threadIdx.x == 0)
    frontier->control[FRONTIER_REBUILT] = 0;
  bfs_take_share (*frontier, own, level->number, first, size, false);
  while (level->size > search.limits.alone / 2 && level->number < search.most && !crowded && lost == 0 && !level->late)
    {
      uint64_t end = level->number + ahead < search.most ? level->number + ahead : search.most;
      uint64_t size_before = level->size;

      *done += end - level->number;
      size = bfs_go_apart (search, *frontier, own, *level, end, size);
      bfs_meet (frontier, search.budget, own, level, end, size);
      ahead = bfs_look_ahead (ahead, size_before, level->size);
      /* Blocks that are ahead may tell of a later round already. */
      lost = leat_load_relaxed (frontier->control + FRONTIER_LOST);
      lost = lost >> 32 == level->round ? lost : 0;
      crowded = leat_load_relaxed (frontier->control + FRONTIER_CROWDED) == level->round;
    }
  /* Of the last level, what is in the lists may be there by ways that are too long; nobody goes on to find out. */
  if (lost != 0 || level->number == search.most || level->late)
    {
      level->number = lost != 0 ? FRONTIER_NONE - (uint32_t) lost : level->number;
      bfs_go_back (search, *frontier, level->number);
      frontier_sync (frontier);
      level->size = frontier_count_listed (*frontier, (uint32_t) leat_load_relaxed (frontier->control + FRONTIER_REBUILT));
      return lost == 0;
    }
  if (threadIdx.x == 0)
    own->tails[0] = (uint32_t) atomicAdd (frontier->control + FRONTIER_REBUILT, (uint64_t) size);
  __syncthreads ();
  bfs_give_share (*frontier, own, level->number, own->tails[0], size);
  frontier_sync (frontier);
  return true;
}
