/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timing-fixture.h"

#include "lane/leat-lane-timing-private.h"

#include <glib/gstdio.h>

#define CHAIN                                                                                                          \
  "app name=source spec=f32[1000] -> upload name=up mode=copy -> map name=twice expr=2*x -> map name=more expr=x+1 "   \
  "-> readback name=back mode=copy -> app name=sink\n"
#define OPEN_CHAIN                                                                                                     \
  "app name=source spec=f32[1000] -> upload name=up mode=copy -> map name=twice expr=2*x -> map name=more expr=x+1 "   \
  "-> discard\n"
#define N 1000

static void
run_chain (SessionFixture *fixture, guint runs)
{
  for (guint run = 0; run < runs; run++)
    {
      g_autoptr (GBytes) output = NULL;
      float x[N];

      for (guint i = 0; i < N; i++)
        x[i] = (float) (i + run);
      output = session_fixture_run (fixture, x, sizeof x);
      for (guint i = 0; i < N; i++)
        g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[i], ==, 2 * x[i] + 1);
    }
}

/* Whatever comes of it. */
static void
run_blindly (SessionFixture *fixture)
{
  const float x[N] = { 0 };
  g_autoptr (GBytes) input = g_bytes_new (x, sizeof x);
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_app_push_bytes (fixture->source, input, NULL));
  leat_session_replay (fixture->session, FALSE, NULL, &error);
  g_assert_no_error (error);
}

/* Every op is told of, in the order of the plan, each within the run and after what it waits for. */
static void
test_timing_tells_nodes (gconstpointer executor)
{
  static const char *const names[] = { "up", "twice", "more", "back" };
  SessionFixture fixture;
  g_autoptr (GVariant) times = NULL, nodes = NULL;
  double end = 0;

  timing_fixture_open (&fixture, CHAIN, GPOINTER_TO_INT (executor), LEAT_TIMING_NODES);
  run_chain (&fixture, 8);
  times = leat_session_dup_times (fixture.session);
  nodes = g_variant_lookup_value (times, "nodes", G_VARIANT_TYPE ("aa{sv}"));
  g_assert_cmpuint (timing_get_count (times, "samples"), ==, 8);
  g_assert_cmpuint (g_variant_n_children (nodes), ==, G_N_ELEMENTS (names));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GVariant) node = g_variant_get_child_value (nodes, i);
      const char *name = NULL;

      g_assert_true (g_variant_lookup (node, "node", "&s", &name));
      g_assert_cmpstr (name, ==, names[i]);
      g_assert_cmpuint (timing_get_count (node, "bytes"), ==, i == 0 || i == 3 ? 4 * N : 8 * N);
      g_assert_cmpfloat (timing_get_time (node, "least-us"), <=, timing_get_time (node, "mean-us"));
      g_assert_cmpfloat (timing_get_time (node, "mean-us"), <=, timing_get_time (node, "most-us"));
      g_assert_cmpfloat (timing_get_time (node, "begin-us"), >=, end - TIMING_SLACK_US);
      g_assert_cmpfloat (timing_get_time (node, "end-us"), >=, timing_get_time (node, "begin-us"));
      end = timing_get_time (node, "end-us");
    }
  session_fixture_close (&fixture);
}

/* The first op and the last are told of where they are work of the device, too: nothing comes from a source here, nor
 * goes to a sink. */
static void
test_timing_tells_nodes_without_ends (gconstpointer executor)
{
  static const char *const names[] = { "more", "twice", "kept" }, *const ops[] = { "map", "map", "copy" };
  SessionFixture fixture;
  g_autoptr (GVariant) times = NULL, nodes = NULL;

  timing_fixture_open (
    &fixture, "kept = state spec=f32[1000]\nkept -> map name=more expr=x+1 -> map name=twice expr=2*x -> kept\n",
    GPOINTER_TO_INT (executor), LEAT_TIMING_NODES);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, NULL), ==, LEAT_FLOW_DATA);
  times = leat_session_dup_times (fixture.session);
  nodes = g_variant_lookup_value (times, "nodes", G_VARIANT_TYPE ("aa{sv}"));
  g_assert_cmpuint (g_variant_n_children (nodes), ==, G_N_ELEMENTS (names));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GVariant) node = g_variant_get_child_value (nodes, i);
      const char *name = NULL, *op = NULL;

      g_assert_true (g_variant_lookup (node, "node", "&s", &name));
      g_assert_true (g_variant_lookup (node, "op", "&s", &op));
      g_assert_cmpstr (name, ==, names[i]);
      g_assert_cmpstr (op, ==, ops[i]);
    }
  session_fixture_close (&fixture);
}

