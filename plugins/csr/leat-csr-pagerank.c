/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `csr:pagerank`.  kernels/pagerank.cu says how it works. */

#include "leat-csr-pagerank.h"

#include "leat-csr-call.h"
#include "leat-csr-input.h"
#include "leat-csr-limits.h"

#define LEAT_CSR_PAGERANK_CONTROL 1024 /* bytes; kernels/pagerank.cu says what is where */
#define LEAT_CSR_PAGERANK_PIECE   2048 /* edges of a row, above which it is cut */
#define LEAT_CSR_PAGERANK_WORDS   4    /* of the report */
#define LEAT_CSR_PAGERANK_UNIT    ((double) ((guint64) 1 << 60))

struct _LeatCsrPagerank
{
  LeatNode parent_instance;

  double damping;
  double tolerance;
  guint64 max_iterations;
  int on_limit;
  double budget;
  guint64 threads;

  LeatCsrInput back;
  LeatKernelSource *text;
};

G_DEFINE_FINAL_TYPE (LeatCsrPagerank, leat_csr_pagerank, LEAT_TYPE_NODE)

static const LeatCsrLimits limits_texts = {
  .steps = "iterations",
  .left = "in the last of which the ranks changed by {value}, all together, where tolerance={tolerance}",
  .raise = "raise max-iterations= or tolerance=",
};

/* In the order of what the kernel takes for them. */
static const char *const limit_choices[] = { "stop", "warn", "error", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "damping", LEAT_PROP_DOUBLE, 0, offsetof (LeatCsrPagerank, damping), .def.d = 0.85, .min.d = 0,
    .max.d = 1, .blurb = "Part of a rank that follows the edges; the rest is spread over all vertices" },
  { sizeof (LeatProp), "tolerance", LEAT_PROP_DOUBLE, 0, offsetof (LeatCsrPagerank, tolerance), .def.d = 1e-6,
    .min.d = 0, .max.d = 2,
    .blurb = "The iterations end when the sum of all changes of ranks is below this.  Below 2e-7 "
             "they may never end, as ranks are f32" },
  { sizeof (LeatProp), "max-iterations", LEAT_PROP_UINT, 0, offsetof (LeatCsrPagerank, max_iterations), .def.u = 100,
    .min.u = 1, .max.u = 1000000, .blurb = "Most iterations" },
  { sizeof (LeatProp), "on-limit", LEAT_PROP_CHOICE, 0, offsetof (LeatCsrPagerank, on_limit), .def.i = 2,
    .choices = limit_choices,
    .blurb = "If max-iterations is reached with work left; stop: give the results so far; warn: "
             "give them with a warning; error: fail the run" },
  { sizeof (LeatProp), "budget", LEAT_PROP_DOUBLE, 0, offsetof (LeatCsrPagerank, budget), .def.d = 60, .min.d = 0,
    .max.d = 1e9, .blurb = "Seconds after which the run fails; 0: never" },
  { sizeof (LeatProp), "threads", LEAT_PROP_UINT, 0, offsetof (LeatCsrPagerank, threads), .def.u = 1024, .min.u = 32,
    .max.u = 1024, .blurb = "Threads of a block on a GPU, a multiple of 32" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "offsets", LEAT_PORT_INPUT, 0, "any", "Where each vertex's edges begin, u32 or u64" },
  { sizeof (LeatPortInfo), "back_offsets", LEAT_PORT_INPUT, 0, "any",
    "Offsets of the same graph with every edge turned around" },
  { sizeof (LeatPortInfo), "back_indices", LEAT_PORT_INPUT, 0, "any", "Indices that belong to back_offsets, u32" },
  { sizeof (LeatPortInfo), "ranks", LEAT_PORT_OUTPUT, 0, "any", "Rank of each vertex, f32; their sum is 1" },
  { sizeof (LeatPortInfo), "residuals", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "Change of the ranks in each iteration, f32" },
  { sizeof (LeatPortInfo), "report", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "u64[4]: iterations; 0 if the ranks converged, or 1 if max-iterations or 2 if the "
    "budget ended the run; the last change in units of 2^-60; 0" },
};

const LeatNodeInfo leat_csr_pagerank_info = {
  sizeof (LeatNodeInfo),
  "csr:pagerank",
  NULL,
  "Finds how often a walk along random edges visits each vertex",
  "Ranks are the same in every run and on every device.\n\n"
  "Example: csr:pagerank tolerance=1e-5",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_csr_pagerank_get_type,
};

static gboolean
leat_csr_pagerank_compile (LeatCsrPagerank *self, GError **error)
{
  const char *const files[] = { "frontier.cu", "pagerank.cu", "pagerank-host.cu", NULL };
  g_autoptr (GString) head = g_string_new (NULL);

  leat_csr_input_write (&self->back, "indices", head);
  leat_csr_limits_write (&limits_texts, head);
  g_clear_pointer (&self->text, leat_kernel_source_unref);
  self->text = leat_csr_source_new (head->str, files, error);
  return self->text != NULL;
}

