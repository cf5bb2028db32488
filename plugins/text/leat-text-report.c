/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-text-report.h"

#include "leat-output-file.h"
#include "leat-text-patterns.h"

/* The node `text:report`: hits as lines on standard output. */

#define LEAT_REPORT_BUFFER (256 * 1024)
#define LEAT_REPORT_DIGITS 20

struct _LeatTextReport
{
  LeatEndpoint parent_instance;

  char *pattern_list;
  gboolean total;

  LeatPatterns *patterns;
  LeatOutputFile *output;
  char *buffer;
  gsize used;
  guint64 lines;
};

G_DEFINE_FINAL_TYPE (LeatTextReport, leat_text_report, LEAT_TYPE_ENDPOINT)

static const LeatProp props[] = {
  { sizeof (LeatProp), "patterns", LEAT_PROP_STRING, LEAT_PROP_REQUIRED, offsetof (LeatTextReport, pattern_list),
    .blurb = "the same list that text:scan has" },
  { sizeof (LeatProp), "total", LEAT_PROP_BOOL, 0, offsetof (LeatTextReport, total), .def.u = TRUE,
    .blurb = "at the end, say on standard error how many there were" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_HOST, "u64[<=h,2]", "offset and index of the pattern" },
};

const LeatNodeInfo leat_text_report_info = {
  sizeof (LeatNodeInfo),
  "text:report",
  NULL,
  "Prints hits as lines OFFSET:PATTERN",
  "Prints one line for each hit on standard output, in the order they come, and their number on standard error.\n\n"
  "Example: ... + text:scan patterns=whale,sea + readback + text:report patterns=whale,sea",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_text_report_get_type,
};

static gboolean
leat_text_report_flush (LeatTextReport *self, GCancellable *cancellable, GError **error)
{
  gsize size = self->used;

  self->used = 0;
  return leat_output_file_write (self->output, self->buffer, size, cancellable, error);
}

static gboolean
leat_text_report_start (LeatEndpoint *endpoint, GError **error)
{
  LeatTextReport *self = LEAT_TEXT_REPORT (endpoint);

  self->patterns = leat_patterns_parse (self->pattern_list, error);
  self->output = self->patterns != NULL ? leat_output_file_open ("-", error) : NULL;
  self->buffer = g_malloc (LEAT_REPORT_BUFFER);
  self->used = 0;
  self->lines = 0;
  return self->output != NULL;
}

static char *
leat_text_report_put_number (char *at, guint64 number)
{
  char digits[LEAT_REPORT_DIGITS];
  guint n = 0;

  do
    digits[n++] = '0' + number % 10;
  while ((number /= 10) > 0);
  while (n > 0)
    *at++ = digits[--n];
  return at;
}

static gboolean
leat_text_report_put (LeatTextReport *self, guint64 offset, guint64 index, GCancellable *cancellable, GError **error)
{
  gsize length;
  gconstpointer pattern;
  char *at;

  if (index >= leat_patterns_get_count (self->patterns))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                   "hit with pattern %" G_GUINT64_FORMAT
                   ", but `patterns` here has %u: set the same list as on text:scan",
                   index, leat_patterns_get_count (self->patterns));
      return FALSE;
    }
  pattern = g_bytes_get_data (leat_patterns_get (self->patterns, (guint) index), &length);
  if (self->used + LEAT_REPORT_DIGITS + length + 2 > LEAT_REPORT_BUFFER
      && !leat_text_report_flush (self, cancellable, error))
    return FALSE;
  at = leat_text_report_put_number (self->buffer + self->used, offset);
  *at++ = ':';
  memcpy (at, pattern, length);
  at[length] = '\n';
  self->used = at + length + 1 - self->buffer;
  self->lines++;
  return TRUE;
}

static gboolean
leat_text_report_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error)
{
  LeatTextReport *self = LEAT_TEXT_REPORT (endpoint);
  const guint64 *hits = view->data;

  for (guint64 i = 0; i < view->count; i++)
    if (!leat_text_report_put (self, hits[2 * i], hits[2 * i + 1], cancellable, error))
      return FALSE;
  /* Only here can waiting for whoever reads be called off; and each run's lines are there when it is done. */
  return leat_text_report_flush (self, cancellable, error);
}

static gboolean
leat_text_report_finish (LeatEndpoint *endpoint, GError **error)
{
  LeatTextReport *self = LEAT_TEXT_REPORT (endpoint);

  if (self->total)
    g_printerr ("%" G_GUINT64_FORMAT " %s\n", self->lines, self->lines == 1 ? "occurrence" : "occurrences");
  return TRUE;
}

static void
leat_text_report_stop (LeatEndpoint *endpoint)
{
  LeatTextReport *self = LEAT_TEXT_REPORT (endpoint);

  g_clear_pointer (&self->patterns, leat_patterns_free);
  g_clear_pointer (&self->output, leat_output_file_free);
  g_clear_pointer (&self->buffer, g_free);
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
