/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "counts-cases.h"

#include <stdlib.h>
#include <string.h>

#define BINS_MANY 8192
#define PLACES    700

static void
counts_put_u32 (CountsRun *run, guint output, guint32 value)
{
  g_byte_array_append (run->out[output], (const guint8 *) &value, sizeof value);
}

static void
counts_put_u64 (CountsRun *run, guint output, guint64 value)
{
  g_byte_array_append (run->out[output], (const guint8 *) &value, sizeof value);
}

static guint64
counts_get_both (const CountsRun *run)
{
  return MIN (run->n[0], run->n[1]);
}

static void
counts_map (CountsRun *run)
{
  const guint32 *x = run->in[0];

  for (guint64 i = 0; i < run->n[0]; i++)
    counts_put_u32 (run, 0, x[i] + 1);
}

static void
counts_reduce (CountsRun *run)
{
  const guint32 *x = run->in[0];
  guint64 sum = 0;

  for (guint64 i = 0; i < run->n[0]; i++)
    sum += x[i];
  counts_put_u64 (run, 0, sum);
}

static void
counts_reduce_rows (CountsRun *run, guint columns)
{
  const guint32 *x = run->in[0];

  for (guint64 r = 0; r < run->n[0]; r++)
    {
      guint32 most = 0;

      for (guint c = 0; c < columns; c++)
        most = MAX (most, x[r * columns + c]);
      counts_put_u32 (run, 0, most);
    }
}

static void
counts_reduce_3 (CountsRun *run)
{
  counts_reduce_rows (run, 3);
}

static void
counts_reduce_40 (CountsRun *run)
{
  counts_reduce_rows (run, 40);
}

static void
counts_reduce_600 (CountsRun *run)
{
  counts_reduce_rows (run, 600);
}

static void
counts_histogram_of (CountsRun *run, guint bins)
{
  const guint32 *x = run->in[0];
  g_autofree guint64 *counts = g_new0 (guint64, bins);

  for (guint64 i = 0; i < run->n[0]; i++)
    if (x[i] < bins)
      counts[x[i]]++;
  g_byte_array_append (run->out[0], (const guint8 *) counts, bins * (guint) sizeof *counts);
}

static void
counts_histogram_few (CountsRun *run)
{
  counts_histogram_of (run, 16);
}

static void
counts_histogram_many (CountsRun *run)
{
  counts_histogram_of (run, BINS_MANY);
}

static void
counts_unique (CountsRun *run)
{
  const guint32 *x = run->in[0];

  for (guint64 i = 0, end; i < run->n[0]; i = end)
    {
      for (end = i; end < run->n[0] && x[end] == x[i];)
        end++;
      counts_put_u32 (run, 0, x[i]);
      counts_put_u64 (run, 1, i);
      counts_put_u64 (run, 2, end - i);
    }
}

static void
counts_gather (CountsRun *run)
{
  static const guint32 none[3] = { 0, 0, 0 };
  const guint32 *items = run->in[0], *at = run->in[1];

  for (guint64 k = 0; k < run->n[1]; k++)
    g_byte_array_append (run->out[0], (const guint8 *) (at[k] < run->n[0] ? items + 3 * at[k] : none), sizeof none);
}

static void
counts_scatter_by (CountsRun *run, gboolean adds)
{
  const guint32 *items = run->in[0], *at = run->in[1];
  guint32 places[PLACES] = { 0 };

  for (guint64 k = 0; k < counts_get_both (run); k++)
    if (at[k] < PLACES)
      places[at[k]] = (adds ? places[at[k]] : 0) + items[k];
  g_byte_array_append (run->out[0], (const guint8 *) places, sizeof places);
}

static void
counts_scatter (CountsRun *run)
{
  counts_scatter_by (run, FALSE);
}

static void
counts_scatter_add (CountsRun *run)
{
  counts_scatter_by (run, TRUE);
}

static void
counts_scan (CountsRun *run)
{
  const guint32 *x = run->in[0];
  guint64 sum = 0;

  for (guint64 i = 0; i < run->n[0]; i++)
    counts_put_u64 (run, 0, sum += x[i]);
}

static void
counts_scan_segments (CountsRun *run)
{
  const guint32 *x = run->in[0];
  const guint8 *starts = run->in[1];
  guint64 sum = 0;

  for (guint64 i = 0; i < counts_get_both (run); i++)
    counts_put_u64 (run, 0, sum = (starts[i] != 0 ? 0 : sum) + x[i]);
}

static void
counts_partition (CountsRun *run)
{
  const guint32 *x = run->in[0];
  const guint8 *flags = run->in[1];
  guint64 front = 0;

  for (guint part = 0; part < 2; part++)
    for (guint64 i = 0; i < counts_get_both (run); i++)
      if ((flags[i] != 0) == (part == 0))
        {
          counts_put_u32 (run, 0, x[i]);
          front += part == 0;
        }
  counts_put_u64 (run, 1, front);
}

static int
counts_compare (gconstpointer a, gconstpointer b)
{
  const guint32 *x = a, *y = b;

  return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : 1;
}

/* Pairs of a key and where it was. */
static guint32 *
counts_sort_pairs (CountsRun *run)
{
  const guint32 *keys = run->in[0];
  guint32 *pairs = g_new (guint32, 2 * run->n[0] + 1);

  for (guint64 i = 0; i < run->n[0]; i++)
    {
      pairs[2 * i] = keys[i];
      pairs[2 * i + 1] = (guint32) i;
    }
  qsort (pairs, run->n[0], 2 * sizeof *pairs, counts_compare);
  return pairs;
}

