/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `partition`: those that a predicate selects to the front. */

#include "leat-base-number.h"
#include "leat-primitives-partition.h"

#include "leat-base-expression.h"
#include "leat-primitive-prefix.h"
#include "leat-primitive-rows.h"
#include "leat-primitive-text.h"

struct _LeatPrimitivesPartition
{
  LeatNode parent_instance;

  char *where;

  LeatExpression *expression;
  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatPrimitivesPartition, leat_primitives_partition, LEAT_TYPE_NODE)

static const LeatProp props[] = {
  { sizeof (LeatProp), "where", LEAT_PROP_STRING, 0, offsetof (LeatPrimitivesPartition, where),
    .blurb = "Expression over an item x, such as x>0; it selects the rows for the front.  Without "
             "it, link the input flags" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "x", LEAT_PORT_INPUT, 0, "any", "Rows, which are the steps of the first dimension" },
  { sizeof (LeatPortInfo), "flags", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "One whole number for each row; a row goes to the front if its number is not 0" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "Rows of the front, followed by the others" },
  { sizeof (LeatPortInfo), "front", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "u64[1]", "Number of rows at the front" },
};

const LeatNodeInfo leat_primitives_partition_info = {
  sizeof (LeatNodeInfo),
  "partition",
  NULL,
  "Moves the selected rows before the others",
  "Both parts keep their order.  Of bounded data, the live rows are taken.\n\nExample: "
  "partition where=x>0",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_primitives_partition_get_type,
};

static gboolean
leat_primitives_partition_prepare (LeatNode *node, GError **error)
{
  LeatPrimitivesPartition *self = LEAT_PRIMITIVES_PARTITION (node);
  static const char *const known[] = { "x", NULL };

  g_clear_pointer (&self->expression, leat_expression_free);
  if (self->where == NULL)
    return TRUE;
  leat_node_blame (node, "where");
  self->expression = leat_expression_parse (self->where, error);
  return self->expression != NULL && leat_expression_check_names (self->expression, known, "an item is x", error);
}

static gboolean
leat_primitives_partition_refuse (LeatNode *node, GError **error, const char *what)
{
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "partition \"%s\": %s", leat_node_get_name (node), what);
  return FALSE;
}

static gboolean
leat_primitives_partition_check (LeatPrimitivesPartition *self, LeatSpec *x, LeatSpec *flags, GError **error)
{
  LeatNode *node = LEAT_NODE (self);

  if ((self->where != NULL) == (flags != NULL))
    return leat_primitives_partition_refuse (node, error,
                                             flags != NULL ? "set where=EXPRESSION or link \"flags\", not both"
                                                           : "set where=EXPRESSION, or link \"flags\"");
  if (flags == NULL)
    return leat_number_check (node, "x", x, error)
           && (leat_primitive_get_row_items (x) == 1
               || leat_primitives_partition_refuse (
                 node, error, "where is for items, and \"x\" has rows of several; link \"flags\""));
  return leat_primitive_check_flags (
    node, "flags", flags, x,
    leat_spec_get_n_dims (flags) == 1 && leat_spec_get_dim (flags, 0) == leat_spec_get_dim (x, 0), "row", error);
}

static gboolean
leat_primitives_partition_is_single (LeatDtype dtype)
{
  return leat_number_get_rules (dtype) == LEAT_DTYPE_F32 || dtype == LEAT_DTYPE_C64;
}

static gboolean
leat_primitives_partition_check_operators (LeatPrimitivesPartition *self, LeatSpec *x, GError **error)
{
  const LeatDtype dtype = leat_spec_get_dtype (x);
  const LeatExpressionTypes types = { (const char *const[]){ "x", NULL }, &dtype, dtype,
                                      leat_primitives_partition_is_single (dtype), LEAT_DTYPE_ANY };

  return self->expression == NULL || leat_expression_check (self->expression, LEAT_NODE (self), "where", &types, error);
}

static gboolean
leat_primitives_partition_compile (LeatPrimitivesPartition *self, LeatSpec *x, LeatSpec *flags, GError **error)
{
  LeatDtype dtype = leat_spec_get_dtype (x);
  guint64 bytes = leat_spec_get_row_bytes (x), word_bytes;
  const char *word = leat_primitive_rows_get_word (bytes, &word_bytes);
  static const char *const files[] = { "arrive.cu", "prefix.cu", "partition-rows.cu", "select-core.cu", NULL };
  g_autoptr (GString) head = g_string_new (NULL);
  g_autofree char *chosen = NULL;

  if (self->expression != NULL)
    chosen = leat_expression_to_c (self->expression, (const char *const[]){ "x", NULL }, &dtype, NULL,
                                   leat_primitives_partition_is_single (dtype));
  leat_number_append_includes (head, &dtype, flags == NULL ? 1 : 0);
  leat_prefix_write_counts (head);
  g_string_append_printf (
    head,
    "typedef %s Item;\ntypedef %s Flag;\ntypedef %s Word;\n#define ROW %" G_GUINT64_FORMAT "u\n"
    "static __device__ __forceinline__ bool keeps (const Item *x, const Flag *flags, uint64_t i)\n{\n"
    "  return (bool) (%s);\n}\n",
    flags == NULL ? leat_number_get_storage (dtype) : word,
    flags != NULL ? leat_primitive_get_c_type (leat_spec_get_dtype (flags)) : "uint8_t", word, bytes / word_bytes,
    chosen != NULL ? chosen : "flags[i]");
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  if (leat_primitive_append_texts (head, files, error))
    self->source = leat_primitive_source_new ("partition.cu", head->str, error);
  return self->source != NULL;
}

