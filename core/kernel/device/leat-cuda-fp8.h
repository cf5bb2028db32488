/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What <cuda_fp8.h> has, for a host C++ compiler.  Behind leat-cuda-bf16.h and what is in front of that. */

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t
{
  __NV_NOSAT,
  __NV_SATFINITE
} __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t
{
  __NV_E4M3,
  __NV_E5M2
} __nv_fp8_interpretation_t;

/* @x: rounded to odd where it is not exact; @size: of what it came from */
LEAT_INLINE __nv_fp8_storage_t
leat_to_fp8 (float x, double size, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
  unsigned char bits = kind == __NV_E4M3 ? leat_to_f8e4m3 (x) : leat_to_f8e5m2 (x), sign = bits & 0x80;

  if (saturate == __NV_SATFINITE || !(size > 464))
    return bits;
  if (kind == __NV_E4M3)
    return sign | 0x7f;
  return size >= 61440 ? sign | 0x7c : bits;
}
LEAT_INLINE __nv_fp8_storage_t
__nv_cvt_float_to_fp8 (float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
  return leat_to_fp8 (x, fabsf (x), saturate, kind);
}
LEAT_INLINE __nv_fp8_storage_t
__nv_cvt_double_to_fp8 (double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
  unsigned int high = (unsigned int) __double2hiint (x);

  /* Of a NaN the sign stays, and the upper bits. */
  if (x != x)
    return (__nv_fp8_storage_t) ((high >> 24 & 0x80) | (kind == __NV_E4M3 ? 0x7f : 0x7e | (high >> 18 & 3)));
  return leat_to_fp8 (leat_round_to_odd (x), fabs (x), saturate, kind);
}
LEAT_INLINE __nv_fp8_storage_t
__nv_cvt_halfraw_to_fp8 (__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
  return __nv_cvt_float_to_fp8 (leat_from_f16 (x.x), saturate, kind);
}
LEAT_INLINE __nv_fp8_storage_t
__nv_cvt_bfloat16raw_to_fp8 (__nv_bfloat16_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
  return __nv_cvt_float_to_fp8 (leat_from_bf16 (x.x), saturate, kind);
}

