// SPDX-License-Identifier: LGPL-2.1-or-later
__global__ void __launch_bounds__ (64, 2) k (const int *__restrict__ x, int *__restrict__ y, const int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = x[i] * 2;
}
