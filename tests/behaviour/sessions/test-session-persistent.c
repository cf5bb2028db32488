/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "persistent-fixture.h"

#include "device/leat-device-private.h"
#include "bind/leat-bound-plan-private.h"

#include <glib/gstdio.h>

/* A persistent kernel on the device against the same pipeline run in launches. */

#ifdef __SANITIZE_THREAD__
#define THOUSANDS 200
#define SOME      3
#else
#define THOUSANDS 3000
#define SOME      20
#endif

static const char pair_text[] =
  "m = kernel source=\"%s\" entry=pair grid=1 block=64 x=f32[1024] w=f32[1024] y=f32[1024] z=f32[1024]\n"
  "app name=source spec=f32[1024] -> upload -> m.x\napp name=second spec=f32[1024] -> upload -> m.w\n"
  "m.y -> readback -> app name=sink\nm.z -> readback -> app name=other\n";
static const char meet_text[] =
  "a = kernel source=\"%s\" entry=meet grid=4 block=256 cooperative=true x=f32[1024] y=f32[1024]\n" PERSISTENT_CHAIN
  "a -> readback -> app name=sink\n";
static const char vast_text[] =
  "a = kernel source=\"%s\" entry=scale grid=2147483647x2 block=64 x=f32[1024] y=f32[1024] "
  "by=2\n" PERSISTENT_CHAIN "a -> readback -> app name=sink\n";
static const char sizes_text[] =
  PERSISTENT_KERNEL ("a", "scale", " by=2") "b = kernel source=\"%s\" entry=near block=128\n" PERSISTENT_CHAIN
                                            "a -> b -> readback -> app name=sink\n";
static const char jump_text[] = PERSISTENT_KERNEL ("a", "jump", "") PERSISTENT_CHAIN "a -> readback -> app name=sink\n";
static const char power_text[] =
  PERSISTENT_KERNEL ("a", "power", "") PERSISTENT_CHAIN "a -> readback -> app name=sink\n";
static const char power_by_all_text[] =
  PERSISTENT_KERNEL ("a", "power_by_all", "") PERSISTENT_CHAIN "a -> readback -> app name=sink\n";

static const char moved_text[] =
  "m = kernel source=\"%s\" entry=pair grid=1 block=64 x=f32[1024] w=f32[1024] y=f32[1024] z=f32[1024]\n"
  "app name=source spec=f32[1024] -> upload mode=kernel -> m.x\n"
  "app name=second spec=f32[1024] -> upload mode=kernel -> m.w\n"
  "m.y -> readback mode=kernel -> app name=sink\nm.z -> readback mode=kernel -> app name=other\n";

/* Kernels of several files, made one by a node. */
static const char mega_text[] = "m = megakernel {\n in.x -> map expr=\"3*x+1\" -> map expr=\"x*x\" -> out.y\n}\n"
                                "app name=source spec=f32[1024] -> upload -> m.x\nm.y -> readback -> app name=sink\n";
/* Its blocks wait for those beside them: with so much of a block to either side none does again what others do. */
static const char near_text[] =
  "m = megakernel {\n a = kernel source=\"%s\" entry=near block=64 access=stencil:40\n"
  " b = kernel source=\"%s\" entry=near block=64 access=stencil:40\n"
  " c = kernel source=\"%s\" entry=near block=64 access=stencil:40\n in.x -> a -> b -> c -> out.y\n}\n"
  "app name=source spec=f32[1024] -> upload -> m.x\nm.y -> readback -> app name=sink\n";

static void
check_equal (const char *text, gboolean wide)
{
  SessionFixture persistent, graph;

  if (wide)
    persistent_open_wide (&persistent, text, 0);
  else
    persistent_open (&persistent, text, LEAT_EXECUTOR_PERSISTENT, 0, 0);
  persistent_open (&graph, text, LEAT_EXECUTOR_GRAPH, 0, 0);
  for (guint run = 0; run < SOME; run++)
    persistent_run_both (&persistent, &graph, run);
  g_assert_cmpuint (persistent_get_counter (&persistent, "persistent-runs"), ==, SOME);
  g_assert_cmpuint (persistent_get_counter (&persistent, "persistent-launches"), >=, 1);
  session_fixture_close (&graph);
  session_fixture_close (&persistent);
}

