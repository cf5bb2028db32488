/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Counts items by bin.  What stands before this text, by leat-primitives-histogram.c:
 *
 *   Item, Count             types of an item and of a result
 *   BINS                    how many
 *   find_bin (x)            the bin of an item; BINS where it has none
 *
 * Where there are several blocks, histogram_clear () comes before, and they add up what they have counted where the
 * results go.  A last block that gives these out would take longer than that kernel, since it waits for all others. */

#define THREADS 512
#define PACK (16 / (int) sizeof (Item))
#define GROUP (PACK < 4 ? PACK : 4)
#define AHEAD (PACK < 4 ? 8 : 32 / PACK)        /* loads that a thread has under way */
#define BINS_OF_BLOCK (BINS <= 4096 ? BINS : 1) /* the other kernel is used where there are more */
/* Counters for each bin, side by side: the lanes of a warp that hit the same one do not wait for each other, and where
 * there are 32 each has a bank of the memory for itself.  8,192 at most. */
#define COPIES (BINS_OF_BLOCK <= 256 ? 32 : BINS_OF_BLOCK <= 512 ? 16 : BINS_OF_BLOCK <= 1024 ? 8 : BINS_OF_BLOCK <= 2048 ? 4 : 2)

union Pack
{
  uint4 raw;
  Item item[PACK];
};

/* Neighbours are often alike.  counts: of a lane, each @step behind the one before */
template <class T>
static __device__ __forceinline__ void
count_group (const Item *items, T *counts, uint32_t step)
{
  uint32_t bins[GROUP];
  bool alike = true;

#pragma unroll
  for (int i = 0; i < GROUP; i++)
    {
      bins[i] = find_bin (items[i]);
      alike = alike && bins[i] == bins[0];
    }
#pragma unroll
  for (int i = 0; i < GROUP; i++)
    if (bins[i] < BINS && (i == 0 || !alike))
      atomicAdd (counts + bins[i] * step, (T) (alike ? GROUP : 1));
}

/* All loads of a thread are under way before the first item is counted. */
template <class T>
static __device__ __forceinline__ void
count_items (const Item *x, uint64_t x_count, T *counts, uint32_t step)
{
  uint64_t packs = (uint64_t) x % 16 == 0 ? x_count / PACK : 0, stride = (uint64_t) gridDim.x * THREADS;
  uint64_t thread = (uint64_t) blockIdx.x * THREADS + threadIdx.x;

  for (uint64_t i = thread; i < packs; i += AHEAD * stride)
    {
      Pack some[AHEAD];

#pragma unroll
      for (uint32_t k = 0; k < AHEAD; k++)
        if (i + k * stride < packs)
          some[k].raw = ((const uint4 *) x)[i + k * stride];
#pragma unroll
      for (uint32_t k = 0; k < AHEAD; k++)
        if (i + k * stride < packs)
#pragma unroll
          for (int j = 0; j < PACK; j += GROUP)
            count_group (some[k].item + j, counts, step);
    }
  for (uint64_t i = packs * PACK + thread; i < x_count; i += stride)
    {
      uint32_t bin = find_bin (x[i]);

      if (bin < BINS)
        atomicAdd (counts + bin * step, (T) 1);
    }
}

__global__ void
histogram_clear (Count *out)
{
  GRID_FOR (bin, (uint64_t) BINS)
    out[bin] = 0;
}

static __device__ __forceinline__ void
give_count (Count *out, uint32_t bin, uint32_t sum)
{
  if (gridDim.x == 1)
    out[bin] = sum;
  else if (sum > 0)
    atomicAdd (out + bin, (Count) sum);
}

__global__ void __launch_bounds__ (THREADS)
histogram_of_few (const Item *x, uint64_t x_count, Count *out)
{
  __shared__ uint32_t counts[COPIES * BINS_OF_BLOCK];

  for (uint32_t i = threadIdx.x; i < COPIES * BINS_OF_BLOCK; i += THREADS)
    counts[i] = 0;
  __syncthreads ();
  count_items (x, x_count, counts + threadIdx.x % COPIES, COPIES);
  __syncthreads ();
  for (uint32_t bin = threadIdx.x; bin < BINS_OF_BLOCK; bin += THREADS)
    {
      uint32_t sum = 0;

#pragma unroll
      for (uint32_t copy = 0; copy < COPIES; copy++)
        sum += counts[bin * COPIES + (copy + threadIdx.x) % COPIES];
      give_count (out, bin, sum);
    }
}

/* Two counters for each bin, so that the second of two equal items does not wait until the first is stored.  Blocks that
 * a GPU needs to be busy would here add up more than they count: some have nothing to do. */
LEAT_HOST_VARIANT void
histogram_of_few (const Item *x, uint64_t x_count, Count *out)
{
  uint32_t counts[2][BINS_OF_BLOCK + 1];
  uint64_t active = gridDim.x < 64 ? gridDim.x : 64, share = (x_count + active - 1) / active;
  uint64_t first = blockIdx.x * share, end = first + share < x_count ? first + share : x_count;

  if (blockIdx.x >= active)
    return;
  __builtin_memset (counts, 0, sizeof counts);
  for (; first + 2 <= end; first += 2)
    {
      counts[0][find_bin (x[first])]++;
      counts[1][find_bin (x[first + 1])]++;
    }
  if (first < end)
    counts[0][find_bin (x[first])]++;
  for (uint32_t bin = 0; bin < BINS_OF_BLOCK; bin++)
    give_count (out, bin, counts[0][bin] + counts[1][bin]);
}

/* More bins than a block has room for: these are rarely hit by two threads at once. */
__global__ void __launch_bounds__ (THREADS)
histogram_of_many (const Item *x, uint64_t x_count, Count *out)
{
  count_items (x, x_count, out, 1);
}

LEAT_HOST_VARIANT void
histogram_of_many (const Item *x, uint64_t x_count, Count *out)
{
  uint64_t share = (x_count + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
  uint64_t end = first + share < x_count ? first + share : x_count;

  for (; first < end; first++)
    {
      uint32_t bin = find_bin (x[first]);

      if (bin < BINS)
        atomicAdd (out + bin, (Count) 1);
    }
}
