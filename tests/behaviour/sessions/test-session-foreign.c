/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "foreign-fixture.h"
#include "planted-calls.h"

/* Foreign work: captured, or between the graphs where it cannot be. */

#define N FOREIGN_FIXTURE_N

static void
test_foreign_is_captured (void)
{
  ForeignFixture fixture = { 0 };
  g_autofree char *text = NULL;
  g_autoptr (LeatMessage) warning = NULL;
  guint captures;
  g_autoptr (LeatPlan) plan = NULL;

  foreign_fixture_set_up (&fixture);
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  captures = fixture.node->captures;
  g_assert_cmpuint (captures, >, 0);
  g_assert_cmpuint (foreign_fixture_predict (&fixture, "graph-launches"), ==, 1);
  g_assert_cmpuint (foreign_fixture_predict (&fixture, "foreign"), ==, 1);
  for (guint run = 0; run < 3; run++)
    foreign_fixture_run (&fixture, (guint8) run);
  g_assert_cmpuint (fixture.node->captures, ==, captures);
  g_assert_cmpuint (fixture.node->calls, ==, 0);
  warning = foreign_fixture_take_warning (&fixture);
  g_assert_null (warning);
  plan = leat_session_dup_plan (fixture.base.session);
  text = leat_plan_to_text (plan);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "stamp (2 nodes)"));
  g_assert_nonnull (strstr (text, "and what 1 foreign op does"));
  g_clear_object (&plan);
  foreign_fixture_clear (&fixture);
}

static void
test_foreign_is_called_by_eager (void)
{
  ForeignFixture fixture = { 0 };

  foreign_fixture_set_up (&fixture);
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_EAGER);
  for (guint run = 0; run < 3; run++)
    foreign_fixture_run (&fixture, (guint8) run);
  g_assert_cmpuint (fixture.node->captures, ==, 0);
  g_assert_cmpuint (fixture.node->calls, ==, 3);
  g_assert_cmpuint (foreign_fixture_predict (&fixture, "graph-launches"), ==, 0);
  foreign_fixture_clear (&fixture);
}

/* What the driver counts is what the plan says: two launches, one for each piece. */
static void
test_foreign_may_refuse (void)
{
  ForeignFixture fixture = { 0 };
  g_autofree char *text = NULL, *json = NULL, *dot = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) counts = NULL;
  guint64 launches = 0, waits = 0;
  g_autoptr (LeatPlan) plan = NULL;

  foreign_fixture_set_up (&fixture);
  fixture.node->why_not_captured = "it reads a clock";
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (foreign_fixture_predict (&fixture, "graph-launches"), ==, 2);
  leat_session_start_counting (fixture.base.session, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 3; run++)
    foreign_fixture_run (&fixture, (guint8) run);
  counts = leat_session_stop_counting (fixture.base.session, &error);
  g_assert_no_error (error);
  g_variant_lookup (counts, "graph-launches", "t", &launches);
  g_variant_lookup (counts, "waits", "t", &waits);
  g_assert_cmpuint (launches, ==, 6);
  g_assert_cmpuint (waits, ==, 3);
  g_assert_cmpuint (fixture.node->captures, ==, 0);
  g_assert_cmpuint (fixture.node->calls, ==, 3);
  plan = leat_session_dup_plan (fixture.base.session);
  text = leat_plan_to_text (plan);
  g_assert_nonnull (strstr (text, "one by one: it reads a clock"));
  json = leat_plan_to_json (plan);
  g_assert_nonnull (strstr (json, "\"kind\" : \"foreign\""));
  g_assert_nonnull (strstr (json, "\"why-not-captured\" : \"it reads a clock\""));
  g_assert_nonnull (strstr (json, "\"foreign\" : 1"));
  dot = leat_plan_to_dot (plan);
  g_assert_nonnull (strstr (dot, "foreign\\nstamp\", shape=box, style=dashed"));
  g_clear_object (&plan);
  foreign_fixture_clear (&fixture);
}

