/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

/* The nodes in sessions, on the device that LEAT_DEVICE says, by both executors. */

static LeatPipeline *
test_run_parse (const char *format, ...)
{
  g_autofree char *text = NULL;
  GError *error = NULL;
  LeatPipeline *pipeline;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);
  g_assert_no_error (error);
  return pipeline;
}

static LeatSession *
test_run_open (LeatPipeline *pipeline, LeatExecutor executor)
{
  LeatSession *session = leat_session_new (pipeline, NULL);
  GError *error = NULL;

  g_object_set (session, "executor", executor, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  return session;
}

static void
test_run_all (LeatPipeline *pipeline, LeatExecutor executor)
{
  g_autoptr (LeatSession) session = test_run_open (pipeline, executor);
  GError *error = NULL;

  leat_session_run (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_close (session);
}

/* Sizes about the border of a chunk come through whole, by every way to move them. */
static void
test_run_files (void)
{
  static const gsize sizes[] = { 0, 1, 4095, 4096, 4097, 20000 };
  static const char *const modes[] = { "auto", "copy", "mapped" };
  g_autofree char *in = leat_harness_dup_path ("in");
  g_autofree char *out = leat_harness_dup_path ("out");

  for (guint i = 0; i < G_N_ELEMENTS (sizes) * G_N_ELEMENTS (modes) * 2; i++)
    {
      gsize size = sizes[i / 2 % G_N_ELEMENTS (sizes)];
      const char *mode = modes[i / 2 / G_N_ELEMENTS (sizes)];
      g_autofree guint8 *data = g_malloc (size + 1);
      g_autoptr (LeatPipeline) pipeline = NULL;

      for (gsize j = 0; j < size; j++)
        data[j] = (guint8) g_test_rand_int ();
      leat_harness_write_file (in, data, size);
      pipeline = test_run_parse ("io:file path=%s chunk=4096 + upload mode=%s + readback mode=%s + io:file path=%s", in,
                                 mode, mode, out);
      test_run_all (pipeline, i % 2 == 0 ? LEAT_EXECUTOR_GRAPH : LEAT_EXECUTOR_EAGER);
      leat_harness_assert_file (out, data, size);
    }
}

static void
test_run_const (void)
{
  g_autofree char *in = leat_harness_dup_path ("table");
  g_autofree char *out = leat_harness_dup_path ("out");
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  GError *error = NULL;

  leat_harness_write_file (in, "abcdefgh", 8);
  pipeline = test_run_parse ("const path=%s spec=u16:4 + readback + io:file path=%s", in, out);
  session = test_run_open (pipeline, LEAT_EXECUTOR_GRAPH);
  g_remove (in);
  leat_session_run (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_close (session);
  leat_harness_assert_file (out, "abcdefgh", 8);
}

static gpointer
test_run_push (gpointer data)
{
  LeatApp *app = data;

  for (guint32 i = 0; i < 500; i++)
    {
      guint32 items[4] = { i, i + 1, i + 2, i + 3 };
      g_autoptr (GBytes) bytes = g_bytes_new (items, (1 + i % 4) * sizeof *items);
      GError *error = NULL;

      leat_app_push_bytes (app, bytes, &error);
      g_assert_no_error (error);
    }
  leat_app_end (app);
  return NULL;
}

static gpointer
test_run_session (gpointer data)
{
  GError *error = NULL;

  leat_session_run (data, NULL, &error);
  g_assert_no_error (error);
  return NULL;
}

/* Pushed in one thread, run in another, pulled in a third. */
static void
test_run_app (void)
{
  g_autoptr (LeatPipeline) pipeline = test_run_parse ("app name=in spec=u32:max4 max-queue=5 + upload + readback "
                                                      "+ app name=out max-queue=5");
  LeatApp *in = LEAT_APP (leat_pipeline_get_node (pipeline, "in", NULL));
  LeatApp *out = LEAT_APP (leat_pipeline_get_node (pipeline, "out", NULL));
  g_autoptr (LeatSession) session = test_run_open (pipeline, LEAT_EXECUTOR_GRAPH);
  GThread *pusher = g_thread_new ("pusher", test_run_push, in);
  GThread *runner = g_thread_new ("runner", test_run_session, session);
  GError *error = NULL;
  GBytes *bytes;
  guint32 next = 0;

  for (; (bytes = leat_app_pull_bytes (out, -1, &error)) != NULL; next++)
    {
      const guint32 *items = g_bytes_get_data (bytes, NULL);

      g_assert_cmpuint (g_bytes_get_size (bytes), ==, (1 + next % 4) * sizeof *items);
      for (guint i = 0; i <= next % 4; i++)
        g_assert_cmpuint (items[i], ==, next + i);
      g_bytes_unref (bytes);
    }
  g_assert_no_error (error);
  g_assert_cmpuint (next, ==, 500);
  g_thread_join (pusher);
  g_thread_join (runner);
  leat_session_close (session);
}

/* Run by run, pushing and pulling in one thread; nothing there and not asked to wait is no error. */
static void
test_run_app_steps (void)
{
  g_autoptr (LeatPipeline) pipeline = test_run_parse ("app name=in spec=u8:2 + upload + readback + app name=out");
  LeatApp *in = LEAT_APP (leat_pipeline_get_node (pipeline, "in", NULL));
  LeatApp *out = LEAT_APP (leat_pipeline_get_node (pipeline, "out", NULL));
  g_autoptr (LeatSession) session = test_run_open (pipeline, LEAT_EXECUTOR_EAGER);
  g_autoptr (GBytes) pushed = g_bytes_new_static ("ab", 2);
  GError *error = NULL;

  g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_EMPTY);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GBytes) pulled = NULL;

      g_assert_true (leat_app_push_bytes (in, pushed, &error));
      g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      pulled = leat_app_pull_bytes (out, 0, &error);
      g_assert_no_error (error);
      g_assert_true (g_bytes_equal (pushed, pulled));
    }
  leat_app_end (in);
  g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_END);
  g_assert_no_error (error);
  g_assert_null (leat_app_pull_bytes (out, -1, &error));
  g_assert_no_error (error);
  leat_session_close (session);
}

