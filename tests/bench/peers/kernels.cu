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

/* Where x is, is in a table that another kernel of the graph writes. */
__global__ void step_by_slot (const float *volatile const *slot, uint64_t x_count, float *y, float a, float b)
{
  const float *x = *slot;
  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;
  if (i < x_count)
    y[i] = a * x[i] + b;
}

__global__ void head16 (const float **table, const float *x0, const float *x1, const float *x2, const float *x3,
                        const float *x4, const float *x5, const float *x6, const float *x7, const float *x8,
                        const float *x9, const float *x10, const float *x11, const float *x12, const float *x13,
                        const float *x14, const float *x15)
{
  table[0] = x0, table[1] = x1, table[2] = x2, table[3] = x3;
  table[4] = x4, table[5] = x5, table[6] = x6, table[7] = x7;
  table[8] = x8, table[9] = x9, table[10] = x10, table[11] = x11;
  table[12] = x12, table[13] = x13, table[14] = x14, table[15] = x15;
}

/* The same for a graph in which it may begin before the one before it has ended. */
__global__ void step_early (const float *x, uint64_t x_count, float *y, float a, float b)
{
#if __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.launch_dependents;");
  asm volatile ("griddepcontrol.wait;" ::: "memory");
#endif
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
