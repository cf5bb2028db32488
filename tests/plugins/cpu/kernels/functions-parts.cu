/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Functions of floating-point numbers whose results are exact.  See functions.h. */

#include "functions.h"

#ifdef __CUDACC__
#define PARTS(T, f)                                                                                                    \
  __device__ T frexp_of (T a)                                                                                          \
  {                                                                                                                    \
    int power;                                                                                                         \
    return frexp##f (a, &power);                                                                                       \
  }                                                                                                                    \
  __device__ int frexp_power_of (T a)                                                                                  \
  {                                                                                                                    \
    int power = 0;                                                                                                     \
    frexp (a, &power);                                                                                                 \
    return isfinite (a) ? power : 0;                                                                                   \
  }                                                                                                                    \
  __device__ T modf_of (T a)                                                                                           \
  {                                                                                                                    \
    T whole;                                                                                                           \
    return modf##f (a, &whole);                                                                                        \
  }                                                                                                                    \
  __device__ T modf_whole_of (T a)                                                                                     \
  {                                                                                                                    \
    T whole;                                                                                                           \
    modf (a, &whole);                                                                                                  \
    return whole;                                                                                                      \
  }                                                                                                                    \
  __device__ T remquo_of (T a, T b)                                                                                    \
  {                                                                                                                    \
    int bits;                                                                                                          \
    return remquo##f (a, b, &bits);                                                                                    \
  }                                                                                                                    \
  /* Three bits are promised, and the sign. */                                                                         \
  __device__ int remquo_bits_of (T a, T b)                                                                             \
  {                                                                                                                    \
    int bits = 0;                                                                                                      \
    remquo (a, b, &bits);                                                                                              \
    return isfinite (a) && !isnan (b) && b != 0 ? bits % 8 : 0;                                                        \
  }
PARTS (float, f)
PARTS (double, )
#endif

