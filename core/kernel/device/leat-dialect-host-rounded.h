/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Arithmetic that rounds down, up or towards zero, for a host C++ compiler.  Put before a text that names any of it,
 * behind leat-dialect-host-bits.h.
 *
 * The processor rounds to nearest, here as everywhere.  Of each result it is found out on which side of it the exact
 * one lies, and the neighbour on that side is taken where the rounding asks for it.  A side is the sign of a number. */

enum leat_rounding
{
  LEAT_ROUND_RD,
  LEAT_ROUND_RU,
  LEAT_ROUND_RZ
};

template <class T> struct leat_pattern;
template <> struct leat_pattern<float> { typedef unsigned int bits; };
template <> struct leat_pattern<double> { typedef unsigned long long bits; };

/* The number next to @x, which is not infinite in that direction. */
template <class T>
LEAT_INLINE T
leat_neighbour (T x, bool up)
{
  typedef typename leat_pattern<T>::bits bits;
  const bits sign = (bits) 1 << (8 * sizeof (T) - 1);

  if (x == 0)
    return leat_bits<T> ((bits) (up ? 1 : sign | 1));
  return leat_bits<T> ((bits) (leat_bits<bits> (x) + (up == (x > 0) ? 1 : (bits) -1)));
}

/* @x, rounded to nearest, as it is rounded otherwise where the exact result is on the side of @rest. */
template <leat_rounding R, class T, class S>
LEAT_INLINE T
leat_turned (T x, S rest)
{
  if ((R == LEAT_ROUND_RD || (R == LEAT_ROUND_RZ && x > 0)) && rest < 0)
    return leat_neighbour (x, false);
  if ((R == LEAT_ROUND_RU || (R == LEAT_ROUND_RZ && x < 0)) && rest > 0)
    return leat_neighbour (x, true);
  return x;
}

/* @sum of @a and @b; exactly 0 has a sign that depends on the rounding. */
template <leat_rounding R, class T>
LEAT_INLINE T
leat_signed_sum (T sum, bool is_zero, double a, double b)
{
  if (R == LEAT_ROUND_RD && is_zero)
    return (__builtin_signbit (a) | __builtin_signbit (b)) != 0 ? (T) -0.0 : (T) 0.0;
  return sum;
}

LEAT_INLINE double
leat_two_sum (double a, double b, double *rest)
{
  double sum = a + b, of_b = sum - a;

  *rest = (a - (sum - of_b)) + (b - of_b);
  return sum;
}

/* A float of @x and what it lacks, which is less than any double next to @x differs from it. */
template <leat_rounding R>
LEAT_INLINE float
leat_narrowed (double x, double lack)
{
  float y = (float) x;
  double rest = x - (double) y;

  return leat_turned<R> (y, rest != 0 ? rest : lack);
}

/* Of floats: their products are exact as doubles, whose sums come with what they lack. */
template <leat_rounding R>
LEAT_INLINE float
leat_sum_of (double a, double b)
{
  double rest, sum = leat_two_sum (a, b, &rest);

  return leat_signed_sum<R> (leat_narrowed<R> (sum, rest), sum == 0, a, b);
}
template <leat_rounding R>
LEAT_INLINE float
leat_sum (float a, float b)
{
  LEAT_KEEP (a);
  LEAT_KEEP (b);
  return leat_sum_of<R> (a, b);
}
template <leat_rounding R>
LEAT_INLINE float
leat_product (float a, float b)
{
  return leat_narrowed<R> ((double) a * b, 0);
}
template <leat_rounding R>
LEAT_INLINE float
leat_fused (float a, float b, float c)
{
  double product = (double) a * b;

  LEAT_KEEP (product);
  LEAT_KEEP (c);
  return leat_sum_of<R> (product, c);
}
template <leat_rounding R>
LEAT_INLINE float
leat_ratio (float a, float b)
{
  float q = a / b;
  double back = (double) q * b;
  int rest = (a > back) - (a < back);

  return leat_turned<R> (q, b < 0 ? -rest : rest);
}
template <leat_rounding R>
LEAT_INLINE float
leat_root (float a)
{
  float r = sqrtf (a);
  double back = (double) r * r;

  return leat_turned<R> (r, (a > back) - (a < back));
}

/* Of doubles.  A product lacks what fma () gives, where that is no smaller than the smallest number; else all is done
 * with numbers that are larger by powers of 2. */
#define LEAT_ROUNDED_SMALL 0x1p-900
#define LEAT_ROUNDED_SCALE 0x1p600

