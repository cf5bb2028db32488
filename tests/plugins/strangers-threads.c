/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stranger.h"

/* Shared memory, warps, atomics, variables of the file, and what threads of a block tell each other. */

/* Of block @first / @size: the items that there are. */
#define FIRST(i, size)  ((i) / (size) * (size))
#define END(i, size, n) MIN (FIRST (i, size) + (size), (n))

static gint32
threads_twice (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 2u);
}

static guint32
threads_sum (const gint32 *x, gsize first, gsize end)
{
  guint32 sum = 0;

  for (gsize k = first; k < end; k++)
    sum += (guint32) x[k];
  return sum;
}

static gint32
threads_sum_32 (const gint32 *x, gsize i, gsize n)
{
  return (gint32) threads_sum (x, FIRST (i, 32), END (i, 32, n));
}

static gint32
threads_sum_128 (const gint32 *x, gsize i, gsize n)
{
  return (gint32) threads_sum (x, FIRST (i, 128), END (i, 128, n));
}

static gint32
threads_sum_until (const gint32 *x, gsize i, gsize n)
{
  return (gint32) threads_sum (x, FIRST (i, 128), i + 1);
}

static gint32
threads_neighbour (const gint32 *x, gsize i, gsize n)
{
  return (i ^ 1) < n ? x[i ^ 1] : 0;
}

static gint32
threads_mirrored (const gint32 *x, gsize i, gsize n)
{
  gsize other = FIRST (i, 32) + 31 - i % 32;
  gint32 v = other < n ? x[other] : 0;

  return v + v * 2 + (x[i] < 0 ? -1 : 1);
}

static gint32
threads_turned (const gint32 *x, gsize i, gsize n)
{
  gsize at = i % 64, other = FIRST (i, 64) + at % 8 * 8 + at / 8;

  return other < n ? x[other] : -1;
}

/* Lanes behind the end have 0. */
static gint32
threads_at (const gint32 *x, gsize k, gsize n)
{
  return k < n ? x[k] : 0;
}

static gint32
threads_voted_of_warp (const gint32 *x, gsize i, gsize n)
{
  guint below = 0, same = 0, sum = 0, least = 255;
  gboolean any = FALSE, every = TRUE;

  for (gsize k = FIRST (i, 32); k < FIRST (i, 32) + 32; k++)
    {
      gint32 v = threads_at (x, k, n);

      below += k < i && v < 0;
      same += (v & 6) == (x[i] & 6);
      any = any || v % 50 == 1;
      every = every && v != 77;
      sum += (guint) v & 0xff;
      least = MIN (least, (guint) v & 0xff);
    }
  return (gint32) (below + 40 * same + 2000 * (guint) any + 4000 * (guint) every + 8000 + 16000 * least + sum);
}

static gint32
threads_voted (const gint32 *x, gsize i, gsize n)
{
  guint count = 0;
  gboolean some = FALSE, none = TRUE;

  for (gsize k = FIRST (i, 64); k < FIRST (i, 64) + 64; k++)
    {
      count += threads_at (x, k, n) > 0;
      some = some || threads_at (x, k, n) == 1;
      none = none && threads_at (x, k, n) != 0;
    }
  return threads_voted_of_warp (x, i, n) + (gint32) (7 * count + 9 * (guint) some + 11 * (guint) none);
}

static gint32
threads_counted (const gint32 *x, gsize i, gsize n)
{
  guint32 bin = 0, greatest = 0, bits = 0, total = 0;

  for (gsize k = FIRST (i, 64); k < END (i, 64, n); k++)
    {
      guint32 v = (guint32) x[k] & 0xffff;

      bin += v % 16 == (guint32) x[i] % 16;
      greatest = MAX (greatest, v);
      bits ^= v;
      total += v;
    }
  return (gint32) (bin * 3 + greatest + bits + total);
}

static gint32
threads_multiplied (const gint32 *x, gsize i, gsize n)
{
  gsize first = FIRST (i, 32);
  guint32 product = 1;

  for (gsize k = first; k < END (i, 32, n); k++)
    product *= (guint32) x[k] | 1;
  return (gint32) (product + threads_sum (x, first, END (i, 32, n)) + (guint32) (first + 7 < n ? x[first + 7] : -1));
}

static gint32
threads_filtered (const gint32 *x, gsize i, gsize n)
{
  static const gint32 taps[] = { 1, -2, 3, -2, 1 };
  gint32 sum = 3;

  for (gsize t = 0; t < 5; t++)
    if (i + t >= 2 && i + t - 2 < n)
      sum += taps[t] * x[i + t - 2];
  return sum * 2 + 4 + 4 + (gint32) (i % 3) + (i % 2 ? 20 : 10);
}

static gint32
threads_given (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 3u + 7u + 5u);
}

static gint32
threads_differences (const gint32 *x, gsize i, gsize n)
{
  return i > 0 ? x[i] - x[i - 1] : x[i];
}

static gint32
threads_listed (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 3u + 2u);
}

static gint32
threads_plus_3 (const gint32 *x, gsize i, gsize n)
{
  return x[i] + 3;
}

const Stranger strangers_threads[] = {
  { "shared-in-members", "block=32 shared=128", threads_sum_32, "t < 32", "t < 31" },
  { "shuffle-in-members", "block=32", threads_neighbour, "v, 1)", "v, 2)" },
  { "dynamic-shared", "block=32 shared=416", threads_mirrored, "- 1 - t", "- 2 - t" },
  { "shared-tiles", "block=8x8", threads_turned, "tile[threadIdx.x][threadIdx.y]", "tile[threadIdx.y][threadIdx.x]" },
  { "votes", "block=64", threads_voted, "v & 6)", "v & 4)" },
  { "warp-scan", "block=128", threads_sum_until, "warp - 1", "warp" },
  { "histogram", "block=64", threads_counted, "v % 16", "v % 8" },
  { "compare-and-swap", "block=32", threads_multiplied, "assumed * by", "assumed + by" },
  { "constants", "", threads_filtered, "{ 4, 8 }", "{ 4, 16 }" },
  { "variables-given", "variables=gain=3,offset=7,scale=2.5", threads_given, "scale * 2", "scale", STRANGER_ITEM },
  { "grid-stride", "grid=3 block=64", threads_differences, "in[i - 1]", "in[0]" },
  { "print-and-assert", "", threads_twice, "* 2;", "* 3;", STRANGER_ITEM },
  { "heap", "", threads_listed, "raw[0] - raw[1]", "raw[1] - raw[0]", STRANGER_ITEM },
  { "volatile-warp", "entry=reduce<128> block=128", threads_sum_128, "t < 64", "t < 63" },
  { "clocks", "block=32", threads_plus_3, "warpSize == 32", "warpSize == 31" },
  { NULL },
};
