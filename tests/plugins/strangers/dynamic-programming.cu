// SPDX-License-Identifier: LGPL-2.1-or-later
/* Cells of an alignment: the best of three ways, and never below zero. */
__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count) return;
  int up = i > 0 ? x[i - 1] : 0, best = __vimax3_s32_relu (x[i] - 5, up - 3, __viaddmax_s32 (x[i], up, -9));
  bool first;
  int less = __vibmin_s32 (x[i], up, &first);
  y[i] = best + less * 2 + (first ? 1 : 0) + (int) (__vimin3_u16x2 ((unsigned) x[i], (unsigned) up, 0x70007000u) & 0xffff);
}
