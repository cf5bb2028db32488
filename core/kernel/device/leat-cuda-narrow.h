/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What <cuda_fp16.h>, <cuda_bf16.h> and <cuda_fp8.h> have in common for a host C++ compiler: conversions to whole numbers, those
 * that do not round to the nearest, and sums that are rounded once.  Behind leat-numbers.h. */

/* Cut to the range of W.  A NaN is 0, or of 64 bits the highest of them. */
template <class W>
LEAT_INLINE W
leat_whole (float v)
{
  const bool has_sign = (W) -1 < (W) 0;
  const int bits = 8 * (int) sizeof (W) - has_sign;
  const W most = has_sign ? (W) (((unsigned long long) 1 << bits) - 1) : (W) -1, least = has_sign ? (W) (-most - 1) : (W) 0;
  const float end = bits == 64 ? 0x1p64f : (float) ((unsigned long long) 1 << (bits % 64));

  if (v != v)
    return sizeof (W) == 8 ? (W) ((unsigned long long) 1 << 63) : (W) 0;
  return v >= end ? most : v <= (has_sign ? -end : 0.0f) ? least : (W) v;
}

/* A whole number as a double that is on the same side of all numbers of 50 bits or fewer. */
LEAT_INLINE double leat_near (double v) { return v; }
LEAT_INLINE double leat_near (float v) { return v; }
LEAT_INLINE double leat_near (int v) { return v; }
LEAT_INLINE double leat_near (unsigned int v) { return v; }
LEAT_INLINE double
leat_near (unsigned long long v)
{
  return (double) (v >> 52 != 0 ? (v & ~0xfffull) | (v & 0xfff ? 0x1000 : 0) : v);
}
LEAT_INLINE double
leat_near (long long v)
{
  return v < 0 ? -leat_near (0 - (unsigned long long) v) : leat_near ((unsigned long long) v);
}

/* The bits of a float of 16 bits with so many of exponent and fraction: cut off where @way is 0, else up or down. */
template <int exponent_bits, int fraction_bits, class V>
LEAT_INLINE unsigned short
leat_directed (V from, int way)
{
  const int least = 2 - (1 << (exponent_bits - 1));
  const unsigned int infinite = ((1u << exponent_bits) - 1) << fraction_bits;
  double v = leat_near (from), size = fabs (v), whole;
  unsigned int sign = __builtin_signbit (v) ? 0x8000u : 0, bits;
  bool is_up = sign ? way < 0 : way > 0;
  int exponent;

  if (v != v)
    return 0x7fff;
  if (size == 0 || size - size != 0)
    return (unsigned short) (sign | (size == 0 ? 0 : infinite));
  exponent = (int) (__double2hiint (size) >> 20) - 1023;
  if (exponent > -least + 1)
    return (unsigned short) (sign | (is_up ? infinite : infinite - 1));
  exponent = exponent < least ? least : exponent;
  size = ldexp (size, fraction_bits - exponent);
  whole = trunc (size);
  bits = ((unsigned int) (exponent - least) << fraction_bits) + (unsigned int) whole + (is_up && whole != size);
  return (unsigned short) (sign | bits);
}

/* a * b + c, where the product is exact: rounded to odd, for a rounding to fewer bits. */
LEAT_INLINE double
leat_fused (double a, double b, double c)
{
  double product = a * b, sum = product + c, back = sum - product, error = (product - (sum - back)) + (c - back);
  unsigned long long bits = (unsigned long long) __double_as_longlong (sum);

  if (error == 0 || sum - sum != 0)
    return sum;
  return __longlong_as_double ((long long) ((bits - ((error > 0) != (sum > 0))) | 1));
}

#define LEAT_FROM_WHOLE(T, make)                                                                                       \
  LEAT_MEMBER T (short v) : __x (make (v)) {}                                                                          \
  LEAT_MEMBER T (unsigned short v) : __x (make (v)) {}                                                                 \
  LEAT_MEMBER T (int v) : __x (make (v)) {}                                                                            \
  LEAT_MEMBER T (unsigned int v) : __x (make (v)) {}                                                                   \
  LEAT_MEMBER T (long v) : __x (make (v)) {}                                                                           \
  LEAT_MEMBER T (unsigned long v) : __x (make (v)) {}                                                                  \
  LEAT_MEMBER T (long long v) : __x (make (v)) {}                                                                      \
  LEAT_MEMBER T (unsigned long long v) : __x (make (v)) {}

#define LEAT_TO_WHOLE(how, read)                                                                                       \
  LEAT_MEMBER how operator signed char () const { return leat_whole<signed char> (read (__x)); }                       \
  LEAT_MEMBER how operator unsigned char () const { return leat_whole<unsigned char> (read (__x)); }                   \
  LEAT_MEMBER how operator char () const { return leat_whole<char> (read (__x)); }                                     \
  LEAT_MEMBER how operator short () const { return leat_whole<short> (read (__x)); }                                   \
  LEAT_MEMBER how operator unsigned short () const { return leat_whole<unsigned short> (read (__x)); }                 \
  LEAT_MEMBER how operator int () const { return leat_whole<int> (read (__x)); }                                       \
  LEAT_MEMBER how operator unsigned int () const { return leat_whole<unsigned int> (read (__x)); }                     \
  LEAT_MEMBER how operator long () const { return leat_whole<long> (read (__x)); }                                     \
  LEAT_MEMBER how operator unsigned long () const { return leat_whole<unsigned long> (read (__x)); }                   \
  LEAT_MEMBER how operator long long () const { return leat_whole<long long> (read (__x)); }                           \
  LEAT_MEMBER how operator unsigned long long () const { return leat_whole<unsigned long long> (read (__x)); }