static gboolean
leat_csr_pagerank_check_offsets (LeatCsrPagerank *self, LeatNegotiation *negotiation, GError **error)
{
  if (leat_spec_equal (leat_negotiation_get_input (negotiation, "offsets"),
                       leat_negotiation_get_input (negotiation, "back_offsets")))
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "csr:pagerank \"%s\": offsets and back_offsets are not of one size and type",
               leat_node_get_name (LEAT_NODE (self)));
  return FALSE;
}

static gboolean
leat_csr_pagerank_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatCsrPagerank *self = LEAT_CSR_PAGERANK (node);
  const guint64 words = LEAT_CSR_PAGERANK_WORDS;
  g_autoptr (LeatSpec) report = leat_spec_new (LEAT_DTYPE_U64, &words, 1, FALSE);
  g_autoptr (LeatSpec) residuals = leat_spec_new (LEAT_DTYPE_F32, &self->max_iterations, 1, TRUE);
  g_autoptr (LeatSpec) ranks = NULL;

  if (!leat_csr_input_check_threads (node, self->threads, error)
      || !leat_csr_input_find (&self->back, node, negotiation, "back_", error)
      || !leat_csr_pagerank_check_offsets (self, negotiation, error) || !leat_csr_pagerank_compile (self, error))
    return FALSE;
  ranks = leat_spec_new (LEAT_DTYPE_F32, &self->back.vertices, 1, FALSE);
  return leat_negotiation_set_output (negotiation, "ranks", ranks, error)
         && leat_negotiation_set_output (negotiation, "residuals", residuals, error)
         && leat_negotiation_set_output (negotiation, "report", report, error);
}

static void
leat_csr_pagerank_add_limits (LeatCsrPagerank *self, LeatCsrCall *call)
{
  leat_csr_call_add_number (call, (guint64) (self->damping * LEAT_CSR_PAGERANK_UNIT));
  leat_csr_call_add_number (call, (guint64) (self->tolerance * LEAT_CSR_PAGERANK_UNIT));
  leat_csr_call_add_number (call, self->max_iterations);
  leat_csr_call_add_number (call, (guint64) self->on_limit);
  leat_csr_call_add_budget (call, self->budget);
}

static gboolean
leat_csr_pagerank_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatCsrPagerank *self = LEAT_CSR_PAGERANK (node);
  guint64 vertices = self->back.vertices, room = 2 * (self->back.edges / LEAT_CSR_PAGERANK_PIECE) + 1;
  LeatCsrCall call = { .recorder = recorder };

  leat_csr_call_add (&call, leat_recorder_get_input (recorder, "offsets"), LEAT_ACCESS_READ);
  leat_csr_call_add (&call, leat_recorder_get_input (recorder, "back_offsets"), LEAT_ACCESS_READ);
  leat_csr_call_add (&call, leat_recorder_get_input (recorder, "back_indices"), LEAT_ACCESS_READ);
  leat_csr_call_add_number (&call, vertices);
  leat_csr_call_add_count (&call, leat_recorder_get_input (recorder, "back_indices"));
  leat_csr_pagerank_add_limits (self, &call);
  leat_csr_call_add_zeros (&call, "control", LEAT_CSR_PAGERANK_CONTROL);
  leat_csr_call_add_scratch (&call, "long rows", room * sizeof (guint32));
  leat_csr_call_add_scratch (&call, "first pieces", room * sizeof (guint32));
  leat_csr_call_add_scratch (&call, "begins", room * sizeof (guint64));
  leat_csr_call_add_scratch (&call, "ends", room * sizeof (guint64));
  leat_csr_call_add_scratch (&call, "sums of pieces", room * sizeof (double));
  leat_csr_call_add_number (&call, room);
  leat_csr_call_add_scratch (&call, "gifts", vertices * sizeof (float));
  leat_csr_call_add_scratch (&call, "other gifts", vertices * sizeof (float));
  leat_csr_call_add (&call, leat_recorder_get_output (recorder, "ranks"), LEAT_ACCESS_WRITE);
  leat_csr_call_add_series (&call, node, "residuals", self->max_iterations * sizeof (float));
  leat_csr_call_add_output (&call, node, "report", LEAT_CSR_PAGERANK_WORDS * sizeof (guint64));
  leat_csr_call_finish (&call, self->text, "pagerank_run", (guint) self->threads);
  return TRUE;
}

static void
leat_csr_pagerank_finalize (GObject *object)
{
  LeatCsrPagerank *self = LEAT_CSR_PAGERANK (object);

  g_clear_pointer (&self->text, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_csr_pagerank_parent_class)->finalize (object);
}

static void
leat_csr_pagerank_class_init (LeatCsrPagerankClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_csr_pagerank_finalize;
  node_class->negotiate = leat_csr_pagerank_negotiate;
  node_class->record = leat_csr_pagerank_record;
  leat_node_class_describe (node_class, &leat_csr_pagerank_info);
}

static void
leat_csr_pagerank_init (LeatCsrPagerank *self)
{
}
