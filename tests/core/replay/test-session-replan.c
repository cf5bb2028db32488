/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"
#include "tally-node.h"

#include "driver/leat-driver-private.h"

#include <glib/gstdio.h>
#include <pthread.h>

#define N 256
#define MAP                                                                                                            \
  "app name=source spec=f32[256] -> upload mode=copy -> map name=m expr=\"a*x+b\" a=2 b=1 "                            \
  "-> readback name=r mode=copy -> app name=sink\n"
#define KERNEL_TEXT                                                                                                    \
  "__global__ void twice (const float *x, uint64_t x_count, float *y)\n"                                               \
  "{\n  GRID_FOR (i, x_count)\n    y[i] = 2 * x[i];\n}\n"

static LeatNode *
get_node (SessionFixture *fixture, const char *name)
{
  g_autoptr (GError) error = NULL;
  LeatNode *node = leat_pipeline_get_node (fixture->pipeline, name, &error);

  g_assert_no_error (error);
  return node;
}

static void
set (SessionFixture *fixture, const char *node, const char *property, const char *text)
{
  g_autoptr (GError) error = NULL;

  leat_node_set_from_string (get_node (fixture, node), property, text, &error);
  g_assert_no_error (error);
}

static guint64
get_stat (SessionFixture *fixture, const char *name)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (fixture->session);
  g_autoptr (GVariant) value = g_variant_lookup_value (stats, name, NULL);

  g_assert_nonnull (value);
  return g_variant_is_of_type (value, G_VARIANT_TYPE_UINT32) ? g_variant_get_uint32 (value)
                                                             : g_variant_get_uint64 (value);
}

static char *
dup_reason (SessionFixture *fixture)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (fixture->session);
  char *reason = NULL;

  g_variant_lookup (stats, "last-reason", "s", &reason);
  return reason;
}

/* y = a*x + b for n items. */
static void
run_and_check (SessionFixture *fixture, guint n, float a, float b)
{
  g_autofree float *x = g_new (float, n);
  g_autoptr (GBytes) output = NULL;
  const float *y;
  gsize size;

  for (guint i = 0; i < n; i++)
    x[i] = (float) (i % 1021);
  output = session_fixture_run (fixture, x, n * sizeof *x);
  y = g_bytes_get_data (output, &size);
  g_assert_cmpuint (size, ==, n * sizeof *x);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (y[i], ==, a * x[i] + b);
}

static LeatDriver *
start_trace (SessionFixture *fixture)
{
  LeatDriver *driver = leat_device_get_driver (leat_session_get_device (fixture->session));
  g_autoptr (GError) error = NULL;

  leat_driver_trace_start (driver, FALSE, &error);
  g_assert_no_error (error);
  return driver;
}

#define COUNT(driver, entry) leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_##entry)

/* Launch geometry: the node of the graph is updated, nothing is built. */
static void
test_replan_updates_a_launch (gconstpointer executor)
{
  SessionFixture fixture;
  g_autofree char *folder = g_dir_make_tmp ("leat-replan-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "twice.cu", NULL);
  g_autofree char *text = g_strdup_printf ("app name=source spec=f32[256] -> upload mode=copy "
                                           "-> kernel name=k source=\"%s\" block=256 -> readback mode=copy "
                                           "-> app name=sink\n",
                                           file);
  gboolean graph = GPOINTER_TO_INT (executor) == LEAT_EXECUTOR_GRAPH;
  LeatDriver *driver;

  g_assert_true (g_file_set_contents (file, KERNEL_TEXT, -1, NULL));
  session_fixture_open (&fixture, text, GPOINTER_TO_INT (executor));
  run_and_check (&fixture, N, 2, 0);
  driver = start_trace (&fixture);
  set (&fixture, "k", "block", "64");
  run_and_check (&fixture, N, 2, 0);
  set (&fixture, "k", "block", "32");
  set (&fixture, "k", "grid", "3");
  set (&fixture, "k", "shared", "128");
  run_and_check (&fixture, N, 2, 0);
  run_and_check (&fixture, N, 2, 0);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (COUNT (driver, cuGraphExecKernelNodeSetParams), ==, graph ? 2 : 0);
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuGraphExecUpdate), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuModuleLoadData), ==, 0);
  g_assert_cmpuint (get_stat (&fixture, "updates"), ==, graph ? 2 : 0);
  g_assert_cmpuint (get_stat (&fixture, "replans"), ==, 2);
  g_assert_cmpuint (get_stat (&fixture, "instantiations"), ==, graph ? 1 : 0);
  session_fixture_close (&fixture);
  g_remove (file);
  g_remove (folder);
}

