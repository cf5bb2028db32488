/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "primitive-fixture.h"

#include <string.h>

/* `gather` and `scatter` against C. */

static GBytes *
test_rows_run (PrimitiveFixture *fixture, gconstpointer items, gsize item_bytes, gconstpointer at, gsize at_bytes)
{
  primitive_fixture_push (fixture, 0, items, item_bytes);
  primitive_fixture_push (fixture, 1, at, at_bytes);
  primitive_fixture_replay (fixture);
  return primitive_fixture_pull (fixture, 0);
}

/* Rows of 12 bytes, and as many numbers as come. */
static void
test_rows_gather (void)
{
  static const guint sizes[] = { 0, 1, 31, 255, 257, 5000, 2 };
  g_autofree guint32 *items = g_new (guint32, 1009 * 3), *at = g_new (guint32, 5000), *wanted = g_new (guint32, 15000);
  PrimitiveFixture fixture;
  guint64 seed = 1;

  for (guint i = 0; i < 1009 * 3; i++)
    items[i] = (guint32) primitive_random (&seed);
  for (guint i = 0; i < 5000; i++)
    at[i] = (guint32) (primitive_random (&seed) % 1009);
  primitive_fixture_open (&fixture, "gather", "items=u32[1009,3] at=u32[<=5000]", "out");
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      g_autoptr (GBytes) result = test_rows_run (&fixture, items, 1009 * 12, at, sizes[s] * sizeof *at);

      for (guint k = 0; k < sizes[s]; k++)
        memcpy (wanted + 3 * k, items + 3 * at[k], 12);
      g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, sizes[s] * 12);
    }
  primitive_fixture_close (&fixture);
}

/* Rows that are not live are outside as well. */
static void
test_rows_gather_outside (void)
{
  const guint16 items[] = { 10, 11, 12, 13 }, wanted[] = { 12, 0, 10, 0, 0, 11 };
  const gint8 at[] = { 2, -1, 0, 3, 100, 1 };
  PrimitiveFixture fixture;
  g_autoptr (GBytes) result = NULL;
  GError *error = NULL;

  primitive_fixture_open (&fixture, "gather outside=zero", "items=u16[<=4] at=i8[2,3]", "out");
  result = test_rows_run (&fixture, items, 6, at, sizeof at);
  g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, sizeof wanted);
  primitive_fixture_close (&fixture);
  primitive_fixture_open (&fixture, "gather", "items=u16[<=4] at=i8[2,3]", "out");
  primitive_fixture_push (&fixture, 0, items, sizeof items);
  primitive_fixture_push (&fixture, 1, at, sizeof at);
  leat_session_replay (fixture.session, TRUE, NULL, &error);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "at[1] is -1, which is no row of items"));
  g_clear_error (&error);
  primitive_fixture_close (&fixture);
}

/* Many rows for few places: the last stays, run after run. */
static void
test_rows_scatter_last (void)
{
  g_autofree guint64 *items = g_new (guint64, 2 * 4001);
  g_autofree guint16 *at = g_new (guint16, 4001);
  PrimitiveFixture fixture;
  guint64 seed = 5;

  primitive_fixture_open (&fixture, "scatter size=77", "items=u64[<=4001,2] at=u16[<=4001]", "out");
  for (guint round = 0; round < 5; round++)
    {
      guint live = round == 3 ? 0 : 4001 - 700 * round;
      guint64 wanted[77][2] = { { 0 } };
      g_autoptr (GBytes) result = NULL;

      for (guint k = 0; k < live; k++)
        {
          at[k] = (guint16) (primitive_random (&seed) % 76);
          items[2 * k] = primitive_random (&seed);
          items[2 * k + 1] = k;
          memcpy (wanted[at[k]], items + 2 * k, 16);
        }
      result = test_rows_run (&fixture, items, live * 16, at, live * sizeof *at);
      g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, sizeof wanted);
    }
  primitive_fixture_close (&fixture);
}

