/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `text:scan`.  kernels/scan.cu says how patterns are found, of which every occurrence counts; here its four
 * kernels get their buffers.  Regexes, and whatever is about lines, go by leat-text-scan-regex.c. */

#include "leat-text-scan.h"

#include "leat-text-call.h"
#include "leat-text-patterns.h"
#include "leat-text-rows.h"

#define LEAT_SCAN_TILE      4096
#define LEAT_SCAN_THREADS   256
#define LEAT_SCAN_MAX_PAIRS 8
#define LEAT_SCAN_LONGEST   65536

struct _LeatTextScan
{
  LeatNode parent_instance;

  char *pattern_list;
  char *regex_list;
  gboolean fold;
  int emit;
  guint64 longest;

  LeatPatterns *patterns; /* of the two one is there, once the node is prepared */
  LeatRegex *regex;
  char *loaded; /* what it was made from */
  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatTextScan, leat_text_scan, LEAT_TYPE_NODE)

static const LeatProp props[] = {
  { sizeof (LeatProp), "patterns", LEAT_PROP_STRING, 0, offsetof (LeatTextScan, pattern_list),
    .blurb = "Patterns to find, separated by commas; \\, is a comma, \\n a line end, \\xHH any byte" },
  { sizeof (LeatProp), "regex", LEAT_PROP_STRING, 0, offsetof (LeatTextScan, regex_list),
    .blurb = "Regular expressions to find instead, as grep -E takes them, separated by commas" },
  { sizeof (LeatProp), "fold", LEAT_PROP_BOOL, 0, offsetof (LeatTextScan, fold),
    .blurb = "true: small letters and capitals of ASCII are the same" },
  { sizeof (LeatProp), "emit", LEAT_PROP_CHOICE, 0, offsetof (LeatTextScan, emit), .choices = leat_text_emit_choices,
    .blurb = "offset: a row for each hit; line: a row for each line with a hit; count: the number "
             "of such lines" },
  { sizeof (LeatProp), "longest", LEAT_PROP_BYTES, 0, offsetof (LeatTextScan, longest), .def.u = LEAT_SCAN_LONGEST,
    .min.u = 64, .max.u = 1u << 30,
    .blurb = "Of a regex with emit=offset: bytes of an unfinished match that are kept from run to "
             "run" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "text", LEAT_PORT_INPUT, 0, "u8[<=n]", "Bytes; all runs of a session are one stream" },
  { sizeof (LeatPortInfo), "hits", LEAT_PORT_OUTPUT, 0, "u64[<=h,w]",
    "Rows, as emit sets: offset and pattern; offset, regex and length; offset and number "
    "of a line; or counts of lines" },
};

const LeatNodeInfo leat_text_scan_info = {
  sizeof (LeatNodeInfo),
  "text:scan",
  NULL,
  "Finds byte patterns or regular expressions in a stream",
  "Gives one row for each occurrence of a pattern, overlapping ones too: its offset in "
  "the stream and the index of its pattern, ordered by offset and then by index.  For "
  "a regex, it gives one row for each longest match: offset, index and length.  With "
  "emit=line, it gives one row for each line that matches: its offset and number.  The "
  "stream may come in any number of runs; a hit across the border of two runs is found "
  "once.\n\nExample: io:file path=book.txt + upload + text:scan patterns=whale,sea + "
  "readback + text:report",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_text_scan_get_type,
};

/* Lines are looked at one by one, so patterns whose lines count become regexes that take each byte as it is. */
static LeatRegex *
leat_text_scan_new_literals (LeatTextScan *self, LeatPatterns *patterns, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_regex_node_free);

  for (guint i = 0; i < leat_patterns_get_count (patterns); i++)
    {
      gsize length;
      const guint8 *bytes = g_bytes_get_data (leat_patterns_get (patterns, i), &length);
      LeatRegexNode *node = leat_regex_node_new_literal (bytes, length, self->fold);

      if (node == NULL)
        {
          g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                       "patterns \"%s\": pattern %u has a line's end in it, so no line has it; emit=offset finds it",
                       self->pattern_list, i + 1);
          return NULL;
        }
      g_ptr_array_add (list, node);
    }
  return leat_regex_new (g_steal_pointer (&list), TRUE, error);
}

