/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "early-fixture.h"

#include "driver/leat-driver-private.h"

/* Which kernels may begin early, what the plan says of it and what the driver was told, and what is done without. */

#define N      999
#define RUNS   3
#define SOURCE "app name=source spec=u32[999] -> upload mode=copy "
#define SINK   "-> readback mode=copy -> app name=sink\n"
#define TURN   "-> KERNEL entry=turn add=3 rounds=5 "
#define CHAIN  SOURCE TURN TURN TURN SINK

static void
fill (guint32 *x, guint salt)
{
  for (guint i = 0; i < N; i++)
    x[i] = i * 2654435761u + salt;
}

/* @n times what turn makes of them, with add=3 and rounds=5. */
static void
turn (guint32 *x, guint n)
{
  guint32 y[N];

  for (guint k = 0; k < n; k++)
    {
      for (guint i = 0; i < N; i++)
        y[i] = early_step (x[(i * 7 + 3) % N], 5);
      memcpy (x, y, sizeof y);
    }
}

static void
run_and_check (EarlyFixture *fixture, guint salt, guint n_turns)
{
  guint32 x[N];
  g_autoptr (GBytes) output = NULL;

  fill (x, salt);
  output = session_fixture_run (&fixture->base, x, sizeof x);
  turn (x, n_turns);
  g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), x, sizeof x);
}

/* What the driver says that graphs have, over a few runs. */
static guint64
run_and_count (EarlyFixture *fixture, guint n_turns)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) counts = NULL;
  guint64 value = G_MAXUINT64;

  leat_session_start_counting (fixture->base.session, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < RUNS; run++)
    run_and_check (fixture, run, n_turns);
  counts = leat_session_stop_counting (fixture->base.session, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (counts, "early-starts", "t", &value));
  return value;
}

static gboolean
plan_says (EarlyFixture *fixture, const char *what)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (fixture->base.session);
  g_autofree char *text = leat_plan_to_text (plan);
  gboolean found = strstr (text, what) != NULL;

  if (!found)
    g_test_message ("%s", text);
  return found;
}

static void
test_early_chain (void)
{
  EarlyFixture fixture;
  g_autofree char *dot = NULL, *json = NULL;
  g_autoptr (LeatPlan) plan = NULL;

  early_fixture_open (&fixture, CHAIN, LEAT_EARLY_START_AUTO, LEAT_EXECUTOR_GRAPH);
  if (early_fixture_can (&fixture))
    {
      plan = leat_session_dup_plan (fixture.base.session);
      dot = leat_plan_to_dot (plan);
      json = leat_plan_to_json (plan);
      g_assert_cmpuint (early_fixture_get_predicted (&fixture, "early-starts"), ==, 2);
      g_assert_cmpuint (run_and_count (&fixture, 3), ==, 2 * RUNS);
      g_assert_cmpuint (session_fixture_get_count (&fixture.base, "early-starts"), ==, 2);
      g_assert_true (plan_says (&fixture, "; 2 early starts\n"));
      g_assert_true (plan_says (&fixture, "  early after 2\n"));
      g_assert_true (plan_says (&fixture, "  early after 3\n"));
      g_assert_nonnull (strstr (dot, "op2 -> op3 [label=\"u32[999]\", arrowhead=empty];"));
      g_assert_nonnull (strstr (dot, "op1 -> op2 [label=\"u32[999]\"];"));
      g_assert_nonnull (strstr (json, "\"early-after\" : [\n        2\n      ]"));
    }
  g_clear_object (&plan);
  early_fixture_close (&fixture);
}

/* Everything of which @why is a reason. */
typedef struct
{
  const char *name, *text;
  LeatEarlyStart early;
  LeatExecutor executor;
  guint n_early;
  const char *why; /* NULL: the plan says nothing */
} EarlyCase;

