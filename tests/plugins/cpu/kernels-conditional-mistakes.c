/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-graph.h"

#include <unistd.h>

/* Errors of use around conditional nodes. */

/* FALSE, with the test skipped, where the driver has no conditional nodes. */
static gboolean
mistake_open (KernelGraph *graph, KernelFixture *fixture)
{
  kernel_graph_open (graph, fixture);
  if (graph->table->cuGraphAddNode != NULL && graph->table->cuGraphConditionalHandleCreate != NULL)
    return TRUE;
  g_test_skip ("the driver has no conditional nodes");
  kernel_graph_close (graph);
  return FALSE;
}

static LeatMemory *
mistake_put (KernelFixture *fixture, guint32 value)
{
  return kernel_fixture_put (fixture, &value, sizeof value);
}

/* Runs @check in a process of its own, as the context is lost.  It gives nothing back, and so it ends where nobody
 * looks for what is left. */
static void
mistake_run (void (*check) (KernelFixture *fixture), gboolean only_cpu)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("conditional.cu");

  if (fixture == NULL)
    return;
  if (only_cpu && !leat_device_is_cpu (fixture->device))
    {
      g_test_skip ("CUDA says nothing of what happens then");
      return;
    }
  if (g_test_subprocess ())
    {
      check (fixture);
      _exit (0);
    }
  g_test_trap_subprocess (NULL, 60 * G_USEC_PER_SEC, 0);
  g_test_trap_assert_passed ();
}

/* A graph with a node whose handle is returned; 0 where there can be none. */
static CUgraphConditionalHandle
mistake_make_node (KernelGraph *graph, KernelFixture *fixture)
{
  CUgraphConditionalHandle handle;
  CUgraph body;

  if (!mistake_open (graph, fixture))
    return 0;
  handle = kernel_graph_make_handle (graph, 0, CU_GRAPH_COND_ASSIGN_DEFAULT);
  kernel_graph_add_conditional (graph, graph->graph, NULL, handle, CU_GRAPH_COND_TYPE_IF, 1, &body);
  kernel_graph_instantiate (graph);
  return handle;
}

static void
mistake_set_in_no_graph (KernelFixture *fixture)
{
  KernelGraph graph;
  CUgraphConditionalHandle handle = mistake_make_node (&graph, fixture);
  LeatMemory *n = mistake_put (fixture, 1);

  if (handle != 0)
    g_assert_cmpint (kernel_fixture_try (fixture, "tell_odd", SIZE (1), SIZE (1), 0, FALSE,
                                         (void *[]){ A (n), V (guint64, handle), NO_WAIT }),
                     ==, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void
mistake_set_in_other_graph (KernelFixture *fixture)
{
  CUstream stream = leat_stream_get (fixture->stream);
  KernelGraph graph, other;
  CUgraphConditionalHandle handle = mistake_make_node (&graph, fixture);
  LeatMemory *n = mistake_put (fixture, 1);

  if (handle == 0)
    return;
  kernel_graph_open (&other, fixture);
  kernel_graph_add (&other, NULL, "tell_odd", 1, 1, (void *[]){ A (n), V (guint64, handle), NO_WAIT });
  kernel_graph_instantiate (&other);
  g_assert_cmpint (other.table->cuGraphLaunch (other.exec, stream), ==, CUDA_SUCCESS);
  g_assert_cmpint (other.table->cuStreamSynchronize (stream), ==, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void
mistake_set_of_gone_graph (KernelFixture *fixture)
{
  LeatMemory *n = mistake_put (fixture, 1);
  CUgraphConditionalHandle handle;
  KernelGraph gone;

  kernel_graph_open (&gone, fixture);
  handle = kernel_graph_make_handle (&gone, 0, 0);
  kernel_graph_close (&gone);
  g_assert_cmpint (kernel_fixture_try (fixture, "tell_odd", SIZE (1), SIZE (1), 0, FALSE,
                                       (void *[]){ A (n), V (guint64, handle), NO_WAIT }),
                   ==, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void
test_conditional_set_outside (void)
{
  mistake_run (mistake_set_in_no_graph, FALSE);
}

static void
test_conditional_set_in_other_graph (void)
{
  mistake_run (mistake_set_in_other_graph, TRUE);
}

static void
test_conditional_set_of_gone_graph (void)
{
  mistake_run (mistake_set_of_gone_graph, TRUE);
}

/* Without a context neither the handle is made nor the node, whatever else is wrong with it. */
static void
test_conditional_no_context (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("conditional.cu");
  CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
  CUgraphConditionalHandle handle = 0;
  CUgraphNode node = NULL;
  KernelGraph graph;

  if (fixture == NULL || !mistake_open (&graph, fixture))
    return;
  g_assert_cmpint (graph.table->cuGraphConditionalHandleCreate (&handle, graph.graph, NULL, 0, 0), ==,
                   CUDA_ERROR_INVALID_CONTEXT);
  params.conditional.type = CU_GRAPH_COND_TYPE_IF;
  params.conditional.size = 1;
  for (guint i = 0; i < 2; i++)
    {
      g_assert_cmpint (graph.table->cuGraphAddNode (&node, graph.graph, NULL, NULL, 0, &params), ==,
                       CUDA_ERROR_INVALID_CONTEXT);
      params.conditional.handle = kernel_graph_make_handle (&graph, 0, 0);
    }
  kernel_graph_close (&graph);
}

void
test_kernels_add_conditional_mistakes (void)
{
  g_test_add_func ("/leat/cpu/kernels/conditional/set-outside", test_conditional_set_outside);
  g_test_add_func ("/leat/cpu/kernels/conditional/set-in-other-graph", test_conditional_set_in_other_graph);
  g_test_add_func ("/leat/cpu/kernels/conditional/set-of-gone-graph", test_conditional_set_of_gone_graph);
  g_test_add_func ("/leat/cpu/kernels/conditional/no-context", test_conditional_no_context);
}
