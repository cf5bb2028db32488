/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "header-cases.h"

#include <stdlib.h>
#include <string.h>

/* CUB's functions of a block and a warp (kernels/blocks.cu) against plain loops and qsort (). */

#define THREADS HEADER_THREADS
#define ALL     (4 * THREADS)

static void
blocks_expect_reduces (guint32 *out, guint32 n)
{
  for (guint32 t = 0; t < THREADS; t++)
    {
      guint32 v = header_mix (t + n);

      out[0] += v;
      out[1] = MAX (out[1], v);
      out[2] += t < n ? v : 0;
      out[3] += header_mix (t) + header_mix (t + 1) + header_mix (t + 2);
    }
}

static void
blocks_expect_scans (guint32 *out, guint32 n)
{
  guint32 sum = 0, greatest = 0, all = 0;

  for (guint32 t = 0; t < THREADS; t++)
    {
      out[t] = sum;
      sum += header_item (t, n);
      out[3 * THREADS + t] = MAX (greatest, 77);
      greatest = MAX (greatest, header_item (t, n));
      out[2 * THREADS + t] = greatest;
    }
  for (guint32 t = 0; t < THREADS; t++)
    out[THREADS + t] = sum;
  for (guint32 i = 0; i < 2 * THREADS; i++)
    {
      out[6 * THREADS + i] = all;
      all += header_mix (i);
      out[4 * THREADS + i] = all;
    }
  for (guint32 i = 1; i < 2 * THREADS; i += 2)
    out[6 * THREADS + i] += all;
}

static void
blocks_expect_tiles (guint32 *out, guint32 n)
{
  guint32 sum = 0;

  for (guint32 i = 0; i < n; i++)
    {
      out[i] = sum;
      sum += header_mix (i);
    }
}

static void
blocks_expect_segments (guint32 *out, guint32 n)
{
  for (guint32 t = THREADS, sum = 0; t-- > 0;)
    {
      guint32 v = header_item (t, n);

      sum += v;
      if (t % 32 == 0 || v % 4 == 1)
        {
          out[t] = sum;
          sum = 0;
        }
    }
}

static void
blocks_expect_warps (guint32 *out, guint32 n)
{
  for (guint32 first = 0; first < THREADS; first += 32)
    {
      guint32 sum = 0, greatest = 5;

      for (guint32 t = first; t < first + 32; t++)
        {
          guint32 v = header_item (t, n);

          out[5 * THREADS + t] = sum;
          sum += v;
          out[4 * THREADS + t] = sum;
          out[7 * THREADS + t] = greatest;
          greatest = MAX (greatest, v);
          out[THREADS + first] = t - first <= n % 32 ? MAX (out[THREADS + first], v) : out[THREADS + first];
          out[2 * THREADS + t / 16 * 16] += v;
          out[8 * THREADS + t] = header_item (first + 3, n);
        }
      out[first] = sum;
      for (guint32 t = first; t < first + 32; t++)
        out[6 * THREADS + t] = sum;
    }
  blocks_expect_segments (out + 3 * THREADS, n);
}

typedef struct
{
  guint32 key, place;
} BlocksPair;

static int
blocks_compare_pairs (const void *a, const void *b)
{
  const BlocksPair *x = a, *y = b;

  return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->place < y->place ? -1 : 1;
}

static int
blocks_compare_ints (const void *a, const void *b)
{
  const gint32 *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static void
blocks_expect_sorts (guint32 *out, guint32 n)
{
  BlocksPair pairs[ALL], again[ALL];
  gint32 numbers[ALL];

  for (guint32 i = 0; i < ALL; i++)
    {
      pairs[i] = (BlocksPair){ i < n ? header_mix (i) % 512 : 0xffffffff, i };
      numbers[i] = (gint32) header_item (i, n);
    }
  qsort (pairs, ALL, sizeof pairs[0], blocks_compare_pairs);
  for (guint32 i = 0; i < ALL; i++)
    again[i] = (BlocksPair){ 31 - (pairs[i].key >> 2 & 31), i };
  qsort (again, ALL, sizeof again[0], blocks_compare_pairs);
  qsort (numbers, ALL, sizeof numbers[0], blocks_compare_ints);
  for (guint32 i = 0; i < ALL; i++)
    {
      float real = (float) numbers[i] * 0.5f;

      out[i] = pairs[i].key;
      out[ALL + i] = pairs[i].place;
      out[2 * ALL + i] = pairs[again[i].place].place;
      memcpy (&out[3 * ALL + i], &real, sizeof real);
      out[4 * ALL + i] = (guint32) numbers[i];
    }
}

static void
blocks_expect_loads (guint32 *out, guint32 n)
{
  for (guint32 i = 0; i < n; i++)
    {
      out[i] = header_mix (i);
      out[512 + i] = header_mix (i) + i / 4;
    }
  for (guint32 i = 0; i < ALL; i++)
    {
      guint32 place = i % 4 * THREADS + i / 4;

      out[1024 + i] = place < n ? header_mix (place) : 1;
    }
}

static const HeaderCase blocks_cases[] = {
  { "reduces", blocks_expect_reduces, 1, THREADS, FALSE }, { "scans", blocks_expect_scans, 1, THREADS, FALSE },
  { "tiles", blocks_expect_tiles, 1, 4000, FALSE },        { "warps", blocks_expect_warps, 1, THREADS, FALSE },
  { "sorts", blocks_expect_sorts, 1, ALL, FALSE },         { "loads", blocks_expect_loads, 1, ALL, FALSE },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  header_cases_add ("/leat/kernel/blocks", "blocks.cu", blocks_cases, G_N_ELEMENTS (blocks_cases));
  return g_test_run ();
}
