/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* std::pair, std::array and std::tuple on both sides, behind leat-std-types.h. */

namespace std {

/* As the toolkit's headers declare them for NVRTC. */
template <class... T> struct tuple_size;
template <size_t I, class... T> struct tuple_element;
template <class T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;
template <class T> struct tuple_size<const T> : tuple_size<T> {};
template <size_t I, class T> struct tuple_element<I, const T> : leat_type<const typename tuple_element<I, T>::type> {};

template <class A, class B> struct pair
{
  typedef A first_type;
  typedef B second_type;
  A first;
  B second;

  constexpr pair () : first (), second () {}
  constexpr pair (const A &a, const B &b) : first (a), second (b) {}
  template <class C, class D> constexpr pair (const pair<C, D> &o) : first (o.first), second (o.second) {}
};
template <class A, class B> pair (A, B) -> pair<A, B>;
template <class A, class B>
constexpr pair<typename decay<A>::type, typename decay<B>::type>
make_pair (A &&a, B &&b)
{
  return { a, b };
}
template <class A, class B> constexpr bool operator== (const pair<A, B> &x, const pair<A, B> &y) { return x.first == y.first && x.second == y.second; }
template <class A, class B> constexpr bool operator!= (const pair<A, B> &x, const pair<A, B> &y) { return !(x == y); }
template <class A, class B>
constexpr bool
operator< (const pair<A, B> &x, const pair<A, B> &y)
{
  return x.first < y.first || (!(y.first < x.first) && x.second < y.second);
}
template <class A, class B> constexpr bool operator> (const pair<A, B> &x, const pair<A, B> &y) { return y < x; }
template <class A, class B> constexpr bool operator<= (const pair<A, B> &x, const pair<A, B> &y) { return !(y < x); }
template <class A, class B> constexpr bool operator>= (const pair<A, B> &x, const pair<A, B> &y) { return !(x < y); }
template <class A, class B> struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
template <class A, class B> struct tuple_element<0, pair<A, B>> : leat_type<A> {};
template <class A, class B> struct tuple_element<1, pair<A, B>> : leat_type<B> {};
template <size_t I, class A, class B>
constexpr auto &
get (pair<A, B> &p)
{
  if constexpr (I == 0)
    return p.first;
  else
    return p.second;
}
template <size_t I, class A, class B>
constexpr const auto &
get (const pair<A, B> &p)
{
  if constexpr (I == 0)
    return p.first;
  else
    return p.second;
}

template <size_t I, class A, class B>
constexpr typename tuple_element<I, pair<A, B>>::type &&
get (pair<A, B> &&p)
{
  return static_cast<typename tuple_element<I, pair<A, B>>::type &&> (get<I> (p));
}

template <class T, size_t N> struct array
{
  typedef T value_type;
  typedef T *iterator;
  typedef const T *const_iterator;
  T leat_items[N > 0 ? N : 1];

  constexpr T &operator[] (size_t i) { return leat_items[i]; }
  constexpr const T &operator[] (size_t i) const { return leat_items[i]; }
  constexpr T &front () { return leat_items[0]; }
  constexpr const T &front () const { return leat_items[0]; }
  constexpr T &back () { return leat_items[N - 1]; }
  constexpr const T &back () const { return leat_items[N - 1]; }
  constexpr T *data () { return leat_items; }
  constexpr const T *data () const { return leat_items; }
  constexpr T *begin () { return leat_items; }
  constexpr const T *begin () const { return leat_items; }
  constexpr T *end () { return leat_items + N; }
  constexpr const T *end () const { return leat_items + N; }
  static constexpr size_t size () { return N; }
  static constexpr bool empty () { return N == 0; }
  constexpr void fill (const T &v)
  {
    for (size_t i = 0; i < N; i++)
      leat_items[i] = v;
  }
};
template <class T, class... More> array (T, More...) -> array<T, 1 + sizeof...(More)>;
template <class T, size_t N> struct tuple_size<array<T, N>> : integral_constant<size_t, N> {};
template <size_t I, class T, size_t N> struct tuple_element<I, array<T, N>> : leat_type<T> {};
template <size_t I, class T, size_t N> constexpr T &get (array<T, N> &a) { return a[I]; }
template <size_t I, class T, size_t N> constexpr T &&get (array<T, N> &&a) { return static_cast<T &&> (a[I]); }
template <size_t I, class T, size_t N> constexpr const T &get (const array<T, N> &a) { return a[I]; }

template <class T, size_t N>
constexpr bool
operator== (const array<T, N> &x, const array<T, N> &y)
{
  for (size_t i = 0; i < N; i++)
    if (!(x[i] == y[i]))
      return false;
  return true;
}
template <class T, size_t N>
constexpr bool
operator< (const array<T, N> &x, const array<T, N> &y)
{
  for (size_t i = 0; i < N; i++)
    if (x[i] < y[i] || y[i] < x[i])
      return x[i] < y[i];
  return false;
}
template <class T, size_t N> constexpr bool operator!= (const array<T, N> &x, const array<T, N> &y) { return !(x == y); }
template <class T, size_t N> constexpr bool operator> (const array<T, N> &x, const array<T, N> &y) { return y < x; }
template <class T, size_t N> constexpr bool operator<= (const array<T, N> &x, const array<T, N> &y) { return !(y < x); }
template <class T, size_t N> constexpr bool operator>= (const array<T, N> &x, const array<T, N> &y) { return !(x < y); }

/* A tuple has one base for each of its items. */
template <size_t I, class T> struct leat_item
{
  T leat_value;
};
template <class I, class... T> struct leat_items_of;
template <size_t... I, class... T> struct leat_items_of<integer_sequence<size_t, I...>, T...> : leat_item<I, T>...
{
};
template <class... T> struct tuple : leat_items_of<make_index_sequence<sizeof...(T)>, T...>
{
  typedef leat_items_of<make_index_sequence<sizeof...(T)>, T...> leat_base;

  constexpr tuple () : leat_base{} {}
  template <class... U, class = typename enable_if<sizeof...(U) == sizeof...(T) && (sizeof...(U) > 0)>::type, class = decltype (((T) declval<U> (), ...))>
  constexpr tuple (U &&...v) : leat_base{ { (T) static_cast<U &&> (v) }... }
  {
  }
  template <class... U> constexpr tuple &operator= (const tuple<U...> &o)
  {
    leat_take (o, make_index_sequence<sizeof...(T)> ());
    return *this;
  }
  template <class A, class B> constexpr tuple &operator= (const pair<A, B> &o)
  {
    leat_take (o, make_index_sequence<sizeof...(T)> ());
    return *this;
  }
  template <class O, size_t... I> constexpr void leat_take (const O &o, integer_sequence<size_t, I...>)
  {
    (void) ((static_cast<leat_item<I, T> &> (*this).leat_value = get<I> (o), 0) + ... + 0);
  }
};
template <class... T> tuple (T...) -> tuple<T...>;
template <class... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class T, class... More> struct tuple_element<0, tuple<T, More...>> : leat_type<T> {};
template <size_t I, class T, class... More> struct tuple_element<I, tuple<T, More...>> : tuple_element<I - 1, tuple<More...>> {};
template <size_t I, class... T>
constexpr typename tuple_element<I, tuple<T...>>::type &
get (tuple<T...> &t)
{
  return static_cast<leat_item<I, typename tuple_element<I, tuple<T...>>::type> &> (t).leat_value;
}
template <size_t I, class... T>
constexpr const typename tuple_element<I, tuple<T...>>::type &
get (const tuple<T...> &t)
{
  return static_cast<const leat_item<I, typename tuple_element<I, tuple<T...>>::type> &> (t).leat_value;
}
template <size_t I, class... T>
constexpr typename tuple_element<I, tuple<T...>>::type &&
get (tuple<T...> &&t)
{
  return static_cast<typename tuple_element<I, tuple<T...>>::type &&> (get<I> (t));
}
/* From item I on. */
template <size_t I, class... A, class... B>
constexpr bool
leat_equal (const tuple<A...> &x, const tuple<B...> &y)
{
  if constexpr (I == sizeof...(A))
    return true;
  else
    return get<I> (x) == get<I> (y) && leat_equal<I + 1> (x, y);
}
template <size_t I, class... A, class... B>
constexpr bool
leat_less (const tuple<A...> &x, const tuple<B...> &y)
{
  if constexpr (I == sizeof...(A))
    return false;
  else
    return get<I> (x) < get<I> (y) || (!(get<I> (y) < get<I> (x)) && leat_less<I + 1> (x, y));
}
template <class... A, class... B> constexpr bool operator== (const tuple<A...> &x, const tuple<B...> &y) { return leat_equal<0> (x, y); }
template <class... A, class... B> constexpr bool operator!= (const tuple<A...> &x, const tuple<B...> &y) { return !(x == y); }
template <class... A, class... B> constexpr bool operator< (const tuple<A...> &x, const tuple<B...> &y) { return leat_less<0> (x, y); }
template <class... A, class... B> constexpr bool operator> (const tuple<A...> &x, const tuple<B...> &y) { return y < x; }
template <class... A, class... B> constexpr bool operator<= (const tuple<A...> &x, const tuple<B...> &y) { return !(y < x); }
template <class... A, class... B> constexpr bool operator>= (const tuple<A...> &x, const tuple<B...> &y) { return !(x < y); }
template <class... T>
constexpr tuple<typename decay<T>::type...>
make_tuple (T &&...v)
{
  return tuple<typename decay<T>::type...> (static_cast<T &&> (v)...);
}
/* Takes any item, and keeps none. */
struct leat_ignored
{
  template <class T> constexpr const leat_ignored &operator= (const T &) const { return *this; }
};
static constexpr leat_ignored ignore{};
template <class... T>
constexpr tuple<T &...>
tie (T &...v)
{
  return tuple<T &...> (v...);
}

} // namespace std
