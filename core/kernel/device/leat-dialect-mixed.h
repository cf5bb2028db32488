/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The mathematics functions for whole numbers and for arguments of two types, the same on both sides.  There are but
 * those for float and for double otherwise, neither of which is nearer to a whole number.  As in C++, of a whole number
 * they are those for double; of two types they are those of what the usual conversions make of both, which is double
 * again where that is a whole number. */

#ifdef LEAT_CUDA
#define LEAT_MIXED static __device__ __forceinline__
#else
#define LEAT_MIXED LEAT_INLINE
#endif

template <class T>
struct leat_kind
{
  enum
  {
    whole = false,
    number = false
  };
};
#define LEAT_KIND(T, is_whole)                                                                                         \
  template <> struct leat_kind<T>                                                                                      \
  {                                                                                                                    \
    enum                                                                                                               \
    {                                                                                                                  \
      whole = is_whole,                                                                                                \
      number = true                                                                                                    \
    };                                                                                                                 \
  };
LEAT_KIND (bool, true)
LEAT_KIND (char, true)
LEAT_KIND (signed char, true)
LEAT_KIND (unsigned char, true)
LEAT_KIND (short, true)
LEAT_KIND (unsigned short, true)
LEAT_KIND (int, true)
LEAT_KIND (unsigned int, true)
LEAT_KIND (long, true)
LEAT_KIND (unsigned long, true)
LEAT_KIND (long long, true)
LEAT_KIND (unsigned long long, true)
LEAT_KIND (float, false)
LEAT_KIND (double, false)
#undef LEAT_KIND

/* A type if @is; else none, and the function is none either. */
template <bool is, class T>
struct leat_where
{
};
template <class T>
struct leat_where<true, T>
{
  typedef T type;
};
template <class A, class B>
struct leat_differ
{
  enum
  {
    value = true
  };
};
template <class T>
struct leat_differ<T, T>
{
  enum
  {
    value = false
  };
};
/* The common type of two numbers whose types differ, or that are whole: for others there are functions already. */
template <class A, class B, bool are = leat_kind<A>::number && leat_kind<B>::number
                                       && (leat_differ<A, B>::value || leat_kind<A>::whole)>
struct leat_both
{
};
template <class A, class B>
struct leat_both<A, B, true>
{
  typedef decltype (A () + B ()) common;
};
template <class T, bool whole = leat_kind<T>::whole>
struct leat_floating
{
  typedef T type;
};
template <class T>
struct leat_floating<T, true>
{
  typedef double type;
};

#define LEAT_MIXED1(R, name)                                                                                           \
  template <class T> LEAT_MIXED typename leat_where<leat_kind<T>::whole, R>::type name (T x)                           \
  {                                                                                                                    \
    return name ((double) x);                                                                                          \
  }
#define LEAT_MIXED2(name)                                                                                              \
  template <class A, class B>                                                                                          \
  LEAT_MIXED typename leat_floating<typename leat_both<A, B>::common>::type name (A a, B b)                            \
  {                                                                                                                    \
    typedef typename leat_floating<typename leat_both<A, B>::common>::type R;                                          \
                                                                                                                       \
    return name ((R) a, (R) b);                                                                                        \
  }