static guint
count_waits (LeatSession *session)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (session);
  guint n = 0;

  for (guint i = 0; i < plan->ops->len; i++)
    if (leat_plan_get_op (plan, i)->fusion != NULL)
      n += leat_plan_get_op (plan, i)->fusion->n_waits;
  return n;
}

static void
test_persistent_waits_for_neighbours (void)
{
  SessionFixture fixture;

  persistent_open_wide (&fixture, near_text, 0);
  g_assert_cmpuint (count_waits (fixture.session), ==, 2);
  session_fixture_close (&fixture);
}

static void
test_persistent_equals_graph (gconstpointer text)
{
  check_equal (text, FALSE);
}

static void
test_persistent_equals_graph_in_blocks (gconstpointer text)
{
  check_equal (text, TRUE);
}

static void
test_persistent_runs_thousands (gconstpointer text)
{
  const guint runs = THOUSANDS;
  SessionFixture fixture;

  persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 5000, 0);
  for (guint run = 0; run < runs; run++)
    persistent_check_scaled (&fixture, run);
  g_assert_cmpuint (persistent_get_counter (&fixture, "persistent-runs"), ==, runs);
  session_fixture_close (&fixture);
}

static guint64
look_up (GVariant *counts, const char *name)
{
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (counts, name, "t", &value));
  return value;
}

/* What the plan says a run costs is what the driver sees of it: nothing, while the kernel is there. */
static void
test_persistent_calls_nobody (void)
{
  SessionFixture fixture;
  g_autoptr (LeatPlan) plan = NULL;
  g_autoptr (GVariant) counts = NULL, predicted = NULL;
  g_autofree char *said = NULL;
  g_autoptr (GError) error = NULL;
  static const char *const same[] = { "kernels", "copies", "fills", "graph-launches" };

  persistent_open (&fixture, PERSISTENT_COPIES, LEAT_EXECUTOR_PERSISTENT, 60000, 0);
  persistent_run_both (&fixture, &fixture, 1);
  leat_session_start_counting (fixture.session, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 50; run++)
    persistent_run_both (&fixture, &fixture, run);
  counts = leat_session_stop_counting (fixture.session, &error);
  g_assert_no_error (error);
  plan = leat_session_dup_plan (fixture.session);
  predicted = leat_plan_dup_prediction (plan);
  said = g_variant_print (counts, FALSE);
  g_test_message ("counted, of 50 runs each twice: %s", said);
  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    {
      g_assert_cmpuint (look_up (counts, same[i]), ==, 0);
      g_assert_cmpuint (look_up (predicted, same[i]), ==, 0);
    }
  /* Where a loaded machine makes a run take long, the driver is asked whether it still goes on. */
  g_assert_cmpuint (look_up (counts, "calls"), <, 10);
  g_clear_object (&plan);
  session_fixture_close (&fixture);
}

/* Several at once, which leave when another one opens and come back. */
static void
test_persistent_several (gconstpointer text)
{
  enum
  {
    SESSIONS = 4
  };
  SessionFixture fixtures[SESSIONS];

  for (guint i = 0; i < SESSIONS; i++)
    persistent_open (&fixtures[i], text, LEAT_EXECUTOR_PERSISTENT, 200, 0);
  for (guint run = 0; run < SOME; run++)
    for (guint i = 0; i < SESSIONS; i++)
      persistent_check_scaled (&fixtures[i], run + 100 * i);
  for (guint i = 0; i < SESSIONS; i++)
    {
      g_assert_cmpuint (persistent_get_counter (&fixtures[i], "persistent-runs"), ==, SOME);
      session_fixture_close (&fixtures[i]);
    }
}

