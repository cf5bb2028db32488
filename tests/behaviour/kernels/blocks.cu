/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* CUB's functions of a block and a warp; rows of the result are as long as the block. */

#include <cub/cub.cuh>
#include <thrust/device_vector.h>

#include "mix.cuh"

#define THREADS 96

struct Greater
{
  __device__ __forceinline__ uint32_t operator() (uint32_t a, uint32_t b) const { return a < b ? b : a; }
};

__global__ void
reduces (uint32_t *out, uint32_t n)
{
  typedef cub::BlockReduce<uint32_t, THREADS> BlockReduce;
  __shared__ typename BlockReduce::TempStorage temp;
  uint32_t t = threadIdx.x, three[3] = { mix (t), mix (t + 1), mix (t + 2) }, v = mix (t + n);
  uint32_t sum = BlockReduce (temp).Sum (v);

  __syncthreads ();
  uint32_t greatest = BlockReduce (temp).Reduce (v, Greater ());
  __syncthreads ();
  uint32_t some = BlockReduce (temp).Sum (v, (int) n);
  __syncthreads ();
  uint32_t all = BlockReduce (temp).Sum (three);
  if (t == 0)
    {
      out[0] = sum;
      out[1] = greatest;
      out[2] = some;
      out[3] = all;
    }
}

/* What was before the tile, for the first warp. */
struct Before
{
  uint32_t sum;

  __device__ uint32_t
  operator() (uint32_t tile)
  {
    uint32_t old = sum;

    sum += tile;
    return old;
  }
};

__global__ void
scans (uint32_t *out, uint32_t n)
{
  using BlockScan = cub::BlockScan<uint32_t, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union
  {
    BlockScan::TempStorage scan;
    uint32_t other[4];
  } temp;
  uint32_t t = threadIdx.x, v = item (t, n), two[2] = { mix (2 * t), mix (2 * t + 1) }, sums[2], whole;

  BlockScan (temp.scan).ExclusiveSum (v, out[t], whole);
  out[THREADS + t] = whole;
  __syncthreads ();
  BlockScan (temp.scan).InclusiveScan (v, out[2 * THREADS + t], Greater ());
  __syncthreads ();
  BlockScan (temp.scan).ExclusiveScan (v, v, 77u, Greater ());
  out[3 * THREADS + t] = v;
  __syncthreads ();
  BlockScan (temp.scan).InclusiveSum (two, sums);
  out[4 * THREADS + 2 * t] = sums[0];
  out[4 * THREADS + 2 * t + 1] = sums[1];
  __syncthreads ();
  BlockScan (temp.scan).ExclusiveSum (two, two, whole);
  out[6 * THREADS + 2 * t] = two[0];
  out[6 * THREADS + 2 * t + 1] = two[1] + whole;
}

__global__ void
tiles (uint32_t *out, uint32_t n)
{
  typedef cub::BlockScan<uint32_t, THREADS> BlockScan;
  __shared__ BlockScan::TempStorage temp;
  Before before{ 0 };

  for (uint32_t first = 0; first < n; first += THREADS)
    {
      uint32_t v = item (first + threadIdx.x, n);

      BlockScan (temp).ExclusiveSum (v, v, before);
      __syncthreads ();
      if (first + threadIdx.x < n)
        out[first + threadIdx.x] = v;
    }
}

