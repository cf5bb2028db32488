/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `text:report`: hits as lines on standard output. */

#include "leat-text-report.h"

#include "leat-text-patterns.h"
#include "leat-text-quote.h"
#include "leat-text-rows.h"

#define LEAT_REPORT_BUFFER (256 * 1024)

/* Behind those of LeatTextEmit */
#define LEAT_REPORT_EMIT_AUTO (LEAT_TEXT_EMIT_COUNT + 1)

static const char *const leat_text_report_emit_choices[] = { "offset", "line", "count", "auto", NULL };

struct _LeatTextReport
{
  LeatEndpoint parent_instance;

  char *pattern_list;
  int emit;
  char *from;
  gboolean total;

  LeatSpec *spec; /* that the following is for */
  LeatTextEmit kind;
  LeatPatterns *patterns;
  LeatTextQuote *quote;
  LeatOutputFile *output;
  GString *buffer;
  GCancellable *cancellable; /* of the run that is written */
  guint64 width;             /* numbers in a row */
  guint64 lines;
};

G_DEFINE_FINAL_TYPE (LeatTextReport, leat_text_report, LEAT_TYPE_ENDPOINT)

static const LeatProp props[] = {
  { sizeof (LeatProp), "patterns", LEAT_PROP_STRING, 0, offsetof (LeatTextReport, pattern_list),
    .blurb = "List that text:scan had, if the rows do not come straight from it" },
  { sizeof (LeatProp), "emit", LEAT_PROP_CHOICE, 0, offsetof (LeatTextReport, emit),
    .choices = leat_text_report_emit_choices, .def.i = LEAT_REPORT_EMIT_AUTO,
    .blurb = "What text:scan had, if the rows do not come straight from it; auto: text:scan tells" },
  { sizeof (LeatProp), "from", LEAT_PROP_PATH, 0, offsetof (LeatTextReport, from),
    .blurb = "File that was searched, to print matches of a regex, or lines, from it" },
  { sizeof (LeatProp), "total", LEAT_PROP_BOOL, 0, offsetof (LeatTextReport, total), .def.u = TRUE,
    .blurb = "true: print the number of hits on standard error at the end" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_HOST, "u64[<=h,w]", "Rows of text:scan" },
};

const LeatNodeInfo leat_text_report_info = {
  sizeof (LeatNodeInfo),
  "text:report",
  NULL,
  "Prints hits as lines OFFSET:PATTERN, or lines as NUMBER:LINE",
  "Prints one line for each hit on standard output, in the order they come, and the "
  "total on standard error.  To print matches of a regex, and lines, it reads them "
  "again from the file `from`; without that file it prints numbers.\n\nExample: ... + "
  "text:scan patterns=whale,sea + readback + text:report",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_text_report_get_type,
};

static gboolean
leat_text_report_flush (LeatTextReport *self, GError **error)
{
  gboolean written =
    leat_output_file_write (self->output, self->buffer->str, self->buffer->len, self->cancellable, error);

  g_string_truncate (self->buffer, 0);
  return written;
}

/* Chooses what to print: as `emit` says, or as the rows are where it leaves that open. */
static void
leat_text_report_settle (LeatTextReport *self, const LeatTextRows *rows)
{
  if (self->emit != LEAT_REPORT_EMIT_AUTO)
    self->kind = (LeatTextEmit) self->emit;
  else
    self->kind = rows != NULL ? rows->emit : LEAT_TEXT_EMIT_OFFSET;
}

/* The same patterns, for whoever found them: with `fold` the letters may be large here and small there. */
static gboolean
leat_text_report_has_patterns (LeatTextReport *self, const LeatTextRows *rows)
{
  g_autoptr (LeatPatterns) here = leat_patterns_parse (self->pattern_list, rows->fold, NULL);
  g_autoptr (LeatPatterns) there = leat_patterns_parse (rows->patterns, rows->fold, NULL);
  guint n = here != NULL ? leat_patterns_get_count (here) : 0, i = 0;

  if (there == NULL || leat_patterns_get_count (there) != n)
    return FALSE;
  while (i < n && g_bytes_equal (leat_patterns_get (here, i), leat_patterns_get (there, i)))
    i++;
  return i == n;
}

