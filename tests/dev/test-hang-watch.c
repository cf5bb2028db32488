/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"

#include <unistd.h>

/* What a test program that hangs says before it is ended from outside; tests/hang-watch.c is in each of them. */

/* With some data in its source, and no end. */
static LeatSession *
open_fed (const char *text, guint n)
{
  const float x[4] = { 1, 2, 3, 4 };
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  LeatSession *session;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  g_object_set (session, "lanes", 3, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (x, sizeof x);

      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "in", NULL)), bytes, &error);
      g_assert_no_error (error);
    }
  return session;
}

static gpointer
run_session (gpointer session)
{
  leat_session_run (session, NULL, NULL);
  return NULL;
}

/* One session has nothing to do, one waits for its source's fourth data, and one has a loop without end. */
static void
test_hang_watch_hangs (void)
{
  static const char plain[] = "leat 1\napp name=in spec=f32[4] -> upload -> map expr=x -> readback -> app";
  static const char endless[] = "leat 1\n"
                                "away = loop until=\"y < 0\" carry=x:y budget=0 method=host {\n"
                                "  in.x -> map expr=x*0+1 -> out.y\n"
                                "}\n"
                                "app name=in spec=f32[4] -> upload -> map expr=x -> reduce op=max -> away.x\n"
                                "away.y -> readback -> app name=out\n";

  open_fed (plain, 0);
  g_thread_new ("waits", run_session, open_fed (plain, 4));
  g_thread_new ("loops", run_session, open_fed (endless, 1));
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
  g_test_trap_assert_stderr ("*# session 1 is idle\n*");
  g_test_trap_assert_stderr ("*# session 2, lane ?: at the source\n*");
  g_test_trap_assert_stderr ("*# session 3, lane 0: at the device\n*");
  g_test_trap_assert_stderr_unmatched ("*session 1, lane*");
  g_test_trap_assert_stderr_unmatched ("*session 2, lane*session 2, lane*");
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
