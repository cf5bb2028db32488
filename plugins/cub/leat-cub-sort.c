/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `cub:sort`: CUB's device-wide radix sort as foreign work.  leat-cub-sort.cuh has what nvcc compiles. */

#include "leat-cub-sort.h"

#include "leat-cub-kernels.h"

/* Memory that CUB asks for beside the keys and numbers that it moves: a word for each digit's value and tile, and some
 * kilobytes.  A tile has more than a thousand keys.  Each call compares what CUB asks for with this. */
#define LEAT_CUB_TILE_BYTES(n) (n)
#define LEAT_CUB_FEW_BYTES     (1u << 20)

struct _LeatCubSortNode
{
  LeatNode parent_instance;

  int order;
};

G_DEFINE_FINAL_TYPE (LeatCubSortNode, leat_cub_sort, LEAT_TYPE_NODE)

static const char *const order_choices[] = { "ascending", "descending", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "order", LEAT_PROP_CHOICE, 0, offsetof (LeatCubSortNode, order), .choices = order_choices,
    .blurb = "ascending: the least key first; descending: the greatest key first" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "keys", LEAT_PORT_INPUT, 0, "any", "Keys, one dimension, 4 or 8 bytes each" },
  { sizeof (LeatPortInfo), "sorted", LEAT_PORT_OUTPUT, 0, "any", "Keys in order" },
  { sizeof (LeatPortInfo), "from", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "For each sorted key its index in the input, u32" },
};

const LeatNodeInfo leat_cub_sort_info = {
  sizeof (LeatNodeInfo),
  "cub:sort",
  NULL,
  "Sorts keys with CUB, on a GPU",
  "Does what the node sort does for keys of 4 or 8 bytes, with the device-wide radix "
  "sort of NVIDIA's CUB.\n\nExample: cub:sort order=descending",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_cub_sort_get_type,
};

static gboolean
leat_cub_sort_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatSpec *keys = leat_negotiation_get_input (negotiation, "keys");
  gboolean is_complex = leat_spec_get_dtype (keys) == LEAT_DTYPE_C64;
  gsize bytes = is_complex ? 0 : leat_dtype_get_size (leat_spec_get_dtype (keys));
  g_autoptr (LeatSpec) from = NULL;
  guint64 n;

  if (leat_spec_get_n_dims (keys) != 1 || leat_spec_get_items (keys) > G_MAXUINT32 || (bytes != 4 && bytes != 8))
    {
      g_autofree char *text = leat_spec_to_string (keys, LEAT_SPEC_STYLE_FILE);

      g_set_error (
        error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
        "cub:sort \"%s\": input \"keys\" is %s; keys have one dimension, are less than 2^32, and have 4 or 8 "
        "bytes: the node sort takes any type that has an order",
        leat_node_get_name (node), text);
      return FALSE;
    }
  n = leat_spec_get_dim (keys, 0);
  from = leat_spec_new (LEAT_DTYPE_U32, &n, 1, leat_spec_is_bounded (keys));
  return leat_negotiation_set_output (negotiation, "sorted", keys, error)
         && leat_negotiation_set_output (negotiation, "from", from, error);
}

/* The parameters of one run; addresses are found when the work is put on a stream. */
typedef struct
{
  LeatCubKeys kind;
  gboolean descending, is_long;
  guint64 n, temp_bytes;
  LeatBufferId keys, sorted, from, staged, numbers, temp; /* NONE where it is not needed */
} LeatCubWork;

static gpointer
leat_cub_work_get (LeatForeign *foreign, LeatBufferId buffer)
{
  return buffer != LEAT_BUFFER_NONE ? (gpointer) (gsize) leat_foreign_get_items (foreign, buffer) : NULL;
}

static gboolean
leat_cub_work_put (LeatForeign *foreign, gpointer user_data, GError **error)
{
  const LeatCubWork *self = user_data;
  guint64 from_count = self->from != LEAT_BUFFER_NONE ? leat_foreign_get_count (foreign, self->from) : 0;
  const LeatCubSort sort = { .kind = self->kind,
                             .descending = self->descending,
                             .n = self->n,
                             .keys = leat_cub_work_get (foreign, self->keys),
                             .count = (const uint64_t *) (gsize) leat_foreign_get_count (foreign, self->keys),
                             .sorted = leat_cub_work_get (foreign, self->sorted),
                             .sorted_count = (uint64_t *) (gsize) leat_foreign_get_count (foreign, self->sorted),
                             .from = leat_cub_work_get (foreign, self->from),
                             .from_count = (uint64_t *) (gsize) from_count,
                             .staged = leat_cub_work_get (foreign, self->staged),
                             .numbers = leat_cub_work_get (foreign, self->numbers),
                             .temp = leat_cub_work_get (foreign, self->temp),
                             .temp_bytes = self->temp_bytes,
                             .stream = leat_foreign_get_stream (foreign) };
  gsize wanted = 0;
  int result = self->is_long ? leat_cub_sort_long_words (&sort, &wanted) : leat_cub_sort_words (&sort, &wanted);

  if (result == LEAT_CUB_NO_ROOM)
    g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_ARGUMENT,
                 "CUB asks for %" G_GSIZE_FORMAT " bytes of temporary storage, and %" G_GUINT64_FORMAT
                 " were planned; use the node sort",
                 wanted, self->temp_bytes);
  else if (result != 0)
    g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_ARGUMENT, "CUB's sort: %s", leat_cub_get_error (result));
  return result == 0;
}