/* Another kernel over the same buffers: the executable takes the new graph. */
static void
test_replan_updates_the_graph (gconstpointer executor)
{
  SessionFixture fixture;
  gboolean graph = GPOINTER_TO_INT (executor) == LEAT_EXECUTOR_GRAPH;
  g_autoptr (LeatMessage) message = NULL;
  g_autofree char *reason = NULL;
  LeatDriver *driver;

  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  run_and_check (&fixture, N, 2, 1);
  driver = start_trace (&fixture);
  set (&fixture, "m", "expr", "3*x+a");
  run_and_check (&fixture, N, 3, 2);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (COUNT (driver, cuGraphExecUpdate), ==, graph ? 1 : 0);
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, 0);
  g_assert_cmpuint (get_stat (&fixture, "graph-updates"), ==, graph ? 1 : 0);
  reason = dup_reason (&fixture);
  g_assert_cmpstr (reason, ==, "map \"m\" has another kernel");
  message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0);
  g_assert_nonnull (message);
  g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_CHANGE);
  /* What was updated can be updated again: a node alone, and the whole. */
  set (&fixture, "m", "a", "7");
  run_and_check (&fixture, N, 3, 7);
  set (&fixture, "m", "expr", "a*x+5");
  run_and_check (&fixture, N, 7, 5);
  session_fixture_close (&fixture);
}

/* Other work: an executable of its own, and why. */
static void
test_replan_instantiates (void)
{
  SessionFixture fixture;
  g_autofree char *reason = NULL;
  LeatDriver *driver;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, N, 2, 1);
  driver = start_trace (&fixture);
  set (&fixture, "r", "mode", "mapped");
  run_and_check (&fixture, N, 2, 1);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, 1);
  reason = dup_reason (&fixture);
  g_assert_nonnull (strstr (reason, "has other work or other dependencies"));
  set (&fixture, "r", "mode", "copy");
  run_and_check (&fixture, N, 2, 1);
  session_fixture_close (&fixture);
}

static void
test_replan_finds_shapes_again (gconstpointer executor)
{
  SessionFixture fixture;
  gboolean graph = GPOINTER_TO_INT (executor) == LEAT_EXECUTOR_GRAPH;
  LeatDriver *driver;

  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  run_and_check (&fixture, 256, 2, 1);
  set (&fixture, "source", "spec", "f32[1000]");
  run_and_check (&fixture, 1000, 2, 1);
  g_assert_cmpuint (get_stat (&fixture, "instantiations"), ==, graph ? 2 : 0);
  g_assert_cmpuint (get_stat (&fixture, "shapes"), ==, 1);
  g_assert_cmpuint (get_stat (&fixture, "shape-bytes"), >=, 2 * 256 * sizeof (float));
  driver = start_trace (&fixture);
  for (guint round = 0; round < 3; round++)
    {
      set (&fixture, "source", "spec", "f32[256]");
      run_and_check (&fixture, 256, 2, 1);
      set (&fixture, "source", "spec", "f32[1000]");
      run_and_check (&fixture, 1000, 2, 1);
    }
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuGraphExecUpdate), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuGraphExecKernelNodeSetParams), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuMemAlloc), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuMemHostAlloc), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuModuleLoadData), ==, 0);
  g_assert_cmpuint (COUNT (driver, cuGraphLaunch), ==, graph ? 6 : 0);
  g_assert_cmpuint (get_stat (&fixture, "shape-hits"), ==, 6);
  /* An argument that was set while another shape ran is there on return. */
  set (&fixture, "m", "a", "4");
  run_and_check (&fixture, 1000, 4, 1);
  set (&fixture, "source", "spec", "f32[256]");
  run_and_check (&fixture, 256, 4, 1);
  session_fixture_close (&fixture);
}

