/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-csr-reach.h"

#include "leat-csr-relax.h"

/* The node `csr:reach`.  kernels/reach.cu and kernels/relax.cu say how it works. */

struct _LeatCsrReach
{
  LeatNode parent_instance;

  LeatCsrRelax relax;
};

G_DEFINE_FINAL_TYPE (LeatCsrReach, leat_csr_reach, LEAT_TYPE_NODE)

/* In the order of what the kernel takes for them. */
static const char *const limit_choices[] = { "stop", "warn", "error", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "max-iterations", LEAT_PROP_UINT, 0, offsetof (LeatCsrReach, relax.max_iterations),
    .blurb = "rounds at most; 0: more than it can need" },
  { sizeof (LeatProp), "on-limit", LEAT_PROP_CHOICE, 0, offsetof (LeatCsrReach, relax.on_limit), .def.i = 2,
    .choices = limit_choices, .blurb = "where these are spent: give what was found, warn too, or fail the run" },
  { sizeof (LeatProp), "budget", LEAT_PROP_DOUBLE, 0, offsetof (LeatCsrReach, relax.budget), .def.d = 60, .min.d = 0,
    .max.d = 1e9, .blurb = "seconds after which the run fails; 0: never" },
  { sizeof (LeatProp), "threads", LEAT_PROP_UINT, 0, offsetof (LeatCsrReach, relax.threads), .def.u = 1024, .min.u = 32,
    .max.u = 1024, .blurb = "threads of a block on a GPU, a multiple of 32" },
  { sizeof (LeatProp), "alone", LEAT_PROP_UINT, 0, offsetof (LeatCsrReach, relax.alone), .min.u = 0, .max.u = 1 << 20,
    .blurb =
      "vertices of a round, with 16 edges each, up to which one block of a GPU does it by itself; 0: what runs before "
      "have found to be best" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "offsets", LEAT_PORT_INPUT, 0, "any", "where each vertex's edges begin, u32 or u64" },
  { sizeof (LeatPortInfo), "indices", LEAT_PORT_INPUT, 0, "any", "where each edge goes, u32" },
  { sizeof (LeatPortInfo), "sources", LEAT_PORT_INPUT, 0, "any", "vertices to begin with, u32" },
  { sizeof (LeatPortInfo), "known", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "reached of a graph that had fewer edges, to begin with" },
  { sizeof (LeatPortInfo), "changed", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "vertices from which edges were added since, u32" },
  { sizeof (LeatPortInfo), "reached", LEAT_PORT_OUTPUT, 0, "any", "for each vertex a bit for each source, u64" },
  { sizeof (LeatPortInfo), "report", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "u64[4]: rounds, whether max-iterations (1) or the budget (2) were spent, what was left then, alone as it was "
    "in this run" },
};

const LeatNodeInfo leat_csr_reach_info = {
  sizeof (LeatNodeInfo),
  "csr:reach",
  NULL,
  "Which of 64 sources each vertex can be reached from",
  "All sources are searched from at once.  Bit i of a vertex says that there is a way from source number i.\n\n"
  "Example: csr:reach",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_csr_reach_get_type,
};

static gboolean
leat_csr_reach_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatCsrReach *self = LEAT_CSR_REACH (node);
  LeatSpec *sources = leat_negotiation_get_input (negotiation, "sources");

  if (leat_spec_get_items (sources) > 64)
    {
      g_autofree char *text = leat_spec_to_string (sources, LEAT_SPEC_STYLE_FILE);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "csr:reach \"%s\": input \"sources\" is %s; there is a bit for each of 64 sources at most",
                   leat_node_get_name (node), text);
      return FALSE;
    }
  return leat_csr_relax_negotiate (&self->relax, node, negotiation, "reach.cu", "reached", LEAT_DTYPE_U64, error);
}

static gboolean
leat_csr_reach_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_csr_relax_record (&LEAT_CSR_REACH (node)->relax, node, recorder, FALSE, "reached");
  return TRUE;
}

static void
leat_csr_reach_finalize (GObject *object)
{
  LeatCsrReach *self = LEAT_CSR_REACH (object);

  g_clear_pointer (&self->relax.text, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_csr_reach_parent_class)->finalize (object);
}

static void
leat_csr_reach_class_init (LeatCsrReachClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_csr_reach_finalize;
  node_class->negotiate = leat_csr_reach_negotiate;
  node_class->record = leat_csr_reach_record;
  leat_node_class_describe (node_class, &leat_csr_reach_info);
}

static void
leat_csr_reach_init (LeatCsrReach *self)
{
}
