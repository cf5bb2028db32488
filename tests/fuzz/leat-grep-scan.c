/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-grep-scan.h"

#include "leat.h"

#include <string.h>

static LeatPipeline *
grep_scan_new (const LeatGrepCase *c, const char *emit, gsize chunk)
{
  g_autofree char *text = g_strdup_printf (
    "app name=in spec=u8[<=%zu] + upload + text:scan name=scan emit=%s fold=%s + readback + app name=out", chunk, emit,
    c->fold ? "true" : "false");
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);

  g_assert_no_error (error);
  /* As a property, so that no quoting stands between a regex and its node. */
  leat_node_set_from_string (leat_pipeline_get_node (pipeline, "scan", NULL), "regex", c->list, &error);
  g_assert_no_error (error);
  return pipeline;
}

static void
grep_scan_print (const LeatGrepCase *c, const char *emit, const guint64 *row, GString *found)
{
  const char *at = c->text->str + row[0], *end;

  if (emit[0] == 'c')
    {
      g_string_append_printf (found, "%" G_GUINT64_FORMAT "\n", row[0]);
      return;
    }
  g_assert_cmpuint (row[0], <=, c->text->len);
  end = emit[0] == 'o' ? at + row[2] : memchr (at, '\n', c->text->len - row[0]);
  end = end != NULL ? end : c->text->str + c->text->len;
  g_string_append_printf (found, "%" G_GUINT64_FORMAT ":", emit[0] == 'o' ? row[0] : row[1]);
  g_string_append_len (found, at, end - at);
  g_string_append_c (found, '\n');
}

/* FALSE at the end of the stream. */
static gboolean
grep_scan_run (LeatSession *session, LeatApp *out, const LeatGrepCase *c, const char *emit, GString *found)
{
  gsize width = emit[0] == 'o' ? 3 : 2, size;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  LeatFlow flow = leat_session_replay (session, TRUE, NULL, &error);
  const guint64 *rows;

  g_assert_no_error (error);
  if (flow != LEAT_FLOW_DATA)
    return FALSE;
  bytes = leat_app_pull_bytes (out, -1, &error);
  g_assert_no_error (error);
  rows = g_bytes_get_data (bytes, &size);
  for (gsize i = 0; i < size / sizeof *rows; i += width)
    grep_scan_print (c, emit, rows + i, found);
  return TRUE;
}

GString *
leat_grep_scan (const LeatGrepCase *c, const char *emit, gsize chunk)
{
  g_autoptr (LeatPipeline) pipeline = grep_scan_new (c, emit, chunk);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  LeatApp *in = LEAT_APP (leat_pipeline_get_node (pipeline, "in", NULL));
  LeatApp *out = LEAT_APP (leat_pipeline_get_node (pipeline, "out", NULL));
  GString *found = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  for (gsize at = 0; at < c->text->len; at += chunk)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (c->text->str + at, MIN (chunk, c->text->len - at));

      leat_app_push_bytes (in, bytes, &error);
      g_assert_no_error (error);
      g_assert_true (grep_scan_run (session, out, c, emit, found));
    }
  leat_app_end (in);
  while (grep_scan_run (session, out, c, emit, found))
    ;
  leat_session_close (session);
  return found;
}
