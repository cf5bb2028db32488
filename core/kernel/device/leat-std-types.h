/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What kernels use of <type_traits>, on both sides: neither compiler has headers of the standard library. */

namespace std {

typedef decltype (sizeof 0) size_t;
typedef decltype ((char *) 0 - (char *) 0) ptrdiff_t;
typedef decltype (nullptr) nullptr_t;
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
enum class byte : unsigned char
{
};

template <class T, T V> struct integral_constant
{
  typedef T value_type;
  typedef integral_constant type;
  static constexpr T value = V;
  constexpr operator T () const noexcept { return V; }
  constexpr T operator() () const noexcept { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <class T> struct leat_type { typedef T type; };
template <class...> using void_t = void;

template <bool B, class T, class F> struct conditional : leat_type<T> {};
template <class T, class F> struct conditional<false, T, F> : leat_type<F> {};
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> : leat_type<T> {};
template <class T> struct remove_const : leat_type<T> {};
template <class T> struct remove_const<const T> : leat_type<T> {};
template <class T> struct remove_volatile : leat_type<T> {};
template <class T> struct remove_volatile<volatile T> : leat_type<T> {};
template <class T> struct remove_cv : remove_const<typename remove_volatile<T>::type> {};
template <class T> struct remove_reference : leat_type<T> {};
template <class T> struct remove_reference<T &> : leat_type<T> {};
template <class T> struct remove_reference<T &&> : leat_type<T> {};
template <class T> struct remove_cvref : remove_cv<typename remove_reference<T>::type> {};
template <class T> struct remove_extent : leat_type<T> {};
template <class T> struct remove_extent<T[]> : leat_type<T> {};
template <class T, size_t N> struct remove_extent<T[N]> : leat_type<T> {};
template <class T> struct remove_all_extents : leat_type<T> {};
template <class T, size_t N> struct remove_all_extents<T[N]> : remove_all_extents<T> {};
template <class T> struct remove_pointer : leat_type<T> {};
template <class T> struct remove_pointer<T *> : leat_type<T> {};
template <class T> struct remove_pointer<T *const> : leat_type<T> {};
template <class T> struct add_const : leat_type<const T> {};
template <class T> struct add_volatile : leat_type<volatile T> {};
template <class T> struct add_cv : leat_type<const volatile T> {};
template <class T> struct add_pointer : leat_type<typename remove_reference<T>::type *> {};
template <class T> struct add_lvalue_reference : leat_type<T &> {};
template <class T> struct add_rvalue_reference : leat_type<T &&> {};
template <> struct add_lvalue_reference<void> : leat_type<void> {};
template <> struct add_rvalue_reference<void> : leat_type<void> {};

template <class T> typename add_rvalue_reference<T>::type declval () noexcept;

template <class T, class U> struct is_same : false_type {};
template <class T> struct is_same<T, T> : true_type {};
template <class T> struct is_void : is_same<typename remove_cv<T>::type, void> {};
template <class T, class... Of> struct leat_is_one : bool_constant<(is_same<typename remove_cv<T>::type, Of>::value || ...)> {};
template <class T>
struct is_integral : leat_is_one<T, bool, char, signed char, unsigned char, short, unsigned short, int, unsigned int, long,
                                 unsigned long, long long, unsigned long long, wchar_t, char16_t, char32_t>
{
};
template <class T> struct is_floating_point : leat_is_one<T, float, double> {};
template <class T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T, bool = is_arithmetic<T>::value> struct is_signed : bool_constant<((T) -1 < (T) 0)> {};
template <class T> struct is_signed<T, false> : false_type {};
template <class T, bool = is_arithmetic<T>::value> struct is_unsigned : bool_constant<!((T) -1 < (T) 0)> {};
template <class T> struct is_unsigned<T, false> : false_type {};
template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct is_volatile : false_type {};
template <class T> struct is_volatile<volatile T> : true_type {};
template <class T> struct leat_points : false_type {};
template <class T> struct leat_points<T *> : true_type {};
template <class T> struct is_pointer : leat_points<typename remove_cv<T>::type> {};
template <class T> struct is_lvalue_reference : false_type {};
template <class T> struct is_lvalue_reference<T &> : true_type {};
template <class T> struct is_rvalue_reference : false_type {};
template <class T> struct is_rvalue_reference<T &&> : true_type {};
template <class T> struct is_reference : bool_constant<is_lvalue_reference<T>::value || is_rvalue_reference<T>::value> {};
template <class T> struct is_array : false_type {};
template <class T> struct is_array<T[]> : true_type {};
template <class T, size_t N> struct is_array<T[N]> : true_type {};
template <class T> struct is_enum : bool_constant<__is_enum (T)> {};
template <class T> struct is_class : bool_constant<__is_class (T)> {};
template <class T> struct is_union : bool_constant<__is_union (T)> {};
template <class T> struct is_empty : bool_constant<__is_empty (T)> {};
template <class T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable (T)> {};
template <class B, class D> struct is_base_of : bool_constant<__is_base_of (B, D)> {};
template <class T> struct rank : integral_constant<size_t, 0> {};
template <class T, size_t N> struct rank<T[N]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T> struct extent : integral_constant<size_t, 0> {};
template <class T, size_t N> struct extent<T[N]> : integral_constant<size_t, N> {};
template <class T> struct alignment_of : integral_constant<size_t, alignof (T)> {};

template <class T> struct leat_takes
{
  static true_type of (T);
  static false_type of (...);
};
template <class From, class To> struct is_convertible : decltype (leat_takes<To>::of (declval<From> ())) {};
template <class T> struct is_convertible<T, void> : is_void<T> {};

template <class T> struct decay
{
  typedef typename remove_reference<T>::type leat_bare;
  typedef typename conditional<is_array<leat_bare>::value, typename remove_extent<leat_bare>::type *,
                               typename remove_cv<leat_bare>::type>::type type;
};
template <class... T> struct common_type {};
template <class T> struct common_type<T> : decay<T> {};
template <class T, class U> struct common_type<T, U> : decay<decltype (true ? declval<T> () : declval<U> ())> {};
template <class T, class U, class... More>
struct common_type<T, U, More...> : common_type<typename common_type<T, U>::type, More...>
{
};
template <class T> struct underlying_type : leat_type<__underlying_type (T)> {};
template <class F, class... Args> struct invoke_result : leat_type<decltype (declval<F> () (declval<Args> ()...))> {};

template <class T> struct make_unsigned : leat_type<T> {};
template <class T> struct make_signed : leat_type<T> {};
#define LEAT_SIGNS(T, U)                                                                                               \
  template <> struct make_unsigned<T> : leat_type<U> {};                                                               \
  template <> struct make_signed<U> : leat_type<T> {};
LEAT_SIGNS (signed char, unsigned char)
LEAT_SIGNS (short, unsigned short)
LEAT_SIGNS (int, unsigned int)
LEAT_SIGNS (long, unsigned long)
LEAT_SIGNS (long long, unsigned long long)
#undef LEAT_SIGNS
template <> struct make_unsigned<char> : leat_type<unsigned char> {};
template <> struct make_signed<char> : leat_type<signed char> {};

template <class B> struct negation : bool_constant<!B::value> {};
template <class... B> struct conjunction : bool_constant<(B::value && ...)> {};
template <class... B> struct disjunction : bool_constant<(B::value || ...)> {};

template <class T, T... I> struct integer_sequence
{
  static constexpr size_t size () { return sizeof...(I); }
};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <class T, size_t N, T... I> struct leat_count_to : leat_count_to<T, N - 1, (T) (N - 1), I...> {};
template <class T, T... I> struct leat_count_to<T, 0, I...> : leat_type<integer_sequence<T, I...>> {};
template <class T, T N> using make_integer_sequence = typename leat_count_to<T, (size_t) N>::type;
template <size_t N> using make_index_sequence = typename leat_count_to<size_t, N>::type;
template <class... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;

template <size_t Bytes, size_t Align = 16> struct aligned_storage
{
  struct type
  {
    alignas (Align) unsigned char data[Bytes];
  };
};

#define LEAT_TYPE_OF(name)                                                                                             \
  template <class T> using name##_t = typename name<T>::type;
#define LEAT_VALUE_OF(name)                                                                                            \
  template <class T> inline constexpr bool name##_v = name<T>::value;
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <class... T> using common_type_t = typename common_type<T...>::type;
template <class F, class... Args> using invoke_result_t = typename invoke_result<F, Args...>::type;
template <size_t Bytes, size_t Align = 16> using aligned_storage_t = typename aligned_storage<Bytes, Align>::type;
LEAT_TYPE_OF (remove_const) LEAT_TYPE_OF (remove_volatile) LEAT_TYPE_OF (remove_cv) LEAT_TYPE_OF (remove_reference)
LEAT_TYPE_OF (remove_cvref) LEAT_TYPE_OF (remove_extent) LEAT_TYPE_OF (remove_pointer) LEAT_TYPE_OF (add_const)
LEAT_TYPE_OF (add_pointer) LEAT_TYPE_OF (add_lvalue_reference) LEAT_TYPE_OF (add_rvalue_reference) LEAT_TYPE_OF (decay)
LEAT_TYPE_OF (underlying_type) LEAT_TYPE_OF (make_unsigned) LEAT_TYPE_OF (make_signed)
template <class T, class U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <class T, class U> inline constexpr bool is_base_of_v = is_base_of<T, U>::value;
template <class T, class U> inline constexpr bool is_convertible_v = is_convertible<T, U>::value;
template <class... B> inline constexpr bool conjunction_v = conjunction<B...>::value;
template <class... B> inline constexpr bool disjunction_v = disjunction<B...>::value;
template <class B> inline constexpr bool negation_v = negation<B>::value;
template <class T> inline constexpr size_t rank_v = rank<T>::value;
template <class T> inline constexpr size_t extent_v = extent<T>::value;
LEAT_VALUE_OF (is_void) LEAT_VALUE_OF (is_integral) LEAT_VALUE_OF (is_floating_point) LEAT_VALUE_OF (is_arithmetic)
LEAT_VALUE_OF (is_signed) LEAT_VALUE_OF (is_unsigned) LEAT_VALUE_OF (is_const) LEAT_VALUE_OF (is_volatile)
LEAT_VALUE_OF (is_pointer) LEAT_VALUE_OF (is_reference) LEAT_VALUE_OF (is_lvalue_reference) LEAT_VALUE_OF (is_rvalue_reference)
LEAT_VALUE_OF (is_array) LEAT_VALUE_OF (is_enum) LEAT_VALUE_OF (is_class) LEAT_VALUE_OF (is_union) LEAT_VALUE_OF (is_empty)
LEAT_VALUE_OF (is_trivially_copyable)
#undef LEAT_TYPE_OF
#undef LEAT_VALUE_OF

} // namespace std
