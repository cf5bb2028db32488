/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Tiles whose places are found within one kernel, behind words.cu and prefix.cu.  A block publishes the sum of its tile, waits until
 * tiles before have published theirs, and makes of these what lies before it:
 *
 *   where each block has one tile
 *                        from the sums of all tiles before, told in words (words.cu); the last tile, which has seen all
 *                        others tell theirs, is the one that counts the launch
 *   where order counts   from the sums of all tiles before, in the order in which scan_parts () does, so that the result is
 *                        the same.  That is work for each tile that grows with their number: for many tiles there are
 *                        two kernels
 *   else                 from those back to the nearest tile that has told what lies up to its end (decoupled look-back:
 *                        Merrill and Garland, 2016), as it does itself then; by one warp, one load for 32 tiles
 *
 * A tile is only ever waited for when its block runs already: blocks take tiles by a ticket, or by their number where
 * there is a block for each and no other lane, as in compact.cu.  A block has the ticket for its next tile early; nobody
 * waits for that tile but those behind it, so the least tile that is not done is always at work.
 *
 * With look-back they are told in words (words.cu) too.  Where order counts sums lie in `parts`; that one is there is told
 * by a word of `control`, which then has the number of this launch.  So nothing has to be cleared between launches: what
 * earlier ones have left is less.  The last block to end counts the launch. */

#define LOOKS_BACK (!ORDERED && !SEGMENTED)

/* Words of `control`; those that are written most have a line of the cache for themselves. */
#define ONCE_LAUNCH 0 /* the number of the last one; these are even */
#define ONCE_TICKET 16
#define ONCE_DONE 32
#define ONCE_WORDS 48 /* for each of ONCE_FEW tiles, its sum (words.cu) */
/* For each tile, with look-back, its sum and what lies up to its end (words.cu); else the launch that has published its
 * sum. */
#define ONCE_THERE (48 + 4 * ONCE_FEW)

#define ONCE_FEW 528

#define ONCE_BLOCKS 3 /* of a multiprocessor, which leaves each thread 80 registers */

#ifdef LEAT_WIDE
#define ONCE_TICKETS 1
#else
#define ONCE_TICKETS 0
#endif

static __device__ __forceinline__ bool
takes_tickets (uint64_t tiles)
{
  return tiles > 1 && (ONCE_TICKETS || tiles > gridDim.x);
}

/* The first tile of a block; all threads come here. */
static __device__ __forceinline__ uint64_t
take_first (uint64_t *control, uint64_t tiles)
{
  __shared__ uint64_t ticket;

  if (!takes_tickets (tiles))
    return blockIdx.x;
  if (threadIdx.x == 0)
    ticket = leat_take_ticket (control + ONCE_TICKET);
  __syncthreads ();
  return ticket;
}

/* For the first thread: the tile behind this one, none where blocks have one each. */
static __device__ __forceinline__ uint64_t
take_next (uint64_t *control, uint64_t tiles)
{
  return takes_tickets (tiles) ? leat_take_ticket (control + ONCE_TICKET) : tiles;
}

/* The number of this launch, for the first thread of a block, which hands it to the others through shared memory before it
 * publishes anything.
 *
 * Were each thread to load it, one might never end: the last tile counts the launch as soon as it has seen what all others
 * publish, and the barrier in front of that does not wait for loads whose answers no one has used.  A thread that is
 * answered after that takes the launch for the next one, of which it sees no sums (on an H200 once in some ten thousand
 * launches of 2^20 items). */
static __device__ __forceinline__ uint64_t
get_launch (const uint64_t *control)
{
  return leat_load_relaxed (control + ONCE_LAUNCH) + 2;
}

/* By one thread: the sum of a tile, which for the first is what lies up to its end. */
static __device__ __forceinline__ void
publish_sum (Part *parts, uint64_t *control, uint64_t launch, uint64_t tile, Part sum)
{
#if LOOKS_BACK
  tell_in_words (control + ONCE_THERE, 2 * tile + (tile == 0), launch, sum);
#else
  parts[tile] = sum;
  leat_store_release (control + ONCE_THERE + tile, launch); /* puts the sum in front of the word */
#endif
}

/* The same for what lies up to the end of a tile that is not the first. */
static __device__ __forceinline__ void
publish_end (uint64_t *control, uint64_t launch, uint64_t tile, Part end)
{
#if LOOKS_BACK
  tell_in_words (control + ONCE_THERE, 2 * tile + 1, launch, end);
#endif
}

/* By one thread, of any tile but the last. */
static __device__ __forceinline__ void
publish_tile (Part *parts, uint64_t *control, uint64_t launch, uint64_t tiles, uint64_t tile, Part sum)
{
  if (takes_tickets (tiles))
    publish_sum (parts, control, launch, tile, sum);
  else
    tell_in_words (control + ONCE_WORDS, tile, launch, sum);
}

