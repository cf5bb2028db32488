/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stranger.h"

/* Template kernels, and templates that kernels use. */

static gint32
templates_twice (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 2u);
}

static gint32
templates_bent (const gint32 *x, gsize i, gsize n)
{
  return x[i] > 0 ? x[i] + 9 : -x[i];
}

static gint32
templates_zipped (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] + 4u * (guint32) x[n - 1 - i]);
}

/* Of 8: 17 rows, the last of which is 16 more, and a logarithm of 3. */
static gint32
templates_rows (const gint32 *x, gsize i, gsize n)
{
  return -(x[i] + 16) + 3;
}

static gint32
templates_packed (const gint32 *x, gsize i, gsize n)
{
  return x[i] + x[(i + 1) % n] + x[(i + 3) % n] - MIN (MIN (x[i], 5), x[(i + 1) % n]) + 2;
}

static gint32
templates_traits (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) (((gint64) x[i] * x[i]) >> 3) + 2u * (guint32) x[i]);
}

static gint32
templates_explicit (const gint32 *x, gsize i, gsize n)
{
  return (gint32) (((guint32) x[i] - 3u) * 3u);
}

static gint32
templates_aliases (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 2u + 55u - 3u);
}

static gint32
templates_area (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * ((guint32) x[i] + 1u));
}

const Stranger strangers_templates[] = {
  { "template", "entry=\"k<int, 2>\"", templates_twice, "* N", "* N * N", STRANGER_ITEM },
  { "template-defaults", "entry=\"k<int>\"", templates_twice, "N = 2", "N = 3", STRANGER_ITEM },
  { "template-words", "entry=\"k<signed int>\"", templates_twice, "T (2)", "T (4)", STRANGER_ITEM },
  { "template-specialised", "entry=\"k<int>\"", templates_twice, "* 2", "* 5", STRANGER_ITEM },
  { "template-overloaded", "entry=\"void k<int>(const int *, int *, int by, int)\" by=2", templates_twice, "* by",
    "+ by", STRANGER_ITEM },
  { "template-constant-condition", "entry=\"k<int, 3>\"", templates_twice, "* 2", "* 6", STRANGER_ITEM },
  { "template-function-argument", "entry=\"apply<bent>\"", templates_bent, "v + 9", "v + 8", STRANGER_ITEM },
  { "template-type-argument", "entry=\"kernels::zip<int, ops::Shifted<2>>\"", templates_zipped, "x_count - 1 - i",
    "x_count - 1" },
  { "template-expressions", "entry=\"k<(1 << kLog)>\"", templates_rows, "(N > 3)", "(N > 8)", STRANGER_ITEM },
  { "template-packs", "", templates_packed, "0, 1, 3", "0, 1, 2" },
  { "template-traits", "entry=\"k<int>\"", templates_traits, ">> 3", ">> 4", STRANGER_ITEM },
  { "template-explicit", "entry=\"k<int, 3>\"", templates_explicit, "- N", "+ N", STRANGER_ITEM },
  { "template-aliases", "", templates_aliases, "fib (10)", "fib (9)", STRANGER_ITEM },
  { "template-base", "", templates_area, "() + 1", "() + 2", STRANGER_ITEM },
  { "specialisations", "", templates_twice, "v * 2", "v * 7", STRANGER_ITEM },
  { NULL },
};
