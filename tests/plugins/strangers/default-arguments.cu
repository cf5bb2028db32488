// SPDX-License-Identifier: LGPL-2.1-or-later
__device__ int add (int a, int b = 5);
__device__ int add (int a, int b) { return a + b; }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = add (x[i]);
}
