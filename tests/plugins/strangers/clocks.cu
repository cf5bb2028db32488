// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is only known when it runs: clocks go on, and a fence and a pause change nothing. */
__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long begin = clock64 ();
  __shared__ int marks[32];

  marks[threadIdx.x] = i < x_count ? x[i] : 0;
  __threadfence_block ();
  __nanosleep (10);
  __syncthreads ();
  int other = __ldg (&x[i < x_count ? i : 0]) - marks[threadIdx.x];
  if (i < x_count) y[i] = x[i] + (clock64 () >= begin) + other + (warpSize == 32) + (__isShared (marks) ? 1 : 0);
}
