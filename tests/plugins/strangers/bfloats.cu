// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cuda_bf16.h>

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count) return;
  __nv_bfloat16 a = __float2bfloat16 ((float) x[i] * 1.001f), b = __float2bfloat16_rz ((float) x[i] * 1.001f);
  nv_bfloat162 pair = __floats2bfloat162_rn (__bfloat162float (a), 0.3f);
  float sum = __bfloat162float (a) + __bfloat162float (b) + __high2float (pair);
  y[i] = (int) sum * 4 + (int) (__bfloat16_as_ushort (a) & 255) + (int) __bfloat16_as_ushort (__hmul (pair.x, pair.y));
}
