/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What <cuda_fp16.h> has, for a host C++ compiler: the classes and conversions; leat-cuda-half.h, which stands behind this,
 * has the rest.  Put before a text that includes it; on a GPU that is the toolkit's own header.  Values, not their bits, are
 * computed with: each operation has one rounding, as on a GPU, since a float has more than twice the bits. */

struct __half_raw
{
  unsigned short x;
};
struct __half2_raw
{
  unsigned short x, y;
};

struct __nv_bfloat16;

struct __attribute__ ((aligned (2))) __half
{
  unsigned short __x;

  __half () = default;
  constexpr __half (const __half_raw &raw) : __x (raw.x) {}
  LEAT_MEMBER __half (float v) : __x (leat_to_f16 (v)) {}
  LEAT_MEMBER __half (double v) : __x (leat_to_f16 (v)) {}
  explicit __half (const __nv_bfloat16 v);
  LEAT_FROM_WHOLE (__half, leat_to_f16)
  LEAT_MEMBER operator __half_raw () const { return { __x }; }
  LEAT_MEMBER operator float () const { return leat_from_f16 (__x); }
  LEAT_TO_WHOLE (, leat_from_f16)
  LEAT_MEMBER operator bool () const { return (__x & 0x7fff) != 0; }
};

struct __attribute__ ((aligned (4))) __half2
{
  __half x, y;

  __half2 () = default;
  LEAT_MEMBER __half2 (const __half &a, const __half &b) : x (a), y (b) {}
  LEAT_MEMBER __half2 (const __half2_raw &raw) : x (__half_raw{ raw.x }), y (__half_raw{ raw.y }) {}
  LEAT_MEMBER operator __half2_raw () const { return { x.__x, y.__x }; }
};

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

/* Conversions by name.  Of those that do not round to the nearest, the direction is that of <fenv.h>'s modes. */
LEAT_INLINE __half __float2half (float v) { return v; }
LEAT_INLINE __half __float2half_rn (float v) { return v; }
LEAT_INLINE __half __float2half_rz (float v) { return __half_raw{ leat_directed<5, 10> (v, 0) }; }
LEAT_INLINE __half __float2half_ru (float v) { return __half_raw{ leat_directed<5, 10> (v, 1) }; }
LEAT_INLINE __half __float2half_rd (float v) { return __half_raw{ leat_directed<5, 10> (v, -1) }; }
LEAT_INLINE __half __double2half (double v) { return v; }
LEAT_INLINE float __half2float (__half h) { return h; }
LEAT_INLINE __half2 __float2half2_rn (float v) { return __half2 (v, v); }
LEAT_INLINE __half2 __floats2half2_rn (float a, float b) { return __half2 (a, b); }
LEAT_INLINE __half2 __float22half2_rn (float2 v) { return __half2 (v.x, v.y); }
LEAT_INLINE float2 __half22float2 (__half2 v) { return { v.x, v.y }; }
LEAT_INLINE __half2 make_half2 (__half a, __half b) { return __half2 (a, b); }
LEAT_INLINE __half2 __half2half2 (__half a) { return __half2 (a, a); }
LEAT_INLINE __half __low2half (__half2 v) { return v.x; }
LEAT_INLINE __half __high2half (__half2 v) { return v.y; }
LEAT_INLINE __half2 __halves2half2 (__half a, __half b) { return __half2 (a, b); }
LEAT_INLINE __half2 __low2half2 (__half2 v) { return __half2 (v.x, v.x); }
LEAT_INLINE __half2 __high2half2 (__half2 v) { return __half2 (v.y, v.y); }
LEAT_INLINE __half2 __lowhigh2highlow (__half2 v) { return __half2 (v.y, v.x); }
LEAT_INLINE __half2 __lows2half2 (__half2 a, __half2 b) { return __half2 (a.x, b.x); }
LEAT_INLINE __half2 __highs2half2 (__half2 a, __half2 b) { return __half2 (a.y, b.y); }
LEAT_INLINE short __half_as_short (__half h) { return (short) h.__x; }
LEAT_INLINE unsigned short __half_as_ushort (__half h) { return h.__x; }
LEAT_INLINE __half __short_as_half (short v) { return __half_raw{ (unsigned short) v }; }
LEAT_INLINE __half __ushort_as_half (unsigned short v) { return __half_raw{ v }; }

#define LEAT_HALF_WHOLE(name, W)                                                                                       \
  LEAT_INLINE __half __##name##2half_rn (W v) { return v; }                                                            \
  LEAT_INLINE __half __##name##2half_rz (W v) { return __half_raw{ leat_directed<5, 10> (v, 0) }; }                    \
  LEAT_INLINE __half __##name##2half_ru (W v) { return __half_raw{ leat_directed<5, 10> (v, 1) }; }                    \
  LEAT_INLINE __half __##name##2half_rd (W v) { return __half_raw{ leat_directed<5, 10> (v, -1) }; }                   \
  LEAT_INLINE W __half2##name##_rn (__half h) { return leat_whole<W> (nearbyintf (h)); }                            \
  LEAT_INLINE W __half2##name##_rz (__half h) { return leat_whole<W> (h); }                                \
  LEAT_INLINE W __half2##name##_ru (__half h) { return leat_whole<W> (ceilf (h)); }                                 \
  LEAT_INLINE W __half2##name##_rd (__half h) { return leat_whole<W> (floorf (h)); }
LEAT_HALF_WHOLE (short, short)
LEAT_HALF_WHOLE (ushort, unsigned short)
LEAT_HALF_WHOLE (int, int)
LEAT_HALF_WHOLE (uint, unsigned int)
LEAT_HALF_WHOLE (ll, long long)
LEAT_HALF_WHOLE (ull, unsigned long long)
#undef LEAT_HALF_WHOLE
LEAT_INLINE signed char __half2char_rz (__half h) { return h; }
LEAT_INLINE unsigned char __half2uchar_rz (__half h) { return h; }

#define CUDART_INF_FP16 __ushort_as_half (0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half (0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half (0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half (0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half (0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half (0x0000)
#define CUDART_ONE_FP16 __ushort_as_half (0x3c00)

/* For leat-cuda-half.h. */
#define LEAT_T __half
#define LEAT_T2 __half2
