/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stranger.h"

/* Parameters: defaults, structures, vectors and enumerations by value; arrays of structures. */

#include <string.h>

static gint32
values_twice (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 2u);
}

static gint32
values_plus_5 (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] + 5u);
}

static gint32
values_square (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * (guint32) x[i]);
}

static gint32
values_fields (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 3u + 100u + 1000u);
}

static gint32
values_defaults (const gint32 *x, gsize i, gsize n)
{
  return MIN (x[i] * 2, 1 << 20) + 16;
}

static gint32
values_nested (const gint32 *x, gsize i, gsize n)
{
  return x[i] + 40 + 9 + (5 + 3) + 2 + 3 + 8;
}

/* Two bytes of level, one of kind and one of flags. */
static gint32
values_structures (const gint32 *x, gsize i, gsize n)
{
  gint32 item = x[n - 1 - i], out;
  guint8 bytes[4];
  gint16 level;

  memcpy (bytes, &item, 4);
  memcpy (&level, bytes, 2);
  level /= 2;
  memcpy (bytes, &level, 2);
  bytes[2] ^= bytes[3];
  memcpy (&out, bytes, 4);
  return out;
}

static gint32
values_bits (const gint32 *x, gsize i, gsize n)
{
  guint32 u = (guint32) x[i];

  u = (u << 16 | u >> 16) ^ 0x5a00;
  return (gint32) ((u ^ ((u >> 5 & 2047) << 8)) + (u & 31) - 7);
}

static gint32
values_by_fours (const gint32 *x, gsize i, gsize n)
{
  return x[i] + (gint32) (i % 4) + 1;
}

#define LIGHTS                                                                                                         \
  "s.lights.0.at.x=1 s.lights.0.at.y=3 s.lights.0.level=7 s.lights.0.lit=0 s.lights.1.at.x=0 s.lights.1.at.y=0 "       \
  "s.lights.1.level=40 s.lights.1.lit=1 "
#define SCENE                                                                                                          \
  LIGHTS                                                                                                               \
  "s.mode=3 s.m.0.0=0 s.m.0.1=0 s.m.0.2=0 s.m.1.0=0 s.m.1.1=0 s.m.1.2=2.5 s.tint.x=0 s.tint.y=1 s.tint.z=9 "           \
  "s.tint.w=4 s.extra.lo=2 s.extra.scale=0.75 last.x=0 last.y=0 last.z=0 last.w=8 size.x=5000 size.y=1 size.z=1"

const Stranger strangers_values[] = {
  { "default-arguments", "", values_plus_5, "b = 5", "b = 6", STRANGER_ITEM },
  { "default-parameters", "gain=2 wrap=16 most=1048576 up=1", values_defaults, "wrap : -wrap", "-wrap : wrap",
    STRANGER_ITEM },
  { "structure-by-value", "p.gain=3 p.in.w.0=7 p.in.w.1=100 p.in.flag=0 p.dir.x=1 p.dir.y=1 p.dir.z=1 v.x=1 v.y=1000",
    values_fields, "p.in.w[1]", "p.in.w[0]", STRANGER_ITEM },
  { "constructed-by-value", "p.gain=3 p.bias=1100", values_fields, "p.gain +", "p.bias +", STRANGER_ITEM },
  { "enumeration", "m=0", values_plus_5, "small = 5", "small = 4", STRANGER_ITEM },
  { "values-nested", SCENE, values_nested, "m[1][2]", "m[1][1]", STRANGER_ITEM },
  { "array-of-structures", "", values_structures, "out.kind ^=", "out.kind |=", STRANGER_ANY, "u8,4" },
  { "unions-and-bits", "", values_bits, "b : 11", "b : 10", STRANGER_ITEM },
  { "rows", "", values_twice, "* 2", "* 4", STRANGER_ITEM },
  { "reads-without-const", "", values_square, "x[i] * x[i]", "x[i] * x[0]", STRANGER_ITEM },
  { "vectors-in-memory", "", values_by_fours, "v.y + 2", "v.y + 3" },
  { NULL },
};
