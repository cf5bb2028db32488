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

typedef struct
{
  char *folder, *path;
  Loop loop;
} Failed;

/* @text: with TRAP for the path of a kernel that traps on a 3 */
static void
failed_open (Failed *self, const char *text, const char *who)
{
  g_auto (GStrv) parts = g_strsplit (text, "TRAP", -1);
  g_autofree char *whole = NULL;

  self->folder = g_dir_make_tmp ("leat-failed-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "trap.cu", NULL);
  g_assert_true (g_file_set_contents (self->path, trap_source, -1, NULL));
  whole = g_strjoinv (self->path, parts);
  loop_open (&self->loop, whole, who, LEAT_EXECUTOR_GRAPH, 1);
}

/* A run with @x fails, and says the first of the two; and the second where @told. */
static void
failed_run (Failed *self, guint32 x, const char *what, const char *way_out, gboolean told)
{
  g_autoptr (GError) error = NULL;

  loop_push (&self->loop, "in", &x, sizeof x);
  g_assert_cmpint (leat_session_replay (self->loop.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_FAILED);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, what));
  g_assert_true ((strstr (error->message, way_out) != NULL) == told);
}

static void
failed_close (Failed *self)
{
  loop_close (&self->loop);
  g_unlink (self->path);
  g_rmdir (self->folder);
  g_free (self->path);
  g_free (self->folder);
}

/* A node of the graph that does a body again and again may have been ended by the driver. @told: whether that is said
 */
static void
failed_loop (const char *who, gboolean told)
{
  Failed self;

  failed_open (&self,
               "leat 1\n"
               "away = loop until=\"y == 9\" carry=x:y max-iterations=20 method=METHOD {\n"
               "  in.x -> kernel source=\"TRAP\" -> out.y\n"
               "}\n"
               "app name=in spec=u32[1] -> upload -> away.x\n"
               "away.y -> readback -> app name=out\n",
               who);
  failed_run (&self, 0, "loop \"away\"", "set method=fused or method=host on loop \"away\"", told);
  failed_close (&self);
}

static void
test_failed_while (void)
{
  failed_loop ("while", TRUE);
}

static void
test_failed_host (void)
{
  failed_loop ("host", FALSE);
}

static void
test_failed_fused (void)
{
  failed_loop ("fused", FALSE);
}

static void
test_failed_repeat (void)
{
  const guint32 x = 0;
  g_autoptr (GBytes) out = NULL;
  Failed self;

  failed_open (&self,
               "leat 1\napp name=in spec=u32[1] -> upload -> kernel source=\"TRAP\" -> readback -> app name=out\n", "");
  g_object_set (self.loop.session, "repeat", (guint64) 1000, NULL);
  loop_push (&self.loop, "in", &x, sizeof x);
  loop_replay (&self.loop);
  out = loop_pull (&self.loop, "out");
  failed_run (&self, 3, "CUDA_ERROR_LAUNCH_FAILED", "do the runs one by one", TRUE);
  failed_close (&self);
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
  ADD ("fused", test_failed_fused);
  ADD ("repeat", test_failed_repeat);
#undef ADD
  return g_test_run ();
}
