// SPDX-License-Identifier: LGPL-2.1-or-later
/* One piece of dynamic shared memory, taken apart: numbers, then doubles, then bytes. */
extern __shared__ __align__ (16) unsigned char room[];

__global__ void k (const int *x, int *y, int x_count)
{
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int *numbers = (int *) room;
  double *halves = (double *) &numbers[blockDim.x];
  signed char *signs = (signed char *) (halves + blockDim.x);

  numbers[t] = i < x_count ? x[i] : 0;
  halves[t] = numbers[t] * 0.5;
  signs[t] = numbers[t] < 0 ? -1 : 1;
  __syncthreads ();
  int other = blockDim.x - 1 - t;
  if (i < x_count)
    y[i] = numbers[other] + (int) (halves[other] * 4) + signs[t];
}
