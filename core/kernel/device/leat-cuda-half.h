/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Arithmetic, comparisons and functions of LEAT_T, a float of 16 bits, and of pairs of them, LEAT_T2, by CUDA's names.  It
 * stands once behind the class of each such type, with these two defined.  The result is the nearest number to the exact one;
 * functions whose exact values nobody knows are those of `double`, rounded. */

LEAT_INLINE LEAT_T __hadd (LEAT_T a, LEAT_T b) { return (float) a + (float) b; }
LEAT_INLINE LEAT_T __hsub (LEAT_T a, LEAT_T b) { return (float) a - (float) b; }
LEAT_INLINE LEAT_T __hmul (LEAT_T a, LEAT_T b) { return (float) a * (float) b; }
LEAT_INLINE LEAT_T __hdiv (LEAT_T a, LEAT_T b) { return (double) (float) a / (double) (float) b; }
LEAT_INLINE LEAT_T __hfma (LEAT_T a, LEAT_T b, LEAT_T c) { return leat_fused ((float) a, (float) b, (float) c); }
LEAT_INLINE LEAT_T __hadd_rn (LEAT_T a, LEAT_T b) { return __hadd (a, b); }
LEAT_INLINE LEAT_T __hsub_rn (LEAT_T a, LEAT_T b) { return __hsub (a, b); }
LEAT_INLINE LEAT_T __hmul_rn (LEAT_T a, LEAT_T b) { return __hmul (a, b); }

/* From 0 to 1, and a NaN is 0; from 0 on, and a NaN is one. */
LEAT_INLINE LEAT_T leat_saturate (LEAT_T a) { return (float) a > 0 ? (float) a < 1 ? (float) a : 1.0f : 0.0f; }
LEAT_INLINE LEAT_T leat_rectify (LEAT_T a) { return (float) a < 0 || (float) a == 0 ? 0.0f : (float) a; }
LEAT_INLINE LEAT_T __hadd_sat (LEAT_T a, LEAT_T b) { return leat_saturate (__hadd (a, b)); }
LEAT_INLINE LEAT_T __hsub_sat (LEAT_T a, LEAT_T b) { return leat_saturate (__hsub (a, b)); }
LEAT_INLINE LEAT_T __hmul_sat (LEAT_T a, LEAT_T b) { return leat_saturate (__hmul (a, b)); }
LEAT_INLINE LEAT_T __hfma_sat (LEAT_T a, LEAT_T b, LEAT_T c) { return leat_saturate (__hfma (a, b, c)); }
LEAT_INLINE LEAT_T __hfma_relu (LEAT_T a, LEAT_T b, LEAT_T c) { return leat_rectify (__hfma (a, b, c)); }

LEAT_INLINE LEAT_T __hneg (LEAT_T a) { return -(float) a; }
LEAT_INLINE LEAT_T __habs (LEAT_T a) { return fabsf ((float) a); }

LEAT_INLINE bool __hisnan (LEAT_T a) { return (float) a != (float) a; }
LEAT_INLINE int
__hisinf (LEAT_T a)
{
  return __hisnan (a) || (float) a - (float) a == 0 ? 0 : (float) a > 0 ? 1 : -1;
}
LEAT_INLINE LEAT_T __hmax (LEAT_T a, LEAT_T b) { return fmaxf ((float) a, (float) b); }
LEAT_INLINE LEAT_T __hmin (LEAT_T a, LEAT_T b) { return fminf ((float) a, (float) b); }
LEAT_INLINE LEAT_T __hmax_nan (LEAT_T a, LEAT_T b) { return __hisnan (a) || __hisnan (b) ? __hadd (a, b) : __hmax (a, b); }
LEAT_INLINE LEAT_T __hmin_nan (LEAT_T a, LEAT_T b) { return __hisnan (a) || __hisnan (b) ? __hadd (a, b) : __hmin (a, b); }

#define LEAT_HALF_PAIRS(name, one)                                                                                     \
  LEAT_INLINE LEAT_T2 name (LEAT_T2 a) { return LEAT_T2 (one (a.x), one (a.y)); }
#define LEAT_HALF_PAIRS2(name, one)                                                                                    \
  LEAT_INLINE LEAT_T2 name (LEAT_T2 a, LEAT_T2 b) { return LEAT_T2 (one (a.x, b.x), one (a.y, b.y)); }
#define LEAT_HALF_PAIRS3(name, one)                                                                                    \
  LEAT_INLINE LEAT_T2 name (LEAT_T2 a, LEAT_T2 b, LEAT_T2 c)                                                           \
  {                                                                                                                    \
    return LEAT_T2 (one (a.x, b.x, c.x), one (a.y, b.y, c.y));                                                         \
  }
