/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's mathematics beyond what C has, for a host C++ compiler: norms, Bessel functions, what inverts or scales the
 * error function.  Put before a text that names any of them, behind leat-dialect-host-math.h.
 *
 * All is worked out with more digits than the result has, so that only the last rounding is seen. */

extern "C"
{
  long double expl (long double);
  long double logl (long double);
  long double sqrtl (long double);
  long double erfl (long double);
  long double erfcl (long double);
  long double jnl (int, long double);
  long double ynl (int, long double);
  double remquo (double, double, int *);
  float remquof (float, float, int *);
  double scalbln (double, long);
  float scalblnf (float, long);
}

/* name (), namef () and name () for float, of a function for double. */
#define LEAT_SPECIAL(name)                                                                                     \
  LEAT_INLINE double name (double x) { return (double) leat_##name ((long double) x); }                                          \
  LEAT_INLINE float name##f (float x) { return (float) leat_##name ((long double) x); }                                          \
  LEAT_INLINE float name (float x) { return name##f (x); }

/* What C has, with CUDA's overloads. */
LEAT_INLINE float remquo (float x, float y, int *q) { return remquof (x, y, q); }
LEAT_INLINE float scalbln (float x, long n) { return scalblnf (x, n); }
LEAT_INLINE double jn (int n, double x) { return (double) jnl (n, x); }
LEAT_INLINE double yn (int n, double x) { return (double) ynl (n, x); }
LEAT_INLINE float jnf (int n, float x) { return (float) jnl (n, x); }
LEAT_INLINE float ynf (int n, float x) { return (float) ynl (n, x); }
LEAT_INLINE float jn (int n, float x) { return jnf (n, x); }
LEAT_INLINE float yn (int n, float x) { return ynf (n, x); }
LEAT_INLINE double nan (const char *) { return __builtin_nan (""); }
LEAT_INLINE float nanf (const char *) { return __builtin_nanf (""); }
LEAT_INLINE double fdivide (double x, double y) { return x / y; }
LEAT_INLINE float __tanhf (float x) { return tanhf (x); }
LEAT_INLINE void sincospi (double x, double *s, double *c) { *s = sinpi (x), *c = cospi (x); }
LEAT_INLINE void sincospi (float x, float *s, float *c) { sincospif (x, s, c); }

/* The names that C libraries have for themselves. */
LEAT_INLINE int __finitef (float x) { return __builtin_isfinite (x); }
LEAT_INLINE int __finite (double x) { return __builtin_isfinite (x); }
LEAT_INLINE int __finitel (long double x) { return __builtin_isfinite (x); }
LEAT_INLINE int __isinff (float x) { return __builtin_isinf (x); }
LEAT_INLINE int __isinf (double x) { return __builtin_isinf (x); }
LEAT_INLINE int __isinfl (long double x) { return __builtin_isinf (x); }
LEAT_INLINE int __isnanf (float x) { return __builtin_isnan (x); }
LEAT_INLINE int __isnan (double x) { return __builtin_isnan (x); }
LEAT_INLINE int __isnanl (long double x) { return __builtin_isnan (x); }
LEAT_INLINE int __signbitf (float x) { return __builtin_signbit (x) != 0; }
LEAT_INLINE int __signbit (double x) { return __builtin_signbit (x) != 0; }
LEAT_INLINE int __signbitl (long double x) { return __builtin_signbit (x) != 0; }

/* Norms.  Squares of the wider type neither overflow nor vanish; an infinite coordinate counts more than NaN. */
template <class W, class T>
LEAT_INLINE W
leat_norm (int n, const T *p)
{
  W sum = 0;
  bool infinite = false;

  for (int i = 0; i < n; i++)
    {
      sum += (W) p[i] * (W) p[i];
      infinite = infinite || __builtin_isinf (p[i]);
    }
  return infinite ? (W) __builtin_huge_val () : sum;
}
LEAT_INLINE double norm (int n, const double *p) { return (double) sqrtl (leat_norm<long double> (n, p)); }
LEAT_INLINE double rnorm (int n, const double *p) { return (double) (1 / sqrtl (leat_norm<long double> (n, p))); }
LEAT_INLINE float normf (int n, const float *p) { return (float) sqrt (leat_norm<double> (n, p)); }
LEAT_INLINE float rnormf (int n, const float *p) { return (float) (1 / sqrt (leat_norm<double> (n, p))); }
#define LEAT_NORM(T, f, way, n, params, ...)                                                                           \
  LEAT_INLINE T way##norm##n##d##f params                                                                              \
  {                                                                                                                    \
    const T p[n] = { __VA_ARGS__ };                                                                                    \
                                                                                                                       \
    return way##norm##f (n, p);                                                                                        \
  }
LEAT_NORM (double, , , 3, (double a, double b, double c), a, b, c)
LEAT_NORM (double, , r, 3, (double a, double b, double c), a, b, c)
LEAT_NORM (double, , , 4, (double a, double b, double c, double d), a, b, c, d)
LEAT_NORM (double, , r, 4, (double a, double b, double c, double d), a, b, c, d)
LEAT_NORM (float, f, , 3, (float a, float b, float c), a, b, c)
LEAT_NORM (float, f, r, 3, (float a, float b, float c), a, b, c)
LEAT_NORM (float, f, , 4, (float a, float b, float c, float d), a, b, c, d)
LEAT_NORM (float, f, r, 4, (float a, float b, float c, float d), a, b, c, d)
#undef LEAT_NORM
LEAT_INLINE double
rhypot (double x, double y)
{
  const double p[2] = { x, y };

  return rnorm (2, p);
}
LEAT_INLINE float
rhypotf (float x, float y)
{
  const float p[2] = { x, y };

  return rnormf (2, p);
}
LEAT_INLINE float rhypot (float x, float y) { return rhypotf (x, y); }

#define LEAT_SQRT_PI 1.772453850905516027298167483341145183L

/* exp (x^2) erfc (x); of large numbers, by its series in 1 / x. */
static __attribute__ ((noinline)) long double
leat_erfcx (long double x)
{
  long double term = 1, sum = 1;

  if (!(x >= 25))
    return expl (x * x) * erfcl (x);
  for (int k = 1; k < 20; k++)
    {
      term *= -(2 * k - 1) / (2 * x * x);
      sum += term;
    }
  return sum / (x * LEAT_SQRT_PI);
}
LEAT_SPECIAL (erfcx)

/* A first guess (Winitzki's) for what has the error function @y, 1 - y^2 being @rest. */
static long double
leat_guess_erfinv (long double rest)
{
  const long double a = 0.147L, log = logl (rest), half = 2 / (3.14159265358979323846L * a) + log / 2;

  return sqrtl (sqrtl (half * half - log / a) - half);
}

/* The number above 0 whose erfc () is @y, at most 1/2: Newton's steps for its logarithm, which is close to a parabola. */
static long double
leat_erfcinv_tail (long double y)
{
  long double x = leat_guess_erfinv (y * (2 - y));

  for (int i = 0; i < 5; i++)
    {
      long double at = erfcl (x);

      x += (logl (at) - logl (y)) * at * LEAT_SQRT_PI / 2 * expl (x * x);
    }
  return x;
}

/* The number whose erf () is @y, between -1/2 and 1/2: Halley's steps. */
static long double
leat_erfinv_middle (long double y)
{
  long double x = leat_guess_erfinv (1 - y * y);

  if (__builtin_fabsl (y) < 1e-9L)
    return y * LEAT_SQRT_PI / 2;
  x = y < 0 ? -x : x;
  for (int i = 0; i < 4; i++)
    {
      long double step = (erfl (x) - y) * LEAT_SQRT_PI / 2 * expl (x * x);

      x -= step / (1 + x * step);
    }
  return x;
}

/* Of 1 - y too, which may have digits that @y has not. */
static long double
leat_erfinv_of (long double y, long double rest)
{
  if (rest == 0)
    return __builtin_huge_vall ();
  return rest < 0.5L ? leat_erfcinv_tail (rest) : leat_erfinv_middle (y);
}
static __attribute__ ((noinline)) long double
leat_erfinv (long double y)
{
  if (!(y >= -1 && y <= 1))
    return __builtin_nanl ("");
  return y < 0 ? -leat_erfinv_of (-y, 1 + y) : y > 0 ? leat_erfinv_of (y, 1 - y) : y;
}
static __attribute__ ((noinline)) long double
leat_erfcinv (long double y)
{
  if (!(y >= 0 && y <= 2))
    return __builtin_nanl ("");
  return y > 1 ? -leat_erfinv_of (y - 1, 2 - y) : leat_erfinv_of (1 - y, y);
}
static long double
leat_normcdfinv (long double y)
{
  return -1.414213562373095048801688724209698079L * leat_erfcinv (2 * y);
}
LEAT_SPECIAL (erfinv)
LEAT_SPECIAL (erfcinv)
LEAT_SPECIAL (normcdfinv)

/* The modified Bessel function of @order 0 or 1, of a number above 0: its series, or that in 1 / x. */
static __attribute__ ((noinline)) long double
leat_bessel_i (int order, long double x)
{
  long double term = 1, sum = 1;

  if (x > 1e4L)
    return __builtin_huge_vall ();
  if (x < 30)
    {
      for (int k = 1; k < 90; k++)
        {
          term *= x * x / 4 / ((long double) k * (k + order));
          sum += term;
        }
      return order == 0 ? sum : sum * x / 2;
    }
  for (int k = 1; k < 30; k++)
    {
      term *= ((2.0L * k - 1) * (2 * k - 1) - 4 * order) / (8 * k * x);
      sum += term;
    }
  return sum * (expl (x) / sqrtl (2 * 3.141592653589793238462643383279502884L * x));
}
static long double leat_cyl_bessel_i0 (long double x) { return leat_bessel_i (0, __builtin_fabsl (x)); }
static long double
leat_cyl_bessel_i1 (long double x)
{
  return x < 0 ? -leat_bessel_i (1, -x) : x > 0 ? leat_bessel_i (1, x) : x;
}
LEAT_SPECIAL (cyl_bessel_i0)
LEAT_SPECIAL (cyl_bessel_i1)
#undef LEAT_SPECIAL
#undef LEAT_SQRT_PI
