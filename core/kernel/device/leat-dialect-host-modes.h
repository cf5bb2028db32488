/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's older functions that are told how to round.  Behind leat-dialect-host-rounded.h. */

enum cudaRoundMode
{
  cudaRoundNearest,
  cudaRoundZero,
  cudaRoundPosInf,
  cudaRoundMinInf
};

#define LEAT_BY_MODE(call, ...)                                                                                        \
  {                                                                                                                    \
    switch (mode)                                                                                                      \
      {                                                                                                                \
      case cudaRoundZero:                                                                                              \
        return call##_rz (__VA_ARGS__);                                                                                \
      case cudaRoundPosInf:                                                                                            \
        return call##_ru (__VA_ARGS__);                                                                                \
      case cudaRoundMinInf:                                                                                            \
        return call##_rd (__VA_ARGS__);                                                                                \
      default:                                                                                                         \
        return call##_rn (__VA_ARGS__);                                                                                \
      }                                                                                                                \
  }

LEAT_INLINE double dadd (double a, double b, cudaRoundMode mode = cudaRoundNearest) LEAT_BY_MODE (__dadd, a, b)
LEAT_INLINE double dsub (double a, double b, cudaRoundMode mode = cudaRoundNearest) LEAT_BY_MODE (__dsub, a, b)
LEAT_INLINE double dmul (double a, double b, cudaRoundMode mode = cudaRoundNearest) LEAT_BY_MODE (__dmul, a, b)
LEAT_INLINE double fma (double a, double b, double c, cudaRoundMode mode) LEAT_BY_MODE (__fma, a, b, c)
LEAT_INLINE int double2int (double a, cudaRoundMode mode = cudaRoundZero) LEAT_BY_MODE (__double2int, a)
LEAT_INLINE unsigned int double2uint (double a, cudaRoundMode mode = cudaRoundZero) LEAT_BY_MODE (__double2uint, a)
LEAT_INLINE long long double2ll (double a, cudaRoundMode mode = cudaRoundZero) LEAT_BY_MODE (__double2ll, a)
LEAT_INLINE unsigned long long
double2ull (double a, cudaRoundMode mode = cudaRoundZero) LEAT_BY_MODE (__double2ull, a)
LEAT_INLINE double ll2double (long long a, cudaRoundMode mode = cudaRoundNearest) LEAT_BY_MODE (__ll2double, a)
LEAT_INLINE double
ull2double (unsigned long long a, cudaRoundMode mode = cudaRoundNearest) LEAT_BY_MODE (__ull2double, a)
LEAT_INLINE double int2double (int a, cudaRoundMode = cudaRoundNearest) { return a; }
LEAT_INLINE double uint2double (unsigned int a, cudaRoundMode = cudaRoundNearest) { return a; }
LEAT_INLINE double float2double (float a, cudaRoundMode = cudaRoundNearest) { return a; }
#undef LEAT_BY_MODE
