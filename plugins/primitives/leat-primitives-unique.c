/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `unique`: one of each run of equal items. */

#include "leat-primitives-unique.h"

#include "leat-base-number.h"
#include "leat-primitive-prefix.h"
#include "leat-primitive-rows.h"
#include "leat-primitive-text.h"

struct _LeatPrimitivesUnique
{
  LeatNode parent_instance;

  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatPrimitivesUnique, leat_primitives_unique, LEAT_TYPE_NODE)

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "x", LEAT_PORT_INPUT, 0, "any", "Items, one dimension, of any type" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "First item of each run of equal items" },
  { sizeof (LeatPortInfo), "starts", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "Position at which each run begins, u64" },
  { sizeof (LeatPortInfo), "lengths", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any", "Length of each run, u64" },
};

const LeatNodeInfo leat_primitives_unique_info = {
  sizeof (LeatNodeInfo),
  "unique",
  NULL,
  "Keeps one item of each run of equal items",
  "Only neighbours are compared: sort first to bring equal items together.\n\nExample: "
  "sort + unique",
  NULL,
  0,
  ports,
  G_N_ELEMENTS (ports),
  leat_primitives_unique_get_type,
};

/* Lengths follow from where runs begin. */
static gboolean
leat_primitives_unique_wants_starts (LeatPrimitivesUnique *self)
{
  return leat_port_is_linked (leat_node_get_port (LEAT_NODE (self), "starts", NULL))
         || leat_port_is_linked (leat_node_get_port (LEAT_NODE (self), "lengths", NULL));
}

static gboolean
leat_primitives_unique_compile (LeatPrimitivesUnique *self, LeatSpec *x, GError **error)
{
  static const char *const files[] = { "prefix.cu",      "words.cu",       "prefix-once.cu",
                                       "unique-rows.cu", "select-core.cu", NULL };
  LeatDtype dtype = leat_spec_get_dtype (x);
  g_autofree char *a = leat_number_dup_read (dtype, "a"), *b = leat_number_dup_read (dtype, "b");
  g_autoptr (GString) head = g_string_new (NULL);

  leat_number_append_includes (head, &dtype, 1);
  leat_prefix_write_counts (head);
  g_string_append_printf (head,
                          "typedef %s Item;\n#define STARTS %d\n"
                          "static __device__ __forceinline__ bool differ (Item a, Item b) { return %s != %s; }\n",
                          leat_number_get_storage (dtype), leat_primitives_unique_wants_starts (self) ? 1 : 0, a, b);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  if (leat_primitive_append_texts (head, files, error))
    self->source = leat_primitive_source_new ("unique.cu", head->str, error);
  return self->source != NULL;
}

static gboolean
leat_primitives_unique_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatPrimitivesUnique *self = LEAT_PRIMITIVES_UNIQUE (node);
  LeatSpec *x = leat_negotiation_get_input (negotiation, "x");
  g_autoptr (LeatSpec) out = NULL, numbers = NULL;
  guint64 n;

  if (!leat_number_check (node, "x", x, error))
    return FALSE;
  if (leat_spec_get_n_dims (x) != 1)
    {
      g_autofree char *text = leat_spec_to_string (x, LEAT_SPEC_STYLE_FILE);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "unique \"%s\": input \"x\" is %s; items have one dimension", leat_node_get_name (node), text);
      return FALSE;
    }
  n = leat_spec_get_dim (x, 0);
  out = leat_spec_new (leat_spec_get_dtype (x), &n, 1, TRUE);
  numbers = leat_spec_new (LEAT_DTYPE_U64, &n, 1, TRUE);
  return leat_primitives_unique_compile (self, x, error) && leat_negotiation_set_output (negotiation, "out", out, error)
         && leat_negotiation_set_output (negotiation, "starts", numbers, error)
         && leat_negotiation_set_output (negotiation, "lengths", numbers, error);
}

