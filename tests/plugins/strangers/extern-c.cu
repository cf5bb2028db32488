// SPDX-License-Identifier: LGPL-2.1-or-later
extern "C" {
__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = x[i] * 2;
}
}
extern "C" void launch () { k<<<1, 1>>> (0, 0, 0); }
