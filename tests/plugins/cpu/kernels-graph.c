/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-graph.h"

/* Graphs of small kernels: which thread runs them changes with what they took before, the results must not. */

#define WORDS    64
#define BRANCHES 6
#define LENGTH   5
#define RUNS     50

static guint32
step (guint32 x, guint32 multiply, guint32 rounds)
{
  while (rounds-- > 0)
    x = x * multiply + 1;
  return x;
}

static void
check_branch (LeatMemory *end, guint32 start, guint branch, guint32 rounds)
{
  g_autofree guint32 *out = kernel_fixture_dup (end);

  for (guint i = 0; i < WORDS; i++)
    {
      guint32 x = start + i;

      for (guint k = 0; k < LENGTH; k++)
        x = step (x, 3 + branch, k == LENGTH - 1 ? rounds : 1);
      g_assert_cmpuint (out[i], ==, x);
    }
}

static void
fill (LeatMemory *memory, guint32 start)
{
  guint32 x[WORDS];
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < WORDS; i++)
    x[i] = start + i;
  leat_memory_write (memory, 0, x, sizeof x, &error);
  g_assert_no_error (error);
}

/* Branches of chains, whose last kernels become long and short again. */
static void
test_graph_branches (gconstpointer data)
{
  guint blocks = GPOINTER_TO_UINT (data);
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("graph.cu");
  LeatMemory *at[BRANCHES][LENGTH + 1];
  CUgraphNode last[BRANCHES];
  LeatMemory *in;
  KernelGraph graph;

  if (fixture == NULL)
    return;
  in = kernel_fixture_put (fixture, NULL, WORDS * sizeof (guint32));
  kernel_graph_open (&graph, fixture);
  for (guint b = 0; b < BRANCHES; b++)
    {
      CUgraphNode node = NULL;

      at[b][0] = in;
      for (guint k = 0; k < LENGTH; k++)
        {
          at[b][k + 1] = kernel_fixture_put (fixture, NULL, WORDS * sizeof (guint32));
          node = kernel_graph_add (
            &graph, node, "step", blocks, 8,
            (void *[]){ A (at[b][k + 1]), A (at[b][k]), V (guint32, 3 + b), V (guint32, 1), NO_WAIT });
        }
      last[b] = node;
    }
  kernel_graph_instantiate (&graph);
  for (guint run = 0; run < RUNS; run++)
    {
      guint32 rounds = run % 20 < 15 ? 1 : 3000;

      for (guint b = 0; b < BRANCHES; b++)
        {
          CUDA_KERNEL_NODE_PARAMS params = kernel_graph_get_params (
            &graph, "step", blocks, 8,
            (void *[]){ A (at[b][LENGTH]), A (at[b][LENGTH - 1]), V (guint32, 3 + b), V (guint32, rounds), NO_WAIT });

          g_assert_cmpint (graph.table->cuGraphExecKernelNodeSetParams (graph.exec, last[b], &params), ==,
                           CUDA_SUCCESS);
        }
      fill (in, run);
      kernel_graph_run (&graph);
      for (guint b = 0; b < BRANCHES; b++)
        check_branch (at[b][LENGTH], run, b, rounds);
    }
  kernel_graph_close (&graph);
}

/* However short they were, kernels that wait for each other get a thread each. */
static void
test_graph_branches_meet (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("graph.cu");
  LeatMemory *flags[2], *rounds[2];
  KernelGraph graph;

  if (fixture == NULL)
    return;
  if (!leat_device_is_cpu (fixture->device))
    {
      g_test_skip ("only the CPU driver promises that branches of a graph run at the same time");
      return;
    }
  for (guint i = 0; i < 2; i++)
    {
      flags[i] = kernel_fixture_put (fixture, NULL, sizeof (guint32));
      rounds[i] = kernel_fixture_put (fixture, NULL, sizeof (guint32));
    }
  kernel_graph_open (&graph, fixture);
  for (guint i = 0; i < 2; i++)
    kernel_graph_add (&graph, NULL, "meet", 1, 1, (void *[]){ A (flags[i]), A (flags[1 - i]), A (rounds[i]), NO_WAIT });
  kernel_graph_instantiate (&graph);
  for (guint run = 0; run < RUNS; run++)
    kernel_graph_run (&graph);
  for (guint i = 0; i < 2; i++)
    {
      guint32 round = 0;

      kernel_fixture_get (rounds[i], &round, sizeof round);
      g_assert_cmpuint (round, ==, RUNS);
    }
  kernel_graph_close (&graph);
}

/* Many runs that are waited for at once, then one that nobody waits for. */
static void
test_graph_begins_unwaited (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("graph.cu");
  LeatMemory *in, *out;
  KernelGraph graph;

  if (fixture == NULL)
    return;
  in = kernel_fixture_put (fixture, NULL, WORDS * sizeof (guint32));
  out = kernel_fixture_put (fixture, NULL, WORDS * sizeof (guint32));
  kernel_graph_open (&graph, fixture);
  kernel_graph_add (&graph, NULL, "step", 1, 8, (void *[]){ A (out), A (in), V (guint32, 3), V (guint32, 1), NO_WAIT });
  kernel_graph_instantiate (&graph);
  for (guint round = 0; round < 10; round++)
    {
      CUstream stream = leat_stream_get (fixture->stream);
      gint64 until = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;
      CUresult result;

      for (guint run = 0; run < 100; run++)
        kernel_graph_run (&graph);
      g_assert_cmpint (graph.table->cuGraphLaunch (graph.exec, stream), ==, CUDA_SUCCESS);
      while ((result = graph.table->cuStreamQuery (stream)) == CUDA_ERROR_NOT_READY && g_get_monotonic_time () < until)
        g_usleep (20);
      g_assert_cmpint (result, ==, CUDA_SUCCESS);
      /* Long enough for the watch to end. */
      if (round % 4 == 0)
        g_usleep (10000);
    }
  kernel_graph_close (&graph);
}

void
test_kernels_add_graph (void)
{
  g_test_add_data_func ("/leat/cpu/kernels/graph/branches/one-block", GUINT_TO_POINTER (1), test_graph_branches);
  g_test_add_data_func ("/leat/cpu/kernels/graph/branches/eight-blocks", GUINT_TO_POINTER (8), test_graph_branches);
  g_test_add_func ("/leat/cpu/kernels/graph/begins-unwaited", test_graph_begins_unwaited);
  g_test_add_func ("/leat/cpu/kernels/graph/branches-meet", test_graph_branches_meet);
}
