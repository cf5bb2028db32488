/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* cuda::std on the CPU, behind leat-std-*.h. */

namespace std {
} // namespace std

namespace cuda {

namespace std = ::std;

template <class T = void> struct maximum
{
  constexpr T operator() (const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T = void> struct minimum
{
  constexpr T operator() (const T &a, const T &b) const { return b < a ? b : a; }
};
template <> struct maximum<void>
{
  template <class T> constexpr T operator() (const T &a, const T &b) const { return a < b ? b : a; }
};
template <> struct minimum<void>
{
  template <class T> constexpr T operator() (const T &a, const T &b) const { return b < a ? b : a; }
};

} // namespace cuda
