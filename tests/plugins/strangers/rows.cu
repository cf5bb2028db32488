// SPDX-License-Identifier: LGPL-2.1-or-later
__global__ void k (const int (*x)[1], int y[][1], int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i][0] = x[i][0] * 2;
}