/* With no room for what is not needed now, the executable itself takes the other shape. */
static void
test_replan_without_a_cache (void)
{
  SessionFixture fixture;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "cache-bytes", (guint64) 0, NULL);
  run_and_check (&fixture, 256, 2, 1);
  for (guint round = 1; round < 4; round++)
    {
      g_autofree char *spec = g_strdup_printf ("f32[%u]", 256 + 100 * round);

      set (&fixture, "source", "spec", spec);
      run_and_check (&fixture, 256 + 100 * round, 2, 1);
      g_assert_cmpuint (get_stat (&fixture, "instantiations"), ==, 1);
      g_assert_cmpuint (get_stat (&fixture, "graph-updates"), ==, round);
      g_assert_cmpuint (get_stat (&fixture, "shapes"), ==, 0);
    }
  session_fixture_close (&fixture);
}

/* What was not used for longest goes first. */
static void
test_replan_caps_the_cache (void)
{
  static const guint sizes[] = { 1000, 2000, 3000, 4000, 5000 };
  SessionFixture fixture;
  guint64 cap, hits;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, 256, 2, 1);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *spec = g_strdup_printf ("f32[%u]", sizes[i]);

      set (&fixture, "source", "spec", spec);
      run_and_check (&fixture, sizes[i], 2, 1);
    }
  g_assert_cmpuint (get_stat (&fixture, "shapes"), ==, 5);
  cap = get_stat (&fixture, "shape-bytes");
  g_object_set (fixture.session, "cache-bytes", cap, NULL);
  set (&fixture, "source", "spec", "f32[6000]");
  run_and_check (&fixture, 6000, 2, 1);
  g_assert_cmpuint (get_stat (&fixture, "shapes"), <=, 5);
  g_assert_cmpuint (get_stat (&fixture, "shape-bytes"), <=, cap);
  hits = get_stat (&fixture, "shape-hits");
  set (&fixture, "source", "spec", "f32[5000]");
  run_and_check (&fixture, 5000, 2, 1);
  g_assert_cmpuint (get_stat (&fixture, "shape-hits"), ==, hits + 1);
  set (&fixture, "source", "spec", "f32[256]");
  run_and_check (&fixture, 256, 2, 1);
  g_assert_cmpuint (get_stat (&fixture, "shape-hits"), ==, hits + 1);
  session_fixture_close (&fixture);
}

/* Neither memory nor modules nor executables pile up. */
static void
test_replan_does_not_grow (void)
{
  SessionFixture fixture;
  LeatMemoryCounts before, after;
  LeatDevice *device;
  LeatDriver *driver;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "cache-bytes", (guint64) 0, NULL);
  device = leat_session_get_device (fixture.session);
  run_and_check (&fixture, 256, 2, 1);
  leat_device_get_memory_counts (device, LEAT_MEMORY_DEVICE, &before);
  driver = start_trace (&fixture);
  for (guint round = 0; round < 20; round++)
    {
      set (&fixture, "source", "spec", "f32[700]");
      set (&fixture, "m", "expr", "a*x+b+b");
      run_and_check (&fixture, 700, 2, 2);
      set (&fixture, "source", "spec", "f32[256]");
      set (&fixture, "m", "expr", "a*x+b");
      run_and_check (&fixture, 256, 2, 1);
    }
  leat_driver_trace_stop (driver);
  leat_device_get_memory_counts (device, LEAT_MEMORY_DEVICE, &after);
  g_assert_cmpuint (after.live_bytes, ==, before.live_bytes);
  g_assert_cmpuint (after.live_count, ==, before.live_count);
  g_assert_cmpuint (COUNT (driver, cuGraphCreate), ==, COUNT (driver, cuGraphDestroy));
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, COUNT (driver, cuGraphExecDestroy));
  g_assert_cmpuint (COUNT (driver, cuModuleLoadData), ==, COUNT (driver, cuModuleUnload));
  session_fixture_close (&fixture);
}

static void
fail_run (SessionFixture *fixture, GQuark domain, int code)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (leat_session_replay (fixture->session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, domain, code);
}

