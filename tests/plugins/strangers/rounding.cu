// SPDX-License-Identifier: LGPL-2.1-or-later
/* A quotient, a sum and a square root from both sides; an exact one has the same on both. */
__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count) return;
  float v = (float) x[i], below = __fdiv_rd (v, 3.0f), above = __fdiv_ru (v, 3.0f);
  double root = __dsqrt_ru ((double) (x[i] & 0xffff)) - __dsqrt_rd ((double) (x[i] & 0xffff));
  int gap = __float_as_int (above) - __float_as_int (below);
  y[i] = gap + 4 * (root > 0) + 8 * __float2int_rd (v * 0.25f) + __float2int_ru (v * 0.25f) + __double2int_rz (v / 7.0)
         + (__fadd_rz (1.0f, 1e-9f) == 1.0f ? 100 : 0) + (__fadd_ru (1.0f, 1e-9f) == 1.0f ? 1000 : 0);
}
