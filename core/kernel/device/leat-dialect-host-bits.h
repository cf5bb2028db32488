/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's intrinsics for bits and for the bits of numbers, on the CPU.  Behind leat-dialect-host-math.h. */

template <class To, class From>
LEAT_INLINE To
leat_bits (From from)
{
  To to;

  static_assert (sizeof (To) == sizeof (From), "bits of another size");
  __builtin_memcpy (&to, &from, sizeof to);
  return to;
}
LEAT_INLINE int __float_as_int (float x) { return leat_bits<int> (x); }
LEAT_INLINE unsigned int __float_as_uint (float x) { return leat_bits<unsigned int> (x); }
LEAT_INLINE float __int_as_float (int x) { return leat_bits<float> (x); }
LEAT_INLINE float __uint_as_float (unsigned int x) { return leat_bits<float> (x); }
LEAT_INLINE long long __double_as_longlong (double x) { return leat_bits<long long> (x); }
LEAT_INLINE double __longlong_as_double (long long x) { return leat_bits<double> (x); }
LEAT_INLINE int __double2hiint (double x) { return (int) (leat_bits<unsigned long long> (x) >> 32); }
LEAT_INLINE int __double2loint (double x) { return (int) leat_bits<unsigned long long> (x); }
LEAT_INLINE double
__hiloint2double (int hi, int lo)
{
  return leat_bits<double> ((unsigned long long) (unsigned int) hi << 32 | (unsigned int) lo);
}

/* Integers. */
LEAT_INLINE int __popc (unsigned int x) { return __builtin_popcount (x); }
LEAT_INLINE int __popcll (unsigned long long x) { return __builtin_popcountll (x); }
LEAT_INLINE int __clz (int x) { return x ? __builtin_clz ((unsigned int) x) : 32; }
LEAT_INLINE int __clzll (long long x) { return x ? __builtin_clzll ((unsigned long long) x) : 64; }
LEAT_INLINE int __ffs (int x) { return __builtin_ffs (x); }
LEAT_INLINE int __ffsll (long long x) { return __builtin_ffsll (x); }
LEAT_INLINE unsigned int
__brev (unsigned int x)
{
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32 (x);
}
LEAT_INLINE unsigned long long
__brevll (unsigned long long x)
{
  return (unsigned long long) __brev ((unsigned int) x) << 32 | __brev ((unsigned int) (x >> 32));
}
LEAT_INLINE unsigned int
__byte_perm (unsigned int x, unsigned int y, unsigned int s)
{
  unsigned long long both = (unsigned long long) y << 32 | x;
  unsigned int r = 0;

  for (int i = 0; i < 4; i++) /* the fourth bit of a selector says nothing */
    {
      unsigned int pick = s >> (4 * i) & 7;
      r |= ((unsigned int) (both >> (8 * pick)) & 0xff) << (8 * i);
    }
  return r;
}
LEAT_INLINE unsigned int
__funnelshift_l (unsigned int lo, unsigned int hi, unsigned int n)
{
  return (unsigned int) (((unsigned long long) hi << 32 | lo) << (n & 31) >> 32);
}
LEAT_INLINE unsigned int
__funnelshift_r (unsigned int lo, unsigned int hi, unsigned int n)
{
  return (unsigned int) (((unsigned long long) hi << 32 | lo) >> (n & 31));
}
LEAT_INLINE unsigned int
__funnelshift_lc (unsigned int lo, unsigned int hi, unsigned int n)
{
  return n >= 32 ? lo : __funnelshift_l (lo, hi, n);
}
LEAT_INLINE unsigned int
__funnelshift_rc (unsigned int lo, unsigned int hi, unsigned int n)
{
  return n >= 32 ? hi : __funnelshift_r (lo, hi, n);
}
LEAT_INLINE int __mul24 (int x, int y) { return (int) ((unsigned int) (x << 8 >> 8) * (unsigned int) (y << 8 >> 8)); }
LEAT_INLINE unsigned int __umul24 (unsigned int x, unsigned int y) { return (x & 0xffffff) * (y & 0xffffff); }
LEAT_INLINE int __mulhi (int x, int y) { return (int) ((long long) x * y >> 32); }
LEAT_INLINE unsigned int
__umulhi (unsigned int x, unsigned int y)
{
  return (unsigned int) ((unsigned long long) x * y >> 32);
}
LEAT_INLINE long long __mul64hi (long long x, long long y) { return (long long) ((__int128) x * y >> 64); }
LEAT_INLINE unsigned long long
__umul64hi (unsigned long long x, unsigned long long y)
{
  return (unsigned long long) ((unsigned __int128) x * y >> 64);
}
LEAT_INLINE int __hadd (int x, int y) { return (int) (((long long) x + y) >> 1); }
LEAT_INLINE int __rhadd (int x, int y) { return (int) (((long long) x + y + 1) >> 1); }
LEAT_INLINE unsigned int
__uhadd (unsigned int x, unsigned int y)
{
  return (unsigned int) (((unsigned long long) x + y) >> 1);
}
LEAT_INLINE unsigned int
__urhadd (unsigned int x, unsigned int y)
{
  return (unsigned int) (((unsigned long long) x + y + 1) >> 1);
}
LEAT_INLINE unsigned int
__sad (int x, int y, unsigned int z)
{
  return z + (x > y ? (unsigned int) x - (unsigned int) y : (unsigned int) y - (unsigned int) x);
}
LEAT_INLINE unsigned int __usad (unsigned int x, unsigned int y, unsigned int z) { return z + (x > y ? x - y : y - x); }
LEAT_INLINE int
__dp4a (int a, int b, int c)
{
  for (int i = 0; i < 32; i += 8)
    c += (int) (signed char) (a >> i) * (signed char) (b >> i);
  return c;
}
LEAT_INLINE unsigned int
__dp4a (unsigned int a, unsigned int b, unsigned int c)
{
  for (int i = 0; i < 32; i += 8)
    c += (a >> i & 0xff) * (b >> i & 0xff);
  return c;
}