static gboolean
leat_text_scan_load (LeatTextScan *self, LeatPatterns **patterns, LeatRegex **regex, GError **error)
{
  g_autoptr (LeatPatterns) parsed = NULL;

  if (self->regex_list != NULL)
    return (*regex = leat_regex_parse (self->regex_list, self->fold, self->emit != LEAT_TEXT_EMIT_OFFSET, error))
           != NULL;
  parsed = leat_patterns_parse (self->pattern_list, self->fold, error);
  if (parsed != NULL && self->emit != LEAT_TEXT_EMIT_OFFSET)
    return (*regex = leat_text_scan_new_literals (self, parsed, error)) != NULL;
  *patterns = g_steal_pointer (&parsed);
  return *patterns != NULL;
}

static gboolean
leat_text_scan_prepare (LeatNode *node, GError **error)
{
  LeatTextScan *self = LEAT_TEXT_SCAN (node);
  g_autofree char *key = NULL;
  LeatPatterns *patterns = NULL;
  LeatRegex *regex = NULL;

  if ((self->pattern_list == NULL) == (self->regex_list == NULL))
    return TRUE; /* negotiation says so: until then one may come or go */
  key = g_strdup_printf ("%d %d %c%s", self->fold, self->emit, self->regex_list != NULL ? 'r' : 'p',
                         self->regex_list != NULL ? self->regex_list : self->pattern_list);
  if (g_strcmp0 (key, self->loaded) == 0)
    return TRUE;
  if (!leat_text_scan_load (self, &patterns, &regex, error))
    return FALSE;
  g_clear_pointer (&self->patterns, leat_patterns_free);
  g_clear_pointer (&self->regex, leat_regex_free);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  self->patterns = patterns;
  self->regex = regex;
  g_free (self->loaded);
  self->loaded = g_steal_pointer (&key);
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

/* The most rows that a run can give, and how wide they are. */
static gboolean
leat_text_scan_get_dims (LeatTextScan *self, LeatSpec *text, guint64 dims[2])
{
  const LeatRegexScan scan = { self->regex, self->emit, self->longest };
  guint64 starts, tiles, tile_capacity, bytes;

  if (self->regex != NULL)
    return leat_regex_scan_measure (&scan, leat_spec_get_dim (text, 0), dims);
  starts = leat_text_scan_get_starts (self, text);
  dims[0] = leat_patterns_get_bound (self->patterns, starts);
  dims[1] = 2;
  return leat_text_scan_measure (self, starts, &tiles, &tile_capacity, &bytes);
}

/* Rows of two numbers may be three things; whoever prints them has to know which. */
static LeatSpec *
leat_text_scan_new_rows (LeatTextScan *self, LeatSpec *spec)
{
  g_autofree char *by = g_strdup_printf ("text:scan \"%s\"", leat_node_get_name (LEAT_NODE (self)));
  const LeatTextRows rows = { (LeatTextEmit) self->emit, self->fold, self->pattern_list, by };

  return leat_text_rows_describe (&rows, spec);
}

static gboolean
leat_text_scan_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatTextScan *self = LEAT_TEXT_SCAN (node);
  LeatSpec *text = leat_negotiation_get_input (negotiation, "text");
  g_autoptr (LeatSpec) spec = NULL;
  g_autoptr (LeatSpec) rows = NULL;
  guint64 dims[2];

  if ((self->pattern_list == NULL) == (self->regex_list == NULL))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "%s \"%s\" needs %s", leat_node_get_id (node),
                   leat_node_get_name (node),
                   self->regex_list == NULL ? "to know what to look for: set `patterns` or `regex`"
                                            : "`patterns` or `regex`, not both");
      return FALSE;
    }
  if (leat_text_scan_get_dims (self, text, dims))
    spec = leat_spec_new (LEAT_DTYPE_U64, dims, 2, TRUE);
  if (spec == NULL)
    {
      g_autofree char *size = leat_spec_to_string (text, LEAT_SPEC_STYLE_FILE);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "%s \"%s\": %s is more than one run can scan for these patterns; give it the stream in smaller "
                   "pieces",
                   leat_node_get_id (node), leat_node_get_name (node), size);
      return FALSE;
    }
  rows = leat_text_scan_new_rows (self, spec);
  return leat_negotiation_set_output (negotiation, "hits", rows, error);
}

