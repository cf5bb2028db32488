/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The kernels of leat-bench as a program that calls the driver itself has them. */

#include <stdint.h>

extern "C"
{
__global__ void axpb (const float4 *x, uint64_t x_count, float4 *y, float a, float b)
{
  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;
  if (i < x_count)
    {
      float4 v = x[i];
      v.x = a * v.x + b;
      v.y = a * v.y + b;
      v.z = a * v.z + b;
      v.w = a * v.w + b;
      y[i] = v;
    }
}

__global__ void step (const float *x, uint64_t x_count, float *y, float a, float b)
{
  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;
  if (i < x_count)
    y[i] = a * x[i] + b;
}

__global__ void work (const float *x, uint64_t x_count, float *y, float a, float b, uint32_t steps)
{
  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;
  if (i < x_count)
    {
      float v = x[i];
      for (uint32_t s = 0; s < steps; s++)
        v = a * v + b;
      y[i] = v;
    }
}

__global__ void sum8 (const float *x0, uint64_t x0_count, const float *x1, const float *x2, const float *x3,
                      const float *x4, const float *x5, const float *x6, const float *x7, float *y)
{
  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;
  if (i < x0_count)
    y[i] = x0[i] + x1[i] + x2[i] + x3[i] + x4[i] + x5[i] + x6[i] + x7[i];
}

__global__ void invert (const uint8_t *in, uint64_t in_count, uint8_t *out)
{
  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;
  if (i < in_count)
    out[i] = (uint8_t) ~in[i];
}
}
