/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `scatter`: rows to where their numbers say. */

#include "leat-primitives-scatter.h"

#include "leat-primitive-call.h"
#include "leat-primitive-rows.h"
#include "leat-primitive-text.h"

enum
{
  LEAT_SCATTER_SET,
  LEAT_SCATTER_ADD,
};

struct _LeatPrimitivesScatter
{
  LeatNode parent_instance;

  guint64 size;
  int op;
  int same;
  int outside;

  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatPrimitivesScatter, leat_primitives_scatter, LEAT_TYPE_NODE)

static const char *const op_choices[] = { "set", "add", NULL };
static const char *const same_choices[] = { "last", "any", NULL };
static const char *const outside_choices[] = { "error", "drop", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "size", LEAT_PROP_UINT, 0, offsetof (LeatPrimitivesScatter, size),
    .blurb = "Rows of the output if into is not linked" },
  { sizeof (LeatProp), "op", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesScatter, op), .choices = op_choices,
    .blurb = "set: a row replaces the contents of its place; add: it is added to them, for u32, "
             "i32, u64 and i64" },
  { sizeof (LeatProp), "same", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesScatter, same), .choices = same_choices,
    .blurb = "Which of several rows for one place stays; last: the last one; any: an arbitrary "
             "one, which is faster" },
  { sizeof (LeatProp), "outside", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesScatter, outside),
    .choices = outside_choices,
    .blurb = "If a number names no place; error: the run fails; drop: the row is left out" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "items", LEAT_PORT_INPUT, 0, "any", "Rows, which are the steps of the first dimension" },
  { sizeof (LeatPortInfo), "at", LEAT_PORT_INPUT, 0, "any", "Whole numbers, one dimension: the place of each row" },
  { sizeof (LeatPortInfo), "into", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "Initial contents of the output; zeros if not linked" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "Rows at their places" },
};

const LeatNodeInfo leat_primitives_scatter_info = {
  sizeof (LeatNodeInfo),
  "scatter",
  NULL,
  "Puts rows at the places that their numbers name",
  "out[at[k]] = items[k], or with op=add out[at[k]] += items[k].  If one of the two "
  "inputs has fewer rows than the other, only the rows that both have count.\n\n"
  "Example: table = scatter size=1000",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_primitives_scatter_get_type,
};

static gboolean
leat_primitives_scatter_refuse (LeatNode *node, GError **error, const char *what, LeatSpec *spec)
{
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "scatter \"%s\": %s, and not %s",
               leat_node_get_name (node), what, text);
  return FALSE;
}

static gboolean
leat_primitives_scatter_check (LeatPrimitivesScatter *self, LeatSpec *items, LeatSpec *at, LeatSpec *into,
                               GError **error)
{
  LeatNode *node = LEAT_NODE (self);
  LeatDtype dtype = leat_spec_get_dtype (items);
  gboolean adds =
    leat_primitive_get_c_type (dtype) != NULL && !leat_primitive_is_real (dtype) && leat_dtype_get_size (dtype) >= 4;

  if (!leat_primitive_rows_check_index (node, at, error))
    return FALSE;
  if (leat_spec_get_n_dims (at) != 1)
    return leat_primitives_scatter_refuse (node, error, "input \"at\" has one dimension, a number for each row", at);
  if (leat_spec_get_dim (at, 0) != leat_spec_get_dim (items, 0))
    return leat_primitives_scatter_refuse (node, error, "input \"at\" has as many numbers as \"items\" has rows", at);
  if (self->op == LEAT_SCATTER_ADD && !adds)
    return leat_primitives_scatter_refuse (
      node, error, "op=add is for u32, i32, u64 and i64, whose sums do not depend on the order", items);
  if (into == NULL)
    return TRUE;
  if (leat_spec_is_bounded (into) || !leat_primitive_has_items_of (into, items) || leat_spec_get_n_dims (into) == 0
      || leat_primitive_get_row_items (into) != leat_primitive_get_row_items (items))
    return leat_primitives_scatter_refuse (node, error, "input \"into\" has rows as \"items\", and is not bounded",
                                           into);
  return TRUE;
}

static gboolean
leat_primitives_scatter_compile (LeatPrimitivesScatter *self, LeatSpec *items, LeatSpec *at, GError **error)
{
  g_autoptr (GString) head = g_string_new (NULL);
  gsize size = leat_spec_get_item_bytes (items);
  guint64 bytes = leat_spec_get_row_bytes (items), word_bytes = size;
  const char *word = self->op == LEAT_SCATTER_ADD ? (size == 4 ? "uint32_t" : "uint64_t")
                                                  : leat_primitive_rows_get_word (bytes, &word_bytes);

  g_string_append_printf (head,
                          "typedef %s Word;\n#define ROW %" G_GUINT64_FORMAT "u\n"
                          "static __device__ void add_word (Word *p, Word v) { %s }\n",
                          word, bytes / word_bytes, self->op == LEAT_SCATTER_ADD ? "atomicAdd (p, v);" : "*p = v;");
  leat_primitive_rows_write_index (at, self->outside == 0, "at[{index}] is {value}, which is no place in the output",
                                   head);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  self->source = leat_primitive_source_new ("scatter.cu", head->str, error);
  return self->source != NULL;
}

