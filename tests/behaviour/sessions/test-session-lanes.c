/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device/leat-device-private.h"
#include "fault-driver.h"
#include "leat.h"
#include "lanes-runs.h"
#include "session-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

#define AUTO_RUNS 60 /* on a busy machine some of them go by before there is memory for further lanes */

/* Several runs in flight: the order, what fails where, calling off, state that goes from run to run, and what is
 * gained. */

static void
test_order (gconstpointer data)
{
  guint lanes = GPOINTER_TO_UINT (data) % 16;
  LeatExecutor executor = GPOINTER_TO_UINT (data) / 16;
  Lanes self;

  lanes_set_up (&self, lanes, executor);
  lanes_run_all (&self, N_RUNS);
  g_assert_cmpuint (lanes_get (&self, "lanes-used"), ==, lanes);
  g_assert_cmpuint (lanes_get (&self, "in-flight-most"), <=, lanes);
  g_assert_false (self.source->mixed);
  g_assert_false (self.sink->mixed);
  g_assert_true ((self.source->thread == self.sink->thread) == (lanes == 1));
  lanes_tear_down (&self);
}

/* Where the failure lies, all before it is given and nothing behind it. */
static void
test_failure (gconstpointer data)
{
  guint lanes = GPOINTER_TO_UINT (data) % 16, at = GPOINTER_TO_UINT (data) / 32;
  gboolean in_sink = GPOINTER_TO_UINT (data) / 16 % 2;

  lanes_run_failing (lanes, 0, in_sink, at);
}

