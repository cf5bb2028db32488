/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "loop-fixture.h"
#include "repeat-watch.h"

/* Loops again and again: a barrier that is missed now and then hangs, and what races shows as another result. */

#define FEW  5
#define MANY 1000

static void
test_loop_again (gconstpointer data)
{
  const LoopCase *self = data;
  g_autofree char *what =
    g_strdup_printf ("loop method=%s, %s", self->who, self->executor == LEAT_EXECUTOR_GRAPH ? "graph" : "eager");
  guint times = repeat_count (FEW, MANY);
  RepeatWatch watch;
  Loop loop;

  loop_open (&loop, halve_text, self->who, self->executor, 1);
  repeat_watch_begin (&watch, what, loop.session);
  for (guint i = 0; i < times; i++)
    {
      repeat_watch_step (&watch);
      halve_run (&loop, (float) (i % 23 * (i % 23)) * 0.7f + 0.0001f, 0.5f, 0.5f, self->becomes);
    }
  repeat_watch_end (&watch);
  loop_close (&loop);
}

/* What hangs is ended, and says what it was at. */
static void
test_loop_hang_is_told (void)
{
  RepeatWatch watch;
  Loop loop;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 60 * G_USEC_PER_SEC, G_TEST_SUBPROCESS_DEFAULT);
      g_test_trap_assert_failed ();
      g_test_trap_assert_stderr ("*planted: run 2 hangs: 1000 ms have passed*runs: 1*loops of the run before: *");
      return;
    }
  g_setenv ("LEAT_TEST_PATIENCE", "1", TRUE);
  loop_open (&loop, halve_text, "host", LEAT_EXECUTOR_GRAPH, 1);
  halve_run (&loop, 1, 0.5f, 0.5f, "host");
  repeat_watch_begin (&watch, "planted", loop.session);
  repeat_watch_step (&watch);
  repeat_watch_step (&watch);
  g_usleep (30 * G_USEC_PER_SEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ("again", TRUE, test_loop_again);
  g_test_add_func ("/leat/session/loop-repeat/hang-is-told", test_loop_hang_is_told);
  return g_test_run ();
}