static gboolean
leat_primitives_scatter_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatPrimitivesScatter *self = LEAT_PRIMITIVES_SCATTER (node);
  LeatSpec *items = leat_negotiation_get_input (negotiation, "items");
  LeatSpec *at = leat_negotiation_get_input (negotiation, "at");
  LeatSpec *into = leat_negotiation_get_input (negotiation, "into");
  guint64 dims[LEAT_SPEC_MAX_DIMS] = { self->size };
  g_autoptr (LeatSpec) spec = NULL;

  if (!leat_primitives_scatter_check (self, items, at, into, error))
    return FALSE;
  if ((into == NULL) != (self->size > 0))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING, "scatter \"%s\": %s", leat_node_get_name (node),
                   into == NULL ? "the output would have no rows: set size=ROWS, or link what the rows go into"
                                : "size is that of what is linked to \"into\"; leave it out");
      return FALSE;
    }
  for (guint i = 1; i < leat_spec_get_n_dims (items); i++)
    dims[i] = leat_spec_get_dim (items, i);
  spec = into != NULL ? leat_spec_ref (into)
                      : leat_spec_new_with_shape (items, dims, MAX (leat_spec_get_n_dims (items), 1), FALSE);
  return leat_negotiation_set_output (negotiation, "out", spec, error)
         && leat_primitives_scatter_compile (self, items, at, error);
}

static void
leat_primitives_scatter_begin (LeatPrimitiveCall *call, LeatRecorder *recorder)
{
  LeatBufferId items = leat_recorder_get_input (recorder, "items"), at = leat_recorder_get_input (recorder, "at");

  leat_primitive_call_add (call, items, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (call, recorder, items, 1);
  leat_primitive_call_add (call, at, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (call, recorder, at, 1);
  leat_primitive_call_add_number (
    call, leat_spec_get_dim (leat_recorder_get_spec (recorder, leat_recorder_get_output (recorder, "out")), 0));
}

/* @last: its words, or LEAT_BUFFER_NONE; @stores: the kernel writes the output. */
static void
leat_primitives_scatter_call (LeatPrimitivesScatter *self, LeatRecorder *recorder, const char *entry, LeatBufferId last,
                              gboolean stores)
{
  LeatSpec *items = leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, "items"));
  guint64 work = stores ? leat_spec_get_items (items) : leat_spec_get_dim (items, 0);
  LeatPrimitiveCall call = { 0 };

  leat_primitives_scatter_begin (&call, recorder);
  if (last != LEAT_BUFFER_NONE)
    leat_primitive_call_add (&call, last, stores ? LEAT_ACCESS_READ : LEAT_ACCESS_READ_WRITE);
  if (stores)
    leat_primitive_call_add (&call, leat_recorder_get_output (recorder, "out"), LEAT_ACCESS_READ_WRITE);
  leat_primitive_call_finish (&call, recorder, self->source, entry, leat_primitive_rows_count_blocks (work), 1,
                              LEAT_PRIMITIVE_ROWS_THREADS);
}

static void
leat_primitives_scatter_begin_output (LeatRecorder *recorder)
{
  LeatBufferId into = leat_recorder_get_input (recorder, "into");

  if (into == LEAT_BUFFER_NONE)
    leat_recorder_add_fill (recorder, leat_recorder_get_output (recorder, "out"), 0);
  else if (!leat_recorder_alias (recorder, "out", "into"))
    leat_recorder_add_copy (recorder, leat_recorder_get_output (recorder, "out"), into);
}

static gboolean
leat_primitives_scatter_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatPrimitivesScatter *self = LEAT_PRIMITIVES_SCATTER (node);
  LeatBufferId last;
  LeatSpec *out;

  leat_recorder_align (recorder, "items", "at");
  leat_primitives_scatter_begin_output (recorder);
  if (self->op == LEAT_SCATTER_ADD || self->same == 1)
    {
      leat_primitives_scatter_call (self, recorder, self->op == LEAT_SCATTER_ADD ? "scatter_add" : "scatter_store",
                                    LEAT_BUFFER_NONE, TRUE);
      return TRUE;
    }
  out = leat_recorder_get_spec (recorder, leat_recorder_get_output (recorder, "out"));
  last = leat_recorder_add_marks (recorder, "last", leat_spec_get_dim (out, 0) * sizeof (guint64));
  leat_primitives_scatter_call (self, recorder, "scatter_claim", last, FALSE);
  leat_primitives_scatter_call (self, recorder, "scatter_store_last", last, TRUE);
  leat_primitives_scatter_call (self, recorder, "scatter_forget", last, FALSE);
  return TRUE;
}

static void
leat_primitives_scatter_finalize (GObject *object)
{
  LeatPrimitivesScatter *self = LEAT_PRIMITIVES_SCATTER (object);

  g_clear_pointer (&self->source, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_primitives_scatter_parent_class)->finalize (object);
}

static void
leat_primitives_scatter_class_init (LeatPrimitivesScatterClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_primitives_scatter_finalize;
  node_class->negotiate = leat_primitives_scatter_negotiate;
  node_class->record = leat_primitives_scatter_record;
  leat_node_class_describe (node_class, &leat_primitives_scatter_info);
}

static void
leat_primitives_scatter_init (LeatPrimitivesScatter *self)
{
}
