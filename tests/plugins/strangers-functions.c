/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stranger.h"

/* Namespaces, lambdas, types of a function's own, function pointers, operators, and all statements of C++. */

static gint32
functions_twice (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 2u);
}

static gint32
functions_square (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * (guint32) x[i]);
}

static gint32
functions_place (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] + (guint32) (i % 32));
}

/* One more, two steps of ten, and nothing less a hundred. */
static gint32
functions_versions (const gint32 *x, gsize i, gsize n)
{
  return x[i] + 1 + 2 * 10 - 100;
}

/* Added twice; then 1 between two counts, a sign, a place, and three times one more than nothing. */
static gint32
functions_captured (const gint32 *x, gsize i, gsize n)
{
  return x[i] * 2 + 1 + (x[i] < 0 ? -1 : 1) + 2 + 3;
}

static gint32
functions_cursor (const gint32 *x, gsize i, gsize n)
{
  gint32 v = x[(i + 2) % n];

  return i + 2 >= n ? -(v + (v & 3)) : v + (v & 3);
}

static gint32
functions_areas (const gint32 *x, gsize i, gsize n)
{
  return i % 2 ? x[i] * 2 : (gint32) ((guint32) x[i] * (guint32) x[i]);
}

static gint32
functions_fields (const gint32 *x, gsize i, gsize n)
{
  gint32 a = x[i] + (i % 2 ? 1 : 0), b = 7 + (i % 2 ? 0 : 1);

  return (i % 3 == 0 ? a + b : a - b) + (i % 2 ? a : b);
}

static gint32
functions_operators (const gint32 *x, gsize i, gsize n)
{
  gint32 m = x[i] % 64, dot = (m + 3) + (m + 5) + (m + 7) + 2 * (m + 9);

  return dot + CLAMP (x[i], -50, 50) + ABS (x[i]) + 2 * MIN (-x[i], 100) + (x[i] & 1);
}

/* What the switch leaves. */
static gint32
functions_switched (gint32 kind)
{
  static const gint32 sums[] = { 111, 110, 100, -1 };

  return sums[kind];
}

static gint32
functions_statements (const gint32 *x, gsize i, gsize n)
{
  gint32 low = x[i] & 15, high = x[i] >> 4, sum = functions_switched (low & 3), a = low ^ 1, b = high ^ 1;

  sum += 2 + 4; /* even states, up to 5 */
  sum += 1 + 4;
  while (a <= 100)
    a += 40;
  sum += 10 + 9 + 8 - 1 + 0;
  if (((guint32) b & 1) == 0 && ((guint32) b & 2) != 0)
    sum ^= 64;
  return sum + a + b % 1000 + (3 ^ 1);
}

static gint32
functions_words (const gint32 *x, gsize i, gsize n)
{
  gint32 m = x[i] % 100;

  return m * m + 3 + 2 + (2 + 5 + 4 + 6 + 1) + 1 + 2;
}

const Stranger strangers_functions[] = {
  { "namespace", "entry=a::b::k", functions_twice, "gain = 2", "gain = 4", STRANGER_ITEM },
  { "namespace-using", "", functions_twice, "a * 2", "a * 3", STRANGER_ITEM },
  { "namespace-versions", "", functions_versions, "old::base", "detail::base", STRANGER_ITEM },
  { "lambda", "", functions_twice, "f (x[i])", "f (x[i] + 1)", STRANGER_ITEM },
  { "lambda-captures", "", functions_captured, "return n++", "return n--", STRANGER_ITEM },
  { "local-structures", "", functions_cursor, "stride = 2", "stride = 3" },
  { "virtual-members", "", functions_areas, "w = 2", "w = 3", STRANGER_ITEM },
  { "function-pointers", "", functions_twice, "table[1]", "table[0]", STRANGER_ITEM },
  { "member-pointers", "", functions_fields, "p->*field += 1", "p->*field += 2", STRANGER_ITEM },
  { "members-know-threads", "block=32", functions_place, "+ bias", "+ bias + 1" },
  { "functions-know-threads", "block=32", functions_place, "v + lane ()", "v + lane () * 2" },
  { "overloads", "", functions_twice, "max (x[i], x[i])", "max (x[i], x[i] + 1)", STRANGER_ITEM },
  { "operators", "", functions_operators, "f <<= 1", "f <<= 2", STRANGER_ITEM },
  { "recursion", "", functions_square, ", 2)", ", 3)", STRANGER_ITEM },
  { "statements", "", functions_statements, "p < 3 ? q", "p < 2 ? q", STRANGER_ITEM },
  { "words", "", functions_words, "blockSize = 3", "blockSize = 4", STRANGER_ITEM },
  { NULL },
};
