// SPDX-License-Identifier: LGPL-2.1-or-later
static __device__ __forceinline__ unsigned lane_id ()
{
  unsigned r;
  asm volatile ("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}
#define BFE(to, from, at, n) asm ("bfe.u32 %0, %1, %2, %3;" : "=r"(to) : "r"(from), "r"(at), "r"(n))

/* 64 by 32 bits, the middle of it. */
__device__ unsigned middle (unsigned lo, unsigned hi, unsigned by)
{
  unsigned low, mid, high;
  asm ("{\n\t"
       ".reg .u32 t;\n\t"
       "mul.lo.u32 %0, %3, %5;\n\t"
       "mul.hi.u32 t, %3, %5; // carried on\n\t"
       "mad.lo.cc.u32 %1, %4, %5, t;\n\t"
       "madc.hi.u32 %2, %4, %5, 0;\n\t"
       "}"
       : "=&r"(low), "=&r"(mid), "=r"(high) : "r"(lo), "r"(hi), "r"(by));
  return mid ^ low ^ high;
}

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, picked;
  unsigned bits;

  if (i >= x_count) return;
  BFE (bits, (unsigned) x[i], 3, 7);
  asm ("{ .reg .pred p; setp.lt.s32 p, %1, 0; selp.b32 %0, %2, %3, p; }" : "=r"(picked) : "r"(x[i]), "r"(-1), "r"(1));
  asm ("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(bits) : "r"(x[i]), "n"(0x55));
  y[i] = (int) (bits + middle (x[i], (unsigned) x[i] * 77u, 0x10003u)) + picked + (int) (lane_id () - threadIdx.x % 32);
}
