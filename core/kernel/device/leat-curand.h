/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* What <curand_kernel.h> has of XORWOW (Marsaglia, "Xorshift RNGs") and Philox4x32-10 (Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3"), for a host C++ compiler.  States have the layout of the toolkit's. */

struct curandStateXORWOW
{
  unsigned int d, v[5]; /* a counter, and 160 bits that are shifted */
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;

struct curandStatePhilox4_32_10
{
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE; /* which number of `output` is next */
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

LEAT_INLINE void
leat_xorwow_step (unsigned int *v)
{
  unsigned int t = v[0] ^ (v[0] >> 2);

  for (int i = 0; i < 4; i++)
    v[i] = v[i + 1];
  v[4] ^= (v[4] << 4) ^ t ^ (t << 1);
}

/* The step is linear over bits, so n steps are a polynomial in it, modulo its characteristic one: x^n.  Here are
 * x^(2^k) and x^(2^(67 + k)), by squaring. */
struct leat_xorwow_powers
{
  unsigned int w[64][5];

  static constexpr void times_x (unsigned int *p)
  {
    constexpr unsigned int modulus[5] = { 0x00060001, 0x08610030, 0x00062121, 0x0f3c0035, 0x00000f0e };
    const unsigned int over = p[4] >> 31 ? ~0u : 0;

    for (int i = 4; i >= 0; i--)
      p[i] = ((p[i] << 1) | (i > 0 ? p[i - 1] >> 31 : 0)) ^ (modulus[i] & over);
  }
  constexpr leat_xorwow_powers (unsigned int a, unsigned int b, unsigned int c, unsigned int d, unsigned int e)
    : w{ { a, b, c, d, e } }
  {
    for (int k = 1; k < 64; k++)
      for (int bit = 159; bit >= 0; bit--)
        {
          times_x (w[k]);
          times_x (w[k]);
          w[k][0] ^= w[k - 1][bit / 32] >> bit % 32 & 1;
        }
  }
};
static constexpr leat_xorwow_powers leat_xorwow_steps (2, 0, 0, 0, 0);
static constexpr leat_xorwow_powers leat_xorwow_sequences (0x26294934, 0x77bbc248, 0x1a87dad0, 0x930052d4, 0x947e6dd2);

/* As many steps as @n says in powers of the first of @powers. */
LEAT_INLINE void
leat_xorwow_skip (unsigned int *v, unsigned long long n, const leat_xorwow_powers &powers)
{
  for (int k = 0; n != 0; k++, n >>= 1)
    {
      unsigned int sum[5] = { 0, 0, 0, 0, 0 };

      for (int bit = 0; n & 1 && bit < 160; bit++, leat_xorwow_step (v))
        for (int i = 0; i < 5; i++)
          sum[i] ^= powers.w[k][bit / 32] >> bit % 32 & 1 ? v[i] : 0;
      for (int i = 0; n & 1 && i < 5; i++)
        v[i] = sum[i];
    }
}

LEAT_INLINE void
skipahead (unsigned long long n, curandStateXORWOW *state)
{
  leat_xorwow_skip (state->v, n, leat_xorwow_steps);
  state->d += 362437u * (unsigned int) n;
}

LEAT_INLINE void
skipahead_sequence (unsigned long long n, curandStateXORWOW *state)
{
  leat_xorwow_skip (state->v, n, leat_xorwow_sequences);
}

LEAT_INLINE void
curand_init (unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW *state)
{
  const unsigned int low = 1099087573u * ((unsigned int) seed ^ 0xaad26b49u);
  const unsigned int high = 2591861531u * ((unsigned int) (seed >> 32) ^ 0xf7dcefddu);

  *state = { 6615241u + low + high,
             { 123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low },
             0, 0, 0, 0 };
  skipahead_sequence (sequence, state);
  skipahead (offset, state);
}

LEAT_INLINE unsigned int
curand (curandStateXORWOW *state)
{
  leat_xorwow_step (state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}

LEAT_INLINE uint4
curand_Philox4x32_10 (uint4 c, uint2 key)
{
  for (int round = 0; round < 10; round++)
    {
      unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;

      c = { (unsigned int) (b >> 32) ^ c.y ^ key.x, (unsigned int) b, (unsigned int) (a >> 32) ^ c.w ^ key.y,
            (unsigned int) a };
      key.x += 0x9e3779b9u;
      key.y += 0xbb67ae85u;
    }
  return c;
}

LEAT_INLINE void
leat_philox_count (curandStatePhilox4_32_10 *state, unsigned long long low, unsigned long long high)
{
  unsigned long long l = state->ctr.x | (unsigned long long) state->ctr.y << 32;
  unsigned long long h = state->ctr.z | (unsigned long long) state->ctr.w << 32;

  l += low;
  h += high + (l < low);
  state->ctr = { (unsigned int) l, (unsigned int) (l >> 32), (unsigned int) h, (unsigned int) (h >> 32) };
  state->output = curand_Philox4x32_10 (state->ctr, state->key);
}

LEAT_INLINE void
skipahead (unsigned long long n, curandStatePhilox4_32_10 *state)
{
  unsigned int next = state->STATE + (unsigned int) (n & 3);

  state->STATE = next & 3;
  leat_philox_count (state, n / 4 + next / 4, 0);
}

LEAT_INLINE void
skipahead_sequence (unsigned long long n, curandStatePhilox4_32_10 *state)
{
  leat_philox_count (state, 0, n);
}

LEAT_INLINE void
curand_init (unsigned long long seed, unsigned long long sequence, unsigned long long offset,
             curandStatePhilox4_32_10 *state)
{
  *state = {};
  state->key = { (unsigned int) seed, (unsigned int) (seed >> 32) };
  skipahead_sequence (sequence, state);
  skipahead (offset, state);
}

LEAT_INLINE uint4
curand4 (curandStatePhilox4_32_10 *state)
{
  uint4 a = state->output, b;

  leat_philox_count (state, 1, 0);
  b = state->output;
  switch (state->STATE)
    {
    case 0:
      return a;
    case 1:
      return { a.y, a.z, a.w, b.x };
    case 2:
      return { a.z, a.w, b.x, b.y };
    default:
      return { a.w, b.x, b.y, b.z };
    }
}

LEAT_INLINE unsigned int
curand (curandStatePhilox4_32_10 *state)
{
  uint4 all = state->output;
  unsigned int number = state->STATE == 0 ? all.x : state->STATE == 1 ? all.y : state->STATE == 2 ? all.z : all.w;

  state->STATE = (state->STATE + 1) & 3;
  if (state->STATE == 0)
    leat_philox_count (state, 1, 0);
  return number;
}
