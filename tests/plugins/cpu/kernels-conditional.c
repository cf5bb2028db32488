/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-graph.h"

/* Conditional nodes steered by kernels, on both drivers. */

#define WORDS  64
#define BLOCKS 3
#define ASSIGN CU_GRAPH_COND_ASSIGN_DEFAULT

typedef struct
{
  KernelFixture *fixture;
  KernelGraph graph;
} Conditional;

/* FALSE, with the test skipped, where kernels cannot be compiled or the driver has no conditional nodes. */
static gboolean
conditional_open (Conditional *self)
{
  self->fixture = kernel_fixture_open ("conditional.cu");
  if (self->fixture == NULL)
    return FALSE;
  kernel_graph_open (&self->graph, self->fixture);
  if (self->graph.table->cuGraphAddNode != NULL && self->graph.table->cuGraphConditionalHandleCreate != NULL)
    return TRUE;
  g_test_skip ("the driver has no conditional nodes");
  kernel_graph_close (&self->graph);
  g_clear_pointer (&self->fixture, kernel_fixture_close);
  return FALSE;
}

static void
conditional_close (Conditional *self)
{
  kernel_graph_close (&self->graph);
  kernel_fixture_close (self->fixture);
}

static LeatMemory *
conditional_put (Conditional *self, guint32 value)
{
  return kernel_fixture_put (self->fixture, &value, sizeof value);
}

static guint32
conditional_get (LeatMemory *memory)
{
  guint32 value;

  kernel_fixture_get (memory, &value, sizeof value);
  return value;
}

static void
conditional_set (LeatMemory *memory, guint32 value)
{
  g_autoptr (GError) error = NULL;

  leat_memory_write (memory, 0, &value, sizeof value, &error);
  g_assert_no_error (error);
}

static CUgraphNode
conditional_add_copy (Conditional *self, CUgraph graph, CUgraphNode after, LeatMemory *to, LeatMemory *from)
{
  CUDA_MEMCPY3D copy = { .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = leat_memory_get_address (from),
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = leat_memory_get_address (to),
                         .WidthInBytes = sizeof (guint32),
                         .Height = 1,
                         .Depth = 1 };
  CUcontext context = NULL;
  CUgraphNode node = NULL;

  self->graph.table->cuCtxGetCurrent (&context);
  g_assert_cmpint (self->graph.table->cuGraphAddMemcpyNode (&node, graph, after != NULL ? &after : NULL, after != NULL,
                                                            &copy, context),
                   ==, CUDA_SUCCESS);
  return node;
}

/* Any number of turns, launch after launch. */
static void
test_conditional_while (void)
{
  static const guint32 n_turns[] = { 1, 2, 3, 100, 1, 5000 };
  CUgraphConditionalHandle handle;
  LeatMemory *left, *turns;
  Conditional self;
  CUgraph body;

  if (!conditional_open (&self))
    return;
  left = conditional_put (&self, 0);
  turns = conditional_put (&self, 0);
  handle = kernel_graph_make_handle (&self.graph, 1, ASSIGN);
  kernel_graph_add_conditional (&self.graph, self.graph.graph, NULL, handle, CU_GRAPH_COND_TYPE_WHILE, 1, &body);
  kernel_graph_add_to (&self.graph, body, NULL, "take_one", BLOCKS, 32,
                       (void *[]){ A (left), A (turns), V (guint64, handle), NO_WAIT });
  kernel_graph_instantiate (&self.graph);
  for (guint i = 0; i < G_N_ELEMENTS (n_turns); i++)
    {
      gint64 began = g_get_monotonic_time ();

      conditional_set (left, n_turns[i]);
      conditional_set (turns, 0);
      kernel_graph_run (&self.graph);
      g_test_message ("%u turns: %" G_GINT64_FORMAT " us", n_turns[i], g_get_monotonic_time () - began);
      g_assert_cmpuint (conditional_get (turns), ==, n_turns[i]);
      g_assert_cmpuint (conditional_get (left), ==, 0);
    }
  conditional_close (&self);
}

