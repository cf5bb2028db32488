/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's qualifiers, integer types and vector types for a host C++ compiler.  Put before leat-host-module.h and a
 * kernel's text; no system header is needed. */

#define LEAT_HOST 1

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__ ((always_inline))
#define __noinline__ __attribute__ ((noinline))
#define __align__(n) __attribute__ ((aligned (n)))
#define __launch_bounds__(...)
#define LEAT_CLUSTER(blocks)
#define LEAT_HAS_CLUSTERS 0
#define __maxnreg__(n)
#define __cluster_dims__(...)
#ifndef __clang__
#define __builtin_assume(x) ((x) ? (void) 0 : __builtin_unreachable ())
#endif
#define LEAT_INLINE static inline __attribute__ ((always_inline))
#define LEAT_MEMBER inline __attribute__ ((always_inline))

/* Of `for (int i : { 1, 2 })`: compilers make one of braces, as NVRTC does without a header too. */
namespace std {

template <class E> class initializer_list
{
  const E *leat_first = nullptr;
  __SIZE_TYPE__ leat_size = 0;

  constexpr initializer_list (const E *first, __SIZE_TYPE__ size) : leat_first (first), leat_size (size) {}

public:
  typedef E value_type;
  typedef const E *iterator;
  typedef const E *const_iterator;

  constexpr initializer_list () noexcept {}
  constexpr __SIZE_TYPE__ size () const noexcept { return leat_size; }
  constexpr const E *begin () const noexcept { return leat_first; }
  constexpr const E *end () const noexcept { return leat_first + leat_size; }
};

} // namespace std

typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#ifndef NULL
#define NULL __null
#endif

#define LEAT_VECTOR(name, T, align2, align4)                                                                           \
  struct name##1                                                                                                       \
  {                                                                                                                    \
    T x;                                                                                                               \
  };                                                                                                                   \
  struct __attribute__ ((aligned (align2))) name##2                                                                    \
  {                                                                                                                    \
    T x, y;                                                                                                            \
  };                                                                                                                   \
  struct name##3                                                                                                       \
  {                                                                                                                    \
    T x, y, z;                                                                                                         \
  };                                                                                                                   \
  struct __attribute__ ((aligned (align4))) name##4                                                                    \
  {                                                                                                                    \
    T x, y, z, w;                                                                                                      \
  };                                                                                                                   \
  LEAT_INLINE name##1 make_##name##1 (T x)                                                                             \
  {                                                                                                                    \
    return { x };                                                                                                      \
  }                                                                                                                    \
  LEAT_INLINE name##2 make_##name##2 (T x, T y)                                                                        \
  {                                                                                                                    \
    return { x, y };                                                                                                   \
  }                                                                                                                    \
  LEAT_INLINE name##3 make_##name##3 (T x, T y, T z)                                                                   \
  {                                                                                                                    \
    return { x, y, z };                                                                                                \
  }                                                                                                                    \
  LEAT_INLINE name##4 make_##name##4 (T x, T y, T z, T w)                                                              \
  {                                                                                                                    \
    return { x, y, z, w };                                                                                             \
  }

LEAT_VECTOR (char, signed char, 2, 4)
LEAT_VECTOR (uchar, unsigned char, 2, 4)
LEAT_VECTOR (short, short, 4, 8)
LEAT_VECTOR (ushort, unsigned short, 4, 8)
LEAT_VECTOR (int, int, 8, 16)
LEAT_VECTOR (uint, unsigned int, 8, 16)
LEAT_VECTOR (long, long, 16, 16)
LEAT_VECTOR (ulong, unsigned long, 16, 16)
LEAT_VECTOR (longlong, long long, 16, 16)
LEAT_VECTOR (ulonglong, unsigned long long, 16, 16)
LEAT_VECTOR (float, float, 8, 16)
LEAT_VECTOR (double, double, 16, 16)

struct dim3
{
  unsigned int x, y, z;

  constexpr dim3 (unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x (a), y (b), z (c) {}
  constexpr dim3 (uint3 v) : x (v.x), y (v.y), z (v.z) {}
  constexpr operator uint3 () const { return { x, y, z }; }
};
