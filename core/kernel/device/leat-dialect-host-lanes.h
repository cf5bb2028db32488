/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Two numbers of 16 bits or four of 8 in a word, for a host C++ compiler: CUDA's `__v` functions, its dot products and
 * `__fns`.  Put before a text that names any of them, behind leat-dialect-host-bits.h. */

/* The number with or without sign of so many bits, and what it is limited to. */
template <int Bits, bool Signed>
struct leat_lane
{
  static constexpr int most = Signed ? (1 << (Bits - 1)) - 1 : (1 << Bits) - 1;
  static constexpr int least = Signed ? -most - 1 : 0;
  static constexpr unsigned int mask = (1u << Bits) - 1;

  LEAT_MEMBER static int get (unsigned int word, int at)
  {
    return Signed ? (int) (word << (32 - Bits - at)) >> (32 - Bits) : (int) (word >> at & mask);
  }
  LEAT_MEMBER static int limit (int x) { return x < least ? least : x > most ? most : x; }
};

LEAT_INLINE int leat_distance (int x, int y) { return x > y ? x - y : y - x; }

/* @f of each pair makes a number of the same place. */
template <int Bits, bool Signed, class F>
LEAT_INLINE unsigned int
leat_by_lane (unsigned int a, unsigned int b, F f)
{
  typedef leat_lane<Bits, Signed> lane;
  unsigned int r = 0;

  for (int at = 0; at < 32; at += Bits)
    r |= ((unsigned int) f (lane::get (a, at), lane::get (b, at)) & lane::mask) << at;
  return r;
}

#define LEAT_LANES2(name, bits, is_signed, result)                                                                     \
  LEAT_INLINE unsigned int name (unsigned int a, unsigned int b)                                                       \
  {                                                                                                                    \
    typedef leat_lane<bits, is_signed> lane;                                                                           \
                                                                                                                       \
    return leat_by_lane<bits, is_signed> (a, b, [] (int x, int y) { return result; });                                 \
  }
#define LEAT_LANES1(name, bits, result)                                                                                \
  LEAT_INLINE unsigned int name (unsigned int a)                                                                       \
  {                                                                                                                    \
    typedef leat_lane<bits, true> lane;                                                                                \
                                                                                                                       \
    return leat_by_lane<bits, true> (a, 0, [] (int x, int) { return result; });                                        \
  }
