/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "primitive-fixture.h"

#include <math.h>
#include <string.h>

/* `partition` and `unique` against C. */

static const guint test_sizes[] = { 0, 1, 2, 255, 4095, 4096, 4097, 8193, 40009, 5 };
#define TEST_MOST 40009

static void
test_runs_check_partition (PrimitiveFixture *fixture, const gint32 *x, guint n)
{
  g_autofree gint32 *wanted = g_new (gint32, n + 1);
  guint64 front = 0;
  guint rest;
  g_autoptr (GBytes) out = primitive_fixture_run (fixture, x, n * sizeof *x),
                     count = primitive_fixture_pull (fixture, 1);

  for (guint i = 0; i < n; i++)
    if (x[i] > 5)
      wanted[front++] = x[i];
  rest = (guint) front;
  for (guint i = 0; i < n; i++)
    if (x[i] <= 5)
      wanted[rest++] = x[i];
  g_assert_cmpmem (g_bytes_get_data (out, NULL), g_bytes_get_size (out), wanted, n * sizeof *wanted);
  g_assert_cmpmem (g_bytes_get_data (count, NULL), g_bytes_get_size (count), &front, sizeof front);
}

static void
test_runs_partition (void)
{
  g_autofree gint32 *x = g_new (gint32, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 1;

  primitive_fixture_open (&fixture, "partition where=x>5", "x=i32[<=40009]", "out front");
  for (guint pattern = 0; pattern < 3; pattern++)
    {
      /* some, all, none */
      for (guint i = 0; i < TEST_MOST; i++)
        x[i] = pattern == 0 ? (gint32) primitive_random (&seed) % 20 : pattern == 1 ? 9 : -9;
      for (guint s = 0; s < G_N_ELEMENTS (test_sizes); s++)
        test_runs_check_partition (&fixture, x, test_sizes[s]);
    }
  primitive_fixture_close (&fixture);
}

/* Rows of three bytes. */
static void
test_runs_partition_flags (void)
{
  const guint8 x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, wanted[] = { 4, 5, 6, 1, 2, 3, 7, 8, 9 };
  const guint16 flags[] = { 0, 256, 0 };
  PrimitiveFixture fixture;
  g_autoptr (GBytes) out = NULL;

  primitive_fixture_open (&fixture, "partition", "x=u8[3,3] flags=u16[3]", "out");
  primitive_fixture_push (&fixture, 1, flags, sizeof flags);
  out = primitive_fixture_run (&fixture, x, sizeof x);
  g_assert_cmpmem (g_bytes_get_data (out, NULL), g_bytes_get_size (out), wanted, sizeof wanted);
  primitive_fixture_close (&fixture);
}

static void
test_runs_check_unique (PrimitiveFixture *fixture, const guint16 *x, guint n)
{
  g_autofree guint16 *wanted = g_new (guint16, n + 1);
  g_autofree guint64 *starts = g_new (guint64, n + 1), *lengths = g_new0 (guint64, n + 1);
  g_autoptr (GBytes) a = primitive_fixture_run (fixture, x, n * sizeof *x);
  g_autoptr (GBytes) b = primitive_fixture_pull (fixture, 1), c = primitive_fixture_pull (fixture, 2);
  guint runs = 0;

  for (guint i = 0; i < n; i++)
    {
      if (i == 0 || x[i] != x[i - 1])
        {
          wanted[runs] = x[i];
          starts[runs++] = i;
        }
      lengths[runs - 1]++;
    }
  g_assert_cmpmem (g_bytes_get_data (a, NULL), g_bytes_get_size (a), wanted, runs * sizeof *wanted);
  g_assert_cmpmem (g_bytes_get_data (b, NULL), g_bytes_get_size (b), starts, runs * sizeof *starts);
  g_assert_cmpmem (g_bytes_get_data (c, NULL), g_bytes_get_size (c), lengths, runs * sizeof *lengths);
}

static void
test_runs_unique (void)
{
  g_autofree guint16 *x = g_new (guint16, TEST_MOST);
  PrimitiveFixture fixture;
  guint64 seed = 2;

  /* for few tiles, a block for each, and for many */
  for (guint many = 0; many < 2; many++)
    {
      primitive_fixture_open (&fixture, "unique", many ? "x=u16[<=5000000]" : "x=u16[<=40009]", "out starts lengths");
      for (guint pattern = 0; pattern < 4; pattern++)
        {
          /* short runs, one run, none, long runs */
          for (guint i = 0; i < TEST_MOST; i++)
            x[i] = (guint16) (pattern == 0   ? primitive_random (&seed) % 3
                              : pattern == 1 ? 7
                              : pattern == 2 ? i
                                             : i / 5000);
          for (guint s = 0; s < G_N_ELEMENTS (test_sizes); s++)
            test_runs_check_unique (&fixture, x, test_sizes[s]);
        }
      primitive_fixture_close (&fixture);
    }
}

/* Rows as large as those that a block moves together, and larger; where one tile is all there may be, and more. */
static void
test_runs_check_rows (guint most, guint n, guint words)
{
  g_autofree char *inputs = g_strdup_printf ("x=u32[<=%u,%u] flags=u8[<=%u]", most, words, most);
  g_autofree guint32 *x = g_new (guint32, n * words), *wanted = g_new (guint32, n * words);
  g_autofree guint8 *flags = g_new (guint8, n);
  PrimitiveFixture fixture;
  g_autoptr (GBytes) out = NULL;
  guint64 seed = words;
  gsize to = 0;

  for (guint i = 0; i < n * words; i++)
    x[i] = (guint32) primitive_random (&seed);
  for (guint i = 0; i < n; i++)
    flags[i] = primitive_random (&seed) % 3 == 0;
  for (guint part = 0; part < 2; part++)
    for (guint i = 0; i < n; i++)
      if (flags[i] == 1 - part)
        {
          memcpy (wanted + to, x + i * words, words * sizeof *x);
          to += words;
        }
  primitive_fixture_open (&fixture, "partition", inputs, "out");
  primitive_fixture_push (&fixture, 1, flags, n);
  out = primitive_fixture_run (&fixture, x, n * words * sizeof *x);
  g_assert_cmpmem (g_bytes_get_data (out, NULL), g_bytes_get_size (out), wanted, n * words * sizeof *x);
  primitive_fixture_close (&fixture);
}

static void
test_runs_partition_rows (void)
{
  test_runs_check_rows (3000, 2999, 1);
  test_runs_check_rows (20000, 19001, 3);
  test_runs_check_rows (5000, 4500, 4);
  test_runs_check_rows (300, 300, 1000);
}

static void
test_runs_unique_floats (void)
{
  const float x[] = { 0.0f, -0.0f, NAN, NAN, 1, 1 };
  PrimitiveFixture fixture;
  g_autoptr (GBytes) lengths = NULL, out = NULL;

  primitive_fixture_open (&fixture, "unique", "x=f32[6]", "out lengths");
  out = primitive_fixture_run (&fixture, x, sizeof x);
  lengths = primitive_fixture_pull (&fixture, 1);
  g_assert_cmpmem (g_bytes_get_data (lengths, NULL), g_bytes_get_size (lengths), ((guint64[]){ 2, 1, 1, 2 }), 32);
  primitive_fixture_close (&fixture);
}

static void
test_runs_refuses (void)
{
  static const struct
  {
    const char *node, *specs, *word;
  } cases[] = {
    { "partition", "x=u8[3]", "set where=" },
    { "partition where=x>1", "x=u8[3] flags=u8[3]", "not both" },
    { "partition where=y>1", "x=u8[3]", "column 1: no value \"y\"" },
    { "partition where=x>", "x=u8[3]", "column" },
    { "partition where=x>1", "x=u8[3,2]", "rows of several" },
    { "partition", "x=u8[3] flags=u8[4]",
      "input \"flags\" is u8[4], and \"x\" is u8[3]: there is a whole number for each row" },
    { "partition", "x=u8[<=3] flags=u8[3]",
      "\"x\" is u8[<=3]: there is a whole number for each row, and both are bounded" },
    { "partition where=x>1", "x=c64[<=3]", "column 2: > takes real numbers, and its left side is complex" },
    { "partition wher=x", "x=u8[3]", "did you mean \"where\"" },
    { "unique", "x=u8[3,2]", "one dimension" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = primitive_fixture_fail (cases[i].node, cases[i].specs, "out");

      if (strstr (error->message, cases[i].word) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, cases[i].word);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/primitives/runs/partition", test_runs_partition);
  g_test_add_func ("/leat/primitives/runs/partition-flags", test_runs_partition_flags);
  g_test_add_func ("/leat/primitives/runs/partition-rows", test_runs_partition_rows);
  g_test_add_func ("/leat/primitives/runs/unique", test_runs_unique);
  g_test_add_func ("/leat/primitives/runs/unique-floats", test_runs_unique_floats);
  g_test_add_func ("/leat/primitives/runs/refuses", test_runs_refuses);
  return g_test_run ();
}
