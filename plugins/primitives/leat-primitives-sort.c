/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `sort`.  kernels/sort.cu says how it works. */

#include "leat-primitives-sort.h"

#include "leat-base-number.h"
#include "leat-primitive-call.h"
#include "leat-primitive-rows.h"
#include "leat-primitive-text.h"

#define LEAT_SORT_THREADS 256
#define LEAT_SORT_TILE    4096
#define LEAT_SORT_VALUES  256
#define LEAT_SORT_PLACED  8 /* values of a block of sort_place */

struct _LeatPrimitivesSort
{
  LeatNode parent_instance;

  int order;

  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatPrimitivesSort, leat_primitives_sort, LEAT_TYPE_NODE)

static const char *const order_choices[] = { "ascending", "descending", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "order", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesSort, order), .choices = order_choices,
    .blurb = "ascending: the least key first; descending: the greatest key first" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "keys", LEAT_PORT_INPUT, 0, "any", "Keys, one dimension, fewer than 2^32" },
  { sizeof (LeatPortInfo), "values", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any", "One row for each key" },
  { sizeof (LeatPortInfo), "sorted", LEAT_PORT_OUTPUT, 0, "any", "Keys in order" },
  { sizeof (LeatPortInfo), "carried", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "Rows of values in the order of their keys" },
  { sizeof (LeatPortInfo), "from", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "For each sorted key its index in the input, u32" },
};

const LeatNodeInfo leat_primitives_sort_info = {
  sizeof (LeatNodeInfo),
  "sort",
  NULL,
  "Sorts keys, and rows that belong to them",
  "Keys are numbers of any type but complex.  Equal keys keep their order.  Of bounded data, the "
  "live keys are sorted.\n\nExample: sort order=descending",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_primitives_sort_get_type,
};

static gboolean
leat_primitives_sort_gives (LeatNode *node, const char *output)
{
  return leat_port_is_linked (leat_node_get_port (node, output, NULL));
}

/* The order of floats: those with a sign are the other way round, and before the others.  NaN is the greatest key,
 * whatever its sign and other bits: which sign it has depends on the device that made it. */
static void
leat_primitives_sort_write_real_key (GString *head, LeatDtype dtype)
{
  /* The bits of infinity; f8e4m3 has none, and its greatest number stands for it. */
  static const guint64 infinite[] = {
    [LEAT_DTYPE_F16] = 0x7c00,
    [LEAT_DTYPE_F32] = 0x7f800000,
    [LEAT_DTYPE_F64] = G_GUINT64_CONSTANT (0x7ff0000000000000),
    [LEAT_DTYPE_BF16] = 0x7f80,
    [LEAT_DTYPE_F8E4M3] = 0x7e,
    [LEAT_DTYPE_F8E5M2] = 0x7c,
  };

  g_string_append_printf (
    head,
    "#define INFINITE ((Key) 0x%" G_GINT64_MODIFIER "xull)\n"
    "static __device__ Key order (Key k) { return (Key) (k & (Key) ~TOP) > INFINITE ? (Key) ~(Key) 0 "
    ": (Key) (k & TOP ? ~k : k ^ TOP); }\n",
    infinite[dtype]);
}

static void
leat_primitives_sort_write_key (LeatPrimitivesSort *self, LeatDtype dtype, GString *head)
{
  guint bits = 8 * (guint) leat_dtype_get_size (dtype);

  g_string_append_printf (head, "typedef uint%u_t Key;\n#define TOP ((Key) ((Key) 1 << %u))\n", bits, bits - 1);
  if (leat_number_is_real (dtype))
    leat_primitives_sort_write_real_key (head, dtype);
  else
    g_string_append_printf (head, "static __device__ Key order (Key k) { return %s; }\n",
                            leat_primitive_is_signed (dtype) ? "k ^ TOP" : "k");
  g_string_append_printf (head, "static __device__ Key flip (Key k) { return (Key) %sorder (k); }\n",
                          self->order == 1 ? "~" : "");
}

