/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fault-driver.h"
#include "lanes-runs.h"
#include "leat.h"
#include "session-fixture.h"

#include <glib/gstdio.h>

/* Streams with many runs in each launch. */

#define WIDE LANES_WIDE

static const char more[] = "__global__ void more (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
                           "{\n  GRID_FOR (i, x_count)\n    y[i] = x[i] + 1;\n}\n";
static const char zed[] = "__global__ void zed (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
                          "{\n  GRID_FOR (i, x_count)\n    y[i] = x[i] + 1 + blockIdx.z;\n}\n";
static const char total[] = "__device__ uint32_t before;\n"
                            "__global__ void total (const uint32_t *x, uint32_t *y)\n"
                            "{\n  if (blockIdx.x * blockDim.x + threadIdx.x == 0)\n    {\n"
                            "      before = x[0];\n      y[0] = before + 1;\n    }\n}\n";

/* A launch for as many runs, and one for those that are left. */
static void
test_order (gconstpointer data)
{
  guint wide = GPOINTER_TO_UINT (data) % 256, n = GPOINTER_TO_UINT (data) / 512;
  gboolean eager = GPOINTER_TO_UINT (data) / 256 % 2;
  Lanes self;

  lanes_set_up (&self, WIDE + wide, eager ? LEAT_EXECUTOR_EAGER : LEAT_EXECUTOR_GRAPH);
  lanes_run_all (&self, n);
  g_assert_cmpuint (lanes_get (&self, "batch-entries"), ==, n);
  g_assert_cmpuint (lanes_get (&self, "batch-launches"), ==, (n + wide - 1) / wide);
  g_assert_cmpuint (lanes_get (&self, "in-flight-most"), <=, 4 * wide);
  lanes_tear_down (&self);
}

/* The rest takes no graph that was not there before: one for each flight. */
static void
test_tail (void)
{
  Lanes self;

  lanes_set_up_kernel (&self, WIDE + 16, more, "more", FALSE);
  lanes_run_all (&self, 16 * 8 + 5);
  g_assert_cmpuint (lanes_get (&self, "instantiations"), <=, 5);
  g_assert_cmpuint (lanes_get (&self, "batch-launches"), ==, 9);
  lanes_tear_down (&self);
}

/* Lane by lane within a launch: the rest is cut into powers of two. */
static void
test_spread (void)
{
  Lanes self;

  lanes_set_up_kernel (&self, WIDE + 8, zed, "zed", FALSE);
  lanes_run_all (&self, 8 * 5 + 7);
  g_assert_cmpuint (lanes_get (&self, "batch-entries"), ==, 47);
  g_assert_cmpuint (lanes_get (&self, "batch-launches"), ==, 5 + 3);
  lanes_tear_down (&self);
}

/* Where the runs depend on each other, each has a launch of its own as ever. */
static void
test_in_turn (void)
{
  Lanes self;

  lanes_set_up_kernel (&self, WIDE + 8, total, "total", FALSE);
  lanes_run_all (&self, 30);
  g_assert_cmpuint (lanes_get (&self, "batch-entries"), ==, 0);
  lanes_tear_down (&self);
}

static void
test_failure (gconstpointer data)
{
  lanes_run_failing (WIDE + 4, 0, GPOINTER_TO_UINT (data) % 2, GPOINTER_TO_UINT (data) / 2);
}

static void
push (LeatPipeline *pipeline, const char *name, guint32 value)
{
  g_autoptr (GBytes) bytes = g_bytes_new (&value, sizeof value);
  g_autoptr (GError) error = NULL;

  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, name, NULL)), bytes, &error);
  g_assert_no_error (error);
}

static gpointer
push_pairs (gpointer pipeline)
{
  LeatApp *sink = LEAT_APP (leat_pipeline_get_node (pipeline, "sink", NULL));

  /* Each result is waited for while one of the two sources has more already. */
  push (pipeline, "a", 0);
  for (guint i = 0; i < 40; i++)
    {
      g_autoptr (GBytes) result = NULL;
      g_autoptr (GError) error = NULL;

      push (pipeline, "a", i + 1);
      push (pipeline, "b", 100 * i);
      result = leat_app_pull_bytes (sink, 10000000, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (*(const guint32 *) g_bytes_get_data (result, NULL), ==, 101 * i);
    }
  push (pipeline, "b", 4000);
  leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)));
  leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)));
  return NULL;
}

