/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "buffer/leat-ranges-private.h"

#include <string.h>

#define ROOM 200

static void
test_ranges_become_one_where_they_touch (void)
{
  g_autoptr (GArray) ranges = leat_ranges_new ();

  leat_ranges_add (ranges, 10, 20);
  leat_ranges_add (ranges, 30, 40);
  leat_ranges_add (ranges, 41, 42);
  g_assert_cmpuint (ranges->len, ==, 3);
  leat_ranges_add (ranges, 20, 30);
  g_assert_cmpuint (ranges->len, ==, 2);
  g_assert_cmpuint (leat_ranges_get (ranges, 0)->begin, ==, 10);
  g_assert_cmpuint (leat_ranges_get (ranges, 0)->end, ==, 40);
  g_assert_cmpuint (leat_ranges_find (ranges, 39), ==, 0);
  g_assert_cmpuint (leat_ranges_find (ranges, 41), ==, 1);
  leat_ranges_add (ranges, 0, 100);
  g_assert_cmpuint (ranges->len, ==, 1);
}

static void
check_against_flags (GArray *ranges, const guint8 flags[ROOM])
{
  guint n_flags = 0, n_bytes = 0;

  for (guint i = 0; i < ROOM; i++)
    n_flags += flags[i];
  for (guint r = 0; r < ranges->len; r++)
    {
      const LeatRange *range = leat_ranges_get (ranges, r);

      g_assert_cmpuint (range->begin, <, range->end);
      g_assert_true (r == 0 || leat_ranges_get (ranges, r - 1)->end < range->begin);
      n_bytes += range->end - range->begin;
      for (guint i = range->begin; i < range->end; i++)
        {
          g_assert_cmpuint (flags[i], ==, 1);
          g_assert_cmpuint (leat_ranges_find (ranges, i), ==, r);
        }
    }
  g_assert_cmpuint (n_bytes, ==, n_flags);
}

static void
test_ranges_are_the_union (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint round = 0; round < 500; round++)
    {
      g_autoptr (GArray) ranges = leat_ranges_new ();
      guint8 flags[ROOM] = { 0 };

      for (guint i = 0; i < 12; i++)
        {
          guint begin = g_rand_int_range (rand, 0, ROOM - 1);
          guint length = g_rand_int_range (rand, 1, 25), end = MIN (begin + length, ROOM);

          leat_ranges_add (ranges, begin, end);
          memset (flags + begin, 1, end - begin);
          check_against_flags (ranges, flags);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/ranges/become-one-where-they-touch", test_ranges_become_one_where_they_touch);
  g_test_add_func ("/leat/ranges/are-the-union", test_ranges_are_the_union);
  return g_test_run ();
}