/* The session, the properties and the arguments are what they were. */
static void
test_replan_refuses_and_goes_on (void)
{
  SessionFixture fixture;
  g_autofree char *expr = NULL;
  g_autofree char *spec = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, N, 2, 1);
  set (&fixture, "m", "expr", "c*x+");
  fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE);
  g_object_get (get_node (&fixture, "m"), "expr", &expr, NULL);
  g_assert_cmpstr (expr, ==, "a*x+b");
  run_and_check (&fixture, N, 2, 1);
  set (&fixture, "m", "expr", "a*x+c"); /* c has no value */
  fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING);
  run_and_check (&fixture, N, 2, 1);
  set (&fixture, "source", "spec", "f32[");
  fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
  g_object_get (fixture.source, "spec", &spec, NULL);
  g_assert_cmpstr (spec, ==, "f32[256]");
  run_and_check (&fixture, N, 2, 1);
  set (&fixture, "m", "inputs", "x,b"); /* a port without a link */
  fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNLINKED);
  run_and_check (&fixture, N, 2, 1);
  set (&fixture, "m", "inputs", "a"); /* takes the link away */
  fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  run_and_check (&fixture, N, 2, 1);
  set (&fixture, "source", "spec", "f32[100000000000]"); /* more than there is */
  fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  run_and_check (&fixture, N, 2, 1);
  g_assert_cmpuint (get_stat (&fixture, "instantiations"), ==, 1);
  session_fixture_close (&fixture);
}

