/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What <cuComplex.h> has, for a host C++ compiler.  Quotients and absolute values are scaled, so that they overflow only
 * where the result does, in the steps that CUDA has too. */

typedef float2 cuFloatComplex;
typedef cuFloatComplex cuComplex;
typedef double2 cuDoubleComplex;

#define LEAT_CU_COMPLEX(C, R, f)                                                                                       \
  LEAT_INLINE R cuCreal##f (C z) { return z.x; }                                                                       \
  LEAT_INLINE R cuCimag##f (C z) { return z.y; }                                                                       \
  LEAT_INLINE C make_##C (R re, R im) { return { re, im }; }                                                           \
  LEAT_INLINE C cuConj##f (C z) { return { z.x, -z.y }; }                                                              \
  LEAT_INLINE C cuCadd##f (C a, C b) { return { a.x + b.x, a.y + b.y }; }                                              \
  LEAT_INLINE C cuCsub##f (C a, C b) { return { a.x - b.x, a.y - b.y }; }                                              \
  LEAT_INLINE C cuCmul##f (C a, C b) { return { a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x }; }                      \
  LEAT_INLINE C cuCdiv##f (C a, C b)                                                                                   \
  {                                                                                                                    \
    R scale = 1 / (fabs (b.x) + fabs (b.y));                                                                           \
    R ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale, by = 1 / (br * br + bi * bi);            \
                                                                                                                       \
    return { (ar * br + ai * bi) * by, (ai * br - ar * bi) * by };                                                     \
  }                                                                                                                    \
  LEAT_INLINE R cuCabs##f (C z)                                                                                        \
  {                                                                                                                    \
    R large = fabs (z.x), small = fabs (z.y), ratio;                                                                   \
                                                                                                                       \
    if (!(large > small))                                                                                              \
      {                                                                                                                \
        ratio = large;                                                                                                 \
        large = small;                                                                                                 \
        small = ratio;                                                                                                 \
      }                                                                                                                \
    ratio = small / large;                                                                                             \
    return large == 0 || large - large != 0 || small - small != 0 ? large + small                                      \
                                                                  : large * sqrt (1 + ratio * ratio);                  \
  }
LEAT_CU_COMPLEX (cuFloatComplex, float, f)
LEAT_CU_COMPLEX (cuDoubleComplex, double, )
#undef LEAT_CU_COMPLEX
LEAT_INLINE cuComplex make_cuComplex (float re, float im) { return { re, im }; }
LEAT_INLINE cuDoubleComplex cuComplexFloatToDouble (cuFloatComplex z) { return { z.x, z.y }; }
LEAT_INLINE cuFloatComplex cuComplexDoubleToFloat (cuDoubleComplex z) { return { (float) z.x, (float) z.y }; }
LEAT_INLINE cuComplex
cuCfmaf (cuComplex a, cuComplex b, cuComplex c)
{
  return { a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x };
}
LEAT_INLINE cuDoubleComplex
cuCfma (cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c)
{
  return { a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x };
}