static gboolean
leat_primitives_partition_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatPrimitivesPartition *self = LEAT_PRIMITIVES_PARTITION (node);
  LeatSpec *x = leat_negotiation_get_input (negotiation, "x");
  LeatSpec *flags = leat_negotiation_get_input (negotiation, "flags");
  guint64 one = 1;
  g_autoptr (LeatSpec) front = leat_spec_new (LEAT_DTYPE_U64, &one, 1, FALSE);

  return leat_primitives_partition_check (self, x, flags, error)
         && leat_primitives_partition_check_operators (self, x, error)
         && leat_primitives_partition_compile (self, x, flags, error)
         && leat_negotiation_set_output (negotiation, "out", x, error)
         && leat_negotiation_set_output (negotiation, "front", front, error);
}

static void
leat_primitives_partition_add_inputs (LeatPrimitiveCall *call, LeatRecorder *recorder, LeatBufferId unused)
{
  LeatBufferId x = leat_recorder_get_input (recorder, "x"), flags = leat_recorder_get_input (recorder, "flags");

  leat_primitive_call_add (call, x, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (call, recorder, x, 1);
  leat_primitive_call_add_flags (call, recorder, flags, unused);
}

static void
leat_primitives_partition_record_sum (LeatPrimitivesPartition *self, LeatRecorder *recorder, LeatBufferId unused,
                                      LeatBufferId parts, guint64 tiles)
{
  LeatPrimitiveCall sum = { 0 };

  leat_primitives_partition_add_inputs (&sum, recorder, unused);
  leat_primitive_call_add (&sum, parts, LEAT_ACCESS_WRITE);
  leat_primitive_call_add (&sum, leat_recorder_add_marks (recorder, "arrived", sizeof (guint32)),
                           LEAT_ACCESS_READ_WRITE);
  leat_primitive_call_finish (&sum, recorder, self->source, "partition_sum", leat_prefix_count_blocks (tiles), 1,
                              LEAT_PREFIX_THREADS);
}

/* Where those behind go is known when all in front are counted. */
static gboolean
leat_primitives_partition_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatPrimitivesPartition *self = LEAT_PRIMITIVES_PARTITION (node);
  LeatSpec *x = leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, "x"));
  guint64 rows = leat_spec_get_items (x) / MAX (leat_primitive_get_row_items (x), 1);
  guint64 tiles = leat_prefix_count_tiles (rows, sizeof (guint64), FALSE);
  LeatBufferId out = leat_recorder_get_output (recorder, "out"), front;
  LeatBufferId unused = leat_recorder_add_scratch (recorder, "unused", 8), parts = LEAT_BUFFER_NONE;
  LeatPrimitiveCall give = { 0 };

  leat_recorder_align (recorder, "x", "flags");
  if (tiles > 1)
    {
      parts = leat_prefix_add_parts (recorder, tiles);
      leat_primitives_partition_record_sum (self, recorder, unused, parts, tiles);
    }
  leat_primitives_partition_add_inputs (&give, recorder, unused);
  if (tiles > 1)
    leat_primitive_call_add (&give, parts, LEAT_ACCESS_READ);
  leat_primitive_call_add (&give, out, LEAT_ACCESS_WRITE);
  leat_primitive_call_add_result_count (&give, recorder, out, leat_recorder_add_scratch (recorder, "live", 8));
  front = leat_port_is_linked (leat_node_get_port (node, "front", NULL))
            ? leat_recorder_get_output (recorder, "front")
            : leat_recorder_add_scratch (recorder, "front", 8);
  leat_primitive_call_add (&give, front, LEAT_ACCESS_WRITE);
  leat_primitive_call_finish (&give, recorder, self->source, tiles > 1 ? "partition_give" : "partition_tile",
                              leat_prefix_count_blocks (tiles), 1, LEAT_PREFIX_THREADS);
  leat_recorder_keep_count (recorder, leat_recorder_get_input (recorder, "x"));
  return TRUE;
}

static void
leat_primitives_partition_finalize (GObject *object)
{
  LeatPrimitivesPartition *self = LEAT_PRIMITIVES_PARTITION (object);

  g_clear_pointer (&self->expression, leat_expression_free);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_primitives_partition_parent_class)->finalize (object);
}

static void
leat_primitives_partition_class_init (LeatPrimitivesPartitionClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_primitives_partition_finalize;
  node_class->prepare = leat_primitives_partition_prepare;
  node_class->negotiate = leat_primitives_partition_negotiate;
  node_class->record = leat_primitives_partition_record;
  leat_node_class_describe (node_class, &leat_primitives_partition_info);
}

static void
leat_primitives_partition_init (LeatPrimitivesPartition *self)
{
}
