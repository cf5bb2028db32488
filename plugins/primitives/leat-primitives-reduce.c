/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `reduce`.  kernels/reduce.cu says how it works; here its types are written and its buffers found. */

#include "leat-primitives-reduce.h"

#include "leat-base-number.h"
#include "leat-primitive-call.h"
#include "leat-primitive-operation.h"
#include "leat-primitive-text.h"

#define LEAT_REDUCE_THREADS    256
#define LEAT_REDUCE_TILE_BYTES 16384
/* Blocks that a GPU of 132 multiprocessors runs at once, 6 each, for which no operation takes too many registers: with
 * more they would come in waves. */
#define LEAT_REDUCE_BLOCKS    792
#define LEAT_REDUCE_BY_THREAD 32  /* items of the longest row that a thread takes */
#define LEAT_REDUCE_BY_WARP   512 /* and a warp */

struct _LeatPrimitivesReduce
{
  LeatNode parent_instance;

  int op;
  int by;
  int type;
  int empty;
  char *expr;
  char *identity;

  LeatOperation operation;
  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatPrimitivesReduce, leat_primitives_reduce, LEAT_TYPE_NODE)

static const char *const by_choices[] = { "whole", "row", NULL };
static const char *const empty_choices[] = { "identity", "error", NULL };
static const char *const type_choices[] = { "auto", "u8",  "i8",  "u16",  "i16",    "u32",    "i32", "u64",  "i64",
                                            "f32",  "f64", "f16", "bf16", "f8e4m3", "f8e5m2", "c64", "c128", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "op", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesReduce, op), .choices = leat_operation_names,
    .blurb = "How items are combined; argmin, argmax: index of the least or greatest item; count: "
             "number of items that are not 0; expr: by the property expr" },
  { sizeof (LeatProp), "by", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesReduce, by), .choices = by_choices,
    .blurb = "whole: one result for the whole input; row: one result for each row along the last "
             "dimension" },
  { sizeof (LeatProp), "type", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesReduce, type), .choices = type_choices,
    .blurb = "Type of sums, and of the values in expr; auto: whole numbers are summed in 64 bits, "
             "floats of 16 and 8 bits in f32; otherwise the type of the input" },
  { sizeof (LeatProp), "expr", LEAT_PROP_STRING, 0, offsetof (LeatPrimitivesReduce, expr),
    .blurb = "For op=expr: combines a and b, each an item or an earlier result, such as a>b?a:b.  "
             "It must be associative and commutative" },
  { sizeof (LeatProp), "identity", LEAT_PROP_STRING, 0, offsetof (LeatPrimitivesReduce, identity), .def.s = "0",
    .blurb = "For op=expr: the value that changes nothing: a number, lowest or greatest.  It is "
             "also the result of no items" },
  { sizeof (LeatProp), "empty", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesReduce, empty), .choices = empty_choices,
    .blurb = "If there are no items; identity: the result is the identity; error: the run fails" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "x", LEAT_PORT_INPUT, 0, "any", "Items, of any type" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "One result; with by=row, one for each row" },
};

const LeatNodeInfo leat_primitives_reduce_info = {
  sizeof (LeatNodeInfo),
  "reduce",
  NULL,
  "Reduces many items to one: their sum, least, greatest, its index, or their count",
  "The order in which items are combined depends only on their number, so results are "
  "the same in every run and on every device.  Of bounded data, only the live items "
  "count.\n\nExample: reduce op=max by=row",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_primitives_reduce_get_type,
};

/* Items of a row; 0: all that is live is one. */
static guint64
leat_primitives_reduce_get_row (LeatPrimitivesReduce *self, LeatSpec *x)
{
  guint n = leat_spec_get_n_dims (x);

  return self->by == 0 || n < 2 ? 0 : leat_spec_get_dim (x, n - 1);
}

static LeatSpec *
leat_primitives_reduce_make_spec (LeatPrimitivesReduce *self, LeatSpec *x, LeatDtype type)
{
  guint64 dims[LEAT_SPEC_MAX_DIMS] = { 1 };
  guint n = leat_spec_get_n_dims (x);

  if (leat_primitives_reduce_get_row (self, x) == 0)
    return leat_spec_new (type, dims, 1, FALSE);
  for (guint i = 0; i < n - 1; i++)
    dims[i] = leat_spec_get_dim (x, i);
  return leat_spec_new (type, dims, n - 1, leat_spec_is_bounded (x));
}

static gboolean
leat_primitives_reduce_prepare (LeatNode *node, GError **error)
{
  LeatPrimitivesReduce *self = LEAT_PRIMITIVES_REDUCE (node);

  leat_operation_clear (&self->operation);
  self->operation.kind = self->op;
  leat_node_blame (node, "expr");
  return leat_operation_check (self->op, self->expr, self->type > 0, error)
         && (self->expr == NULL || leat_operation_set_expression (&self->operation, self->expr, self->identity, error));
}

static gboolean
leat_primitives_reduce_compile (LeatPrimitivesReduce *self, GError **error)
{
  g_autoptr (GString) head = g_string_new (NULL);

  leat_operation_write (&self->operation, head);
  if (self->empty == 1)
    g_string_append (head, "LEAT_REPORT (EMPTY = 0, error, \"nothing to reduce: there are {value} items\")\n");
  g_string_append_printf (head, "static __device__ void when_empty () {%s}\n",
                          self->empty == 1 ? " leat_report_at (EMPTY, 0, 0); " : "");
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  if (leat_primitive_append_text (head, "arrive.cu", error))
    self->source = leat_primitive_source_new ("reduce.cu", head->str, error);
  return self->source != NULL;
}

