/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sums and extremes for dynamic programming.  See functions.h. */

#include "functions.h"

#ifdef __CUDACC__
#define TOLD(name, T)                                                                                                  \
  __device__ T value_of_##name (T a, T b)                                                                              \
  {                                                                                                                    \
    bool first;                                                                                                        \
    return __vib##name (a, b, &first);                                                                                 \
  }                                                                                                                    \
  __device__ int first_of_##name (T a, T b)                                                                            \
  {                                                                                                                    \
    bool first;                                                                                                        \
    __vib##name (a, b, &first);                                                                                        \
    return first;                                                                                                      \
  }
#define TOLD_HALVES(name)                                                                                              \
  __device__ unsigned int value_of_##name (unsigned int a, unsigned int b)                                             \
  {                                                                                                                    \
    bool high, low;                                                                                                    \
    return __vib##name (a, b, &high, &low);                                                                            \
  }                                                                                                                    \
  __device__ int first_of_##name (unsigned int a, unsigned int b)                                                      \
  {                                                                                                                    \
    bool high, low;                                                                                                    \
    __vib##name (a, b, &high, &low);                                                                                   \
    return high * 2 + low;                                                                                             \
  }
TOLD (max_s32, int)
TOLD (max_u32, unsigned int)
TOLD (min_s32, int)
TOLD (min_u32, unsigned int)
TOLD_HALVES (max_s16x2)
TOLD_HALVES (max_u16x2)
TOLD_HALVES (min_s16x2)
TOLD_HALVES (min_u16x2)
#endif

EXACT3 (int, int, int, int, __viaddmax_s32)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __viaddmax_u32)
EXACT3 (int, int, int, int, __viaddmax_s32_relu)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __viaddmax_s16x2)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __viaddmax_u16x2)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __viaddmax_s16x2_relu)
EXACT3 (int, int, int, int, __vimax3_s32)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __vimax3_u32)
EXACT3 (int, int, int, int, __vimax3_s32_relu)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __vimax3_s16x2)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __vimax3_u16x2)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __vimax3_s16x2_relu)
EXACT2 (int, int, int, __vimax_s32_relu)
EXACT2 (unsigned int, unsigned int, unsigned int, __vimax_s16x2_relu)
EXACT2_AS (__vibmax_s32, int, int, int, value_of_max_s32 (a, b))
EXACT2_AS (__vibmax_s32_first, int, int, int, first_of_max_s32 (a, b))
EXACT2_AS (__vibmax_u32, unsigned int, unsigned int, unsigned int, value_of_max_u32 (a, b))
EXACT2_AS (__vibmax_u32_first, int, unsigned int, unsigned int, first_of_max_u32 (a, b))
EXACT2_AS (__vibmax_s16x2, unsigned int, unsigned int, unsigned int, value_of_max_s16x2 (a, b))
EXACT2_AS (__vibmax_s16x2_first, int, unsigned int, unsigned int, first_of_max_s16x2 (a, b))
EXACT2_AS (__vibmax_u16x2, unsigned int, unsigned int, unsigned int, value_of_max_u16x2 (a, b))
EXACT2_AS (__vibmax_u16x2_first, int, unsigned int, unsigned int, first_of_max_u16x2 (a, b))
EXACT3 (int, int, int, int, __viaddmin_s32)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __viaddmin_u32)
EXACT3 (int, int, int, int, __viaddmin_s32_relu)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __viaddmin_s16x2)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __viaddmin_u16x2)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __viaddmin_s16x2_relu)
EXACT3 (int, int, int, int, __vimin3_s32)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __vimin3_u32)
EXACT3 (int, int, int, int, __vimin3_s32_relu)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __vimin3_s16x2)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __vimin3_u16x2)
EXACT3 (unsigned int, unsigned int, unsigned int, unsigned int, __vimin3_s16x2_relu)
EXACT2 (int, int, int, __vimin_s32_relu)
EXACT2 (unsigned int, unsigned int, unsigned int, __vimin_s16x2_relu)
EXACT2_AS (__vibmin_s32, int, int, int, value_of_min_s32 (a, b))
EXACT2_AS (__vibmin_s32_first, int, int, int, first_of_min_s32 (a, b))
EXACT2_AS (__vibmin_u32, unsigned int, unsigned int, unsigned int, value_of_min_u32 (a, b))
EXACT2_AS (__vibmin_u32_first, int, unsigned int, unsigned int, first_of_min_u32 (a, b))
EXACT2_AS (__vibmin_s16x2, unsigned int, unsigned int, unsigned int, value_of_min_s16x2 (a, b))
EXACT2_AS (__vibmin_s16x2_first, int, unsigned int, unsigned int, first_of_min_s16x2 (a, b))
EXACT2_AS (__vibmin_u16x2, unsigned int, unsigned int, unsigned int, value_of_min_u16x2 (a, b))
EXACT2_AS (__vibmin_u16x2_first, int, unsigned int, unsigned int, first_of_min_u16x2 (a, b))