/* A sink that fails while the source waits for data, for ever. */
static void
test_failure_wakes_source (void)
{
  g_autoptr (GError) error = NULL;
  Lanes self;

  lanes_set_up (&self, 3, LEAT_EXECUTOR_AUTO);
  self.source->fails_at = 4;
  self.source->hangs = TRUE;
  self.sink->fails_at = 2;
  self.sink->us = 5000;
  g_assert_false (leat_session_run (self.session, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_assert_cmpuint (self.sink->got->len, ==, 2);
  lanes_tear_down (&self);
}

/* A sink that is slow stops the source: no more is read than there are lanes. */
static void
test_backpressure (void)
{
  g_autoptr (GError) error = NULL;
  Lanes self;

  lanes_set_up (&self, 3, LEAT_EXECUTOR_AUTO);
  self.sink->fails_at = 5;
  self.sink->us = 2000;
  g_assert_false (leat_session_run (self.session, NULL, &error));
  g_assert_cmpint (self.source->calls, <=, 5 + 3);
  lanes_tear_down (&self);
}

/* Called off at any moment: it ends, and what came is in order; what could go on does, with nothing missing. */
static void
test_cancel (void)
{
  for (guint i = 0; i < 60; i++)
    {
      Lanes self;

      lanes_set_up (&self, 1 + i % 4, i % 3 == 0 ? LEAT_EXECUTOR_EAGER : LEAT_EXECUTOR_GRAPH);
      self.source->us = 100;
      self.source->hangs = i % 2;
      self.source->fails_at = i % 2 ? 8 : -1;
      lanes_run_cancelled (&self, i % 2 == 0);
      lanes_tear_down (&self);
    }
}

static gpointer
lanes_close_later (gpointer data)
{
  g_usleep (g_random_int_range (0, 3000));
  leat_session_close (data);
  return NULL;
}

static void
test_close (void)
{
  for (guint i = 0; i < 30; i++)
    {
      g_autoptr (GError) error = NULL;
      GThread *thread;
      Lanes self;

      lanes_set_up (&self, 2 + i % 3, LEAT_EXECUTOR_AUTO);
      self.source->us = 100;
      thread = g_thread_new ("close", lanes_close_later, self.session);
      leat_session_run (self.session, NULL, &error);
      g_thread_join (thread);
      lanes_assert_order (&self);
      lanes_tear_down (&self);
    }
}

/* A property that is set while runs are in flight. */
static void
test_property (void)
{
  Lanes self;

  lanes_set_up (&self, 3, LEAT_EXECUTOR_AUTO);
  lanes_run_changed (&self);
  g_assert_cmpuint (lanes_get (&self, "replans"), ==, 1);
  lanes_tear_down (&self);
}

static char *
lanes_scan (const char *folder, guint lanes, LeatExecutor executor)
{
  g_autofree char *text = g_strdup_printf (
    "leat 1\nio:file path=\"%s/in\" chunk=1000 -> upload -> text:scan patterns=cat,dog,ta,og -> readback "
    "-> io:file path=\"%s/out\"\n",
    folder, folder);
  g_autofree char *out = g_build_filename (folder, "out", NULL);
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GError) error = NULL;
  char *sum;
  gsize length;
  g_autofree char *contents = NULL;

  pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  g_object_set (session, "lanes", lanes, "executor", executor, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_run (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_close (session);
  g_file_get_contents (out, &contents, &length, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (length, >, 0);
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guchar *) contents, length);
  g_unlink (out);
  return sum;
}

/* What is kept from chunk to chunk goes from lane to lane. */
static void
test_state (void)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-lanes-XXXXXX", NULL);
  g_autofree char *in = g_build_filename (folder, "in", NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *one = NULL;

  while (text->len < 200000)
    g_string_append (text, g_random_boolean () ? "catdog" : g_random_boolean () ? "ata" : "dogogcat ");
  g_assert_true (g_file_set_contents (in, text->str, text->len, NULL));
  one = lanes_scan (folder, 1, LEAT_EXECUTOR_AUTO);
  for (guint lanes = 2; lanes < 6; lanes++)
    for (LeatExecutor executor = LEAT_EXECUTOR_GRAPH; executor <= LEAT_EXECUTOR_EAGER; executor++)
      {
        g_autofree char *many = lanes_scan (folder, lanes, executor);

        g_assert_cmpstr (many, ==, one);
      }
  g_unlink (in);
  g_rmdir (folder);
}

/* The total over all chunks so far, kept in a variable of the file. */
static const char lanes_total[] = "__device__ uint32_t total;\n"
                                  "__global__ void sum (const uint32_t *x, uint32_t *y)\n{\n"
                                  "  if (blockIdx.x * blockDim.x + threadIdx.x == 0)\n"
                                  "    {\n      total += x[0];\n      y[0] = total;\n    }\n}\n";

/* So many rounds for each item. */
static const char lanes_work[] =
  "__global__ void work (const uint32_t *x, uint32_t *y, int rounds)\n{\n"
  "  if (blockIdx.x * blockDim.x + threadIdx.x == 0)\n"
  "    {\n      uint32_t a = x[0];\n"
  "      for (int r = 0; r < rounds; r++)\n        a ^= (a << 13) ^ (a >> 17) ^ (uint32_t) r;\n"
  "      y[0] = rounds < 0 ? a : x[0] + 1 + (a == 123456789u ? 1u : 0u);\n    }\n}\n";

static void
test_variable (void)
{
  for (guint lanes = 1; lanes <= 4; lanes++)
    {
      g_autoptr (GError) error = NULL;
      guint32 total = 0;
      Lanes self;

      lanes_set_up_kernel (&self, lanes, lanes_total, "sum", FALSE);
      g_assert_true (leat_session_run (self.session, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (self.sink->got->len, ==, N_RUNS);
      for (guint i = 0; i < N_RUNS; i++)
        g_assert_cmpuint (g_array_index (self.sink->got, guint32, i), ==, total += i);
      lanes_tear_down (&self);
    }
}

/* Whatever call fails: the run ends, and what came is in order and without a hole. */
static void
test_call_fails (void)
{
  const char *why = fault_driver_init ();

  if (why != NULL)
    {
      g_test_skip (why);
      return;
    }
  for (guint lanes = 1; lanes <= 4; lanes++)
    for (LeatExecutor executor = LEAT_EXECUTOR_GRAPH; executor <= LEAT_EXECUTOR_EAGER; executor++)
      g_assert_cmpuint (lanes_run_with_failing_calls (lanes, executor, 6), >, lanes * 6);
}

/* @rounds: that the kernel does in each run; 0 for some that it finds out, which take @us. */
static double
lanes_time_work (guint lanes, gint us, gint64 *rounds)
{
  g_autoptr (GError) error = NULL;
  LeatNode *node;
  gint64 begin;
  double took;
  Lanes self;

  lanes_set_up_kernel (&self, lanes, lanes_work, "work", TRUE);
  node = leat_pipeline_get_node (self.pipeline, "work", NULL);
  if (*rounds == 0)
    {
      g_assert_true (leat_node_set_arg_int64 (node, "rounds", 1000000, &error));
      leat_session_replay (self.session, FALSE, NULL, &error);
      leat_session_replay (self.session, FALSE, NULL, &error);
      *rounds = 1000000 * (gint64) us / (gint64) MAX (lanes_get (&self, "device-min-us"), 1);
    }
  g_assert_true (leat_node_set_arg_int64 (node, "rounds", *rounds, &error));
  self.source->us = self.sink->us = us;
  self.source->n = 64;
  begin = g_get_monotonic_time ();
  g_assert_true (leat_session_run (self.session, NULL, &error));
  g_assert_no_error (error);
  took = (g_get_monotonic_time () - begin) / 1e3;
  lanes_assert_order (&self);
  lanes_tear_down (&self);
  return took;
}

/* The device works as long as each of the two waits.  On a machine to itself it is 2.9; where others want its
 * processors too, some tries show less. */
static void
test_three (void)
{
  double most = 0;

  for (guint i = 0; i < 5 && most < 2; i++)
    {
      gint64 rounds = 0;
      double one = lanes_time_work (1, 4000, &rounds), three = lanes_time_work (3, 4000, &rounds);

      g_test_message ("source, device and sink of 4 ms: one lane %.1f ms, three %.1f ms, ratio %.2f", one, three,
                      one / three);
      most = MAX (most, one / three);
    }
  g_assert_cmpfloat (most, >, 1.3);
}

static double
lanes_time (guint lanes, gint us)
{
  g_autoptr (GError) error = NULL;
  gint64 begin;
  double took;
  Lanes self;

  lanes_set_up (&self, lanes, LEAT_EXECUTOR_AUTO);
  self.source->us = self.sink->us = us;
  begin = g_get_monotonic_time ();
  g_assert_true (leat_session_run (self.session, NULL, &error));
  g_assert_no_error (error);
  took = (g_get_monotonic_time () - begin) / 1e3;
  lanes_tear_down (&self);
  return took;
}

/* Source and sink wait for as long: two thirds of their time lie beside each other, at the least. */
static void
test_overlap (void)
{
  double one = lanes_time (1, 4000), three = lanes_time (3, 4000), by_itself = lanes_time (0, 4000);

  g_test_message ("one lane %.1f ms, three %.1f ms, auto %.1f ms", one, three, by_itself);
  g_assert_cmpfloat (three, <, one * 0.75);
  g_assert_cmpfloat (by_itself, <, one * 0.9);
}

/* Where the processors are the device, nothing is gained by working in a source or sink beside it, only by waiting. */
static void
test_auto (gconstpointer data)
{
  gboolean busy = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  Lanes self;

  lanes_set_up (&self, 0, LEAT_EXECUTOR_AUTO);
  if (busy && !leat_device_is_cpu (leat_session_get_device (self.session)))
    g_test_skip ("the processors are not the device");
  else
    {
      self.source->busy = self.sink->busy = busy;
      self.source->us = self.sink->us = 1000;
      self.source->n = AUTO_RUNS;
      g_assert_true (leat_session_run (self.session, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (self.sink->got->len, ==, AUTO_RUNS);
      g_assert_cmpuint (lanes_get (&self, "lanes-used"), ==, busy ? 1 : 3);
    }
  lanes_tear_down (&self);
}

/* However much more of them would gain, one lane stays one where it was asked for, and where runs are repeated. */
static void
test_one_lane (gconstpointer property)
{
  g_autoptr (GError) error = NULL;
  Lanes self;

  lanes_set_up (&self, 0, LEAT_EXECUTOR_AUTO);
  leat_session_close (self.session);
  if (g_str_equal (property, "lanes"))
    g_object_set (self.session, "lanes", 1, NULL);
  else
    g_object_set (self.session, "repeat", (guint64) 2, NULL);
  leat_session_open (self.session, NULL, &error);
  g_assert_no_error (error);
  self.source->us = self.sink->us = 1000;
  self.source->n = AUTO_RUNS;
  g_assert_true (leat_session_run (self.session, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (self.sink->got->len, ==, AUTO_RUNS);
  g_assert_cmpuint (lanes_get (&self, "lanes-used"), ==, 1);
  lanes_tear_down (&self);
}

/* What is allocated for lanes while the first one works is what they take: nothing of it is left over. */
static void
test_auto_reserve (void)
{
  LeatMemoryCounts before, after;
  LeatDevice *device;
  Lanes self;

  lanes_set_up (&self, 0, LEAT_EXECUTOR_AUTO);
  device = leat_session_get_device (self.session);
  leat_device_trim (device, 0);
  leat_device_get_memory_counts (device, LEAT_MEMORY_PINNED, &before);
  self.source->us = self.sink->us = 1000;
  lanes_run_all (&self, AUTO_RUNS);
  leat_device_get_memory_counts (device, LEAT_MEMORY_PINNED, &after);
  g_assert_cmpuint (lanes_get (&self, "lanes-used"), ==, 3);
  g_assert_cmpuint (after.live_count, >, before.live_count);
  g_assert_cmpuint (after.driver_allocations - before.driver_allocations, ==, after.live_count - before.live_count);
  g_assert_cmpuint (after.cached_bytes, ==, 0);
  lanes_tear_down (&self);
}

/* As many as the budget has room for. */
static void
test_auto_within_budget (void)
{
  g_autoptr (GVariant) plan = NULL;
  g_autoptr (GError) error = NULL;
  guint64 all = 0, lane = 0, lanes = 0;
  Lanes self;

  lanes_set_up (&self, 0, LEAT_EXECUTOR_AUTO);
  leat_session_close (self.session);
  leat_node_set_from_string (leat_pipeline_get_node (self.pipeline, "up", NULL), "mode", "copy", &error);
  plan = leat_session_predict (self.session, N_RUNS, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (plan, "lanes", "t", &lanes) && g_variant_lookup (plan, "lane-bytes", "t", &lane)
                 && g_variant_lookup (plan, "device-bytes", "t", &all));
  g_assert_cmpuint (lanes, ==, 3);
  g_assert_cmpuint (lane, >, 0);
  g_object_set (self.session, "budget", all - 1, NULL);
  g_assert_true (leat_session_open (self.session, NULL, &error));
  self.source->us = self.sink->us = 1000;
  self.source->n = AUTO_RUNS;
  g_assert_true (leat_session_run (self.session, NULL, &error));
  g_assert_no_error (error);
  lanes_assert_order (&self);
  g_assert_cmpuint (lanes_get (&self, "lanes-used"), ==, 2);
  g_assert_cmpuint (lanes_get (&self, "device-bytes-most"), ==, all - lane);
  lanes_tear_down (&self);
}

/* Lanes that do not pay after all are given up, and nothing is lost between the last run of theirs and the next. */
static void
test_auto_gives_up (void)
{
  g_autoptr (GError) error = NULL;
  Lanes self;

  lanes_set_up (&self, 0, LEAT_EXECUTOR_AUTO);
  self.source->n = 50;
  self.source->us = self.sink->us = 1000;
  self.sink->us_from = 6;
  self.sink->us_later = 30000;
  g_assert_true (leat_session_run (self.session, NULL, &error));
  g_assert_no_error (error);
  lanes_assert_order (&self);
  g_assert_cmpuint (self.sink->got->len, ==, 50);
  g_assert_cmpuint (lanes_get (&self, "runs"), ==, 50);
  g_assert_cmpuint (lanes_get (&self, "in-flight-most"), ==, 3);
  g_assert_cmpuint (lanes_get (&self, "lanes-used"), ==, 1);
  lanes_tear_down (&self);
}

typedef struct
{
  const char *source, *sink; /* properties of the two */
  guint lanes;
  const char *given[2];
} Leaky;

static const Leaky leakies[] = {
  { "max-queue=2 leaky=oldest", "", 1, { "ddd", "eee" } }, { "max-queue=2 leaky=newest", "", 1, { "aaa", "bbb" } },
  { "", "max-queue=2 leaky=oldest", 1, { "ddd", "eee" } }, { "", "max-queue=2 leaky=newest", 1, { "aaa", "bbb" } },
  { "", "max-queue=2 leaky=oldest", 3, { "ddd", "eee" } }, { "", "max-queue=2 leaky=newest", 3, { "aaa", "bbb" } },
};

/* Of five items that come to a queue for two: which two are left, and how many were dropped. */
static void
test_leaky (gconstpointer data)
{
  const Leaky *leaky = data;
  g_autofree char *text = g_strdup_printf (
    "leat 1\napp name=in spec=u8[4] %s -> upload -> readback -> app name=out %s\n", leaky->source, leaky->sink);
  static const char *const pushed[] = { "aaa", "bbb", "ccc", "ddd", "eee" };
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatSession) session = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  g_object_set (session, "lanes", leaky->lanes, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (pushed); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (pushed[i], 4);

      g_assert_true (leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "in", NULL)), bytes, &error));
    }
  leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "in", NULL)));
  g_assert_true (leat_session_run (session, NULL, &error));
  g_assert_cmpuint (session_fixture_get_number (session, "dropped"), ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GBytes) bytes =
        leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "out", NULL)), 0, NULL);

      g_assert_cmpstr (bytes != NULL ? g_bytes_get_data (bytes, NULL) : NULL, ==, i < 2 ? leaky->given[i] : NULL);
    }
}