/* The value at the launch is 0; whether there is a turn at all is for the kernel before to say. */
static void
test_conditional_while_is_told (void)
{
  CUgraphConditionalHandle handle;
  LeatMemory *left, *turns, *values;
  guint32 sum[32] = { 0 };
  Conditional self;
  CUgraphNode node;
  CUgraph body;

  if (!conditional_open (&self))
    return;
  left = conditional_put (&self, 0);
  turns = conditional_put (&self, 0);
  values = kernel_fixture_put (self.fixture, sum, sizeof sum);
  handle = kernel_graph_make_handle (&self.graph, 0, ASSIGN);
  node =
    kernel_graph_add (&self.graph, NULL, "tell_sum", 1, 32, (void *[]){ A (values), V (guint64, handle), NO_WAIT });
  kernel_graph_add_conditional (&self.graph, self.graph.graph, node, handle, CU_GRAPH_COND_TYPE_WHILE, 1, &body);
  kernel_graph_add_to (&self.graph, body, NULL, "take_one", 1, 1,
                       (void *[]){ A (left), A (turns), V (guint64, handle), NO_WAIT });
  kernel_graph_instantiate (&self.graph);
  kernel_graph_run (&self.graph);
  g_assert_cmpuint (conditional_get (turns), ==, 0);
  conditional_set (values, 1);
  conditional_set (left, 4);
  kernel_graph_run (&self.graph);
  g_assert_cmpuint (conditional_get (turns), ==, 4);
  conditional_close (&self);
}

/* Each value that a kernel can set, with a given number of bodies; body `b` adds 1 << 8 * b, a node behind adds one. */
static void
conditional_run_branch (CUgraphConditionalNodeType type, guint n_bodies, guint value, gint expected)
{
  CUgraphConditionalHandle handle;
  LeatMemory *count, *values;
  guint32 sum[32] = { 0 };
  CUgraph bodies[3];
  Conditional self;
  CUgraphNode node;

  if (!conditional_open (&self))
    return;
  sum[value % 32] = value;
  count = conditional_put (&self, 0);
  values = kernel_fixture_put (self.fixture, sum, sizeof sum);
  /* Another value than the kernel sets. */
  handle = kernel_graph_make_handle (&self.graph, value + 1, ASSIGN);
  node =
    kernel_graph_add (&self.graph, NULL, "tell_sum", 1, 32, (void *[]){ A (values), V (guint64, handle), NO_WAIT });
  node = kernel_graph_add_conditional (&self.graph, self.graph.graph, node, handle, type, n_bodies, bodies);
  for (guint b = 0; b < n_bodies; b++)
    kernel_graph_add_to (&self.graph, bodies[b], NULL, "count", 1, 1,
                         (void *[]){ A (count), V (guint32, 0x100u << 8 * b), NO_WAIT });
  kernel_graph_add (&self.graph, node, "count", 1, 1, (void *[]){ A (count), V (guint32, 1), NO_WAIT });
  kernel_graph_instantiate (&self.graph);
  for (guint32 run = 1; run <= 3; run++)
    {
      kernel_graph_run (&self.graph);
      g_assert_cmpuint (conditional_get (count), ==, run * (1 + (expected < 0 ? 0 : 0x100u << 8 * expected)));
    }
  conditional_close (&self);
}

static void
test_conditional_if (void)
{
  conditional_run_branch (CU_GRAPH_COND_TYPE_IF, 1, 0, -1);
  conditional_run_branch (CU_GRAPH_COND_TYPE_IF, 1, 1, 0);
  conditional_run_branch (CU_GRAPH_COND_TYPE_IF, 1, 77, 0);
}

static void
test_conditional_if_else (void)
{
  conditional_run_branch (CU_GRAPH_COND_TYPE_IF, 2, 0, 1);
  conditional_run_branch (CU_GRAPH_COND_TYPE_IF, 2, 3, 0);
}

static void
test_conditional_switch (void)
{
  for (guint value = 0; value < 5; value++)
    conditional_run_branch (CU_GRAPH_COND_TYPE_SWITCH, 3, value, value < 3 ? (gint) value : -1);
}

