/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's functions for dynamic programming (`__vi`), for a host C++ compiler: sums and extremes of a word, or of both its
 * halves.  Put before a text that names any of them. */

template <class T> LEAT_INLINE T leat_greater (T a, T b) { return a > b ? a : b; }
template <class T> LEAT_INLINE T leat_lesser (T a, T b) { return a < b ? a : b; }

/* @f of the upper halves and of the lower ones. */
template <class T, class F>
LEAT_INLINE unsigned int
leat_by_half (unsigned int a, unsigned int b, unsigned int c, F f)
{
  unsigned int low = (unsigned short) f ((T) a, (T) b, (T) c);
  unsigned int high = (unsigned short) f ((T) (a >> 16), (T) (b >> 16), (T) (c >> 16));

  return high << 16 | low;
}

#define LEAT_WHOLE2(name, T, result)                                                                                   \
  LEAT_INLINE T name (T a, T b)                                                                                        \
  {                                                                                                                    \
    return result;                                                                                                     \
  }
#define LEAT_WHOLE3(name, T, result)                                                                                   \
  LEAT_INLINE T name (T a, T b, T c)                                                                                   \
  {                                                                                                                    \
    return result;                                                                                                     \
  }
#define LEAT_HALVES2(name, T, result)                                                                                  \
  LEAT_INLINE unsigned int name (unsigned int x, unsigned int y)                                                       \
  {                                                                                                                    \
    return leat_by_half<T> (x, y, 0, [] (T a, T b, T) { return (T) (result); });                                       \
  }
#define LEAT_HALVES3(name, T, result)                                                                                  \
  LEAT_INLINE unsigned int name (unsigned int x, unsigned int y, unsigned int z)                                       \
  {                                                                                                                    \
    return leat_by_half<T> (x, y, z, [] (T a, T b, T c) { return (T) (result); });                                     \
  }

/* Sums wrap.  `_relu`: no less than 0. */
#define LEAT_DPX(extreme, pick)                                                                                        \
  LEAT_WHOLE3 (__viadd##extreme##_s32, int, pick (a + b, c))                                                           \
  LEAT_WHOLE3 (__viadd##extreme##_u32, unsigned int, pick (a + b, c))                                                  \
  LEAT_WHOLE3 (__viadd##extreme##_s32_relu, int, leat_greater (pick (a + b, c), 0))                                    \
  LEAT_HALVES3 (__viadd##extreme##_s16x2, short, pick ((short) (a + b), c))                                            \
  LEAT_HALVES3 (__viadd##extreme##_u16x2, unsigned short, pick ((unsigned short) (a + b), c))                          \
  LEAT_HALVES3 (__viadd##extreme##_s16x2_relu, short, leat_greater (pick ((short) (a + b), c), (short) 0))             \
  LEAT_WHOLE3 (__vi##extreme##3_s32, int, pick (pick (a, b), c))                                                       \
  LEAT_WHOLE3 (__vi##extreme##3_u32, unsigned int, pick (pick (a, b), c))                                              \
  LEAT_WHOLE3 (__vi##extreme##3_s32_relu, int, leat_greater (pick (pick (a, b), c), 0))                                \
  LEAT_HALVES3 (__vi##extreme##3_s16x2, short, pick (pick (a, b), c))                                                  \
  LEAT_HALVES3 (__vi##extreme##3_u16x2, unsigned short, pick (pick (a, b), c))                                         \
  LEAT_HALVES3 (__vi##extreme##3_s16x2_relu, short, leat_greater (pick (pick (a, b), c), (short) 0))                   \
  LEAT_WHOLE2 (__vi##extreme##_s32_relu, int, leat_greater (pick (a, b), 0))                                           \
  LEAT_HALVES2 (__vi##extreme##_s16x2_relu, short, leat_greater (pick (a, b), (short) 0))
LEAT_DPX (max, leat_greater)
LEAT_DPX (min, leat_lesser)
#undef LEAT_DPX
#undef LEAT_WHOLE2
#undef LEAT_WHOLE3
#undef LEAT_HALVES2
#undef LEAT_HALVES3

/* Those that tell, too, whether the first was taken. */
#define LEAT_TOLD(name, T, op)                                                                                         \
  LEAT_INLINE T name (T a, T b, bool *first)                                                                           \
  {                                                                                                                    \
    *first = a op b;                                                                                                   \
    return a op b ? a : b;                                                                                             \
  }
#define LEAT_TOLD_HALVES(name, T, op)                                                                                  \
  LEAT_INLINE unsigned int name (unsigned int a, unsigned int b, bool *high, bool *low)                                \
  {                                                                                                                    \
    *high = (T) (a >> 16) op (T) (b >> 16);                                                                            \
    *low = (T) a op (T) b;                                                                                             \
    return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                                               \
  }
LEAT_TOLD (__vibmax_s32, int, >=)
LEAT_TOLD (__vibmax_u32, unsigned int, >=)
LEAT_TOLD (__vibmin_s32, int, <=)
LEAT_TOLD (__vibmin_u32, unsigned int, <=)
LEAT_TOLD_HALVES (__vibmax_s16x2, short, >=)
LEAT_TOLD_HALVES (__vibmax_u16x2, unsigned short, >=)
LEAT_TOLD_HALVES (__vibmin_s16x2, short, <=)
LEAT_TOLD_HALVES (__vibmin_u16x2, unsigned short, <=)
#undef LEAT_TOLD
#undef LEAT_TOLD_HALVES
