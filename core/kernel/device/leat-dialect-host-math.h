/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's arithmetic for a host C++ compiler: the C mathematics library with CUDA's overloads, and the intrinsics.  The
 * names for fast, less exact versions are the exact ones here. */

#define LEAT_MATH1(name)                                                                                               \
  extern "C" double name (double);                                                                                     \
  extern "C" float name##f (float);                                                                                    \
  LEAT_INLINE float name (float x)                                                                                     \
  {                                                                                                                    \
    return name##f (x);                                                                                                \
  }
#define LEAT_MATH2(name)                                                                                               \
  extern "C" double name (double, double);                                                                             \
  extern "C" float name##f (float, float);                                                                             \
  LEAT_INLINE float name (float x, float y)                                                                            \
  {                                                                                                                    \
    return name##f (x, y);                                                                                             \
  }

LEAT_MATH1 (sin) LEAT_MATH1 (cos) LEAT_MATH1 (tan) LEAT_MATH1 (asin) LEAT_MATH1 (acos) LEAT_MATH1 (atan)
LEAT_MATH1 (sinh) LEAT_MATH1 (cosh) LEAT_MATH1 (tanh) LEAT_MATH1 (asinh) LEAT_MATH1 (acosh) LEAT_MATH1 (atanh)
LEAT_MATH1 (exp) LEAT_MATH1 (exp2) LEAT_MATH1 (exp10) LEAT_MATH1 (expm1)
LEAT_MATH1 (log) LEAT_MATH1 (log2) LEAT_MATH1 (log10) LEAT_MATH1 (log1p) LEAT_MATH1 (logb)
LEAT_MATH1 (sqrt) LEAT_MATH1 (cbrt) LEAT_MATH1 (erf) LEAT_MATH1 (erfc) LEAT_MATH1 (tgamma) LEAT_MATH1 (lgamma)
LEAT_MATH1 (floor) LEAT_MATH1 (ceil) LEAT_MATH1 (trunc) LEAT_MATH1 (round) LEAT_MATH1 (rint) LEAT_MATH1 (nearbyint)
LEAT_MATH1 (fabs)
LEAT_MATH2 (pow) LEAT_MATH2 (atan2) LEAT_MATH2 (fmod) LEAT_MATH2 (hypot)
LEAT_MATH2 (copysign) LEAT_MATH2 (remainder) LEAT_MATH2 (fdim) LEAT_MATH2 (nextafter)
#undef LEAT_MATH1
#undef LEAT_MATH2

