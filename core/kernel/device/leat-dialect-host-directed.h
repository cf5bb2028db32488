/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's functions that say how they round.  Behind leat-dialect-host-rounded.h. */

/* To nearest: of the float that doubles lead to, and those halfway to its neighbours, the squares tell where 1 / x lies.
 * They are exact. */
LEAT_INLINE float
__frsqrt_rn (float x)
{
  float y = (float) (1.0 / sqrt ((double) x));
  double below = ((double) y + (double) leat_neighbour (y, false)) / 2;
  double above = ((double) y + (double) leat_neighbour (y, true)) / 2;

  if (!(y > 0 && x > 0))
    return y;
  if (fma (below * below, (double) x, -1) > 0)
    return leat_neighbour (y, false);
  return fma (above * above, (double) x, -1) < 0 ? leat_neighbour (y, true) : y;
}

/* A whole number of 64 bits as the sum of its halves. */
#define LEAT_UPPER(x) ((double) (x >> 32) * 0x1p32)
#define LEAT_LOWER(x) ((double) (unsigned int) x)
#define LEAT_DIRECTED(way, R)                                                                                          \
  LEAT_INLINE float __fadd_##way (float x, float y) { return leat_sum<R> (x, y); }                                     \
  LEAT_INLINE float __fsub_##way (float x, float y) { return leat_sum<R> (x, -y); }                                    \
  LEAT_INLINE float __fmul_##way (float x, float y) { return leat_product<R> (x, y); }                                 \
  LEAT_INLINE float __fdiv_##way (float x, float y) { return leat_ratio<R> (x, y); }                                   \
  LEAT_INLINE float __frcp_##way (float x) { return leat_ratio<R> (1.0f, x); }                                         \
  LEAT_INLINE float __fsqrt_##way (float x) { return leat_root<R> (x); }                                               \
  LEAT_INLINE float __fmaf_##way (float x, float y, float z) { return leat_fused<R> (x, y, z); }                       \
  LEAT_INLINE float __fmaf_ieee_##way (float x, float y, float z) { return leat_fused<R> (x, y, z); }                  \
  LEAT_INLINE double __dadd_##way (double x, double y) { return leat_sum<R> (x, y); }                                  \
  LEAT_INLINE double __dsub_##way (double x, double y) { return leat_sum<R> (x, -y); }                                 \
  LEAT_INLINE double __dmul_##way (double x, double y) { return leat_product<R> (x, y); }                              \
  LEAT_INLINE double __ddiv_##way (double x, double y) { return leat_ratio<R> (x, y); }                                \
  LEAT_INLINE double __drcp_##way (double x) { return leat_ratio<R> (1.0, x); }                                        \
  LEAT_INLINE double __dsqrt_##way (double x) { return leat_root<R> (x); }                                             \
  LEAT_INLINE double __fma_##way (double x, double y, double z) { return leat_fused<R> (x, y, z); }                    \
  LEAT_INLINE float __double2float_##way (double x) { return leat_narrowed<R> (x, 0); }                                \
  LEAT_INLINE float __int2float_##way (int x) { return leat_narrowed<R> (x, 0); }                                      \
  LEAT_INLINE float __uint2float_##way (unsigned int x) { return leat_narrowed<R> (x, 0); }                            \
  LEAT_INLINE float __ll2float_##way (long long x) { return leat_sum_of<R> (LEAT_UPPER (x), LEAT_LOWER (x)); } \
  LEAT_INLINE float __ull2float_##way (unsigned long long x) { return leat_sum_of<R> (LEAT_UPPER (x), LEAT_LOWER (x)); } \
  LEAT_INLINE double __ll2double_##way (long long x) { return leat_sum<R> (LEAT_UPPER (x), LEAT_LOWER (x)); } \
  LEAT_INLINE double __ull2double_##way (unsigned long long x) { return leat_sum<R> (LEAT_UPPER (x), LEAT_LOWER (x)); }
LEAT_DIRECTED (rd, LEAT_ROUND_RD)
LEAT_DIRECTED (ru, LEAT_ROUND_RU)
LEAT_DIRECTED (rz, LEAT_ROUND_RZ)
#undef LEAT_DIRECTED
LEAT_INLINE float __fmaf_ieee_rn (float x, float y, float z) { return fmaf (x, y, z); }
#undef LEAT_UPPER
#undef LEAT_LOWER