/* Launch and wait are all of the wall time; the work of the device is within it. */
static void
test_timing_parts_add_up (void)
{
  SessionFixture fixture;
  g_autoptr (GVariant) times = NULL;
  double wall, work;

  timing_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES);
  run_chain (&fixture, 20);
  times = leat_session_dup_times (fixture.session);
  wall = timing_get_time (times, "wall-us");
  work = timing_get_time (times, "work-us");
  g_assert_cmpfloat (work, >, 0);
  g_assert_cmpfloat (work, <=, wall + TIMING_SLACK_US);
  g_assert_cmpfloat_with_epsilon (timing_get_time (times, "launch-us") + timing_get_time (times, "wait-us"), wall,
                                  0.01);
  g_assert_cmpfloat_with_epsilon (timing_get_time (times, "queue-us"), wall - work, 0.01);
  session_fixture_close (&fixture);
}

/* After the first runs only one of many is measured, and the fewer the more that costs; results are right in all. */
static void
test_timing_samples (void)
{
  SessionFixture fixture;
  g_autoptr (GVariant) times = NULL, stats = NULL;

  timing_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES);
  run_chain (&fixture, 64 + 320);
  times = leat_session_dup_times (fixture.session);
  stats = leat_session_dup_stats (fixture.session);
  g_assert_cmpuint (timing_get_count (times, "samples"), >, 64);
  g_assert_cmpuint (timing_get_count (times, "samples"), <=, 64 + 10);
  g_assert_cmpuint (timing_get_count (stats, "runs-measured"), ==, timing_get_count (times, "samples"));
  g_assert_cmpuint (timing_get_count (stats, "runs-full"), ==, 64 + 320);
  /* What measuring costs is known from both. */
  g_assert_cmpint (fixture.session->told.measuring.measured_us, <, G_MAXINT64);
  g_assert_cmpint (fixture.session->told.measuring.unmeasured_us, <, G_MAXINT64);
  session_fixture_close (&fixture);
}

static void
test_timing_follows_arguments (void)
{
  SessionFixture fixture;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) error = NULL;
  float x[N] = { 3 };

  timing_fixture_open (&fixture,
                       "app name=source spec=f32[1000] -> upload -> map name=m expr=a*x a=2 -> readback -> app "
                       "name=sink\n",
                       LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES);
  for (guint i = 2; i < 6; i++)
    {
      g_autoptr (GBytes) scaled = NULL;

      leat_node_set_arg (leat_pipeline_get_node (fixture.pipeline, "m", NULL), "a",
                         g_variant_new_double (i % 2 ? 5 : 7), &error);
      g_assert_no_error (error);
      scaled = session_fixture_run (&fixture, x, sizeof x);
      g_assert_cmpfloat (*(const float *) g_bytes_get_data (scaled, NULL), ==, i % 2 ? 15 : 21);
    }
  session_fixture_close (&fixture);
}

static void
run_chain_of (SessionFixture *fixture, guint n)
{
  g_autofree char *spec = g_strdup_printf ("f32[%u]", n);
  g_autofree float *x = g_new0 (float, n);
  g_autoptr (GError) error = NULL;

  leat_node_set_from_string (leat_pipeline_get_node (fixture->pipeline, "source", NULL), "spec", spec, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 3; run++)
    {
      g_autoptr (GBytes) output = NULL;

      x[n - 1] = (float) run;
      output = session_fixture_run (fixture, x, n * sizeof *x);
      g_assert_cmpuint (g_bytes_get_size (output), ==, n * sizeof *x);
      g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[n - 1], ==, 2 * x[n - 1] + 1);
    }
}