static void
test_rows_scatter_into (void)
{
  const guint8 items[] = { 1, 2, 3 }, into[] = { 9, 8, 7, 6, 5 }, wanted[] = { 9, 3, 7, 1, 2 };
  const gint64 at[] = { 3, 4, 1 };
  PrimitiveFixture fixture;
  g_autoptr (GBytes) result = NULL;

  primitive_fixture_open (&fixture, "scatter same=any", "items=u8[3] at=i64[3] into=u8[5]", "out");
  primitive_fixture_push (&fixture, 2, into, sizeof into);
  result = test_rows_run (&fixture, items, sizeof items, at, sizeof at);
  g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, sizeof wanted);
  primitive_fixture_close (&fixture);
}

static void
test_rows_scatter_add (void)
{
  g_autofree gint32 *items = g_new (gint32, 3000);
  g_autofree guint32 *at = g_new (guint32, 3000);
  gint32 wanted[13] = { 0 };
  PrimitiveFixture fixture;
  guint64 seed = 6;
  g_autoptr (GBytes) result = NULL;

  for (guint k = 0; k < 3000; k++)
    {
      at[k] = (guint32) (primitive_random (&seed) % 20);
      items[k] = (gint32) (primitive_random (&seed) % 1000) - 500;
      if (at[k] < 13)
        wanted[at[k]] += items[k];
    }
  primitive_fixture_open (&fixture, "scatter size=13 op=add outside=drop", "items=i32[3000] at=u32[3000]", "out");
  result = test_rows_run (&fixture, items, 3000 * sizeof *items, at, 3000 * sizeof *at);
  g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, sizeof wanted);
  primitive_fixture_close (&fixture);
}

static void
test_rows_scatter_outside (void)
{
  const guint32 items[] = { 1, 2, 3 }, at[] = { 0, 5, 1 };
  PrimitiveFixture fixture;
  GError *error = NULL;

  primitive_fixture_open (&fixture, "scatter size=5", "items=u32[3] at=u32[3]", "out");
  primitive_fixture_push (&fixture, 0, items, sizeof items);
  primitive_fixture_push (&fixture, 1, at, sizeof at);
  leat_session_replay (fixture.session, TRUE, NULL, &error);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "at[1] is 5, which is no place in the output"));
  g_clear_error (&error);
  primitive_fixture_close (&fixture);
}

static void
test_rows_refuses (void)
{
  static const struct
  {
    const char *node, *specs, *word;
  } cases[] = {
    { "gather", "items=u8[3] at=f32[3]", "whole" },
    { "gather", "items=u8[3,2,2,2,2] at=u8[2,2,2,2,2]", "more than 8" },
    { "gather outside=clip", "items=u8[3] at=u8[3]", "zero" },
    { "scatter", "items=u8[3] at=u8[3]", "set size=" },
    { "scatter size=3", "items=u8[3] at=u8[4]", "as many numbers" },
    { "scatter size=3", "items=u8[3] at=u8[3,1]", "one dimension" },
    { "scatter size=3 op=add", "items=f32[3] at=u8[3]", "do not depend on the order" },
    { "scatter", "items=f32[3] at=u8[3] into=u8[9]", "has rows as \"items\"" },
    { "scatter size=2", "items=f32[3] at=u8[3] into=f32[9]", "leave it out" },
    { "scatter sise=2", "items=f32[3] at=u8[3]", "did you mean \"size\"" },
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
  g_test_add_func ("/leat/primitives/rows/gather", test_rows_gather);
  g_test_add_func ("/leat/primitives/rows/gather-outside", test_rows_gather_outside);
  g_test_add_func ("/leat/primitives/rows/scatter-last", test_rows_scatter_last);
  g_test_add_func ("/leat/primitives/rows/scatter-into", test_rows_scatter_into);
  g_test_add_func ("/leat/primitives/rows/scatter-add", test_rows_scatter_add);
  g_test_add_func ("/leat/primitives/rows/scatter-outside", test_rows_scatter_outside);
  g_test_add_func ("/leat/primitives/rows/refuses", test_rows_refuses);
  return g_test_run ();
}
