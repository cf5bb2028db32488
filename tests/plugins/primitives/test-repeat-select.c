/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "compact-fixture.h"
#include "repeat-fixture.h"

#include <string.h>

/* compact, partition and unique, again and again: all that is compiled of them, all kept fractions, all sizes of
 * rows. */

#define MOST_ROW_BYTES 40
#define NO_ROWS        0

typedef struct
{
  guint64 most;
  guint32 *order; /* of a pattern: what is below 500 is kept */
  guint8 *flags;
  guint8 *rows, *kept;
  guint64 *numbers;
} SelectData;

/* @row_bytes: of the largest rows, or NO_ROWS, where what is selected is its own row */
static void
select_data_init (SelectData *self, guint64 most, gsize row_bytes)
{
  guint64 seed = 11;

  self->most = most;
  self->order = g_new (guint32, most);
  self->flags = g_new (guint8, most);
  self->rows = g_malloc (most * row_bytes);
  self->kept = g_malloc (most * MAX (row_bytes, sizeof *self->order));
  self->numbers = g_new (guint64, most);
  for (guint64 i = 0; i < most * row_bytes; i++)
    self->rows[i] = (guint8) (primitive_random (&seed) >> 32);
}

static void
select_data_clear (SelectData *self)
{
  g_free (self->order);
  g_free (self->flags);
  g_free (self->rows);
  g_free (self->kept);
  g_free (self->numbers);
}

static void
select_data_choose (SelectData *self, guint pattern, guint64 n)
{
  compact_pattern_fill (pattern, self->order, n);
  for (guint64 i = 0; i < n; i++)
    self->flags[i] = self->order[i] < 500;
}

/* Those whose flag is @flag, from @to on; returns how many there are then. */
static guint64
select_data_take (SelectData *self, guint8 flag, guint64 n, gsize row_bytes, guint64 to)
{
  for (guint64 i = 0; i < n; i++)
    if (self->flags[i] == flag)
      {
        memcpy (self->kept + to * row_bytes, self->rows + i * row_bytes, row_bytes);
        self->numbers[to++] = i;
      }
  return to;
}

static void
test_repeat_flags (SelectData *self, gsize row_bytes, guint64 most)
{
  g_autofree char *inputs =
    g_strdup_printf ("x=u8[<=%" G_GUINT64_FORMAT ",%zu] flags=u8[<=%" G_GUINT64_FORMAT "]", most, row_bytes, most);
  Repeat repeat;
  guint64 n;

  repeat_open (&repeat, "compact by=flags emit=both index=u64", inputs, "out indices");
  for (guint pattern = 0; pattern < COMPACT_PATTERNS; pattern += repeat_get_pattern_step ())
    for (guint i = 0; repeat_get_size (i, most, &n); i++)
      {
        g_autofree char *what = g_strdup_printf ("compact: %" G_GUINT64_FORMAT
                                                 " rows of %zu bytes, room for %" G_GUINT64_FORMAT ", pattern %u",
                                                 n, row_bytes, most, pattern);
        guint64 n_kept;

        select_data_choose (self, pattern, n);
        n_kept = select_data_take (self, 1, n, row_bytes, 0);
        repeat_check (&repeat, (RepeatData[]){ { self->rows, n, row_bytes }, { self->flags, n, 1 } },
                      (RepeatData[]){ { self->kept, n_kept, row_bytes }, { self->numbers, n_kept, 8 } }, what);
      }
  repeat_close (&repeat);
}

/* Room for a block, a cluster, some blocks, any number of them. */
static void
test_repeat_compact_rows (void)
{
  static const gsize row_bytes[] = { 1, 12, 2, 4, 8, 16, 40 };
  static const guint64 capacities[] = { 16384, 4194319, 1024, 4096, 65536, 1048576 };
  gboolean few = repeat_is_short ();
  SelectData data;

  select_data_init (&data, few ? 70000 : repeat_get_most_rows (4194319), MOST_ROW_BYTES);
  for (guint i = 0; i < (few || repeat_is_watched () ? 2 : G_N_ELEMENTS (row_bytes)); i++)
    for (guint j = 0; j < (few ? 1 : G_N_ELEMENTS (capacities)); j++)
      test_repeat_flags (&data, row_bytes[i], capacities[j]);
  select_data_clear (&data);
}

static void
test_repeat_predicate (SelectData *self, const char *node, guint64 most)
{
  g_autofree char *inputs = g_strdup_printf ("x=u32[<=%" G_GUINT64_FORMAT "]", most);
  Repeat repeat;
  guint64 n;

  repeat_open (&repeat, node, inputs, "out");
  for (guint pattern = 0; pattern < COMPACT_PATTERNS; pattern += repeat_get_pattern_step ())
    for (guint i = 0; repeat_get_size (i, most, &n); i++)
      {
        g_autofree char *what = g_strdup_printf (
          "%s: %" G_GUINT64_FORMAT " rows, room for %" G_GUINT64_FORMAT ", pattern %u", node, n, most, pattern);
        guint32 *kept = (guint32 *) (gpointer) self->kept;
        guint64 n_kept = 0;

        select_data_choose (self, pattern, n);
        for (guint64 k = 0; k < n; k++)
          if (self->flags[k])
            kept[n_kept++] = self->order[k];
        repeat_check (&repeat, (RepeatData[]){ { self->order, n, 4 } }, (RepeatData[]){ { kept, n_kept, 4 } }, what);
      }
  repeat_close (&repeat);
}