/* With another shape there are other times; so there are where the executable of the former one was updated. */
static void
test_timing_follows_shapes (gconstpointer data)
{
  static const guint sizes[] = { N, 500, 3000, N, 500 };
  gboolean cached = GPOINTER_TO_INT (data) % 2;
  SessionFixture fixture;
  guint64 items = 0;

  timing_fixture_open (&fixture, CHAIN, GPOINTER_TO_INT (data) / 2, LEAT_TIMING_NODES);
  if (!cached)
    g_object_set (fixture.session, "cache-bytes", (guint64) 0, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (GVariant) times = NULL, nodes = NULL, up = NULL, stats = NULL;
      g_autofree char *dot = NULL;

      run_chain_of (&fixture, sizes[i]);
      items += 3 * sizes[i];
      times = leat_session_dup_times (fixture.session);
      nodes = g_variant_lookup_value (times, "nodes", G_VARIANT_TYPE ("aa{sv}"));
      up = g_variant_get_child_value (nodes, 0);
      stats = leat_session_dup_stats (fixture.session);
      dot = leat_session_to_dot (fixture.session);
      g_assert_cmpuint (g_variant_n_children (nodes), ==, 4);
      g_assert_cmpuint (timing_get_count (times, "samples"), ==, 3);
      g_assert_cmpuint (timing_get_count (up, "bytes"), ==, 4 * sizes[i]);
      g_assert_cmpuint (timing_get_count (stats, "bytes-up"), ==, 4 * items);
      g_assert_cmpuint (timing_get_count (stats, "bytes-back"), ==, 4 * items);
      g_assert_cmpuint (timing_get_count (stats, "shape-hits"), ==, cached && i >= 3 ? i - 2 : 0);
      g_assert_nonnull (strstr (dot, " us, "));
    }
  session_fixture_close (&fixture);
}

/* Measured runs do what was set, and the times are those of the last kernel only. */
static void
test_timing_follows_kernels (void)
{
  SessionFixture fixture;
  g_autoptr (GVariant) times = NULL, stats = NULL;
  g_autoptr (GError) error = NULL;
  float x[N] = { 4 };

  timing_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES);
  run_chain (&fixture, 2);
  for (guint i = 3; i < 6; i++)
    {
      g_autofree char *text = g_strdup_printf ("%u*x", i);
      g_autoptr (GBytes) output = NULL;

      leat_node_set_from_string (leat_pipeline_get_node (fixture.pipeline, "twice", NULL), "expr", text, &error);
      g_assert_no_error (error);
      output = session_fixture_run (&fixture, x, sizeof x);
      g_assert_cmpfloat (*(const float *) g_bytes_get_data (output, NULL), ==, 4 * i + 1);
    }
  times = leat_session_dup_times (fixture.session);
  stats = leat_session_dup_stats (fixture.session);
  g_assert_cmpuint (timing_get_count (times, "samples"), ==, 1);
  g_assert_cmpuint (timing_get_count (stats, "replans"), ==, 3);
  session_fixture_close (&fixture);
}

/* With the clock around it a kernel may not fit with another block: the next measured run has events for it. */
static void
test_timing_follows_blocks (void)
{
  SessionFixture fixture;
  g_autofree char *folder = g_dir_make_tmp ("leat-timing-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "chain.cu", NULL);
  g_autofree char *text =
    g_strdup_printf ("app name=source spec=f32[1000] -> upload mode=copy -> kernel name=k source=\"%s\" block=256 "
                     "-> readback mode=copy -> app name=sink\n",
                     file);
  g_autoptr (GVariant) times = NULL;
  g_autoptr (GError) error = NULL;
  LeatLane *lane;

  g_assert_true (g_file_set_contents (file,
                                      "__global__ void chain (const float *x, uint64_t x_count, float *y)\n"
                                      "{\n  GRID_FOR (i, x_count)\n    y[i] = 2 * x[i] + 1;\n}\n",
                                      -1, NULL));
  timing_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES);
  lane = g_ptr_array_index (fixture.session->lanes, 0);
  if (leat_device_is_cpu (lane->program->device))
    {
      run_chain (&fixture, 1);
      lane->program->timed = g_memdup2 (lane->program->functions, (lane->plan->ops->len + 1) * sizeof (gpointer));
    }
  leat_node_set_from_string (leat_pipeline_get_node (fixture.pipeline, "k", NULL), "block", "64", &error);
  g_assert_no_error (error);
  run_chain (&fixture, 3);
  g_assert_true (g_ptr_array_index (fixture.session->lanes, 0) == lane);
  times = leat_session_dup_times (fixture.session);
  g_assert_cmpuint (timing_get_count (times, "samples"), ==, 3);
  session_fixture_close (&fixture);
  g_remove (file);
  g_remove (folder);
}