LEAT_MIXED1 (double, sin) LEAT_MIXED1 (double, cos) LEAT_MIXED1 (double, tan) LEAT_MIXED1 (double, asin)
LEAT_MIXED1 (double, acos) LEAT_MIXED1 (double, atan) LEAT_MIXED1 (double, sinh) LEAT_MIXED1 (double, cosh)
LEAT_MIXED1 (double, tanh) LEAT_MIXED1 (double, asinh) LEAT_MIXED1 (double, acosh) LEAT_MIXED1 (double, atanh)
LEAT_MIXED1 (double, exp) LEAT_MIXED1 (double, exp2) LEAT_MIXED1 (double, exp10) LEAT_MIXED1 (double, expm1)
LEAT_MIXED1 (double, log) LEAT_MIXED1 (double, log2) LEAT_MIXED1 (double, log10) LEAT_MIXED1 (double, log1p)
LEAT_MIXED1 (double, logb) LEAT_MIXED1 (double, sqrt) LEAT_MIXED1 (double, cbrt) LEAT_MIXED1 (double, erf)
LEAT_MIXED1 (double, erfc) LEAT_MIXED1 (double, tgamma) LEAT_MIXED1 (double, lgamma) LEAT_MIXED1 (double, floor)
LEAT_MIXED1 (double, ceil) LEAT_MIXED1 (double, trunc) LEAT_MIXED1 (double, round) LEAT_MIXED1 (double, rint)
LEAT_MIXED1 (double, nearbyint) LEAT_MIXED1 (double, fabs) LEAT_MIXED1 (double, j0) LEAT_MIXED1 (double, j1)
LEAT_MIXED1 (double, y0) LEAT_MIXED1 (double, y1) LEAT_MIXED1 (double, rsqrt) LEAT_MIXED1 (double, rcbrt)
LEAT_MIXED1 (double, sinpi) LEAT_MIXED1 (double, cospi) LEAT_MIXED1 (double, normcdf)
LEAT_MIXED1 (bool, isnan) LEAT_MIXED1 (bool, isinf) LEAT_MIXED1 (bool, isfinite) LEAT_MIXED1 (bool, signbit)
LEAT_MIXED1 (long, lrint) LEAT_MIXED1 (long, lround) LEAT_MIXED1 (long long, llrint) LEAT_MIXED1 (long long, llround)
LEAT_MIXED1 (int, ilogb)
LEAT_MIXED2 (pow) LEAT_MIXED2 (atan2) LEAT_MIXED2 (fmod) LEAT_MIXED2 (fmin) LEAT_MIXED2 (fmax) LEAT_MIXED2 (hypot)
LEAT_MIXED2 (copysign) LEAT_MIXED2 (remainder) LEAT_MIXED2 (fdim) LEAT_MIXED2 (nextafter)
#undef LEAT_MIXED1
#undef LEAT_MIXED2

/* Division in expressions.  A whole number divided by 0 gives 0.  A result too large by one (the least
 * number divided by -1) gives the bits that there are.  On a CPU either would end the process. */
template <class T, bool whole = leat_kind<T>::whole>
struct leat_division
{
  LEAT_MIXED T quotient (T a, T b) { return a / b; }
};
template <class T>
struct leat_division<T, true>
{
  LEAT_MIXED T quotient (T a, T b)
  {
    return b == 0 ? 0 : (T) -1 < (T) 0 && b == (T) -1 ? (T) (0 - (unsigned long long) a) : a / b;
  }
  LEAT_MIXED T rest (T a, T b)
  {
    return b == 0 || ((T) -1 < (T) 0 && b == (T) -1) ? 0 : a % b;
  }
};
template <class A, class B>
LEAT_MIXED decltype (A () / B ())
leat_quotient (A a, B b)
{
  return leat_division<decltype (A () / B ())>::quotient (a, b);
}
template <class A, class B>
LEAT_MIXED decltype (A () % B ())
leat_rest (A a, B b)
{
  return leat_division<decltype (A () % B ())>::rest (a, b);
}

/* Expressions have `a << leat_by () << b` for `a << b`.  The lower 32 bits of the amount count, and the width or more moves
 * everything out.  To a compiler for GPUs such a shift is one that never happens, from which it draws conclusions, so that
 * it is told the instruction. */
struct leat_by
{
};
template <class T> struct leat_left
{
  T value;
};
template <class T> struct leat_right
{
  T value;
};

template <class T>
LEAT_MIXED auto
operator<< (T a, leat_by) -> leat_left<decltype (+a)>
{
  static_assert (leat_kind<T>::whole, "a shift takes whole numbers");
  return leat_left<decltype (+a)>{ +a };
}

template <class T>
LEAT_MIXED auto
operator>> (T a, leat_by) -> leat_right<decltype (+a)>
{
  static_assert (leat_kind<T>::whole, "a shift takes whole numbers");
  return leat_right<decltype (+a)>{ +a };
}

