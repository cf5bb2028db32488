/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"
#include "tally-node.h"

#include "driver/leat-driver-private.h"

#include <string.h>

/* A driver that refuses what a change needs, call by call: the table that every call goes through gets functions of
 * this file. */

#define N 256
#define MAP                                                                                                            \
  "app name=source spec=f32[256] -> upload mode=copy -> map name=m expr=\"a*x+b\" a=2 b=1 "                            \
  "-> readback name=r mode=copy -> app name=sink\n"

static LeatDriverTable real;
static guint n_refusals; /* how many more instantiations fail */

static LeatDriverTable *
plant (SessionFixture *fixture)
{
  LeatDriverTable *table = (LeatDriverTable *) leat_device_get_table (leat_session_get_device (fixture->session));

  real = *table;
  return table;
}

static void
set (SessionFixture *fixture, const char *node, const char *property, const char *text)
{
  g_autoptr (GError) error = NULL;

  leat_node_set_from_string (leat_pipeline_get_node (fixture->pipeline, node, NULL), property, text, &error);
  g_assert_no_error (error);
}

static void
run_and_check (SessionFixture *fixture, guint n, float a, float b)
{
  g_autofree float *x = g_new (float, n);
  g_autoptr (GBytes) output = NULL;
  const float *y;

  for (guint i = 0; i < n; i++)
    x[i] = (float) (i % 1021);
  output = session_fixture_run (fixture, x, n * sizeof *x);
  y = g_bytes_get_data (output, NULL);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (y[i], ==, a * x[i] + b);
}

static guint64
get_stat (SessionFixture *fixture, const char *name)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (fixture->session);
  guint64 value = 0;

  g_assert_true (g_variant_lookup (stats, name, "t", &value));
  return value;
}

static char *
dup_reason (SessionFixture *fixture)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (fixture->session);
  char *reason = NULL;

  g_variant_lookup (stats, "last-reason", "s", &reason);
  return reason;
}

static void
fail_run (SessionFixture *fixture, GQuark domain, int code)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (leat_session_replay (fixture->session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, domain, code);
}

/* Blames the first kernel of the new graph. */
static CUresult
refuse_update (CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *result)
{
  CUgraphNode nodes[16];
  size_t n = G_N_ELEMENTS (nodes);
  CUgraphNodeType type;

  result->result = CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED;
  result->errorNode = NULL;
  g_assert_cmpint ((*real.cuGraphGetNodes) (graph, nodes, &n), ==, CUDA_SUCCESS);
  for (size_t i = 0; i < n && result->errorNode == NULL; i++)
    if ((*real.cuGraphNodeGetType) (nodes[i], &type) == CUDA_SUCCESS && type == CU_GRAPH_NODE_TYPE_KERNEL)
      result->errorNode = nodes[i];
  return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

static CUresult
refuse_instantiation (CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
  if (n_refusals == 0)
    return (*real.cuGraphInstantiateWithFlags) (exec, graph, flags);
  n_refusals--;
  return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult
refuse_node (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
  return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult
refuse_memory (CUdeviceptr *address, size_t bytes)
{
  return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult
refuse_pinned (void **host, size_t bytes, unsigned int flags)
{
  return CUDA_ERROR_OUT_OF_MEMORY;
}

/* The reason names the node. */
static void
test_faults_update_refused (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;
  g_autofree char *reason = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, N, 2, 1);
  table = plant (&fixture);
  table->cuGraphExecUpdate = refuse_update;
  set (&fixture, "m", "expr", "a*x-b");
  run_and_check (&fixture, N, 2, -1);
  *table = real;
  g_assert_cmpuint (get_stat (&fixture, "instantiations"), ==, 2);
  g_assert_cmpuint (get_stat (&fixture, "graph-updates"), ==, 0);
  reason = dup_reason (&fixture);
  g_assert_cmpstr (reason, ==, "the driver does not update the executable at map \"m\": another function");
  session_fixture_close (&fixture);
}

static void
test_faults_no_update_function (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, N, 2, 1);
  table = plant (&fixture);
  table->cuGraphExecUpdate = NULL;
  set (&fixture, "m", "expr", "a*x-b");
  run_and_check (&fixture, N, 2, -1);
  *table = real;
  g_assert_cmpuint (get_stat (&fixture, "instantiations"), ==, 2);
  session_fixture_close (&fixture);
}

/* An executable that may be half updated is made again from what it was. */
static void
test_faults_build_refused (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, N, 2, 1);
  set (&fixture, "m", "a", "5");
  run_and_check (&fixture, N, 5, 1);
  table = plant (&fixture);
  table->cuGraphExecUpdate = refuse_update;
  table->cuGraphInstantiateWithFlags = refuse_instantiation;
  n_refusals = 1;
  set (&fixture, "m", "expr", "a*x-b");
  fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  run_and_check (&fixture, N, 5, 1);
  *table = real;
  set (&fixture, "m", "expr", "a*x-b");
  run_and_check (&fixture, N, 5, -1);
  session_fixture_close (&fixture);
}

/* With nothing left to run, the session says so, and can be opened again. */
static void
test_faults_nothing_left (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, N, 2, 1);
  table = plant (&fixture);
  table->cuGraphExecUpdate = refuse_update;
  table->cuGraphInstantiateWithFlags = refuse_instantiation;
  n_refusals = 2;
  set (&fixture, "m", "expr", "a*x-b");
  fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  fail_run (&fixture, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED);
  *table = real;
  leat_session_close (fixture.session);
  g_assert_true (leat_session_open (fixture.session, NULL, &error));
  g_assert_no_error (error);
  run_and_check (&fixture, N, 2, -1);
  session_fixture_close (&fixture);
}

