/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The linear filter of textures.  NVIDIA does not describe its arithmetic; these are the rules of an H200, found by
 * measurements.  Behind leat-dialect-host-taps.h. */

/* The texels round a place, along x first, then y, and their shares in 256 parts.  NULL is the border. */
struct leat_corners
{
  const unsigned char *texels[8];
  int weights[8];
  unsigned int n; /* 4, or 8 where two slices are mixed */
};

/* Shares of four texels of a slice whose own share is @slice: halves go to the right, and to the lower left. */
static inline void
leat_corners_weigh (int *weights, int part_x, int part_y, int slice)
{
  const int right = (part_x * slice + 128) >> 8, left = slice - right;

  weights[3] = (right * part_y + 128) >> 8;
  weights[1] = right - weights[3];
  weights[2] = (left * part_y + 127) >> 8;
  weights[0] = left - weights[2];
}

/* An axis of which only the first texel is taken has it twice, and the second weighs nothing. */
static inline leat_corners
leat_corners_find (const LeatTextureView *view, const leat_taps taps[3])
{
  const int part_x = taps[0].part, part_y = taps[1].part, part_z = taps[2].part;
  leat_corners self;

  self.n = part_z != 0 ? 8 : 4;
  for (unsigned int i = 0; i < self.n; i++)
    self.texels[i] = leat_texture_at (view, taps[0].at[part_x != 0 ? i & 1 : 0], taps[1].at[part_y != 0 ? i >> 1 & 1 : 0],
                                      taps[2].at[i >> 2]);
  leat_corners_weigh (self.weights, part_x, part_y, 256 - part_z);
  if (part_z != 0)
    leat_corners_weigh (self.weights + 4, part_x, part_y, part_z);
  return self;
}

/* Whole numbers: a weighted sum becomes a number of 16 bits and that a float. */
static inline float
leat_filter_finish (int sum, unsigned char)
{
  return (float) ((sum * 257 + 128) >> 8) / 65535;
}
static inline float
leat_filter_finish (int sum, unsigned short)
{
  return (float) ((sum + 128) >> 8) / 65535;
}
static inline float
leat_filter_finish (int sum, signed char)
{
  const int wide = sum + ((sum + 64 + 16 * (sum >> 12)) >> 7);

  return (float) (wide > -32767 ? wide : -32767) / 32767;
}
static inline float
leat_filter_finish (int sum, short)
{
  const int wide = (sum + 128) >> 8;

  return (float) (wide > -32767 ? wide : -32767) / 32767;
}

template <class Number>
static inline float
leat_filter_whole (const LeatTextureView *view, const leat_corners *corners, unsigned int lane)
{
  const int most = Number (-1) < 0 ? (1 << (8 * sizeof (Number) - 1)) - 1 : (1 << 8 * sizeof (Number)) - 1;
  int sum = 0;

  for (unsigned int i = 0; i < corners->n; i++)
    {
      const unsigned char *texel = corners->texels[i];

      sum += corners->weights[i]
             * (texel != nullptr ? leat_texture_load<Number> (texel, lane) : (int) rintf (view->border[lane] * most));
    }
  return leat_filter_finish (sum, Number ());
}

static inline unsigned int
leat_filter_get_exponent (float x)
{
  const unsigned int exponent = leat_bits<unsigned int> (x) >> 23 & 255;

  return exponent > 1 ? exponent : 1;
}

/* @x in parts of what @largest stands for, which a number of @bits behind the point has 16 of to its last bit. */
template <int bits>
static inline long long
leat_filter_cut (float x, unsigned int largest)
{
  const unsigned int all = leat_bits<unsigned int> (x), below = largest - leat_filter_get_exponent (x);
  const unsigned int mantissa = (all >> 23 & 255) != 0 ? (all & 0x7fffff) | 1u << 23 : 0;
  const long long cut = (mantissa << 4 >> (23 - bits)) >> (below < 31 ? below : 31);

  return all >> 31 ? -cut : cut;
}

/* A weighted sum of parts of which @largest, the exponent of a float, tells the size. */
struct leat_filter_sum
{
  long long parts;
  unsigned int largest;
};

/* Of the four numbers of a slice.  They are cut to 4 bits more than the largest of them has; the sum is exact. */
template <int bits>
static inline leat_filter_sum
leat_filter_add (const float *numbers, const int *weights)
{
  leat_filter_sum self = { 0, 1 };

  for (unsigned int i = 0; i < 4; i++)
    {
      const unsigned int exponent = weights[i] != 0 ? leat_filter_get_exponent (numbers[i]) : 1;

      self.largest = exponent > self.largest ? exponent : self.largest;
    }
  for (unsigned int i = 0; i < 4; i++)
    self.parts += weights[i] * leat_filter_cut<bits> (numbers[i], self.largest);
  return self;
}

