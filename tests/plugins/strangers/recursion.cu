// SPDX-License-Identifier: LGPL-2.1-or-later
__device__ int power (int v, int n) { return n == 0 ? 1 : v * power (v, n - 1); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = power (x[i], 2);
}
