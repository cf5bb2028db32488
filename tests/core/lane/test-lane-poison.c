/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* With LEAT_POISON=1: what a run does not write shows, and what goes from run to run stays. */

#define N       64
#define PATTERN 0xa5a5a5a5u
#define HALF    "k = kernel source=\"%s\" entry=half grid=1 block=64\n"
#define COUNTED "k = kernel source=\"%s\" entry=some grid=1 block=64 y=u32[<=64]\n"
#define AROUND  "app name=source spec=u32[64] -> upload%s -> k\nk -> readback%s -> app name=sink\n"
#define KEPT                                                                                                           \
  "sum = state spec=u32[64]\nk = map inputs=x,sum expr=x+sum\napp name=source spec=u32[64] -> upload mode=copy -> "    \
  "k.x\n"                                                                                                              \
  "sum -> k.sum\nk -> sum\nk -> readback mode=copy -> app name=sink\n"

static const char kernels[] = "__global__ void half (const unsigned int *x, unsigned int *y)\n"
                              "{\n"
                              "  if (threadIdx.x % 2 == 0)\n"
                              "    y[threadIdx.x] = x[threadIdx.x];\n"
                              "}\n"
                              "__global__ void some (const unsigned int *x, unsigned int *y, uint64_t *y_count)\n"
                              "{\n"
                              "  if (threadIdx.x < 3)\n"
                              "    y[threadIdx.x] = x[threadIdx.x];\n"
                              "  if (threadIdx.x == 0)\n"
                              "    *y_count = 3;\n"
                              "}\n";

static char *folder, *file;

static void
poison_open (SessionFixture *self, const char *kernel, const char *mode, LeatExecutor executor)
{
  g_auto (GStrv) parts = g_strsplit (kernel, "%s", -1);
  g_autofree char *node = g_strjoinv (file, parts);
  g_auto (GStrv) around = g_strsplit (AROUND, "%s", -1);
  g_autofree char *ends = g_strjoinv (mode, around);
  g_autofree char *text = g_strconcat (node, ends, NULL);

  session_fixture_open (self, text, executor);
}

static void
poison_check_half (const guint32 *found, guint32 x)
{
  for (guint i = 0; i < N; i++)
    g_assert_cmphex (found[i], ==, i % 2 == 0 ? x : PATTERN);
}

/* As many runs as make the short way the usual one. */
static void
poison_run_half (const char *mode, LeatExecutor executor)
{
  SessionFixture fixture;

  poison_open (&fixture, HALF, mode, executor);
  for (guint run = 1; run < 6; run++)
    {
      guint32 x[N];
      g_autoptr (GBytes) found = NULL;

      for (guint i = 0; i < N; i++)
        x[i] = run;
      found = session_fixture_run (&fixture, x, sizeof x);
      poison_check_half (g_bytes_get_data (found, NULL), run);
    }
  session_fixture_close (&fixture);
}

static void
test_poison_shows_what_is_not_written (gconstpointer executor)
{
  static const char *const modes[] = { " mode=copy", " mode=mapped", " mode=kernel" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    poison_run_half (modes[i], GPOINTER_TO_INT (executor));
}

/* As many lanes as a launch has room for, fewer, and more: up to the end of the last. */
static void
test_poison_shows_it_in_a_batch (gconstpointer data)
{
  guint n = GPOINTER_TO_UINT (data);
  SessionFixture fixture;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GPtrArray) results = NULL;
  g_autoptr (GError) error = NULL;

  poison_open (&fixture, HALF, "", LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "batch", 4, NULL);
  for (guint lane = 0; lane < n; lane++)
    {
      guint32 x[N];

      for (guint i = 0; i < N; i++)
        x[i] = lane;
      g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
    }
  leat_session_replay_batch (fixture.session, n, inputs, &results, NULL, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < n; lane++)
    poison_check_half (g_bytes_get_data (g_ptr_array_index (results, lane), NULL), lane);
  session_fixture_close (&fixture);
}

/* Only what is live comes out. */
static void
test_poison_gives_what_is_live (gconstpointer executor)
{
  SessionFixture fixture;
  guint32 x[N] = { 7, 8, 9, 10 };

  poison_open (&fixture, COUNTED, "", GPOINTER_TO_INT (executor));
  for (guint run = 0; run < 3; run++)
    {
      g_autoptr (GBytes) found = session_fixture_run (&fixture, x, sizeof x);

      g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), x, 3 * sizeof *x);
    }
  session_fixture_close (&fixture);
}

/* Also where the uploads are left out, as the inputs are on the device. */
static void
test_poison_leaves_what_is_kept (gconstpointer executor)
{
  SessionFixture fixture;
  guint32 x[N] = { 0 };
  LeatView in, out;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, KEPT, GPOINTER_TO_INT (executor));
  g_assert_true (leat_session_map_input (fixture.session, "source", &in, &error));
  g_assert_true (leat_session_map_output (fixture.session, "sink", &out, &error));
  for (guint i = 0; i < N; i++)
    x[i] = i;
  memcpy (in.data, x, sizeof x);
  for (guint run = 1; run < 8; run++)
    {
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      for (guint i = 0; i < N; i++)
        g_assert_cmpuint (((const guint32 *) out.data)[i], ==, run * i);
    }
  session_fixture_close (&fixture);
}

static void
add (const char *name, GTestDataFunc test)
{
  static const struct
  {
    const char *name;
    LeatExecutor executor;
  } executors[] = { { "graph", LEAT_EXECUTOR_GRAPH },
                    { "eager", LEAT_EXECUTOR_EAGER },
                    { "resident", LEAT_EXECUTOR_PERSISTENT_AUTO } };

  for (guint i = 0; i < G_N_ELEMENTS (executors); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/session/poison/%s/%s", name, executors[i].name);

      g_test_add_data_func (path, GINT_TO_POINTER (executors[i].executor), test);
    }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("leat-poison-XXXXXX", NULL);
  file = g_build_filename (folder, "poison.cu", NULL);
  g_assert_true (g_file_set_contents (file, kernels, -1, NULL));
  add ("shows-what-is-not-written", test_poison_shows_what_is_not_written);
  add ("gives-what-is-live", test_poison_gives_what_is_live);
  add ("leaves-what-is-kept", test_poison_leaves_what_is_kept);
  for (guint n = 1; n <= 9; n++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/session/poison/shows-it-in-a-batch/%u", n);

      g_test_add_data_func (path, GUINT_TO_POINTER (n), test_poison_shows_it_in_a_batch);
    }
  status = g_test_run ();
  g_unlink (file);
  g_rmdir (folder);
  g_free (file);
  g_free (folder);
  return status;
}
