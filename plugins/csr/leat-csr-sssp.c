/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `csr:sssp`.  kernels/sssp.cu and kernels/relax.cu say how it works. */

#include "leat-csr-sssp.h"

#include "leat-csr-relax.h"

struct _LeatCsrSssp
{
  LeatNode parent_instance;

  LeatCsrRelax relax;
};

G_DEFINE_FINAL_TYPE (LeatCsrSssp, leat_csr_sssp, LEAT_TYPE_NODE)

/* In the order of what the kernel takes for them. */
static const char *const limit_choices[] = { "stop", "warn", "error", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "max-iterations", LEAT_PROP_UINT, 0, offsetof (LeatCsrSssp, relax.max_iterations),
    .blurb = "Most rounds; 0: more than the search can need" },
  { sizeof (LeatProp), "on-limit", LEAT_PROP_CHOICE, 0, offsetof (LeatCsrSssp, relax.on_limit), .def.i = 2,
    .choices = limit_choices,
    .blurb = "If max-iterations is reached with work left; stop: give the results so far; warn: "
             "give them with a warning; error: fail the run" },
  { sizeof (LeatProp), "budget", LEAT_PROP_DOUBLE, 0, offsetof (LeatCsrSssp, relax.budget), .def.d = 60, .min.d = 0,
    .max.d = 1e9, .blurb = "Seconds after which the run fails; 0: never" },
  { sizeof (LeatProp), "threads", LEAT_PROP_UINT, 0, offsetof (LeatCsrSssp, relax.threads), .def.u = 1024, .min.u = 32,
    .max.u = 1024, .blurb = "Threads of a block on a GPU, a multiple of 32" },
  { sizeof (LeatProp), "alone", LEAT_PROP_UINT, 0, offsetof (LeatCsrSssp, relax.alone), .min.u = 0, .max.u = 1 << 20,
    .blurb = "Most vertices of a round, each counted with 16 edges, that one block of a GPU does "
             "by itself.  0: the limit that earlier runs found best" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "offsets", LEAT_PORT_INPUT, 0, "any", "Where each vertex's edges begin, u32 or u64" },
  { sizeof (LeatPortInfo), "indices", LEAT_PORT_INPUT, 0, "any", "Where each edge leads, u32" },
  { sizeof (LeatPortInfo), "weights", LEAT_PORT_INPUT, 0, "f32[*]", "Length of each edge, not negative" },
  { sizeof (LeatPortInfo), "sources", LEAT_PORT_INPUT, 0, "any", "Vertices at which the search begins, u32" },
  { sizeof (LeatPortInfo), "known", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "Distances in the same graph with fewer edges, to start from" },
  { sizeof (LeatPortInfo), "changed", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "Vertices from which edges were added since, u32" },
  { sizeof (LeatPortInfo), "distances", LEAT_PORT_OUTPUT, 0, "any",
    "Distance of each vertex, f32; infinity if no path leads there" },
  { sizeof (LeatPortInfo), "report", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "u64[4]: rounds; 0, or 1 if max-iterations or 2 if the budget ended the search; "
    "vertices left then; alone of this run" },
};

const LeatNodeInfo leat_csr_sssp_info = {
  sizeof (LeatNodeInfo),
  "csr:sssp",
  NULL,
  "Finds shortest paths in a graph whose edges have lengths",
  "For each vertex the search finds the distance from the nearest source.  A distance "
  "is the sum of the lengths from the source on, each sum rounded to f32.\n\nExample: "
  "csr:sssp",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_csr_sssp_get_type,
};

static gboolean
leat_csr_sssp_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatCsrSssp *self = LEAT_CSR_SSSP (node);
  LeatSpec *weights = leat_negotiation_get_input (negotiation, "weights");
  LeatSpec *indices = leat_negotiation_get_input (negotiation, "indices");

  if (leat_spec_get_items (weights) != leat_spec_get_items (indices))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "csr:sssp \"%s\": %" G_GUINT64_FORMAT " weights for %" G_GUINT64_FORMAT " indices",
                   leat_node_get_name (node), leat_spec_get_items (weights), leat_spec_get_items (indices));
      return FALSE;
    }
  return leat_csr_relax_negotiate (&self->relax, node, negotiation, "sssp.cu", "distances", LEAT_DTYPE_F32, error);
}

static gboolean
leat_csr_sssp_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_csr_relax_record (&LEAT_CSR_SSSP (node)->relax, node, recorder, TRUE, "distances");
  return TRUE;
}

static void
leat_csr_sssp_finalize (GObject *object)
{
  LeatCsrSssp *self = LEAT_CSR_SSSP (object);

  g_clear_pointer (&self->relax.text, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_csr_sssp_parent_class)->finalize (object);
}

static void
leat_csr_sssp_class_init (LeatCsrSsspClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_csr_sssp_finalize;
  node_class->negotiate = leat_csr_sssp_negotiate;
  node_class->record = leat_csr_sssp_record;
  leat_node_class_describe (node_class, &leat_csr_sssp_info);
}

static void
leat_csr_sssp_init (LeatCsrSssp *self)
{
}