static gboolean
leat_primitives_reduce_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatPrimitivesReduce *self = LEAT_PRIMITIVES_REDUCE (node);
  LeatSpec *x = leat_negotiation_get_input (negotiation, "x");
  g_autoptr (LeatSpec) spec = NULL;

  if (!leat_number_check (node, "x", x, error))
    return FALSE;
  self->operation.item = leat_spec_get_dtype (x);
  self->operation.result = self->type > 0 ? leat_dtype_from_name (type_choices[self->type])
                                          : leat_operation_get_result (self->op, self->operation.item);
  spec = leat_primitives_reduce_make_spec (self, x, self->operation.result);
  if (!leat_operation_check_types (&self->operation, node, error))
    return FALSE;
  return leat_primitives_reduce_compile (self, error) && leat_negotiation_set_output (negotiation, "out", spec, error);
}

/* All three kernels begin with the arguments of the input, and end with those of the output. */
static void
leat_primitives_reduce_add_x (LeatPrimitiveCall *call, LeatRecorder *recorder, guint64 row)
{
  LeatBufferId x = leat_recorder_get_input (recorder, "x");
  LeatSpec *spec = leat_recorder_get_spec (recorder, x);
  guint64 step = leat_primitive_get_row_items (spec);

  leat_primitive_call_add (call, x, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (call, recorder, x, step);
  leat_primitive_call_add_number (call, row);
  leat_primitive_call_add_number (call, row > 0 ? MAX (step / row, 1) : 1);
}

static void
leat_primitives_reduce_add_out (LeatPrimitiveCall *call, LeatRecorder *recorder)
{
  LeatBufferId out = leat_recorder_get_output (recorder, "out");

  leat_primitive_call_add (call, out, LEAT_ACCESS_WRITE);
  leat_primitive_call_add_result_count (call, recorder, out, leat_recorder_add_scratch (recorder, "live", 8));
}

static void
leat_primitives_reduce_record_tiles (LeatPrimitivesReduce *self, LeatRecorder *recorder, guint64 row, guint64 rows)
{
  LeatSpec *x = leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, "x"));
  gsize size = leat_dtype_get_size (leat_spec_get_dtype (x));
  guint64 length = row > 0 ? row : leat_spec_get_items (x);
  guint64 tiles = MAX ((length * size + LEAT_REDUCE_TILE_BYTES - 1) / LEAT_REDUCE_TILE_BYTES, 1);
  guint64 across = CLAMP (LEAT_REDUCE_BLOCKS / rows, 1, tiles);
  LeatPrimitiveCall call = { 0 };

  leat_primitives_reduce_add_x (&call, recorder, row);
  leat_primitive_call_add_number (&call, tiles);
  /* An Acc has 16 bytes at most. */
  leat_primitive_call_add (&call, leat_recorder_add_scratch (recorder, "parts", rows * tiles * 16), LEAT_ACCESS_WRITE);
  leat_primitive_call_add (&call, leat_recorder_add_marks (recorder, "arrived", rows * sizeof (guint32)),
                           LEAT_ACCESS_READ_WRITE);
  leat_primitives_reduce_add_out (&call, recorder);
  leat_primitive_call_finish (&call, recorder, self->source, "reduce_tiles", across, MIN (rows, LEAT_REDUCE_BLOCKS),
                              LEAT_REDUCE_THREADS);
  leat_recorder_keep_count (recorder, leat_recorder_get_input (recorder, "x"));
}

static void
leat_primitives_reduce_record_rows (LeatPrimitivesReduce *self, LeatRecorder *recorder, guint64 row, guint64 rows)
{
  gboolean by_thread = row <= LEAT_REDUCE_BY_THREAD;
  guint64 threads = by_thread ? rows : rows * 32;
  LeatPrimitiveCall call = { 0 };

  leat_primitives_reduce_add_x (&call, recorder, row);
  leat_primitives_reduce_add_out (&call, recorder);
  leat_primitive_call_finish (&call, recorder, self->source, by_thread ? "reduce_threads" : "reduce_warps",
                              CLAMP ((threads + LEAT_REDUCE_THREADS - 1) / LEAT_REDUCE_THREADS, 1, 65536), 1,
                              LEAT_REDUCE_THREADS);
  leat_recorder_keep_count (recorder, leat_recorder_get_input (recorder, "x"));
}

static gboolean
leat_primitives_reduce_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatPrimitivesReduce *self = LEAT_PRIMITIVES_REDUCE (node);
  LeatSpec *x = leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, "x"));
  guint64 row = leat_primitives_reduce_get_row (self, x);

  if (row == 0 || row > LEAT_REDUCE_BY_WARP)
    leat_primitives_reduce_record_tiles (self, recorder, row, row > 0 ? leat_spec_get_items (x) / row : 1);
  else
    leat_primitives_reduce_record_rows (self, recorder, row, leat_spec_get_items (x) / row);
  return TRUE;
}

static void
leat_primitives_reduce_finalize (GObject *object)
{
  LeatPrimitivesReduce *self = LEAT_PRIMITIVES_REDUCE (object);

  leat_operation_clear (&self->operation);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_primitives_reduce_parent_class)->finalize (object);
}

static void
leat_primitives_reduce_class_init (LeatPrimitivesReduceClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_primitives_reduce_finalize;
  node_class->prepare = leat_primitives_reduce_prepare;
  node_class->negotiate = leat_primitives_reduce_negotiate;
  node_class->record = leat_primitives_reduce_record;
  leat_node_class_describe (node_class, &leat_primitives_reduce_info);
}

static void
leat_primitives_reduce_init (LeatPrimitivesReduce *self)
{
}
