/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib.h>
#include <stddef.h>

#include "cpu/leat-cpu-counters.h"
#include "cuda-script.h"
#include "cuda-table.h"

/* What a script must add to the driver's counters. */
typedef struct
{
  const char *name;
  const char *script;
  struct
  {
    gsize field;
    guint64 change;
  } expected[8];
} CountersCase;

#define FIELD(name, change)                                                                                            \
  {                                                                                                                    \
    offsetof (LeatCpuCounters, name), (change)                                                                         \
  }

static const CountersCase cases[] = {
  { "copies",
    "stream s0; alloc d0 64; alloc d1 64; alloc-host h0 64; copy s0 d0 h0 16; copy s0 d1 d0 8; copy s0 h0 d1 4; sync "
    "s0",
    { FIELD (copies_to_device, 1), FIELD (bytes_to_device, 16), FIELD (copies_on_device, 1), FIELD (bytes_on_device, 8),
      FIELD (copies_to_host, 1), FIELD (bytes_to_host, 4), FIELD (copy_calls, 3), FIELD (host_waits, 2) } },
  { "allocations",
    "alloc d0 64; alloc d1 64; free d0; alloc-host h0 64",
    { FIELD (device_allocations, 2), FIELD (device_frees, 2), FIELD (host_allocations, 1), FIELD (host_frees, 1),
      FIELD (device_bytes, 0) } },
  { "graph",
    "graph g0; alloc d0 64; add-set n0 g0 d0 1; add-host n1 g0 n0; instantiate x0 g0; stream s0; launch x0 s0; launch "
    "x0 s0; sync s0",
    { FIELD (instantiates, 1), FIELD (graph_launches, 2), FIELD (graphs_run, 2), FIELD (graph_nodes_run, 4),
      FIELD (sets_run, 2), FIELD (host_functions_run, 2), FIELD (set_calls, 0), FIELD (host_function_calls, 0) } },
  { "disabled-node-does-not-run",
    "graph g0; alloc d0 64; add-set n0 g0 d0 1; instantiate x0 g0; enable x0 n0 0; stream s0; launch x0 s0; sync s0",
    { FIELD (graphs_run, 1), FIELD (graph_nodes_run, 0), FIELD (sets_run, 0) } },
  { "capture-runs-nothing",
    "stream s0; alloc d0 64; begin s0 global; set s0 d0 1; host s0; end s0 g0",
    { FIELD (sets_run, 0), FIELD (host_functions_run, 0), FIELD (graph_launches, 0), FIELD (graphs_created, 1) } },
  { "branch-taken",
    "graph g0; alloc d0 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; add-set n1 g1 d0 5; add-set n2 g0 d0 6 "
    "n0; "
    "instantiate x0 g0; stream s0; launch x0 s0; launch x0 s0; sync s0",
    { FIELD (graphs_run, 2), FIELD (bodies_run, 2), FIELD (graph_nodes_run, 6), FIELD (sets_run, 4) } },
  { "branch-not-taken",
    "graph g0; alloc d0 64; condition c0 g0 0 assign; add-if n0 g0 c0 0 1 g1; add-set n1 g1 d0 5; instantiate x0 g0; "
    "stream s0; launch x0 s0; sync s0",
    { FIELD (graphs_run, 1), FIELD (bodies_run, 0), FIELD (graph_nodes_run, 1), FIELD (sets_run, 0) } },
  { "changes",
    "graph g0; alloc d0 64; add-set n0 g0 d0 1; instantiate x0 g0; change-set x0 n0 d0 2; update x0 g0 0",
    { FIELD (exec_node_updates, 1), FIELD (exec_updates, 1) } },
};

static LeatCpuGetCounters get_counters;

static guint64
counters_get (const LeatCpuCounters *counters, gsize field)
{
  return *(const guint64 *) ((const char *) counters + field);
}

static void
test_counters_case (gconstpointer data)
{
  const CountersCase *c = data;
  LeatCpuCounters before = { .size = sizeof before };
  LeatCpuCounters after = { .size = sizeof after };
  char report[512];

  get_counters (&before);
  cuda_script_run (c->script, report, sizeof report, 0);
  g_assert_cmpstr (report, ==, "");
  get_counters (&after);
  for (guint i = 0; i < G_N_ELEMENTS (c->expected) && c->expected[i].field != 0; i++)
    {
      g_test_message ("field at %zu", c->expected[i].field);
      g_assert_cmpuint (counters_get (&after, c->expected[i].field) - counters_get (&before, c->expected[i].field), ==,
                        c->expected[i].change);
    }
}

static void
test_counters_short_struct (void)
{
  LeatCpuCounters counters = { .size = 2 * sizeof (guint64), .graph_launches = 77 };

  get_counters (&counters);
  g_assert_cmpuint (counters.size, ==, 2 * sizeof (guint64));
  g_assert_cmpuint (counters.graph_launches, ==, 77);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (cuda_table_open (g_getenv ("LEAT_CPU_DRIVER")) != 0)
    return 1;
  get_counters = (LeatCpuGetCounters) cuda_table_find (LEAT_CPU_COUNTERS_SYMBOL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/cpu/counters/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_counters_case);
    }
  g_test_add_func ("/leat/cpu/counters/short-struct", test_counters_short_struct);
  return g_test_run ();
}
