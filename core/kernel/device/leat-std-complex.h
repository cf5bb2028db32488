/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* std::complex on both sides.  Products are those of school; quotients are scaled by the larger part of the divisor first. */

namespace std {

template <class T> struct alignas (2 * sizeof (T)) complex
{
  typedef T value_type;
  T leat_re, leat_im;

  constexpr complex (T re = T (), T im = T ()) : leat_re (re), leat_im (im) {}
  template <class U> constexpr complex (const complex<U> &z) : leat_re ((T) z.real ()), leat_im ((T) z.imag ()) {}
  constexpr T real () const { return leat_re; }
  constexpr T imag () const { return leat_im; }
  constexpr void real (T v) { leat_re = v; }
  constexpr void imag (T v) { leat_im = v; }
  constexpr complex &operator+= (const complex &o) { return *this = *this + o; }
  constexpr complex &operator-= (const complex &o) { return *this = *this - o; }
  constexpr complex &operator*= (const complex &o) { return *this = *this * o; }
  constexpr complex &operator/= (const complex &o) { return *this = *this / o; }
  constexpr complex operator+ () const { return *this; }
  constexpr complex operator- () const { return complex (-leat_re, -leat_im); }

  friend constexpr complex operator+ (const complex &a, const complex &b) { return complex (a.leat_re + b.leat_re, a.leat_im + b.leat_im); }
  friend constexpr complex operator- (const complex &a, const complex &b) { return complex (a.leat_re - b.leat_re, a.leat_im - b.leat_im); }
  friend constexpr complex operator* (const complex &a, const complex &b)
  {
    return complex (a.leat_re * b.leat_re - a.leat_im * b.leat_im, a.leat_re * b.leat_im + a.leat_im * b.leat_re);
  }
  friend constexpr complex operator/ (const complex &a, const complex &b)
  {
    bool flat = (b.leat_re < 0 ? -b.leat_re : b.leat_re) >= (b.leat_im < 0 ? -b.leat_im : b.leat_im);
    T ratio = flat ? b.leat_im / b.leat_re : b.leat_re / b.leat_im;
    T whole = flat ? b.leat_re + b.leat_im * ratio : b.leat_im + b.leat_re * ratio;

    return flat ? complex ((a.leat_re + a.leat_im * ratio) / whole, (a.leat_im - a.leat_re * ratio) / whole)
                : complex ((a.leat_re * ratio + a.leat_im) / whole, (a.leat_im * ratio - a.leat_re) / whole);
  }
  friend constexpr bool operator== (const complex &a, const complex &b) { return a.leat_re == b.leat_re && a.leat_im == b.leat_im; }
  friend constexpr bool operator!= (const complex &a, const complex &b) { return !(a == b); }
};

template <class T> constexpr T real (const complex<T> &z) { return z.real (); }
template <class T> constexpr T imag (const complex<T> &z) { return z.imag (); }
template <class T> constexpr T norm (const complex<T> &z) { return z.real () * z.real () + z.imag () * z.imag (); }
template <class T> constexpr complex<T> conj (const complex<T> &z) { return complex<T> (z.real (), -z.imag ()); }
template <class T> inline T abs (const complex<T> &z) { return ::hypot (z.real (), z.imag ()); }
template <class T> inline T arg (const complex<T> &z) { return ::atan2 (z.imag (), z.real ()); }
template <class T> inline complex<T> polar (T size, T angle = T ()) { return complex<T> (size * ::cos (angle), size * ::sin (angle)); }
template <class T> inline complex<T> exp (const complex<T> &z) { return polar (::exp (z.real ()), z.imag ()); }

} // namespace std