static const EarlyCase cases[] = {
  { "off", CHAIN, LEAT_EARLY_START_OFF, LEAT_EXECUTOR_GRAPH, 0, "has ended: as asked" },
  { "eager", CHAIN, LEAT_EARLY_START_AUTO, LEAT_EXECUTOR_EAGER, 0, NULL },
  { "large", SOURCE TURN "-> KERNEL entry=turn add=3 rounds=5 grid=20000 " TURN SINK, LEAT_EARLY_START_AUTO,
    LEAT_EXECUTOR_GRAPH, 0, NULL },
  { "large-forced", SOURCE TURN "-> KERNEL entry=turn add=3 rounds=5 grid=20000 " TURN SINK, LEAT_EARLY_START_ON,
    LEAT_EXECUTOR_GRAPH, 2, NULL },
  { "assembly", SOURCE TURN "-> KERNEL entry=written " TURN TURN SINK, LEAT_EARLY_START_AUTO, LEAT_EXECUTOR_GRAPH, 2,
    NULL },
  { "cooperative", SOURCE TURN "-> KERNEL entry=turn add=3 rounds=5 cooperative=true " TURN SINK, LEAT_EARLY_START_ON,
    LEAT_EXECUTOR_GRAPH, 0, NULL },
  { "shared", SOURCE TURN "-> KERNEL entry=turn add=3 rounds=5 shared=16000 " TURN SINK, LEAT_EARLY_START_AUTO,
    LEAT_EXECUTOR_GRAPH, 2, NULL },
  { "shared-without-room", SOURCE TURN "-> KERNEL entry=turn add=3 rounds=5 shared=80000 " TURN SINK,
    LEAT_EARLY_START_AUTO, LEAT_EXECUTOR_GRAPH, 1, NULL },
  { "alone", SOURCE TURN SINK, LEAT_EARLY_START_ON, LEAT_EXECUTOR_GRAPH, 0, NULL },
};

static void
test_early_case (gconstpointer data)
{
  const EarlyCase *row = data;
  EarlyFixture fixture;
  guint n_turns = g_str_equal (row->name, "alone") ? 1 : 3;

  early_fixture_open (&fixture, row->text, row->early, row->executor);
  if (early_fixture_can (&fixture))
    {
      g_assert_cmpuint (early_fixture_get_predicted (&fixture, "early-starts"), ==, row->n_early);
      g_assert_cmpuint (run_and_count (&fixture, n_turns), ==, row->n_early * RUNS);
      if (row->why != NULL)
        g_assert_true (plan_says (&fixture, row->why));
    }
  early_fixture_close (&fixture);
}

/* What a driver may lack, and what it may say. */
static LeatDriverTable *table;
static CUresult (*instantiate) (CUgraphExec *, CUgraph, unsigned long long);