/* Of 132 multiprocessors: quarters up to the half, then one; what is asked for while there are as many. */
static void
test_persistent_shares (void)
{
  static const guint cases[][3] = { { 0, 0, 33 },    { 33, 0, 33 },   { 50, 0, 16 },   { 66, 0, 1 },  { 132, 0, 1 },
                                    { 0, 132, 132 }, { 0, 500, 132 }, { 100, 40, 32 }, { 132, 40, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpuint (leat_device_share_multiprocessors (132, cases[i][0], cases[i][1]), ==, cases[i][2]);
  g_assert_cmpuint (leat_device_share_multiprocessors (1, 0, 0), ==, 1);
}

/* Arguments are given to the kernel when they change. */
static void
test_persistent_takes_arguments (gconstpointer text)
{
  SessionFixture fixture;
  float x[PERSISTENT_N];

  persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 5000, 0);
  persistent_fill (x, 1);
  for (guint by = 2; by < 8; by++)
    {
      g_autoptr (GBytes) output = NULL;
      g_autoptr (GError) error = NULL;

      leat_node_set_arg (leat_pipeline_get_node (fixture.pipeline, "a", NULL), "by", g_variant_new_double (by), &error);
      g_assert_no_error (error);
      output = session_fixture_run (&fixture, x, sizeof x);
      g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[3], ==, by * x[3] + 1);
    }
  session_fixture_close (&fixture);
}

/* Many runs under way, each in a lane of its own. */
static void
test_persistent_streams (gconstpointer text)
{
  enum
  {
    RUNS = 200
  };
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  fixture.pipeline = persistent_parse (text);
  fixture.session = leat_session_new (fixture.pipeline, NULL);
  g_object_set (fixture.session, "executor", LEAT_EXECUTOR_PERSISTENT, "lanes", 4, "persistent-limit-ms",
                PERSISTENT_PATIENT_MS, NULL);
  fixture.source = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "source", NULL));
  fixture.sink = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "sink", NULL));
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < RUNS; run++)
    {
      float x[PERSISTENT_N];
      g_autoptr (GBytes) input = NULL;

      persistent_fill (x, run);
      input = g_bytes_new (x, sizeof x);
      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
    }
  leat_app_end (fixture.source);
  leat_session_run (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < RUNS; run++)
    {
      float x[PERSISTENT_N];
      g_autoptr (GBytes) output = leat_app_pull_bytes (fixture.sink, 0, &error);

      g_assert_no_error (error);
      persistent_fill (x, run);
      g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[17], ==, 2 * x[17] + 1);
    }
  g_assert_cmpuint (persistent_get_counter (&fixture, "persistent-runs"), ==, RUNS);
  session_fixture_close (&fixture);
}

static void
push (SessionFixture *self, const char *name, const float *x)
{
  g_autoptr (GBytes) bytes = g_bytes_new (x, PERSISTENT_N * sizeof *x);
  g_autoptr (GError) error = NULL;

  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL)), bytes, &error);
  g_assert_no_error (error);
}

static GBytes *
pull (SessionFixture *self, const char *name)
{
  g_autoptr (GError) error = NULL;
  GBytes *bytes = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL)), 0, &error);

  g_assert_no_error (error);
  return bytes;
}

/* Several inputs and outputs; the kernel goes away and comes back.  Small transfers go together where they are
 * launched; here each is a stage, and what it did not move would be another run's. */
static void
test_persistent_several_ports (gconstpointer text)
{
  SessionFixture fixture;

  persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 2, 0);
  for (guint run = 0; run < 5 * SOME; run++)
    {
      float x[PERSISTENT_N], w[PERSISTENT_N];
      g_autoptr (GBytes) first = NULL, second = NULL;
      g_autoptr (GError) error = NULL;

      persistent_fill (x, run);
      persistent_fill (w, 3 * run + 1);
      push (&fixture, "source", x);
      push (&fixture, "second", w);
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      first = pull (&fixture, "sink");
      second = pull (&fixture, "other");
      for (guint i = 0; i < PERSISTENT_N; i++)
        {
          g_assert_cmpfloat (((const float *) g_bytes_get_data (first, NULL))[i], ==, x[i] - w[1023 - i]);
          g_assert_cmpfloat (((const float *) g_bytes_get_data (second, NULL))[i], ==, x[1023 - i] + 2 * w[i]);
        }
      if (run % 20 == 19)
        g_usleep (20000);
    }
  session_fixture_close (&fixture);
}

