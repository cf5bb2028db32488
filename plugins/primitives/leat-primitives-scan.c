/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `scan`: prefixes.  kernels/scan-core.cu says how it works. */

#include "leat-primitives-scan.h"

#include "leat-base-number.h"
#include "leat-primitive-operation.h"
#include "leat-primitive-prefix.h"
#include "leat-primitive-text.h"

struct _LeatPrimitivesScan
{
  LeatNode parent_instance;

  int op;
  int mode;
  int by;
  int type;
  char *expr;
  char *identity;

  LeatOperation operation;
  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatPrimitivesScan, leat_primitives_scan, LEAT_TYPE_NODE)

static const char *const op_choices[] = { "sum", "min", "max", "count", "expr", NULL };
static const LeatOperationKind op_kinds[] = { LEAT_OPERATION_SUM, LEAT_OPERATION_MIN, LEAT_OPERATION_MAX,
                                              LEAT_OPERATION_COUNT, LEAT_OPERATION_EXPR };
static const char *const mode_choices[] = { "inclusive", "exclusive", NULL };
static const char *const by_choices[] = { "whole", "row", NULL };
static const char *const type_choices[] = { "auto", "u8",  "i8",  "u16",  "i16",    "u32",    "i32", "u64",  "i64",
                                            "f32",  "f64", "f16", "bf16", "f8e4m3", "f8e5m2", "c64", "c128", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "op", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesScan, op), .choices = op_choices,
    .blurb = "How items are combined; count: number of items that are not 0; expr: by the "
             "property expr" },
  { sizeof (LeatProp), "mode", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesScan, mode), .choices = mode_choices,
    .blurb = "inclusive: an item counts in its own result; exclusive: only the items before it "
             "count" },
  { sizeof (LeatProp), "by", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesScan, by), .choices = by_choices,
    .blurb = "whole: through the whole input; row: anew for each row along the last dimension" },
  { sizeof (LeatProp), "type", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesScan, type), .choices = type_choices,
    .blurb = "Type of sums, and of the values in expr; auto: whole numbers are summed in 64 bits, "
             "floats of 16 and 8 bits in f32; otherwise the type of the input" },
  { sizeof (LeatProp), "expr", LEAT_PROP_STRING, 0, offsetof (LeatPrimitivesScan, expr),
    .blurb = "For op=expr: combines a, the result so far, and b, the next item, such as a>b?a:b.  "
             "It must be associative" },
  { sizeof (LeatProp), "identity", LEAT_PROP_STRING, 0, offsetof (LeatPrimitivesScan, identity), .def.s = "0",
    .blurb = "For op=expr: the value that changes nothing: a number, lowest or greatest" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "x", LEAT_PORT_INPUT, 0, "any", "Items, of any type" },
  { sizeof (LeatPortInfo), "starts", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "One whole number for each item; a segment begins at an item whose number is not 0" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "For each item the combination of the items up to it" },
};

const LeatNodeInfo leat_primitives_scan_info = {
  sizeof (LeatNodeInfo),
  "scan",
  NULL,
  "Gives each item the sum of the items up to it, or another prefix",
  "The order in which items are combined depends only on their number, so results are "
  "the same in every run and on every device.  Each segment starts anew.\n\nExample: "
  "scan op=max mode=exclusive",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_primitives_scan_get_type,
};

static gboolean
leat_primitives_scan_prepare (LeatNode *node, GError **error)
{
  LeatPrimitivesScan *self = LEAT_PRIMITIVES_SCAN (node);
  LeatOperationKind kind = op_kinds[self->op];

  leat_operation_clear (&self->operation);
  self->operation.kind = kind;
  leat_node_blame (node, "expr");
  return leat_operation_check (kind, self->expr, self->type > 0, error)
         && (self->expr == NULL || leat_operation_set_expression (&self->operation, self->expr, self->identity, error));
}

/* Items of a row; 0: all are one. */
static guint64
leat_primitives_scan_get_row (LeatPrimitivesScan *self, LeatSpec *x)
{
  guint n = leat_spec_get_n_dims (x);

  return self->by == 0 || n < 2 ? 0 : leat_spec_get_dim (x, n - 1);
}

