/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Complex numbers, as pairs in the order in which NumPy and CUDA have them.  Put before a text that has
 * `#include <leat-complex.h>`, on both sides.  Products are those of school, without a fused step; quotients and absolute
 * values are scaled first, as those of <cuComplex.h>, so that they overflow only where the result does. */

#ifdef LEAT_HOST
#define LEAT_COMPLEX inline __attribute__ ((always_inline))
#else
#define LEAT_COMPLEX __device__ __forceinline__
#endif

/* Aligned as a kernel's scratch memory is; arrays of them begin where any type may. */
template <class T>
struct __attribute__ ((aligned (8))) leat_pair
{
  T re, im;

  leat_pair () = default;
  LEAT_COMPLEX leat_pair (T a, T b) : re (a), im (b) {}
  /* A real number. */
  template <class N, class = decltype ((T) N ())>
  LEAT_COMPLEX leat_pair (N a) : re ((T) a), im (0)
  {
  }
  template <class N>
  LEAT_COMPLEX leat_pair (const leat_pair<N> &z) : re ((T) z.re), im ((T) z.im)
  {
  }

  LEAT_COMPLEX leat_pair operator+ () const { return *this; }
  LEAT_COMPLEX leat_pair operator- () const { return leat_pair (-re, -im); }
  LEAT_COMPLEX bool operator! () const { return re == 0 && im == 0; }
  LEAT_COMPLEX explicit operator bool () const { return re != 0 || im != 0; }

  friend LEAT_COMPLEX leat_pair operator+ (leat_pair a, leat_pair b) { return leat_pair (a.re + b.re, a.im + b.im); }
  friend LEAT_COMPLEX leat_pair operator- (leat_pair a, leat_pair b) { return leat_pair (a.re - b.re, a.im - b.im); }
  friend LEAT_COMPLEX leat_pair operator* (leat_pair a, leat_pair b)
  {
    return leat_pair (a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  }
  friend LEAT_COMPLEX leat_pair operator/ (leat_pair a, leat_pair b)
  {
    T scale = 1 / (fabs (b.re) + fabs (b.im));
    T ar = a.re * scale, ai = a.im * scale, br = b.re * scale, bi = b.im * scale;
    T by = 1 / (br * br + bi * bi);

    return leat_pair ((ar * br + ai * bi) * by, (ai * br - ar * bi) * by);
  }
  friend LEAT_COMPLEX bool operator== (leat_pair a, leat_pair b) { return a.re == b.re && a.im == b.im; }
  friend LEAT_COMPLEX bool operator!= (leat_pair a, leat_pair b) { return !(a == b); }
};
typedef leat_pair<float> leat_c64;
typedef leat_pair<double> leat_c128;

template <class T>
LEAT_COMPLEX T
leat_size_of (T a, T b)
{
  T large = fabs (a), small = fabs (b), ratio, size;

  if (!(large > small))
    {
      ratio = large;
      large = small;
      small = ratio;
    }
  ratio = small / large;
  size = large * sqrt (1 + ratio * ratio);
  /* 0, infinite, or a NaN beside an infinite one: no ratio. */
  return large == 0 || large - large != 0 || small - small != 0 ? large + small : size;
}

template <class T> LEAT_COMPLEX T real (leat_pair<T> z) { return z.re; }
template <class T> LEAT_COMPLEX T imag (leat_pair<T> z) { return z.im; }
template <class T> LEAT_COMPLEX leat_pair<T> conj (leat_pair<T> z) { return leat_pair<T> (z.re, -z.im); }
template <class T> LEAT_COMPLEX T abs (leat_pair<T> z) { return leat_size_of (z.re, z.im); }
