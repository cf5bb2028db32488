// SPDX-License-Identifier: LGPL-2.1-or-later
union Word { int i; unsigned int u; struct { unsigned short lo, hi; } half; unsigned char bytes[4]; };
struct Packed { unsigned a : 5, b : 11; signed c : 16; };

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  Word w;
  w.i = x[i];
  unsigned short t = w.half.lo;
  w.half.lo = w.half.hi;
  w.half.hi = t;
  w.bytes[1] ^= 0x5a;
  Packed p = { w.u & 31, (w.u >> 5) & 2047, -7 };
  p.c += (int) p.a;
  y[i] = (int) (w.u ^ (p.b << 8)) + p.c;
}