/* Rows of a text:scan say what they are; what is said here must not be anything else. */
static gboolean
leat_text_report_check_rows (LeatTextReport *self, const LeatTextRows *rows, GError **error)
{
  const char *name = leat_node_get_name (LEAT_NODE (self));
  gboolean by_pattern = rows->emit == LEAT_TEXT_EMIT_OFFSET && rows->patterns != NULL;

  if (self->emit != LEAT_REPORT_EMIT_AUTO && self->emit != (int) rows->emit)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                 "text:report \"%s\" has emit=%s, but %s gives rows of emit=%s; leave `emit` away here, or set it "
                 "to %s there",
                 name, leat_text_emit_choices[self->emit], rows->by, leat_text_emit_choices[rows->emit],
                 leat_text_emit_choices[self->emit]);
  else if (by_pattern && self->pattern_list != NULL && !leat_text_report_has_patterns (self, rows))
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                 "text:report \"%s\" has other `patterns` than %s; leave `patterns` away here", name, rows->by);
  else
    return TRUE;
  return FALSE;
}

/* Rows from elsewhere: nothing but their width can be held against what is said here. */
static gboolean
leat_text_report_check_width (LeatTextReport *self, guint64 width, GError **error)
{
  const char *name = leat_node_get_name (LEAT_NODE (self));

  if (width != 2 && (width != 3 || self->kind != LEAT_TEXT_EMIT_OFFSET))
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                 "text:report \"%s\": rows of %" G_GUINT64_FORMAT
                 " numbers are none that text:scan gives with emit=%s; "
                 "set `emit` as it was there",
                 name, width, leat_text_emit_choices[self->kind]);
  else if (width == 2 && self->kind == LEAT_TEXT_EMIT_OFFSET && self->pattern_list == NULL)
    g_set_error (
      error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
      "text:report \"%s\" cannot tell the meaning of its rows, as they do not come straight from a text:scan: set "
      "`patterns` as they were there, or `emit`",
      name);
  else
    return TRUE;
  return FALSE;
}

static gboolean
leat_text_report_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatTextReport *self = LEAT_TEXT_REPORT (node);
  LeatSpec *spec = leat_negotiation_get_input (negotiation, "in");
  LeatTextRows rows;

  if (leat_text_rows_read (&rows, spec))
    return leat_text_report_check_rows (self, &rows, error);
  leat_text_report_settle (self, NULL);
  return leat_text_report_check_width (self, leat_spec_get_dim (spec, 1), error);
}

/* @spec is of the rows to come; another one may be looked for from one run to the next. */
static gboolean
leat_text_report_take_spec (LeatTextReport *self, LeatSpec *spec, GError **error)
{
  LeatTextRows rows = { .patterns = NULL };
  const char *list;

  if (spec == self->spec)
    return TRUE;
  g_clear_pointer (&self->spec, leat_spec_unref);
  g_clear_pointer (&self->patterns, leat_patterns_free);
  leat_text_report_settle (self, leat_text_rows_read (&rows, spec) ? &rows : NULL);
  self->width = leat_spec_get_dim (spec, 1);
  list = self->pattern_list != NULL ? self->pattern_list : rows.patterns;
  if (list != NULL && (self->patterns = leat_patterns_parse (list, FALSE, error)) == NULL)
    return FALSE;
  self->spec = leat_spec_ref (spec);
  return TRUE;
}

static gboolean
leat_text_report_start (LeatEndpoint *endpoint, GError **error)
{
  LeatTextReport *self = LEAT_TEXT_REPORT (endpoint);
  LeatPort *port = leat_node_get_port (LEAT_NODE (self), "in", error);
  g_autofree char *from = leat_node_dup_path (LEAT_NODE (self), "from");

  if (port == NULL || !leat_text_report_take_spec (self, leat_port_get_spec (port), error))
    return FALSE;
  if (from != NULL && (self->quote = leat_text_quote_open (from, error)) == NULL)
    return FALSE;
  self->output = leat_output_file_open ("-", error);
  self->buffer = g_string_sized_new (LEAT_REPORT_BUFFER + 64);
  self->lines = 0;
  return self->output != NULL;
}

/* Text that was found in a file must not change the user's terminal; a pipe or a file gets it as it is. */
static void
leat_text_report_put_text (LeatTextReport *self, const char *text, gsize length)
{
  if (leat_output_file_is_terminal (self->output))
    leat_plain_append (self->buffer, text, (gssize) length);
  else
    g_string_append_len (self->buffer, text, (gssize) length);
}

static void
leat_text_report_put_number (LeatTextReport *self, guint64 number)
{
  char digits[20];
  guint n = sizeof digits;

  do
    digits[--n] = '0' + number % 10;
  while ((number /= 10) > 0);
  g_string_append_len (self->buffer, digits + n, (gssize) (sizeof digits - n));
}