/* An inner loop of 7 turns in each of 5: the launch gives its value once, so the outer body has to set it. */
static void
test_conditional_nested_loops (void)
{
  LeatMemory *left, *turns, *inner_left, *inner_turns, *inner_n, *ones;
  CUgraphConditionalHandle outer, inner;
  CUgraph outer_body, inner_body;
  guint32 sum[32] = { 1 };
  Conditional self;
  CUgraphNode node;

  if (!conditional_open (&self))
    return;
  left = conditional_put (&self, 0);
  turns = conditional_put (&self, 0);
  inner_left = conditional_put (&self, 0);
  inner_turns = conditional_put (&self, 0);
  inner_n = conditional_put (&self, 7);
  ones = kernel_fixture_put (self.fixture, sum, sizeof sum);
  outer = kernel_graph_make_handle (&self.graph, 1, ASSIGN);
  inner = kernel_graph_make_handle (&self.graph, 0, ASSIGN);
  kernel_graph_add_conditional (&self.graph, self.graph.graph, NULL, outer, CU_GRAPH_COND_TYPE_WHILE, 1, &outer_body);
  node = conditional_add_copy (&self, outer_body, NULL, inner_left, inner_n);
  node = kernel_graph_add_to (&self.graph, outer_body, node, "tell_sum", 1, 32,
                              (void *[]){ A (ones), V (guint64, inner), NO_WAIT });
  node = kernel_graph_add_conditional (&self.graph, outer_body, node, inner, CU_GRAPH_COND_TYPE_WHILE, 1, &inner_body);
  kernel_graph_add_to (&self.graph, outer_body, node, "take_one", 1, 1,
                       (void *[]){ A (left), A (turns), V (guint64, outer), NO_WAIT });
  kernel_graph_add_to (&self.graph, inner_body, NULL, "take_one", BLOCKS, 8,
                       (void *[]){ A (inner_left), A (inner_turns), V (guint64, inner), NO_WAIT });
  kernel_graph_instantiate (&self.graph);
  for (guint32 run = 1; run <= 4; run++)
    {
      conditional_set (left, 5);
      kernel_graph_run (&self.graph);
      g_assert_cmpuint (conditional_get (turns), ==, 5 * run);
      g_assert_cmpuint (conditional_get (inner_turns), ==, 35 * run);
    }
  conditional_close (&self);
}

/* Every other turn of a loop takes the branch. */
static void
test_conditional_if_in_loop (void)
{
  CUgraphConditionalHandle loop, odd;
  LeatMemory *left, *turns, *even_turns, *odd_turns;
  CUgraph body, branches[2];
  Conditional self;
  CUgraphNode node;

  if (!conditional_open (&self))
    return;
  left = conditional_put (&self, 101);
  turns = conditional_put (&self, 0);
  even_turns = conditional_put (&self, 0);
  odd_turns = conditional_put (&self, 0);
  loop = kernel_graph_make_handle (&self.graph, 1, ASSIGN);
  odd = kernel_graph_make_handle (&self.graph, 0, 0);
  kernel_graph_add_conditional (&self.graph, self.graph.graph, NULL, loop, CU_GRAPH_COND_TYPE_WHILE, 1, &body);
  node =
    kernel_graph_add_to (&self.graph, body, NULL, "tell_odd", 1, 1, (void *[]){ A (left), V (guint64, odd), NO_WAIT });
  node = kernel_graph_add_conditional (&self.graph, body, node, odd, CU_GRAPH_COND_TYPE_IF, 2, branches);
  kernel_graph_add_to (&self.graph, branches[0], NULL, "count", 1, 1,
                       (void *[]){ A (odd_turns), V (guint32, 1), NO_WAIT });
  kernel_graph_add_to (&self.graph, branches[1], NULL, "count", 1, 1,
                       (void *[]){ A (even_turns), V (guint32, 1), NO_WAIT });
  kernel_graph_add_to (&self.graph, body, node, "take_one", 1, 1,
                       (void *[]){ A (left), A (turns), V (guint64, loop), NO_WAIT });
  kernel_graph_instantiate (&self.graph);
  kernel_graph_run (&self.graph);
  g_assert_cmpuint (conditional_get (odd_turns), ==, 51);
  g_assert_cmpuint (conditional_get (even_turns), ==, 50);
  conditional_close (&self);
}