/* Sources and sinks are in the middle of their streams. */
static void
test_replan_leaves_endpoints_alone (void)
{
  SessionFixture fixture;
  g_autofree char *folder = g_dir_make_tmp ("leat-replan-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "out.npy", NULL);
  g_autofree char *text = g_strdup_printf ("app name=source spec=f32[256] -> upload -> map name=m expr=\"2*x\" "
                                           "-> readback -> io:npy name=file path=\"%s\"\n"
                                           "m -> readback -> app name=sink\n",
                                           file);
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, N, 2, 0);
  g_assert_false (leat_node_set_from_string (get_node (&fixture, "file"), "path", "/nowhere/b.npy", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  g_clear_error (&error);
  g_assert_false (leat_node_set_from_string (get_node (&fixture, "source"), "max-queue", "3", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  set (&fixture, "source", "spec", "f32[300]");
  fail_run (&fixture, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  run_and_check (&fixture, N, 2, 0);
  set (&fixture, "m", "expr", "3*x");
  run_and_check (&fixture, N, 3, 0);
  session_fixture_close (&fixture);
  g_remove (file);
  g_remove (folder);
}

static void
open_tally (SessionFixture *fixture, const char *spec)
{
  g_autoptr (GError) error = NULL;

  fixture->pipeline = tally_node_make_pipeline (spec);
  fixture->session = leat_session_new (fixture->pipeline, NULL);
  g_object_set (fixture->session, "executor", LEAT_EXECUTOR_GRAPH, NULL);
  leat_session_open (fixture->session, NULL, &error);
  g_assert_no_error (error);
  fixture->source = LEAT_APP (get_node (fixture, "source"));
  fixture->sink = LEAT_APP (get_node (fixture, "sink"));
}

/* State goes on through every kind of change, constants are written again. */
static void
test_replan_keeps_state (void)
{
  SessionFixture fixture;
  LeatDriver *driver;

  open_tally (&fixture, "f32[64]");
  run_and_check (&fixture, 64, 1, 1);
  run_and_check (&fixture, 64, 1, 2);
  driver = start_trace (&fixture);
  set (&fixture, "tally", "step", "10"); /* a value */
  run_and_check (&fixture, 64, 1, 12);
  set (&fixture, "tally", "table", "1000"); /* a constant */
  run_and_check (&fixture, 64, 1, 1022);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (COUNT (driver, cuGraphExecKernelNodeSetParams), ==, 1);
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, 0);
  set (&fixture, "source", "spec", "f32[100]"); /* a shape */
  run_and_check (&fixture, 100, 1, 1032);
  set (&fixture, "tally", "table", "0");
  run_and_check (&fixture, 100, 1, 42);
  set (&fixture, "source", "spec", "f32[64]"); /* one that was there, with another constant */
  run_and_check (&fixture, 64, 1, 52);
  session_fixture_close (&fixture);
}

/* What the program filled in place stays where it is unless the shape is another. */
static void
test_replan_and_mapped_memory (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView in, again, out;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_map_output (fixture.session, "sink", &out, &error);
  leat_session_map_input (fixture.session, "source", &in, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N; i++)
    ((float *) in.data)[i] = (float) i;
  set (&fixture, "m", "expr", "x-a");
  leat_session_replay (fixture.session, FALSE, NULL, &error);
  g_assert_no_error (error);
  leat_session_map_output (fixture.session, "sink", &out, &error);
  g_assert_cmpfloat (((float *) out.data)[9], ==, 7);
  leat_session_replay (fixture.session, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (get_stat (&fixture, "runs-resident"), ==, 1);
  g_assert_cmpuint (get_stat (&fixture, "instantiations"), ==, 2);
  set (&fixture, "m", "expr", "x+a");
  leat_session_replay (fixture.session, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (((float *) out.data)[9], ==, 11);
  g_assert_cmpuint (get_stat (&fixture, "instantiations"), ==, 2); /* both paths were updated */
  g_assert_cmpuint (get_stat (&fixture, "graph-updates"), ==, 3);
  leat_session_map_input (fixture.session, "source", &again, &error);
  g_assert_true (again.data == in.data);
  set (&fixture, "source", "spec", "f32[<=512]");
  leat_session_replay (fixture.session, FALSE, NULL, &error);
  g_assert_no_error (error);
  leat_session_map_input (fixture.session, "source", &in, &error);
  g_assert_cmpuint (in.capacity, ==, 512 * sizeof (float));
  g_assert_cmpuint (in.count, ==, 0);
  for (guint i = 0; i < 300; i++)
    ((float *) in.data)[i] = (float) i;
  leat_session_set_input_count (fixture.session, "source", 300, &error);
  g_assert_no_error (error);
  leat_session_replay (fixture.session, FALSE, NULL, &error);
  g_assert_no_error (error);
  leat_session_map_output (fixture.session, "sink", &out, &error);
  g_assert_cmpuint (out.count, ==, 300);
  g_assert_cmpfloat (((float *) out.data)[299], ==, 301);
  session_fixture_close (&fixture);
}

/* A stream is told on the bus and goes on. */
static void
test_replan_in_a_stream (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  gboolean warned = FALSE;
  LeatMessage *message;
  const float x[N] = { 1, 2, 3 };
  const float *y;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  set (&fixture, "m", "expr", "((");
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (x, sizeof x);

      leat_app_push_bytes (fixture.source, bytes, &error);
      g_assert_no_error (error);
    }
  leat_app_end (fixture.source);
  g_assert_true (leat_session_run (fixture.session, NULL, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GBytes) bytes = leat_app_pull_bytes (fixture.sink, 0, &error);

      y = g_bytes_get_data (bytes, NULL);
      g_assert_cmpfloat (y[2], ==, 7);
    }
  while ((message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0)) != NULL)
    {
      warned |= leat_message_get_kind (message) == LEAT_MESSAGE_WARNING;
      leat_message_unref (message);
    }
  g_assert_true (warned);
  session_fixture_close (&fixture);
}

/* What no run has taken when the session closes is there when it opens again. */
static void
test_replan_after_close (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, N, 2, 1);
  set (&fixture, "m", "expr", "a*x-1");
  leat_session_close (fixture.session);
  g_assert_true (leat_session_open (fixture.session, NULL, &error));
  g_assert_no_error (error);
  run_and_check (&fixture, N, 2, -1);
  session_fixture_close (&fixture);
}

typedef struct
{
  SessionFixture *fixture;
  gint done;
} Turner;

static void *
turn_knobs (void *data)
{
  static const char *const exprs[] = { "a*x+b", "a*x+b+0", "(a*x)+b" };
  Turner *turner = data;

  for (guint i = 0; i < 60; i++)
    {
      g_autofree char *expr = NULL;
      g_autofree char *value = g_strdup_printf ("%u", i % 4);

      set (turner->fixture, "m", "expr", exprs[i % 3]);
      set (turner->fixture, "m", "a", value);
      g_object_get (get_node (turner->fixture, "m"), "expr", &expr, NULL);
      g_assert_cmpstr (expr, ==, exprs[i % 3]);
    }
  g_atomic_int_set (&turner->done, TRUE);
  return NULL;
}

static void
test_replan_from_another_thread (void)
{
  SessionFixture fixture;
  Turner turner = { &fixture, FALSE };
  pthread_t thread;
  float x[N];

  for (guint i = 0; i < N; i++)
    x[i] = 1;
  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  pthread_create (&thread, NULL, turn_knobs, &turner);
  while (!g_atomic_int_get (&turner.done))
    {
      g_autoptr (GBytes) output = session_fixture_run (&fixture, x, sizeof x);
      const float *y = g_bytes_get_data (output, NULL);

      g_assert_cmpfloat (y[0], >=, 1);
      g_assert_cmpfloat (y[0], <=, 4);
      for (guint i = 1; i < N; i++)
        g_assert_cmpfloat (y[i], ==, y[0]);
    }
  pthread_join (thread, NULL);
  run_and_check (&fixture, N, 3, 1);
  session_fixture_close (&fixture);
}

static void *
run_stream (void *fixture)
{
  g_autoptr (GError) error = NULL;

  leat_session_run (((SessionFixture *) fixture)->session, NULL, &error);
  g_assert_no_error (error);
  return NULL;
}

/* A stream in another thread gets its shape changed in the middle. */
static void
test_replan_of_a_running_stream (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  pthread_t thread;
  static const guint sizes[] = { 256, 1000, 256, 500, 1000 };

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  pthread_create (&thread, NULL, run_stream, &fixture);
  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      g_autofree char *spec = g_strdup_printf ("f32[%u]", sizes[k]);
      g_autofree float *x = g_new0 (float, sizes[k]);
      g_autoptr (GBytes) input = g_bytes_new (x, sizes[k] * sizeof *x);
      g_autoptr (GBytes) output = NULL;

      set (&fixture, "source", "spec", spec);
      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
      output = leat_app_pull_bytes (fixture.sink, 20 * G_USEC_PER_SEC, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (g_bytes_get_size (output), ==, sizes[k] * sizeof *x);
      g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[sizes[k] - 1], ==, 1);
    }
  leat_app_end (fixture.source);
  g_assert_null (leat_app_pull_bytes (fixture.sink, 20 * G_USEC_PER_SEC, &error));
  g_assert_no_error (error);
  pthread_join (thread, NULL);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  const gconstpointer graph = GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), eager = GINT_TO_POINTER (LEAT_EXECUTOR_EAGER);

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/replan/updates-a-launch/graph", graph, test_replan_updates_a_launch);
  g_test_add_data_func ("/leat/session/replan/updates-a-launch/eager", eager, test_replan_updates_a_launch);
  g_test_add_data_func ("/leat/session/replan/updates-the-graph/graph", graph, test_replan_updates_the_graph);
  g_test_add_data_func ("/leat/session/replan/updates-the-graph/eager", eager, test_replan_updates_the_graph);
  g_test_add_func ("/leat/session/replan/instantiates", test_replan_instantiates);
  g_test_add_data_func ("/leat/session/replan/finds-shapes-again/graph", graph, test_replan_finds_shapes_again);
  g_test_add_data_func ("/leat/session/replan/finds-shapes-again/eager", eager, test_replan_finds_shapes_again);
  g_test_add_func ("/leat/session/replan/without-a-cache", test_replan_without_a_cache);
  g_test_add_func ("/leat/session/replan/caps-the-cache", test_replan_caps_the_cache);
  g_test_add_func ("/leat/session/replan/does-not-grow", test_replan_does_not_grow);
  g_test_add_func ("/leat/session/replan/refuses-and-goes-on", test_replan_refuses_and_goes_on);
  g_test_add_func ("/leat/session/replan/leaves-endpoints-alone", test_replan_leaves_endpoints_alone);
  g_test_add_func ("/leat/session/replan/keeps-state", test_replan_keeps_state);
  g_test_add_func ("/leat/session/replan/mapped-memory", test_replan_and_mapped_memory);
  g_test_add_func ("/leat/session/replan/in-a-stream", test_replan_in_a_stream);
  g_test_add_func ("/leat/session/replan/after-close", test_replan_after_close);
  g_test_add_func ("/leat/session/replan/from-another-thread", test_replan_from_another_thread);
  g_test_add_func ("/leat/session/replan/of-a-running-stream", test_replan_of_a_running_stream);
  return g_test_run ();
}
