/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"

#include <unistd.h>

/* What a test program that hangs says before it is ended from outside; tests/hang-watch.c is in each of them. */

static void
test_hang_watch_hangs (void)
{
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (
    "leat 1\napp spec=f32[4] -> upload -> map expr=x -> readback -> app", LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatSession) session = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  for (;;)
    pause ();
}

static void
test_hang_watch_tells (void)
{
  g_autofree char *seconds = g_strdup (g_getenv ("LEAT_TEST_SECONDS")),
                  *factor = g_strdup (g_getenv ("LEAT_TEST_TIME_FACTOR"));

  g_setenv ("LEAT_TEST_SECONDS", "12", TRUE); /* a GPU and a compiler may take some of it */
  g_setenv ("LEAT_TEST_TIME_FACTOR", "1", TRUE);
  g_test_trap_subprocess ("/leat/hang-watch/subprocess/hangs", 30 * G_USEC_PER_SEC, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr (
    "*hangs: this program has taken 7 s, in /leat/hang-watch/subprocess/hangs*sessions*'runs'*");
  if (seconds != NULL)
    g_setenv ("LEAT_TEST_SECONDS", seconds, TRUE);
  if (factor != NULL)
    g_setenv ("LEAT_TEST_TIME_FACTOR", factor, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/hang-watch/subprocess/hangs", test_hang_watch_hangs);
  g_test_add_func ("/leat/hang-watch/tells", test_hang_watch_tells);
  return g_test_run ();
}