static CUresult
refuse_node (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
             size_t n_dependencies, CUgraphNodeParams *params)
{
  return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult
refuse_graph (CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
  CUgraphNode from[16], to[16];
  CUgraphEdgeData edges[16];
  size_t n = G_N_ELEMENTS (from);

  if ((*table->cuGraphGetEdges) (graph, from, to, edges, &n) == CUDA_SUCCESS)
    for (size_t i = 0; i < n; i++)
      if (edges[i].type != 0)
        return CUDA_ERROR_INVALID_VALUE;
  return instantiate (exec, graph, flags);
}

static void
test_early_without (gconstpointer what)
{
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
  LeatDriverTable before;
  EarlyFixture fixture;
  const char *why = "the driver refuses graphs in which kernels do";

  table = (LeatDriverTable *) leat_device_get_table (device);
  before = *table;
  instantiate = table->cuGraphInstantiateWithFlags;
  if (g_str_equal (what, "entry"))
    table->cuGraphAddNode = NULL;
  else if (g_str_equal (what, "node"))
    table->cuGraphAddNode = refuse_node;
  else
    table->cuGraphInstantiateWithFlags = refuse_graph;
  if (g_str_equal (what, "entry"))
    why = "it takes a driver for CUDA 12.3";
  if (leat_device_get_facts (device)->compute_major < 9)
    why = "it takes compute capability 9.0";
  early_fixture_open (&fixture, CHAIN, LEAT_EARLY_START_AUTO, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (early_fixture_get_predicted (&fixture, "early-starts"), ==, 0);
  g_assert_cmpuint (run_and_count (&fixture, 3), ==, 0);
  g_assert_true (plan_says (&fixture, why));
  early_fixture_close (&fixture);
  table->cuGraphAddNode = before.cuGraphAddNode;
  table->cuGraphInstantiateWithFlags = before.cuGraphInstantiateWithFlags;
}

static void
set (EarlyFixture *fixture, const char *node, const char *property, const char *text)
{
  g_autoptr (GError) error = NULL;

  leat_node_set_from_string (leat_pipeline_get_node (fixture->base.pipeline, node, NULL), property, text, &error);
  g_assert_no_error (error);
}

/* A launch that grows too large for it keeps the edges that it has: its node is updated in place. */
static void
test_early_through_updates (void)
{
  EarlyFixture fixture;

  early_fixture_open (&fixture, SOURCE TURN "-> KERNEL name=k entry=turn add=3 rounds=5 " TURN SINK,
                      LEAT_EARLY_START_AUTO, LEAT_EXECUTOR_GRAPH);
  if (early_fixture_can (&fixture))
    {
      run_and_check (&fixture, 1, 3);
      set (&fixture, "k", "grid", "20000");
      g_assert_cmpuint (run_and_count (&fixture, 3), ==, 2 * RUNS);
      g_assert_cmpuint (early_fixture_get_predicted (&fixture, "early-starts"), ==, 2);
      g_assert_cmpuint (session_fixture_get_count (&fixture.base, "updates"), ==, 1);
      g_assert_cmpuint (session_fixture_get_count (&fixture.base, "instantiations"), ==, 1);
    }
  early_fixture_close (&fixture);
}

/* Another kernel in the place of one is an update of the executable where the same edges are early, and no more where
 * they are not. */
static void
test_early_through_other_kernels (void)
{
  EarlyFixture fixture;
  guint64 made;

  early_fixture_open (&fixture, SOURCE TURN "-> map name=m expr=x " TURN TURN SINK, LEAT_EARLY_START_AUTO,
                      LEAT_EXECUTOR_GRAPH);
  if (early_fixture_can (&fixture))
    {
      g_assert_cmpuint (run_and_count (&fixture, 3), ==, 3 * RUNS);
      set (&fixture, "m", "expr", "x+0");
      g_assert_cmpuint (run_and_count (&fixture, 3), ==, 3 * RUNS);
      made = session_fixture_get_count (&fixture.base, "instantiations");
      g_assert_cmpuint (made + session_fixture_get_count (&fixture.base, "graph-updates"), ==, 2);
    }
  early_fixture_close (&fixture);
}

static CUgraphNode
add_empty (CUgraph graph)
{
  CUgraphNode node = NULL;

  g_assert_cmpint ((*table->cuGraphAddEmptyNode) (&node, graph, NULL, 0), ==, CUDA_SUCCESS);
  return node;
}

/* What the driver itself says of edges that make no sense. */
static void
test_early_refused (void)
{
  static const CUgraphEdgeData wrong[] = {
    { .from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC },
    { .from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER, .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC },
    { .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC },
    { .from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC },
  };
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
  CUgraphNode from, to;
  CUgraph graph = NULL;
  size_t n = 7;

  table = (LeatDriverTable *) leat_device_get_table (device);
  if (table->cuGraphAddDependencies == NULL)
    {
      g_test_skip ("a driver before CUDA 12.3 knows one kind of edge");
      return;
    }
  g_assert_true (leat_device_push (device, NULL));
  g_assert_cmpint ((*table->cuGraphCreate) (&graph, 0), ==, CUDA_SUCCESS);
  from = add_empty (graph);
  to = add_empty (graph);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_test_message ("%u", i);
      g_assert_cmpint ((*table->cuGraphAddDependencies) (graph, &from, &to, &wrong[i], 1), ==,
                       CUDA_ERROR_INVALID_VALUE);
    }
  g_assert_cmpint ((*table->cuGraphGetEdges) (graph, NULL, NULL, NULL, &n), ==, CUDA_SUCCESS);
  g_assert_cmpuint (n, ==, 0);
  (*table->cuGraphDestroy) (graph);
  leat_device_pop (device);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/early/chain", test_early_chain);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strdup_printf ("/leat/session/early/case/%s", cases[i].name);

      g_test_add_data_func (name, &cases[i], test_early_case);
    }
  g_test_add_data_func ("/leat/session/early/without/entry", "entry", test_early_without);
  g_test_add_data_func ("/leat/session/early/without/node", "node", test_early_without);
  g_test_add_data_func ("/leat/session/early/without/graph", "graph", test_early_without);
  g_test_add_func ("/leat/session/early/through-updates", test_early_through_updates);
  g_test_add_func ("/leat/session/early/through-other-kernels", test_early_through_other_kernels);
  g_test_add_func ("/leat/session/early/refused", test_early_refused);
  return g_test_run ();
}
