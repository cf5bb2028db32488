// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cuda_fp16.h>

__device__ __half2 scaled (__half2 v) { return __hfma2 (v, __float2half2_rn (0.5f), __half2half2 (__float2half (1.0f))); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count) return;
  half h = __int2half_rn (x[i] % 2048), third = __hdiv (h, __float2half (3.0f));
  __half2 both = scaled (__halves2half2 (h, third));
  h = __hmul_rn (h, third) + (half) 0.25f;
  y[i] = (int) __half_as_ushort (h) + ((int) __half_as_ushort (__low2half (both)) << 8) + (int) (__half2float (__high2half (both)) * 16)
         + (__hgt (h, __float2half (2.0f)) ? 5 : 0);
}
