/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What several of CUDA's headers have on the CPU: how values are handed over, sizes with a promise about their alignment,
 * and what groups combine values by. */

/* A value of any size, by pieces that a warp's lanes can hand over. */
template <class T, class F>
LEAT_INLINE T
leat_move_words (T v, F move)
{
  if constexpr (sizeof (T) <= 8)
    return move (v);
  else
    {
      uint64_t words[(sizeof (T) + 7) / 8] = {};

      __builtin_memcpy (words, &v, sizeof v);
      for (uint64_t &word : words)
        word = move (word);
      __builtin_memcpy (&v, words, sizeof v);
      return v;
    }
}

LEAT_INLINE unsigned int
leat_rank_in (uint3 index, dim3 extent)
{
  return index.x + extent.x * (index.y + extent.y * index.z);
}

/* The bits of the first @n lanes. */
LEAT_INLINE unsigned int
leat_mask_of (unsigned int n)
{
  return n >= 32 ? 0xffffffffu : (1u << n) - 1;
}

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