static void
leat_primitives_unique_add_x (LeatPrimitiveCall *call, LeatRecorder *recorder)
{
  LeatBufferId x = leat_recorder_get_input (recorder, "x");

  leat_primitive_call_add (call, x, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (call, recorder, x, 1);
}

/* An output where it is linked, else memory of the node's own where lengths need it. */
static LeatBufferId
leat_primitives_unique_get_starts (LeatPrimitivesUnique *self, LeatRecorder *recorder, guint64 n)
{
  return leat_port_is_linked (leat_node_get_port (LEAT_NODE (self), "starts", NULL))
           ? leat_recorder_get_output (recorder, "starts")
           : leat_recorder_add_scratch (recorder, "starts",
                                        (leat_primitives_unique_wants_starts (self) ? n : 1) * sizeof (guint64));
}

static void
leat_primitives_unique_record_lengths (LeatPrimitivesUnique *self, LeatRecorder *recorder, LeatBufferId parts,
                                       LeatBufferId starts, guint64 n)
{
  LeatBufferId lengths = leat_recorder_get_output (recorder, "lengths");
  LeatPrimitiveCall call = { 0 };

  leat_primitives_unique_add_x (&call, recorder);
  leat_primitive_call_add (&call, parts, LEAT_ACCESS_READ);
  leat_primitive_call_add (&call, starts, LEAT_ACCESS_READ);
  leat_primitive_call_add (&call, lengths, LEAT_ACCESS_WRITE);
  leat_primitive_call_add_result_count (&call, recorder, lengths, LEAT_BUFFER_NONE);
  leat_primitive_call_finish (&call, recorder, self->source, "unique_measure", leat_primitive_rows_count_blocks (n), 1,
                              LEAT_PRIMITIVE_ROWS_THREADS);
}

static gboolean
leat_primitives_unique_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatPrimitivesUnique *self = LEAT_PRIMITIVES_UNIQUE (node);
  LeatSpec *x = leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, "x"));
  guint64 n = leat_spec_get_items (x), tiles = leat_prefix_count_tiles (n, sizeof (guint64), FALSE);
  LeatBufferId parts = leat_prefix_add_parts (recorder, tiles), out = leat_recorder_get_output (recorder, "out");
  LeatBufferId starts = leat_primitives_unique_get_starts (self, recorder, n);
  LeatPrimitiveCall give = { 0 };

  leat_primitives_unique_add_x (&give, recorder);
  leat_primitive_call_add (&give, parts, LEAT_ACCESS_WRITE);
  leat_primitive_call_add (&give, leat_prefix_add_control (recorder, tiles), LEAT_ACCESS_READ_WRITE);
  leat_primitive_call_add (&give, out, LEAT_ACCESS_WRITE);
  leat_primitive_call_add (&give, starts, LEAT_ACCESS_WRITE);
  leat_primitive_call_add_result_count (&give, recorder, out, LEAT_BUFFER_NONE);
  if (leat_recorder_get_spec (recorder, starts) != NULL)
    leat_primitive_call_add_result_count (&give, recorder, starts, LEAT_BUFFER_NONE);
  else
    leat_primitive_call_add (&give, leat_recorder_add_scratch (recorder, "live", 8), LEAT_ACCESS_WRITE);
  leat_primitive_call_finish (&give, recorder, self->source, "unique_give", leat_prefix_count_blocks (tiles), 1,
                              LEAT_PREFIX_THREADS);
  if (leat_port_is_linked (leat_node_get_port (node, "lengths", NULL)))
    leat_primitives_unique_record_lengths (self, recorder, parts, starts, n);
  return TRUE;
}

static void
leat_primitives_unique_finalize (GObject *object)
{
  LeatPrimitivesUnique *self = LEAT_PRIMITIVES_UNIQUE (object);

  g_clear_pointer (&self->source, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_primitives_unique_parent_class)->finalize (object);
}

static void
leat_primitives_unique_class_init (LeatPrimitivesUniqueClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_primitives_unique_finalize;
  node_class->negotiate = leat_primitives_unique_negotiate;
  node_class->record = leat_primitives_unique_record;
  leat_node_class_describe (node_class, &leat_primitives_unique_info);
}

static void
leat_primitives_unique_init (LeatPrimitivesUnique *self)
{
}