/* Ops 2 and 3 are kernels, which tell by a clock of theirs what was measured with events. (transfer full) */
static gpointer
let_kernels_tell (LeatTiming *timing, gint64 apart)
{
  LeatProgram *program = timing->lane->program;
  const guint n_ops = program->plan->ops->len;
  const LeatOpTime *times = timing->times;
  gpointer told = g_malloc0_n (n_ops + 1, sizeof *timing->told);
  g_autoptr (GError) error = NULL;

  timing->told = told;
  program->timed = g_new0 (const LeatFunction *, n_ops + 1);
  for (guint i = 2; i <= 3; i++)
    {
      program->timed[i] = program->functions[i];
      g_assert_nonnull (program->timed[i]);
      timing->told[i][0] = times[i].begin_ns + apart;
      timing->told[i][1] = times[i].end_ns + apart;
    }
  timing->clocks =
    leat_memory_new (program->device, LEAT_MEMORY_DEVICE, (n_ops + 1) * sizeof *timing->told, "x", &error);
  g_assert_no_error (error);
  g_assert_true (leat_memory_write (timing->clocks, 0, timing->told, (n_ops + 1) * sizeof *timing->told, &error));
  return told;
}

/* Kernels that tell their times do so by a clock of their own: what was measured with events, told again by one that
 * counts from elsewhere, must fit in between the copies as before.  Without a copy behind them it is the run that they
 * must fit in. */
static void
test_timing_brings_clocks_together (gconstpointer data)
{
  const gint64 apart = GPOINTER_TO_INT (data) * G_GINT64_CONSTANT (1000000007);
  static const char *const texts[] = { CHAIN, OPEN_CHAIN };

  for (guint t = 0; t < G_N_ELEMENTS (texts); t++)
    {
      SessionFixture fixture;
      g_autoptr (GError) error = NULL;
      LeatTiming *timing;
      LeatOpTime *times;
      g_autofree gpointer told = NULL;

      timing_fixture_open (&fixture, texts[t], LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES);
      timing = ((LeatLane *) g_ptr_array_index (fixture.session->lanes, 0))->timing;
      if (!leat_device_is_cpu (timing->lane->program->device))
        {
          g_test_skip ("a GPU's kernels tell their times themselves");
          session_fixture_close (&fixture);
          return;
        }
      run_blindly (&fixture);
      times = timing->times;
      told = let_kernels_tell (timing, apart);
      leat_timing_read (timing, &error);
      g_assert_no_error (error);
      for (guint i = 2; i <= (t == 0 ? 4 : 3); i++)
        g_assert_cmpint (times[i].begin_ns, >=, times[i - 1].end_ns);
      g_assert_cmpint (times[3].end_ns, <=, timing->span_ns);
      for (guint i = 2; i <= 3; i++)
        g_assert_cmpuint (times[i].end_ns - times[i].begin_ns, ==, timing->told[i][1] - timing->told[i][0]);
      session_fixture_close (&fixture);
    }
}

/* The first run may find another way for the data than the session was opened with; what is told is what is done.
 * Nobody has measured this size before. */
static void
test_timing_follows_calibration (void)
{
  SessionFixture fixture;
  guint n = (guint) g_test_rand_int_range (1000, 1000000);
  g_autofree char *text = g_strdup_printf (
    "app name=source spec=f32[<=%u] -> upload -> map name=m expr=2*x -> readback -> app name=sink\n", n);
  g_autoptr (GVariant) times = NULL, nodes = NULL;
  double all = 0;

  timing_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES);
  for (guint run = 0; run < 5; run++)
    {
      float x[N] = { (float) run };
      g_autoptr (GBytes) output = session_fixture_run (&fixture, x, sizeof x);

      g_assert_cmpuint (g_bytes_get_size (output), ==, sizeof x);
      g_assert_cmpfloat (*(const float *) g_bytes_get_data (output, NULL), ==, 2.0f * run);
    }
  times = leat_session_dup_times (fixture.session);
  nodes = g_variant_lookup_value (times, "nodes", G_VARIANT_TYPE ("aa{sv}"));
  g_assert_cmpuint (timing_get_count (times, "samples"), ==, 5);
  for (guint i = 0; i < g_variant_n_children (nodes); i++)
    {
      g_autoptr (GVariant) node = g_variant_get_child_value (nodes, i);

      g_assert_cmpfloat (timing_get_time (node, "mean-us"), >=, 0);
      all += timing_get_time (node, "mean-us");
    }
  g_assert_cmpfloat (all, >, 0);
  g_assert_cmpfloat (all, <=, timing_get_time (times, "work-us") + TIMING_SLACK_US);
  session_fixture_close (&fixture);
}