/* @starts: (nullable) */
static gboolean
leat_primitives_scan_compile (LeatPrimitivesScan *self, LeatSpec *x, LeatSpec *starts, GError **error)
{
  guint64 row = leat_primitives_scan_get_row (self, x);
  gboolean segmented = row > 0 || starts != NULL;
  g_autoptr (GString) head = g_string_new (NULL);

  leat_operation_write (&self->operation, head);
  leat_prefix_write (segmented, leat_operation_is_ordered (&self->operation),
                     leat_operation_has_pairs (&self->operation), head);
  g_string_append_printf (head,
                          "#define INCLUSIVE %d\ntypedef %s Flag;\nstruct Source\n{\n  const Item *x;\n  const Flag "
                          "*starts;\n  Out *out;\n};\n"
                          "static __device__ __forceinline__ Part look (const Source &s, uint64_t i)\n{\n  Part p;\n\n"
                          "  p.value = take (s.x[i], i);\n",
                          self->mode == 0,
                          starts != NULL ? leat_primitive_get_c_type (leat_spec_get_dtype (starts)) : "uint8_t");
  if (segmented)
    g_string_append (head, "  p.begins = 0;\n");
  if (starts != NULL)
    g_string_append (head, "  p.begins |= s.starts[i] != 0;\n");
  if (row > 0)
    g_string_append_printf (head, "  p.begins |= i %% %" G_GUINT64_FORMAT "u == 0;\n", row);
  g_string_append (head,
                   "  return p;\n}\nstatic __device__ __forceinline__ void put (const Source &s, uint64_t i, Acc a)\n"
                   "{\n  s.out[i] = give (a);\n}\n");
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  if (leat_primitive_append_texts (
        head, (const char *const[]){ "arrive.cu", "prefix.cu", "words.cu", "prefix-once.cu", "scan-core.cu", NULL },
        error))
    self->source = leat_primitive_source_new ("scan.cu", head->str, error);
  return self->source != NULL;
}

static gboolean
leat_primitives_scan_check_starts (LeatNode *node, LeatSpec *x, LeatSpec *starts, GError **error)
{
  return starts == NULL
         || leat_primitive_check_flags (node, "starts", starts, x,
                                        leat_spec_get_items (starts) == leat_spec_get_items (x), "item", error);
}

/* A prefix of 16 bytes and what says that a segment begins are more than a block has memory for. */
static gboolean
leat_primitives_scan_check_pairs (LeatPrimitivesScan *self, LeatSpec *x, LeatSpec *starts, GError **error)
{
  if (self->operation.result != LEAT_DTYPE_C128 || self->operation.kind == LEAT_OPERATION_COUNT
      || (starts == NULL && leat_primitives_scan_get_row (self, x) == 0))
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE,
               "scan \"%s\": c128 is scanned as a whole only, without rows and \"starts\": take type=c64, or scan "
               "real(x) and imag(x), each made f64 by map",
               leat_node_get_name (LEAT_NODE (self)));
  return FALSE;
}

static gboolean
leat_primitives_scan_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatPrimitivesScan *self = LEAT_PRIMITIVES_SCAN (node);
  LeatSpec *x = leat_negotiation_get_input (negotiation, "x");
  LeatSpec *starts = leat_negotiation_get_input (negotiation, "starts");
  guint64 dims[LEAT_SPEC_MAX_DIMS];
  g_autoptr (LeatSpec) spec = NULL;

  if (!leat_number_check (node, "x", x, error) || !leat_primitives_scan_check_starts (node, x, starts, error))
    return FALSE;
  self->operation.item = leat_spec_get_dtype (x);
  self->operation.result = self->type > 0 ? leat_dtype_from_name (type_choices[self->type])
                                          : leat_operation_get_result (self->operation.kind, self->operation.item);
  for (guint i = 0; i < leat_spec_get_n_dims (x); i++)
    dims[i] = leat_spec_get_dim (x, i);
  spec = leat_spec_new (self->operation.result, dims, leat_spec_get_n_dims (x), leat_spec_is_bounded (x));
  if (!leat_operation_check_types (&self->operation, node, error)
      || !leat_primitives_scan_check_pairs (self, x, starts, error))
    return FALSE;
  return leat_primitives_scan_compile (self, x, starts, error)
         && leat_negotiation_set_output (negotiation, "out", spec, error);
}