/* One run's buffers and sizes. */
typedef struct
{
  LeatBufferId text, hits, carry, progress, ending, bytes, tables, pairs, found, in_tile, tile_begin;
  guint64 tiles, tile_capacity, room;
  guint32 n_pairs, longest, fold; /* fold: the bit in which small letters and capitals differ, or none */
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
  parts->fold = self->fold ? 0x20 : 0;
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

static void
leat_text_scan_add_kernels (LeatTextScan *self, LeatRecorder *recorder, const LeatScanParts *p)
{
  const LeatArg find[] = { LEAT_TEXT_ITEMS (p->text),          LEAT_TEXT_COUNT (p->text),
                           LEAT_TEXT_ITEMS (p->carry),         LEAT_TEXT_ITEMS (p->progress),
                           LEAT_TEXT_ITEMS (p->bytes),         LEAT_TEXT_ITEMS (p->tables),
                           LEAT_TEXT_ITEMS (p->pairs),         LEAT_TEXT_VALUE (p->n_pairs),
                           LEAT_TEXT_VALUE (p->longest),       LEAT_TEXT_VALUE (p->fold),
                           LEAT_TEXT_VALUE (p->tile_capacity), LEAT_TEXT_ITEMS (p->ending),
                           LEAT_TEXT_ITEMS (p->found),         LEAT_TEXT_ITEMS (p->in_tile) };
  const LeatArg place[] = { LEAT_TEXT_ITEMS (p->in_tile), LEAT_TEXT_VALUE (p->tiles), LEAT_TEXT_ITEMS (p->tile_begin),
                            LEAT_TEXT_COUNT (p->hits) };
  const LeatArg gather[] = { LEAT_TEXT_ITEMS (p->found),      LEAT_TEXT_ITEMS (p->in_tile),
                             LEAT_TEXT_ITEMS (p->tile_begin), LEAT_TEXT_VALUE (p->tile_capacity),
                             LEAT_TEXT_VALUE (p->room),       LEAT_TEXT_ITEMS (p->hits) };
  const LeatArg advance[] = {
    LEAT_TEXT_ITEMS (p->text),     LEAT_TEXT_COUNT (p->text),    LEAT_TEXT_ITEMS (p->carry),
    LEAT_TEXT_ITEMS (p->progress), LEAT_TEXT_VALUE (p->longest), LEAT_TEXT_ITEMS (p->ending)
  };

  leat_text_call (recorder, self->source, "find", p->tiles, LEAT_SCAN_THREADS, find, "rrrrrrr----rww");
  leat_text_call (recorder, self->source, "place", 1, LEAT_SCAN_THREADS, place, "r-ww");
  leat_text_call (recorder, self->source, "gather", p->tiles, LEAT_SCAN_THREADS, gather, "rrr--w");
  leat_text_call (recorder, self->source, "advance", 1, LEAT_SCAN_THREADS, advance, "rrbb-r");
}

static gboolean
leat_text_scan_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatTextScan *self = LEAT_TEXT_SCAN (node);
  const LeatRegexScan scan = { self->regex, self->emit, self->longest };
  LeatScanParts parts = { 0 };

  if (self->source == NULL)
    self->source = leat_text_load_source (self->regex != NULL ? "regex.cu" : "scan.cu", error);
  if (self->source == NULL)
    return FALSE;
  if (self->regex != NULL)
    {
      leat_regex_scan_record (&scan, self->source, recorder);
      return TRUE;
    }
  leat_text_scan_add_buffers (self, recorder, &parts);
  leat_text_scan_add_kernels (self, recorder, &parts);
  return TRUE;
}

static void
leat_text_scan_finalize (GObject *object)
{
  LeatTextScan *self = LEAT_TEXT_SCAN (object);

  g_clear_pointer (&self->patterns, leat_patterns_free);
  g_clear_pointer (&self->regex, leat_regex_free);
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
