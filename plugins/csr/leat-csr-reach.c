/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `csr:reach`.  kernels/reach.cu and kernels/relax.cu say how it works. */

#include "leat-csr-reach.h"

#include "leat-csr-relax.h"

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
    .blurb = "Most rounds; 0: more than the search can need" },
  { sizeof (LeatProp), "on-limit", LEAT_PROP_CHOICE, 0, offsetof (LeatCsrReach, relax.on_limit), .def.i = 2,
    .choices = limit_choices,
    .blurb = "If max-iterations is reached with work left; stop: give the results so far; warn: "
             "give them with a warning; error: fail the run" },
  { sizeof (LeatProp), "budget", LEAT_PROP_DOUBLE, 0, offsetof (LeatCsrReach, relax.budget), .def.d = 60, .min.d = 0,
    .max.d = 1e9, .blurb = "Seconds after which the run fails; 0: never" },
  { sizeof (LeatProp), "threads", LEAT_PROP_UINT, 0, offsetof (LeatCsrReach, relax.threads), .def.u = 1024, .min.u = 32,
    .max.u = 1024, .blurb = "Threads of a block on a GPU, a multiple of 32" },
  { sizeof (LeatProp), "alone", LEAT_PROP_UINT, 0, offsetof (LeatCsrReach, relax.alone), .min.u = 0, .max.u = 1 << 20,
    .blurb = "Most vertices of a round, each counted with 16 edges, that one block of a GPU does "
             "by itself.  0: the limit that earlier runs found best" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "offsets", LEAT_PORT_INPUT, 0, "any", "Where each vertex's edges begin, u32 or u64" },
  { sizeof (LeatPortInfo), "indices", LEAT_PORT_INPUT, 0, "any", "Where each edge leads, u32" },
  { sizeof (LeatPortInfo), "sources", LEAT_PORT_INPUT, 0, "any", "Vertices at which the search begins, u32, up to 64" },
  { sizeof (LeatPortInfo), "known", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "Output reached of the same graph with fewer edges, to start from" },
  { sizeof (LeatPortInfo), "changed", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "Vertices from which edges were added since, u32" },
  { sizeof (LeatPortInfo), "reached", LEAT_PORT_OUTPUT, 0, "any", "For each vertex one bit for each source, u64" },
  { sizeof (LeatPortInfo), "report", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "u64[4]: rounds; 0, or 1 if max-iterations or 2 if the budget ended the search; "
    "vertices left then; alone of this run" },
};

const LeatNodeInfo leat_csr_reach_info = {
  sizeof (LeatNodeInfo),
  "csr:reach",
  NULL,
  "Finds which of up to 64 sources can reach each vertex",
  "One search covers all sources.  Bit i of a vertex is set if a path leads to it from "
  "source number i.\n\nExample: csr:reach",
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
