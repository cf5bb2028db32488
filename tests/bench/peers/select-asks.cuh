/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What compact-few.cu asks the tiles before, up to 32 of them, with COMPACT_ASKS loads of a word under way that are sent
 * COMPACT_APART cycles after each other: what is published while one is on its way is seen by the next, not by one that
 * is sent when the first is back.  It stands before compact-few.cu and is taken instead of what is there, since its
 * first argument is what the caller has, with no const added.
 *
 * One warp looks at all words, and goes on when one load of each has seen them. */

static __device__ __forceinline__ uint32_t
compact_ask_before (uint64_t *words, uint32_t tile, uint32_t launch)
{
  uint32_t lane = threadIdx.x % 32;
  bool asks = lane < tile, done = false;
  uint64_t told = (uint64_t) launch << 32, seen[COMPACT_ASKS];

#pragma unroll
  for (uint32_t i = 0; i < COMPACT_ASKS; i++)
    {
      long long begin = clock64 ();

      seen[i] = asks ? leat_load_relaxed (words + lane) : told;
      while (i + 1 < COMPACT_ASKS && clock64 () - begin < COMPACT_APART)
        ;
    }
  while (!done)
#pragma unroll
    for (uint32_t i = 0; i < COMPACT_ASKS; i++)
      if (!done)
        {
          done = __all_sync (0xffffffffu, (uint32_t) (seen[i] >> 32) == launch);
          if (done)
            told = seen[i];
          else if (asks)
            seen[i] = leat_load_relaxed (words + lane);
        }
  return compact_sum_lanes ((uint32_t) told);
}

static __device__ __forceinline__ uint32_t
compact_find_place (uint64_t *words, uint32_t tile, uint32_t launch)
{
  __shared__ uint32_t place;

  if (threadIdx.x < 32)
    {
      uint32_t sum = compact_ask_before (words, tile, launch);

      if (threadIdx.x == 0)
        place = sum;
    }
  __syncthreads ();
  return place;
}
