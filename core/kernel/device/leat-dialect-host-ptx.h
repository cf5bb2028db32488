/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What leat-kernel-ptx.c makes of PTX in `asm`, for a host C++ compiler: a function for each instruction, whose types are
 * arguments of the template.  Behind leat-dialect-host-directed.h and leat-dialect-host-lanes.h.
 *
 * A register is a variable of its size.  A number goes from one to another as its bits where only one of the two is for
 * floating point, else as the number that it is. */

template <class T, class V>
LEAT_INLINE T
leat_ptx_as (V v)
{
  if constexpr (sizeof (T) == sizeof (V) && leat_is_real<T>::value != leat_is_real<V>::value)
    return leat_bits<T> (v);
  else
    return (T) v;
}
template <class V>
struct leat_ptx_value
{
  V v;

  template <class T> LEAT_MEMBER operator T () const { return leat_ptx_as<T> (v); }
};
template <class V> LEAT_INLINE leat_ptx_value<V> leat_ptx_of (V v) { return { v }; }
template <class R, class P> LEAT_INLINE R leat_ptx_get (P *p) { return (R) (uintptr_t) p; }
template <class R, class V> LEAT_INLINE R leat_ptx_get (V v) { return leat_ptx_as<R> (v); }
template <class P, class V> LEAT_INLINE void leat_ptx_set (P *&to, V v) { to = (P *) (uintptr_t) v; }
template <class T, class V> LEAT_INLINE void leat_ptx_set (T &to, V v) { to = leat_ptx_as<T> (v); }

/* .ftz: numbers too small for all their digits count as 0. */
template <class V> LEAT_INLINE V leat_ptx_flush (V v) { return v; }
LEAT_INLINE float leat_ptx_flush (float x) { return fabsf (x) < 0x1p-126f ? copysignf (0, x) : x; }
template <class V> LEAT_INLINE V leat_ptx_flush (V v, V cut) { return fabs (cut) < 0x1p-126f ? copysign ((V) 0, v) : v; }
/* .sat */
template <class V> LEAT_INLINE V leat_ptx_limit (V v) { return !(v > 0) ? (V) 0 : v > 1 ? (V) 1 : v; }

template <class T> struct leat_ptx_wide;
template <> struct leat_ptx_wide<short> { typedef int type; };
template <> struct leat_ptx_wide<unsigned short> { typedef unsigned int type; };
template <> struct leat_ptx_wide<int> { typedef long long type; };
template <> struct leat_ptx_wide<unsigned int> { typedef unsigned long long type; };
template <> struct leat_ptx_wide<long long> { typedef __int128 type; };
template <> struct leat_ptx_wide<unsigned long long> { typedef unsigned __int128 type; };

#define LEAT_PTX1(name, result) template <class T> LEAT_INLINE T leat_ptx_##name (T a) { return (T) (result); }
#define LEAT_PTX2(name, result) template <class T> LEAT_INLINE T leat_ptx_##name (T a, T b) { return (T) (result); }
#define LEAT_PTX3(name, result) template <class T> LEAT_INLINE T leat_ptx_##name (T a, T b, T c) { return (T) (result); }