#define LEAT_FP8_PAIR(name, V, one)                                                                                    \
  LEAT_INLINE __nv_fp8x2_storage_t name (V v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)              \
  {                                                                                                                    \
    return (__nv_fp8x2_storage_t) (__nv_cvt_##one##_to_fp8 ({ v.x }, saturate, kind)                                   \
                                   | __nv_cvt_##one##_to_fp8 ({ v.y }, saturate, kind) << 8);                          \
  }
LEAT_FP8_PAIR (__nv_cvt_float2_to_fp8x2, float2, float)
LEAT_FP8_PAIR (__nv_cvt_double2_to_fp8x2, double2, double)
LEAT_FP8_PAIR (__nv_cvt_halfraw2_to_fp8x2, __half2_raw, halfraw)
LEAT_FP8_PAIR (__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, bfloat16raw)
#undef LEAT_FP8_PAIR

LEAT_INLINE __half_raw
__nv_cvt_fp8_to_halfraw (__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
  return { leat_to_f16 (kind == __NV_E4M3 ? leat_from_f8e4m3 (x) : leat_from_f8e5m2 (x)) };
}
LEAT_INLINE __half2_raw
__nv_cvt_fp8x2_to_halfraw2 (__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind)
{
  return { __nv_cvt_fp8_to_halfraw ((unsigned char) x, kind).x,
           __nv_cvt_fp8_to_halfraw ((unsigned char) (x >> 8), kind).x };
}

#define LEAT_FP8_FROM(T, W)                                                                                            \
  LEAT_MEMBER explicit T (W v) : __x (make ((float) leat_round_to_odd (v))) {}
#define LEAT_FP8(kind, suffix)                                                                                         \
  struct __nv_fp8_##suffix                                                                                             \
  {                                                                                                                    \
    __nv_fp8_storage_t __x;                                                                                            \
                                                                                                                       \
    __nv_fp8_##suffix () = default;                                                                                    \
    LEAT_MEMBER static __nv_fp8_storage_t make (float v) { return __nv_cvt_float_to_fp8 (v, __NV_SATFINITE, kind); }   \
    LEAT_MEMBER explicit __nv_fp8_##suffix (float v) : __x (make (v)) {}                                               \
    LEAT_MEMBER explicit __nv_fp8_##suffix (double v) : __x (__nv_cvt_double_to_fp8 (v, __NV_SATFINITE, kind)) {}      \
    LEAT_MEMBER explicit __nv_fp8_##suffix (__half v) : __x (make (v)) {}                                              \
    LEAT_MEMBER explicit __nv_fp8_##suffix (__nv_bfloat16 v) : __x (make (v)) {}                                       \
    LEAT_FP8_FROM (__nv_fp8_##suffix, short) LEAT_FP8_FROM (__nv_fp8_##suffix, unsigned short)                         \
    LEAT_FP8_FROM (__nv_fp8_##suffix, int) LEAT_FP8_FROM (__nv_fp8_##suffix, unsigned int)                             \
    LEAT_FP8_FROM (__nv_fp8_##suffix, long) LEAT_FP8_FROM (__nv_fp8_##suffix, unsigned long)                           \
    LEAT_FP8_FROM (__nv_fp8_##suffix, long long) LEAT_FP8_FROM (__nv_fp8_##suffix, unsigned long long)                 \
    LEAT_MEMBER explicit operator float () const { return leat_from_f8##suffix (__x); }                                \
    LEAT_MEMBER explicit operator double () const { return leat_from_f8##suffix (__x); }                               \
    LEAT_MEMBER explicit operator __half () const { return __half (leat_from_f8##suffix (__x)); }                      \
    LEAT_MEMBER explicit operator __nv_bfloat16 () const { return __nv_bfloat16 (leat_from_f8##suffix (__x)); }        \
    LEAT_TO_WHOLE (explicit, leat_from_f8##suffix)                                                                     \
    LEAT_MEMBER explicit operator bool () const { return (__x & 0x7f) != 0; }                                          \
  };                                                                                                                   \
  struct __attribute__ ((aligned (2))) __nv_fp8x2_##suffix                                                             \
  {                                                                                                                    \
    __nv_fp8x2_storage_t __x;                                                                                          \
                                                                                                                       \
    __nv_fp8x2_##suffix () = default;                                                                                  \
    LEAT_MEMBER explicit __nv_fp8x2_##suffix (float2 v) : __x (__nv_cvt_float2_to_fp8x2 (v, __NV_SATFINITE, kind)) {}  \
    LEAT_MEMBER explicit __nv_fp8x2_##suffix (double2 v) : __x (__nv_cvt_double2_to_fp8x2 (v, __NV_SATFINITE, kind)) {}\
    LEAT_MEMBER explicit __nv_fp8x2_##suffix (__half2 v)                                                               \
        : __x (__nv_cvt_halfraw2_to_fp8x2 (v, __NV_SATFINITE, kind))                                                   \
    {                                                                                                                  \
    }                                                                                                                  \
    LEAT_MEMBER explicit __nv_fp8x2_##suffix (__nv_bfloat162 v)                                                        \
        : __x (__nv_cvt_bfloat16raw2_to_fp8x2 (v, __NV_SATFINITE, kind))                                               \
    {                                                                                                                  \
    }                                                                                                                  \
    LEAT_MEMBER explicit operator float2 () const                                                                      \
    {                                                                                                                  \
      return { leat_from_f8##suffix ((unsigned char) __x), leat_from_f8##suffix ((unsigned char) (__x >> 8)) };        \
    }                                                                                                                  \
    LEAT_MEMBER explicit operator __half2 () const { return __nv_cvt_fp8x2_to_halfraw2 (__x, kind); }                  \
  };                                                                                                                   \
  struct __attribute__ ((aligned (4))) __nv_fp8x4_##suffix                                                             \
  {                                                                                                                    \
    __nv_fp8x4_storage_t __x;                                                                                          \
                                                                                                                       \
    __nv_fp8x4_##suffix () = default;                                                                                  \
    LEAT_MEMBER explicit __nv_fp8x4_##suffix (float4 v)                                                                \
        : __x (__nv_cvt_float2_to_fp8x2 ({ v.x, v.y }, __NV_SATFINITE, kind)                                           \
               | (unsigned int) __nv_cvt_float2_to_fp8x2 ({ v.z, v.w }, __NV_SATFINITE, kind) << 16)                   \
    {                                                                                                                  \
    }                                                                                                                  \
    LEAT_MEMBER explicit __nv_fp8x4_##suffix (double4 v)                                                               \
        : __x (__nv_cvt_double2_to_fp8x2 ({ v.x, v.y }, __NV_SATFINITE, kind)                                          \
               | (unsigned int) __nv_cvt_double2_to_fp8x2 ({ v.z, v.w }, __NV_SATFINITE, kind) << 16)                  \
    {                                                                                                                  \
    }                                                                                                                  \
    LEAT_MEMBER explicit __nv_fp8x4_##suffix (__half2 low, __half2 high)                                               \
        : __x (__nv_cvt_halfraw2_to_fp8x2 (low, __NV_SATFINITE, kind)                                                  \
               | (unsigned int) __nv_cvt_halfraw2_to_fp8x2 (high, __NV_SATFINITE, kind) << 16)                         \
    {                                                                                                                  \
    }                                                                                                                  \
    LEAT_MEMBER explicit operator float4 () const                                                                      \
    {                                                                                                                  \
      return { leat_from_f8##suffix ((unsigned char) __x), leat_from_f8##suffix ((unsigned char) (__x >> 8)),          \
               leat_from_f8##suffix ((unsigned char) (__x >> 16)), leat_from_f8##suffix ((unsigned char) (__x >> 24)) };\
    }                                                                                                                  \
  };
LEAT_FP8 (__NV_E4M3, e4m3)
LEAT_FP8 (__NV_E5M2, e5m2)
#undef LEAT_FP8
#undef LEAT_FP8_FROM