/* Says why, and what would do. */
static void
check_refused (const char *text, const char *who, const char *why)
{
  g_autoptr (LeatPipeline) pipeline = persistent_parse (text);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  g_autoptr (GError) error = NULL;

  g_object_set (session, "executor", LEAT_EXECUTOR_PERSISTENT, NULL);
  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, who));
  g_assert_nonnull (strstr (error->message, why));
  g_assert_nonnull (strstr (error->message, "executor=graph"));
}

static void
test_persistent_refuses (void)
{
  g_autoptr (GString) many = g_string_new ("app name=source spec=f32[<=1024] -> upload");

  check_refused (jump_text, "kernel \"a\"", "there is a goto in it, and it could not be ended; open the session");
  check_refused (power_text, "kernel \"a\"", "there is a loop in a lambda");
  check_refused (vast_text, "kernel \"a\"", "its grid is 2147483647x2x1 blocks, and 2147483647 are the most");
  check_refused (sizes_text, "kernel \"b\"", "64x1x1; give both the same, or open the session");
  for (guint i = 0; i < 25; i++)
    g_string_append (many, " -> kernel source=\"%s\" entry=near");
  g_string_append (many, " -> readback -> app name=sink\n");
  check_refused (many->str, "kernels: 25, ", "there are 50 operations");
}

/* What the file has for other devices counts: all are to have the same stages, under the same numbers. */
static void
test_persistent_refuses_by_device (void)
{
#define STAGE(name, body) "__global__ void " name " (const float *x, float *y)\n{\n" body "  y[0] = x[0];\n}\n"
#define JUMP              "  if (x[0] > 1)\n    goto end;\n  y[1] = 1;\nend:\n"
  static const struct
  {
    const char *text, *why; /* NULL: it stays */
  } rows[] = {
    { "#ifndef LEAT_CUDA\n" STAGE ("other", "") "#endif\n" STAGE ("own", ""),
      "its file has other kernels on other devices" },
    { "#ifdef LEAT_CUDA\n" STAGE ("other", "") "#endif\n" STAGE ("own", ""),
      "its file has other kernels on other devices" },
    { "#ifndef LEAT_CUDA\n" STAGE ("own", "") "#endif\n" STAGE ("other", ""), "it is not there on every device" },
    { STAGE ("own", "#ifdef LEAT_CUDA\n" JUMP "#endif\n"), "there is a goto in it" },
    { STAGE ("own", "#if __CUDA_ARCH__ >= 900\n" JUMP "#endif\n"), "there is a goto in it" },
    { STAGE ("own", "#ifdef LEAT_HOST\n" JUMP "#endif\n"), "there is a goto in it" },
    { STAGE ("own", "") "#ifdef LEAT_CUDA\n" STAGE ("other", "") "#endif\n", NULL },
  };
#undef JUMP
#undef STAGE
  g_autofree char *folder = g_dir_make_tmp ("leat-program-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "stages.cu", NULL);
  g_autofree char *text = g_strdup_printf ("a = kernel source=\"%s\" entry=own grid=1 block=64 x=f32[1024] "
                                           "y=f32[1024]\n" PERSISTENT_CHAIN "a -> readback -> app name=sink\n",
                                           path);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      SessionFixture fixture;

      g_assert_true (g_file_set_contents (path, rows[i].text, -1, NULL));
      if (rows[i].why != NULL)
        {
          check_refused (text, "kernel \"a\"", rows[i].why);
          continue;
        }
      persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 0, 0);
      session_fixture_close (&fixture);
    }
  g_remove (path);
  g_rmdir (folder);
}

