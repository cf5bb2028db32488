/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "repeat-fixture.h"

#include <stdlib.h>
#include <string.h>

/* scan, reduce, histogram, sort, gather and scatter, again and again. */

#define SIZES_OF(node) "%s: %" G_GUINT64_FORMAT " items, pattern %u", node, n, pattern
#define ORDER_PATTERNS 4
#define BINS           1000
#define PLACES         1009

static guint64
test_repeat_get_most (guint64 otherwise)
{
  return repeat_is_short () ? 20000 : otherwise;
}

/* Any and many zeros, all alike, falling, few values. */
static guint32 *
test_repeat_make_items (guint pattern, guint64 n)
{
  guint32 *x = g_new (guint32, n + 1);
  guint64 seed = 5 + pattern;

  for (guint64 i = 0; i < n; i++)
    x[i] = (guint32) (pattern == 0   ? primitive_random (&seed) * (i % 3 != 0)
                      : pattern == 1 ? 123456789
                      : pattern == 2 ? n - i
                                     : primitive_random (&seed) % 5 * 0x33333333u);
  return x;
}

static char *
test_repeat_dup_inputs (guint64 most, const char *format)
{
  g_autofree char *room = g_strdup_printf ("[<=%" G_GUINT64_FORMAT "]", most);
  GString *text = g_string_new (format);

  g_string_replace (text, "[]", room, 0);
  return g_string_free (text, FALSE);
}

/* What @make makes of the items is what comes, in all sizes and patterns. @make: gives the rows of `out` */
typedef guint64 (*TestRepeatMake) (const guint32 *x, guint64 n, gpointer out);

static void
test_repeat_of_items (const char *node, guint64 most, gsize row_bytes, TestRepeatMake make)
{
  g_autofree char *inputs = test_repeat_dup_inputs (most, "x=u32[]");
  g_autofree guint8 *wanted = g_malloc (MAX (most, BINS) * 8);
  Repeat repeat;
  guint64 n;

  repeat_open (&repeat, node, inputs, "out");
  for (guint pattern = 0; pattern < ORDER_PATTERNS; pattern += repeat_get_pattern_step ())
    for (guint i = 0; repeat_get_size (i, most, &n); i++)
      {
        g_autofree guint32 *x = test_repeat_make_items (pattern, n);
        g_autofree char *what = g_strdup_printf (SIZES_OF (node));
        guint64 rows = make (x, n, wanted);

        repeat_check (&repeat, (RepeatData[]){ { x, n, 4 } }, (RepeatData[]){ { wanted, rows, row_bytes } }, what);
      }
  repeat_close (&repeat);
}

static guint64
test_repeat_sum_up (const guint32 *x, guint64 n, gpointer out)
{
  guint32 *wanted = out, sum = 0;

  for (guint64 i = 0; i < n; sum += x[i++])
    wanted[i] = sum;
  return n;
}

static guint64
test_repeat_carry (const guint32 *x, guint64 n, gpointer out)
{
  guint32 *wanted = out, last = 0;

  for (guint64 i = 0; i < n; i++)
    wanted[i] = last = x[i] != 0 ? x[i] : last;
  return n;
}

static guint64
test_repeat_add (const guint32 *x, guint64 n, gpointer out)
{
  guint64 sum = 0;

  for (guint64 i = 0; i < n; i++)
    sum += x[i];
  memcpy (out, &sum, sizeof sum);
  return 1;
}

static guint64
test_repeat_find_greatest (const guint32 *x, guint64 n, gpointer out)
{
  guint64 at = n > 0 ? 0 : G_MAXUINT64;

  for (guint64 i = 1; i < n; i++)
    at = x[i] > x[at] ? i : at;
  memcpy (out, &at, sizeof at);
  return 1;
}

static guint64
test_repeat_count_bins (const guint32 *x, guint64 n, gpointer out)
{
  guint64 *wanted = out;

  memset (wanted, 0, BINS * sizeof *wanted);
  for (guint64 i = 0; i < n; i++)
    if (x[i] < BINS * 1000)
      wanted[x[i] / 1000]++;
  return BINS;
}

static void
test_repeat_scan (void)
{
  guint64 most = test_repeat_get_most (4194319);

  test_repeat_of_items ("scan mode=exclusive type=u32", most, 4, test_repeat_sum_up);
  test_repeat_of_items ("scan op=expr expr=\"b!=0?b:a\"", most, 4, test_repeat_carry);
  if (!repeat_is_short ())
    test_repeat_of_items ("scan mode=exclusive type=u32", 65536, 4, test_repeat_sum_up);
}

static void
test_repeat_reduce (void)
{
  guint64 most = test_repeat_get_most (4194319);

  test_repeat_of_items ("reduce", most, 8, test_repeat_add);
  test_repeat_of_items ("reduce op=argmax", most, 8, test_repeat_find_greatest);
}

static void
test_repeat_histogram (void)
{
  test_repeat_of_items ("histogram bins=1000 max=1000000", test_repeat_get_most (4194319), 8, test_repeat_count_bins);
}

/* Sums of floats have the same bits in every run. */
static void
test_repeat_floats (const char *node, gboolean is_whole)
{
  guint64 most = test_repeat_get_most (4194319), n, seed = 9;
  g_autofree char *inputs = test_repeat_dup_inputs (most, "x=f32[]");
  g_autofree float *x = g_new (float, most);
  Repeat repeat;

  for (guint64 i = 0; i < most; i++)
    x[i] = (float) (gint64) primitive_random (&seed) / 1e9f;
  repeat_open (&repeat, node, inputs, "out");
  for (guint i = 0; repeat_get_size (i, most, &n); i++)
    {
      guint pattern = 0;
      g_autofree char *what = g_strdup_printf (SIZES_OF (node));

      repeat_check (&repeat, (RepeatData[]){ { x, n, 4 } }, (RepeatData[]){ { NULL, is_whole ? 1 : n, 4 } }, what);
    }
  repeat_close (&repeat);
}

