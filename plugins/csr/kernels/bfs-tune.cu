/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The limits of a search that are measured where they are not set, by their numbers in tune.cu.  Behind bfs-level.cu and
 * that.  The first of each are those with which most graphs do well. */

static __device__ __forceinline__ uint64_t
bfs_get_alone (uint32_t number)
{
  return number == 0 ? 256 : number == 1 ? 512 : number == 2 ? 128 : number == 3 ? 64 : number == 4 ? 1024 : 32;
}

/* The last: never. */
static __device__ __forceinline__ uint64_t
bfs_get_pull_from (uint32_t number)
{
  return number == 0 || number == 3 || number == 4 ? 14 : number == 1 ? 4 : number == 2 ? 56 : 0;
}

static __device__ __forceinline__ uint64_t
bfs_get_pull_until (uint32_t number)
{
  return number == 3 ? 6 : number == 4 ? 96 : 24;
}

static __device__ __forceinline__ uint64_t
bfs_get_key (const Graph &graph, uint64_t sources, const Limits &limits)
{
  uint64_t set = 0;

  if (!TUNES_ALONE)
    set = limits.alone;
  if (PULLS && !TUNES_PULL)
    set |= limits.pull_from << 11 | limits.pull_until << 32;
  return tune_get_key (graph, sources, PULLS, set);
}

/* What is not measured is as it was set. */
static __device__ __forceinline__ Limits
bfs_get_limits (const Tune &tune, Limits limits)
{
  if (TUNES_ALONE)
    limits.alone = bfs_get_alone (tune.numbers[TUNE_ALONE]);
  if (TUNES_PULL)
    {
      limits.pull_from = bfs_get_pull_from (tune.numbers[TUNE_PULL]);
      limits.pull_until = bfs_get_pull_until (tune.numbers[TUNE_PULL]);
    }
  return limits;
}
