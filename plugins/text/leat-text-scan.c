/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-text-scan.h"

#include "leat-text-patterns.h"

/* The node `text:scan`.  kernels/scan.cu says how it works; here its four kernels get their buffers. */

#define LEAT_SCAN_TILE      4096
#define LEAT_SCAN_THREADS   256
#define LEAT_SCAN_MAX_PAIRS 8
#define LEAT_SCAN_SOURCE    "/leat/text/scan.cu"

struct _LeatTextScan
{
  LeatNode parent_instance;

  char *pattern_list;
  LeatPatterns *patterns;
  char *loaded; /* what `patterns` was made from */
  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatTextScan, leat_text_scan, LEAT_TYPE_NODE)

static const LeatProp props[] = {
  { sizeof (LeatProp), "patterns", LEAT_PROP_STRING, LEAT_PROP_REQUIRED, offsetof (LeatTextScan, pattern_list),
    .blurb = "what to look for, with commas between; \\, is a comma, \\n a line end, \\xHH any byte" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "text", LEAT_PORT_INPUT, 0, "u8[<=n]", "bytes; the runs are one stream" },
  { sizeof (LeatPortInfo), "hits", LEAT_PORT_OUTPUT, 0, "u64[<=h,2]", "offset in the stream and index of the pattern" },
};

const LeatNodeInfo leat_text_scan_info = {
  sizeof (LeatNodeInfo),
  "text:scan",
  NULL,
  "Finds every occurrence of byte patterns in a stream",
  "Gives one row for each occurrence, overlapping ones too: its offset in the stream and the index of its pattern, by "
  "offset, then by index.  The stream may come in any number of runs; what lies across their border is found once.\n\n"
  "Example: io:file path=book.txt + upload + text:scan patterns=whale,sea + readback + text:report patterns=whale,sea",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_text_scan_get_type,
};

static gboolean
leat_text_scan_prepare (LeatNode *node, GError **error)
{
  LeatTextScan *self = LEAT_TEXT_SCAN (node);
  LeatPatterns *patterns;

  if (self->pattern_list == NULL || g_strcmp0 (self->pattern_list, self->loaded) == 0)
    return TRUE; /* a missing list is found by validation */
  patterns = leat_patterns_parse (self->pattern_list, error);
  if (patterns == NULL)
    return FALSE;
  g_clear_pointer (&self->patterns, leat_patterns_free);
  self->patterns = patterns;
  g_free (self->loaded);
  self->loaded = g_strdup (self->pattern_list);
  return TRUE;
}

/* Starts that one run can look at: its own bytes and those carried over. */
static guint64
leat_text_scan_get_starts (LeatTextScan *self, LeatSpec *text)
{
  return leat_spec_get_dim (text, 0) + leat_patterns_get_longest (self->patterns) - 1;
}

/* Room for each tile's hits; FALSE when a run would need more than any memory, or more blocks than a grid has. */
static gboolean
leat_text_scan_measure (LeatTextScan *self, guint64 starts, guint64 *tiles, guint64 *tile_capacity, guint64 *bytes)
{
  *tiles = starts / LEAT_SCAN_TILE + 1;
  *tile_capacity = leat_patterns_get_bound (self->patterns, LEAT_SCAN_TILE);
  return *tiles <= G_MAXINT32 && g_uint64_checked_mul (bytes, *tiles, *tile_capacity)
         && g_uint64_checked_mul (bytes, *bytes, 2 * sizeof (guint64)) && *bytes <= G_MAXINT64 / 4;
}

static gboolean
leat_text_scan_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatTextScan *self = LEAT_TEXT_SCAN (node);
  LeatSpec *text = leat_negotiation_get_input (negotiation, "text");
  guint64 starts = leat_text_scan_get_starts (self, text);
  guint64 dims[2] = { leat_patterns_get_bound (self->patterns, starts), 2 };
  g_autoptr (LeatSpec) spec = leat_spec_new (LEAT_DTYPE_U64, dims, 2, TRUE);
  guint64 tiles, tile_capacity, bytes;

  if (spec == NULL || !leat_text_scan_measure (self, starts, &tiles, &tile_capacity, &bytes))
    {
      g_autofree char *size = leat_spec_to_string (text, LEAT_SPEC_STYLE_FILE);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "%s \"%s\": %s is more than one run can scan for these patterns; give it the stream in smaller "
                   "pieces",
                   leat_node_get_id (node), leat_node_get_name (node), size);
      return FALSE;
    }
  return leat_negotiation_set_output (negotiation, "hits", spec, error);
}