static void
test_repeat_sums_of_floats (void)
{
  test_repeat_floats ("reduce", TRUE);
  test_repeat_floats ("scan", FALSE);
}

static int
test_repeat_compare (gconstpointer a, gconstpointer b)
{
  const guint64 *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

/* Keys, and behind them where they were, which makes all different. */
static void
test_repeat_sort_of (guint64 most)
{
  g_autofree char *inputs = test_repeat_dup_inputs (most, "keys=u32[]");
  g_autofree guint64 *both = g_new (guint64, most);
  g_autofree guint32 *keys = g_new (guint32, most), *from = g_new (guint32, most);
  Repeat repeat;
  guint64 n;

  repeat_open (&repeat, "sort", inputs, "sorted from");
  for (guint pattern = 0; pattern < ORDER_PATTERNS; pattern += repeat_get_pattern_step ())
    for (guint i = 0; repeat_get_size (i, most, &n); i++)
      {
        g_autofree guint32 *x = test_repeat_make_items (pattern, n);
        g_autofree char *what = g_strdup_printf (SIZES_OF ("sort"));

        for (guint64 k = 0; k < n; k++)
          both[k] = (guint64) x[k] << 32 | k;
        qsort (both, n, sizeof *both, test_repeat_compare);
        for (guint64 k = 0; k < n; k++)
          {
            keys[k] = (guint32) (both[k] >> 32);
            from[k] = (guint32) both[k];
          }
        repeat_check (&repeat, (RepeatData[]){ { x, n, 4 } }, (RepeatData[]){ { keys, n, 4 }, { from, n, 4 } }, what);
      }
  repeat_close (&repeat);
}

static void
test_repeat_sort (void)
{
  test_repeat_sort_of (4099);
  if (!repeat_is_short ())
    test_repeat_sort_of (1048577);
}

/* Few places for many rows. @op: what scatter does */
static void
test_repeat_scatter_of (const char *node, gboolean adds)
{
  guint64 most = test_repeat_get_most (1048577), n;
  g_autofree char *inputs = test_repeat_dup_inputs (most, "items=u32[] at=u16[]");
  g_autofree guint16 *at = g_new (guint16, most);
  Repeat repeat;

  repeat_open (&repeat, node, inputs, "out");
  for (guint pattern = 0; pattern < ORDER_PATTERNS; pattern += repeat_get_pattern_step ())
    for (guint i = 0; repeat_get_size (i, most, &n); i++)
      {
        g_autofree guint32 *x = test_repeat_make_items (pattern, n);
        g_autofree char *what = g_strdup_printf (SIZES_OF (node));
        guint32 wanted[PLACES] = { 0 };

        for (guint64 k = 0; k < n; k++)
          {
            at[k] = (guint16) (pattern == 1 ? 3 : k * 31 % (PLACES - 1));
            wanted[at[k]] = adds ? wanted[at[k]] + x[k] : x[k];
          }
        repeat_check (&repeat, (RepeatData[]){ { x, n, 4 }, { at, n, 2 } }, (RepeatData[]){ { wanted, PLACES, 4 } },
                      what);
      }
  repeat_close (&repeat);
}

static void
test_repeat_scatter (void)
{
  test_repeat_scatter_of ("scatter size=1009", FALSE);
  test_repeat_scatter_of ("scatter size=1009 op=add", TRUE);
}

static void
test_repeat_gather (void)
{
  guint64 most = test_repeat_get_most (1048577), n;
  g_autofree char *inputs = test_repeat_dup_inputs (most, "items=u32[] at=u32[]");
  g_autofree guint32 *items = test_repeat_make_items (0, most), *wanted = g_new (guint32, most);
  Repeat repeat;

  repeat_open (&repeat, "gather", inputs, "out");
  for (guint pattern = 0; pattern < ORDER_PATTERNS; pattern += repeat_get_pattern_step ())
    for (guint i = 0; repeat_get_size (i, most, &n); i++)
      {
        g_autofree guint32 *at = test_repeat_make_items (pattern, n);
        g_autofree char *what = g_strdup_printf (SIZES_OF ("gather"));

        for (guint64 k = 0; k < n; k++)
          {
            at[k] = (guint32) (at[k] % most);
            wanted[k] = items[at[k]];
          }
        repeat_check (&repeat, (RepeatData[]){ { items, most, 4 }, { at, n, 4 } }, (RepeatData[]){ { wanted, n, 4 } },
                      what);
      }
  repeat_close (&repeat);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/primitives/repeat/scan", test_repeat_scan);
  g_test_add_func ("/leat/primitives/repeat/reduce", test_repeat_reduce);
  g_test_add_func ("/leat/primitives/repeat/histogram", test_repeat_histogram);
  g_test_add_func ("/leat/primitives/repeat/sums-of-floats", test_repeat_sums_of_floats);
  g_test_add_func ("/leat/primitives/repeat/sort", test_repeat_sort);
  g_test_add_func ("/leat/primitives/repeat/scatter", test_repeat_scatter);
  g_test_add_func ("/leat/primitives/repeat/gather", test_repeat_gather);
  return g_test_run ();
}