/* On the CPU, so many rows that what is kept goes around its cache. */
static void
test_repeat_compact_predicate (void)
{
  static const guint64 capacities[] = { 4194319, 1024, 4096, 16384, 65536, 1048576 };
  gboolean few = repeat_is_short ();
  SelectData data;

  select_data_init (&data, repeat_get_most_rows (4194319), NO_ROWS);
  for (guint j = 0; j < (few ? 1 : G_N_ELEMENTS (capacities)); j++)
    {
      test_repeat_predicate (&data, "compact where=x<500", capacities[j]);
      test_repeat_predicate (&data, "compact where=x<500 in-place=true", few ? 16384 : capacities[j]);
    }
  select_data_clear (&data);
}

static void
test_repeat_partition_of (SelectData *self, gsize row_bytes, guint64 most)
{
  g_autofree char *inputs =
    g_strdup_printf ("x=u8[<=%" G_GUINT64_FORMAT ",%zu] flags=u8[<=%" G_GUINT64_FORMAT "]", most, row_bytes, most);
  Repeat repeat;
  guint64 n;

  repeat_open (&repeat, "partition", inputs, "out front");
  for (guint pattern = 0; pattern < COMPACT_PATTERNS; pattern += repeat_get_pattern_step ())
    for (guint i = 0; repeat_get_size (i, most, &n); i++)
      {
        g_autofree char *what =
          g_strdup_printf ("partition: %" G_GUINT64_FORMAT " rows of %zu bytes, pattern %u", n, row_bytes, pattern);
        guint64 front;

        select_data_choose (self, pattern, n);
        front = select_data_take (self, 1, n, row_bytes, 0);
        select_data_take (self, 0, n, row_bytes, front);
        repeat_check (&repeat, (RepeatData[]){ { self->rows, n, row_bytes }, { self->flags, n, 1 } },
                      (RepeatData[]){ { self->kept, n, row_bytes }, { &front, 1, 8 } }, what);
      }
  repeat_close (&repeat);
}

static void
test_repeat_partition (void)
{
  static const gsize row_bytes[] = { 12, 1, 4, 16, 40 };
  gboolean few = repeat_is_short ();
  SelectData data;

  select_data_init (&data, few ? 20000 : repeat_get_most_rows (1048577), MOST_ROW_BYTES);
  for (guint i = 0; i < (few || repeat_is_watched () ? 1 : G_N_ELEMENTS (row_bytes)); i++)
    for (guint big = 0; big < (few ? 1 : 2); big++)
      test_repeat_partition_of (&data, row_bytes[i], big ? 1048577 : 16385);
  select_data_clear (&data);
}

/* Short runs, one run, none, long ones. */
static guint32
test_repeat_get_item (guint pattern, guint64 i, guint64 *seed)
{
  return (guint32) (pattern == 0 ? primitive_random (seed) % 3 : pattern == 1 ? 7 : pattern == 2 ? i : i / 5000);
}

static guint64
test_repeat_find_runs (const guint32 *x, guint64 n, guint32 *firsts, guint64 *starts, guint64 *lengths)
{
  guint64 runs = 0;

  for (guint64 i = 0; i < n; i++)
    {
      if (i == 0 || x[i] != x[i - 1])
        {
          firsts[runs] = x[i];
          starts[runs] = i;
          lengths[runs++] = 0;
        }
      lengths[runs - 1]++;
    }
  return runs;
}

static void
test_repeat_unique_of (guint64 most)
{
  g_autofree char *inputs = g_strdup_printf ("x=u32[<=%" G_GUINT64_FORMAT "]", most);
  g_autofree guint32 *x = g_new (guint32, most), *firsts = g_new (guint32, most);
  g_autofree guint64 *starts = g_new (guint64, most), *lengths = g_new (guint64, most);
  Repeat repeat;
  guint64 seed = 3, n;

  repeat_open (&repeat, "unique", inputs, "out starts lengths");
  for (guint pattern = 0; pattern < 4; pattern += repeat_get_pattern_step ())
    for (guint i = 0; repeat_get_size (i, most, &n); i++)
      {
        g_autofree char *what = g_strdup_printf ("unique: %" G_GUINT64_FORMAT " items, pattern %u", n, pattern);
        guint64 runs;

        for (guint64 k = 0; k < n; k++)
          x[k] = test_repeat_get_item (pattern, k, &seed);
        runs = test_repeat_find_runs (x, n, firsts, starts, lengths);
        repeat_check (&repeat, (RepeatData[]){ { x, n, 4 } },
                      (RepeatData[]){ { firsts, runs, 4 }, { starts, runs, 8 }, { lengths, runs, 8 } }, what);
      }
  repeat_close (&repeat);
}

static void
test_repeat_unique (void)
{
  test_repeat_unique_of (16385);
  if (!repeat_is_short ())
    test_repeat_unique_of (4194319);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/primitives/repeat/compact-rows", test_repeat_compact_rows);
  g_test_add_func ("/leat/primitives/repeat/compact-predicate", test_repeat_compact_predicate);
  g_test_add_func ("/leat/primitives/repeat/partition", test_repeat_partition);
  g_test_add_func ("/leat/primitives/repeat/unique", test_repeat_unique);
  return g_test_run ();
}