/* From the file; in pieces, as there is no limit to how long a line is. */
static gboolean
leat_text_report_put_quote (LeatTextReport *self, guint64 offset, guint64 size, gboolean is_line, GError **error)
{
  while (size > 0)
    {
      gsize length;
      const char *text = leat_text_quote_get (self->quote, offset, size, is_line, &length, error);

      if (text == NULL)
        return FALSE;
      if (length == 0)
        break;
      leat_text_report_put_text (self, text, length);
      offset += length;
      size -= length;
      if (self->buffer->len > LEAT_REPORT_BUFFER && !leat_text_report_flush (self, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_text_report_put_pattern (LeatTextReport *self, guint64 index, GError **error)
{
  gsize length;
  gconstpointer pattern;

  if (index >= leat_patterns_get_count (self->patterns))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                   "a row has the pattern of index %" G_GUINT64_FORMAT ", but `patterns` has %u: set the list "
                   "that text:scan had",
                   index, leat_patterns_get_count (self->patterns));
      return FALSE;
    }
  pattern = g_bytes_get_data (leat_patterns_get (self->patterns, (guint) index), &length);
  leat_text_report_put_text (self, pattern, length);
  return TRUE;
}

/* Puts the part behind the colon. */
static gboolean
leat_text_report_put_rest (LeatTextReport *self, const guint64 *row, GError **error)
{
  gboolean is_line = self->kind == LEAT_TEXT_EMIT_LINE;

  if (!is_line && self->width == 2)
    return leat_text_report_put_pattern (self, row[1], error);
  if (self->quote != NULL)
    return leat_text_report_put_quote (self, row[0], is_line ? G_MAXUINT64 : row[2], is_line, error);
  leat_text_report_put_number (self, is_line ? row[0] : row[2]);
  return TRUE;
}

static gboolean
leat_text_report_put (LeatTextReport *self, const guint64 *row, GError **error)
{
  leat_text_report_put_number (self, row[self->kind == LEAT_TEXT_EMIT_LINE]);
  if (self->kind != LEAT_TEXT_EMIT_COUNT)
    {
      g_string_append_c (self->buffer, ':');
      if (!leat_text_report_put_rest (self, row, error))
        return FALSE;
      self->lines++;
    }
  g_string_append_c (self->buffer, '\n');
  return self->buffer->len <= LEAT_REPORT_BUFFER || leat_text_report_flush (self, error);
}

static gboolean
leat_text_report_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error)
{
  LeatTextReport *self = LEAT_TEXT_REPORT (endpoint);
  const guint64 *rows = view->data;

  if (!leat_text_report_take_spec (self, view->spec, error))
    return FALSE;
  self->cancellable = cancellable;
  for (guint64 i = 0; i < view->count; i++)
    if (!leat_text_report_put (self, rows + self->width * i, error))
      return FALSE;
  /* Only here can waiting for whoever reads be called off; and each run's lines are there when it is done. */
  return leat_text_report_flush (self, error);
}

static gboolean
leat_text_report_finish (LeatEndpoint *endpoint, GError **error)
{
  LeatTextReport *self = LEAT_TEXT_REPORT (endpoint);
  const char *what = self->kind == LEAT_TEXT_EMIT_LINE ? "line" : "occurrence";
  gboolean is_bare = self->quote == NULL && (self->kind == LEAT_TEXT_EMIT_LINE || self->width == 3);

  if (self->total && self->kind != LEAT_TEXT_EMIT_COUNT)
    g_printerr ("%" G_GUINT64_FORMAT " %s%s%s\n", self->lines, what, self->lines == 1 ? "" : "s",
                is_bare && self->lines > 0 ? "; with from=FILE, the text that was looked through, they are printed"
                                           : "");
  return TRUE;
}

static void
leat_text_report_stop (LeatEndpoint *endpoint)
{
  LeatTextReport *self = LEAT_TEXT_REPORT (endpoint);

  g_clear_pointer (&self->spec, leat_spec_unref);
  g_clear_pointer (&self->patterns, leat_patterns_free);
  g_clear_pointer (&self->output, leat_output_file_free);
  g_clear_pointer (&self->quote, leat_text_quote_free);
  if (self->buffer != NULL)
    g_string_free (g_steal_pointer (&self->buffer), TRUE);
}

static void
leat_text_report_unblock (LeatEndpoint *endpoint)
{
  LeatTextReport *self = LEAT_TEXT_REPORT (endpoint);

  if (self->output != NULL)
    leat_output_file_wake (self->output);
}

static void
leat_text_report_class_init (LeatTextReportClass *klass)
{
  LeatEndpointClass *endpoint_class = LEAT_ENDPOINT_CLASS (klass);

  LEAT_NODE_CLASS (klass)->negotiate = leat_text_report_negotiate;
  endpoint_class->start = leat_text_report_start;
  endpoint_class->drain = leat_text_report_drain;
  endpoint_class->finish = leat_text_report_finish;
  endpoint_class->stop = leat_text_report_stop;
  endpoint_class->unblock = leat_text_report_unblock;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_text_report_info);
}

static void
leat_text_report_init (LeatTextReport *self)
{
}
