/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `histogram`.  kernels/histogram.cu says how it works; here bins become text. */

#include "leat-primitives-histogram.h"

#include "leat-base-number.h"
#include "leat-primitive-call.h"
#include "leat-primitive-text.h"

#include <math.h>

#define LEAT_HISTOGRAM_THREADS 512
#define LEAT_HISTOGRAM_SHARE   16384 /* items that are worth a block */
#define LEAT_HISTOGRAM_BLOCKS  528   /* 4 for each multiprocessor of a large GPU: each adds all bins to the sums */
#define LEAT_HISTOGRAM_FEW     4096  /* bins that a block has room for */

struct _LeatPrimitivesHistogram
{
  LeatNode parent_instance;

  guint64 bins;
  double min, max;
  int type;

  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatPrimitivesHistogram, leat_primitives_histogram, LEAT_TYPE_NODE)

static const char *const type_choices[] = { "u64", "u32", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "bins", LEAT_PROP_UINT, 0, offsetof (LeatPrimitivesHistogram, bins), .def.u = 256, .min.u = 1,
    .max.u = 1 << 28, .blurb = "Number of bins" },
  { sizeof (LeatProp), "min", LEAT_PROP_DOUBLE, 0, offsetof (LeatPrimitivesHistogram, min), .min.d = -INFINITY,
    .max.d = INFINITY, .blurb = "Lower end of the first bin" },
  { sizeof (LeatProp), "max", LEAT_PROP_DOUBLE, 0, offsetof (LeatPrimitivesHistogram, max), .min.d = -INFINITY,
    .max.d = INFINITY,
    .blurb = "Upper end of the last bin, which does not belong to it.  If min and max are both 0, "
             "the bins cover all values of a type of 8 bits" },
  { sizeof (LeatProp), "type", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesHistogram, type), .choices = type_choices,
    .blurb = "Type of the counts" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "x", LEAT_PORT_INPUT, 0, "any", "Items, of any shape and any type but complex" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "Number of items in each bin" },
};

const LeatNodeInfo leat_primitives_histogram_info = {
  sizeof (LeatNodeInfo),
  "histogram",
  NULL,
  "Counts items in bins of equal width",
  "Items below min, items from max on, and NaN are in no bin.  Of bounded data, only "
  "the live items count.\n\nExample: histogram bins=64 min=-1 max=1",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_primitives_histogram_get_type,
};

typedef struct
{
  LeatDtype item;
  double low, high;
} LeatHistogramRange;

static gboolean
leat_primitives_histogram_refuse (LeatPrimitivesHistogram *self, GError **error, const char *what)
{
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];

  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
               "histogram \"%s\": min=%s max=%s bins=%" G_GUINT64_FORMAT ": %s", leat_node_get_name (LEAT_NODE (self)),
               g_ascii_dtostr (low, sizeof low, self->min), g_ascii_dtostr (high, sizeof high, self->max), self->bins,
               what);
  return FALSE;
}

static gboolean
leat_primitives_histogram_find_whole_range (LeatPrimitivesHistogram *self, LeatHistogramRange *range, GError **error)
{
  gsize bits = 8 * leat_dtype_get_size (range->item);
  double lowest = leat_primitive_is_signed (range->item) ? -ldexp (1, (int) bits - 1) : 0;
  double end = lowest + ldexp (1, (int) bits), width = range->high - range->low;

  if (floor (range->low) != range->low || floor (range->high) != range->high)
    return leat_primitives_histogram_refuse (self, error, "the items are whole numbers, so min and max must be");
  if (range->low < lowest || range->high > end)
    return leat_primitives_histogram_refuse (self, error, "the type of the items has no such values");
  if (width / (double) self->bins != floor (width / (double) self->bins))
    return leat_primitives_histogram_refuse (self, error,
                                             "the items are whole numbers, so bins must divide what lies between");
  if (bits == 64 && width > ldexp (1, 53))
    return leat_primitives_histogram_refuse (self, error, "they are more than 2^53 apart");
  return TRUE;
}

