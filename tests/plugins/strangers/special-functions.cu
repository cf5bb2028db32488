// SPDX-License-Identifier: LGPL-2.1-or-later
/* In double, and kept to what no last bit changes. */
__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count) return;
  double v = (x[i] % 1000) * 0.01 + 0.001234, s, c;
  sincos (v, &s, &c);
  double sum = erf (v) + cbrt (v) + s * c + hypot (v, 3.0) + log1p (v * v) + normcdf (v * 0.1) + rsqrt (v * v + 1) + exp2 (v * 0.1)
               + sinpi (v) + fma (v, v, 0.5) + tgamma (2.5 + v * v * 0.01) + copysign (1.5, v) + fmod (v, 0.7);
  y[i] = (int) floor (sum * 4096);
}