EXACT1 (float, float, ceilf)
EXACT1 (float, float, floorf)
EXACT1 (float, float, truncf)
EXACT1 (float, float, rintf)
EXACT1 (float, float, nearbyintf)
EXACT1 (float, float, roundf)
EXACT1 (float, float, fabsf)
EXACT1 (float, float, logbf)
EXACT1_AS (ceil_f, float, float, ceil (a))
EXACT1_AS (floor_f, float, float, floor (a))
EXACT1_AS (trunc_f, float, float, trunc (a))
EXACT1_AS (rint_f, float, float, rint (a))
EXACT1_AS (nearbyint_f, float, float, nearbyint (a))
EXACT1_AS (round_f, float, float, round (a))
EXACT1_AS (fabs_f, float, float, fabs (a))
EXACT1_AS (logb_f, float, float, logb (a))
EXACT1_AS (sqrt_f, float, float, sqrt (a))
EXACT1 (float, float, sqrtf)
EXACT1 (int, float, ilogbf)
EXACT1 (long long, float, lrintf)
EXACT1 (long long, float, llrintf)
EXACT1 (long long, float, lroundf)
EXACT1 (long long, float, llroundf)
EXACT1_AS (ilogb_f, int, float, ilogb (a))
EXACT1_AS (lrint_f, long long, float, lrint (a))
EXACT1_AS (llrint_f, long long, float, llrint (a))
EXACT1_AS (lround_f, long long, float, lround (a))
EXACT1_AS (llround_f, long long, float, llround (a))
EXACT1_AS (isnan_f, int, float, isnan (a) != 0)
EXACT1_AS (isinf_f, int, float, isinf (a) != 0)
EXACT1_AS (isfinite_f, int, float, isfinite (a) != 0)
EXACT1_AS (signbit_f, int, float, signbit (a) != 0)
EXACT1_AS (__finitef, int, float, __finitef (a) != 0)
EXACT1_AS (__isnanf, int, float, __isnanf (a) != 0)
EXACT1_AS (__isinff, int, float, __isinff (a) != 0)
EXACT1_AS (__signbitf, int, float, __signbitf (a) != 0)
EXACT2 (float, float, float, copysignf)
EXACT2_AS (copysign_f, float, float, float, copysign (a, b))
EXACT2 (float, float, float, fdimf)
EXACT2_AS (fdim_f, float, float, float, fdim (a, b))
EXACT2 (float, float, float, fmaxf)
EXACT2_AS (fmax_f, float, float, float, fmax (a, b))
EXACT2 (float, float, float, fminf)
EXACT2_AS (fmin_f, float, float, float, fmin (a, b))
EXACT2 (float, float, float, fmodf)
EXACT2_AS (fmod_f, float, float, float, fmod (a, b))
EXACT2 (float, float, float, nextafterf)
EXACT2_AS (nextafter_f, float, float, float, nextafter (a, b))
EXACT2 (float, float, float, remainderf)
EXACT2_AS (remainder_f, float, float, float, remainder (a, b))
EXACT3 (float, float, float, float, fmaf)
EXACT3_AS (fma_f, float, float, float, float, fma (a, b, c))
EXACT2_AS (ldexpf, float, float, int, ldexpf (a, b % 2500))
EXACT2_AS (ldexp_f, float, float, int, ldexp (a, b % 2500))
EXACT2_AS (scalbnf, float, float, int, scalbnf (a, b % 2500))
EXACT2_AS (scalbn_f, float, float, int, scalbn (a, b % 2500))
EXACT2_AS (scalblnf, float, float, long long, scalblnf (a, (long) b))
EXACT2_AS (scalbln_f, float, float, long long, scalbln (a, (long) b))
EXACT1_AS (frexpf, float, float, frexp_of (a))
EXACT1_AS (frexp_powerf, int, float, frexp_power_of (a))
EXACT1_AS (modff, float, float, modf_of (a))
EXACT1_AS (modf_wholef, float, float, modf_whole_of (a))
EXACT2_AS (remquof, float, float, float, remquo_of (a, b))
EXACT2_AS (remquo_bitsf, int, float, float, remquo_bits_of (a, b))
EXACT1 (double, double, ceil)
EXACT1 (double, double, floor)
EXACT1 (double, double, trunc)
EXACT1 (double, double, rint)
EXACT1 (double, double, nearbyint)
EXACT1 (double, double, round)
EXACT1 (double, double, fabs)
EXACT1 (double, double, logb)
EXACT1 (double, double, sqrt)
EXACT1 (int, double, ilogb)
EXACT1 (long long, double, lrint)
EXACT1 (long long, double, llrint)
EXACT1 (long long, double, lround)
EXACT1 (long long, double, llround)
EXACT1_AS (isnan_d, int, double, isnan (a) != 0)
EXACT1_AS (isinf_d, int, double, isinf (a) != 0)
EXACT1_AS (isfinite_d, int, double, isfinite (a) != 0)
EXACT1_AS (signbit_d, int, double, signbit (a) != 0)
EXACT1_AS (__finite, int, double, __finite (a) != 0)
EXACT1_AS (__isnan, int, double, __isnan (a) != 0)
EXACT1_AS (__isinf, int, double, __isinf (a) != 0)
EXACT1_AS (__signbit, int, double, __signbit (a) != 0)
EXACT2 (double, double, double, copysign)
EXACT2 (double, double, double, fdim)
EXACT2 (double, double, double, fmax)
EXACT2 (double, double, double, fmin)
EXACT2 (double, double, double, fmod)
EXACT2 (double, double, double, nextafter)
EXACT2 (double, double, double, remainder)
EXACT3 (double, double, double, double, fma)
EXACT2_AS (ldexp, double, double, int, ldexp (a, b % 2500))
EXACT2_AS (scalbn, double, double, int, scalbn (a, b % 2500))
EXACT2_AS (scalbln, double, double, long long, scalbln (a, (long) b))
EXACT1_AS (frexp, double, double, frexp_of (a))
EXACT1_AS (frexp_power, int, double, frexp_power_of (a))
EXACT1_AS (modf, double, double, modf_of (a))
EXACT1_AS (modf_whole, double, double, modf_whole_of (a))
EXACT2_AS (remquo, double, double, double, remquo_of (a, b))
EXACT2_AS (remquo_bits, int, double, double, remquo_bits_of (a, b))
EXACT2_AS (copysign_fd, double, float, double, copysign (a, b))
EXACT2_AS (copysign_df, double, double, float, copysign (a, b))
EXACT1 (float, float, __saturatef)
EXACT1_AS (nan, double, int, nan (a % 2 ? "1" : ""))
EXACT1_AS (nanf, float, int, nanf (a % 2 ? "1" : ""))