/* Pieces of one copy each are no graphs until they have been launched often. */
static void
test_foreign_auto_leaves_small_pieces (void)
{
  ForeignFixture fixture = { 0 };

  foreign_fixture_set_up (&fixture);
  fixture.node->why_not_captured = "it reads a clock";
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_AUTO);
  g_assert_cmpuint (foreign_fixture_predict (&fixture, "graph-launches"), ==, 0);
  for (guint run = 0; run < LEAT_SESSION_RUNS_TO_SETTLE; run++)
    foreign_fixture_run (&fixture, (guint8) run);
  g_assert_cmpuint (foreign_fixture_predict (&fixture, "graph-launches"), ==, 0);
  for (guint run = 0; run < 3; run++)
    foreign_fixture_run (&fixture, (guint8) (run + 100));
  g_assert_cmpuint (foreign_fixture_predict (&fixture, "graph-launches"), ==, 2);
  foreign_fixture_clear (&fixture);
}

static void
test_foreign_that_does_nothing (void)
{
  ForeignFixture fixture = { 0 };
  g_autoptr (LeatMessage) warning = NULL;

  foreign_fixture_set_up (&fixture);
  fixture.node->idle = TRUE;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  warning = foreign_fixture_take_warning (&fixture);
  g_assert_nonnull (warning);
  g_assert_nonnull (strstr (leat_message_get_error (warning)->message, "put nothing on its stream"));
  foreign_fixture_clear (&fixture);
}

static CUresult
plant_failure (Planted *planted)
{
  return CUDA_ERROR_NOT_SUPPORTED;
}

static guint n_looked_up;

/* By the name in the documents or that in the library; the driver's own where Leat knows nothing of it. */
static CUresult
plant_look_ups (Planted *planted)
{
  gpointer alloc = leat_foreign_find_call (planted->foreign, "cuMemAlloc");

  g_assert_nonnull (alloc);
  g_assert_true (leat_foreign_find_call (planted->foreign, "cuMemAlloc_v2") == alloc);
  g_assert_null (leat_foreign_find_call (planted->foreign, "cuThereIsNoSuchCall"));
  n_looked_up++;
  return CUDA_SUCCESS;
}

static void
test_foreign_finds_calls (void)
{
  ForeignFixture fixture = { 0 };

  foreign_fixture_set_up (&fixture);
  fixture.node->plant = plant_look_ups;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_AUTO);
  foreign_fixture_run (&fixture, 0);
  g_assert_cmpuint (n_looked_up, >, 0);
  foreign_fixture_clear (&fixture);
}

static void
test_foreign_failure_is_of_its_node (void)
{
  ForeignFixture fixture = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) input = NULL;
  guint8 x[N] = { 0 };

  foreign_fixture_set_up (&fixture);
  fixture.node->plant = plant_failure;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  input = g_bytes_new (x, sizeof x);
  leat_app_push_bytes (fixture.base.source, input, &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_replay (fixture.base.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "\"foreign\""));
  foreign_fixture_clear (&fixture);
}

