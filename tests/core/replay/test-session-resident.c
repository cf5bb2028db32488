/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include "device/leat-device-private.h"
#include "plan/leat-plan-private.h"

#include <glib/gstdio.h>

/* A kernel that stays on the device against the same pipeline run in launches. */

#define N 1024

#ifdef __SANITIZE_THREAD__
#define THOUSANDS 200
#define SOME      3
#else
#define THOUSANDS 3000
#define SOME      20
#endif

static const char kernels[] = "__global__ void scale (const float *x, float *y, float by)\n"
                              "{\n"
                              "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < 1024)\n"
                              "    y[i] = by * x[i] + 1;\n"
                              "}\n"
                              "__global__ void turn (const float *x, float *y)\n"
                              "{\n"
                              "  __shared__ float part[64];\n"
                              "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  part[threadIdx.x] = x[1023 - i];\n"
                              "  __syncthreads ();\n"
                              "  y[i] = part[63 - threadIdx.x] + gridDim.x;\n"
                              "}\n"
                              "__global__ void total (const float *x, float *y)\n"
                              "{\n"
                              "  float sum = 0;\n"
                              "  for (int i = 0; i < 1024; i++)\n"
                              "    sum += x[i];\n"
                              "  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n"
                              "}\n"
                              "__global__ void climb (const float *x, float *y)\n"
                              "{\n"
                              "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, n = 1;\n"
                              "  while (x[0] != 0 && n != 0)\n"
                              "    n = n * 3 | 1;\n"
                              "  y[i] = x[i] + n;\n"
                              "}\n"
                              "__global__ void meet (const float *x, float *y)\n"
                              "{\n"
                              "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  y[i] = 2 * x[i];\n"
                              "  leat_grid_sync ();\n"
                              "  float other = leat_load_relaxed (&y[1023 - i]);\n"
                              "  leat_grid_sync ();\n"
                              "  y[i] = other + gridDim.x;\n"
                              "}\n"
                              "__global__ void pair (const float *x, const float *w, float *y, float *z)\n"
                              "{\n"
                              "  for (unsigned int i = threadIdx.x; i < 1024; i += blockDim.x)\n"
                              "    {\n"
                              "      y[i] = x[i] - w[1023 - i];\n"
                              "      z[i] = x[1023 - i] + 2 * w[i];\n"
                              "    }\n"
                              "}\n"
                              "__global__ void near (const float *x, float *y, uint64_t x_count)\n"
                              "{\n"
                              "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < x_count)\n"
                              "    y[i] = x[i > 0 ? i - 1 : i] + 0.5f * x[i + 1 < x_count ? i + 1 : i];\n"
                              "}\n"
                              "__global__ void jump (const float *x, float *y)\n"
                              "{\n"
                              "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "again:\n"
                              "  y[i] = x[i];\n"
                              "  if (y[i] != x[i])\n"
                              "    goto again;\n"
                              "}\n";

static char *kernel_path;

#define KERNEL(name, entry, more)                                                                                      \
  name " = kernel source=\"%s\" entry=" entry " grid=16 block=64 x=f32[1024] y=f32[1024]" more "\n"
#define CHAIN "app name=source spec=f32[1024] -> upload -> a\n"

static const char one_text[] = KERNEL ("a", "scale", " by=2") CHAIN "a -> readback -> app name=sink\n";
static const char three_text[] = KERNEL ("a", "scale", " by=3") KERNEL ("b", "turn", "") KERNEL ("c", "total", "") CHAIN
  "a -> b\nb -> c -> readback -> app name=other\nb -> readback -> app name=sink\n";
static const char copies_text[] =
  KERNEL ("a", "scale", " by=2") KERNEL ("b", "turn", "") "app name=source spec=f32[1024] -> upload mode=copy -> a\n"
                                                          "a -> b -> readback mode=copy -> app name=sink\n";
static const char pair_text[] =
  "m = kernel source=\"%s\" entry=pair grid=1 block=64 x=f32[1024] w=f32[1024] y=f32[1024] z=f32[1024]\n"
  "app name=source spec=f32[1024] -> upload -> m.x\napp name=second spec=f32[1024] -> upload -> m.w\n"
  "m.y -> readback -> app name=sink\nm.z -> readback -> app name=other\n";
