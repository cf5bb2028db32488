/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The kernel of compact.cu where there are few tiles, each with a block of its own; behind compact.cu, with PACK of 1, so
 * that the threads of a warp look at neighbouring rows and store the ones that they keep side by side, with nothing
 * staged in between.  The text in front of it also knows
 *
 *   COMPACT_CLUSTER    how many blocks there are where they make one cluster; else 1
 *   compact_put ()     stores one row
 *
 * What the tiles before keep is told by the shared memory of a cluster's blocks, to which the others can write, and
 * elsewhere by a word for each tile, with the number of the launch beside the sum: all tiles add up all words before
 * theirs, and none waits for one that waits.  The number is counted up by the last tile when it has seen all others
 * publish, and so knows that they have read it.  Nothing has to be cleared, and no block to be counted. */

#define COMPACT_LAUNCH 3 /* of the words of `control`: how many launches there were */
#define COMPACT_MOST_FEW 128

struct CompactTile
{
  CompactLook look[COMPACT_RUNS];
  uint32_t kept[COMPACT_RUNS];   /* 0 or 1 */
  uint32_t before[COMPACT_RUNS]; /* in the tile, of what is kept */
  uint32_t sum;                  /* of the tile */
};

/* From what the warps keep, what lies before this one; in @sum what all keep.  Threads with many rows have registers for
 * the sums of all warps: on an H200 2^20 rows then took three quarters of the time.  With few rows it is the other way. */
static __device__ __forceinline__ uint32_t
compact_add_warps (const uint32_t *sums, uint32_t *sum)
{
#if COMPACT_RUNS > 4
  uint32_t lower = 0;

  *sum = 0;
#pragma unroll
  for (uint32_t i = 0; i < COMPACT_WARPS; i++)
    {
      lower += i < threadIdx.x / 32 ? sums[i] : 0;
      *sum += sums[i];
    }
  return lower;
#else
  return compact_sum_warps (sums, sum);
#endif
}

/* All threads come here. */
static __device__ __forceinline__ void
compact_read_tile (const CompactFrom &from, uint64_t rows, uint32_t tile, CompactTile &it)
{
  __shared__ __align__ (16) uint32_t sums[COMPACT_WARPS];
  CompactJob job = compact_plan (rows, COMPACT_TILE);
  uint32_t of_warp, lower;

  compact_load_tile (from, job, tile, it.look);
  compact_choose (from, job, tile, it.look, it.kept);
  of_warp = compact_rank (it.kept, it.before);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = of_warp;
  __syncthreads ();
  lower = compact_add_warps (sums, &it.sum);
#pragma unroll
  for (uint32_t run = 0; run < COMPACT_RUNS; run++)
    it.before[run] += lower;
}

static __device__ __forceinline__ void
compact_put_tile (const CompactFrom &from, const CompactTo &to, uint32_t tile, const CompactTile &it, uint64_t place)
{
#pragma unroll
  for (uint32_t run = 0; run < COMPACT_RUNS; run++)
    if (it.kept[run] != 0)
      compact_put (from, to, it.look[run], compact_get_first (tile, run), place + it.before[run]);
}

#if COMPACT_CLUSTER > 1 && LEAT_HAS_CLUSTERS
static __device__ __forceinline__ void
compact_run_few (const CompactFrom &from, const CompactTo &to, uint64_t rows, uint64_t *)
{
  __shared__ uint32_t of_blocks[COMPACT_CLUSTER];
  uint32_t tile = blockIdx.x, place = 0;
  CompactTile it;

  leat_cluster_arrive ();
  compact_read_tile (from, rows, tile, it);
  leat_cluster_wait (); /* all blocks are there */
  if (threadIdx.x < COMPACT_CLUSTER)
    leat_cluster_store (&of_blocks[tile], threadIdx.x, it.sum);
  leat_cluster_arrive ();
  leat_cluster_wait ();
#pragma unroll
  for (uint32_t i = 0; i < COMPACT_CLUSTER; i++)
    place += i < tile ? of_blocks[i] : 0;
  if (tile == COMPACT_CLUSTER - 1 && threadIdx.x == 0)
    compact_tell (to, (uint64_t) place + it.sum);
  compact_put_tile (from, to, tile, it, place);
}
#else
static __device__ __forceinline__ bool
compact_is_of (uint64_t word, uint32_t launch)
{
  return (uint32_t) (word >> 32) == launch;
}

