/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stranger.h"

/* Host code around kernels, macros, conditions, comments and attributes. */

static gint32
programs_twice (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 2u);
}

static gint32
programs_thrice (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 3u);
}

static gint32
programs_plus_5 (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] + 5u);
}

static gint32
programs_plus_12 (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] + 12u);
}

static gint32
programs_clamped (const gint32 *x, gsize i, gsize n)
{
  return CLAMP (x[i], -4095, 8191);
}

static gint32
programs_bounded (const gint32 *x, gsize i, gsize n)
{
  return MIN (x[i] + 6, 20000);
}

/* The third of the operations, with 3 of them. */
static gint32
programs_mixed (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) (x[i] ^ 3) + (guint32) (x[i] & 7));
}

static gint32
programs_picked (const gint32 *x, gsize i, gsize n)
{
  return x[i] % 3 == 0 ? x[i] + 1 : x[i] < 0 ? x[i] - 1 : x[i];
}

static gint32
programs_scaled (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 5u + 40u);
}

const Stranger strangers_programs[] = {
  { "program", "", programs_twice, "* 2", "* 3", STRANGER_ITEM },
  { "program-class", "by=4", programs_plus_12, "rounds = 3", "rounds = 2", STRANGER_ITEM },
  { "host-members", "", programs_twice, "w{ a, b", "w{ b, a", STRANGER_ITEM },
  { "members-alike", "", programs_twice, "x[i] + x[i]", "x[i] - x[i]", STRANGER_ITEM },
  { "program-types", "", programs_bounded, "first = 2", "first = 3", STRANGER_ITEM },
  { "program-late-headers", "block=64", programs_twice, "v + v", "v - v", STRANGER_ITEM },
  { "host-device", "", programs_clamped, "clamped (v, r)", "clamped (v + 1, r)", STRANGER_ITEM },
  { "extern-c", "", programs_twice, "* 2", "* 9", STRANGER_ITEM },
  { "extern-c-each", "", programs_thrice, "v * 3", "v + 3", STRANGER_ITEM },
  { "macro-made", "entry=k", programs_twice, "* 2", "* 1", STRANGER_ITEM },
  { "macro-list", "entry=mix_kernel", programs_mixed, "(a & 7)", "(b & 7)", STRANGER_ITEM },
  { "split-braces", "", programs_twice, "* 2", "* 8", STRANGER_ITEM },
  { "split-conditions", "", programs_picked, "MODE == 2", "MODE != 2", STRANGER_ITEM },
  { "line-ends", "", programs_plus_5, "[i], 5", "[i], 6", STRANGER_ITEM },
  { "comments", "", programs_plus_5, "brace == 123", "brace == 124", STRANGER_ITEM },
  { "another-does-not-compile", "entry=k", programs_twice, "* 2", "* 12", STRANGER_ITEM },
  { "launch-bounds", "block=64", programs_twice, "* 2", "* 11", STRANGER_ITEM },
  { "attributes", "block=64 p.gain=5 p.bias.0=7 p.bias.1=40", programs_scaled, "[kWarps - 1]", "[0]", STRANGER_ITEM },
  { "prototypes", "", programs_plus_5, "bias = 4", "bias = 5", STRANGER_ITEM },
  { NULL },
};
