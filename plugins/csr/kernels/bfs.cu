/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Breadth-first search, all of it in one launch.  Behind frontier.cu, bfs-level.cu, bfs-alone.cu and
 * bfs-tune.cu.
 *
 * Levels do not depend on who is faster.  A parent would, so the least of those that may be is taken, in a pass over all
 * edges when the levels are known. */

static __device__ __forceinline__ int
bfs_choose (const Search &search, const Level &level, bool pulls, bool apart, uint64_t before)
{
  bool grows = level.units > before;

  if (pulls)
    return grows || bfs_stays_dense (search, level.size) ? WAY_PULL : WAY_PUSH;
  if (bfs_is_small (search, level))
    return WAY_ALONE;
  if (grows && bfs_is_dense (search, level.units, level.unexplored, level.size))
    return WAY_PULL;
  /* What soon becomes much more would be too much for shares. */
  return apart && level.units <= before + before / 4 && level.size > search.limits.alone / 2
             && level.size <= (uint64_t) gridDim.x * APART_SHARE
           ? WAY_APART
           : WAY_PUSH;
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
      FrontierRows<1> rows = {};
      Offset end = 0;

      if (fresh && v >= search.graph.vertices)
        {
          graph_tell (NO_SUCH_SOURCE, first + thread, v);
          fresh = false;
        }
      if (fresh && leat_bits_add (frontier.seen, v))
        {
          graph_find_row (search.graph, v, rows.begin, &end);
          rows.edges[0] = end - rows.begin[0];
          search.levels[v] = 0;
          if (PARENTS)
            parents[v] = v;
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

static __device__ void
bfs_tell (const Level &level, uint64_t iterations, uint64_t reached, const uint64_t *done, uint64_t tells,
          uint64_t *report)
{
  report[REPORT_ITERATIONS] = iterations;
  report[REPORT_REASON] = level.size == 0 ? 0 : level.late ? 2 : 1;
  report[REPORT_REACHED] = reached;
  report[REPORT_ALONE] = done[WAY_ALONE];
  report[REPORT_PUSHED] = done[WAY_PUSH];
  report[REPORT_PULLED] = done[WAY_PULL];
  report[REPORT_LEFT] = level.size;
  report[REPORT_APART] = done[WAY_APART];
  if (level.size > 0 && level.late)
    leat_report_at (TIME_SPENT, level.number, level.size);
  if (level.size == 0 || level.late || tells == 0)
    return;
  if (tells == 1)
    leat_report_at (ITERATIONS_SPENT_TOLD, iterations, level.size);
  else
    leat_report_at (ITERATIONS_SPENT, iterations, level.size);
}

/* By which limits it was done. */
static __device__ void
bfs_tell_limits (const Search &search, const uint64_t *tuning, const Tune &tune, uint64_t *limits)
{
  limits[LIMITS_ALONE] = search.limits.alone;
  limits[LIMITS_PULL_FROM] = search.limits.pull_from;
  limits[LIMITS_PULL_UNTIL] = search.limits.pull_until;
  limits[LIMITS_DENSITY] = tune_get_density (search.graph);
  limits[LIMITS_RUNS] = TUNES ? tuning[TUNE_HEAD + TUNE_WORDS * tune.entry + TUNE_RUNS] : 0;
  limits[LIMITS_TRIED] = TUNES && tune.axis != TUNE_NONE;
}

/* How many were reached, and the deepest level. */
static __device__ void
bfs_sum_up (const Search &search, const Frontier &frontier)
{
  uint32_t reached = 0, deepest = 0;

  GRID_FOR (v, search.graph.vertices)
    {
      uint32_t level = search.levels[v];

      reached += level != FRONTIER_NONE;
      deepest = level != FRONTIER_NONE && level > deepest ? level : deepest;
    }
  reached = frontier_sum_of_warp (reached);
  for (int step = 16; step > 0; step /= 2)
    {
      uint32_t other = __shfl_down_sync (0xffffffffu, deepest, step);

      deepest = other > deepest ? other : deepest;
    }
  if (frontier_lane () != 0 || reached == 0)
    return;
  atomicAdd (frontier.control + FRONTIER_REACHED, (uint64_t) reached);
  atomicMax (frontier.control + FRONTIER_DEEPEST, (uint64_t) deepest);
}

/* One level of all blocks. */
static __device__ void
bfs_go_together (const Search &search, Frontier *frontier, Level *level, int way, uint32_t *sums)
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
  frontier_add_up (tail, found, way == WAY_PULL, sums);
  frontier_look_at_clock (*frontier, search.budget, level->round + 1);
  frontier_sync (frontier);
  counts = leat_load_relaxed (tail);
  level->number++;
  level->round++;
  level->late = frontier_is_late (*frontier, level->round);
  level->size = frontier_count_listed (*frontier, (uint32_t) counts);
  bfs_explore (level, counts >> 32);
}

/* From the list to bits and back, where the way is another now. */
static __device__ void
bfs_turn (const Search &search, Frontier *frontier, Level *level, bool pulls, bool pulled)
{
  if (pulls == pulled)
    return;
  if (pulls)
    frontier_set_bits (search.graph, *frontier, search.levels, level->number);
  else
    frontier_list_bits (search.graph, *frontier, level->number);
  frontier_sync (frontier);
  if (!pulls) /* vertices have become pieces */
    level->size = frontier_count_listed (*frontier, (uint32_t) leat_load_relaxed (frontier->control + FRONTIER_REBUILT));
}

/* All levels.  @done: how many, by way. */
static __device__ void
bfs_go (const Search &search, Frontier *frontier, FrontierOfBlock *own, Level *level, uint64_t *done, uint32_t *sums)
{
  uint64_t epoch = 0, before = 0;
  bool pulled = false, apart = true;

  while (level->size > 0 && level->number < search.most && !level->late)
    {
      int way = bfs_choose (search, *level, pulled, apart, before);

      before = level->units;
      bfs_turn (search, frontier, level, way == WAY_PULL, pulled);
      pulled = way == WAY_PULL;
      if (way == WAY_ALONE)
        {
          epoch++;
          if (blockIdx.x == 0)
            {
              bfs_go_alone (search, *frontier, own, level, done + WAY_ALONE);
              bfs_wake (*frontier, *level, epoch);
            }
          else
            bfs_wait (*frontier, level, epoch);
        }
      else if (way == WAY_APART)
        apart = bfs_go_in_rounds (search, frontier, own, level, done + WAY_APART);
      else
        {
          bfs_go_together (search, frontier, level, way, sums);
          done[way]++;
        }
    }
}

/* @tells: 0: nothing where max-iterations are spent, 1: a warning, 2: an error.  @most: max-iterations. */
__global__ void __launch_bounds__ (BFS_THREADS, 1)
bfs_search (const Offset *offsets, const uint32_t *indices, const Offset *back_offsets, const uint32_t *back_indices,
            const uint32_t *sources, uint64_t sources_count, uint64_t vertices, uint64_t indices_count, uint64_t back_indices_count,
            uint64_t most, uint64_t alone, uint64_t pull_from, uint64_t pull_until, uint64_t tells, uint64_t budget, uint64_t room, uint64_t *control, uint64_t *list, uint64_t *other_list,
            uint32_t *bits, uint32_t *other_bits, uint32_t *seen, uint32_t *levels, uint32_t *parents, uint64_t *tuning, uint64_t *limits, uint64_t *report)
{
  __shared__ FrontierOfBlock own;
  __shared__ uint32_t sums[2];
  __shared__ Limits measured; /* not a register of each thread, of which there are too few */
  __shared__ Tune tune;
  Limits set = { alone, pull_from, pull_until };
  Search search = { { offsets, indices, vertices, indices_count }, { back_offsets, back_indices, vertices, back_indices_count }, most, TUNES ? measured : set, levels, { budget, leat_clock_now () } };
  Frontier frontier = { control, list, other_list, room, bits, other_bits, seen, 0 };
  uint64_t done[WAYS] = {}, counts, ns;
  Level level = { 0, 0, 0, 0, graph_count_edges (search.graph) >> EDGE_SHIFT, false };
  Found found = {};

  if (threadIdx.x < 2)
    sums[threadIdx.x] = 0;
  bfs_clear (search, frontier, parents);
  if (TUNES && threadIdx.x == 0)
    {
      tune = tune_begin (tuning, bfs_get_key (search.graph, sources_count, set), vertices);
      measured = bfs_get_limits (tune, set);
    }
  frontier_sync (&frontier);
  bfs_begin (search, frontier, sources, sources_count, parents, &found);
  frontier_add_up (frontier_tail (frontier, 0), found, false, sums);
  frontier_sync (&frontier);
  counts = leat_load_relaxed (frontier_tail (frontier, 0));
  level.size = frontier_count_listed (frontier, (uint32_t) counts);
  level.units = counts >> 32;
  bfs_go (search, &frontier, &own, &level, done, sums);
  ns = TUNES ? leat_clock_now () - search.budget.began : 0;
  bfs_sum_up (search, frontier);
  if (PARENTS && PULLS)
    bfs_count_descents (search, frontier);
  frontier_sync (&frontier);
  if (PARENTS)
    bfs_find_parents (search, &frontier, parents);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    {
      uint64_t reached = leat_load_relaxed (control + FRONTIER_REACHED);
      uint64_t levels_reached = leat_load_relaxed (control + FRONTIER_DEEPEST) + (reached > 0);

      /* A round of many levels may be over after a few of them, and counts all. */
      if (TUNES && level.size == 0)
        tune_end (tuning, tune, ns, levels_reached, reached);
      bfs_tell_limits (search, tuning, tune, limits);
      bfs_tell (level, level.size > 0 ? level.number : levels_reached, reached, done, tells, report);
    }
}