template <leat_rounding R>
LEAT_INLINE double
leat_sum (double a, double b)
{
  double sum, large, small;

  LEAT_KEEP (a);
  LEAT_KEEP (b);
  sum = a + b;
  large = fabs (a) < fabs (b) ? b : a;
  small = fabs (a) < fabs (b) ? a : b;
  return leat_signed_sum<R> (leat_turned<R> (sum, small - (sum - large)), sum == 0, a, b);
}

/* On which side of @r a * b lies. */
LEAT_INLINE double
leat_rest_of_product (double a, double b, double r)
{
  double large = fabs (a) < fabs (b) ? b : a, small = fabs (a) < fabs (b) ? a : b;

  if (fabs (r) >= LEAT_ROUNDED_SMALL || r != r)
    return fma (a, b, -r);
  small *= LEAT_ROUNDED_SCALE;
  r *= LEAT_ROUNDED_SCALE;
  if (fabs (large) < 0x1p-450)
    {
      large *= LEAT_ROUNDED_SCALE;
      r *= LEAT_ROUNDED_SCALE;
    }
  return fma (large, small, -r);
}
template <leat_rounding R>
LEAT_INLINE double
leat_product (double a, double b)
{
  double r = a * b;

  LEAT_KEEP (r);
  return leat_turned<R> (r, leat_rest_of_product (a, b, r));
}
template <leat_rounding R>
LEAT_INLINE double
leat_ratio (double a, double b)
{
  double q = a / b, scale = fabs (a) < LEAT_ROUNDED_SMALL ? LEAT_ROUNDED_SCALE : 1, rest = fma (-(q * scale), b, a * scale);

  return leat_turned<R> (q, b < 0 ? -rest : rest);
}
template <leat_rounding R>
LEAT_INLINE double
leat_root (double a)
{
  double r = sqrt (a), scale = a < LEAT_ROUNDED_SMALL ? 0x1p300 : 1;

  return leat_turned<R> (r, fma (-(r * scale), r * scale, a * scale * scale));
}

/* The sign of the sum of @a, @b, @c and @d: each is added to a list of numbers of which none reaches the next one. */
LEAT_INLINE double
leat_side_of (double a, double b, double c, double d)
{
  double given[4] = { a, b, c, d }, parts[4];

  for (int i = 0; i < 4; i++)
    {
      double sum = given[i];

      for (int k = 0; k < i; k++)
        sum = leat_two_sum (sum, parts[k], &parts[k]);
      parts[i] = sum;
    }
  return parts[3] != 0 ? parts[3] : parts[2] != 0 ? parts[2] : parts[1] != 0 ? parts[1] : parts[0];
}

/* On which side of @r a * b + c lies, where sizes differ widely: each number is brought to 1, or the smaller summand
 * only says the side. */
static __attribute__ ((noinline)) double
leat_rest_of_fused (double a, double b, double c, double r)
{
  int of_product, of_c, most;
  double product, lack;

  if (r - r != 0) /* infinite, which is too much where no number was, or no number */
    return (a - a) + (b - b) + (c - c) == 0 ? -r : 0;
  if (a == 0 || b == 0)
    return 0;
  if (c == 0)
    return leat_rest_of_product (a, b, r);
  of_product = ilogb (a) + ilogb (b);
  of_c = ilogb (c);
  if (of_c - of_product > 120)
    return (a < 0) == (b < 0) ? 1 : -1;
  most = of_c > of_product ? of_c : of_product;
  a = ldexp (a, -ilogb (a));
  b = ldexp (b, -ilogb (b));
  product = a * b;
  LEAT_KEEP (product);
  lack = fma (a, b, -product);
  if (of_product - of_c > 120)
    {
      double rest = fma (a, b, -ldexp (r, -of_product));

      return rest != 0 ? rest : c;
    }
  return leat_side_of (ldexp (lack, of_product - most), ldexp (product, of_product - most), ldexp (c, -most),
                       -ldexp (r, -most));
}
template <leat_rounding R>
LEAT_INLINE double
leat_fused (double a, double b, double c)
{
  double r = fma (a, b, c), product, rest;

  LEAT_KEEP (c);
  product = a * b;
  LEAT_KEEP (product);
  if (fabs (product) >= LEAT_ROUNDED_SMALL && fabs (product) < 0x1p1000 && fabs (c) < 0x1p1000
      && (fabs (c) >= LEAT_ROUNDED_SMALL || c == 0))
    rest = leat_side_of (fma (a, b, -product), product, c, -r);
  else
    rest = leat_rest_of_fused (a, b, c, r);
  return leat_signed_sum<R> (leat_turned<R> (r, rest), r == 0 && rest == 0, product, c);
}
#undef LEAT_ROUNDED_SMALL
#undef LEAT_ROUNDED_SCALE
