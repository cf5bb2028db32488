// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cub/cub.cuh>

struct Most { __device__ int operator() (int a, int b) const { return a < b ? b : a; } };

__global__ void k (const int *x, int *y, int x_count)
{
  typedef cub::WarpReduce<int> WarpReduce;
  __shared__ typename WarpReduce::TempStorage storage[2];
  __shared__ int sums[2], most[2];
  int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32, v = i < x_count ? x[i] : 0;
  int sum = WarpReduce (storage[warp]).Sum (v);
  __syncwarp ();
  int greatest = WarpReduce (storage[warp]).Reduce (v, Most ());

  if (threadIdx.x % 32 == 0) { sums[warp] = sum; most[warp] = greatest; }
  __syncthreads ();
  if (i < x_count) y[i] = sums[warp] + 3 * most[warp];
}
