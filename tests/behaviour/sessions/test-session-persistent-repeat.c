/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repeat-watch.h"
#include "persistent-fixture.h"

/* A persistent kernel is signalled again and again: one signal that it does not see hangs. */

#define FEW  20
#define MANY 1000

static void
persistent_repeat (SessionFixture *persistent, const char *text, const char *what)
{
  guint times = repeat_count (FEW, MANY);
  SessionFixture graph;
  RepeatWatch watch;

  persistent_open (&graph, text, LEAT_EXECUTOR_GRAPH, 0, 0);
  repeat_watch_begin (&watch, what, persistent->session);
  for (guint i = 0; i < times; i++)
    {
      repeat_watch_step (&watch);
      persistent_run_both (persistent, &graph, i);
    }
  repeat_watch_end (&watch);
  g_assert_cmpuint (persistent_get_counter (persistent, "persistent-runs"), ==, times);
  session_fixture_close (&graph);
  session_fixture_close (persistent);
}

static void
test_persistent_again (gconstpointer text)
{
  SessionFixture fixture;

  persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 5000, 0);
  persistent_repeat (&fixture, text, "persistent in one block");
}

static void
test_persistent_again_in_blocks (void)
{
  SessionFixture fixture;

  persistent_open_wide (&fixture, PERSISTENT_THREE, 0);
  persistent_repeat (&fixture, PERSISTENT_THREE, "persistent in several blocks");
}

/* It leaves while it is signalled, as often as not. */
static void
test_persistent_again_as_it_leaves (void)
{
  guint times = repeat_count (FEW, MANY);
  SessionFixture fixture;
  RepeatWatch watch;

  persistent_open (&fixture, PERSISTENT_ONE, LEAT_EXECUTOR_PERSISTENT, 1, 0);
  repeat_watch_begin (&watch, "persistent that leaves after 1 ms", fixture.session);
  for (guint i = 0; i < times; i++)
    {
      repeat_watch_step (&watch);
      persistent_check_scaled (&fixture, i);
      g_usleep (900 + i % 32 * 10);
    }
  repeat_watch_end (&watch);
  g_assert_cmpuint (persistent_get_counter (&fixture, "persistent-launches"), >=, 1);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  persistent_init ();
  g_test_add_data_func ("/leat/session/persistent-repeat/one", PERSISTENT_ONE, test_persistent_again);
  g_test_add_data_func ("/leat/session/persistent-repeat/three", PERSISTENT_THREE, test_persistent_again);
  g_test_add_data_func ("/leat/session/persistent-repeat/copies", PERSISTENT_COPIES, test_persistent_again);
  g_test_add_func ("/leat/session/persistent-repeat/blocks", test_persistent_again_in_blocks);
  g_test_add_func ("/leat/session/persistent-repeat/leaves", test_persistent_again_as_it_leaves);
  status = g_test_run ();
  persistent_clear ();
  return status;
}