#ifdef LEAT_CUDA
#define LEAT_SHIFT(name, side, op, plain, signed_one)                                                                              \
  template <class T, bool wide = sizeof (T) == 8, bool sign = (T) -1 < (T) 0> struct leat_##name;                        \
  template <class T, bool sign> struct leat_##name<T, false, sign>                                                     \
  {                                                                                                                    \
    static __device__ T of (T a, int by)                                                                               \
    {                                                                                                                  \
      if (sign)                                                                                                        \
        asm (signed_one "32 %0, %0, %1;" : "+r"(a) : "r"(by));                                                              \
      else                                                                                                             \
        asm (plain "32 %0, %0, %1;" : "+r"(a) : "r"(by));                                                               \
      return a;                                                                                                        \
    }                                                                                                                  \
  };                                                                                                                   \
  template <class T, bool sign> struct leat_##name<T, true, sign>                                                      \
  {                                                                                                                    \
    static __device__ T of (T a, int by)                                                                               \
    {                                                                                                                  \
      if (sign)                                                                                                        \
        asm (signed_one "64 %0, %0, %1;" : "+l"(a) : "r"(by));                                                              \
      else                                                                                                             \
        asm (plain "64 %0, %0, %1;" : "+l"(a) : "r"(by));                                                               \
      return a;                                                                                                        \
    }                                                                                                                  \
  };                                                                                                                   \
  template <class T, class N> static __device__ T operator op (leat_##side<T> a, N by)                                 \
  {                                                                                                                    \
    static_assert (leat_kind<N>::whole, "a shift takes whole numbers");                                                \
    return leat_##name<T>::of (a.value, (int) by);                                                                     \
  }
LEAT_SHIFT (shifted_left, left, <<, "shl.b", "shl.b")
LEAT_SHIFT (shifted_right, right, >>, "shr.u", "shr.s")
#undef LEAT_SHIFT
#else
template <class T, class N>
LEAT_MIXED T
operator<< (leat_left<T> a, N by)
{
  static_assert (leat_kind<N>::whole, "a shift takes whole numbers");
  return a.value << (int) by;
}

template <class T, class N>
LEAT_MIXED T
operator>> (leat_right<T> a, N by)
{
  static_assert (leat_kind<N>::whole, "a shift takes whole numbers");
  return a.value >> (int) by;
}
#endif

/* A number with a fraction goes to the function that knows NaN. */
#define LEAT_LESS(name, op)                                                                                            \
  template <class R, bool whole = leat_kind<R>::whole> struct leat_##name                                              \
  {                                                                                                                    \
    LEAT_MIXED R of (R a, R b) { return f##name (a, b); }                                                              \
  };                                                                                                                   \
  template <class R> struct leat_##name<R, true>                                                                       \
  {                                                                                                                    \
    LEAT_MIXED R of (R a, R b) { return a op b ? a : b; }                                                              \
  };                                                                                                                   \
  template <class A, class B> LEAT_MIXED typename leat_both<A, B>::common name (A a, B b)                              \
  {                                                                                                                    \
    return leat_##name<typename leat_both<A, B>::common>::of (a, b);                                                   \
  }
LEAT_LESS (min, <)
LEAT_LESS (max, >)
#undef LEAT_LESS

template <class A, class B, class C>
LEAT_MIXED typename leat_where<(leat_differ<A, B>::value || leat_differ<B, C>::value || leat_kind<A>::whole)
                                 && leat_kind<A>::number && leat_kind<B>::number && leat_kind<C>::number,
                               leat_floating<decltype (A () + B () + C ())>>::type::type
fma (A a, B b, C c)
{
  typedef typename leat_floating<decltype (A () + B () + C ())>::type R;

  return fma ((R) a, (R) b, (R) c);
}

LEAT_MIXED unsigned int abs (unsigned int x) { return x; }
LEAT_MIXED unsigned long abs (unsigned long x) { return x; }
LEAT_MIXED unsigned long long abs (unsigned long long x) { return x; }
#undef LEAT_MIXED
