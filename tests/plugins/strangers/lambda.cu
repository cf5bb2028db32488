// SPDX-License-Identifier: LGPL-2.1-or-later
__device__ int half (int v) { return v; }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  auto f = [] (int v) { return half (v) + (int) (threadIdx.x - threadIdx.x); };
  auto g = [x] (int at) { return half (x[at]); };
  y[i] = f (x[i]) + g (i);
}
