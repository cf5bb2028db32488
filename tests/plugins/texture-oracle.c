/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "texture-oracle.h"

#include <float.h>
#include <math.h>

/* Where a place is on an axis: the first of two texels, and the part of the second in 256. */
typedef struct
{
  gint64 first;
  double part;
} OraclePlace;

/* Bits that each of the floats has behind the leading one, and the least exponent of a normal one (as of frexp). */
static const int oracle_bits[] = { [ORACLE_F32] = 23, [ORACLE_F16] = 10 };
static const int oracle_least[] = { [ORACLE_F32] = -125, [ORACLE_F16] = -13 };

/* The texel that stands for number @i of an axis; -1: none. */
static gint64
oracle_map (OracleAddress address, gint64 i, gint64 n)
{
  gint64 there = (i % n + n) % n, turns = (i - there) / n;

  switch (address)
    {
    case ORACLE_BORDER:
      return i < 0 || i >= n ? -1 : i;
    case ORACLE_WRAP:
      return there;
    case ORACLE_MIRROR:
      return turns % 2 == 0 ? there : n - 1 - there;
    default:
      return CLAMP (i, 0, n - 1);
    }
}

static double
oracle_get (const OracleTexture *self, gint64 x, gint64 y, gint64 z, guint channel)
{
  gint64 i = oracle_map (self->address[0], x, self->sizes[0]);
  gint64 j = oracle_map (self->address[1], y, self->sizes[1]);
  gint64 k = oracle_map (self->address[2], z, self->sizes[2]);

  if (i < 0 || j < 0 || k < 0)
    return 0;
  return self->values[((k * self->sizes[1] + j) * self->sizes[0] + i) * self->channels + channel];
}

/* Of normalized coordinates the bits behind the 21st are cut off; long axes have one bit more for 8 times the texels.
 */
static double
oracle_cut (double x, gint64 n)
{
  double one = ldexp (1, n <= 8192 ? 21 : n <= 65536 ? 22 : 23);

  return floor (x * one) / one;
}

static OraclePlace
oracle_find (const OracleTexture *self, guint axis, float at, gboolean is_linear)
{
  gint64 n = self->sizes[axis];
  double x = isnan (at) || fabsf (at) < FLT_MIN ? 0 : CLAMP ((double) at, -0x1p40, 0x1p40), whole = 0, steps;

  if (self->is_normalized)
    {
      x = oracle_cut (x, n);
      whole = floor (x);
      x = (x - whole) * (double) n;
    }
  if (!is_linear)
    return (OraclePlace){ (gint64) whole * n + (gint64) floor (x), 0 };
  steps = floor ((x - 0.5) * 256 + 0.5);
  return (OraclePlace){ (gint64) whole * n + (gint64) floor (steps / 256), steps - 256 * floor (steps / 256) };
}

static void
oracle_find_all (const OracleTexture *self, const float at[3], OraclePlace places[3])
{
  for (guint axis = 0; axis < 3; axis++)
    {
      OraclePlace *place = &places[axis];

      *place = (OraclePlace){ 0 };
      if (axis < self->axes)
        *place = oracle_find (self, axis, at[axis], self->is_linear);
      else if (self->is_layered && axis == 2)
        place->first = at[2] < 0 || at[2] >= self->sizes[2] ? self->sizes[2] - 1 : (gint64) at[2];
      if (self->address[axis] == ORACLE_CLAMP && (place->first < 0 || place->first >= self->sizes[axis] - 1))
        place->part = 0;
    }
}

/* How much of a texel is taken, in 256 parts: of the slice, then of its right or left half, then of the row. */
static double
oracle_weigh (const OraclePlace places[3], guint corner)
{
  double slice = corner & 4 ? places[2].part : 256 - places[2].part;
  double right = floor ((places[0].part * slice + 128) / 256), half = corner & 1 ? right : slice - right;
  double below = floor ((half * places[1].part + (corner & 1 ? 128 : 127)) / 256);

  return corner & 2 ? below : half - below;
}

/* The weighted sum of a slice: its numbers are cut to 4 bits more than the largest of them has, whose exponent is
 * @most. */
static double
oracle_add (const double *values, const double *weights, int bits, int *most)
{
  double sum = 0, unit;

  *most = -1000;
  for (guint i = 0; i < 4; i++)
    {
      int exponent;

      if (frexp (values[i], &exponent) != 0 && weights[i] != 0)
        *most = MAX (*most, exponent);
    }
  unit = ldexp (1, *most - bits - 5);
  for (guint i = 0; i < 4; i++)
    sum += weights[i] != 0 ? weights[i] / 256 * trunc (values[i] / unit) * unit : 0;
  return sum;
}