static gboolean
leat_primitives_histogram_find_range (LeatPrimitivesHistogram *self, LeatHistogramRange *range, GError **error)
{
  range->low = self->min;
  range->high = self->max;
  if (self->min == 0 && self->max == 0)
    {
      if (leat_dtype_get_size (range->item) > 1 || leat_number_is_real (range->item))
        return leat_primitives_histogram_refuse (self, error, "set min and max: the type of the items has many values");
      range->low = leat_primitive_is_signed (range->item) ? -128 : 0;
      range->high = range->item == LEAT_DTYPE_BOOL ? 2 : range->low + 256;
    }
  if (!(range->low < range->high) || isinf (range->high - range->low))
    return leat_primitives_histogram_refuse (self, error, "min must be less than max, and both finite");
  return leat_number_is_real (range->item) || leat_primitives_histogram_find_whole_range (self, range, error);
}

/* The difference is taken without a sign, so that what lies below is far above. */
static void
leat_primitives_histogram_write_whole (LeatPrimitivesHistogram *self, const LeatHistogramRange *range, GString *head)
{
  gboolean wide = leat_dtype_get_size (range->item) > 4;
  double width = (range->high - range->low) / (double) self->bins;
  g_autofree char *value = leat_number_dup_read (range->item, "x");

  g_string_append_printf (head,
                          "  %s d = (%s) %s - (%s) (%.0f%s);\n\n"
                          "  return (uint64_t) d < %.0fu ? (uint32_t) (d / (%s) %.0fu) : BINS;\n",
                          wide ? "uint64_t" : "uint32_t", wide ? "uint64_t" : "uint32_t", value,
                          wide ? "uint64_t" : "uint32_t", range->low, range->low < 0 ? "" : "u",
                          range->high - range->low, wide ? "uint64_t" : "uint32_t", width);
}

/* Rounding may move an item from just below the end to the end.  It counts in the last bin. */
static void
leat_primitives_histogram_write_real (LeatPrimitivesHistogram *self, const LeatHistogramRange *range, GString *head)
{
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE], scale[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *value = leat_number_dup_read (range->item, "x");

  g_ascii_dtostr (low, sizeof low, range->low);
  g_ascii_dtostr (high, sizeof high, range->high);
  g_ascii_dtostr (scale, sizeof scale, (double) self->bins / (range->high - range->low));
  g_string_append_printf (head,
                          "  Value value = %s, low = (Value) %s, high = (Value) %s, place = (value - low) * (Value) "
                          "%s;\n\n"
                          "  if (!(value >= low && value < high))\n    return BINS;\n"
                          "  return place < (Value) BINS ? (uint32_t) place : BINS - 1;\n",
                          value, low, high, scale);
}

static gboolean
leat_primitives_histogram_compile (LeatPrimitivesHistogram *self, const LeatHistogramRange *range, GError **error)
{
  g_autoptr (GString) head = g_string_new (NULL);

  leat_number_append_includes (head, &range->item, 1);
  g_string_append_printf (head,
                          "typedef %s Item;\ntypedef %s Value;\ntypedef %s Count;\n#define BINS %" G_GUINT64_FORMAT
                          "u\nstatic __device__ uint32_t find_bin (Item x)\n{\n",
                          leat_number_get_storage (range->item), leat_number_get_value (range->item),
                          self->type == 0 ? "uint64_t" : "uint32_t", self->bins);
  if (leat_number_is_real (range->item))
    leat_primitives_histogram_write_real (self, range, head);
  else
    leat_primitives_histogram_write_whole (self, range, head);
  g_string_append (head, "}\n");
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  self->source = leat_primitive_source_new ("histogram.cu", head->str, error);
  return self->source != NULL;
}

static gboolean
leat_primitives_histogram_check_type (LeatPrimitivesHistogram *self, LeatSpec *x, GError **error)
{
  g_autofree char *text = leat_spec_to_string (x, LEAT_SPEC_STYLE_FILE);

  if (!leat_number_is_complex (leat_spec_get_dtype (x)))
    return TRUE;
  g_set_error (
    error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
    "histogram \"%s\": input \"x\" is %s, and complex numbers have no order: put map expr=abs(x) type=f32, or "
    "real(x), before it",
    leat_node_get_name (LEAT_NODE (self)), text);
  return FALSE;
}

