// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

#include <stdint.h>

// plain_saxpy's loop in the two shapes that CUDA programs give it.

__global__ void
one_each (const float *x, float *y, float a, float b, uint64_t x_count)
{
  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x_count)
    y[i] = a * x[i] + b;
}

__global__ void
grid_stride (const float *x, float *y, float a, float b, uint64_t x_count)
{
  for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < x_count; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + b;
}