/* Two slices are added in steps whose exponent is a multiple of 4, counted from the least one of f32. */
static double
oracle_join (const double *values, const double *weights, int bits)
{
  int most[2], largest;
  double slices[2], step;

  for (guint i = 0; i < 2; i++)
    slices[i] = oracle_add (values + 4 * i, weights + 4 * i, bits, &most[i]);
  largest = MAX (most[0], most[1]);
  if (largest == -1000)
    return 0;
  step = ldexp (1, largest - bits - 13 - (largest + 1022) % 4);
  return (floor (slices[0] / step) + floor (slices[1] / step)) * step;
}

/* Halves are rounded away from zero, and an f32 that is not normal becomes a zero. */
static double
oracle_round (const OracleTexture *self, double sum)
{
  int exponent, bits = oracle_bits[self->number], least = oracle_least[self->number];

  if (self->number == ORACLE_F32 && fabs (sum) < FLT_MIN)
    return copysign (0, sum);
  frexp (sum, &exponent);
  exponent = MAX (exponent, least) - bits - 1;
  return ldexp (round (ldexp (sum, -exponent)), exponent);
}

static double
oracle_mix_floats (const OracleTexture *self, double values[8], const double weights[8])
{
  double special = 0, sum;
  guint negative = 0;

  for (guint i = 0; i < 8; i++)
    {
      if (self->number == ORACLE_F32 && fabs (values[i]) < FLT_MIN)
        values[i] = copysign (0, values[i]);
      special += isfinite (values[i]) ? 0 : values[i];
      negative += values[i] == 0 && signbit (values[i]);
    }
  if (special != 0)
    return special; /* NaN too */
  if (negative == 8)
    return -0.0;
  sum = oracle_join (values, weights, oracle_bits[self->number]);
  return sum != 0 ? oracle_round (self, sum) : 0;
}

/* Whole numbers become fractions of 16 bits. */
static double
oracle_mix_whole (const OracleTexture *self, const double values[8], const double weights[8])
{
  double sum = 0;

  for (guint i = 0; i < 8; i++)
    sum += weights[i] * values[i];
  switch (self->number)
    {
    case ORACLE_U8:
      return floor ((sum * 257 + 128) / 256) / 65535;
    case ORACLE_U16:
      return floor ((sum + 128) / 256) / 65535;
    case ORACLE_I8:
      return MAX (sum + floor ((sum + 64 + 16 * floor (sum / 4096)) / 128), -32767) / 32767;
    default:
      return MAX (floor ((sum + 128) / 256), -32767) / 32767;
    }
}

/* Where the part of an axis is 0, its second texel is out of reach: the first takes its place. */
static double
oracle_mix (const OracleTexture *self, const OraclePlace places[3], guint channel)
{
  double values[8], weights[8];

  for (guint i = 0; i < 8; i++)
    {
      weights[i] = oracle_weigh (places, i);
      values[i] = oracle_get (self, places[0].first + (i & 1 && places[0].part != 0),
                              places[1].first + (i & 2 && places[1].part != 0),
                              places[2].first + (i & 4 && places[2].part != 0), channel);
    }
  return self->number <= ORACLE_F16 ? oracle_mix_floats (self, values, weights)
                                    : oracle_mix_whole (self, values, weights);
}

static double
oracle_convert (const OracleTexture *self, double value)
{
  static const double most[] = { [ORACLE_U8] = 255, [ORACLE_I8] = 127, [ORACLE_U16] = 65535, [ORACLE_I16] = 32767 };

  return self->number < ORACLE_U8 ? value : MAX (value / most[self->number], -1);
}

double
oracle_sample (const OracleTexture *self, const float at[3], guint channel)
{
  OraclePlace places[3];

  oracle_find_all (self, at, places);
  if (self->is_linear)
    return oracle_mix (self, places, channel);
  return oracle_convert (self, oracle_get (self, places[0].first, places[1].first, places[2].first, channel));
}

double
oracle_gather (const OracleTexture *self, const float at[2], gboolean right, gboolean below, guint channel)
{
  OraclePlace x = oracle_find (self, 0, at[0], TRUE), y = oracle_find (self, 1, at[1], TRUE);

  return oracle_convert (self, oracle_get (self, x.first + (right ? 1 : 0), y.first + (below ? 1 : 0), 0, channel));
}