/* Where the driver does not update a node in place, it may update the whole, and else an executable is made. */
static void
test_faults_node_refused (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;
  g_autofree char *reason = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, N, 2, 1);
  table = plant (&fixture);
  /* Both come at once: the plan that matches finds another value for the kernel. */
  table->cuGraphExecKernelNodeSetParams = refuse_node;
  set (&fixture, "m", "a", "3");
  set (&fixture, "m", "expr", "a*x+b");
  run_and_check (&fixture, N, 3, 1);
  g_assert_cmpuint (get_stat (&fixture, "updates"), ==, 0);
  g_assert_cmpuint (get_stat (&fixture, "graph-updates"), ==, 1);
  g_assert_cmpuint (get_stat (&fixture, "instantiations"), ==, 1);
  reason = dup_reason (&fixture);
  g_assert_nonnull (strstr (reason, "cuGraphExecKernelNodeSetParams"));
  table->cuGraphExecUpdate = refuse_update;
  set (&fixture, "m", "a", "4");
  set (&fixture, "m", "expr", "a*x+b");
  run_and_check (&fixture, N, 4, 1);
  g_assert_cmpuint (get_stat (&fixture, "instantiations"), ==, 2);
  *table = real;
  session_fixture_close (&fixture);
}

static CUresult
refuse_write (CUdeviceptr to, const void *from, size_t bytes)
{
  return CUDA_ERROR_NOT_SUPPORTED;
}

/* A constant that may be half written is nothing to go on with. */
static void
test_faults_constant_refused (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;
  g_autoptr (GError) error = NULL;

  fixture.pipeline = tally_node_make_pipeline ("f32[16]");
  fixture.session = leat_session_new (fixture.pipeline, NULL);
  g_object_set (fixture.session, "executor", LEAT_EXECUTOR_GRAPH, NULL);
  g_assert_true (leat_session_open (fixture.session, NULL, &error));
  g_assert_no_error (error);
  fixture.source = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "source", NULL));
  fixture.sink = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "sink", NULL));
  run_and_check (&fixture, 16, 1, 1);
  table = plant (&fixture);
  table->cuMemcpyHtoD = refuse_write;
  set (&fixture, "tally", "table", "5");
  fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_UNSUPPORTED);
  *table = real;
  fail_run (&fixture, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED);
  leat_session_close (fixture.session);
  g_assert_true (leat_session_open (fixture.session, NULL, &error));
  run_and_check (&fixture, 16, 1, 6);
  session_fixture_close (&fixture);
}

static void
test_faults_no_memory (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  run_and_check (&fixture, N, 2, 1);
  set (&fixture, "source", "spec", "f32[512]");
  run_and_check (&fixture, 512, 2, 1);
  table = plant (&fixture);
  table->cuMemAlloc = refuse_memory;
  set (&fixture, "source", "spec", "f32[3000000]");
  fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  *table = real;
  run_and_check (&fixture, 512, 2, 1);
  table->cuMemHostAlloc = refuse_pinned;
  set (&fixture, "source", "spec", "f32[3000000]");
  fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  *table = real;
  run_and_check (&fixture, 512, 2, 1);
  set (&fixture, "source", "spec", "f32[256]");
  run_and_check (&fixture, 256, 2, 1);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/replan/faults/update-refused", test_faults_update_refused);
  g_test_add_func ("/leat/session/replan/faults/no-update-function", test_faults_no_update_function);
  g_test_add_func ("/leat/session/replan/faults/build-refused", test_faults_build_refused);
  g_test_add_func ("/leat/session/replan/faults/nothing-left", test_faults_nothing_left);
  g_test_add_func ("/leat/session/replan/faults/node-refused", test_faults_node_refused);
  g_test_add_func ("/leat/session/replan/faults/constant-refused", test_faults_constant_refused);
  g_test_add_func ("/leat/session/replan/faults/no-memory", test_faults_no_memory);
  return g_test_run ();
}
