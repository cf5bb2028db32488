/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stranger.h"

/* What CUDA's headers bring: the standard library, CUB, cooperative groups, barriers, pipelines and atomic types. */

#define FIRST(i, size)  ((i) / (size) * (size))
#define END(i, size, n) MIN (FIRST (i, size) + (size), (n))

static gint32
headers_at (const gint32 *x, gsize k, gsize n)
{
  return k < n ? x[k] : 0;
}

static gint32
headers_sum (const gint32 *x, gsize first, gsize end)
{
  gint32 sum = 0;

  for (gsize k = first; k < end; k++)
    sum += x[k];
  return sum;
}

/* Without items behind the end. */
static gint32
headers_most (const gint32 *x, gsize first, gsize end)
{
  gint32 most = x[first];

  for (gsize k = first; k < end; k++)
    most = MAX (most, x[k]);
  return most;
}

static gint32
headers_window (const gint32 *x, gsize i, gsize n)
{
  gint32 v = x[(i + 1) % n];

  return CLAMP (v, G_MINSHORT, 20000) + v + (v < 0 ? 1 : 2) + x[i] + x[(i + 3) % n] - 3;
}

static gint32
headers_divided (const gint32 *x, gsize i, gsize n)
{
  return x[i] / 7 * 4 + x[i] % 7 + 'a' + 2047;
}

static gint32
headers_warp_reduced (const gint32 *x, gsize i, gsize n)
{
  gint32 most = headers_most (x, FIRST (i, 32), END (i, 32, n));

  most = FIRST (i, 32) + 32 > n ? MAX (most, 0) : most;
  return headers_sum (x, FIRST (i, 32), END (i, 32, n)) + 3 * most;
}

static gint32
headers_warp_scanned (const gint32 *x, gsize i, gsize n)
{
  guint32 folded = 0;

  for (gsize k = FIRST (i, 32); k <= i; k++)
    folded ^= (guint32) x[k];
  return (gint32) ((guint32) headers_sum (x, FIRST (i, 32), i) + folded * 2);
}

static gint32
headers_spread (const gint32 *x, gsize i, gsize n)
{
  gsize first = FIRST (i, 96), end = END (i, 96, n);

  return headers_sum (x, first, end) - 2 * headers_most (x, first, end);
}

static gint32
headers_block_scanned (const gint32 *x, gsize i, gsize n)
{
  gsize first = FIRST (i, 192);

  return headers_sum (x, first, i + 1) + headers_sum (x, first, END (i, 192, n));
}

/* The item of the block that has as many before it as @i has. */
static gint32
headers_sorted (const gint32 *x, gsize i, gsize n)
{
  gsize first = FIRST (i, 64), end = END (i, 64, n);

  for (gsize k = first; k < end; k++)
    {
      gsize before = 0;

      for (gsize other = first; other < end; other++)
        before += x[other] < x[k] || (x[other] == x[k] && other < k);
      if (before == i - first)
        return x[k] * 64 + (gint32) (k - first);
    }
  g_return_val_if_reached (0);
}

static gint32
headers_striped (const gint32 *x, gsize i, gsize n)
{
  gsize first = FIRST (i, 128), at = i - first;

  return first + 128 <= n ? x[first + at % 32 * 4 + at / 32] : x[i] + 1;
}

static gint32
headers_without_own (const gint32 *x, gsize i, gsize n)
{
  return headers_sum (x, FIRST (i, 64), END (i, 64, n)) - x[i];
}

/* In the tile of @size: the greatest, less what is before, with a neighbour and the positive ones. */
static gint32
headers_ranked (const gint32 *x, gsize i, gsize n, gsize size, gint32 modulus)
{
  gsize first = FIRST (i, size);
  gint32 most = G_MININT, before = 0, positive = 0;

  for (gsize k = first; k < first + size; k++)
    {
      gint32 v = headers_at (x, k, n) % modulus;

      most = MAX (most, v);
      before += k < i ? v : 0;
      positive += v > 0;
    }
  return most - before + headers_at (x, i ^ 1, n) % modulus + positive;
}

static gint32
headers_tiles (const gint32 *x, gsize i, gsize n)
{
  return headers_ranked (x, i, n, 8, G_MAXINT) + 2 * headers_ranked (x, i, n, 32, 1000) + (gint32) (i % 32 / 8);
}

static gint32
headers_taken (const gint32 *x, gsize i, gsize n)
{
  gint32 sum = 0;

  for (gsize k = FIRST (i, 64); k < END (i, 64, n); k++)
    sum += x[k] > 0 ? 1 + (x[k] & 0xff) : 0;
  return sum;
}

static gint32
headers_folded (const gint32 *x, gsize i, gsize n)
{
  gint32 v = x[0] + 1;

  for (gsize k = 1; k <= i; k++)
    v = (v ^ (x[k] + 1)) & 0xfffff;
  return v - (gint32) i;
}

static gint32
headers_met (const gint32 *x, gsize i, gsize n)
{
  gsize first = FIRST (i, 64), other = (i - first) ^ 1;

  return headers_at (x, first + 63 - other, n) + (headers_at (x, first + other, n) & 3);
}

static gint32
headers_staged (const gint32 *x, gsize i, gsize n)
{
  return x[i] + (gint32) (i % 128 / 32);
}

static gint32
headers_referred (const gint32 *x, gsize i, gsize n)
{
  gint32 negative = 0;

  for (gsize k = FIRST (i, 64); k < END (i, 64, n); k++)
    negative += x[k] < 0;
  return negative * 100000 + headers_most (x, FIRST (i, 64), END (i, 64, n));
}

const Stranger strangers_headers[] = {
  { "std-values", "", headers_window, "below ? 1 : 2", "below ? 2 : 1" },
  { "cuda-std", "", headers_divided, "(a[1], a[2])", "(a[1], a[1])", STRANGER_ITEM },
  { "cub-warp-reduce", "block=64", headers_warp_reduced, "3 * most", "2 * most" },
  { "cub-warp-scan", "block=64", headers_warp_scanned, "a ^ b", "a | b" },
  { "cub-block-reduce", "entry=\"block_spread<96, cub::BLOCK_REDUCE_RAKING>\" block=96", headers_spread, "a > b",
    "a < b" },
  { "cub-block-scan", "block=64", headers_block_scanned, "InclusiveSum", "ExclusiveSum" },
  { "cub-radix-sort", "block=32", headers_sorted, ".Sort (keys", ".SortDescending (keys" },
  { "cub-load-store", "block=32", headers_striped, "STORE_STRIPED", "STORE_DIRECT" },
  { "groups-block", "block=64", headers_without_own, "rank + by]", "rank]" },
  { "groups-tiles", "block=64", headers_tiles, "most - before", "most + before" },
  { "groups-coalesced", "block=64", headers_taken, "x[i] > 0", "x[i] < 0" },
  { "groups-grid", "block=64 grid=2 cooperative=true", headers_folded, "y[i - 1] ^", "y[i - 1] +" },
  { "barriers", "block=64", headers_met, "room[t ^ 1]", "room[t]" },
  { "pipelines", "block=32", headers_staged, "+ batch;", "- batch;" },
  { "atomic-references", "block=64", headers_referred, "negative++", "negative--" },
  { NULL },
};