#if LOOKS_BACK
/* What lies up to the end of @tile where it has told that, and else its sum; whether it is the former. */
static __device__ __forceinline__ bool
await_tile (const uint64_t *control, uint64_t launch, uint64_t tile, Part *part)
{
  for (;; __nanosleep (20))
    {
      Part end;
      bool ends = see_in_words (control + ONCE_THERE, 2 * tile + 1, launch, &end);

      if (see_in_words (control + ONCE_THERE, 2 * tile, launch, part) | ends)
        {
          if (ends)
            *part = end;
          return ends;
        }
    }
}
#else
/* Until @tile has been published.  The fence, with the release of whoever has done it, puts the word that was seen in
 * front of what the thread does next. */
static __device__ __forceinline__ void
await_tile (const uint64_t *control, uint64_t launch, uint64_t tile)
{
  while (leat_load_relaxed (control + ONCE_THERE + tile) < launch)
    __nanosleep (20);
  __threadfence ();
}
#endif

/* Of tiles, each thread reads EACH neighbouring ones, and one has the answer at hand. */
static __device__ __forceinline__ Part
find_in_parts (const Part *parts, uint64_t tile)
{
  __shared__ uint64_t memory[sizeof (Part) / 8 + 1];
  uint64_t first = (uint64_t) threadIdx.x * EACH;
  Part mine[EACH], all, p;

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

/* What lies before @tile where each block has one. */
static __device__ __forceinline__ Part
find_place_in_words (const uint64_t *control, uint64_t launch, uint64_t tile)
{
#if LOOKS_BACK
  Part mine = make_nothing (), all;

  for (uint64_t i = threadIdx.x; i < tile; i += THREADS)
    mine = join (mine, await_in_words<Part> (control + ONCE_WORDS, i, launch));
  find_in_block (mine, &all);
  return all;
#else
  __shared__ uint64_t memory[(ONCE_FEW * sizeof (Part) + 7) / 8];
  Part *parts = (Part *) memory;

  for (uint64_t i = threadIdx.x; i < tile; i += THREADS)
    parts[i] = await_in_words<Part> (control + ONCE_WORDS, i, launch);
  __syncthreads ();
  return find_in_parts (parts, tile);
#endif
}

#if LOOKS_BACK
/* For a warp, whose last thread has the answer: each looks at one tile, the first at the nearest, and those back to the
 * nearest that tells its end give what they read; where none does, the next 32 are looked at. */
static __device__ __forceinline__ Part
look_back (const uint64_t *control, uint64_t launch, uint64_t tile)
{
  uint32_t lane = threadIdx.x % 32;
  Part place = make_nothing ();

  for (bool found = false; !found; tile -= 32)
    {
      Part part = make_nothing ();
      bool ends = lane >= tile || await_tile (control, launch, tile - 1 - lane, &part);
      uint32_t lanes = __ballot_sync (0xffffffffu, ends);

      found = lanes != 0;
      if (found && lane + 1 > (uint32_t) __ffs ((int) lanes))
        part = make_nothing ();
      for (int by = 1; by < 32; by *= 2)
        {
          Part other = shuffle_up (part, by);

          if (lane >= (uint32_t) by)
            part = join (other, part);
        }
      place = join (part, place);
    }
  return place;
}
#endif

/* What lies before @tile, which is not the first; for all threads, of which none looks at `control` any more. */
static __device__ __forceinline__ Part
find_place (const Part *parts, const uint64_t *control, uint64_t launch, uint64_t tiles, uint64_t tile)
{
#if LOOKS_BACK
  __shared__ uint64_t memory[sizeof (Part) / 8 + 1];

  if (!takes_tickets (tiles))
    return find_place_in_words (control, launch, tile);
  if (threadIdx.x < 32)
    {
      Part place = look_back (control, launch, tile);

      if (threadIdx.x == 31)
        *(Part *) memory = place;
    }
  __syncthreads ();
  return *(const Part *) memory; /* others come here again behind the barriers of the next tile */
#else
  if (!takes_tickets (tiles))
    return find_place_in_words (control, launch, tile);
  for (uint64_t i = threadIdx.x; i < tile; i += THREADS) /* they share the waiting */
    await_tile (control, launch, i);
  __syncthreads ();
  return find_in_parts (parts, tile);
#endif
}

/* What one thread of a block tells of its tile when all of the block know its place.  @end: what lies up to its end */
static __device__ __forceinline__ void
end_tile (uint64_t *control, uint64_t launch, uint64_t tiles, uint64_t tile, Part end)
{
  if (!takes_tickets (tiles) && tile + 1 == tiles)
    control[ONCE_LAUNCH] = launch;
  else if (takes_tickets (tiles) && tile > 0 && tile + 1 < tiles)
    publish_end (control, launch, tile, end);
}

/* With tickets, by one thread of each block when none of its threads looks at `control` any more. */
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
/* What lies before @tile. */
static __device__ Part
host_find_place (const Part *parts, const uint64_t *control, uint64_t launch, uint64_t tile)
{
#if LOOKS_BACK
  Part place = make_nothing ();

  for (bool ends = false; tile > 0 && !ends; tile--)
    {
      Part part;

      ends = await_tile (control, launch, tile - 1, &part);
      place = join (part, place);
    }
  return place;
#else
  Part mine[THREADS], p;

  for (uint64_t i = 0; i < tile; i++)
    await_tile (control, launch, i);
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
#endif
}
#endif