static void
test_leaky_needs_a_limit (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (
    "leat 1\napp spec=u8[4] leaky=oldest -> upload -> readback -> app\n", LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_null (pipeline);
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING);
  g_assert_nonnull (strstr (error->message, "max-queue=8"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("LEAT_CPU_FAULT", "", TRUE);
  for (guint lanes = 1; lanes <= 5; lanes++)
    for (guint executor = LEAT_EXECUTOR_GRAPH; executor <= LEAT_EXECUTOR_EAGER; executor++)
      {
        g_autofree char *name =
          g_strdup_printf ("/session/lanes/order/%u-%s", lanes, executor == LEAT_EXECUTOR_EAGER ? "eager" : "graph");

        g_test_add_data_func (name, GUINT_TO_POINTER (lanes + 16 * executor), test_order);
      }
  for (guint lanes = 1; lanes <= 4; lanes++)
    for (guint at = 0; at <= N_RUNS - 1; at += at < 5 ? 1 : 9)
      for (guint sink = 0; sink < 2; sink++)
        {
          g_autofree char *name =
            g_strdup_printf ("/session/lanes/failure/%u-%s-%u", lanes, sink ? "sink" : "source", at);

          g_test_add_data_func (name, GUINT_TO_POINTER (lanes + 16 * sink + 32 * at), test_failure);
        }
  g_test_add_func ("/session/lanes/failure-wakes-source", test_failure_wakes_source);
  g_test_add_func ("/session/lanes/backpressure", test_backpressure);
  g_test_add_func ("/session/lanes/cancel", test_cancel);
  g_test_add_func ("/session/lanes/close", test_close);
  g_test_add_func ("/session/lanes/property", test_property);
  g_test_add_func ("/session/lanes/state", test_state);
  g_test_add_data_func ("/session/lanes/auto/waits", GINT_TO_POINTER (FALSE), test_auto);
  g_test_add_data_func ("/session/lanes/auto/works", GINT_TO_POINTER (TRUE), test_auto);
  g_test_add_func ("/session/lanes/auto/gives-up", test_auto_gives_up);
  g_test_add_func ("/session/lanes/auto/reserve", test_auto_reserve);
  g_test_add_data_func ("/session/lanes/one/lanes", "lanes", test_one_lane);
  g_test_add_data_func ("/session/lanes/one/repeat", "repeat", test_one_lane);
  g_test_add_func ("/session/lanes/auto/within-budget", test_auto_within_budget);
  for (guint i = 0; i < G_N_ELEMENTS (leakies); i++)
    {
      g_autofree char *name = g_strdup_printf ("/session/lanes/leaky/%u", i);

      g_test_add_data_func (name, &leakies[i], test_leaky);
    }
  g_test_add_func ("/session/lanes/leaky/needs-a-limit", test_leaky_needs_a_limit);
  g_test_add_func ("/session/lanes/call-fails", test_call_fails);
  g_test_add_func ("/session/lanes/variable", test_variable);
  g_test_add_func ("/session/lanes/three", test_three);
  g_test_add_func ("/session/lanes/overlap", test_overlap);
  return g_test_run ();
}