static void
leat_primitives_scan_add_inputs (LeatPrimitiveCall *call, LeatRecorder *recorder, LeatBufferId unused)
{
  LeatBufferId x = leat_recorder_get_input (recorder, "x"), starts = leat_recorder_get_input (recorder, "starts");

  leat_primitive_call_add (call, x, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (call, recorder, x,
                                 leat_primitive_get_row_items (leat_recorder_get_spec (recorder, x)));
  leat_primitive_call_add_flags (call, recorder, starts, unused);
}

static gboolean
leat_primitives_scan_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatPrimitivesScan *self = LEAT_PRIMITIVES_SCAN (node);
  LeatSpec *x = leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, "x"));
  gboolean segmented =
    leat_primitives_scan_get_row (self, x) > 0 || leat_recorder_get_input (recorder, "starts") != LEAT_BUFFER_NONE;
  guint64 tiles =
    leat_prefix_count_tiles (leat_spec_get_items (x), leat_dtype_get_size (self->operation.result), segmented);
  LeatBufferId parts = leat_prefix_add_parts (recorder, tiles), out = leat_recorder_get_output (recorder, "out");
  LeatBufferId unused = leat_recorder_add_scratch (recorder, "unused", 8);
  gboolean once = tiles <= LEAT_PREFIX_ONCE || !(segmented || leat_operation_is_ordered (&self->operation));
  LeatPrimitiveCall sum = { 0 }, give = { 0 };

  leat_recorder_align (recorder, "x", "starts");
  if (!once)
    {
      leat_primitives_scan_add_inputs (&sum, recorder, unused);
      leat_primitive_call_add (&sum, parts, LEAT_ACCESS_WRITE);
      leat_primitive_call_add (&sum, leat_recorder_add_marks (recorder, "arrived", sizeof (guint32)),
                               LEAT_ACCESS_READ_WRITE);
      leat_primitive_call_finish (&sum, recorder, self->source, "scan_sum", leat_prefix_count_blocks (tiles), 1,
                                  LEAT_PREFIX_THREADS);
    }
  leat_primitives_scan_add_inputs (&give, recorder, unused);
  leat_primitive_call_add (&give, parts, once ? LEAT_ACCESS_WRITE : LEAT_ACCESS_READ);
  if (once)
    leat_primitive_call_add (&give, leat_prefix_add_control (recorder, tiles), LEAT_ACCESS_READ_WRITE);
  leat_primitive_call_add_number (&give, MAX (leat_primitive_get_row_items (x), 1));
  leat_primitive_call_add (&give, out, LEAT_ACCESS_WRITE);
  leat_primitive_call_add_result_count (&give, recorder, out, leat_recorder_add_scratch (recorder, "live", 8));
  leat_primitive_call_finish (&give, recorder, self->source, once ? "scan_once" : "scan_give",
                              leat_prefix_count_blocks (tiles), 1, LEAT_PREFIX_THREADS);
  leat_recorder_keep_count (recorder, leat_recorder_get_input (recorder, "x"));
  return TRUE;
}

static void
leat_primitives_scan_finalize (GObject *object)
{
  LeatPrimitivesScan *self = LEAT_PRIMITIVES_SCAN (object);

  leat_operation_clear (&self->operation);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_primitives_scan_parent_class)->finalize (object);
}

static void
leat_primitives_scan_class_init (LeatPrimitivesScanClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_primitives_scan_finalize;
  node_class->prepare = leat_primitives_scan_prepare;
  node_class->negotiate = leat_primitives_scan_negotiate;
  node_class->record = leat_primitives_scan_record;
  leat_node_class_describe (node_class, &leat_primitives_scan_info);
}

static void
leat_primitives_scan_init (LeatPrimitivesScan *self)
{
}
