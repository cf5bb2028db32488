// SPDX-License-Identifier: LGPL-2.1-or-later
__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count) return;
  unsigned v = (unsigned) x[i];
  unsigned long long wide = (unsigned long long) v << 20 | 1;
  y[i] = (int) (__brev (v) >> 7) + __clz (x[i]) * 3 + __popcll (wide) * 5 + __ffs (x[i] & ~1) * 7 + __ffsll (wide) + __clzll (wide)
         + (int) __umulhi (v, 0xdeadbeefu) + (int) (__mul64hi ((long long) x[i] << 40, 1 << 20) & 0xffff) + (int) __funnelshift_l (v, ~v, 9)
         + __sad (x[i], 100, 3u) + __hadd (x[i], 7) + (int) __usad (v, 5u, 1u) + __mul24 (x[i], 3);
}
