/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What <cuda_bf16.h> has, for a host C++ compiler: see leat-cuda-fp16.h, which stands before it. */

struct __nv_bfloat16_raw
{
  unsigned short x;
};
struct __nv_bfloat162_raw
{
  unsigned short x, y;
};

struct __attribute__ ((aligned (2))) __nv_bfloat16
{
  unsigned short __x;

  __nv_bfloat16 () = default;
  constexpr __nv_bfloat16 (const __nv_bfloat16_raw &raw) : __x (raw.x) {}
  LEAT_MEMBER __nv_bfloat16 (float v) : __x (leat_to_bf16 (v)) {}
  LEAT_MEMBER __nv_bfloat16 (double v) : __x (leat_to_bf16 (v)) {}
  LEAT_MEMBER explicit __nv_bfloat16 (const __half v) : __x (leat_to_bf16 (leat_from_f16 (v.__x))) {}
  LEAT_FROM_WHOLE (__nv_bfloat16, leat_to_bf16)
  LEAT_MEMBER operator __nv_bfloat16_raw () const { return { __x }; }
  LEAT_MEMBER operator float () const { return leat_from_bf16 (__x); }
  LEAT_TO_WHOLE (, leat_from_bf16)
  LEAT_MEMBER operator bool () const { return (__x & 0x7fff) != 0; }
};
LEAT_MEMBER __half::__half (const __nv_bfloat16 v) : __x (leat_to_f16 (leat_from_bf16 (v.__x))) {}

struct __attribute__ ((aligned (4))) __nv_bfloat162
{
  __nv_bfloat16 x, y;

  __nv_bfloat162 () = default;
  LEAT_MEMBER __nv_bfloat162 (const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x (a), y (b) {}
  LEAT_MEMBER __nv_bfloat162 (const __nv_bfloat162_raw &raw)
      : x (__nv_bfloat16_raw{ raw.x }), y (__nv_bfloat16_raw{ raw.y })
  {
  }
  LEAT_MEMBER operator __nv_bfloat162_raw () const { return { x.__x, y.__x }; }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

LEAT_INLINE __nv_bfloat16 __float2bfloat16 (float v) { return v; }
LEAT_INLINE __nv_bfloat16 __float2bfloat16_rn (float v) { return v; }
LEAT_INLINE __nv_bfloat16 __float2bfloat16_rz (float v) { return __nv_bfloat16_raw{ leat_directed<8, 7> (v, 0) }; }
LEAT_INLINE __nv_bfloat16 __float2bfloat16_ru (float v) { return __nv_bfloat16_raw{ leat_directed<8, 7> (v, 1) }; }
LEAT_INLINE __nv_bfloat16 __float2bfloat16_rd (float v) { return __nv_bfloat16_raw{ leat_directed<8, 7> (v, -1) }; }
LEAT_INLINE __nv_bfloat16 __double2bfloat16 (double v) { return v; }
LEAT_INLINE float __bfloat162float (__nv_bfloat16 h) { return h; }
LEAT_INLINE __nv_bfloat162 __float2bfloat162_rn (float v) { return __nv_bfloat162 (v, v); }
LEAT_INLINE __nv_bfloat162 __floats2bfloat162_rn (float a, float b) { return __nv_bfloat162 (a, b); }
LEAT_INLINE __nv_bfloat162 __float22bfloat162_rn (float2 v) { return __nv_bfloat162 (v.x, v.y); }
LEAT_INLINE float2 __bfloat1622float2 (__nv_bfloat162 v) { return { v.x, v.y }; }
LEAT_INLINE __nv_bfloat162 make_bfloat162 (__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162 (a, b); }
LEAT_INLINE __nv_bfloat162 __bfloat162bfloat162 (__nv_bfloat16 a) { return __nv_bfloat162 (a, a); }
LEAT_INLINE __nv_bfloat162 __halves2bfloat162 (__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162 (a, b); }
LEAT_INLINE __nv_bfloat16 __low2bfloat16 (__nv_bfloat162 v) { return v.x; }
LEAT_INLINE __nv_bfloat16 __high2bfloat16 (__nv_bfloat162 v) { return v.y; }
LEAT_INLINE __nv_bfloat162 __low2bfloat162 (__nv_bfloat162 v) { return __nv_bfloat162 (v.x, v.x); }
LEAT_INLINE __nv_bfloat162 __high2bfloat162 (__nv_bfloat162 v) { return __nv_bfloat162 (v.y, v.y); }
LEAT_INLINE __nv_bfloat162 __lowhigh2highlow (__nv_bfloat162 v) { return __nv_bfloat162 (v.y, v.x); }
LEAT_INLINE __nv_bfloat162 __lows2bfloat162 (__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162 (a.x, b.x); }
LEAT_INLINE __nv_bfloat162 __highs2bfloat162 (__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162 (a.y, b.y); }
LEAT_INLINE short __bfloat16_as_short (__nv_bfloat16 h) { return (short) h.__x; }
LEAT_INLINE unsigned short __bfloat16_as_ushort (__nv_bfloat16 h) { return h.__x; }
LEAT_INLINE __nv_bfloat16 __short_as_bfloat16 (short v) { return __nv_bfloat16_raw{ (unsigned short) v }; }
LEAT_INLINE __nv_bfloat16 __ushort_as_bfloat16 (unsigned short v) { return __nv_bfloat16_raw{ v }; }

#define LEAT_HALF_WHOLE(name, W)                                                                                       \
  LEAT_INLINE __nv_bfloat16 __##name##2bfloat16_rn (W v) { return v; }                                                 \
  LEAT_INLINE __nv_bfloat16 __##name##2bfloat16_rz (W v) { return __nv_bfloat16_raw{ leat_directed<8, 7> (v, 0) }; }   \
  LEAT_INLINE __nv_bfloat16 __##name##2bfloat16_ru (W v) { return __nv_bfloat16_raw{ leat_directed<8, 7> (v, 1) }; }   \
  LEAT_INLINE __nv_bfloat16 __##name##2bfloat16_rd (W v) { return __nv_bfloat16_raw{ leat_directed<8, 7> (v, -1) }; }  \
  LEAT_INLINE W __bfloat162##name##_rn (__nv_bfloat16 h) { return leat_whole<W> (nearbyintf (h)); }                    \
  LEAT_INLINE W __bfloat162##name##_rz (__nv_bfloat16 h) { return leat_whole<W> (h); }                                 \
  LEAT_INLINE W __bfloat162##name##_ru (__nv_bfloat16 h) { return leat_whole<W> (ceilf (h)); }                         \
  LEAT_INLINE W __bfloat162##name##_rd (__nv_bfloat16 h) { return leat_whole<W> (floorf (h)); }
LEAT_HALF_WHOLE (short, short)
LEAT_HALF_WHOLE (ushort, unsigned short)
LEAT_HALF_WHOLE (int, int)
LEAT_HALF_WHOLE (uint, unsigned int)
LEAT_HALF_WHOLE (ll, long long)
LEAT_HALF_WHOLE (ull, unsigned long long)
#undef LEAT_HALF_WHOLE
LEAT_INLINE signed char __bfloat162char_rz (__nv_bfloat16 h) { return h; }
LEAT_INLINE unsigned char __bfloat162uchar_rz (__nv_bfloat16 h) { return h; }

/* For leat-cuda-half.h. */
#define LEAT_T __nv_bfloat16
#define LEAT_T2 __nv_bfloat162