static void
test_persistent_falls_back (void)
{
  SessionFixture fixture;
  float x[PERSISTENT_N];
  g_autoptr (GBytes) output = NULL;

  persistent_open (&fixture, jump_text, LEAT_EXECUTOR_PERSISTENT_AUTO, 0, 0);
  persistent_fill (x, 4);
  output = session_fixture_run (&fixture, x, sizeof x);
  g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), x, sizeof x);
  g_assert_cmpuint (persistent_get_counter (&fixture, "persistent-runs"), ==, 0);
  session_fixture_close (&fixture);
}

/* Runs without results are launched, and the one with them is signalled behind them. */
static void
test_persistent_repeats (gconstpointer text)
{
  SessionFixture fixture;

  persistent_open (&fixture, text, LEAT_EXECUTOR_PERSISTENT, 5000, 0);
  g_object_set (fixture.session, "repeat", (guint64) 5, NULL);
  for (guint run = 0; run < 5; run++)
    persistent_check_scaled (&fixture, run);
  g_object_set (fixture.session, "readback", LEAT_READBACK_EACH, "repeat", (guint64) 1, NULL);
  persistent_check_scaled (&fixture, 6);
  session_fixture_close (&fixture);
}

#define GRID(name, grid)                                                                                               \
  name " = kernel source=\"%s\" entry=scale grid=" grid " block=64 x=f32[1024] y=f32[1024] by=2\n"
#define GRIDS(first, second)                                                                                           \
  GRID ("a", first)                                                                                                    \
  GRID ("b", second) PERSISTENT_CHAIN "a -> readback -> app name=sink\na -> b -> readback -> app name=other\n"

static const struct
{
  const char *name, *text;
  guint wanted; /* blocks, of the stage that has most */
} grids[] = {
  { "one-block", GRIDS ("1", "1"), 1 },
  { "first", GRIDS ("16", "1"), 16 },
  { "last", GRIDS ("1", "16"), 16 },
  { "in-two-dimensions", GRIDS ("2", "2x3"), 6 },
};

static guint launched_blocks;
static LeatDriverTable real_table;

static CUresult
note_blocks (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
             unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void **params)
{
  launched_blocks = grid_x * grid_y * grid_z;
  return (*real_table.cuLaunchCooperativeKernel) (function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                                  shared_bytes, stream, params);
}

/* What the rule allows a kernel that is alone on the device. */
static guint
get_most_blocks (LeatDevice *device, guint asked)
{
  const guint all = leat_device_get_facts (device)->multiprocessors;

  if (asked == 0)
    return leat_device_is_cpu (device) ? 1 : MAX (all / 4, 1);
  return MIN (asked, all);
}

