// SPDX-License-Identifier: LGPL-2.1-or-later
__global__ void k (int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = x[i] * x[i];
}
