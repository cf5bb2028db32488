/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "replan-fixture.h"

#include <string.h>

/* A driver that refuses what a change needs, call by call: the table that every call goes through gets functions of
 * this file. */

static LeatDriverTable real;
static guint n_passes, n_refusals; /* how many more instantiations are made, and after them fail */

static LeatDriverTable *
open_and_plant (SessionFixture *fixture)
{
  session_fixture_open (fixture, MAP, LEAT_EXECUTOR_GRAPH);
  replan_fixture_run_and_check (fixture, N, 2, 1);
  return replan_fixture_plant (fixture, &real);
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
  if (n_passes > 0 || n_refusals == 0)
    {
      n_passes -= n_passes > 0;
      return (*real.cuGraphInstantiateWithFlags) (exec, graph, flags);
    }
  n_refusals--;
  return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult
refuse_node (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
  return CUDA_ERROR_NOT_SUPPORTED;
}

/* The reason names the node. */
static void
test_faults_update_refused (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;
  g_autofree char *reason = NULL;

  table = open_and_plant (&fixture);
  table->cuGraphExecUpdate = refuse_update;
  replan_fixture_set (&fixture, "m", "expr", "a*x-b");
  replan_fixture_run_and_check (&fixture, N, 2, -1);
  *table = real;
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 2);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "graph-updates"), ==, 0);
  reason = replan_fixture_dup_reason (&fixture);
  g_assert_cmpstr (reason, ==, "the driver does not update the executable at map \"m\": another function");
  session_fixture_close (&fixture);
}

static void
test_faults_no_update_function (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;

  table = open_and_plant (&fixture);
  table->cuGraphExecUpdate = NULL;
  replan_fixture_set (&fixture, "m", "expr", "a*x-b");
  replan_fixture_run_and_check (&fixture, N, 2, -1);
  *table = real;
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 2);
  session_fixture_close (&fixture);
}

/* An executable that may be half updated is made again from what it was. */
static void
test_faults_build_refused (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  replan_fixture_run_and_check (&fixture, N, 2, 1);
  replan_fixture_set (&fixture, "m", "a", "5");
  replan_fixture_run_and_check (&fixture, N, 5, 1);
  table = replan_fixture_plant (&fixture, &real);
  table->cuGraphExecUpdate = refuse_update;
  table->cuGraphInstantiateWithFlags = refuse_instantiation;
  n_refusals = 1;
  replan_fixture_set (&fixture, "m", "expr", "a*x-b");
  replan_fixture_fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  replan_fixture_run_and_check (&fixture, N, 5, 1);
  *table = real;
  replan_fixture_set (&fixture, "m", "expr", "a*x-b");
  replan_fixture_run_and_check (&fixture, N, 5, -1);
  session_fixture_close (&fixture);
}

/* With nothing left to run, the session says so, and can be opened again. */
static void
test_faults_nothing_left (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;
  g_autoptr (GError) error = NULL;

  table = open_and_plant (&fixture);
  table->cuGraphExecUpdate = refuse_update;
  table->cuGraphInstantiateWithFlags = refuse_instantiation;
  n_refusals = 2;
  replan_fixture_set (&fixture, "m", "expr", "a*x-b");
  replan_fixture_fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  replan_fixture_fail_run (&fixture, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED);
  *table = real;
  leat_session_close (fixture.session);
  g_assert_true (leat_session_open (fixture.session, NULL, &error));
  g_assert_no_error (error);
  replan_fixture_run_and_check (&fixture, N, 2, -1);
  session_fixture_close (&fixture);
}