#define LEAT_COMPARED(name, sign, bits, is_signed, op)                                                                 \
  LEAT_LANES2 (__vcmp##name##sign, bits, is_signed, x op y ? -1 : 0)                                                   \
  LEAT_LANES2 (__vset##name##sign, bits, is_signed, x op y ? 1 : 0)
#define LEAT_LANES(n, bits)                                                                                            \
  LEAT_LANES1 (__vabs##n, bits, x < 0 ? -x : x)                                                                        \
  LEAT_LANES1 (__vabsss##n, bits, lane::limit (x < 0 ? -x : x))                                                        \
  LEAT_LANES1 (__vneg##n, bits, -x)                                                                                    \
  LEAT_LANES1 (__vnegss##n, bits, lane::limit (-x))                                                                    \
  LEAT_LANES2 (__vadd##n, bits, false, x + y)                                                                          \
  LEAT_LANES2 (__vaddss##n, bits, true, lane::limit (x + y))                                                           \
  LEAT_LANES2 (__vaddus##n, bits, false, lane::limit (x + y))                                                          \
  LEAT_LANES2 (__vsub##n, bits, false, x - y)                                                                          \
  LEAT_LANES2 (__vsubss##n, bits, true, lane::limit (x - y))                                                           \
  LEAT_LANES2 (__vsubus##n, bits, false, lane::limit (x - y))                                                          \
  LEAT_LANES2 (__vavgs##n, bits, true, (x + y + (x + y >= 0)) >> 1)                                                    \
  LEAT_LANES2 (__vavgu##n, bits, false, (x + y + 1) >> 1)                                                              \
  LEAT_LANES2 (__vhaddu##n, bits, false, (x + y) >> 1)                                                                 \
  LEAT_LANES2 (__vabsdiffs##n, bits, true, leat_distance (x, y))                                                       \
  LEAT_LANES2 (__vabsdiffu##n, bits, false, leat_distance (x, y))                                                      \
  LEAT_LANES2 (__vmaxs##n, bits, true, x > y ? x : y)                                                                  \
  LEAT_LANES2 (__vmaxu##n, bits, false, x > y ? x : y)                                                                 \
  LEAT_LANES2 (__vmins##n, bits, true, x < y ? x : y)                                                                  \
  LEAT_LANES2 (__vminu##n, bits, false, x < y ? x : y)                                                                 \
  LEAT_COMPARED (eq, n, bits, false, ==)                                                                               \
  LEAT_COMPARED (ne, n, bits, false, !=)                                                                               \
  LEAT_COMPARED (ges, n, bits, true, >=)                                                                               \
  LEAT_COMPARED (geu, n, bits, false, >=)                                                                              \
  LEAT_COMPARED (gts, n, bits, true, >)                                                                                \
  LEAT_COMPARED (gtu, n, bits, false, >)                                                                               \
  LEAT_COMPARED (les, n, bits, true, <=)                                                                               \
  LEAT_COMPARED (leu, n, bits, false, <=)                                                                              \
  LEAT_COMPARED (lts, n, bits, true, <)                                                                                \
  LEAT_COMPARED (ltu, n, bits, false, <)                                                                               \
  LEAT_INLINE unsigned int __vsads##n (unsigned int a, unsigned int b) { return leat_distances<bits, true> (a, b); }   \
  LEAT_INLINE unsigned int __vsadu##n (unsigned int a, unsigned int b) { return leat_distances<bits, false> (a, b); }

template <int Bits, bool Signed>
LEAT_INLINE unsigned int
leat_distances (unsigned int a, unsigned int b)
{
  typedef leat_lane<Bits, Signed> lane;
  unsigned int sum = 0;

  for (int at = 0; at < 32; at += Bits)
    sum += (unsigned int) leat_distance (lane::get (a, at), lane::get (b, at));
  return sum;
}

LEAT_LANES (2, 16)
LEAT_LANES (4, 8)
#undef LEAT_LANES
#undef LEAT_LANES1
#undef LEAT_LANES2
#undef LEAT_COMPARED

/* Dot products. */
#define LEAT_DOT(T, short_pair, four_chars, is_signed)                                                                 \
  LEAT_INLINE T __dp2a_lo (T a, T b, T c)                                                                              \
  {                                                                                                                    \
    return c + (T) leat_lane<16, is_signed>::get ((unsigned int) a, 0) * (T) leat_lane<8, is_signed>::get ((unsigned int) b, 0) \
           + (T) leat_lane<16, is_signed>::get ((unsigned int) a, 16) * (T) leat_lane<8, is_signed>::get ((unsigned int) b, 8); \
  }                                                                                                                    \
  LEAT_INLINE T __dp2a_hi (T a, T b, T c) { return __dp2a_lo (a, (T) ((unsigned int) b >> 16), c); }                   \
  LEAT_INLINE T __dp2a_lo (short_pair a, four_chars b, T c) { return __dp2a_lo (leat_bits<T> (a), leat_bits<T> (b), c); } \
  LEAT_INLINE T __dp2a_hi (short_pair a, four_chars b, T c) { return __dp2a_hi (leat_bits<T> (a), leat_bits<T> (b), c); } \
  LEAT_INLINE T __dp4a (four_chars a, four_chars b, T c) { return __dp4a (leat_bits<T> (a), leat_bits<T> (b), c); }
LEAT_DOT (int, short2, char4, true)
LEAT_DOT (unsigned int, ushort2, uchar4, false)
#undef LEAT_DOT

/* The place of the bit that is @offset set bits from @base on: up where it is positive, down where it is negative, the
 * one at @base counting; -1 where there is none. */
LEAT_INLINE unsigned int
__fns (unsigned int mask, unsigned int base, int offset)
{
  int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;

  if (offset == 0)
    return mask >> (base & 31) & 1 ? base : 0xffffffffu;
  for (int at = (int) base; at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) && --left == 0)
      return (unsigned int) at;
  return 0xffffffffu;
}