static LeatKernelSource *
leat_text_scan_load_source (GError **error)
{
  g_autoptr (GBytes) text = g_resources_lookup_data (LEAT_SCAN_SOURCE, G_RESOURCE_LOOKUP_FLAGS_NONE, error);

  return text != NULL ? leat_kernel_source_new ("text/scan.cu", g_bytes_get_data (text, NULL), error) : NULL;
}

/* One run's buffers and sizes. */
typedef struct
{
  LeatBufferId text, hits, carry, progress, ending, bytes, tables, pairs, found, in_tile, tile_begin;
  guint64 tiles, tile_capacity, room;
  guint32 n_pairs, longest;
} LeatScanParts;

static void
leat_text_scan_add_tables (LeatTextScan *self, LeatRecorder *recorder, LeatScanParts *parts)
{
  g_autoptr (GBytes) bytes = leat_patterns_dup_bytes (self->patterns);
  g_autoptr (GBytes) tables = leat_patterns_dup_tables (self->patterns);
  g_autoptr (GBytes) pairs = leat_patterns_dup_pairs (self->patterns, LEAT_SCAN_MAX_PAIRS);
  static const guint8 none[2] = { 0, 0 };
  g_autoptr (GBytes) no_pairs = g_bytes_new_static (none, sizeof none);

  parts->n_pairs = (guint32) (g_bytes_get_size (pairs) / 2);
  parts->bytes = leat_recorder_add_const (recorder, "bytes", bytes);
  parts->tables = leat_recorder_add_const (recorder, "tables", tables);
  parts->pairs = leat_recorder_add_const (recorder, "pairs", parts->n_pairs > 0 ? pairs : no_pairs);
}

static void
leat_text_scan_add_buffers (LeatTextScan *self, LeatRecorder *recorder, LeatScanParts *parts)
{
  LeatSpec *hits;
  guint64 starts, bytes = 0;

  parts->text = leat_recorder_get_input (recorder, "text");
  parts->hits = leat_recorder_get_output (recorder, "hits");
  hits = leat_recorder_get_spec (recorder, parts->hits);
  parts->longest = leat_patterns_get_longest (self->patterns);
  parts->room = leat_spec_get_dim (hits, 0);
  starts = leat_text_scan_get_starts (self, leat_recorder_get_spec (recorder, parts->text));
  leat_text_scan_measure (self, starts, &parts->tiles, &parts->tile_capacity, &bytes); /* negotiate () let it pass */
  parts->carry = leat_recorder_add_state (recorder, "carry", LEAT_PATTERN_MAX_BYTES, NULL);
  parts->progress = leat_recorder_add_state (recorder, "progress", 2 * sizeof (guint64), NULL);
  parts->found = leat_recorder_add_scratch (recorder, "found", bytes);
  parts->in_tile = leat_recorder_add_scratch (recorder, "in-tile", parts->tiles * sizeof (guint32));
  parts->tile_begin = leat_recorder_add_scratch (recorder, "tile-begin", parts->tiles * sizeof (guint64));
  parts->ending = leat_recorder_request_flush (recorder);
  leat_text_scan_add_tables (self, recorder, parts);
}

#define LEAT_SCAN_ITEMS(id)                                                                                            \
  {                                                                                                                    \
    .kind = LEAT_ARG_ITEMS, .buffer = (id)                                                                             \
  }
#define LEAT_SCAN_COUNT(id)                                                                                            \
  {                                                                                                                    \
    .kind = LEAT_ARG_COUNT, .buffer = (id)                                                                             \
  }
#define LEAT_SCAN_VALUE(v)                                                                                             \
  {                                                                                                                    \
    .kind = LEAT_ARG_VALUE, .buffer = LEAT_BUFFER_NONE, .value = &(v), .size = sizeof (v)                              \
  }

