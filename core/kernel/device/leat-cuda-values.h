/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Types of CUDA's headers on the CPU that have nothing to do with threads: sizes with a promise about their alignment, and
 * what groups combine values by. */

namespace cuda {

template <size_t Align> struct aligned_size_t
{
  static constexpr size_t align = Align;
  size_t value;

  constexpr explicit aligned_size_t (size_t bytes) : value (bytes) {}
  constexpr operator size_t () const { return value; }
};

} // namespace cuda

namespace cooperative_groups {

#define LEAT_GROUP_OP(name, expression)                                                                                \
  template <class T = void> struct name                                                                                \
  {                                                                                                                    \
    LEAT_MEMBER T operator() (const T &a, const T &b) const { return expression; }                                     \
  };                                                                                                                   \
  template <> struct name<void>                                                                                        \
  {                                                                                                                    \
    template <class T> LEAT_MEMBER T operator() (const T &a, const T &b) const { return expression; }                  \
  };
LEAT_GROUP_OP (plus, a + b)
LEAT_GROUP_OP (less, b < a ? b : a)
LEAT_GROUP_OP (greater, a < b ? b : a)
LEAT_GROUP_OP (bit_and, a & b)
LEAT_GROUP_OP (bit_or, a | b)
LEAT_GROUP_OP (bit_xor, a ^ b)
#undef LEAT_GROUP_OP

} // namespace cooperative_groups