static const char climb_text[] = KERNEL ("a", "climb", "") CHAIN "a -> readback -> app name=sink\n";
static const char meet_text[] =
  "a = kernel source=\"%s\" entry=meet grid=4 block=256 cooperative=true x=f32[1024] y=f32[1024]\n" CHAIN
  "a -> readback -> app name=sink\n";
static const char jump_text[] = KERNEL ("a", "jump", "") CHAIN "a -> readback -> app name=sink\n";

/* Kernels of several files, made one by a node. */
static const char mega_text[] = "m = megakernel {\n in.x -> map expr=\"3*x+1\" -> map expr=\"x*x\" -> out.y\n}\n"
                                "app name=source spec=f32[1024] -> upload -> m.x\nm.y -> readback -> app name=sink\n";
/* Its blocks wait for those beside them. */
static const char near_text[] =
  "m = megakernel {\n a = kernel source=\"%s\" entry=near block=64 access=stencil:1\n"
  " b = kernel source=\"%s\" entry=near block=64 access=stencil:1\n"
  " c = kernel source=\"%s\" entry=near block=64 access=stencil:1\n in.x -> a -> b -> c -> out.y\n}\n"
  "app name=source spec=f32[1024] -> upload -> m.x\nm.y -> readback -> app name=sink\n";

static LeatPipeline *
parse (const char *text)
{
  g_autofree char *named = g_strdup (text);
  g_auto (GStrv) parts = g_strsplit (text, "%s", -1);
  g_autofree char *body = g_strjoinv (kernel_path, parts);
  g_autofree char *whole = g_strconcat ("leat 1\n", body, NULL);
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_no_error (error);
  return pipeline;
}

/* A loaded machine may take long to have all blocks begin. */
#define PATIENT_MS 60000

/* @idle_ms: 0 for what is usual; @limit_ms: 0 for as much as a test has */
static void
open_resident (SessionFixture *self, const char *text, LeatExecutor executor, guint idle_ms, guint limit_ms)
{
  g_autoptr (GError) error = NULL;

  self->pipeline = parse (text);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", executor, NULL);
  if (idle_ms > 0)
    g_object_set (self->session, "resident-idle-ms", idle_ms, NULL);
  g_object_set (self->session, "resident-limit-ms", limit_ms > 0 ? limit_ms : PATIENT_MS, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
  self->source = LEAT_APP (leat_pipeline_get_node (self->pipeline, "source", NULL));
  self->sink = LEAT_APP (leat_pipeline_get_node (self->pipeline, "sink", NULL));
}

/* With several blocks, which pass each run on to each other. */
static void
open_wide (SessionFixture *self, const char *text)
{
  g_autoptr (GError) error = NULL;

  self->pipeline = parse (text);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", LEAT_EXECUTOR_RESIDENT, "resident-multiprocessors", 4, "resident-limit-ms",
                PATIENT_MS, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
  self->source = LEAT_APP (leat_pipeline_get_node (self->pipeline, "source", NULL));
  self->sink = LEAT_APP (leat_pipeline_get_node (self->pipeline, "sink", NULL));
}

static guint64
get_counter (SessionFixture *self, const char *name)
{
  guint64 value;

  g_object_get (self->session, name, &value, NULL);
  return value;
}

static void
fill (float *x, guint salt)
{
  for (guint i = 0; i < N; i++)
    x[i] = (float) ((i * 31 + salt * 7) % 501);
}

static void
run_both (SessionFixture *self, SessionFixture *other, guint salt)
{
  float x[N];
  g_autoptr (GBytes) a = NULL, b = NULL;

  fill (x, salt);
  a = session_fixture_run (self, x, sizeof x);
  b = session_fixture_run (other, x, sizeof x);
  g_assert_true (g_bytes_equal (a, b));
}

/* Each time that the kernel comes back its blocks begin with nothing of what they said to each other before. */
static void
test_resident_comes_back_in_blocks (void)
{
  SessionFixture resident, graph;

  open_wide (&resident, three_text);
  open_resident (&graph, three_text, LEAT_EXECUTOR_GRAPH, 0, 0);
  for (guint run = 0; run < 8; run++)
    {
      SessionFixture other;

      run_both (&resident, &graph, run);
      run_both (&resident, &graph, run + 100);
      open_resident (&other, one_text, LEAT_EXECUTOR_GRAPH, 0, 0);
      session_fixture_close (&other);
    }
  g_assert_cmpuint (get_counter (&resident, "stays"), >=, 8);
  session_fixture_close (&graph);
  session_fixture_close (&resident);
}

static void
check_equal (const char *text, gboolean wide)
{
  SessionFixture resident, graph;

  if (wide)
    open_wide (&resident, text);
  else
    open_resident (&resident, text, LEAT_EXECUTOR_RESIDENT, 0, 0);
  open_resident (&graph, text, LEAT_EXECUTOR_GRAPH, 0, 0);
  for (guint run = 0; run < SOME; run++)
    run_both (&resident, &graph, run);
  g_assert_cmpuint (get_counter (&resident, "rings"), ==, SOME);
  g_assert_cmpuint (get_counter (&resident, "stays"), >=, 1);
  session_fixture_close (&graph);
  session_fixture_close (&resident);
}

static void
test_resident_equals_graph (gconstpointer text)
{
  check_equal (text, FALSE);
}

static void
test_resident_equals_graph_in_blocks (gconstpointer text)
{
  check_equal (text, TRUE);
}

static void
check_scaled (SessionFixture *fixture, guint salt)
{
  float x[N];
  g_autoptr (GBytes) output = NULL;
  const float *y;

  fill (x, salt);
  output = session_fixture_run (fixture, x, sizeof x);
  y = g_bytes_get_data (output, NULL);
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, 2 * x[i] + 1);
}