/* Runs that wait for one of several sources keep nothing back, and what the others gave for them is not lost. */
static void
test_sources (void)
{
  static const char sum[] = "__global__ void sum (const uint32_t *x, const uint32_t *y, uint32_t *z)\n"
                            "{\n  if (blockIdx.x * blockDim.x + threadIdx.x == 0)\n    z[0] = x[0] + y[0];\n}\n";
  g_autofree char *folder = g_dir_make_tmp ("leat-wide-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "k.cu", NULL);
  g_autofree char *text =
    g_strdup_printf ("leat 1\nk = kernel source=\"%s\" entry=sum grid=1 block=32\n"
                     "app name=a spec=u32[1] -> upload -> k.x\napp name=b spec=u32[1] -> upload -> k.y\n"
                     "k -> readback -> app name=sink\n",
                     path);
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GError) error = NULL;
  GThread *thread;

  g_assert_true (g_file_set_contents (path, sum, -1, NULL));
  pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  g_object_set (session, "batch", 8, "calibrate", FALSE, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  thread = g_thread_new ("push", push_pairs, pipeline);
  g_assert_true (leat_session_run (session, NULL, &error));
  g_assert_no_error (error);
  g_thread_join (thread);
  g_assert_cmpuint (session_fixture_get_number (session, "batch-entries"), ==, 41);
  leat_session_close (session);
  g_unlink (path);
  g_rmdir (folder);
}

/* Inputs of which row goes with row, and a run among others in which one has fewer: that is told once. */
static void
test_uneven (void)
{
  static const char text[] = "leat 1\nk = map inputs=a,b expr=\"a+b\"\n"
                             "app name=a spec=u32[<=16] -> upload -> k.a\n"
                             "app name=b spec=u32[<=16] -> upload -> k.b\nk -> readback -> app name=sink\n";
  static const guint32 items[16] = { 0 };
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GError) error = NULL;
  LeatMessage *message;
  guint warnings = 0;

  pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 4; i++)
    for (guint source = 0; source < 2; source++)
      {
        g_autoptr (GBytes) bytes = g_bytes_new_static (items, (i > 0 && source == 0 ? 4 : 10) * sizeof *items);

        leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, source == 0 ? "a" : "b", NULL)), bytes,
                             &error);
        g_assert_no_error (error);
      }
  leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)));
  leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)));
  session = leat_session_new (pipeline, NULL);
  g_object_set (session, "batch", 8, "calibrate", FALSE, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (leat_session_run (session, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (session_fixture_get_number (session, "batch-entries"), ==, 4);
  while ((message = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0)) != NULL)
    {
      if (leat_message_get_kind (message) == LEAT_MESSAGE_WARNING)
        {
          g_assert_error (leat_message_get_error (message), LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_UNEVEN);
          warnings++;
        }
      leat_message_unref (message);
    }
  g_assert_cmpuint (warnings, ==, 1);
  leat_session_close (session);
}

/* Called off at any moment: what came is in order, and what goes on misses nothing. */
static void
test_cancel (void)
{
  for (guint i = 0; i < 40; i++)
    {
      Lanes self;

      lanes_set_up (&self, WIDE + 2 + i % 7, i % 3 == 0 ? LEAT_EXECUTOR_EAGER : LEAT_EXECUTOR_GRAPH);
      self.source->us = 100;
      lanes_run_cancelled (&self, TRUE);
      lanes_tear_down (&self);
    }
}

/* A property that is set on the way. */
static void
test_property (void)
{
  Lanes self;

  lanes_set_up (&self, WIDE + 8, LEAT_EXECUTOR_AUTO);
  lanes_run_changed (&self);
  lanes_tear_down (&self);
}

static void
test_call_fails (void)
{
  const char *why = fault_driver_init ();

  if (why != NULL)
    {
      g_test_skip (why);
      return;
    }
  for (LeatExecutor executor = LEAT_EXECUTOR_GRAPH; executor <= LEAT_EXECUTOR_EAGER; executor++)
    g_assert_cmpuint (lanes_run_with_failing_calls (WIDE + 4, executor, 11), >, 10);
}

static void
add_orders (void)
{
  static const guint counts[] = { 1, 7, 8, 9, 64, 100 };

  for (guint wide = 2; wide <= 32; wide *= 4)
    for (guint i = 0; i < 2 * G_N_ELEMENTS (counts); i++)
      {
        g_autofree char *name =
          g_strdup_printf ("/session/wide/order/%u-%u-%s", wide, counts[i / 2], i % 2 ? "eager" : "graph");

        g_test_add_data_func (name, GUINT_TO_POINTER (wide + 256 * (i % 2) + 512 * counts[i / 2]), test_order);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("LEAT_CPU_FAULT", "", TRUE);
  add_orders ();
  for (guint i = 0; i < 2 * 11; i += i % 2 ? 3 : 1)
    {
      g_autofree char *name = g_strdup_printf ("/session/wide/failure/%s-%u", i % 2 ? "sink" : "source", i / 2);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_failure);
    }
  g_test_add_func ("/session/wide/tail", test_tail);
  g_test_add_func ("/session/wide/spread", test_spread);
  g_test_add_func ("/session/wide/in-turn", test_in_turn);
  g_test_add_func ("/session/wide/sources", test_sources);
  g_test_add_func ("/session/wide/uneven", test_uneven);
  g_test_add_func ("/session/wide/cancel", test_cancel);
  g_test_add_func ("/session/wide/property", test_property);
  g_test_add_func ("/session/wide/call-fails", test_call_fails);
  return g_test_run ();
}
