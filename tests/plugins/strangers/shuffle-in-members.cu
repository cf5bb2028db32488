// SPDX-License-Identifier: LGPL-2.1-or-later
struct warp { static __device__ int swap (int v) { return __shfl_xor_sync (0xffffffffu, v, 1); } };

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = warp::swap (i < x_count ? x[i] : 0);

  if (i < x_count)
    y[i] = v;
}