static gpointer
test_run_cancel_soon (gpointer data)
{
  g_usleep (50000);
  g_cancellable_cancel (data);
  return NULL;
}

/* Called off while it waits for a pipe that nobody writes: nothing is left of the output. */
static void
test_run_cancelled (void)
{
  g_autofree char *pipe = leat_harness_dup_path ("pipe");
  g_autofree char *out = leat_harness_dup_path ("out");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  GError *error = NULL;
  GThread *thread;

  leat_harness_remove_files ();
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  pipeline = test_run_parse ("io:file path=%s + upload + readback + io:file path=%s", pipe, out);
  session = test_run_open (pipeline, LEAT_EXECUTOR_GRAPH);
  thread = g_thread_new ("canceller", test_run_cancel_soon, cancellable);
  g_assert_false (leat_session_run (session, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_thread_join (thread);
  leat_session_close (session);
  leat_harness_assert_folder_has (1);
}

static void
test_run_sink_fails (void)
{
  g_autofree char *in = leat_harness_dup_path ("in");
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  GError *error = NULL;

  leat_harness_write_file (in, "abcdefgh", 8);
  pipeline = test_run_parse ("io:file path=%s + upload + readback + io:file path=/dev/full", in);
  session = test_run_open (pipeline, LEAT_EXECUTOR_GRAPH);
  g_assert_false (leat_session_run (session, NULL, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "/dev/full");
  leat_session_close (session);
}

static void
test_run_discard (void)
{
  g_autofree char *in = leat_harness_dup_path ("in");
  g_autoptr (LeatPipeline) pipeline = NULL;
  guint64 bytes;

  leat_harness_write_file (in, "abcdefghij", 10);
  pipeline = test_run_parse ("io:file path=%s chunk=4 + discard name=d", in);
  test_run_all (pipeline, LEAT_EXECUTOR_GRAPH);
  g_object_get (leat_pipeline_get_node (pipeline, "d", NULL), "bytes", &bytes, NULL);
  g_assert_cmpuint (bytes, ==, 10);
}

/* An input's count counts its elements, whatever the shape. */
static void
test_run_kernel_counts (gconstpointer data)
{
  static const char source[] = "#include <stdint.h>\n"
                               "__global__ void add_index (const int *in, uint64_t in_count, int *out)\n"
                               "{\n"
                               "  for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < in_count;\n"
                               "       i += blockDim.x * gridDim.x)\n"
                               "    out[i] = in[i] + (int) i;\n"
                               "}\n";
  const char *spec = data;
  g_autofree char *path = leat_harness_dup_path ("add_index.cu");
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) input = NULL;
  g_autoptr (GBytes) output = NULL;
  gint32 items[5 * 7 * 3];
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    items[i] = g_test_rand_int_range (-1000, 1000);
  leat_harness_write_file (path, source, strlen (source));
  pipeline =
    test_run_parse ("app name=source spec=%s + upload + kernel source=%s + readback + app name=sink", spec, path);
  session = test_run_open (pipeline, LEAT_EXECUTOR_GRAPH);
  input = g_bytes_new (items, sizeof items);
  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "source", NULL)), input, &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  output = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "sink", NULL)), 0, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    items[i] += (gint32) i;
  g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), items, sizeof items);
  leat_session_close (session);
}