static void
test_foreign_is_not_remembered (void)
{
  ForeignFixture fixture = { 0 };
  g_autoptr (GError) error = NULL;

  foreign_fixture_set_up (&fixture);
  g_object_set (fixture.base.session, "memo", LEAT_MEMO_EXACT, NULL);
  g_assert_false (leat_session_open (fixture.base.session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMO);
  foreign_fixture_clear (&fixture);
}

/* A full run, and resident ones. */
static void
run_in_place (ForeignFixture *fixture)
{
  g_autoptr (GError) error = NULL;
  LeatView in, out;

  leat_session_map_input (fixture->base.session, "source", &in, &error);
  leat_session_map_output (fixture->base.session, "sink", &out, &error);
  g_assert_no_error (error);
  memset (in.data, 7, N);
  for (guint run = 0; run < 4; run++)
    {
      memset (out.data, 0, N);
      g_assert_cmpint (leat_session_replay (fixture->base.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_cmpuint (((guint8 *) out.data)[0], ==, 0x5a);
      g_assert_cmpuint (((guint8 *) out.data)[N - 1], ==, 7);
    }
}

/* The run without uploads captures anew. */
static void
test_foreign_in_resident_runs (void)
{
  ForeignFixture fixture = { 0 };

  foreign_fixture_set_up (&fixture);
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  run_in_place (&fixture);
  g_assert_cmpuint (fixture.node->calls, ==, 0);
  foreign_fixture_clear (&fixture);
}

/* On the CPU it is told before anything is made, and on a GPU nobody is the wiser. */
static void
test_foreign_not_on_cpu (void)
{
  ForeignFixture fixture = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean opened;

  foreign_fixture_set_up (&fixture);
  fixture.node->why_not_on_cpu = "it takes two GPUs";
  opened = leat_session_open (fixture.base.session, NULL, &error);
  if (!leat_device_is_cpu (fixture.device))
    g_assert_true (opened);
  else
    {
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_DEVICE);
      g_assert_nonnull (strstr (error->message, "\"foreign\": the device is the CPU: it takes two GPUs"));
      g_assert_cmpuint (fixture.node->calls, ==, 0);
      fixture.node->why_not_on_cpu = NULL;
      foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
    }
  foreign_fixture_clear (&fixture);
}

static void
set_stamp (ForeignFixture *fixture, guint8 stamp)
{
  g_autoptr (GError) error = NULL;

  leat_node_set_arg (LEAT_NODE (fixture->node), "stamp", g_variant_new_byte (stamp), &error);
  g_assert_no_error (error);
}

static void
run_and_check_stamp (ForeignFixture *fixture, guint8 stamp)
{
  guint8 x[N] = { 0 };
  g_autoptr (GBytes) output = session_fixture_run (&fixture->base, x, sizeof x);

  g_assert_cmpuint (((const guint8 *) g_bytes_get_data (output, NULL))[0], ==, stamp);
}

static void
test_foreign_arguments_change (gconstpointer executor)
{
  ForeignFixture fixture = { 0 };
  guint captures;

  foreign_fixture_set_up (&fixture);
  set_stamp (&fixture, 1);
  foreign_fixture_open (&fixture, GPOINTER_TO_INT (executor));
  run_and_check_stamp (&fixture, 1);
  set_stamp (&fixture, 2);
  run_and_check_stamp (&fixture, 2);
  captures = fixture.node->captures;
  run_and_check_stamp (&fixture, 2);
  g_assert_cmpuint (fixture.node->captures, ==, captures);
  foreign_fixture_clear (&fixture);
}

static guint plant_countdown;

static CUresult
plant_alloc_later (Planted *planted)
{
  CUdeviceptr memory = 0;
  CUresult result;

  if (!planted->capturing || plant_countdown-- > 0)
    return CUDA_SUCCESS;
  result = (*planted->call.cuMemAlloc) (&memory, 64);
  return result == CUDA_SUCCESS ? (*planted->call.cuMemFree) (memory) : result;
}

/* What could be captured once may fail the next time, into the graph itself, or for the graph of another path. */
static void
test_foreign_fails_later (gconstpointer countdown)
{
  ForeignFixture fixture = { 0 };
  g_autoptr (LeatMessage) warning = NULL;

  plant_countdown = GPOINTER_TO_UINT (countdown);
  foreign_fixture_set_up (&fixture);
  fixture.node->plant = plant_alloc_later;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  run_in_place (&fixture);
  warning = foreign_fixture_take_warning (&fixture);
  g_assert_nonnull (warning);
  g_assert_nonnull (strstr (leat_message_get_error (warning)->message, "cuMemAlloc"));
  g_assert_cmpuint (fixture.node->calls, >, 0);
  foreign_fixture_clear (&fixture);
}

/* Where there is no capture into a given graph, the work is a graph in the graph. */
static void
test_foreign_as_a_child (void)
{
  ForeignFixture fixture = { 0 };
  LeatDriverTable *table;
  LeatDriverTable whole;

  foreign_fixture_set_up (&fixture);
  table = (LeatDriverTable *) leat_device_get_table (fixture.device);
  whole.cuStreamBeginCaptureToGraph = table->cuStreamBeginCaptureToGraph;
  table->cuStreamBeginCaptureToGraph = NULL;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  table->cuStreamBeginCaptureToGraph = whole.cuStreamBeginCaptureToGraph;
  for (guint run = 0; run < 3; run++)
    foreign_fixture_run (&fixture, (guint8) run);
  g_assert_cmpuint (fixture.node->calls, ==, 0);
  foreign_fixture_clear (&fixture);
}

#define TRY(call)                                                                                                      \
  if ((result = (call)) != CUDA_SUCCESS)                                                                               \
  return result

/* Two branches that end with nothing after them. */
static CUresult
plant_fork_and_join (Planted *planted)
{
  CUresult result;

  TRY ((*planted->call.cuEventRecord) (planted->event, planted->stream));
  TRY ((*planted->call.cuStreamWaitEvent) (planted->other, planted->event, 0));
  TRY ((*planted->call.cuMemsetD8Async) (planted->memory, 1, 64, planted->other));
  TRY ((*planted->call.cuMemsetD8Async) (planted->spare, 1, 64, planted->stream));
  TRY ((*planted->call.cuEventRecord) (planted->event, planted->other));
  return (*planted->call.cuStreamWaitEvent) (planted->stream, planted->event, 0);
}

static void
test_foreign_may_fork (void)
{
  ForeignFixture fixture = { 0 };

  foreign_fixture_set_up (&fixture);
  fixture.node->plant = plant_fork_and_join;
  fixture.node->late = TRUE;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  for (guint run = 0; run < 3; run++)
    foreign_fixture_run (&fixture, (guint8) run);
  g_assert_cmpuint (fixture.node->calls, ==, 0);
  foreign_fixture_clear (&fixture);
}

static void
set_number (LeatPipeline *pipeline, const char *node, const char *name, double value)
{
  g_autoptr (GError) error = NULL;

  leat_node_set_arg (leat_pipeline_get_node (pipeline, node, NULL), name, g_variant_new_double (value), &error);
  g_assert_no_error (error);
}

static void
put_kernels_around (LeatPipeline *pipeline)
{
  static const char *const names[] = { "up", "before", "foreign", "after", "down" };
  g_autoptr (GError) error = NULL;

  foreign_fixture_make_node (pipeline, "map", "before", "expr", "x+a");
  foreign_fixture_make_node (pipeline, "map", "after", "expr", "x+b");
  leat_port_unlink (leat_node_get_port (leat_pipeline_get_node (pipeline, "foreign", NULL), "in", NULL));
  leat_port_unlink (leat_node_get_port (leat_pipeline_get_node (pipeline, "down", NULL), "in", NULL));
  for (guint i = 0; i + 1 < G_N_ELEMENTS (names); i++)
    leat_pipeline_link (pipeline, names[i], names[i + 1], &error);
  g_assert_no_error (error);
  set_number (pipeline, "before", "a", 0);
  set_number (pipeline, "after", "b", 0);
}

/* Kernels on both sides of the cut: their arguments change in the graph that has them. */
static void
test_foreign_between_kernels (gconstpointer why_not_captured)
{
  ForeignFixture fixture = { 0 };

  foreign_fixture_set_up (&fixture);
  put_kernels_around (fixture.base.pipeline);
  fixture.node->why_not_captured = why_not_captured;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_AUTO);
  g_assert_cmpuint (foreign_fixture_predict (&fixture, "graph-launches"), ==, why_not_captured != NULL ? 2 : 1);
  for (guint run = 1; run < 5; run++)
    {
      guint8 x[N] = { 0 };
      g_autoptr (GBytes) output = NULL;
      const guint8 *y;

      set_number (fixture.base.pipeline, "before", "a", run);
      set_number (fixture.base.pipeline, "after", "b", 2 * run);
      output = session_fixture_run (&fixture.base, x, sizeof x);
      y = g_bytes_get_data (output, NULL);
      g_assert_cmpuint (y[0], ==, 0x5a + 2 * run);
      g_assert_cmpuint (y[N - 1], ==, 3 * run);
    }
  foreign_fixture_clear (&fixture);
}

/* The node by its kind and name, the call, and what each run costs now; in words and in the details. */
static void
assert_warning_tells (LeatMessage *warning, const char *call)
{
  static const char *const price = "; each run is 2 graph launches and 1 op outside, instead of one launch";
  g_autofree char *begin =
    g_strconcat ("toy:foreign \"foreign\": stamp cannot be captured: ", call, call != NULL ? ": " : NULL, NULL);
  GVariant *details = leat_message_get_details (warning);
  const char *text = leat_message_get_error (warning)->message, *named = NULL;
  guint op = 0, launches = 0, outside = 0;

  g_test_message ("%s", text);
  g_variant_lookup (details, "call", "&s", &named);
  g_assert_cmpstr (named, ==, call);
  g_assert_true (g_str_has_prefix (text, begin));
  g_assert_true (g_str_has_suffix (text, price));
  g_assert_true (g_variant_lookup (details, "op", "u", &op));
  g_assert_cmpuint (op, ==, 2); /* after the source and the upload */
  g_assert_true (g_variant_lookup (details, "graph-launches", "u", &launches));
  g_assert_cmpuint (launches, ==, 2);
  g_assert_true (g_variant_lookup (details, "ops-outside", "u", &outside));
  g_assert_cmpuint (outside, ==, 1);
}

/* The plan of the open session tells the same. */
static void
assert_plan_tells (ForeignFixture *fixture, const char *call)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (fixture->base.session);
  g_autofree char *text = leat_plan_to_text (plan);
  g_autofree char *why = g_strconcat ("one by one: ", call, NULL);

  g_assert_nonnull (strstr (text, why));
}