static void
test_resident_runs_thousands (gconstpointer text)
{
  const guint runs = THOUSANDS;
  SessionFixture fixture;

  open_resident (&fixture, text, LEAT_EXECUTOR_RESIDENT, 5000, 0);
  for (guint run = 0; run < runs; run++)
    check_scaled (&fixture, run);
  g_assert_cmpuint (get_counter (&fixture, "rings"), ==, runs);
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
test_resident_calls_nobody (void)
{
  SessionFixture fixture;
  g_autoptr (LeatPlan) plan = NULL;
  g_autoptr (GVariant) counts = NULL, predicted = NULL;
  g_autoptr (GError) error = NULL;
  static const char *const same[] = { "kernels", "copies", "fills", "graph-launches" };

  open_resident (&fixture, copies_text, LEAT_EXECUTOR_RESIDENT, 60000, 0);
  run_both (&fixture, &fixture, 1);
  leat_session_start_counting (fixture.session, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 50; run++)
    run_both (&fixture, &fixture, run);
  counts = leat_session_stop_counting (fixture.session, &error);
  g_assert_no_error (error);
  plan = leat_session_dup_plan (fixture.session);
  predicted = leat_plan_dup_prediction (plan);
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

/* The kernel leaves by itself, and the next run has it back. */
static void
test_resident_leaves_and_comes_back (gconstpointer text)
{
  SessionFixture fixture;
  guint64 stays;

  open_resident (&fixture, text, LEAT_EXECUTOR_RESIDENT, 1, 0);
  for (guint run = 0; run < 20; run++)
    {
      check_scaled (&fixture, run);
      if (run % 5 == 4)
        g_usleep (100000);
    }
  stays = get_counter (&fixture, "stays");
  g_assert_cmpuint (stays, >=, 4);
  session_fixture_close (&fixture);
}

typedef struct
{
  gint stop;
  guint opened;
} Neighbour;

static gpointer
open_and_close (gpointer data)
{
  Neighbour *self = data;

  while (!g_atomic_int_get (&self->stop))
    {
      SessionFixture fixture;

      open_resident (&fixture, self->opened % 2 == 0 ? copies_text : one_text, LEAT_EXECUTOR_GRAPH, 0, 0);
      session_fixture_close (&fixture);
      self->opened++;
    }
  return NULL;
}

/* Memory, modules and graphs of others come and go meanwhile. */
static void
test_resident_is_parked_for_others (gconstpointer text)
{
  SessionFixture fixture;
  Neighbour neighbour = { 0 };
  GThread *thread;
  guint run = 0;

  open_resident (&fixture, text, LEAT_EXECUTOR_RESIDENT, 5000, 0);
  check_scaled (&fixture, run);
  thread = g_thread_new ("neighbour", open_and_close, &neighbour);
  while (get_counter (&fixture, "parks") < 5)
    check_scaled (&fixture, ++run);
  g_atomic_int_set (&neighbour.stop, TRUE);
  g_thread_join (thread);
  check_scaled (&fixture, ++run);
  g_assert_cmpuint (neighbour.opened, >=, 1);
  g_assert_cmpuint (get_counter (&fixture, "stays"), >=, 2);
  g_assert_cmpuint (get_counter (&fixture, "rings"), ==, run + 1);
  session_fixture_close (&fixture);
}

static void
check_climb (SessionFixture *fixture)
{
  float x[N] = { 0 };
  g_autoptr (GBytes) output = NULL;
  const float *y;

  x[1] = 5;
  output = session_fixture_run (fixture, x, sizeof x);
  y = g_bytes_get_data (output, NULL);
  g_assert_cmpfloat (y[1], ==, 6);
}

/* A loop without an end is ended and named, and what comes after it is as if nothing had been. */
static void
test_resident_ends_a_runaway (gconstpointer text)
{
  SessionFixture fixture;

  open_resident (&fixture, text, LEAT_EXECUTOR_RESIDENT, 5000, 500);
  for (guint round = 0; round < 2; round++)
    {
      float x[N] = { 1 };
      g_autoptr (GError) error = NULL;

      check_climb (&fixture);
      g_assert_null (session_fixture_try (&fixture, x, sizeof x, &error));
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RUNAWAY);
      g_assert_nonnull (strstr (error->message, "kernel \"a\""));
      g_assert_nonnull (strstr (error->message, "kernel climb was ended"));
      g_assert_nonnull (strstr (error->message, "500 ms"));
    }
  check_climb (&fixture);
  g_assert_cmpuint (get_counter (&fixture, "runaways"), ==, 2);
  session_fixture_close (&fixture);
}

/* Again and again, none later than it may; and the next run is as if nothing had been. */
static void
test_resident_ends_many (gconstpointer text)
{
  const guint limit_ms = 50;
  SessionFixture fixture;

  open_resident (&fixture, text, LEAT_EXECUTOR_RESIDENT, 5000, limit_ms);
  for (guint round = 1; round <= 10; round++)
    {
      float x[N] = { 1 };
      gint64 begin, took;
      g_autoptr (GError) error = NULL;

      begin = g_get_monotonic_time ();
      g_assert_null (session_fixture_try (&fixture, x, sizeof x, &error));
      took = g_get_monotonic_time () - begin;
      g_test_message ("%" G_GINT64_FORMAT " us", took);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RUNAWAY);
      g_assert_nonnull (strstr (error->message, "kernel \"a\""));
      g_assert_cmpint (took, >=, limit_ms * 1000);
      g_assert_cmpint (took, <, limit_ms * 1000 * 20); /* the machine may be busy; leat-bench runaway tells how well */
      check_climb (&fixture);
      g_assert_cmpuint (get_counter (&fixture, "runaways"), ==, round);
    }
  session_fixture_close (&fixture);
}

