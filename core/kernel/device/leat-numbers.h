/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Floats of 16 and 8 bits as the bits that they are stored as, and the way to and from `float`.  Put before a text that has
 * `#include <leat-numbers.h>`, on both sides.  All give what CUDA's conversions give, bit by bit:
 *
 *   to f16, bf16        to the nearest, to even of two; what is too large is infinite; a NaN is 0x7fff
 *   to f8e4m3, f8e5m2   likewise, but what is too large, infinity too, is the greatest there is; a NaN is 0x7f
 *   from f16, f8        a NaN is 0x7fffffff
 *   from bf16           its bits, and 16 zeros behind them
 *
 * A GPU has instructions for them, from some compute capability on; all else is arithmetic of integers. */

#ifdef LEAT_HOST
#define LEAT_NUMBER static inline __attribute__ ((always_inline))
#else
#define LEAT_NUMBER static __device__ __forceinline__
#endif

/* A processor that has instructions has them for clang as __fp16, and for others as _Float16. */
#if defined(LEAT_HOST) && (defined(__F16C__) || defined(__aarch64__))
#ifdef __clang__
typedef __fp16 leat_half_of_host;
#else
typedef _Float16 leat_half_of_host;
#endif
#define LEAT_HAS_HOST_HALF 1
#endif

/* Whether a float is none is asked of its bits: a compiler that knows a float to be that of a half would compare halves,
 * one by one. */
LEAT_NUMBER bool
leat_is_nan (float x)
{
  return (__float_as_uint (x) & 0x7fffffffu) > 0x7f800000u;
}