/* It counts by the vectors that the kernel takes: of a bounded input, so many to each step, and never a part of one. */
static void
test_run_kernel_counts_vectors (void)
{
  static const char source[] = "#include <stdint.h>\n"
                               "__global__ void add_pairs (const int2 *in, uint64_t in_count, int *out)\n"
                               "{\n"
                               "  for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < in_count;\n"
                               "       i += blockDim.x * gridDim.x)\n"
                               "    out[i] = in[i].x + in[i].y;\n"
                               "}\n";
  static const struct
  {
    const char *spec;
    guint items;
    const char *says; /* NULL: it runs */
  } table[] = {
    { "i32:8", 8, NULL },
    { "i32:max6x2", 8, NULL },
    { "i32:max3x3x4", 24, NULL },
    { "i32:max8", 0,
      "kernel add_pairs counts its input \"in\" by 2 items, but i32[<=8] holds 1 at each step; use a plain i32 in the "
      "kernel, or link a spec whose last dimension is a multiple of 2" },
    { "i32:max2x3", 0, "but i32[<=2,3] holds 3 at each step" },
    { "i32:max4x3x5", 0, "but i32[<=4,3,5] holds 15 at each step" },
  };
  const gint32 items[24] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 };
  g_autofree char *path = leat_harness_dup_path ("add_pairs.cu");

  leat_harness_write_file (path, source, strlen (source));
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatPipeline) pipeline = test_run_parse (
        "app name=source spec=%s + upload + kernel source=%s + readback + app name=sink", table[i].spec, path);
      g_autoptr (GBytes) input = g_bytes_new (items, table[i].items * sizeof *items), output = NULL;
      g_autoptr (LeatSession) session = NULL;
      GError *error = NULL;

      if (table[i].says != NULL)
        {
          g_assert_null (leat_plan_new (pipeline, &error));
          leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, table[i].says);
          continue;
        }
      session = test_run_open (pipeline, LEAT_EXECUTOR_GRAPH);
      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "source", NULL)), input, &error);
      g_assert_no_error (error);
      g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      output = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "sink", NULL)), 0, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (g_bytes_get_size (output), ==, table[i].items * sizeof *items);
      for (guint k = 0; k < table[i].items / 2; k++)
        g_assert_cmpint (((const gint32 *) g_bytes_get_data (output, NULL))[k], ==, items[2 * k] + items[2 * k + 1]);
      leat_session_close (session);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/nodes/run/files", test_run_files);
  g_test_add_func ("/leat/nodes/run/const", test_run_const);
  g_test_add_func ("/leat/nodes/run/discard", test_run_discard);
  g_test_add_func ("/leat/nodes/run/app-in-threads", test_run_app);
  g_test_add_func ("/leat/nodes/run/app-step-by-step", test_run_app_steps);
  g_test_add_data_func ("/leat/nodes/run/kernel-counts/line", "i32:105", test_run_kernel_counts);
  g_test_add_data_func ("/leat/nodes/run/kernel-counts/box", "i32:5x7x3", test_run_kernel_counts);
  g_test_add_data_func ("/leat/nodes/run/kernel-counts/bounded", "i32:max200", test_run_kernel_counts);
  g_test_add_data_func ("/leat/nodes/run/kernel-counts/bounded-rows", "i32:max9x7x3", test_run_kernel_counts);
  g_test_add_func ("/leat/nodes/run/kernel-counts/vectors", test_run_kernel_counts_vectors);
  g_test_add_func ("/leat/nodes/run/cancelled", test_run_cancelled);
  g_test_add_func ("/leat/nodes/run/sink-fails", test_run_sink_fails);
  return g_test_run ();
}
