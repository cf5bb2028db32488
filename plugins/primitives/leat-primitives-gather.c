/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `gather`: rows by their numbers. */

#include "leat-primitives-gather.h"

#include "leat-primitive-call.h"
#include "leat-primitive-rows.h"
#include "leat-primitive-text.h"

struct _LeatPrimitivesGather
{
  LeatNode parent_instance;

  int outside;

  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatPrimitivesGather, leat_primitives_gather, LEAT_TYPE_NODE)

static const char *const outside_choices[] = { "error", "zero", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "outside", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesGather, outside),
    .choices = outside_choices,
    .blurb = "If a number names no live row; error: the run fails and tells place and number; "
             "zero: the row is zeros" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "items", LEAT_PORT_INPUT, 0, "any", "Rows, which are the steps of the first dimension" },
  { sizeof (LeatPortInfo), "at", LEAT_PORT_INPUT, 0, "any", "Whole numbers in any shape: which rows to take" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "For each number its row" },
};

const LeatNodeInfo leat_primitives_gather_info = {
  sizeof (LeatNodeInfo),
  "gather",
  NULL,
  "Takes rows by their numbers",
  "out[k] = items[at[k]].  The output has the dimensions of `at`, followed by those of "
  "a row.  It is bounded if `at` is.\n\nExample: table = gather outside=zero",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_primitives_gather_get_type,
};

static LeatSpec *
leat_primitives_gather_make_spec (LeatSpec *items, LeatSpec *at)
{
  guint64 dims[2 * LEAT_SPEC_MAX_DIMS];
  guint n = leat_spec_get_n_dims (at), more = leat_spec_get_n_dims (items);

  for (guint i = 0; i < n; i++)
    dims[i] = leat_spec_get_dim (at, i);
  for (guint i = 1; i < more; i++)
    dims[n + i - 1] = leat_spec_get_dim (items, i);
  n += more - 1;
  return n <= LEAT_SPEC_MAX_DIMS ? leat_spec_new_with_shape (items, dims, n, leat_spec_is_bounded (at)) : NULL;
}

static gboolean
leat_primitives_gather_compile (LeatPrimitivesGather *self, LeatSpec *items, LeatSpec *at, GError **error)
{
  g_autoptr (GString) head = g_string_new (NULL);
  guint64 bytes = leat_spec_get_row_bytes (items), word_bytes;
  const char *word = leat_primitive_rows_get_word (bytes, &word_bytes);

  g_string_append_printf (
    head, "typedef %s Word;\n#define ROW %" G_GUINT64_FORMAT "u\n#define AT_ROW %" G_GUINT64_FORMAT "u\n", word,
    bytes / word_bytes, leat_primitive_get_row_items (at));
  leat_primitive_rows_write_index (at, self->outside == 0, "at[{index}] is {value}, which is no row of items", head);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  self->source = leat_primitive_source_new ("gather.cu", head->str, error);
  return self->source != NULL;
}

static gboolean
leat_primitives_gather_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatPrimitivesGather *self = LEAT_PRIMITIVES_GATHER (node);
  LeatSpec *items = leat_negotiation_get_input (negotiation, "items");
  LeatSpec *at = leat_negotiation_get_input (negotiation, "at");
  g_autoptr (LeatSpec) spec = NULL;

  if (!leat_primitive_rows_check_index (node, at, error))
    return FALSE;
  spec = leat_primitives_gather_make_spec (items, at);
  if (spec == NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "gather \"%s\": the dimensions of \"at\" and those of a row are more than %u, or too large",
                   leat_node_get_name (node), LEAT_SPEC_MAX_DIMS);
      return FALSE;
    }
  return leat_primitives_gather_compile (self, items, at, error)
         && leat_negotiation_set_output (negotiation, "out", spec, error);
}

static gboolean
leat_primitives_gather_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatPrimitivesGather *self = LEAT_PRIMITIVES_GATHER (node);
  LeatBufferId items = leat_recorder_get_input (recorder, "items"), at = leat_recorder_get_input (recorder, "at");
  LeatBufferId out = leat_recorder_get_output (recorder, "out");
  LeatPrimitiveCall call = { 0 };

  leat_primitive_call_add (&call, items, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (&call, recorder, items, 1);
  leat_primitive_call_add (&call, at, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (&call, recorder, at,
                                 leat_primitive_get_row_items (leat_recorder_get_spec (recorder, at)));
  leat_primitive_call_add (&call, out, LEAT_ACCESS_WRITE);
  leat_primitive_call_add_result_count (&call, recorder, out, leat_recorder_add_scratch (recorder, "live", 8));
  leat_primitive_call_finish (
    &call, recorder, self->source, "gather",
    leat_primitive_rows_count_blocks (leat_spec_get_items (leat_recorder_get_spec (recorder, out))), 1,
    LEAT_PRIMITIVE_ROWS_THREADS);
  leat_recorder_keep_count (recorder, at);
  return TRUE;
}

static void
leat_primitives_gather_finalize (GObject *object)
{
  LeatPrimitivesGather *self = LEAT_PRIMITIVES_GATHER (object);

  g_clear_pointer (&self->source, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_primitives_gather_parent_class)->finalize (object);
}

static void
leat_primitives_gather_class_init (LeatPrimitivesGatherClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_primitives_gather_finalize;
  node_class->negotiate = leat_primitives_gather_negotiate;
  node_class->record = leat_primitives_gather_record;
  leat_node_class_describe (node_class, &leat_primitives_gather_info);
}

static void
leat_primitives_gather_init (LeatPrimitivesGather *self)
{
}