LEAT_NUMBER float
leat_from_f16 (uint16_t x)
{
#if defined(LEAT_CUDA)
  float f;

  asm ("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x));
  return (x & 0x7fffu) > 0x7c00u ? __uint_as_float (0x7fffffffu) : f;
#elif defined(LEAT_HAS_HOST_HALF)
  leat_half_of_host half;

  __builtin_memcpy (&half, &x, sizeof half);
  return __uint_as_float ((x & 0x7fffu) > 0x7c00u ? 0x7fffffffu : __float_as_uint ((float) half));
#else
  uint32_t size = x & 0x7fffu, sign = (uint32_t) (x & 0x8000u) << 16;
  uint32_t normal = (size << 13) + 0x38000000u, small = __float_as_uint ((float) (int) size * 0x1p-24f);
  uint32_t special = size > 0x7c00u ? 0x7fffffffu : 0x7f800000u;
  uint32_t bits = size >= 0x7c00u ? special : size < 0x400u ? small : normal;

  return __uint_as_float (size > 0x7c00u ? bits : bits | sign);
#endif
}

LEAT_NUMBER float
leat_from_bf16 (uint16_t x)
{
  return __uint_as_float ((uint32_t) x << 16);
}

LEAT_NUMBER float
leat_from_f8e5m2 (uint8_t x)
{
  return leat_from_f16 ((uint16_t) (x << 8));
}

LEAT_NUMBER float
leat_from_f8e4m3 (uint8_t x)
{
  uint32_t size = x & 0x7fu, sign = (uint32_t) (x & 0x80u) << 24;
  uint32_t normal = (size << 20) + 0x3c000000u, small = __float_as_uint ((float) (int) size * 0x1p-9f);

  return __uint_as_float (size == 0x7fu ? 0x7fffffffu : (size < 8 ? small : normal) | sign);
}

LEAT_NUMBER uint16_t
leat_to_f16 (float x)
{
#if defined(LEAT_CUDA)
  uint16_t half;

  asm ("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
  return leat_is_nan (x) ? 0x7fff : half;
#elif defined(LEAT_HAS_HOST_HALF)
  leat_half_of_host half = (leat_half_of_host) x;
  uint16_t bits;

  __builtin_memcpy (&bits, &half, sizeof bits);
  return leat_is_nan (x) ? 0x7fff : bits;
#else
  /* What is added to small ones leaves as many bits of them as there are. */
  uint32_t bits = __float_as_uint (x), size = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
  uint32_t normal = (size + 0xfffu + (size >> 13 & 1) - 0x38000000u) >> 13;
  uint32_t small = __float_as_uint (__uint_as_float (size) + 0.5f) - 0x3f000000u;
  uint32_t half = size >= 0x47800000u ? 0x7c00u : size < 0x38800000u ? small : normal;

  return (uint16_t) (size > 0x7f800000u ? 0x7fffu : half | sign);
#endif
}

LEAT_NUMBER uint16_t
leat_to_bf16 (float x)
{
  uint32_t bits = __float_as_uint (x);

  return (uint16_t) (leat_is_nan (x) ? 0x7fffu : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

/* @most: bits of the greatest float that is not cut to it; @normal: of the least that has all bits of precision; @bits: of the
 * fraction that there are; @magic: what leaves those of the smaller ones. */
LEAT_NUMBER uint8_t
leat_to_f8 (float x, uint32_t most, uint8_t greatest, uint32_t normal, uint32_t bits, float magic)
{
  uint32_t all = __float_as_uint (x), size = all & 0x7fffffffu, shift = 23 - bits, sign = all >> 24 & 0x80u;
  uint32_t large = (size + (1u << (shift - 1)) - 1 + (size >> shift & 1) - (normal - (1u << 23))) >> shift;
  uint32_t small = __float_as_uint (__uint_as_float (size) + magic) - __float_as_uint (magic);
  uint32_t eight = size >= most ? greatest : size < normal ? small : large;

  return (uint8_t) (size > 0x7f800000u ? 0x7fu : eight | sign);
}

LEAT_NUMBER uint8_t
leat_to_f8e4m3 (float x)
{
#if defined(LEAT_CUDA) && __CUDA_ARCH__ >= 890
  uint16_t pair;

  asm ("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(pair) : "f"(x), "f"(0.0f));
  return (uint8_t) (leat_is_nan (x) ? 0x7f : pair);
#else
  return leat_to_f8 (x, 0x43e00000u, 0x7e, 0x3c800000u, 3, 0x1p14f);
#endif
}

LEAT_NUMBER uint8_t
leat_to_f8e5m2 (float x)
{
#if defined(LEAT_CUDA) && __CUDA_ARCH__ >= 890
  uint16_t pair;

  asm ("cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;" : "=h"(pair) : "f"(x), "f"(0.0f));
  return (uint8_t) (leat_is_nan (x) ? 0x7f : pair);
#else
  return leat_to_f8 (x, 0x47600000u, 0x7b, 0x38800000u, 2, 0x1p7f);
#endif
}

/* A number of more bits goes by a float that is rounded to odd: its last bit says whether anything was lost, so that the
 * second rounding gives what one alone would. */
LEAT_NUMBER float
leat_round_to_odd (double x)
{
  float near = (float) x;
  uint32_t bits = __float_as_uint (near);
  bool is_above = fabs ((double) near) > fabs (x);

  return (double) near == x || x != x ? near : __uint_as_float ((bits - is_above) | 1);
}

LEAT_NUMBER float
leat_round_to_odd (unsigned long long x)
{
  uint64_t lost = x >> 40 != 0 ? 0xffff : 0;

  return leat_round_to_odd ((double) ((x & ~lost) | ((x & lost) != 0 ? lost + 1 : 0)));
}

LEAT_NUMBER float
leat_round_to_odd (long long x)
{
  float size = leat_round_to_odd (x < 0 ? 0 - (unsigned long long) x : (unsigned long long) x);

  return x < 0 ? -size : size;
}

LEAT_NUMBER float leat_round_to_odd (float x) { return x; }
LEAT_NUMBER float leat_round_to_odd (int x) { return leat_round_to_odd ((double) x); }
LEAT_NUMBER float leat_round_to_odd (unsigned int x) { return leat_round_to_odd ((double) x); }
LEAT_NUMBER float leat_round_to_odd (long x) { return leat_round_to_odd ((long long) x); }
LEAT_NUMBER float leat_round_to_odd (unsigned long x) { return leat_round_to_odd ((unsigned long long) x); }

#define LEAT_TO(R, name)                                                                                               \
  template <class T> LEAT_NUMBER R name (T x)                                                                          \
  {                                                                                                                    \
    return name (leat_round_to_odd (x));                                                                               \
  }
LEAT_TO (uint16_t, leat_to_f16)
LEAT_TO (uint16_t, leat_to_bf16)
LEAT_TO (uint8_t, leat_to_f8e4m3)
LEAT_TO (uint8_t, leat_to_f8e5m2)
#undef LEAT_TO
