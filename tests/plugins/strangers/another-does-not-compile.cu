// SPDX-License-Identifier: LGPL-2.1-or-later
__global__ void other (const int *x, int *y) { y[0] = curand (x[0]); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = x[i] * 2;
}
