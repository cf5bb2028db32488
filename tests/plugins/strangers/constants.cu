// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#define N_TAPS 5
__constant__ int taps[N_TAPS] = { 1, -2, 3, -2, 1 };
static __constant__ __align__ (8) struct { short shift; float2 scale[2]; } shape = { 1, { { 0.5f, 2 }, { 4, 8 } } };
const int kBias = 3;
__device__ const int table[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
__device__ int sums[] = { 10, 20 };
const char *host_words[] = { "a", "b" };

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = kBias;

  if (i >= x_count) return;
#pragma unroll 5
  for (int t = 0; t < N_TAPS; t++)
    {
      int at = i + t - N_TAPS / 2;
      sum += taps[t] * (at < 0 || at >= x_count ? 0 : x[at]);
    }
  y[i] = sum * (1 << shape.shift) + (int) (shape.scale[1].y * shape.scale[0].x) + table[1][i % 3] + sums[i & 1];
}