static void
counts_sort (CountsRun *run)
{
  g_autofree guint32 *pairs = counts_sort_pairs (run);

  for (guint64 i = 0; i < run->n[0]; i++)
    {
      counts_put_u32 (run, 0, pairs[2 * i]);
      counts_put_u32 (run, 1, pairs[2 * i + 1]);
    }
}

static void
counts_sort_values (CountsRun *run)
{
  g_autofree guint32 *pairs = counts_sort_pairs (run);
  const guint64 *values = run->in[1];

  for (guint64 i = 0; i < run->n[0]; i++)
    {
      guint32 from = pairs[2 * i + 1];

      counts_put_u32 (run, 0, pairs[2 * i]);
      counts_put_u64 (run, 1, from < run->n[1] ? values[from] : 0);
    }
}

static void
counts_compact (CountsRun *run)
{
  const guint32 *x = run->in[0];

  for (guint64 i = 0; i < run->n[0]; i++)
    if (x[i] < 500)
      counts_put_u32 (run, 0, x[i]);
}

static void
counts_compact_rows (CountsRun *run)
{
  const guint32 *x = run->in[0];
  const guint8 *flags = run->in[1];

  for (guint64 i = 0; i < counts_get_both (run); i++)
    if (flags[i] != 0)
      {
        g_byte_array_append (run->out[0], (const guint8 *) (x + 3 * i), 3 * sizeof *x);
        counts_put_u32 (run, 1, (guint32) i);
      }
}

static void
counts_compact_bits (CountsRun *run)
{
  const guint32 *x = run->in[0];
  const guint8 *bits = run->in[1];

  for (guint64 i = 0; i < MIN (run->n[0], 8 * run->n[1]); i++)
    if (bits[i / 8] >> i % 8 & 1)
      counts_put_u32 (run, 0, x[i]);
}

static void
counts_compact_indices (CountsRun *run)
{
  const guint8 *bits = run->in[0];

  for (guint64 i = 0; i < 8 * run->n[0]; i++)
    if (bits[i / 8] >> i % 8 & 1)
      counts_put_u32 (run, 0, (guint32) i);
}

#define X(columns, below) "x", "u32", 4, columns, 0, below
#define FLAGS(port)       port, "u8", 1, 0, 0, 2
#define BITS(share)       "bits", "u8", 1, 0, share, 0
#define KEYS              "keys", "u32", 4, 0, 0, 5000
#define VALUES            "values", "u64", 8, 0, 0, 0
#define ITEMS(columns)    "items", "u32", 4, columns, 0, 0
#define AT(below)         "at", "u32", 4, 0, 0, below

const CountsCase counts_cases[] = {
  { "map", "map expr=x+1", "out", { { X (0, 0) } }, counts_map },
  { "reduce", "reduce", "out", { { X (0, 0) } }, counts_reduce },
  { "reduce-threads", "reduce op=max by=row", "out", { { X (3, 0) } }, counts_reduce_3 },
  { "reduce-warps", "reduce op=max by=row", "out", { { X (40, 0) } }, counts_reduce_40 },
  { "reduce-tiles", "reduce op=max by=row", "out", { { X (600, 0) } }, counts_reduce_600 },
  { "histogram-few", "histogram bins=16 max=16", "out", { { X (0, 20) } }, counts_histogram_few },
  { "histogram-many", "histogram bins=8192 max=8192", "out", { { X (0, 9000) } }, counts_histogram_many },
  { "unique", "unique", "out starts lengths", { { X (0, 3) } }, counts_unique },
  { "gather", "gather outside=zero", "out", { { ITEMS (3) }, { AT (6000) } }, counts_gather },
  { "scatter-last", "scatter size=700 outside=drop", "out", { { ITEMS (0) }, { AT (800) } }, counts_scatter },
  { "scatter-add", "scatter size=700 outside=drop op=add", "out", { { ITEMS (0) }, { AT (800) } }, counts_scatter_add },
  { "scan", "scan", "out", { { X (0, 0) } }, counts_scan },
  { "scan-segments", "scan", "out", { { X (0, 0) }, { FLAGS ("starts") } }, counts_scan_segments },
  { "partition", "partition", "out front", { { X (0, 0) }, { FLAGS ("flags") } }, counts_partition },
  { "sort", "sort", "sorted from", { { KEYS } }, counts_sort },
  { "sort-values", "sort", "sorted carried", { { KEYS }, { VALUES } }, counts_sort_values },
  { "compact", "compact where=x<500", "out", { { X (0, 1000) } }, counts_compact },
  { "compact-in-place", "compact where=x<500 in-place=true", "out", { { X (0, 1000) } }, counts_compact },
  { "compact-rows",
    "compact by=flags emit=both",
    "out indices",
    { { X (3, 0) }, { FLAGS ("flags") } },
    counts_compact_rows },
  { "compact-bits", "compact by=bits", "out", { { X (0, 0) }, { BITS (8) } }, counts_compact_bits },
  { "compact-indices", "compact by=bits emit=indices", "out", { { BITS (0) } }, counts_compact_indices },
};
const guint counts_n_cases = G_N_ELEMENTS (counts_cases);

#define TEXT "text", "u8", 1, 0, 0, 12

const CountsCase counts_searches[] = {
  { "patterns", "text:scan patterns=\"\\\\x01\\\\x02,\\\\x03\"", "hits", { { TEXT } }, NULL },
  { "regex", "text:scan regex=\"\\\\x01[\\\\x02-\\\\x06]+\"", "hits", { { TEXT } }, NULL },
  { "lines", "text:scan emit=line regex=\"\\\\x01[\\\\x02-\\\\x06]+\"", "hits", { { TEXT } }, NULL },
};
const guint counts_n_searches = G_N_ELEMENTS (counts_searches);
