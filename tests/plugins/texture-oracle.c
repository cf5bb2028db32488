/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "texture-oracle.h"

#include <math.h>

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

double
oracle_get (const OracleTexture *self, gint64 x, gint64 y, gint64 z, guint channel)
{
  gint64 i = oracle_map (self->address[0], x, self->sizes[0]);
  gint64 j = oracle_map (self->address[1], y, self->sizes[1]);
  gint64 k = oracle_map (self->address[2], z, self->sizes[2]);

  if (i < 0 || j < 0 || k < 0)
    return 0;
  return self->values[((k * self->sizes[1] + j) * self->sizes[0] + i) * self->channels + channel];
}

/* Along one axis after the other: a texel, or two with weights in 256 parts. */
static double
oracle_mix (const OracleTexture *self, const double at[3], guint axis, gint64 texel[3], guint channel)
{
  double place, share;

  if (axis == 3)
    return oracle_get (self, texel[0], texel[1], texel[2], channel);
  if (self->sizes[axis] == 1 || (self->is_layered && axis == 2))
    {
      texel[axis] = self->is_layered && axis == 2 ? CLAMP ((gint64) at[axis], 0, self->sizes[axis] - 1) : 0;
      return oracle_mix (self, at, axis + 1, texel, channel);
    }
  place = self->is_normalized ? at[axis] * (double) self->sizes[axis] : at[axis];
  if (!self->is_linear)
    {
      texel[axis] = (gint64) floor (place);
      return oracle_mix (self, at, axis + 1, texel, channel);
    }
  place -= 0.5;
  share = round ((place - floor (place)) * 256) / 256;
  texel[axis] = (gint64) floor (place);
  {
    double first = oracle_mix (self, at, axis + 1, texel, channel), second;

    texel[axis] = (gint64) floor (place) + 1;
    second = oracle_mix (self, at, axis + 1, texel, channel);
    return (1 - share) * first + share * second;
  }
}

double
oracle_sample (const OracleTexture *self, const double at[3], guint channel)
{
  gint64 texel[3] = { 0 };

  return oracle_mix (self, at, 0, texel, channel);
}
