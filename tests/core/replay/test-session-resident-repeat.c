/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repeat-watch.h"
#include "resident-fixture.h"

/* A kernel that stays is rung again and again: one ring that it does not see hangs. */

#define FEW  20
#define MANY 1000

static void
resident_repeat (SessionFixture *resident, const char *text, const char *what)
{
  guint times = repeat_count (FEW, MANY);
  SessionFixture graph;
  RepeatWatch watch;

  resident_open (&graph, text, LEAT_EXECUTOR_GRAPH, 0, 0);
  repeat_watch_begin (&watch, what, resident->session);
  for (guint i = 0; i < times; i++)
    {
      repeat_watch_step (&watch);
      resident_run_both (resident, &graph, i);
    }
  repeat_watch_end (&watch);
  g_assert_cmpuint (resident_get_counter (resident, "rings"), ==, times);
  session_fixture_close (&graph);
  session_fixture_close (resident);
}

static void
test_resident_again (gconstpointer text)
{
  SessionFixture fixture;

  resident_open (&fixture, text, LEAT_EXECUTOR_RESIDENT, 5000, 0);
  resident_repeat (&fixture, text, "resident in one block");
}

static void
test_resident_again_in_blocks (void)
{
  SessionFixture fixture;

  resident_open_wide (&fixture, RESIDENT_THREE, 0);
  resident_repeat (&fixture, RESIDENT_THREE, "resident in several blocks");
}

/* It leaves while it is rung, as often as not. */
static void
test_resident_again_as_it_leaves (void)
{
  guint times = repeat_count (FEW, MANY);
  SessionFixture fixture;
  RepeatWatch watch;

  resident_open (&fixture, RESIDENT_ONE, LEAT_EXECUTOR_RESIDENT, 1, 0);
  repeat_watch_begin (&watch, "resident that leaves after 1 ms", fixture.session);
  for (guint i = 0; i < times; i++)
    {
      repeat_watch_step (&watch);
      resident_check_scaled (&fixture, i);
      g_usleep (900 + i % 32 * 10);
    }
  repeat_watch_end (&watch);
  g_assert_cmpuint (resident_get_counter (&fixture, "stays"), >=, 1);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  resident_init ();
  g_test_add_data_func ("/leat/session/resident-repeat/one", RESIDENT_ONE, test_resident_again);
  g_test_add_data_func ("/leat/session/resident-repeat/three", RESIDENT_THREE, test_resident_again);
  g_test_add_data_func ("/leat/session/resident-repeat/copies", RESIDENT_COPIES, test_resident_again);
  g_test_add_func ("/leat/session/resident-repeat/blocks", test_resident_again_in_blocks);
  g_test_add_func ("/leat/session/resident-repeat/leaves", test_resident_again_as_it_leaves);
  status = g_test_run ();
  resident_clear ();
  return status;
}