static gboolean
leat_primitives_sort_compile (LeatPrimitivesSort *self, LeatSpec *keys, LeatSpec *values, GError **error)
{
  g_autoptr (GString) head = g_string_new (NULL);
  guint64 bytes = 1, word_bytes = 1;
  const char *word;

  if (values != NULL)
    bytes = leat_spec_get_row_bytes (values);
  word = leat_primitive_rows_get_word (bytes, &word_bytes);
  leat_primitives_sort_write_key (self, leat_spec_get_dtype (keys), head);
  g_string_append_printf (head, "typedef %s Word;\n#define ROW %" G_GUINT64_FORMAT "u\n#define CARRIES %u\n", word,
                          bytes / word_bytes,
                          values != NULL || leat_primitives_sort_gives (LEAT_NODE (self), "from") ? 1 : 0);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  self->source = leat_primitive_source_new ("sort.cu", head->str, error);
  return self->source != NULL;
}

static gboolean
leat_primitives_sort_check (LeatNode *node, LeatSpec *keys, LeatSpec *values, GError **error)
{
  g_autofree char *text = leat_spec_to_string (keys, LEAT_SPEC_STYLE_FILE), *other = NULL;

  if (leat_spec_get_n_dims (keys) != 1 || leat_spec_get_items (keys) > G_MAXUINT32)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "sort \"%s\": input \"keys\" is %s; keys have one dimension, and are less than 2^32",
                   leat_node_get_name (node), text);
      return FALSE;
    }
  if (leat_number_is_complex (leat_spec_get_dtype (keys)))
    {
      g_set_error (
        error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
        "sort \"%s\": input \"keys\" is %s, and complex numbers have no order: let map make keys of them, as "
        "abs(x) or real(x), and link them to \"values\"",
        leat_node_get_name (node), text);
      return FALSE;
    }
  if (values == NULL
      || (leat_spec_get_n_dims (values) > 0 && leat_spec_get_dim (values, 0) == leat_spec_get_dim (keys, 0)))
    return TRUE;
  other = leat_spec_to_string (values, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "sort \"%s\": input \"values\" is %s, and there is one row for each of the keys, which are %s",
               leat_node_get_name (node), other, text);
  return FALSE;
}

static gboolean
leat_primitives_sort_set_outputs (LeatNegotiation *negotiation, LeatSpec *keys, LeatSpec *values, GError **error)
{
  guint64 dims[LEAT_SPEC_MAX_DIMS] = { leat_spec_get_dim (keys, 0) };
  gboolean bounded = leat_spec_is_bounded (keys);
  guint n = values != NULL ? leat_spec_get_n_dims (values) : 1;
  g_autoptr (LeatSpec) from = leat_spec_new (LEAT_DTYPE_U32, dims, 1, bounded);
  g_autoptr (LeatSpec) carried = NULL;

  for (guint i = 1; i < n; i++)
    dims[i] = leat_spec_get_dim (values, i);
  carried = leat_spec_new_with_shape (values != NULL ? values : keys, dims, n, bounded);
  return leat_negotiation_set_output (negotiation, "sorted", keys, error)
         && leat_negotiation_set_output (negotiation, "from", from, error)
         && leat_negotiation_set_output (negotiation, "carried", carried, error);
}

static gboolean
leat_primitives_sort_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatPrimitivesSort *self = LEAT_PRIMITIVES_SORT (node);
  LeatSpec *keys = leat_negotiation_get_input (negotiation, "keys");
  LeatSpec *values = leat_negotiation_get_input (negotiation, "values");

  if (!leat_number_check (node, "keys", keys, error) || !leat_primitives_sort_check (node, keys, values, error))
    return FALSE;
  if (values == NULL && leat_primitives_sort_gives (node, "carried"))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNLINKED,
                   "sort \"%s\": output \"carried\" is linked, and nothing is to input \"values\"",
                   leat_node_get_name (node));
      return FALSE;
    }
  return leat_primitives_sort_compile (self, keys, values, error)
         && leat_primitives_sort_set_outputs (negotiation, keys, values, error);
}

/* The buffers and sizes that the kernels of one run share. */
typedef struct
{
  LeatBufferId keys, values, sorted, carried, from; /* from: the output, or memory of the same size; a word if unused */
  LeatBufferId counts, totals, unused, unused_too;
  LeatBufferId key_stages[2], from_stages[2];
  guint64 n, tiles;
  guint digits;
  gboolean has_from;
} LeatSortParts;