static LeatCubKeys
leat_cub_sort_get_kind (LeatDtype dtype)
{
  if (dtype == LEAT_DTYPE_F32 || dtype == LEAT_DTYPE_F64)
    return LEAT_CUB_KEYS_REAL;
  return dtype == LEAT_DTYPE_I32 || dtype == LEAT_DTYPE_I64 ? LEAT_CUB_KEYS_SIGNED : LEAT_CUB_KEYS_UNSIGNED;
}

static void
leat_cub_work_add_scratch (LeatCubWork *self, LeatRecorder *recorder, gboolean bounded, gsize key_bytes)
{
  gboolean has_from = self->from != LEAT_BUFFER_NONE;

  self->staged = self->numbers = LEAT_BUFFER_NONE;
  self->temp_bytes =
    self->n * (key_bytes + (has_from ? sizeof (guint32) : 0)) + LEAT_CUB_TILE_BYTES (self->n) + LEAT_CUB_FEW_BYTES;
  self->temp = leat_recorder_add_scratch (recorder, "temp", self->temp_bytes);
  if (bounded || self->descending || self->kind != LEAT_CUB_KEYS_UNSIGNED)
    self->staged = leat_recorder_add_scratch (recorder, "staged", self->n * key_bytes);
  if (has_from)
    self->numbers = leat_recorder_add_scratch (recorder, "numbers", self->n * sizeof (guint32));
}

static void
leat_cub_work_record (LeatCubWork *self, LeatRecorder *recorder)
{
  const LeatBufferId buffers[] = { self->keys, self->sorted, self->temp, self->from, self->staged, self->numbers };
  static const LeatAccess access[] = { LEAT_ACCESS_READ,  LEAT_ACCESS_WRITE, LEAT_ACCESS_WRITE,
                                       LEAT_ACCESS_WRITE, LEAT_ACCESS_WRITE, LEAT_ACCESS_WRITE };
  const LeatForeignCall call = { .name = "CUB's radix sort",
                                 .func = leat_cub_work_put,
                                 .user_data = self,
                                 .destroy = g_free,
                                 .buffers = buffers,
                                 .access = access,
                                 .n_buffers = G_N_ELEMENTS (buffers),
                                 .why_not_on_cpu = "CUB runs on a GPU only; the node sort gives the same here" };

  leat_recorder_add_foreign (recorder, &call);
}

static gboolean
leat_cub_sort_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatCubWork *work = g_new0 (LeatCubWork, 1);
  LeatSpec *keys;

  work->keys = leat_recorder_get_input (recorder, "keys");
  work->sorted = leat_recorder_get_output (recorder, "sorted");
  work->from = leat_port_is_linked (leat_node_get_port (node, "from", NULL))
                 ? leat_recorder_get_output (recorder, "from")
                 : LEAT_BUFFER_NONE;
  keys = leat_recorder_get_spec (recorder, work->keys);
  work->kind = leat_cub_sort_get_kind (leat_spec_get_dtype (keys));
  work->descending = LEAT_CUB_SORT (node)->order == 1;
  work->is_long = leat_dtype_get_size (leat_spec_get_dtype (keys)) == 8;
  work->n = leat_spec_get_items (keys);
  leat_cub_work_add_scratch (work, recorder, leat_spec_is_bounded (keys),
                             leat_dtype_get_size (leat_spec_get_dtype (keys)));
  leat_cub_work_record (work, recorder);
  return TRUE;
}

static void
leat_cub_sort_class_init (LeatCubSortNodeClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  node_class->negotiate = leat_cub_sort_negotiate;
  node_class->record = leat_cub_sort_record;
  leat_node_class_describe (node_class, &leat_cub_sort_info);
}

static void
leat_cub_sort_init (LeatCubSortNode *self)
{
}