/* Whole numbers, and what other types have too. */
LEAT_PTX1 (mov, a)
LEAT_PTX1 (cvta, a)
LEAT_PTX2 (add, a + b)
LEAT_PTX2 (sub, a - b)
LEAT_PTX2 (mul, a * b)
LEAT_PTX2 (mul_lo, a * b)
template <class T> LEAT_INLINE typename leat_ptx_wide<T>::type leat_ptx_mul_wide (T a, T b) { return (typename leat_ptx_wide<T>::type) a * b; }
LEAT_PTX2 (mul_hi, leat_ptx_mul_wide<T> (a, b) >> 8 * sizeof (T))
LEAT_PTX3 (mad_lo, a * b + c)
LEAT_PTX3 (mad_hi, leat_ptx_mul_hi<T> (a, b) + c)
template <class T>
LEAT_INLINE typename leat_ptx_wide<T>::type
leat_ptx_mad_wide (T a, T b, typename leat_ptx_wide<T>::type c)
{
  return leat_ptx_mul_wide<T> (a, b) + c;
}
LEAT_PTX2 (div, leat_quotient (a, b))
LEAT_PTX2 (rem, leat_rest (a, b))
LEAT_PTX2 (min, min (a, b))
LEAT_PTX2 (max, max (a, b))
template <class T>
LEAT_INLINE T
leat_ptx_abs (T a)
{
  if constexpr (leat_is_real<T>::value)
    return fabs (a);
  else
    return a < 0 ? (T) -a : a;
}
LEAT_PTX1 (neg, -a)
LEAT_PTX2 (and, a & b)
LEAT_PTX2 (or, a | b)
LEAT_PTX2 (xor, a ^ b)
template <class T> LEAT_INLINE T leat_ptx_not (T a) { return (T) ~a; }
template <> LEAT_MEMBER bool leat_ptx_not<bool> (bool a) { return !a; }
LEAT_PTX1 (cnot, a == 0)
template <class T> LEAT_INLINE T leat_ptx_shl (T a, unsigned int n) { return n < 8 * sizeof (T) ? (T) (a << n) : (T) 0; }
template <class T> LEAT_INLINE T leat_ptx_shr (T a, unsigned int n) { return n < 8 * sizeof (T) ? (T) (a >> n) : a < 0 ? (T) -1 : (T) 0; }
LEAT_PTX3 (sad, c + (a > b ? a - b : b - a))
template <class T> LEAT_INLINE T leat_ptx_selp (T a, T b, bool p) { return p ? a : b; }
template <class T> LEAT_INLINE int leat_ptx_popc (T a) { return __builtin_popcountll (a); }
template <class T> LEAT_INLINE int leat_ptx_clz (T a) { return sizeof (T) == 8 ? __clzll ((long long) a) : __clz ((int) a); }
LEAT_PTX1 (brev, sizeof (T) == 8 ? __brevll (a) : __brev ((unsigned int) a))
template <class T>
LEAT_INLINE unsigned int
leat_ptx_bfind (T a)
{
  T bits = a < 0 ? (T) ~a : a;

  return bits == 0 ? 0xffffffffu : 63 - (unsigned int) __builtin_clzll ((unsigned long long) bits);
}
template <class T>
LEAT_INLINE T
leat_ptx_bfe (T a, unsigned int at, unsigned int n)
{
  const unsigned int width = 8 * sizeof (T);
  unsigned int first = at & 255, count = n & 255, last = first + count > width ? width : first + count;

  if (count == 0 || first >= width)
    return count == 0 || a >= 0 ? (T) 0 : (T) -1;
  return (T) ((T) (a << (width - last)) >> (width - last)) >> first;
}
template <class T>
LEAT_INLINE T
leat_ptx_bfi (T a, T b, unsigned int at, unsigned int n)
{
  const unsigned int width = 8 * sizeof (T);
  unsigned int first = at & 255, count = n & 255;
  T mask = count >= width ? (T) -1 : (T) (((T) 1 << count) - 1);

  return first >= width ? b : (T) ((b & ~(mask << first)) | (a & mask) << first);
}
template <class T>
LEAT_INLINE unsigned int
leat_ptx_prmt (unsigned int a, unsigned int b, unsigned int s)
{
  unsigned int r = __byte_perm (a, b, s & 0x7777);

  for (int i = 0; i < 4; i++)
    if (s >> (4 * i) & 8)
      r = (r & ~(255u << (8 * i))) | (r >> (8 * i) & 0x80 ? 255u << (8 * i) : 0);
  return r;
}
LEAT_PTX3 (shf_l_wrap, __funnelshift_l (a, b, c))
LEAT_PTX3 (shf_l_clamp, __funnelshift_lc (a, b, c))
LEAT_PTX3 (shf_r_wrap, __funnelshift_r (a, b, c))
LEAT_PTX3 (shf_r_clamp, __funnelshift_rc (a, b, c))
template <class T>
LEAT_INLINE unsigned int
leat_ptx_lop3 (unsigned int a, unsigned int b, unsigned int c, unsigned int table)
{
  unsigned int r = 0;

  for (unsigned int i = 0; i < 8; i++)
    if (table >> i & 1)
      r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return r;
}