/* With more digits than the result has: those of C are wrong by many of the last places near a zero. */
#define LEAT_BESSEL(name)                                                                                              \
  extern "C" long double name##l (long double);                                                                        \
  LEAT_INLINE double name (double x) { return (double) name##l (x); }                                                  \
  LEAT_INLINE float name##f (float x) { return (float) name##l (x); }                                                  \
  LEAT_INLINE float name (float x) { return name##f (x); }
LEAT_BESSEL (j0) LEAT_BESSEL (j1) LEAT_BESSEL (y0) LEAT_BESSEL (y1)
#undef LEAT_BESSEL

/* -0 is less than 0, as on a GPU, and a number goes before NaN.  The C library's say of two zeros what they like, which is
 * another one where a compiler has turned them around. */
#define LEAT_EXTREMES(T, f, s)                                                                                         \
  LEAT_INLINE T fmin##f (T a, T b)                                                                                     \
  {                                                                                                                    \
    return (a < b) | (b != b) | ((a == b) & (__builtin_signbit##s (a) != 0)) ? a : b;                                  \
  }                                                                                                                    \
  LEAT_INLINE T fmax##f (T a, T b)                                                                                     \
  {                                                                                                                    \
    return (a > b) | (b != b) | ((a == b) & (__builtin_signbit##s (a) == 0)) ? a : b;                                  \
  }
LEAT_EXTREMES (float, f, f) LEAT_EXTREMES (float, , f) LEAT_EXTREMES (double, , )
#undef LEAT_EXTREMES

extern "C"
{
  double fma (double, double, double);
  float fmaf (float, float, float);
  double ldexp (double, int);
  float ldexpf (float, int);
  double scalbn (double, int);
  float scalbnf (float, int);
  double frexp (double, int *);
  float frexpf (float, int *);
  double modf (double, double *);
  float modff (float, float *);
  int ilogb (double);
  int ilogbf (float);
  long double erfcl (long double);
  void *memcpy (void *, const void *, size_t);
  void *memmove (void *, const void *, size_t);
  void *memset (void *, int, size_t);
  int memcmp (const void *, const void *, size_t);
}

LEAT_INLINE float fma (float a, float b, float c) { return fmaf (a, b, c); }
LEAT_INLINE float ldexp (float x, int e) { return ldexpf (x, e); }
LEAT_INLINE float scalbn (float x, int e) { return scalbnf (x, e); }
LEAT_INLINE float frexp (float x, int *e) { return frexpf (x, e); }
LEAT_INLINE float modf (float x, float *i) { return modff (x, i); }
LEAT_INLINE float rsqrtf (float x) { return 1.0f / sqrtf (x); }
LEAT_INLINE double rsqrt (double x) { return 1.0 / sqrt (x); }
LEAT_INLINE float rsqrt (float x) { return rsqrtf (x); }
LEAT_INLINE float rcbrtf (float x) { return 1.0f / cbrtf (x); }
LEAT_INLINE double rcbrt (double x) { return 1.0 / cbrt (x); }
LEAT_INLINE float fdividef (float x, float y) { return x / y; }
LEAT_INLINE double
sinpi (double x)
{
  double r = x - 2 * rint (x / 2); /* exact */

  r = fabs (r) > 0.5 ? copysign (1 - fabs (r), r) : r;
  return sin (r * 3.14159265358979323846);
}
LEAT_INLINE double
cospi (double x)
{
  double r = fabs (x - 2 * rint (x / 2));

  return r < 0.25 ? cos (r * 3.14159265358979323846) : sin ((0.5 - r) * 3.14159265358979323846);
}
LEAT_INLINE float sinpif (float x) { return (float) sinpi ((double) x); }
LEAT_INLINE float cospif (float x) { return (float) cospi ((double) x); }
LEAT_INLINE double normcdf (double x) { return (double) (0.5L * erfcl (x * -0.707106781186547524400844362104849039L)); }
LEAT_INLINE float normcdff (float x) { return (float) (0.5 * erfc ((double) x * -0.70710678118654752440)); }
LEAT_INLINE void sincosf (float x, float *s, float *c) { *s = sinf (x), *c = cosf (x); }
LEAT_INLINE void sincos (double x, double *s, double *c) { *s = sin (x), *c = cos (x); }
LEAT_INLINE void sincos (float x, float *s, float *c) { sincosf (x, s, c); }
LEAT_INLINE void sincospif (float x, float *s, float *c) { *s = sinpif (x), *c = cospif (x); }
LEAT_INLINE bool isnan (float x) { return __builtin_isnan (x); }
LEAT_INLINE bool isnan (double x) { return __builtin_isnan (x); }
LEAT_INLINE bool isinf (float x) { return __builtin_isinf (x); }
LEAT_INLINE bool isinf (double x) { return __builtin_isinf (x); }
LEAT_INLINE bool isfinite (float x) { return __builtin_isfinite (x); }
LEAT_INLINE bool isfinite (double x) { return __builtin_isfinite (x); }
LEAT_INLINE bool isnan (long double x) { return __builtin_isnan (x); }
LEAT_INLINE bool isinf (long double x) { return __builtin_isinf (x); }
LEAT_INLINE bool isfinite (long double x) { return __builtin_isfinite (x); }
LEAT_INLINE bool signbit (long double x) { return __builtin_signbit (x); }
LEAT_INLINE bool signbit (float x) { return __builtin_signbit (x); }
LEAT_INLINE bool signbit (double x) { return __builtin_signbit (x); }
LEAT_INLINE int abs (int x) { return x < 0 ? -x : x; }
LEAT_INLINE long labs (long x) { return x < 0 ? -x : x; }
LEAT_INLINE long long llabs (long long x) { return x < 0 ? -x : x; }
LEAT_INLINE long abs (long x) { return x < 0 ? -x : x; }
LEAT_INLINE long long abs (long long x) { return x < 0 ? -x : x; }
LEAT_INLINE float abs (float x) { return fabsf (x); }
LEAT_INLINE double abs (double x) { return fabs (x); }

/* CUDA's rules: an unsigned partner makes the result unsigned, the wider type wins. */
#define LEAT_MINMAX(R, A, B)                                                                                           \
  LEAT_INLINE R min (A a, B b)                                                                                         \
  {                                                                                                                    \
    return (R) a < (R) b ? (R) a : (R) b;                                                                              \
  }                                                                                                                    \
  LEAT_INLINE R max (A a, B b)                                                                                         \
  {                                                                                                                    \
    return (R) a > (R) b ? (R) a : (R) b;                                                                              \
  }
#define LEAT_MINMAX_INT(S, U)                                                                                          \
  LEAT_MINMAX (S, S, S) LEAT_MINMAX (U, U, U) LEAT_MINMAX (U, S, U) LEAT_MINMAX (U, U, S)
LEAT_MINMAX_INT (int, unsigned int)
LEAT_MINMAX_INT (long, unsigned long)
LEAT_MINMAX_INT (long long, unsigned long long)
#undef LEAT_MINMAX_INT
#undef LEAT_MINMAX
#define LEAT_MINMAX_FLOAT(R, A, B, f)                                                                                  \
  LEAT_INLINE R min (A a, B b)                                                                                         \
  {                                                                                                                    \
    return fmin##f ((R) a, (R) b);                                                                                     \
  }                                                                                                                    \
  LEAT_INLINE R max (A a, B b)                                                                                         \
  {                                                                                                                    \
    return fmax##f ((R) a, (R) b);                                                                                     \
  }
LEAT_MINMAX_FLOAT (float, float, float, f)
LEAT_MINMAX_FLOAT (double, double, double, )
LEAT_MINMAX_FLOAT (double, float, double, )
LEAT_MINMAX_FLOAT (double, double, float, )
#undef LEAT_MINMAX_FLOAT
LEAT_INLINE unsigned int umin (unsigned int a, unsigned int b) { return a < b ? a : b; }
LEAT_INLINE unsigned int umax (unsigned int a, unsigned int b) { return a > b ? a : b; }
LEAT_INLINE long long llmin (long long a, long long b) { return a < b ? a : b; }
LEAT_INLINE long long llmax (long long a, long long b) { return a > b ? a : b; }
LEAT_INLINE unsigned long long ullmin (unsigned long long a, unsigned long long b) { return a < b ? a : b; }
LEAT_INLINE unsigned long long ullmax (unsigned long long a, unsigned long long b) { return a > b ? a : b; }

/* Faster, less exact on a GPU. */
LEAT_INLINE float __sinf (float x) { return sinf (x); }
LEAT_INLINE float __cosf (float x) { return cosf (x); }
LEAT_INLINE float __tanf (float x) { return tanf (x); }
LEAT_INLINE float __expf (float x) { return expf (x); }
LEAT_INLINE float __exp10f (float x) { return exp10f (x); }
LEAT_INLINE float __logf (float x) { return logf (x); }
LEAT_INLINE float __log2f (float x) { return log2f (x); }
LEAT_INLINE float __log10f (float x) { return log10f (x); }
LEAT_INLINE float __powf (float x, float y) { return powf (x, y); }
LEAT_INLINE float
__fdividef (float x, float y) /* by a number above 2^126 it is 0 */
{
  return fabsf (y) > 0x1p126f && fabsf (y) <= 0x1.fffffep127f ? x * copysignf (0.0f, y) : x / y;
}
LEAT_INLINE void __sincosf (float x, float *s, float *c) { sincosf (x, s, c); }
LEAT_INLINE float __saturatef (float x) { return !(x > 0.0f) ? 0.0f : x > 1.0f ? 1.0f : x; }

/* Rounded one by one, also where the compiler may contract (LEAT_FAST). */
#ifndef LEAT_FAST
#define LEAT_KEEP(r)
#elif defined __x86_64__
#define LEAT_KEEP(r) __asm__ ("" : "+x"(r))
#else
#define LEAT_KEEP(r) __asm__ ("" : "+w"(r))
#endif
#define LEAT_ROUNDED(T, name, op)                                                                                      \
  LEAT_INLINE T name (T x, T y)                                                                                        \
  {                                                                                                                    \
    T r;                                                                                                               \
                                                                                                                       \
    LEAT_KEEP (x);                                                                                                     \
    LEAT_KEEP (y);                                                                                                     \
    r = x op y;                                                                                                        \
    LEAT_KEEP (r);                                                                                                     \
    return r;                                                                                                          \
  }
LEAT_ROUNDED (float, __fadd_rn, +)
LEAT_ROUNDED (float, __fsub_rn, -)
LEAT_ROUNDED (float, __fmul_rn, *)
LEAT_ROUNDED (double, __dadd_rn, +)
LEAT_ROUNDED (double, __dsub_rn, -)
LEAT_ROUNDED (double, __dmul_rn, *)
#undef LEAT_ROUNDED
LEAT_INLINE float __fdiv_rn (float x, float y) { return x / y; }
LEAT_INLINE float __frcp_rn (float x) { return 1.0f / x; }
LEAT_INLINE float __fsqrt_rn (float x) { return sqrtf (x); }
LEAT_INLINE float __fmaf_rn (float x, float y, float z) { return fmaf (x, y, z); }
LEAT_INLINE double __ddiv_rn (double x, double y) { return x / y; }
LEAT_INLINE double __drcp_rn (double x) { return 1.0 / x; }
LEAT_INLINE double __dsqrt_rn (double x) { return sqrt (x); }
LEAT_INLINE double __fma_rn (double x, double y, double z) { return fma (x, y, z); }

/* Conversions saturate, as the hardware's do.  NaN becomes 0 where neither side has 64 bits, and the highest bit alone
 * where one has. */
#define LEAT_CONVERT(to, R, low, high, of_float, none)                                                                 \
  LEAT_INLINE R leat_to_##to (double x)                                                                                \
  {                                                                                                                    \
    return x != x ? (none) : x <= (double) (low) ? (low) : x >= (double) (high) ? (high) : (R) x;                       \
  }                                                                                                                    \
  LEAT_INLINE R leat_float_to_##to (float x)                                                                           \
  {                                                                                                                    \
    return x != x ? (of_float) : leat_to_##to ((double) x);                                                            \
  }                                                                                                                    \
  LEAT_INLINE R __float2##to##_rn (float x) { return leat_float_to_##to (rintf (x)); }                                 \
  LEAT_INLINE R __float2##to##_rz (float x) { return leat_float_to_##to (truncf (x)); }                                \
  LEAT_INLINE R __float2##to##_ru (float x) { return leat_float_to_##to (ceilf (x)); }                                 \
  LEAT_INLINE R __float2##to##_rd (float x) { return leat_float_to_##to (floorf (x)); }                                \
  LEAT_INLINE R __double2##to##_rn (double x) { return leat_to_##to (rint (x)); }                                      \
  LEAT_INLINE R __double2##to##_rz (double x) { return leat_to_##to (trunc (x)); }                                     \
  LEAT_INLINE R __double2##to##_ru (double x) { return leat_to_##to (ceil (x)); }                                      \
  LEAT_INLINE R __double2##to##_rd (double x) { return leat_to_##to (floor (x)); }                                     \
  LEAT_INLINE float __##to##2float_rn (R x) { return (float) x; }                                                      \
  LEAT_INLINE double __##to##2double_rn (R x) { return (double) x; }
#define LEAT_LEAST_INT       (-2147483647 - 1)
#define LEAT_LEAST_LONG_LONG (-9223372036854775807ll - 1)
LEAT_CONVERT (int, int, LEAT_LEAST_INT, 2147483647, 0, LEAT_LEAST_INT)
LEAT_CONVERT (uint, unsigned int, 0u, 4294967295u, 0u, 2147483648u)
LEAT_CONVERT (ll, long long, LEAT_LEAST_LONG_LONG, 9223372036854775807ll, LEAT_LEAST_LONG_LONG, LEAT_LEAST_LONG_LONG)
LEAT_CONVERT (ull, unsigned long long, 0ull, 18446744073709551615ull, 9223372036854775808ull, 9223372036854775808ull)
#undef LEAT_CONVERT
#undef LEAT_LEAST_INT
#undef LEAT_LEAST_LONG_LONG
LEAT_INLINE long lrint (double x) { return __double2ll_rn (x); }
LEAT_INLINE long lrintf (float x) { return __float2ll_rn (x); }
LEAT_INLINE long long llrint (double x) { return __double2ll_rn (x); }
LEAT_INLINE long long llrintf (float x) { return __float2ll_rn (x); }
LEAT_INLINE long lround (double x) { return __double2ll_rz (round (x)); }
LEAT_INLINE long lroundf (float x) { return __float2ll_rz (roundf (x)); }
LEAT_INLINE long long llround (double x) { return __double2ll_rz (round (x)); }
LEAT_INLINE long long llroundf (float x) { return __float2ll_rz (roundf (x)); }
LEAT_INLINE float __double2float_rn (double x) { return (float) x; }
