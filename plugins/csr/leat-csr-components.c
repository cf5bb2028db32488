/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `csr:components`.  kernels/components.cu says how it works. */

#include "leat-csr-components.h"

#include "leat-csr-call.h"
#include "leat-csr-input.h"
#include "leat-csr-warm.h"

#define LEAT_CSR_COMPONENTS_CONTROL 1024 /* bytes; kernels/frontier.cu says what is where */
#define LEAT_CSR_COMPONENTS_LONG    1024 /* edges of a row, above which it is in a list */

struct _LeatCsrComponents
{
  LeatNode parent_instance;

  guint64 threads;

  LeatCsrInput graph;
  LeatCsrWarmth warm;
  guint64 changed; /* for how many there is room */
  LeatKernelSource *text;
};

G_DEFINE_FINAL_TYPE (LeatCsrComponents, leat_csr_components, LEAT_TYPE_NODE)

static const LeatProp props[] = {
  { sizeof (LeatProp), "threads", LEAT_PROP_UINT, 0, offsetof (LeatCsrComponents, threads), .def.u = 1024, .min.u = 32,
    .max.u = 1024, .blurb = "Threads of a block on a GPU, a multiple of 32" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "offsets", LEAT_PORT_INPUT, 0, "any", "Where each vertex's edges begin, u32 or u64" },
  { sizeof (LeatPortInfo), "indices", LEAT_PORT_INPUT, 0, "any", "Where each edge leads, u32" },
  { sizeof (LeatPortInfo), "known", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "Labels of the same graph with fewer edges, to start from" },
  { sizeof (LeatPortInfo), "changed", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "Vertices from which edges were added since, u32" },
  { sizeof (LeatPortInfo), "labels", LEAT_PORT_OUTPUT, 0, "any",
    "For each vertex the least vertex of its component, u32" },
};

const LeatNodeInfo leat_csr_components_info = {
  sizeof (LeatNodeInfo),
  "csr:components",
  NULL,
  "Finds the connected parts of a graph",
  "Two vertices are in one component if a path joins them, whichever way its edges "
  "point.\n\nExample: csr:components",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_csr_components_get_type,
};

static gboolean
leat_csr_components_compile (LeatCsrComponents *self, GError **error)
{
  const char *const files[] = { "frontier.cu", "components.cu", NULL };
  g_autoptr (GString) head = g_string_new (NULL);

  leat_csr_input_write (&self->graph, "indices", head);
  g_clear_pointer (&self->text, leat_kernel_source_unref);
  self->text = leat_csr_source_new (head->str, files, error);
  return self->text != NULL;
}

static gboolean
leat_csr_components_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatCsrComponents *self = LEAT_CSR_COMPONENTS (node);
  g_autoptr (LeatSpec) labels = NULL;

  if (!leat_csr_input_check_threads (node, self->threads, error)
      || !leat_csr_input_find (&self->graph, node, negotiation, "", error)
      || !leat_csr_warm_find (&self->warm, node, negotiation, LEAT_DTYPE_U32, self->graph.vertices, error)
      || !leat_csr_components_compile (self, error))
    return FALSE;
  self->changed =
    self->warm == LEAT_CSR_CHANGED ? leat_spec_get_items (leat_negotiation_get_input (negotiation, "changed")) : 0;
  labels = leat_spec_new (LEAT_DTYPE_U32, &self->graph.vertices, 1, FALSE);
  return leat_negotiation_set_output (negotiation, "labels", labels, error);
}

static gboolean
leat_csr_components_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatCsrComponents *self = LEAT_CSR_COMPONENTS (node);
  guint64 long_room = self->graph.edges / LEAT_CSR_COMPONENTS_LONG + 1 + self->changed;
  LeatCsrCall call = { .recorder = recorder };

  leat_csr_call_add (&call, leat_recorder_get_input (recorder, "offsets"), LEAT_ACCESS_READ);
  leat_csr_call_add (&call, leat_recorder_get_input (recorder, "indices"), LEAT_ACCESS_READ);
  leat_csr_warm_add (self->warm, &call, leat_recorder_get_input (recorder, "indices"));
  leat_csr_call_add_number (&call, self->graph.vertices);
  leat_csr_call_add_count (&call, leat_recorder_get_input (recorder, "indices"));
  leat_csr_call_add_zeros (&call, "control", LEAT_CSR_COMPONENTS_CONTROL);
  leat_csr_call_add_scratch (&call, "long rows", long_room * sizeof (guint32));
  leat_csr_call_add_number (&call, long_room);
  leat_csr_call_add (&call, leat_recorder_get_output (recorder, "labels"), LEAT_ACCESS_WRITE);
  leat_csr_call_finish (&call, self->text, "components_find", (guint) self->threads);
  return TRUE;
}

static void
leat_csr_components_finalize (GObject *object)
{
  LeatCsrComponents *self = LEAT_CSR_COMPONENTS (object);

  g_clear_pointer (&self->text, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_csr_components_parent_class)->finalize (object);
}

static void
leat_csr_components_class_init (LeatCsrComponentsClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_csr_components_finalize;
  node_class->negotiate = leat_csr_components_negotiate;
  node_class->record = leat_csr_components_record;
  leat_node_class_describe (node_class, &leat_csr_components_info);
}

static void
leat_csr_components_init (LeatCsrComponents *self)
{
}