static void
leat_primitives_sort_add_keys (LeatPrimitiveCall *call, LeatRecorder *recorder, LeatBufferId from, LeatBufferId counted)
{
  leat_primitive_call_add (call, from, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (call, recorder, counted, 1);
}

/* Where keys and numbers go at last. */
static void
leat_primitives_sort_add_results (LeatPrimitiveCall *call, LeatRecorder *recorder, const LeatSortParts *parts)
{
  leat_primitive_call_add (call, parts->sorted, LEAT_ACCESS_WRITE);
  leat_primitive_call_add (call, parts->from, LEAT_ACCESS_WRITE);
  leat_primitive_call_add_result_count (call, recorder, parts->sorted, parts->unused);
  if (parts->has_from)
    leat_primitive_call_add_result_count (call, recorder, parts->from, parts->unused_too);
  else
    leat_primitive_call_add (call, parts->unused_too, LEAT_ACCESS_WRITE);
}

static void
leat_primitives_sort_record_digit (LeatPrimitivesSort *self, LeatRecorder *recorder, const LeatSortParts *parts,
                                   guint digit)
{
  LeatPrimitiveCall count = { 0 }, place = { 0 }, move = { 0 };
  LeatBufferId keys = digit == 0 ? parts->keys : parts->key_stages[digit % 2];
  guint64 blocks = MIN (parts->tiles, 1 << 20);

  leat_primitives_sort_add_keys (&count, recorder, keys, parts->keys);
  leat_primitive_call_add_number (&count, 8 * digit);
  leat_primitive_call_add_number (&count, parts->tiles);
  leat_primitive_call_add (&count, parts->counts, LEAT_ACCESS_WRITE);
  leat_primitive_call_finish (&count, recorder, self->source, "sort_count", blocks, 1, LEAT_SORT_THREADS);

  leat_primitive_call_add_number (&place, parts->tiles);
  leat_primitive_call_add (&place, parts->counts, LEAT_ACCESS_READ_WRITE);
  leat_primitive_call_add (&place, parts->totals, LEAT_ACCESS_WRITE);
  leat_primitive_call_finish (&place, recorder, self->source, "sort_place", LEAT_SORT_VALUES / LEAT_SORT_PLACED, 1,
                              LEAT_SORT_THREADS);

  leat_primitives_sort_add_keys (&move, recorder, keys, parts->keys);
  leat_primitive_call_add (&move, parts->from_stages[digit % 2], LEAT_ACCESS_READ);
  leat_primitive_call_add_number (&move, digit == 0);
  leat_primitive_call_add_number (&move, 8 * digit);
  leat_primitive_call_add_number (&move, parts->tiles);
  leat_primitive_call_add (&move, parts->counts, LEAT_ACCESS_READ);
  leat_primitive_call_add (&move, parts->totals, LEAT_ACCESS_READ);
  if (digit + 1 == parts->digits)
    leat_primitives_sort_add_results (&move, recorder, parts);
  else
    {
      leat_primitive_call_add (&move, parts->key_stages[1 - digit % 2], LEAT_ACCESS_WRITE);
      leat_primitive_call_add (&move, parts->from_stages[1 - digit % 2], LEAT_ACCESS_WRITE);
      leat_primitive_call_add (&move, parts->unused, LEAT_ACCESS_WRITE);
      leat_primitive_call_add (&move, parts->unused_too, LEAT_ACCESS_WRITE);
    }
  leat_primitive_call_finish (&move, recorder, self->source, "sort_move", blocks, 1, LEAT_SORT_THREADS);
  leat_recorder_keep_count (recorder, parts->keys);
}

static void
leat_primitives_sort_record_tiles (LeatPrimitivesSort *self, LeatRecorder *recorder, LeatSortParts *parts)
{
  gboolean carries = parts->has_from || parts->values != LEAT_BUFFER_NONE;

  parts->counts = leat_recorder_add_scratch (recorder, "counts", parts->tiles * LEAT_SORT_VALUES * sizeof (guint32));
  parts->totals = leat_recorder_add_scratch (recorder, "totals", LEAT_SORT_VALUES * sizeof (guint32));
  for (guint i = 0; i < 2; i++)
    {
      parts->key_stages[i] = leat_recorder_add_scratch (recorder, "keys", parts->n * parts->digits);
      parts->from_stages[i] =
        leat_recorder_add_scratch (recorder, "numbers", carries ? parts->n * sizeof (guint32) : sizeof (guint32));
    }
  for (guint digit = 0; digit < parts->digits; digit++)
    leat_primitives_sort_record_digit (self, recorder, parts, digit);
}

static void
leat_primitives_sort_record_tile (LeatPrimitivesSort *self, LeatRecorder *recorder, const LeatSortParts *parts)
{
  LeatPrimitiveCall call = { 0 };

  leat_primitives_sort_add_keys (&call, recorder, parts->keys, parts->keys);
  leat_primitives_sort_add_results (&call, recorder, parts);
  leat_primitive_call_finish (&call, recorder, self->source, "sort_tile", 1, 1, LEAT_SORT_THREADS);
  leat_recorder_keep_count (recorder, parts->keys);
}

static void
leat_primitives_sort_record_carry (LeatPrimitivesSort *self, LeatRecorder *recorder, const LeatSortParts *parts)
{
  LeatPrimitiveCall call = { 0 };

  leat_primitive_call_add (&call, parts->values, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (&call, recorder, parts->values, 1);
  leat_primitives_sort_add_keys (&call, recorder, parts->keys, parts->keys);
  leat_primitive_call_add (&call, parts->from, LEAT_ACCESS_READ);
  leat_primitive_call_add (&call, parts->carried, LEAT_ACCESS_WRITE);
  leat_primitive_call_add_result_count (&call, recorder, parts->carried, parts->unused);
  leat_primitive_call_finish (
    &call, recorder, self->source, "sort_carry",
    leat_primitive_rows_count_blocks (leat_spec_get_items (leat_recorder_get_spec (recorder, parts->carried))), 1,
    LEAT_PRIMITIVE_ROWS_THREADS);
  leat_recorder_keep_count (recorder, parts->keys);
}

static gboolean
leat_primitives_sort_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatPrimitivesSort *self = LEAT_PRIMITIVES_SORT (node);
  LeatSortParts parts = { .keys = leat_recorder_get_input (recorder, "keys"),
                          .values = leat_recorder_get_input (recorder, "values"),
                          .sorted = leat_recorder_get_output (recorder, "sorted"),
                          .unused = leat_recorder_add_scratch (recorder, "live", 8),
                          .unused_too = leat_recorder_add_scratch (recorder, "live too", 8),
                          .has_from = leat_primitives_sort_gives (node, "from") };
  LeatSpec *keys = leat_recorder_get_spec (recorder, parts.keys);

  leat_recorder_align (recorder, "keys", "values");
  parts.n = leat_spec_get_items (keys);
  parts.tiles = (parts.n + LEAT_SORT_TILE - 1) / LEAT_SORT_TILE;
  parts.digits = (guint) leat_dtype_get_size (leat_spec_get_dtype (keys));
  if (parts.has_from)
    parts.from = leat_recorder_get_output (recorder, "from");
  else
    parts.from =
      leat_recorder_add_scratch (recorder, "from", (parts.values != LEAT_BUFFER_NONE ? parts.n : 1) * sizeof (guint32));
  if (parts.tiles <= 1)
    leat_primitives_sort_record_tile (self, recorder, &parts);
  else
    leat_primitives_sort_record_tiles (self, recorder, &parts);
  if (parts.values == LEAT_BUFFER_NONE)
    return TRUE;
  parts.carried = leat_recorder_get_output (recorder, "carried");
  leat_primitives_sort_record_carry (self, recorder, &parts);
  return TRUE;
}

static void
leat_primitives_sort_finalize (GObject *object)
{
  LeatPrimitivesSort *self = LEAT_PRIMITIVES_SORT (object);

  g_clear_pointer (&self->source, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_primitives_sort_parent_class)->finalize (object);
}

static void
leat_primitives_sort_class_init (LeatPrimitivesSortClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_primitives_sort_finalize;
  node_class->negotiate = leat_primitives_sort_negotiate;
  node_class->record = leat_primitives_sort_record;
  leat_node_class_describe (node_class, &leat_primitives_sort_info);
}

static void
leat_primitives_sort_init (LeatPrimitivesSort *self)
{
}
