/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Tiles whose places are found within one kernel, behind prefix.cu.  A block publishes the sum of its tile and waits
 * until all tiles before have published theirs; from these it makes what lies before it by itself, in the order in which
 * scan_parts () does, so that the result is the same.  That is work for each tile that grows with their number: for many
 * tiles there are two kernels.
 *
 * A tile is only ever waited for when its block runs already: blocks take tiles by a ticket, or by their number where
 * there is a block for each and no other lane, as in compact.cu.
 *
 * Sums lie in `parts`; that one is there is told by a word of `control`, which then is the number of this launch.  So
 * nothing has to be cleared between launches: what earlier ones have left is less.  The last block to end counts the
 * launch. */

/* Words of `control`; those that are written most have a line of the cache for themselves. */
#define ONCE_LAUNCH 0 /* how many there were */
#define ONCE_TICKET 16
#define ONCE_DONE 32
#define ONCE_THERE 48 /* for each tile, the launch that has published it */

#define ONCE_BLOCKS 3 /* of a multiprocessor, which leaves each thread 80 registers: there are few tiles */

#ifdef LEAT_LANES
#define ONCE_TICKETS 1
#else
#define ONCE_TICKETS 0
#endif

static __device__ __forceinline__ bool
takes_tickets (uint64_t tiles)
{
  return tiles > 1 && (ONCE_TICKETS || tiles > gridDim.x);
}

/* The tile for a block in its round @round; all threads come here. */
static __device__ __forceinline__ uint64_t
take_tile (uint64_t *control, uint64_t tiles, uint32_t round)
{
  __shared__ uint64_t ticket;

  if (!takes_tickets (tiles))
    return round == 0 ? blockIdx.x : tiles;
  if (threadIdx.x == 0)
    ticket = leat_take_ticket (control + ONCE_TICKET);
  __syncthreads ();
  return ticket; /* the next is taken behind the barriers of the tile */
}

/* The number of this launch; where the loads of a tile are under way already, as these are more. */
static __device__ __forceinline__ uint64_t
get_launch (const uint64_t *control)
{
  return leat_load_relaxed (control + ONCE_LAUNCH) + 1;
}

/* By one thread.  The release puts the sum in front of the word. */
static __device__ __forceinline__ void
publish_tile (Part *parts, uint64_t *control, uint64_t launch, uint64_t tile, Part sum)
{
  parts[tile] = sum;
  leat_store_release (control + ONCE_THERE + tile, launch);
}

/* Until @tile has been published.  The fence, with the release of whoever has done it, puts the word that was seen in
 * front of what the thread does next. */
static __device__ __forceinline__ void
await_tile (const uint64_t *control, uint64_t launch, uint64_t tile)
{
  while (leat_load_relaxed (control + ONCE_THERE + tile) != launch)
    __nanosleep (20);
  __threadfence ();
}

/* What lies before @tile, which is not the first; for all threads, of which none looks at `control` any more. */
#if ORDERED || SEGMENTED
/* They share the waiting; behind the barrier all may read all sums.  Each reads EACH neighbouring ones, and one has the
 * answer at hand. */
static __device__ __forceinline__ Part
find_place (const Part *parts, const uint64_t *control, uint64_t launch, uint64_t tile)
{
  __shared__ uint64_t memory[sizeof (Part) / 8 + 1];
  uint64_t first = (uint64_t) threadIdx.x * EACH;
  Part mine[EACH], all, p;

  for (uint64_t i = threadIdx.x; i < tile; i += THREADS)
    await_tile (control, launch, i);
  __syncthreads ();
#pragma unroll
  for (int j = 0; j < EACH; j++)
    mine[j] = parts[first + j < tile ? first + j : 0];
#pragma unroll
  for (int j = 0; j < EACH; j++)
    if (first + j >= tile)
      mine[j] = make_nothing ();
  p = join (make_nothing (), find_in_block (fold_mine (mine), &all));
  if (threadIdx.x == tile / EACH)
    {
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (first + j < tile)
          p = join (p, mine[j]);
      *(Part *) memory = p;
    }
  __syncthreads ();
  return *(const Part *) memory; /* others come here again behind the barriers of the next tile */
}
#else
/* In any order: each waits for what it reads. */
static __device__ __forceinline__ Part
find_place (const Part *parts, const uint64_t *control, uint64_t launch, uint64_t tile)
{
  Part mine = make_nothing (), all;

  for (uint64_t i = threadIdx.x; i < tile; i += THREADS)
    {
      await_tile (control, launch, i);
      mine = join (mine, parts[i]);
    }
  find_in_block (mine, &all);
  return join (make_nothing (), all);
}
#endif

/* By one thread of each block, when none of its threads looks at `control` any more.  A single tile has no use for it. */
static __device__ __forceinline__ void
end_launch (uint64_t *control, uint64_t launch, uint64_t tiles)
{
  if (tiles <= 1)
    return;
  __threadfence ();
  if (atomicAdd (control + ONCE_DONE, (uint64_t) 1) != gridDim.x - 1)
    return;
  __threadfence ();
  control[ONCE_TICKET] = 0;
  control[ONCE_DONE] = 0;
  control[ONCE_LAUNCH] = launch;
}

#ifdef LEAT_HOST
/* What lies before @tile.  @known tiles are there for sure, and before the last of them lies @before. */
static __device__ Part
host_find_place (const Part *parts, const uint64_t *control, uint64_t launch, uint64_t tile, uint64_t known, Part before)
{
  for (uint64_t i = known; i < tile; i++)
    while (leat_load_acquire (control + ONCE_THERE + i) != launch)
      __nanosleep (20);
#if ORDERED
  Part mine[THREADS], p;

  for (int t = 0; t < THREADS; t++)
    {
      uint64_t from = (uint64_t) t * EACH;

      mine[t] = from < tile ? parts[from] : make_nothing ();
      for (uint64_t i = from + 1; i < from + EACH; i++)
        mine[t] = join (mine[t], i < tile ? parts[i] : make_nothing ());
    }
  host_find_before (mine, make_nothing ());
  p = mine[tile / EACH];
  for (uint64_t i = tile / EACH * EACH; i < tile; i++)
    p = join (p, parts[i]);
  return p;
#else
  for (uint64_t i = known; i < tile; i++)
    before = join (before, parts[i]);
  return before;
#endif
}
#endif