/* Several at once, which leave when another one opens and come back. */
static void
test_resident_several (gconstpointer text)
{
  enum
  {
    SESSIONS = 4
  };
  SessionFixture fixtures[SESSIONS];

  for (guint i = 0; i < SESSIONS; i++)
    open_resident (&fixtures[i], text, LEAT_EXECUTOR_RESIDENT, 200, 0);
  for (guint run = 0; run < SOME; run++)
    for (guint i = 0; i < SESSIONS; i++)
      check_scaled (&fixtures[i], run + 100 * i);
  for (guint i = 0; i < SESSIONS; i++)
    {
      g_assert_cmpuint (get_counter (&fixtures[i], "rings"), ==, SOME);
      session_fixture_close (&fixtures[i]);
    }
}

/* Of 132 multiprocessors: quarters up to the half, then one; what is asked for while there are as many. */
static void
test_resident_shares (void)
{
  static const guint cases[][3] = { { 0, 0, 33 },    { 33, 0, 33 },   { 50, 0, 16 },   { 66, 0, 1 },  { 132, 0, 1 },
                                    { 0, 132, 132 }, { 0, 500, 132 }, { 100, 40, 32 }, { 132, 40, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpuint (leat_device_share_multiprocessors (132, cases[i][0], cases[i][1]), ==, cases[i][2]);
  g_assert_cmpuint (leat_device_share_multiprocessors (1, 0, 0), ==, 1);
}

/* The device is at it, and nobody waits. */
static void
test_resident_is_closed_in_flight (gconstpointer text)
{
  for (guint round = 0; round < 10; round++)
    {
      SessionFixture fixture;
      float x[N];
      g_autoptr (GBytes) input = NULL;
      g_autoptr (GError) error = NULL;

      fill (x, round);
      input = g_bytes_new (x, sizeof x);
      open_resident (&fixture, text, LEAT_EXECUTOR_RESIDENT, 5000, 0);
      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
      g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      session_fixture_close (&fixture);
    }
}

/* Arguments are given to the kernel when they change. */
static void
test_resident_takes_arguments (gconstpointer text)
{
  SessionFixture fixture;
  float x[N];

  open_resident (&fixture, text, LEAT_EXECUTOR_RESIDENT, 5000, 0);
  fill (x, 1);
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
test_resident_streams (gconstpointer text)
{
  enum
  {
    RUNS = 200
  };
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  fixture.pipeline = parse (text);
  fixture.session = leat_session_new (fixture.pipeline, NULL);
  g_object_set (fixture.session, "executor", LEAT_EXECUTOR_RESIDENT, "lanes", 4, "resident-limit-ms", PATIENT_MS, NULL);
  fixture.source = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "source", NULL));
  fixture.sink = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "sink", NULL));
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < RUNS; run++)
    {
      float x[N];
      g_autoptr (GBytes) input = NULL;

      fill (x, run);
      input = g_bytes_new (x, sizeof x);
      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
    }
  leat_app_end (fixture.source);
  leat_session_run (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < RUNS; run++)
    {
      float x[N];
      g_autoptr (GBytes) output = leat_app_pull_bytes (fixture.sink, 0, &error);

      g_assert_no_error (error);
      fill (x, run);
      g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[17], ==, 2 * x[17] + 1);
    }
  g_assert_cmpuint (get_counter (&fixture, "rings"), ==, RUNS);
  session_fixture_close (&fixture);
}

