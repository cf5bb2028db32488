// SPDX-License-Identifier: LGPL-2.1-or-later
/* The sums before each item of a block: within warps by shuffles, then over warps. */
template <int Warps> __device__ int block_scan (int v, int *last_of_warp)
{
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

#pragma unroll
  for (int by = 1; by < 32; by <<= 1)
    {
      int left = __shfl_up_sync (~0u, v, by);
      if (lane >= by) v += left;
    }
  if (lane == 31) last_of_warp[warp] = v;
  __syncthreads ();
  if (warp == 0)
    {
      int sum = lane < Warps ? last_of_warp[lane] : 0;
      for (int by = 1; by < Warps; by *= 2)
        {
          int left = __shfl_up_sync (~0u, sum, by, 32);
          sum += lane >= by ? left : 0;
        }
      if (lane < Warps) last_of_warp[lane] = sum;
    }
  __syncthreads ();
  return v + (warp ? last_of_warp[warp - 1] : 0);
}

__global__ void k (const int *x, int *y, int x_count)
{
  __shared__ int last[4];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = block_scan<4> (i < x_count ? x[i] : 0, last);

  if (i < x_count) y[i] = sum;
}