LEAT_HALF_PAIRS2 (__hadd2, __hadd) LEAT_HALF_PAIRS2 (__hsub2, __hsub) LEAT_HALF_PAIRS2 (__hmul2, __hmul)
LEAT_HALF_PAIRS2 (__hadd2_rn, __hadd) LEAT_HALF_PAIRS2 (__hsub2_rn, __hsub) LEAT_HALF_PAIRS2 (__hmul2_rn, __hmul)
LEAT_HALF_PAIRS2 (__hadd2_sat, __hadd_sat) LEAT_HALF_PAIRS2 (__hsub2_sat, __hsub_sat)
LEAT_HALF_PAIRS2 (__hmul2_sat, __hmul_sat) LEAT_HALF_PAIRS2 (__h2div, __hdiv)
LEAT_HALF_PAIRS3 (__hfma2, __hfma) LEAT_HALF_PAIRS3 (__hfma2_sat, __hfma_sat) LEAT_HALF_PAIRS3 (__hfma2_relu, __hfma_relu)
LEAT_HALF_PAIRS (__hneg2, __hneg) LEAT_HALF_PAIRS (__habs2, __habs)
LEAT_HALF_PAIRS2 (__hmax2, __hmax) LEAT_HALF_PAIRS2 (__hmin2, __hmin)
LEAT_HALF_PAIRS2 (__hmax2_nan, __hmax_nan) LEAT_HALF_PAIRS2 (__hmin2_nan, __hmin_nan)
LEAT_INLINE LEAT_T2 __hisnan2 (LEAT_T2 a) { return LEAT_T2 ((float) __hisnan (a.x), (float) __hisnan (a.y)); }
LEAT_INLINE LEAT_T2
__hcmadd (LEAT_T2 a, LEAT_T2 b, LEAT_T2 c)
{
  LEAT_T re = __hfma (a.x, b.x, c.x), im = __hfma (a.x, b.y, c.y);

  return LEAT_T2 (__hfma (__hneg (a.y), b.y, re), __hfma (a.y, b.x, im));
}

