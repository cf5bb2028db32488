// SPDX-License-Identifier: LGPL-2.1-or-later
namespace a
{
namespace { __device__ int gain = 2; }
namespace b
{
typedef int item;
__device__ item two (item v) { return v * gain; }
__global__ void k (const item *x, item *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = two (x[i]);
}
}
}
namespace c { __global__ void k (const int *x, int *y) { } }
