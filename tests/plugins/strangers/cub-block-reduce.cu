// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cub/block/block_reduce.cuh>

template <int BLOCK, cub::BlockReduceAlgorithm ALGORITHM>
__global__ void __launch_bounds__ (BLOCK) block_spread (const int *x, int *y, int x_count)
{
  typedef cub::BlockReduce<int, BLOCK, ALGORITHM> BlockReduceT;
  __shared__ union { typename BlockReduceT::TempStorage reduce; int other; } temp;
  __shared__ int spread;
  const int first = blockIdx.x * BLOCK, i = first + threadIdx.x, n = min (BLOCK, x_count - first);
  int v = i < x_count ? x[i] : 0;
  int most = BlockReduceT (temp.reduce).Reduce (v, [] (int a, int b) { return a > b ? a : b; }, n);
  __syncthreads ();
  int sum = BlockReduceT (temp.reduce).Sum (v, n);

  if (threadIdx.x == 0) spread = sum - 2 * most;
  __syncthreads ();
  if (i < x_count) y[i] = spread;
}

void launch () { block_spread<96, cub::BLOCK_REDUCE_RAKING><<<1, 96>>> (0, 0, 0); }
