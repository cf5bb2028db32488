// SPDX-License-Identifier: LGPL-2.1-or-later
struct place { int bias; __device__ int operator() (int v) const { return v + threadIdx.x + bias; } };

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  place p = { 0 };
  y[i] = p (x[i]);
}
