/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What the node `unique` chooses and where it goes, before select-core.cu.  What stands before this text, by
 * leat-primitives-unique.c:
 *
 *   Item     type of an item
 *   STARTS   1 where it is wanted from where on each run is */

#define OTHERS 0
#define MOVES 8 /* loads that a thread has under way */

struct Source
{
  const Item *x;
  Item *out;
  uint64_t *starts;
};

static __device__ __forceinline__ bool
chosen (const Source &s, uint64_t i)
{
  return (i == 0) | differ (s.x[i], s.x[i - (i > 0)]);
}

static __device__ __forceinline__ void
give_rows (const Source &s, uint64_t first, uint32_t, const uint16_t *order, uint32_t sum, uint64_t before)
{
  for (uint32_t from = threadIdx.x; from < sum; from += MOVES * THREADS)
    {
      Item some[MOVES];

#pragma unroll
      for (uint32_t k = 0; k < MOVES; k++)
        some[k] = s.x[first + order[from + k * THREADS < sum ? from + k * THREADS : sum - 1]];
#pragma unroll
      for (uint32_t k = 0; k < MOVES; k++)
        if (from + k * THREADS < sum)
          {
            s.out[before + from + k * THREADS] = some[k];
#if STARTS
            s.starts[before + from + k * THREADS] = first + order[from + k * THREADS];
#endif
          }
    }
}

#ifdef LEAT_HOST
static __device__ inline void
host_give_row (const Source &s, uint64_t i, bool yes, uint64_t before)
{
  if (!yes)
    return;
  s.out[before] = s.x[i];
#if STARTS
  s.starts[before] = i;
#endif
}
#endif