/* Of two slices: the smaller one is moved to the larger by 4 bits at a time, and loses what falls off. */
static inline leat_filter_sum
leat_filter_join (leat_filter_sum a, leat_filter_sum b)
{
  const unsigned int largest = (a.largest > b.largest ? a.largest : b.largest) & ~3u;
  const unsigned int off_a = largest - (a.largest & ~3u), off_b = largest - (b.largest & ~3u);

  a.parts = (a.parts * (1 << (a.largest & 3))) >> (off_a < 63 ? off_a : 63);
  b.parts = (b.parts * (1 << (b.largest & 3))) >> (off_b < 63 ? off_b : 63);
  return { a.parts + b.parts, largest };
}

/* To @bits behind the point, halves away from zero.  What is too small for a normal f32 is a zero. */
template <int bits>
static inline float
leat_filter_round (leat_filter_sum self)
{
  const int least = bits == 23 ? -126 : -14; /* of an exponent */
  const double grid = leat_bits<double> ((1023ULL + bits - least) << 52);
  const double sum
    = (double) self.parts * leat_bits<double> ((unsigned long long) (1023 - 127 - 12 - bits + self.largest) << 52);
  const unsigned long long all = leat_bits<unsigned long long> (sum), last = 1ULL << (52 - bits);

  if (fabs (sum) * grid >= (double) (1 << bits))
    return (float) leat_bits<double> ((all + last / 2) & ~(last - 1));
  return copysignf (bits == 23 ? 0 : (float) ((double) (long long) (fabs (sum) * grid + 0.5) / grid), (float) sum);
}

/* Of numbers with an infinity or a NaN among them, whatever they weigh.  The NaN is the greatest that texels have. */
template <int bits>
static inline float
leat_filter_special (const float *numbers, unsigned int n)
{
  bool above = false, below = false, other = false;

  for (unsigned int i = 0; i < n; i++)
    {
      above |= numbers[i] == __builtin_inff ();
      below |= numbers[i] == -__builtin_inff ();
      other |= numbers[i] != numbers[i];
    }
  if (other || above == below)
    return leat_bits<float> (bits == 23 ? 0x7fffffff : 0x7fffe000);
  return above ? __builtin_inff () : -__builtin_inff ();
}

/* @bits: that the texels' floats have behind the point */
template <int bits>
static inline float
leat_filter_floats (const LeatTextureView *view, const leat_corners *corners, unsigned int lane)
{
  float numbers[8];
  bool special = false, negative = true; /* zeros below 0, all of them */

  for (unsigned int i = 0; i < corners->n; i++)
    {
      const unsigned char *texel = corners->texels[i];

      numbers[i] = texel == nullptr ? view->border[lane]
                   : bits == 10     ? leat_texture_widen (leat_texture_load<unsigned short> (texel, lane))
                                    : leat_texture_load<float> (texel, lane);
      special |= leat_filter_get_exponent (numbers[i]) == 255;
      negative &= leat_bits<unsigned int> (numbers[i]) >> 23 == 0x100;
    }
  if (special)
    return leat_filter_special<bits> (numbers, corners->n);
  leat_filter_sum sum = leat_filter_add<bits> (numbers, corners->weights);
  if (corners->n == 8)
    sum = leat_filter_join (sum, leat_filter_add<bits> (numbers + 4, corners->weights + 4));
  return negative ? -0.0f : leat_filter_round<bits> (sum);
}

typedef float leat_filter_lane (const LeatTextureView *view, const leat_corners *corners, unsigned int lane);

template <leat_filter_lane mix>
static inline void
leat_filter_lanes (const LeatTextureView *view, const leat_corners *corners, float *lanes, unsigned int n)
{
  for (unsigned int lane = 0; lane < n; lane++)
    lanes[lane] = lane < view->channels ? mix (view, corners, lane) : 0;
}

/* The first @n numbers of what a linear filter gives there. */
static inline void
leat_filter_mix (const LeatTextureView *view, const leat_taps taps[3], float *lanes, unsigned int n)
{
  const leat_corners corners = leat_corners_find (view, taps);

  switch (view->format)
    {
    case 0x01:
      return leat_filter_lanes<leat_filter_whole<unsigned char>> (view, &corners, lanes, n);
    case 0x02:
      return leat_filter_lanes<leat_filter_whole<unsigned short>> (view, &corners, lanes, n);
    case 0x08:
      return leat_filter_lanes<leat_filter_whole<signed char>> (view, &corners, lanes, n);
    case 0x09:
      return leat_filter_lanes<leat_filter_whole<short>> (view, &corners, lanes, n);
    case 0x10:
      return leat_filter_lanes<leat_filter_floats<10>> (view, &corners, lanes, n);
    default:
      return leat_filter_lanes<leat_filter_floats<23>> (view, &corners, lanes, n);
    }
}