/* A session that does not measure has no graph for it, no event, and launches no more. */
static void
test_timing_off_is_nothing (void)
{
  SessionFixture fixture;
  g_autoptr (GVariant) times = NULL;
  LeatLane *lane;

  timing_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH, LEAT_TIMING_OFF);
  run_chain (&fixture, 3);
  lane = g_ptr_array_index (fixture.session->lanes, 0);
  g_assert_null (lane->timing);
  g_assert_null (lane->executables[LEAT_PATH_TIMED].graph);
  times = leat_session_dup_times (fixture.session);
  g_assert_cmpuint (timing_get_count (times, "samples"), ==, 0);
  session_fixture_close (&fixture);
}

static void
test_timing_draws (void)
{
  SessionFixture fixture;
  g_autofree char *before = NULL, *after = NULL, *closed = NULL;

  timing_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES);
  before = leat_session_to_dot (fixture.session);
  g_assert_null (strstr (before, " us, "));
  run_chain (&fixture, 2);
  after = leat_session_to_dot (fixture.session);
  g_assert_true (
    g_regex_match_simple ("label=\"twice\\\\n[a-z_0-9]+\\\\n[0-9]+\\.[0-9]{2} us, [0-9.]+ [KM]?i?B\"", after, 0, 0));
  g_assert_nonnull (strstr (after, "label=\"source\\nsource\", shape"));
  leat_session_close (fixture.session);
  closed = leat_session_to_dot (fixture.session);
  g_assert_null (closed);
  session_fixture_close (&fixture);
}

/* What was measured outlives the session's being open, and begins anew with the next. */
static void
test_timing_is_kept (void)
{
  SessionFixture fixture;
  g_autoptr (GVariant) closed = NULL, opened = NULL;
  g_autoptr (GError) error = NULL;

  timing_fixture_open (&fixture, CHAIN, LEAT_EXECUTOR_GRAPH, LEAT_TIMING_NODES);
  run_chain (&fixture, 2);
  leat_session_close (fixture.session);
  closed = leat_session_dup_times (fixture.session);
  g_assert_cmpuint (timing_get_count (closed, "samples"), ==, 2);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  opened = leat_session_dup_times (fixture.session);
  g_assert_cmpuint (timing_get_count (opened, "samples"), ==, 0);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/timing/tells-nodes/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_timing_tells_nodes);
  g_test_add_data_func ("/leat/session/timing/tells-nodes/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_timing_tells_nodes);
  g_test_add_data_func ("/leat/session/timing/tells-nodes-without-ends/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_timing_tells_nodes_without_ends);
  g_test_add_data_func ("/leat/session/timing/tells-nodes-without-ends/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_timing_tells_nodes_without_ends);
  g_test_add_func ("/leat/session/timing/parts-add-up", test_timing_parts_add_up);
  g_test_add_func ("/leat/session/timing/samples", test_timing_samples);
  g_test_add_func ("/leat/session/timing/follows-arguments", test_timing_follows_arguments);
  g_test_add_data_func ("/leat/session/timing/brings-clocks-together/behind", GINT_TO_POINTER (-3),
                        test_timing_brings_clocks_together);
  g_test_add_data_func ("/leat/session/timing/brings-clocks-together/ahead", GINT_TO_POINTER (2000000000),
                        test_timing_brings_clocks_together);
  g_test_add_data_func ("/leat/session/timing/follows-shapes/graph", GINT_TO_POINTER (2 * LEAT_EXECUTOR_GRAPH),
                        test_timing_follows_shapes);
  g_test_add_data_func ("/leat/session/timing/follows-shapes/graph-cached",
                        GINT_TO_POINTER (2 * LEAT_EXECUTOR_GRAPH + 1), test_timing_follows_shapes);
  g_test_add_data_func ("/leat/session/timing/follows-shapes/eager-cached",
                        GINT_TO_POINTER (2 * LEAT_EXECUTOR_EAGER + 1), test_timing_follows_shapes);
  g_test_add_func ("/leat/session/timing/follows-kernels", test_timing_follows_kernels);
  g_test_add_func ("/leat/session/timing/follows-blocks", test_timing_follows_blocks);
  g_test_add_func ("/leat/session/timing/follows-calibration", test_timing_follows_calibration);
  g_test_add_func ("/leat/session/timing/off-is-nothing", test_timing_off_is_nothing);
  g_test_add_func ("/leat/session/timing/draws", test_timing_draws);
  g_test_add_func ("/leat/session/timing/is-kept", test_timing_is_kept);
  return g_test_run ();
}