static gboolean
leat_primitives_histogram_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatPrimitivesHistogram *self = LEAT_PRIMITIVES_HISTOGRAM (node);
  LeatSpec *x = leat_negotiation_get_input (negotiation, "x");
  LeatHistogramRange range = { .item = leat_spec_get_dtype (x) };
  g_autoptr (LeatSpec) spec = leat_spec_new (self->type == 0 ? LEAT_DTYPE_U64 : LEAT_DTYPE_U32, &self->bins, 1, FALSE);

  if (!leat_number_check (node, "x", x, error) || !leat_primitives_histogram_check_type (self, x, error)
      || !leat_primitives_histogram_find_range (self, &range, error))
    return FALSE;
  if (self->type == 1 && leat_spec_get_items (x) > G_MAXUINT32)
    return leat_primitives_histogram_refuse (self, error, "so many items need type=u64");
  return leat_primitives_histogram_compile (self, &range, error)
         && leat_negotiation_set_output (negotiation, "out", spec, error);
}

static guint64
leat_primitives_histogram_count_blocks (guint64 work, guint64 share)
{
  return CLAMP ((work + share - 1) / share, 1, LEAT_HISTOGRAM_BLOCKS);
}

static void
leat_primitives_histogram_add_x (LeatPrimitiveCall *call, LeatRecorder *recorder)
{
  LeatBufferId x = leat_recorder_get_input (recorder, "x");

  leat_primitive_call_add (call, x, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (call, recorder, x,
                                 leat_primitive_get_row_items (leat_recorder_get_spec (recorder, x)));
}

static void
leat_primitives_histogram_record_clear (LeatPrimitivesHistogram *self, LeatRecorder *recorder)
{
  LeatPrimitiveCall call = { 0 };

  leat_primitive_call_add (&call, leat_recorder_get_output (recorder, "out"), LEAT_ACCESS_WRITE);
  leat_primitive_call_finish (&call, recorder, self->source, "histogram_clear",
                              leat_primitives_histogram_count_blocks (self->bins, LEAT_HISTOGRAM_THREADS), 1,
                              LEAT_HISTOGRAM_THREADS);
}

static gboolean
leat_primitives_histogram_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatPrimitivesHistogram *self = LEAT_PRIMITIVES_HISTOGRAM (node);
  LeatSpec *x = leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, "x"));
  guint64 blocks = leat_primitives_histogram_count_blocks (leat_spec_get_items (x), LEAT_HISTOGRAM_SHARE);
  gboolean few = self->bins <= LEAT_HISTOGRAM_FEW, alone = few && blocks == 1;
  LeatPrimitiveCall call = { 0 };

  if (!alone)
    leat_primitives_histogram_record_clear (self, recorder);
  leat_primitives_histogram_add_x (&call, recorder);
  leat_primitive_call_add (&call, leat_recorder_get_output (recorder, "out"),
                           alone ? LEAT_ACCESS_WRITE : LEAT_ACCESS_READ_WRITE);
  leat_primitive_call_finish (&call, recorder, self->source, few ? "histogram_of_few" : "histogram_of_many", blocks, 1,
                              LEAT_HISTOGRAM_THREADS);
  return TRUE;
}

static void
leat_primitives_histogram_finalize (GObject *object)
{
  LeatPrimitivesHistogram *self = LEAT_PRIMITIVES_HISTOGRAM (object);

  g_clear_pointer (&self->source, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_primitives_histogram_parent_class)->finalize (object);
}

static void
leat_primitives_histogram_class_init (LeatPrimitivesHistogramClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_primitives_histogram_finalize;
  node_class->negotiate = leat_primitives_histogram_negotiate;
  node_class->record = leat_primitives_histogram_record;
  leat_node_class_describe (node_class, &leat_primitives_histogram_info);
}

static void
leat_primitives_histogram_init (LeatPrimitivesHistogram *self)
{
}