static void
push (SessionFixture *self, const char *name, const float *x)
{
  g_autoptr (GBytes) bytes = g_bytes_new (x, N * sizeof *x);
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

/* Several inputs and outputs; the kernel goes away and comes back. */
static void
test_resident_several_ports (void)
{
  SessionFixture fixture;

  open_resident (&fixture, pair_text, LEAT_EXECUTOR_RESIDENT, 2, 0);
  for (guint run = 0; run < 5 * SOME; run++)
    {
      float x[N], w[N];
      g_autoptr (GBytes) first = NULL, second = NULL;
      g_autoptr (GError) error = NULL;

      fill (x, run);
      fill (w, 3 * run + 1);
      push (&fixture, "source", x);
      push (&fixture, "second", w);
      g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      first = pull (&fixture, "sink");
      second = pull (&fixture, "other");
      for (guint i = 0; i < N; i++)
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
test_resident_refuses (void)
{
  g_autoptr (LeatPipeline) pipeline = parse (jump_text);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  g_autoptr (GError) error = NULL;

  g_object_set (session, "executor", LEAT_EXECUTOR_RESIDENT, NULL);
  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RESIDENT);
  g_assert_nonnull (strstr (error->message, "kernel \"a\""));
  g_assert_nonnull (strstr (error->message, "there is a goto in it"));
  g_assert_nonnull (strstr (error->message, "executor=graph"));
}

static void
test_resident_falls_back (void)
{
  SessionFixture fixture;
  float x[N];
  g_autoptr (GBytes) output = NULL;

  open_resident (&fixture, jump_text, LEAT_EXECUTOR_RESIDENT_AUTO, 0, 0);
  fill (x, 4);
  output = session_fixture_run (&fixture, x, sizeof x);
  g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), x, sizeof x);
  g_assert_cmpuint (get_counter (&fixture, "rings"), ==, 0);
  session_fixture_close (&fixture);
}