static void
test_foreign_names_the_call (gconstpointer data)
{
  const PlantedCase *planted = data;
  ForeignFixture fixture = { 0 };
  g_autoptr (LeatMessage) warning = NULL;

  foreign_fixture_set_up (&fixture);
  fixture.node->plant = planted->plant;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  warning = foreign_fixture_take_warning (&fixture);
  g_assert_nonnull (warning);
  assert_warning_tells (warning, planted->call);
  assert_plan_tells (&fixture, planted->call);
  g_assert_cmpuint (foreign_fixture_predict (&fixture, "graph-launches"), ==, 2);
  for (guint run = 0; run < 3; run++)
    foreign_fixture_run (&fixture, (guint8) run);
  g_assert_cmpuint (fixture.node->calls, ==, 3);
  foreign_fixture_clear (&fixture);
}

/* A node that goes on as if nothing had happened. */
static void
test_foreign_finds_the_careless (gconstpointer data)
{
  const PlantedCase *planted = data;
  ForeignFixture fixture = { 0 };
  g_autoptr (LeatMessage) warning = NULL;

  foreign_fixture_set_up (&fixture);
  fixture.node->plant = planted->plant;
  fixture.node->careless = TRUE;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_AUTO);
  warning = foreign_fixture_take_warning (&fixture);
  if (!planted->careful)
    {
      const char *call = NULL;

      g_assert_nonnull (warning);
      g_variant_lookup (leat_message_get_details (warning), "call", "&s", &call);
      g_assert_cmpstr (call, ==, planted->call);
    }
  for (guint run = 0; run < 3; run++)
    foreign_fixture_run (&fixture, (guint8) run);
  foreign_fixture_clear (&fixture);
}