__global__ void
warps (uint32_t *out, uint32_t n)
{
  typedef cub::WarpReduce<uint32_t> WarpReduce;
  typedef cub::WarpReduce<uint32_t, 16> HalfReduce;
  typedef cub::WarpScan<uint32_t> WarpScan;
  __shared__ WarpReduce::TempStorage temp[THREADS / 32];
  __shared__ HalfReduce::TempStorage half_temp[THREADS / 16];
  __shared__ WarpScan::TempStorage scan_temp[THREADS / 32];
  uint32_t t = threadIdx.x, warp = t / 32, v = item (t, n), other;
  uint32_t sum = WarpReduce (temp[warp]).Sum (v);
  uint32_t some = WarpReduce (temp[warp]).Reduce (v, Greater (), 1 + (int) (n % 32));
  uint32_t half = HalfReduce (half_temp[t / 16]).Sum (v);
  uint32_t segment = WarpReduce (temp[warp]).HeadSegmentedSum (v, v % 4 == 1);

  out[t] = t % 32 == 0 ? sum : 0;
  out[THREADS + t] = t % 32 == 0 ? some : 0;
  out[2 * THREADS + t] = t % 16 == 0 ? half : 0;
  out[3 * THREADS + t] = t % 32 == 0 || v % 4 == 1 ? segment : 0;
  WarpScan (scan_temp[warp]).InclusiveSum (v, out[4 * THREADS + t]);
  WarpScan (scan_temp[warp]).ExclusiveSum (v, out[5 * THREADS + t], other);
  out[6 * THREADS + t] = other;
  WarpScan (scan_temp[warp]).ExclusiveScan (v, out[7 * THREADS + t], 5u, Greater ());
  out[8 * THREADS + t] = WarpScan (scan_temp[warp]).Broadcast (v, 3);
}

#define EACH 4

__global__ void
sorts (uint32_t *out, uint32_t n)
{
  typedef cub::BlockRadixSort<uint32_t, THREADS, EACH, uint32_t> Sort;
  typedef cub::BlockRadixSort<float, THREADS, EACH> FloatSort;
  typedef cub::BlockRadixSort<int, THREADS, EACH> IntSort;
  __shared__ union
  {
    Sort::TempStorage sort;
    FloatSort::TempStorage floats;
    IntSort::TempStorage ints;
  } temp;
  uint32_t keys[EACH], values[EACH], first = threadIdx.x * EACH;
  float floats[EACH];
  int ints[EACH];

  for (int i = 0; i < EACH; i++)
    {
      keys[i] = first + i < n ? mix (first + i) % 512 : 0xffffffffu;
      values[i] = first + i;
      floats[i] = (float) (int) item (first + i, n) * 0.5f;
      ints[i] = (int) item (first + i, n);
    }
  Sort (temp.sort).Sort (keys, values);
  for (int i = 0; i < EACH; i++)
    {
      out[first + i] = keys[i];
      out[THREADS * EACH + first + i] = values[i];
    }
  __syncthreads ();
  Sort (temp.sort).SortDescending (keys, values, 2, 7);
  for (int i = 0; i < EACH; i++)
    out[2 * THREADS * EACH + first + i] = values[i];
  __syncthreads ();
  FloatSort (temp.floats).Sort (floats);
  for (int i = 0; i < EACH; i++)
    out[3 * THREADS * EACH + first + i] = __float_as_uint (floats[i]);
  __syncthreads ();
  IntSort (temp.ints).SortBlockedToStriped (ints);
  for (int i = 0; i < EACH; i++)
    out[4 * THREADS * EACH + i * THREADS + threadIdx.x] = (uint32_t) ints[i];
}

__global__ void
loads (uint32_t *out, uint32_t n)
{
  typedef cub::BlockLoad<uint32_t, THREADS, EACH, cub::BLOCK_LOAD_TRANSPOSE> Load;
  typedef cub::BlockLoad<uint32_t, THREADS, EACH, cub::BLOCK_LOAD_STRIPED> StripedLoad;
  typedef cub::BlockStore<uint32_t, THREADS, EACH, cub::BLOCK_STORE_WARP_TRANSPOSE> Store;
  __shared__ Load::TempStorage load;
  __shared__ StripedLoad::TempStorage striped_load;
  __shared__ Store::TempStorage store;
  uint32_t items[EACH];

  for (uint32_t i = threadIdx.x; i < n; i += THREADS)
    out[i] = mix (i);
  __syncthreads ();
  Load (load).Load (out, items, (int) n, 9u);
  for (int i = 0; i < EACH; i++)
    items[i] += threadIdx.x;
  Store (store).Store (out + 512, items, (int) n);
  StripedLoad (striped_load).Load (out, items, (int) n, 1u);
  for (int i = 0; i < EACH; i++)
    out[1024 + threadIdx.x * EACH + i] = items[i];
}
