/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's vectors of four numbers of 64 bits that say how they are aligned.  Put before a text that names any of them. */

#define LEAT_ALIGNED(name, T, bytes)                                                                                   \
  struct __attribute__ ((aligned (bytes))) name##4_##bytes##a                                                          \
  {                                                                                                                    \
    T x, y, z, w;                                                                                                      \
  };                                                                                                                   \
  LEAT_INLINE name##4_##bytes##a make_##name##4_##bytes##a (T x, T y, T z, T w)                                        \
  {                                                                                                                    \
    return { x, y, z, w };                                                                                             \
  }
#define LEAT_ALIGNED_BOTH(name, T) LEAT_ALIGNED (name, T, 16) LEAT_ALIGNED (name, T, 32)
LEAT_ALIGNED_BOTH (long, long)
LEAT_ALIGNED_BOTH (ulong, unsigned long)
LEAT_ALIGNED_BOTH (longlong, long long)
LEAT_ALIGNED_BOTH (ulonglong, unsigned long long)
LEAT_ALIGNED_BOTH (double, double)
#undef LEAT_ALIGNED_BOTH
#undef LEAT_ALIGNED
