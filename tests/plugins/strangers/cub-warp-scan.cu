// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cub/warp/warp_scan.cuh>

struct Xor { template <typename T> __device__ __forceinline__ T operator() (const T &a, const T &b) const { return a ^ b; } };

__global__ void k (const int *x, int *y, int x_count)
{
  using Scan = cub::WarpScan<int>;
  __shared__ Scan::TempStorage storage[2];
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < x_count ? x[i] : 0, before, folded;

  Scan (storage[threadIdx.x >> 5]).ExclusiveSum (v, before);
  __syncwarp ();
  Scan (storage[threadIdx.x >> 5]).InclusiveScan (v, folded, Xor ());
  if (i < x_count) y[i] = before + (folded << 1);
}
