// SPDX-License-Identifier: LGPL-2.1-or-later
#ifdef WIDE
__global__ void k (const long *x, long *y, int x_count) {
#else
__global__ void k (const int *x, int *y, int x_count) {
#endif
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= x_count) return;
  y[i] = x[i] * 2; }
