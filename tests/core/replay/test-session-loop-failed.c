/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "loop-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* What a run says whose loop the device gave up. */

static const char trap_source[] = "__global__ void trap (const uint32_t *in, uint32_t *out, uint64_t in_count)\n"
                                  "{\n"
                                  "  GRID_FOR (i, in_count)\n"
                                  "    if (in[i] == 3)\n"
                                  "      __trap ();\n"
                                  "    else\n"
                                  "      out[i] = in[i] + 1;\n"
                                  "}\n";

/* A node of the graph that does a body again and again may have been ended by the driver. @told: whether that is said
 */
static void
failed_run (const char *who, gboolean told)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-failed-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "trap.cu", NULL);
  g_autofree char *text =
    g_strdup_printf ("leat 1\n"
                     "away = loop until=\"y == 9\" carry=x:y max-iterations=20 executor=EXECUTOR {\n"
                     "  in.x -> kernel source=\"%s\" -> out.y\n"
                     "}\n"
                     "app name=in spec=u32[1] -> upload -> away.x\n"
                     "away.y -> readback -> app name=out\n",
                     path);
  const guint32 x = 0;
  g_autoptr (GError) error = NULL;
  Loop loop;

  g_assert_true (g_file_set_contents (path, trap_source, -1, NULL));
  loop_open (&loop, text, who, LEAT_EXECUTOR_GRAPH, 1);
  loop_push (&loop, "in", &x, sizeof x);
  g_assert_cmpint (leat_session_replay (loop.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_FAILED);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "loop \"away\""));
  g_assert_true ((strstr (error->message, "set executor=cooperative or executor=host on loop \"away\"") != NULL)
                 == told);
  loop_close (&loop);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_failed_while (void)
{
  failed_run ("while", TRUE);
}

static void
test_failed_host (void)
{
  failed_run ("host", FALSE);
}

static void
test_failed_cooperative (void)
{
  failed_run ("cooperative", FALSE);
}

static void
test_failed_repeat (void)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-failed-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "trap.cu", NULL);
  g_autofree char *text =
    g_strdup_printf ("leat 1\napp name=in spec=u32[1] -> upload -> kernel source=\"%s\" -> readback "
                     "-> app name=out\n",
                     path);
  guint32 x = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) out = NULL;
  Loop loop;

  g_assert_true (g_file_set_contents (path, trap_source, -1, NULL));
  loop_open (&loop, text, "", LEAT_EXECUTOR_GRAPH, 1);
  g_object_set (loop.session, "repeat", (guint64) 1000, NULL);
  loop_push (&loop, "in", &x, sizeof x);
  loop_replay (&loop);
  out = loop_pull (&loop, "out");
  x = 3;
  loop_push (&loop, "in", &x, sizeof x);
  g_assert_cmpint (leat_session_replay (loop.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_FAILED);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "do the runs one by one"));
  loop_close (&loop);
  g_unlink (path);
  g_rmdir (folder);
}

/* Each in a process of its own, to which a GPU is lost when a kernel traps. */
static void
test_failed_apart (gconstpointer name)
{
  g_autofree char *path = g_strdup_printf ("/leat/session/loop/failed/subprocess/%s", (const char *) name);

  g_test_trap_subprocess (path, 60 * G_USEC_PER_SEC, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, test)                                                                                                \
  g_test_add_data_func ("/leat/session/loop/failed/" name, name, test_failed_apart);                                   \
  g_test_add_func ("/leat/session/loop/failed/subprocess/" name, test)
  ADD ("while", test_failed_while);
  ADD ("host", test_failed_host);
  ADD ("cooperative", test_failed_cooperative);
  ADD ("repeat", test_failed_repeat);
#undef ADD
  return g_test_run ();
}
