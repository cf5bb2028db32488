// SPDX-License-Identifier: LGPL-2.1-or-later
/* Several numbers in a word. */
__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count) return;
  unsigned a = (unsigned) x[i] * 0x9e3779b1u, b = a ^ 0x0180ff7fu;
  unsigned sums = __vaddus4 (a, b), gaps = __vabsdiffu4 (a, b), masks = __vcmpgtu4 (a, b), halves = __vmaxs2 (a, b);
  y[i] = (int) (sums + gaps * 3 + (masks & 0x01020304) + halves) + __dp4a ((int) a, (int) b, 5) + (int) __byte_perm (a, b, 0x6240);
}
