// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cuda_fp8.h>

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count) return;
  __nv_fp8_e4m3 a (x[i] * 0.01f);
  __nv_fp8_e5m2 b (x[i] * 2.0f);
  y[i] = (int) (float (a) * 512) + (int) a.__x * 3 + (int) (float) b + (int) b.__x;
}