/* Of each comparison: of one, of pairs as 1 and 0, of both, and as masks; and the same that also holds where one is NaN. */
#define LEAT_HALF_COMPARES(name, holds)                                                                                \
  LEAT_INLINE bool __h##name (LEAT_T l, LEAT_T r)                                                                      \
  {                                                                                                                    \
    float a = l, b = r;                                                                                                \
    return holds;                                                                                                      \
  }                                                                                                                    \
  LEAT_INLINE LEAT_T2 __h##name##2 (LEAT_T2 a, LEAT_T2 b)                                                              \
  {                                                                                                                    \
    return LEAT_T2 ((float) __h##name (a.x, b.x), (float) __h##name (a.y, b.y));                                       \
  }                                                                                                                    \
  LEAT_INLINE bool __hb##name##2 (LEAT_T2 a, LEAT_T2 b) { return __h##name (a.x, b.x) && __h##name (a.y, b.y); }       \
  LEAT_INLINE unsigned int __h##name##2_mask (LEAT_T2 a, LEAT_T2 b)                                                    \
  {                                                                                                                    \
    return (__h##name (a.x, b.x) ? 0xffffu : 0) | (__h##name (a.y, b.y) ? 0xffff0000u : 0);                            \
  }
LEAT_HALF_COMPARES (eq, a == b) LEAT_HALF_COMPARES (equ, !(a < b || a > b))
LEAT_HALF_COMPARES (ne, a < b || a > b) LEAT_HALF_COMPARES (neu, a != b)
LEAT_HALF_COMPARES (lt, a < b) LEAT_HALF_COMPARES (ltu, !(a >= b))
LEAT_HALF_COMPARES (le, a <= b) LEAT_HALF_COMPARES (leu, !(a > b))
LEAT_HALF_COMPARES (gt, a > b) LEAT_HALF_COMPARES (gtu, !(a <= b))
LEAT_HALF_COMPARES (ge, a >= b) LEAT_HALF_COMPARES (geu, !(a < b))
#undef LEAT_HALF_COMPARES

#define LEAT_HALF_FUNCTION(name, value)                                                                                \
  LEAT_INLINE LEAT_T h##name (LEAT_T h)                                                                                \
  {                                                                                                                    \
    double a = (float) h;                                                                                              \
    return value;                                                                                                      \
  }                                                                                                                    \
  LEAT_HALF_PAIRS (h2##name, h##name)
LEAT_HALF_FUNCTION (sqrt, sqrt (a)) LEAT_HALF_FUNCTION (rsqrt, 1 / sqrt (a)) LEAT_HALF_FUNCTION (rcp, 1 / a)
LEAT_HALF_FUNCTION (exp, exp (a)) LEAT_HALF_FUNCTION (exp2, exp2 (a)) LEAT_HALF_FUNCTION (exp10, exp10 (a))
LEAT_HALF_FUNCTION (log, log (a)) LEAT_HALF_FUNCTION (log2, log2 (a)) LEAT_HALF_FUNCTION (log10, log10 (a))
LEAT_HALF_FUNCTION (sin, sin (a)) LEAT_HALF_FUNCTION (cos, cos (a)) LEAT_HALF_FUNCTION (tanh, tanh (a))
LEAT_HALF_FUNCTION (floor, floor (a)) LEAT_HALF_FUNCTION (ceil, ceil (a)) LEAT_HALF_FUNCTION (trunc, trunc (a))
LEAT_HALF_FUNCTION (rint, nearbyint (a))
#undef LEAT_HALF_FUNCTION
#undef LEAT_HALF_PAIRS
#undef LEAT_HALF_PAIRS2
#undef LEAT_HALF_PAIRS3

#define LEAT_HALF_OPERATOR(op, name)                                                                                   \
  LEAT_INLINE LEAT_T operator op (const LEAT_T &a, const LEAT_T &b) { return __h##name (a, b); }                       \
  LEAT_INLINE LEAT_T &operator op##= (LEAT_T &a, const LEAT_T &b) { return a = __h##name (a, b); }
LEAT_HALF_OPERATOR (+, add) LEAT_HALF_OPERATOR (-, sub) LEAT_HALF_OPERATOR (*, mul) LEAT_HALF_OPERATOR (/, div)
#undef LEAT_HALF_OPERATOR
#define LEAT_HALF_OPERATOR(op, name)                                                                                   \
  LEAT_INLINE LEAT_T2 operator op (const LEAT_T2 &a, const LEAT_T2 &b) { return name (a, b); }                         \
  LEAT_INLINE LEAT_T2 &operator op##= (LEAT_T2 &a, const LEAT_T2 &b) { return a = name (a, b); }
LEAT_HALF_OPERATOR (+, __hadd2) LEAT_HALF_OPERATOR (-, __hsub2) LEAT_HALF_OPERATOR (*, __hmul2)
LEAT_HALF_OPERATOR (/, __h2div)
#undef LEAT_HALF_OPERATOR
#define LEAT_HALF_OPERATOR(op, name)                                                                                   \
  LEAT_INLINE bool operator op (const LEAT_T &a, const LEAT_T &b) { return __h##name (a, b); }                         \
  LEAT_INLINE bool operator op (const LEAT_T2 &a, const LEAT_T2 &b) { return __hb##name##2 (a, b); }
LEAT_HALF_OPERATOR (==, eq) LEAT_HALF_OPERATOR (!=, neu) LEAT_HALF_OPERATOR (<, lt) LEAT_HALF_OPERATOR (<=, le)
LEAT_HALF_OPERATOR (>, gt) LEAT_HALF_OPERATOR (>=, ge)
#undef LEAT_HALF_OPERATOR
#define LEAT_HALF_OPERATOR(T, make)                                                                                    \
  LEAT_INLINE T operator+ (const T &a) { return a; }                                                                   \
  LEAT_INLINE T operator- (const T &a) { return make; }                                                                \
  LEAT_INLINE T &operator++ (T &a) { return a += T (one); }                                                            \
  LEAT_INLINE T &operator-- (T &a) { return a -= T (one); }                                                            \
  LEAT_INLINE T operator++ (T &a, int)                                                                                 \
  {                                                                                                                    \
    T before = a;                                                                                                      \
    ++a;                                                                                                               \
    return before;                                                                                                     \
  }                                                                                                                    \
  LEAT_INLINE T operator-- (T &a, int)                                                                                 \
  {                                                                                                                    \
    T before = a;                                                                                                      \
    --a;                                                                                                               \
    return before;                                                                                                     \
  }
#define one 1.0f
LEAT_HALF_OPERATOR (LEAT_T, __hneg (a))
#undef one
#define one LEAT_T (1.0f), LEAT_T (1.0f)
LEAT_HALF_OPERATOR (LEAT_T2, __hneg2 (a))
#undef one
#undef LEAT_HALF_OPERATOR

/* Atomic operations take them as they take a float. */
template <> struct leat_is_real<LEAT_T> { static constexpr bool value = true; };
template <> struct leat_is_real<LEAT_T2> { static constexpr bool value = true; };

LEAT_INLINE float __low2float (LEAT_T2 a) { return a.x; }
LEAT_INLINE float __high2float (LEAT_T2 a) { return a.y; }
#undef LEAT_T
#undef LEAT_T2