/* As many blocks as the largest stage can use, and no more than are asked for, or than there are multiprocessors. */
static void
test_persistent_takes_blocks (gconstpointer data)
{
  static const guint asked[] = { 0, 1, 2, 5, 60000 };
  const guint index = GPOINTER_TO_UINT (data);

  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    {
      SessionFixture fixture;
      LeatDevice *device;
      LeatDriverTable *table;
      g_autoptr (GBytes) output = NULL;
      g_autoptr (GError) error = NULL;
      float x[PERSISTENT_N];

      fixture.pipeline = persistent_parse (grids[index].text);
      fixture.session = leat_session_new (fixture.pipeline, NULL);
      g_object_set (fixture.session, "executor", LEAT_EXECUTOR_PERSISTENT, "persistent-multiprocessors", asked[i],
                    "persistent-limit-ms", PERSISTENT_PATIENT_MS, NULL);
      leat_session_open (fixture.session, NULL, &error);
      g_assert_no_error (error);
      device = leat_session_get_device (fixture.session);
      table = (LeatDriverTable *) leat_device_get_table (device);
      real_table = *table;
      table->cuLaunchCooperativeKernel = note_blocks;
      launched_blocks = 0;
      persistent_fill (x, i);
      push (&fixture, "source", x);
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      output = pull (&fixture, "sink");
      g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[63], ==, 2 * x[63] + 1);
      g_assert_cmpuint (launched_blocks, ==, MIN (grids[index].wanted, get_most_blocks (device, asked[i])));
      *table = real_table;
      session_fixture_close (&fixture);
    }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  persistent_init ();
  g_test_add_data_func ("/leat/session/persistent/equals-graph/one", PERSISTENT_ONE, test_persistent_equals_graph);
  g_test_add_data_func ("/leat/session/persistent/equals-graph/three", PERSISTENT_THREE, test_persistent_equals_graph);
  g_test_add_data_func ("/leat/session/persistent/equals-graph/copies", PERSISTENT_COPIES,
                        test_persistent_equals_graph);
  g_test_add_data_func ("/leat/session/persistent/equals-graph/lambda", power_by_all_text,
                        test_persistent_equals_graph);
  g_test_add_data_func ("/leat/session/persistent/several-ports", pair_text, test_persistent_several_ports);
  g_test_add_data_func ("/leat/session/persistent/several-ports/moved", moved_text, test_persistent_several_ports);
  g_test_add_data_func ("/leat/session/persistent/equals-graph/one-in-blocks", PERSISTENT_ONE,
                        test_persistent_equals_graph_in_blocks);
  g_test_add_data_func ("/leat/session/persistent/equals-graph/three-in-blocks", PERSISTENT_THREE,
                        test_persistent_equals_graph_in_blocks);
  g_test_add_data_func ("/leat/session/persistent/equals-graph/copies-in-blocks", PERSISTENT_COPIES,
                        test_persistent_equals_graph_in_blocks);
  g_test_add_data_func ("/leat/session/persistent/equals-graph/cooperative", meet_text,
                        test_persistent_equals_graph_in_blocks);
  g_test_add_data_func ("/leat/session/persistent/equals-graph/megakernel", mega_text, test_persistent_equals_graph);
  g_test_add_data_func ("/leat/session/persistent/equals-graph/megakernel-in-blocks", mega_text,
                        test_persistent_equals_graph_in_blocks);
  g_test_add_func ("/leat/session/persistent/waits-for-neighbours", test_persistent_waits_for_neighbours);
  g_test_add_data_func ("/leat/session/persistent/equals-graph/neighbours", near_text, test_persistent_equals_graph);
  g_test_add_data_func ("/leat/session/persistent/equals-graph/neighbours-in-blocks", near_text,
                        test_persistent_equals_graph_in_blocks);
  g_test_add_data_func ("/leat/session/persistent/runs-thousands", PERSISTENT_ONE, test_persistent_runs_thousands);
  g_test_add_func ("/leat/session/persistent/calls-nobody", test_persistent_calls_nobody);
  g_test_add_func ("/leat/session/persistent/shares", test_persistent_shares);
  g_test_add_data_func ("/leat/session/persistent/several", PERSISTENT_ONE, test_persistent_several);
  g_test_add_data_func ("/leat/session/persistent/takes-arguments", PERSISTENT_ONE, test_persistent_takes_arguments);
  g_test_add_data_func ("/leat/session/persistent/streams", PERSISTENT_ONE, test_persistent_streams);
  g_test_add_data_func ("/leat/session/persistent/repeats", PERSISTENT_ONE, test_persistent_repeats);
  for (guint i = 0; i < G_N_ELEMENTS (grids); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/session/persistent/takes-blocks/%s", grids[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_persistent_takes_blocks);
    }
  g_test_add_func ("/leat/session/persistent/refuses", test_persistent_refuses);
  g_test_add_func ("/leat/session/persistent/refuses-by-device", test_persistent_refuses_by_device);
  g_test_add_func ("/leat/session/persistent/falls-back", test_persistent_falls_back);
  status = g_test_run ();
  persistent_clear ();
  return status;
}