/* One side of a copy in several dimensions. */
typedef enum
{
  SIDE_DEVICE,
  SIDE_PINNED,
  SIDE_PAGEABLE,
  SIDE_UNIFIED_PINNED,
  SIDE_UNIFIED_PAGEABLE,
  N_SIDES
} Side;

static const CUmemorytype side_types[N_SIDES] = { CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST,
                                                  CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED };
static Side copy_from, copy_to;
static gboolean copy_is_box;
static char copy_pageable[N];

static CUdeviceptr
find_side (Planted *planted, Side side, gboolean to)
{
  if (side == SIDE_DEVICE)
    return to ? planted->spare : planted->memory;
  return (CUdeviceptr) (guintptr) (side == SIDE_PINNED || side == SIDE_UNIFIED_PINNED ? (char *) planted->pinned
                                                                                      : copy_pageable)
         + (to ? N / 2 : 0);
}

/* Fills what the driver looks at of a side of that kind, and leaves the other field 0. */
#define COPY_SIDES(planted, pitch)                                                                                     \
  .srcMemoryType = side_types[copy_from],                                                                              \
  .srcHost = side_types[copy_from] == CU_MEMORYTYPE_HOST ? (void *) find_side (planted, copy_from, FALSE) : NULL,      \
  .srcDevice = side_types[copy_from] != CU_MEMORYTYPE_HOST ? find_side (planted, copy_from, FALSE) : 0,                \
  .srcPitch = (pitch), .dstMemoryType = side_types[copy_to],                                                           \
  .dstHost = side_types[copy_to] == CU_MEMORYTYPE_HOST ? (void *) find_side (planted, copy_to, TRUE) : NULL,           \
  .dstDevice = side_types[copy_to] != CU_MEMORYTYPE_HOST ? find_side (planted, copy_to, TRUE) : 0, .dstPitch = (pitch)

