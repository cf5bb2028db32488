/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What kernels use of <limits>, <utility>, <functional>, <algorithm> and <cmath>, on both sides, behind leat-std-types.h. */

namespace std {

#ifdef LEAT_HOST /* where older compilers cannot cast bits in constants */
#define LEAT_FLOAT_OF(bits)  ((bits) == 0x7f800000 ? __builtin_huge_valf () : __builtin_nanf ("0x3fffff"))
#define LEAT_DOUBLE_OF(bits) ((bits) == 0x7ff0000000000000 ? __builtin_huge_val () : __builtin_nan (""))
#else
#define LEAT_FLOAT_OF(bits)  __builtin_bit_cast (float, bits)
#define LEAT_DOUBLE_OF(bits) __builtin_bit_cast (double, bits)
#endif
#define LEAT_LIMITS_OF(T, lowest_value, max_value, bits)                                                               \
  template <> struct numeric_limits<T> : leat_limits_of_whole<T, bits>                                                 \
  {                                                                                                                    \
    static constexpr T min () noexcept { return lowest_value; }                                                        \
    static constexpr T lowest () noexcept { return lowest_value; }                                                     \
    static constexpr T max () noexcept { return max_value; }                                                           \
  };
#define LEAT_LIMITS_OF_REAL(T, min_value, max_value, epsilon_value, denorm_value, infinity_value, nan_value, bits, tens) \
  template <> struct numeric_limits<T>                                                                                 \
  {                                                                                                                    \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;               \
    static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true, is_bounded = true;              \
    static constexpr int digits = bits, digits10 = tens, radix = 2;                                                    \
    static constexpr T min () noexcept { return min_value; }                                                           \
    static constexpr T lowest () noexcept { return -(max_value); }                                                     \
    static constexpr T max () noexcept { return max_value; }                                                           \
    static constexpr T epsilon () noexcept { return epsilon_value; }                                                   \
    static constexpr T denorm_min () noexcept { return denorm_value; }                                                 \
    static constexpr T round_error () noexcept { return (T) 0.5; }                                                     \
    static constexpr T infinity () noexcept { return infinity_value; }                                                 \
    static constexpr T quiet_NaN () noexcept { return nan_value; }                                                     \
  };

template <class T, int Bits> struct leat_limits_of_whole
{
  static constexpr bool is_specialized = true, is_signed = std::is_signed<T>::value, is_integer = true, is_exact = true;
  static constexpr bool has_infinity = false, has_quiet_NaN = false, is_iec559 = false, is_bounded = true;
  static constexpr int digits = Bits, digits10 = Bits * 3 / 10, radix = 2;
  static constexpr T epsilon () noexcept { return 0; }
  static constexpr T denorm_min () noexcept { return 0; }
  static constexpr T round_error () noexcept { return 0; }
  static constexpr T infinity () noexcept { return 0; }
  static constexpr T quiet_NaN () noexcept { return 0; }
};
template <class T> struct numeric_limits
{
  static constexpr bool is_specialized = false;
};
template <class T> struct numeric_limits<const T> : numeric_limits<T> {};
LEAT_LIMITS_OF (bool, false, true, 1)
LEAT_LIMITS_OF (char, std::is_signed<char>::value ? -128 : 0, std::is_signed<char>::value ? 127 : (char) 255,
                std::is_signed<char>::value ? 7 : 8)
LEAT_LIMITS_OF (signed char, -128, 127, 7)
LEAT_LIMITS_OF (unsigned char, 0, 255, 8)
LEAT_LIMITS_OF (short, -32768, 32767, 15)
LEAT_LIMITS_OF (unsigned short, 0, 65535, 16)
LEAT_LIMITS_OF (int, -2147483647 - 1, 2147483647, 31)
LEAT_LIMITS_OF (unsigned int, 0, 4294967295u, 32)
LEAT_LIMITS_OF (long, -9223372036854775807l - 1, 9223372036854775807l, 63)
LEAT_LIMITS_OF (unsigned long, 0, 18446744073709551615ul, 64)
LEAT_LIMITS_OF (long long, -9223372036854775807ll - 1, 9223372036854775807ll, 63)
LEAT_LIMITS_OF (unsigned long long, 0, 18446744073709551615ull, 64)
LEAT_LIMITS_OF_REAL (float, 0x1p-126f, 0x1.fffffep127f, 0x1p-23f, 0x1p-149f, LEAT_FLOAT_OF (0x7f800000), LEAT_FLOAT_OF (0x7fffffff), 24, 6)
LEAT_LIMITS_OF_REAL (double, 0x1p-1022, 0x1.fffffffffffffp1023, 0x1p-52, 0x1p-1074, LEAT_DOUBLE_OF (0x7ff0000000000000), LEAT_DOUBLE_OF (0x7ff8000000000000), 53, 15)
#undef LEAT_FLOAT_OF
#undef LEAT_DOUBLE_OF
#undef LEAT_LIMITS_OF
#undef LEAT_LIMITS_OF_REAL

/* NVRTC has these two. */
#ifdef LEAT_HOST
template <class T>
constexpr typename remove_reference<T>::type &&
move (T &&v) noexcept
{
  return static_cast<typename remove_reference<T>::type &&> (v);
}
template <class T>
constexpr T &&
forward (typename remove_reference<T>::type &v) noexcept
{
  return static_cast<T &&> (v);
}
template <class T>
constexpr T &&
forward (typename remove_reference<T>::type &&v) noexcept
{
  return static_cast<T &&> (v);
}
#endif
template <class T>
constexpr void
swap (T &a, T &b)
{
  T old = static_cast<T &&> (a);

  a = static_cast<T &&> (b);
  b = static_cast<T &&> (old);
}
template <class T, class U = T>
constexpr T
exchange (T &place, U &&next)
{
  T old = static_cast<T &&> (place);

  place = static_cast<U &&> (next);
  return old;
}
template <class T> constexpr const T &as_const (T &v) noexcept { return v; }
template <class T> constexpr T *addressof (T &v) noexcept { return __builtin_addressof (v); }

template <class T> constexpr const T &min (const T &a, const T &b) { return b < a ? b : a; }
template <class T> constexpr const T &max (const T &a, const T &b) { return a < b ? b : a; }
template <class T, class F> constexpr const T &min (const T &a, const T &b, F less) { return less (b, a) ? b : a; }
template <class T, class F> constexpr const T &max (const T &a, const T &b, F less) { return less (a, b) ? b : a; }
template <class T> constexpr const T &clamp (const T &v, const T &lo, const T &hi) { return v < lo ? lo : hi < v ? hi : v; }

template <class I, class T>
constexpr void
fill (I first, I last, const T &v)
{
  for (; first != last; ++first)
    *first = v;
}
template <class I, class O>
constexpr O
copy (I first, I last, O to)
{
  for (; first != last; ++first, ++to)
    *to = *first;
  return to;
}
template <class I, class T, class F>
constexpr I
leat_find_bound (I first, I last, const T &v, F goes_before)
{
  while (first != last)
    {
      I middle = first + (last - first) / 2;

      if (goes_before (*middle, v))
        first = middle + 1;
      else
        last = middle;
    }
  return first;
}
template <class I, class T>
constexpr I
lower_bound (I first, I last, const T &v)
{
  return leat_find_bound (first, last, v, [] (const auto &item, const T &w) { return item < w; });
}
template <class I, class T>
constexpr I
upper_bound (I first, I last, const T &v)
{
  return leat_find_bound (first, last, v, [] (const auto &item, const T &w) { return !(w < item); });
}

#define LEAT_FUNCTION_OF_TWO(name, op)                                                                                 \
  template <class T = void> struct name                                                                                \
  {                                                                                                                    \
    constexpr auto operator() (const T &a, const T &b) const { return a op b; }                                        \
  };                                                                                                                   \
  template <> struct name<void>                                                                                        \
  {                                                                                                                    \
    template <class T, class U> constexpr auto operator() (const T &a, const U &b) const { return a op b; }            \
  };
#define LEAT_FUNCTION_OF_TWO_SAME(name, op)                                                                            \
  template <class T = void> struct name                                                                                \
  {                                                                                                                    \
    constexpr T operator() (const T &a, const T &b) const { return (T) (a op b); }                                     \
  };                                                                                                                   \
  template <> struct name<void>                                                                                        \
  {                                                                                                                    \
    template <class T, class U> constexpr auto operator() (const T &a, const U &b) const { return a op b; }            \
  };
LEAT_FUNCTION_OF_TWO_SAME (plus, +)
LEAT_FUNCTION_OF_TWO_SAME (minus, -)
LEAT_FUNCTION_OF_TWO_SAME (multiplies, *)
LEAT_FUNCTION_OF_TWO_SAME (divides, /)
LEAT_FUNCTION_OF_TWO_SAME (modulus, %)
LEAT_FUNCTION_OF_TWO_SAME (bit_and, &)
LEAT_FUNCTION_OF_TWO_SAME (bit_or, |)
LEAT_FUNCTION_OF_TWO_SAME (bit_xor, ^)
LEAT_FUNCTION_OF_TWO (equal_to, ==)
LEAT_FUNCTION_OF_TWO (not_equal_to, !=)
LEAT_FUNCTION_OF_TWO (less, <)
LEAT_FUNCTION_OF_TWO (greater, >)
LEAT_FUNCTION_OF_TWO (less_equal, <=)
LEAT_FUNCTION_OF_TWO (greater_equal, >=)
LEAT_FUNCTION_OF_TWO (logical_and, &&)
LEAT_FUNCTION_OF_TWO (logical_or, ||)
#undef LEAT_FUNCTION_OF_TWO
#undef LEAT_FUNCTION_OF_TWO_SAME
template <class T = void> struct negate
{
  constexpr T operator() (const T &a) const { return (T) -a; }
};
template <class T = void> struct logical_not
{
  constexpr bool operator() (const T &a) const { return !a; }
};

using ::memcpy;
using ::memset;
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::lgamma;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::rint;
using ::round;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;

} // namespace std