/* Where the driver does not update a node in place, it may update the whole, and else an executable is made. */
static void
test_faults_node_refused (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;
  g_autofree char *reason = NULL;

  table = open_and_plant (&fixture);
  /* Both come at once: the plan that matches finds another value for the kernel. */
  table->cuGraphExecKernelNodeSetParams = refuse_node;
  replan_fixture_set (&fixture, "m", "a", "3");
  replan_fixture_set (&fixture, "m", "expr", "a*x+b");
  replan_fixture_run_and_check (&fixture, N, 3, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "updates"), ==, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "graph-updates"), ==, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 1);
  reason = replan_fixture_dup_reason (&fixture);
  g_assert_nonnull (strstr (reason, "cuGraphExecKernelNodeSetParams"));
  table->cuGraphExecUpdate = refuse_update;
  replan_fixture_set (&fixture, "m", "a", "4");
  replan_fixture_set (&fixture, "m", "expr", "a*x+b");
  replan_fixture_run_and_check (&fixture, N, 4, 1);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 2);
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

  replan_fixture_open_tally (&fixture, "f32[16]");
  replan_fixture_run_and_check (&fixture, 16, 1, 1);
  table = replan_fixture_plant (&fixture, &real);
  table->cuMemcpyHtoD = refuse_write;
  replan_fixture_set (&fixture, "tally", "table", "5");
  replan_fixture_fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_UNSUPPORTED);
  *table = real;
  replan_fixture_fail_run (&fixture, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED);
  leat_session_close (fixture.session);
  g_assert_true (leat_session_open (fixture.session, NULL, &error));
  replan_fixture_run_and_check (&fixture, 16, 1, 6);
  session_fixture_close (&fixture);
}

static void
replay_in_place (SessionFixture *fixture, float expected)
{
  g_autoptr (GError) error = NULL;
  LeatView out;

  leat_session_replay (fixture->session, FALSE, NULL, &error);
  g_assert_no_error (error);
  leat_session_map_output (fixture->session, "sink", &out, &error);
  g_assert_cmpfloat (((float *) out.data)[9], ==, expected);
}

/* A graph that only some runs take, and that could not be made at once, is made by the first that takes it. */
static void
test_faults_other_path_refused (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;
  LeatDriver *driver;
  g_autoptr (GError) error = NULL;
  LeatView in, out;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_map_output (fixture.session, "sink", &out, &error);
  leat_session_map_input (fixture.session, "source", &in, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N; i++)
    ((float *) in.data)[i] = (float) i;
  replay_in_place (&fixture, 19);
  replay_in_place (&fixture, 19);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-reused"), ==, 1);
  table = replan_fixture_plant (&fixture, &real);
  table->cuGraphExecUpdate = refuse_update;
  table->cuGraphInstantiateWithFlags = refuse_instantiation;
  n_passes = n_refusals = 1;
  replan_fixture_set (&fixture, "m", "expr", "a*x-b");
  replay_in_place (&fixture, 17);
  g_assert_cmpuint (n_refusals, ==, 0);
  *table = real;
  driver = replan_fixture_start_trace (&fixture);
  replay_in_place (&fixture, 17);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-reused"), ==, 2);
  g_assert_cmpuint (COUNT (driver, cuGraphInstantiateWithFlags), ==, 1);
  g_assert_cmpuint (COUNT (driver, cuGraphLaunch), ==, 1);
  session_fixture_close (&fixture);
}

/* Nodes of which some may have been updated are no reason to give the session up, as long as the graph can be made. */
static void
test_faults_node_and_build_refused (void)
{
  SessionFixture fixture;
  LeatDriverTable *table;

  table = open_and_plant (&fixture);
  table->cuGraphExecKernelNodeSetParams = refuse_node;
  table->cuGraphExecUpdate = refuse_update;
  table->cuGraphInstantiateWithFlags = refuse_instantiation;
  n_refusals = 1;
  replan_fixture_set (&fixture, "m", "a", "3");
  replan_fixture_set (&fixture, "m", "expr", "a*x+b");
  replan_fixture_fail_run (&fixture, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  *table = real;
  replan_fixture_run_and_check (&fixture, N, 3, 1);
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
  g_test_add_func ("/leat/session/replan/faults/other-path-refused", test_faults_other_path_refused);
  g_test_add_func ("/leat/session/replan/faults/node-and-build-refused", test_faults_node_and_build_refused);
  return g_test_run ();
}