static CUresult
plant_copy (Planted *planted)
{
  const CUDA_MEMCPY2D rows = { COPY_SIDES (planted, 16), .WidthInBytes = 8, .Height = 2 };
  const CUDA_MEMCPY3D box = { COPY_SIDES (planted, 16), .srcHeight = 2, .dstHeight = 2,
                              .WidthInBytes = 8,        .Height = 2,    .Depth = 1 };

  return copy_is_box ? (*planted->call.cuMemcpy3DAsync) (&box, planted->stream)
                     : (*planted->call.cuMemcpy2DAsync) (&rows, planted->stream);
}

/* Whichever side it is on and however that is said, memory of the host is captured where it is pinned, and only there.
 */
static void
test_foreign_copies_of_rows (gconstpointer data)
{
  copy_is_box = GPOINTER_TO_INT (data);
  for (copy_from = SIDE_DEVICE; copy_from < N_SIDES; copy_from++)
    for (copy_to = SIDE_DEVICE; copy_to < N_SIDES; copy_to++)
      {
        ForeignFixture fixture = { 0 };
        g_autoptr (LeatMessage) warning = NULL;
        gboolean pageable = copy_from == SIDE_PAGEABLE || copy_from == SIDE_UNIFIED_PAGEABLE || copy_to == SIDE_PAGEABLE
                            || copy_to == SIDE_UNIFIED_PAGEABLE;

        g_test_message ("from %d to %d", (int) copy_from, (int) copy_to);
        foreign_fixture_set_up (&fixture);
        fixture.node->plant = plant_copy;
        foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
        warning = foreign_fixture_take_warning (&fixture);
        g_assert_cmpint (warning != NULL, ==, pageable);
        if (warning != NULL)
          assert_warning_tells (warning, copy_is_box ? "cuMemcpy3DAsync" : "cuMemcpy2DAsync");
        foreign_fixture_run (&fixture, 1);
        g_assert_cmpuint (fixture.node->calls, ==, pageable ? 1 : 0);
        foreign_fixture_clear (&fixture);
      }
}

static void
run_between (ForeignFixture *fixture, guint times)
{
  guint8 x[N];
  g_autoptr (GBytes) output = NULL;
  const guint8 *y;

  memset (x, 3, sizeof x);
  output = session_fixture_run (&fixture->base, x, sizeof x);
  y = g_bytes_get_data (output, NULL);
  g_assert_cmpuint (y[0], ==, (guint8) (0x5a * times));
  g_assert_cmpuint (y[N - 1], ==, 3 * times);
}

