/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Distributions of <curand_kernel.h> for a host C++ compiler, of the numbers of leat-curand.h: uniform in (0, 1], normal
 * by the method of Box and Muller, and log-normal. */

LEAT_INLINE float leat_curand_unit (unsigned int x) { return (float) x * 0x1p-32f + 0x1p-33f; }
LEAT_INLINE double
leat_curand_unit (unsigned int low, unsigned int high)
{
  return (double) (low ^ (unsigned long long) high << 21) * 0x1p-53 + 0x1p-54;
}

LEAT_INLINE float2
leat_curand_pair (unsigned int x, unsigned int y)
{
  float angle = (float) y * (0x1p-32f * 6.2831855f) + 0x1p-33f * 6.2831855f;
  float size = sqrtf (-2.0f * logf (leat_curand_unit (x)));
  float2 pair;

  __sincosf (angle, &pair.x, &pair.y);
  return { pair.x * size, pair.y * size };
}

LEAT_INLINE double2
leat_curand_pair (uint4 x)
{
  const double size = sqrt (-2.0 * log (leat_curand_unit (x.x, x.y))), turn = leat_curand_unit (x.z, x.w) * 4;
  const double quarter = rint (turn), rest = (turn - quarter) * 1.5707963267948966;
  const int way = (int) quarter;
  const double a = (way & 1 ? cos (rest) : sin (rest)) * size, b = (way & 1 ? sin (rest) : cos (rest)) * size;

  return { way & 2 ? -a : a, (way + 1) & 2 ? -b : b };
}

LEAT_INLINE uint4
leat_curand_four (curandStateXORWOW *state)
{
  uint4 all;

  all.x = curand (state);
  all.y = curand (state);
  all.z = curand (state);
  all.w = curand (state);
  return all;
}
LEAT_INLINE uint4 leat_curand_four (curandStatePhilox4_32_10 *state) { return curand4 (state); }

LEAT_INLINE double curand_uniform_double (curandStateXORWOW *state)
{
  unsigned int low = curand (state);

  return leat_curand_unit (low, curand (state));
}
LEAT_INLINE double curand_uniform_double (curandStatePhilox4_32_10 *state) { return curand (state) * 0x1p-32 + 0x1p-32; }

/* What both have.  One of each pair is kept for the next call. */
#define LEAT_CURAND_NUMBERS(S)                                                                                         \
  LEAT_INLINE float curand_uniform (S *state) { return leat_curand_unit (curand (state)); }                            \
  LEAT_INLINE float2 curand_normal2 (S *state)                                                                         \
  {                                                                                                                    \
    unsigned int x = curand (state);                                                                                   \
                                                                                                                       \
    return leat_curand_pair (x, curand (state));                                                                       \
  }                                                                                                                    \
  LEAT_INLINE double2 curand_normal2_double (S *state) { return leat_curand_pair (leat_curand_four (state)); }         \
  LEAT_CURAND_KEPT (S, float, float2, , boxmuller_flag, boxmuller_extra, expf)                                         \
  LEAT_CURAND_KEPT (S, double, double2, _double, boxmuller_flag_double, boxmuller_extra_double, exp)
#define LEAT_CURAND_KEPT(S, R, PAIR, end, flag, extra, EXP)                                                            \
  LEAT_INLINE R curand_normal##end (S *state)                                                                          \
  {                                                                                                                    \
    if (state->flag == 1)                                                                                              \
      {                                                                                                                \
        state->flag = 0;                                                                                               \
        return state->extra;                                                                                           \
      }                                                                                                                \
    PAIR pair = curand_normal2##end (state);                                                                           \
    state->extra = pair.y;                                                                                             \
    state->flag = 1;                                                                                                   \
    return pair.x;                                                                                                     \
  }                                                                                                                    \
  LEAT_INLINE PAIR curand_log_normal2##end (S *state, R mean, R deviation)                                             \
  {                                                                                                                    \
    PAIR pair = curand_normal2##end (state);                                                                           \
                                                                                                                       \
    return { EXP (mean + deviation * pair.x), EXP (mean + deviation * pair.y) };                                       \
  }                                                                                                                    \
  LEAT_INLINE R curand_log_normal##end (S *state, R mean, R deviation)                                                 \
  {                                                                                                                    \
    if (state->flag == 2)                                                                                              \
      {                                                                                                                \
        state->flag = 0;                                                                                               \
        return state->extra;                                                                                           \
      }                                                                                                                \
    PAIR pair = curand_log_normal2##end (state, mean, deviation);                                                      \
    state->extra = pair.y;                                                                                             \
    state->flag = 2;                                                                                                   \
    return pair.x;                                                                                                     \
  }
LEAT_CURAND_NUMBERS (curandStateXORWOW)
LEAT_CURAND_NUMBERS (curandStatePhilox4_32_10)

LEAT_INLINE float4
curand_uniform4 (curandStatePhilox4_32_10 *state)
{
  uint4 x = curand4 (state);

  return { leat_curand_unit (x.x), leat_curand_unit (x.y), leat_curand_unit (x.z), leat_curand_unit (x.w) };
}

LEAT_INLINE double2
curand_uniform2_double (curandStatePhilox4_32_10 *state)
{
  uint4 x = curand4 (state);

  return { leat_curand_unit (x.x, x.y), leat_curand_unit (x.z, x.w) };
}

LEAT_INLINE float4
curand_normal4 (curandStatePhilox4_32_10 *state)
{
  uint4 x = curand4 (state);
  float2 a = leat_curand_pair (x.x, x.y), b = leat_curand_pair (x.z, x.w);

  return { a.x, a.y, b.x, b.y };
}