static void
leat_text_scan_call (LeatTextScan *self, LeatRecorder *recorder, const char *entry, guint64 blocks, const LeatArg *args,
                     guint n_args, guint written)
{
  LeatBufferId buffers[16];
  LeatAccess access[16];
  LeatKernelCall call = { .source = self->source, .entry = entry, .args = args, .n_args = n_args };

  call.grid[0] = (guint) blocks;
  call.block[0] = LEAT_SCAN_THREADS;
  for (guint i = 0; i < n_args; i++)
    if (args[i].buffer != LEAT_BUFFER_NONE)
      {
        buffers[call.n_buffers] = args[i].buffer;
        access[call.n_buffers++] = (written >> i) & 1 ? LEAT_ACCESS_WRITE : LEAT_ACCESS_READ;
      }
  call.buffers = buffers;
  call.access = access;
  leat_recorder_add_kernel (recorder, &call);
}

/* The last argument tells, bit by bit, which parameters are written. */
static void
leat_text_scan_add_kernels (LeatTextScan *self, LeatRecorder *recorder, const LeatScanParts *p)
{
  const LeatArg find[] = { LEAT_SCAN_ITEMS (p->text),    LEAT_SCAN_COUNT (p->text),
                           LEAT_SCAN_ITEMS (p->carry),   LEAT_SCAN_ITEMS (p->progress),
                           LEAT_SCAN_ITEMS (p->bytes),   LEAT_SCAN_ITEMS (p->tables),
                           LEAT_SCAN_ITEMS (p->pairs),   LEAT_SCAN_VALUE (p->n_pairs),
                           LEAT_SCAN_VALUE (p->longest), LEAT_SCAN_VALUE (p->tile_capacity),
                           LEAT_SCAN_ITEMS (p->ending),  LEAT_SCAN_ITEMS (p->found),
                           LEAT_SCAN_ITEMS (p->in_tile) };
  const LeatArg place[] = { LEAT_SCAN_ITEMS (p->in_tile), LEAT_SCAN_VALUE (p->tiles), LEAT_SCAN_ITEMS (p->tile_begin),
                            LEAT_SCAN_COUNT (p->hits) };
  const LeatArg gather[] = { LEAT_SCAN_ITEMS (p->found),      LEAT_SCAN_ITEMS (p->in_tile),
                             LEAT_SCAN_ITEMS (p->tile_begin), LEAT_SCAN_VALUE (p->tile_capacity),
                             LEAT_SCAN_VALUE (p->room),       LEAT_SCAN_ITEMS (p->hits) };
  const LeatArg advance[] = {
    LEAT_SCAN_ITEMS (p->text),     LEAT_SCAN_COUNT (p->text),    LEAT_SCAN_ITEMS (p->carry),
    LEAT_SCAN_ITEMS (p->progress), LEAT_SCAN_VALUE (p->longest), LEAT_SCAN_ITEMS (p->ending)
  };

  leat_text_scan_call (self, recorder, "find", p->tiles, find, G_N_ELEMENTS (find), 1u << 11 | 1u << 12);
  leat_text_scan_call (self, recorder, "place", 1, place, G_N_ELEMENTS (place), 1u << 2 | 1u << 3);
  leat_text_scan_call (self, recorder, "gather", p->tiles, gather, G_N_ELEMENTS (gather), 1u << 5);
  leat_text_scan_call (self, recorder, "advance", 1, advance, G_N_ELEMENTS (advance), 1u << 2 | 1u << 3);
}

static gboolean
leat_text_scan_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatTextScan *self = LEAT_TEXT_SCAN (node);
  LeatScanParts parts = { 0 };

  if (self->source == NULL)
    self->source = leat_text_scan_load_source (error);
  if (self->source == NULL)
    return FALSE;
  leat_text_scan_add_buffers (self, recorder, &parts);
  leat_text_scan_add_kernels (self, recorder, &parts);
  return TRUE;
}

static void
leat_text_scan_finalize (GObject *object)
{
  LeatTextScan *self = LEAT_TEXT_SCAN (object);

  g_clear_pointer (&self->patterns, leat_patterns_free);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  g_free (self->loaded);
  G_OBJECT_CLASS (leat_text_scan_parent_class)->finalize (object);
}

static void
leat_text_scan_class_init (LeatTextScanClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_text_scan_finalize;
  node_class->prepare = leat_text_scan_prepare;
  node_class->negotiate = leat_text_scan_negotiate;
  node_class->record = leat_text_scan_record;
  leat_node_class_describe (node_class, &leat_text_scan_info);
}

static void
leat_text_scan_init (LeatTextScan *self)
{
}