/* Floating point. */
#define LEAT_PTX_REAL(of_float, of_double) sizeof (T) == 4 ? (T) (of_float) : (T) (of_double)
#define LEAT_PTX_ROUNDED(way)                                                                                          \
  LEAT_PTX2 (add_##way, LEAT_PTX_REAL (__fadd_##way ((float) a, (float) b), __dadd_##way (a, b)))                      \
  LEAT_PTX2 (sub_##way, LEAT_PTX_REAL (__fsub_##way ((float) a, (float) b), __dsub_##way (a, b)))                      \
  LEAT_PTX2 (mul_##way, LEAT_PTX_REAL (__fmul_##way ((float) a, (float) b), __dmul_##way (a, b)))                      \
  LEAT_PTX2 (div_##way, LEAT_PTX_REAL (__fdiv_##way ((float) a, (float) b), __ddiv_##way (a, b)))                      \
  LEAT_PTX1 (rcp_##way, LEAT_PTX_REAL (__frcp_##way ((float) a), __drcp_##way (a)))                                    \
  LEAT_PTX1 (sqrt_##way, LEAT_PTX_REAL (__fsqrt_##way ((float) a), __dsqrt_##way (a)))                                 \
  LEAT_PTX3 (fma_##way, LEAT_PTX_REAL (__fmaf_##way ((float) a, (float) b, (float) c), __fma_##way (a, b, c)))
LEAT_PTX_ROUNDED (rn)
LEAT_PTX_ROUNDED (rd)
LEAT_PTX_ROUNDED (ru)
LEAT_PTX_ROUNDED (rz)
#undef LEAT_PTX_ROUNDED
#undef LEAT_PTX_REAL
LEAT_PTX2 (div_approx, __fdividef (a, b))
LEAT_PTX2 (div_full, a / b)
LEAT_PTX1 (rcp_approx, 1 / a)
LEAT_PTX1 (sqrt_approx, sqrt (a))
LEAT_PTX1 (rsqrt_approx, 1 / sqrt (a))
LEAT_PTX1 (ex2_approx, exp2 (a))
LEAT_PTX1 (lg2_approx, log2 (a))
LEAT_PTX1 (sin_approx, sin (a))
LEAT_PTX1 (cos_approx, cos (a))
LEAT_PTX1 (tanh_approx, tanh (a))
LEAT_PTX2 (copysign, copysign (b, a))
#undef LEAT_PTX1
#undef LEAT_PTX2
#undef LEAT_PTX3

/* Comparisons. */
#define LEAT_PTX_COMPARE(name, result) template <class T> LEAT_INLINE bool leat_ptx_setp_##name (T a, T b) { return result; }
LEAT_PTX_COMPARE (eq, a == b)
LEAT_PTX_COMPARE (ne, (a < b) | (a > b))
LEAT_PTX_COMPARE (lt, a < b)
LEAT_PTX_COMPARE (le, a <= b)
LEAT_PTX_COMPARE (gt, a > b)
LEAT_PTX_COMPARE (ge, a >= b)
LEAT_PTX_COMPARE (lo, a < b)
LEAT_PTX_COMPARE (ls, a <= b)
LEAT_PTX_COMPARE (hi, a > b)
LEAT_PTX_COMPARE (hs, a >= b)
LEAT_PTX_COMPARE (equ, !((a < b) | (a > b)))
LEAT_PTX_COMPARE (neu, a != b)
LEAT_PTX_COMPARE (ltu, !(a >= b))
LEAT_PTX_COMPARE (leu, !(a > b))
LEAT_PTX_COMPARE (gtu, !(a <= b))
LEAT_PTX_COMPARE (geu, !(a < b))
LEAT_PTX_COMPARE (num, (a == a) & (b == b))
LEAT_PTX_COMPARE (nan, (a != a) | (b != b))
#undef LEAT_PTX_COMPARE
