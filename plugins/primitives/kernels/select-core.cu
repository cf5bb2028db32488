/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which of any number of items are chosen, and how many before each; before the kernels.  What stands before this text,
 * beside prefix.cu with a Part that is a plain count:
 *
 *   Source                                         what the items are and where results go
 *   chosen (s, i)                                  whether item i is
 *   OTHERS                                         1 where a tile's order has the others too, behind the chosen ones
 *   give_rows (s, first, n, order, sum, before)    by a block, for the n items from `first` on: order has the numbers in
 *                                                  the tile of the `sum` that are chosen, `before` lie in front of these
 *   host_give_row (s, i, yes, before)              the same for one item
 *
 * A warp has neighbouring items, 32 in a round, so that a ballot tells how many are chosen before each. */

/* Number of item @j of the thread in its tile. */
static __device__ __forceinline__ uint32_t
get_number (int j)
{
  return threadIdx.x / 32 * (32 * EACH) + (uint32_t) j * 32 + threadIdx.x % 32;
}

static __device__ __forceinline__ uint32_t
get_tile_length (uint64_t first, uint64_t n)
{
  return n - first < TILE ? (uint32_t) (n - first) : TILE;
}

/* Bit j: whether item j of the thread is chosen.  All loads are under way before the first is needed: behind the end the
 * last item is loaded again, so that no branch stands between them. */
static __device__ __forceinline__ uint32_t
choose_tile (const Source &s, uint64_t first, uint64_t n)
{
  uint32_t bits = 0;

#pragma unroll
  for (int j = 0; j < EACH; j++)
    {
      uint64_t i = first + get_number (j);

      bits |= (uint32_t) (chosen (s, i < n ? i : n - 1) & (i < n)) << j;
    }
  return bits;
}

/* How many are chosen in warps before; *sum: in the block.  Others may come here again at once. */
static __device__ __forceinline__ uint32_t
count_tile (uint32_t bits, uint32_t *sum)
{
  __shared__ uint32_t warps[WARPS];
  uint32_t mine = 0, before = 0;

#pragma unroll
  for (int j = 0; j < EACH; j++)
    mine += (uint32_t) __popc (__ballot_sync (0xffffffffu, bits >> j & 1));
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = mine;
  __syncthreads ();
  *sum = 0;
#pragma unroll
  for (uint32_t w = 0; w < WARPS; w++)
    {
      before += w < threadIdx.x / 32 ? warps[w] : 0;
      *sum += warps[w];
    }
  __syncthreads ();
  return before;
}

/* @before: as count_tile () tells.  The barrier behind this is the caller's. */
static __device__ __forceinline__ void
order_tile (uint32_t bits, uint32_t before, uint32_t sum, uint32_t n, uint16_t *order)
{
  uint32_t lower = (1u << threadIdx.x % 32) - 1;

#pragma unroll
  for (int j = 0; j < EACH; j++)
    {
      uint32_t word = __ballot_sync (0xffffffffu, bits >> j & 1), number = get_number (j);
      uint32_t place = before + (uint32_t) __popc (word & lower);

      if (bits >> j & 1)
        order[place] = (uint16_t) number;
      else if (OTHERS && number < n)
        order[sum + number - place] = (uint16_t) number;
      before += (uint32_t) __popc (word);
    }
}

static __device__ __forceinline__ Part
make_part (uint64_t value)
{
  Part p;

  p.value = value;
  return p;
}

#ifdef LEAT_HOST
static __device__ Part
host_sum_tile (const Source &s, uint64_t first, uint64_t n)
{
  uint64_t end = first + TILE < n ? first + TILE : n, sum = 0;

  for (uint64_t i = first; i < end; i++)
    sum += chosen (s, i);
  return make_part (sum);
}

/* Those of a tile, from @first on, before which @before are chosen; how many are up to its end. */
static __device__ uint64_t
host_give_tile (const Source &s, uint64_t first, uint64_t n, uint64_t before)
{
  uint64_t end = first + TILE < n ? first + TILE : n;

  for (uint64_t i = first; i < end; i++)
    {
      bool yes = chosen (s, i);

      host_give_row (s, i, yes, before);
      before += yes;
    }
  return before;
}
#endif