/* Another kernel after the foreign work: graphs without such work are updated, one that has it is made anew. */
static void
test_foreign_is_planned_anew (gconstpointer why_not_captured)
{
  ForeignFixture fixture = { 0 };
  gboolean cut = why_not_captured != NULL;
  g_autoptr (GError) error = NULL;

  foreign_fixture_set_up (&fixture);
  put_kernels_around (fixture.base.pipeline);
  fixture.node->why_not_captured = why_not_captured;
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  run_between (&fixture, 1);
  for (guint times = 2; times < 5; times++)
    {
      g_autofree char *expr = g_strdup_printf ("x*%u+b", times);

      leat_node_set_from_string (leat_pipeline_get_node (fixture.base.pipeline, "after", NULL), "expr", expr, &error);
      g_assert_no_error (error);
      run_between (&fixture, times);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture.base, "replans"), ==, 3);
  g_assert_cmpuint (session_fixture_get_count (&fixture.base, "instantiations"), ==, cut ? 2 : 4);
  g_assert_cmpuint (session_fixture_get_count (&fixture.base, "graph-updates"), ==, cut ? 6 : 0);
  g_assert_cmpuint (fixture.node->destroyed, ==, 3);
  foreign_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/foreign/is-captured", test_foreign_is_captured);
  g_test_add_func ("/leat/session/foreign/not-on-cpu", test_foreign_not_on_cpu);
  g_test_add_func ("/leat/session/foreign/is-called-by-eager", test_foreign_is_called_by_eager);
  g_test_add_func ("/leat/session/foreign/may-refuse", test_foreign_may_refuse);
  g_test_add_func ("/leat/session/foreign/auto-leaves-small-pieces", test_foreign_auto_leaves_small_pieces);
  g_test_add_func ("/leat/session/foreign/that-does-nothing", test_foreign_that_does_nothing);
  g_test_add_func ("/leat/session/foreign/finds-calls", test_foreign_finds_calls);
  g_test_add_func ("/leat/session/foreign/failure-is-of-its-node", test_foreign_failure_is_of_its_node);
  g_test_add_func ("/leat/session/foreign/is-not-remembered", test_foreign_is_not_remembered);
  g_test_add_func ("/leat/session/foreign/in-resident-runs", test_foreign_in_resident_runs);
  g_test_add_data_func ("/leat/session/foreign/arguments-change/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_foreign_arguments_change);
  g_test_add_data_func ("/leat/session/foreign/arguments-change/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_foreign_arguments_change);
  g_test_add_data_func ("/leat/session/foreign/fails-later/in-the-graph", GUINT_TO_POINTER (1),
                        test_foreign_fails_later);
  g_test_add_data_func ("/leat/session/foreign/fails-later/in-another-path", GUINT_TO_POINTER (2),
                        test_foreign_fails_later);
  g_test_add_func ("/leat/session/foreign/as-a-child", test_foreign_as_a_child);
  g_test_add_func ("/leat/session/foreign/may-fork", test_foreign_may_fork);
  g_test_add_data_func ("/leat/session/foreign/copies-of-rows", GINT_TO_POINTER (FALSE), test_foreign_copies_of_rows);
  g_test_add_data_func ("/leat/session/foreign/copies-of-boxes", GINT_TO_POINTER (TRUE), test_foreign_copies_of_rows);
  g_test_add_data_func ("/leat/session/foreign/is-planned-anew/captured", NULL, test_foreign_is_planned_anew);
  g_test_add_data_func ("/leat/session/foreign/is-planned-anew/cut", "it reads a clock", test_foreign_is_planned_anew);
  g_test_add_data_func ("/leat/session/foreign/between-kernels/captured", NULL, test_foreign_between_kernels);
  g_test_add_data_func ("/leat/session/foreign/between-kernels/cut", "it reads a clock", test_foreign_between_kernels);
  for (guint i = 0; i < n_planted_cases; i++)
    {
      g_autofree char *named = g_strdup_printf ("/leat/session/foreign/names-the-call/%s", planted_cases[i].name);
      g_autofree char *careless = g_strdup_printf ("/leat/session/foreign/careless/%s", planted_cases[i].name);

      g_test_add_data_func (named, &planted_cases[i], test_foreign_names_the_call);
      g_test_add_data_func (careless, &planted_cases[i], test_foreign_finds_the_careless);
    }
  return g_test_run ();
}