/* Runs without results are launched, and the one with them is rung behind them. */
static void
test_resident_repeats (gconstpointer text)
{
  SessionFixture fixture;

  open_resident (&fixture, text, LEAT_EXECUTOR_RESIDENT, 5000, 0);
  g_object_set (fixture.session, "repeat", (guint64) 5, NULL);
  for (guint run = 0; run < 5; run++)
    check_scaled (&fixture, run);
  g_object_set (fixture.session, "readback", LEAT_READBACK_EACH, "repeat", (guint64) 1, NULL);
  check_scaled (&fixture, 6);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-resident-XXXXXX", NULL);
  int status;

  kernel_path = g_build_filename (folder, "resident.cu", NULL);
  g_assert_true (g_file_set_contents (kernel_path, kernels, -1, NULL));
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/resident/equals-graph/one", one_text, test_resident_equals_graph);
  g_test_add_data_func ("/leat/session/resident/equals-graph/three", three_text, test_resident_equals_graph);
  g_test_add_data_func ("/leat/session/resident/equals-graph/copies", copies_text, test_resident_equals_graph);
  g_test_add_func ("/leat/session/resident/several-ports", test_resident_several_ports);
  g_test_add_data_func ("/leat/session/resident/equals-graph/one-in-blocks", one_text,
                        test_resident_equals_graph_in_blocks);
  g_test_add_data_func ("/leat/session/resident/equals-graph/three-in-blocks", three_text,
                        test_resident_equals_graph_in_blocks);
  g_test_add_data_func ("/leat/session/resident/equals-graph/copies-in-blocks", copies_text,
                        test_resident_equals_graph_in_blocks);
  g_test_add_data_func ("/leat/session/resident/equals-graph/cooperative", meet_text,
                        test_resident_equals_graph_in_blocks);
  g_test_add_data_func ("/leat/session/resident/equals-graph/megakernel", mega_text, test_resident_equals_graph);
  g_test_add_data_func ("/leat/session/resident/equals-graph/megakernel-in-blocks", mega_text,
                        test_resident_equals_graph_in_blocks);
  g_test_add_data_func ("/leat/session/resident/equals-graph/neighbours", near_text, test_resident_equals_graph);
  g_test_add_data_func ("/leat/session/resident/equals-graph/neighbours-in-blocks", near_text,
                        test_resident_equals_graph_in_blocks);
  g_test_add_data_func ("/leat/session/resident/runs-thousands", one_text, test_resident_runs_thousands);
  g_test_add_func ("/leat/session/resident/comes-back-in-blocks", test_resident_comes_back_in_blocks);
  g_test_add_func ("/leat/session/resident/calls-nobody", test_resident_calls_nobody);
  g_test_add_data_func ("/leat/session/resident/leaves-and-comes-back", one_text, test_resident_leaves_and_comes_back);
  g_test_add_data_func ("/leat/session/resident/is-parked-for-others", one_text, test_resident_is_parked_for_others);
  g_test_add_data_func ("/leat/session/resident/ends-a-runaway", climb_text, test_resident_ends_a_runaway);
  g_test_add_data_func ("/leat/session/resident/ends-many", climb_text, test_resident_ends_many);
  g_test_add_func ("/leat/session/resident/shares", test_resident_shares);
  g_test_add_data_func ("/leat/session/resident/several", one_text, test_resident_several);
  g_test_add_data_func ("/leat/session/resident/is-closed-in-flight", three_text, test_resident_is_closed_in_flight);
  g_test_add_data_func ("/leat/session/resident/takes-arguments", one_text, test_resident_takes_arguments);
  g_test_add_data_func ("/leat/session/resident/streams", one_text, test_resident_streams);
  g_test_add_data_func ("/leat/session/resident/repeats", one_text, test_resident_repeats);
  g_test_add_func ("/leat/session/resident/refuses", test_resident_refuses);
  g_test_add_func ("/leat/session/resident/falls-back", test_resident_falls_back);
  status = g_test_run ();
  g_unlink (kernel_path);
  g_rmdir (folder);
  g_free (kernel_path);
  return status;
}
