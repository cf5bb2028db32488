/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Functions of float within a bound, and fast ones.  See functions.h. */

#include "functions.h"

#ifdef __CUDACC__
__device__ float
sincos_sin_of (float a)
{
  float s, c;

  sincosf (a, &s, &c);
  return s;
}

__device__ float
sincos_cos_of (float a)
{
  float s, c;

  sincos (a, &s, &c);
  return c;
}

__device__ float
sincospi_sin_of (float a)
{
  float s, c;

  sincospif (a, &s, &c);
  return s;
}

__device__ float
sincospi_cos_of (float a)
{
  float s, c;

  sincospi (a, &s, &c);
  return c;
}

__device__ float
norm_of (float a, float b, float c)
{
  float all[5] = { a, b, c, a, b };

  return normf (5, all);
}

__device__ float
rnorm_of (float a, float b, float c)
{
  float all[5] = { a, b, c, a, b };

  return rnormf (5, all);
}

__device__ float
fast_sin_of (float a)
{
  float s, c;

  __sincosf (a, &s, &c);
  return s;
}

__device__ float
fast_cos_of (float a)
{
  float s, c;

  __sincosf (a, &s, &c);
  return c;
}
#endif

NEAR1 (float, 2, 0, 1e37f, rsqrtf)
NEAR1_AS (rsqrt_f, float, 2, 0, 1e37f, rsqrt (a))
NEAR1 (float, 1, -1e37f, 1e37f, cbrtf)
NEAR1_AS (cbrt_f, float, 1, -1e37f, 1e37f, cbrt (a))
NEAR1 (float, 1, -1e37f, 1e37f, rcbrtf)
NEAR1_AS (rcbrt_f, float, 1, -1e37f, 1e37f, rcbrt (a))
NEAR1 (float, 2, -100, 100, expf)
NEAR1_AS (exp_f, float, 2, -100, 100, exp (a))
NEAR1 (float, 2, -150, 150, exp2f)
NEAR1_AS (exp2_f, float, 2, -150, 150, exp2 (a))
NEAR1 (float, 2, -44, 44, exp10f)
NEAR1_AS (exp10_f, float, 2, -44, 44, exp10 (a))
NEAR1 (float, 1, -20, 80, expm1f)
NEAR1_AS (expm1_f, float, 1, -20, 80, expm1 (a))
NEAR1 (float, 1, 0, 1e37f, logf)
NEAR1_AS (log_f, float, 1, 0, 1e37f, log (a))
NEAR1 (float, 1, 0, 1e37f, log2f)
NEAR1_AS (log2_f, float, 1, 0, 1e37f, log2 (a))
NEAR1 (float, 2, 0, 1e37f, log10f)
NEAR1_AS (log10_f, float, 2, 0, 1e37f, log10 (a))
NEAR1 (float, 1, -1, 1e37f, log1pf)
NEAR1_AS (log1p_f, float, 1, -1, 1e37f, log1p (a))
NEAR1 (float, 2, -100000.0, 100000.0, sinf)
NEAR1_AS (sin_f, float, 2, -100000.0, 100000.0, sin (a))
NEAR1 (float, 2, -100000.0, 100000.0, cosf)
NEAR1_AS (cos_f, float, 2, -100000.0, 100000.0, cos (a))
NEAR1 (float, 4, -100000.0, 100000.0, tanf)
NEAR1_AS (tan_f, float, 4, -100000.0, 100000.0, tan (a))
NEAR1 (float, 1, -1000, 1000, sinpif)
NEAR1_AS (sinpi_f, float, 1, -1000, 1000, sinpi (a))
NEAR1 (float, 1, -1000, 1000, cospif)
NEAR1_AS (cospi_f, float, 1, -1000, 1000, cospi (a))
NEAR1 (float, 2, -1, 1, asinf)
NEAR1_AS (asin_f, float, 2, -1, 1, asin (a))
NEAR1 (float, 2, -1, 1, acosf)
NEAR1_AS (acos_f, float, 2, -1, 1, acos (a))
NEAR1 (float, 2, -1000, 1000, atanf)
NEAR1_AS (atan_f, float, 2, -1000, 1000, atan (a))
NEAR1 (float, 3, -88, 88, sinhf)
NEAR1_AS (sinh_f, float, 3, -88, 88, sinh (a))
NEAR1 (float, 2, -88, 88, coshf)
NEAR1_AS (cosh_f, float, 2, -88, 88, cosh (a))
NEAR1 (float, 2, -10, 10, tanhf)
NEAR1_AS (tanh_f, float, 2, -10, 10, tanh (a))
NEAR1 (float, 3, -1e37f, 1e37f, asinhf)
NEAR1_AS (asinh_f, float, 3, -1e37f, 1e37f, asinh (a))
NEAR1 (float, 4, 1, 1e37f, acoshf)
NEAR1_AS (acosh_f, float, 4, 1, 1e37f, acosh (a))
NEAR1 (float, 3, -1, 1, atanhf)
NEAR1_AS (atanh_f, float, 3, -1, 1, atanh (a))
NEAR1 (float, 2, -4, 4, erff)
NEAR1_AS (erf_f, float, 2, -4, 4, erf (a))
NEAR1 (float, 4, -4, 10, erfcf)
NEAR1_AS (erfc_f, float, 4, -4, 10, erfc (a))
NEAR1 (float, 4, -9, 100, erfcxf)
NEAR1_AS (erfcx_f, float, 4, -9, 100, erfcx (a))
NEAR1 (float, 2, -1, 1, erfinvf)
NEAR1_AS (erfinv_f, float, 2, -1, 1, erfinv (a))
NEAR1 (float, 4, 0, 2, erfcinvf)
NEAR1_AS (erfcinv_f, float, 4, 0, 2, erfcinv (a))
NEAR1 (float, 5, -14, 5, normcdff)
NEAR1_AS (normcdf_f, float, 5, -14, 5, normcdf (a))
NEAR1 (float, 5, 0, 1, normcdfinvf)
NEAR1_AS (normcdfinv_f, float, 5, 0, 1, normcdfinv (a))
NEAR1 (float, 5, -30, 35, tgammaf)
NEAR1_AS (tgamma_f, float, 5, -30, 35, tgamma (a))
NEAR1 (float, 6, 0, 1000, lgammaf)
NEAR1_AS (lgamma_f, float, 6, 0, 1000, lgamma (a))
FAST1 (float, 9, -8, 8, j0f)
FAST1_AS (j0_f, float, 9, -8, 8, j0 (a))
FAST1 (float, 9, -8, 8, j1f)
FAST1_AS (j1_f, float, 9, -8, 8, j1 (a))
NEAR1 (float, 6, -88, 88, cyl_bessel_i0f)
NEAR1_AS (cyl_bessel_i0_f, float, 6, -88, 88, cyl_bessel_i0 (a))
NEAR1 (float, 6, -88, 88, cyl_bessel_i1f)
NEAR1_AS (cyl_bessel_i1_f, float, 6, -88, 88, cyl_bessel_i1 (a))
CLOSE1 (float, 2e-6, 0.1, 8, y0f)
CLOSE1_AS (y0_f, float, 2e-6, 0.1, 8, y0 (a))
CLOSE1 (float, 4e-6, 0.1, 8, y1f)
CLOSE1_AS (y1_f, float, 4e-6, 0.1, 8, y1 (a))
CLOSE1_AS (j0f_far, float, 2.2e-6, 8, 1000, j0f (a))
CLOSE1_AS (j1f_far, float, 2.2e-6, 8, 1000, j1f (a))
CLOSE1_AS (y0f_far, float, 2.2e-6, 8, 1000, y0f (a))
CLOSE1_AS (y1f_far, float, 2.2e-6, 8, 1000, y1f (a))
CLOSE1_AS (jnf_3, float, 2.2e-6, 1, 100, jnf (3, a))
CLOSE1_AS (jn_3_f, float, 2.2e-6, 1, 100, jn (3, a))
CLOSE1_AS (ynf_3, float, 2.2e-6, 1, 100, ynf (3, a))
CLOSE1_AS (yn_3_f, float, 2.2e-6, 1, 100, yn (3, a))
NEAR2 (float, 3, -100, 100, atan2f)
NEAR2_AS (atan2_f, float, 3, -100, 100, atan2 (a, b))
NEAR2 (float, 3, -1e37f, 1e37f, hypotf)
NEAR2_AS (hypot_f, float, 3, -1e37f, 1e37f, hypot (a, b))
NEAR2_AS (powf, float, 4, -20, 20, powf (fabsf (a), b))
NEAR2_AS (powf_whole, float, 4, -20, 20, powf (a, rintf (b)))
NEAR2_AS (pow_f, float, 4, -20, 20, pow (fabsf (a), b))
NEAR2 (float, 2, -1e37f, 1e37f, rhypotf)
NEAR3_AS (norm3df, float, 3, -1e37f, 1e37f, norm3df (a, b, c))
NEAR3_AS (norm4df, float, 3, -1e37f, 1e37f, norm4df (a, b, c, a * (float) 0.5))
NEAR3_AS (normf, float, 3, -1e37f, 1e37f, norm_of (a, b, c))
NEAR3_AS (rnorm3df, float, 2, -1e37f, 1e37f, rnorm3df (a, b, c))
NEAR3_AS (rnorm4df, float, 2, -1e37f, 1e37f, rnorm4df (a, b, c, a * (float) 0.5))
NEAR3_AS (rnormf, float, 2, -1e37f, 1e37f, rnorm_of (a, b, c))
NEAR1_AS (sincosf_sin, float, 2, -1000, 1000, sincos_sin_of (a))
NEAR1_AS (sincosf_cos, float, 2, -1000, 1000, sincos_cos_of (a))
NEAR1_AS (sincospif_sin, float, 2, -1000, 1000, sincospi_sin_of (a))
NEAR1_AS (sincospif_cos, float, 2, -1000, 1000, sincospi_cos_of (a))
CLOSE1 (float, 0x1p-21, -3.14f, 3.14f, __sinf)
CLOSE1 (float, 0x1p-21, -3.14f, 3.14f, __cosf)
CLOSE1 (float, 0x1p-19, -1, 1, __tanf)
FAST1 (float, 40, -30, 30, __expf)
FAST1 (float, 80, -30, 30, __exp10f)
FAST1 (float, 3, 2, 1e37f, __logf)
FAST1 (float, 3, 2, 1e37f, __log2f)
FAST1 (float, 3, 2, 1e37f, __log10f)
CLOSE1_AS (__logf_near_1, float, 0x1p-21, 0.5f, 2, __logf (a))
CLOSE1_AS (__log2f_near_1, float, 0x1p-21, 0.5f, 2, __log2f (a))
CLOSE1_AS (__log10f_near_1, float, 0x1p-21, 0.5f, 2, __log10f (a))
FAST2_AS (__powf, float, 80, 1, 8, __powf (a, b))
FAST2 (float, 2, 1e-30f, 1e30f, __fdividef)
FAST2 (float, 2, -1e18f, 1e18f, fdividef)
FAST1 (float, 8192, -10, 10, __tanhf)
CLOSE1_AS (__sincosf_sin, float, 0x1p-21, -3.14f, 3.14f, fast_sin_of (a))
CLOSE1_AS (__sincosf_cos, float, 0x1p-21, -3.14f, 3.14f, fast_cos_of (a))
