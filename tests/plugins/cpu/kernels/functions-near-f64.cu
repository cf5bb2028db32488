/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Functions of double within a bound.  See functions.h. */

#include "functions.h"

#ifdef __CUDACC__
__device__ double
sincos_sin_of (double a)
{
  double s, c;

  sincos (a, &s, &c);
  return s;
}

__device__ double
sincos_cos_of (double a)
{
  double s, c;

  sincos (a, &s, &c);
  return c;
}

__device__ double
sincospi_sin_of (double a)
{
  double s, c;

  sincospi (a, &s, &c);
  return s;
}

__device__ double
sincospi_cos_of (double a)
{
  double s, c;

  sincospi (a, &s, &c);
  return c;
}

__device__ double
norm_of (double a, double b, double c)
{
  double all[5] = { a, b, c, a, b };

  return norm (5, all);
}

__device__ double
rnorm_of (double a, double b, double c)
{
  double all[5] = { a, b, c, a, b };

  return rnorm (5, all);
}
#endif

NEAR1 (double, 1, 0, 1e300, rsqrt)
NEAR1 (double, 1, -1e300, 1e300, cbrt)
NEAR1 (double, 1, -1e300, 1e300, rcbrt)
NEAR1 (double, 1, -740, 740, exp)
NEAR1 (double, 1, -1070, 1070, exp2)
NEAR1 (double, 1, -320, 320, exp10)
NEAR1 (double, 1, -40, 700, expm1)
NEAR1 (double, 1, 0, 1e300, log)
NEAR1 (double, 1, 0, 1e300, log2)
NEAR1 (double, 1, 0, 1e300, log10)
NEAR1 (double, 1, -1, 1e300, log1p)
NEAR1 (double, 2, -100000.0, 100000.0, sin)
NEAR1 (double, 2, -100000.0, 100000.0, cos)
NEAR1 (double, 2, -100000.0, 100000.0, tan)
NEAR1 (double, 2, -1000, 1000, sinpi)
NEAR1 (double, 2, -1000, 1000, cospi)
NEAR1 (double, 2, -1, 1, asin)
NEAR1 (double, 2, -1, 1, acos)
NEAR1 (double, 2, -1000, 1000, atan)
NEAR1 (double, 2, -700, 700, sinh)
NEAR1 (double, 1, -700, 700, cosh)
NEAR1 (double, 1, -10, 10, tanh)
NEAR1 (double, 3, -1e300, 1e300, asinh)
NEAR1 (double, 3, 1, 1e300, acosh)
NEAR1 (double, 2, -1, 1, atanh)
NEAR1 (double, 2, -4, 4, erf)
NEAR1 (double, 5, -5, 27, erfc)
NEAR1 (double, 4, -26, 100, erfcx)
NEAR1 (double, 5, -1, 1, erfinv)
NEAR1 (double, 6, 0, 2, erfcinv)
NEAR1 (double, 5, -37, 5, normcdf)
NEAR1 (double, 8, 0, 1, normcdfinv)
NEAR1 (double, 10, -100, 170, tgamma)
NEAR1 (double, 4, 0, 1000, lgamma)
FAST1 (double, 7, -8, 8, j0)
FAST1 (double, 7, -8, 8, j1)
NEAR1 (double, 6, -700, 700, cyl_bessel_i0)
NEAR1 (double, 6, -700, 700, cyl_bessel_i1)
CLOSE1 (double, 1e-14, 0.1, 8, y0)
CLOSE1 (double, 1e-13, 0.1, 8, y1)
CLOSE1_AS (j0_far, double, 5e-12, 8, 1000, j0 (a))
CLOSE1_AS (j1_far, double, 5e-12, 8, 1000, j1 (a))
CLOSE1_AS (y0_far, double, 5e-12, 8, 1000, y0 (a))
CLOSE1_AS (y1_far, double, 5e-12, 8, 1000, y1 (a))
CLOSE1_AS (jn_3, double, 5e-12, 1, 100, jn (3, a))
CLOSE1_AS (yn_3, double, 5e-12, 1, 100, yn (3, a))
NEAR2 (double, 2, -100, 100, atan2)
NEAR2 (double, 2, -1e300, 1e300, hypot)
NEAR2_AS (pow, double, 2, -50, 50, pow (fabs (a), b))
NEAR2_AS (pow_whole, double, 2, -50, 50, pow (a, rint (b)))
NEAR2 (double, 1, -1e300, 1e300, rhypot)
NEAR3_AS (norm3d, double, 2, -1e300, 1e300, norm3d (a, b, c))
NEAR3_AS (norm4d, double, 2, -1e300, 1e300, norm4d (a, b, c, a * (double) 0.5))
NEAR3_AS (norm, double, 2, -1e300, 1e300, norm_of (a, b, c))
NEAR3_AS (rnorm3d, double, 1, -1e300, 1e300, rnorm3d (a, b, c))
NEAR3_AS (rnorm4d, double, 1, -1e300, 1e300, rnorm4d (a, b, c, a * (double) 0.5))
NEAR3_AS (rnorm, double, 1, -1e300, 1e300, rnorm_of (a, b, c))
NEAR1_AS (sincos_sin, double, 2, -1000, 1000, sincos_sin_of (a))
NEAR1_AS (sincos_cos, double, 2, -1000, 1000, sincos_cos_of (a))
NEAR1_AS (sincospi_sin, double, 2, -1000, 1000, sincospi_sin_of (a))
NEAR1_AS (sincospi_cos, double, 2, -1000, 1000, sincospi_cos_of (a))
NEAR2 (double, 1, -1e100, 1e100, fdivide)