/* Branches in a body, beside a loop and a branch of the outer graph that have nothing to do with it. */
static void
test_conditional_branches (void)
{
  CUgraphConditionalHandle handle;
  LeatMemory *left, *turns, *x[4];
  CUgraphNode last[3];
  Conditional self;
  CUgraph body;

  if (!conditional_open (&self))
    return;
  left = conditional_put (&self, 200);
  turns = conditional_put (&self, 0);
  for (guint b = 0; b < 4; b++)
    x[b] = kernel_fixture_put (self.fixture, NULL, WORDS * sizeof (guint32));
  handle = kernel_graph_make_handle (&self.graph, 1, ASSIGN);
  kernel_graph_add_conditional (&self.graph, self.graph.graph, NULL, handle, CU_GRAPH_COND_TYPE_WHILE, 1, &body);
  for (guint b = 0; b < 3; b++)
    {
      last[b] = NULL;
      for (guint k = 0; k <= b; k++)
        last[b] = kernel_graph_add_to (&self.graph, body, last[b], "step", BLOCKS, 8,
                                       (void *[]){ A (x[b]), V (guint32, 3 + b), NO_WAIT });
    }
  CUDA_KERNEL_NODE_PARAMS params = kernel_graph_get_params (
    &self.graph, "take_one", 1, 1, (void *[]){ A (left), A (turns), V (guint64, handle), NO_WAIT });
  CUgraphNode join;
  g_assert_cmpint (self.graph.table->cuGraphAddKernelNode (&join, body, last, 3, &params), ==, CUDA_SUCCESS);
  kernel_graph_add (&self.graph, NULL, "step", BLOCKS, 8, (void *[]){ A (x[3]), V (guint32, 11), NO_WAIT });
  kernel_graph_instantiate (&self.graph);
  kernel_graph_run (&self.graph);
  g_assert_cmpuint (conditional_get (turns), ==, 200);
  for (guint b = 0; b < 4; b++)
    {
      g_autofree guint32 *out = kernel_fixture_dup (x[b]);
      guint32 expected = 0;

      for (guint k = 0; k < (b < 3 ? 200 * (b + 1) : 1); k++)
        expected = expected * (b < 3 ? 3 + b : 11) + 1;
      for (guint i = 0; i < WORDS; i++)
        g_assert_cmpuint (out[i], ==, expected);
    }
  conditional_close (&self);
}

/* A node of a body gets other parameters between launches, the second while the first has not been waited for. */
static void
test_conditional_body_changes (void)
{
  CUgraphConditionalHandle handle;
  CUDA_KERNEL_NODE_PARAMS params;
  LeatMemory *count;
  Conditional self;
  CUgraphNode node;
  CUgraph body;

  if (!conditional_open (&self))
    return;
  count = conditional_put (&self, 0);
  handle = kernel_graph_make_handle (&self.graph, 1, ASSIGN);
  kernel_graph_add_conditional (&self.graph, self.graph.graph, NULL, handle, CU_GRAPH_COND_TYPE_IF, 1, &body);
  node = kernel_graph_add_to (&self.graph, body, NULL, "count", 1, 1, (void *[]){ A (count), V (guint32, 1), NO_WAIT });
  kernel_graph_instantiate (&self.graph);
  params = kernel_graph_get_params (&self.graph, "count", 1, 1, (void *[]){ A (count), V (guint32, 100), NO_WAIT });
  g_assert_cmpint (self.graph.table->cuGraphLaunch (self.graph.exec, leat_stream_get (self.fixture->stream)), ==,
                   CUDA_SUCCESS);
  CUresult changed = self.graph.table->cuGraphExecKernelNodeSetParams (self.graph.exec, node, &params);
  kernel_graph_run (&self.graph);
  g_assert_cmpuint (conditional_get (count), ==, changed == CUDA_SUCCESS ? 101 : 2);
  if (leat_device_is_cpu (self.fixture->device))
    g_assert_cmpint (changed, ==, CUDA_SUCCESS);
  else if (changed != CUDA_SUCCESS)
    g_test_skip ("this driver does not change nodes of bodies one by one");
  conditional_close (&self);
}

void
test_kernels_add_conditional (void)
{
  g_test_add_func ("/leat/cpu/kernels/conditional/while", test_conditional_while);
  g_test_add_func ("/leat/cpu/kernels/conditional/while-is-told", test_conditional_while_is_told);
  g_test_add_func ("/leat/cpu/kernels/conditional/if", test_conditional_if);
  g_test_add_func ("/leat/cpu/kernels/conditional/if-else", test_conditional_if_else);
  g_test_add_func ("/leat/cpu/kernels/conditional/switch", test_conditional_switch);
  g_test_add_func ("/leat/cpu/kernels/conditional/nested-loops", test_conditional_nested_loops);
  g_test_add_func ("/leat/cpu/kernels/conditional/if-in-loop", test_conditional_if_in_loop);
  g_test_add_func ("/leat/cpu/kernels/conditional/branches", test_conditional_branches);
  g_test_add_func ("/leat/cpu/kernels/conditional/body-changes", test_conditional_body_changes);
}