/* Rows kept in all tiles before @tile, for a whole warp. */
static __device__ __forceinline__ uint32_t
compact_add_before (const uint64_t *words, uint32_t tile, uint32_t launch)
{
  const uint32_t looks = COMPACT_MOST_FEW / 32;
  uint32_t lane = threadIdx.x % 32, sum = 0;
  uint64_t seen[looks];

#pragma unroll
  for (uint32_t i = 0; i < looks; i++)
    seen[i] = 32 * i + lane < tile ? leat_load_relaxed (words + 32 * i + lane) : (uint64_t) launch << 32;
#pragma unroll
  for (uint32_t i = 0; i < looks; i++)
    {
      while (!compact_is_of (seen[i], launch))
        {
#ifndef LEAT_CUDA
          __nanosleep (20); /* on a GPU it takes longer than what is waited for */
#endif
          seen[i] = leat_load_relaxed (words + 32 * i + lane);
        }
      sum += (uint32_t) seen[i];
    }
#if COMPACT_IN_PLACE
  __threadfence (); /* with the release of the words */
#endif
  return compact_sum_lanes (sum);
}

/* For all threads: the rows kept before @tile, which is not the first. */
static __device__ __forceinline__ uint32_t
compact_find_place (const uint64_t *words, uint32_t tile, uint32_t launch)
{
  __shared__ uint32_t place;

  if (threadIdx.x < 32)
    {
      uint32_t sum = compact_add_before (words, tile, launch);

      if (threadIdx.x == 0)
        place = sum;
    }
  __syncthreads ();
  return place;
}

/* The number of this block's tile: as in compact.cu, a ticket where many lanes are launched at once. */
static __device__ __forceinline__ uint32_t
compact_take_tile (uint64_t *control)
{
#if COMPACT_TICKETS
  __shared__ uint32_t ticket;

  if (threadIdx.x == 0)
    ticket = (uint32_t) leat_take_ticket (control + COMPACT_TICKET);
  __syncthreads ();
  return ticket;
#else
  return blockIdx.x;
#endif
}

/* The last tile waits for those that have rows; and for all blocks where it writes what these read first: in place the
 * number of rows may lie there, and others begin at the first ticket again. */
static __device__ __forceinline__ uint32_t
compact_find_last (uint64_t rows)
{
  return COMPACT_IN_PLACE || COMPACT_TICKETS ? gridDim.x - 1 : rows > COMPACT_TILE ? (uint32_t) ((rows - 1) / COMPACT_TILE) : 0;
}

static __device__ __forceinline__ void
compact_run_few (const CompactFrom &from, const CompactTo &to, uint64_t rows, uint64_t *control)
{
  uint64_t *words = control + COMPACT_SETS;
  uint32_t tile = compact_take_tile (control), last = compact_find_last (rows), launch = 0, place = 0;
  CompactTile it;

  if (tile > last)
    return;
  if (last > 0) /* the first warp alone needs it, and has it before its first thread publishes */
    launch = ((uint32_t) leat_load_relaxed (control + COMPACT_LAUNCH) + 2) | 1; /* never 0, as words are at first */
  compact_read_tile (from, rows, tile, it);
  if (threadIdx.x == 0 && tile < last)
    compact_publish (words + tile, (uint64_t) launch << 32 | it.sum);
  if (tile > 0)
    place = compact_find_place (words, tile, launch);
  if (threadIdx.x == 0 && tile == last)
    {
      if (last > 0)
        control[COMPACT_LAUNCH] = launch;
      control[COMPACT_TICKET] = 0;
      compact_tell (to, (uint64_t) place + it.sum);
    }
  compact_put_tile (from, to, tile, it, place);
}
#endif
