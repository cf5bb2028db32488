/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Edits of a text by offset, applied at once. */

#include "leat-kernel-transform-private.h"

#include <string.h>

static void
leat_edit_clear (gpointer data)
{
  g_free (((LeatEdit *) data)->text);
}

static int
leat_edit_compare (gconstpointer a, gconstpointer b)
{
  const LeatEdit *x = a, *y = b;

  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  /* Insertions come before what replaces the bytes there; of two replacements the wider one wins. */
  if ((x->begin == x->end) != (y->begin == y->end))
    return x->begin == x->end ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

GArray *
leat_edits_new (void)
{
  GArray *edits = g_array_new (FALSE, FALSE, sizeof (LeatEdit));

  g_array_set_clear_func (edits, leat_edit_clear);
  return edits;
}

G_GNUC_PRINTF (4, 0)
static void
leat_edits_add (GArray *edits, guint begin, guint end, const char *format, va_list args)
{
  LeatEdit edit = { begin, end, edits->len, g_strdup_vprintf (format, args) };

  g_array_append_val (edits, edit);
}

void
leat_edits_replace (GArray *edits, const LeatTokens *tokens, guint first, guint last, const char *format, ...)
{
  const LeatToken *from = leat_tokens_at (tokens, first), *to = leat_tokens_at (tokens, last);
  va_list args;

  va_start (args, format);
  leat_edits_add (edits, from->offset, to->offset + to->length, format, args);
  va_end (args);
}

void
leat_edits_insert_before (GArray *edits, const LeatTokens *tokens, guint index, const char *format, ...)
{
  guint at = leat_tokens_at (tokens, index)->offset;
  va_list args;

  va_start (args, format);
  leat_edits_add (edits, at, at, format, args);
  va_end (args);
}

void
leat_edits_insert_after (GArray *edits, const LeatTokens *tokens, guint index, const char *format, ...)
{
  const LeatToken *token = leat_tokens_at (tokens, index);
  va_list args;

  va_start (args, format);
  leat_edits_add (edits, token->offset + token->length, token->offset + token->length, format, args);
  va_end (args);
}

/* Keeps a line number that stood among bytes that are left out: the lines behind them go on from there. */
static void
leat_edits_keep_place (GString *out, const char *text, guint begin, guint end)
{
  static const char mark[] = "\n#line ";
  const char *found = NULL, *label;
  guint64 line;
  char *after;

  for (const char *p = text + begin; (p = g_strstr_len (p, text + end - p, mark)) != NULL; p += strlen (mark))
    found = p + 1;
  if (found == NULL)
    return;
  line = g_ascii_strtoull (found + strlen ("#line "), &after, 10);
  label = strchr (found, '"');
  found = strchr (found, '\n');
  if (label == NULL || found == NULL || found > text + end)
    return;
  for (const char *p = found + 1; p < text + end; p++)
    line += *p == '\n';
  g_string_append_printf (out, "\n#line %" G_GUINT64_FORMAT " %.*s\n", line, (int) (found - label), label);
}

static char *
leat_edits_apply_bytes (GArray *edits, const char *text, guint begin, guint end)
{
  GString *out = g_string_sized_new (end - begin + 256);
  guint at = begin;

  g_array_sort (edits, leat_edit_compare);
  for (guint i = 0; i < edits->len; i++)
    {
      const LeatEdit *edit = &g_array_index (edits, LeatEdit, i);

      if (edit->begin < at || edit->end > end)
        continue;
      g_string_append_len (out, text + at, edit->begin - at);
      g_string_append (out, edit->text);
      for (guint p = edit->begin; p < edit->end; p++)
        if (text[p] == '\n')
          g_string_append_c (out, '\n');
      leat_edits_keep_place (out, text, edit->begin, edit->end);
      at = edit->end;
    }
  g_string_append_len (out, text + at, end - at);
  return g_string_free (out, FALSE);
}

char *
leat_edits_apply (GArray *edits, const LeatTokens *tokens)
{
  return leat_edits_apply_bytes (edits, tokens->text->text, 0, strlen (tokens->text->text));
}

char *
leat_edits_apply_range (GArray *edits, const LeatTokens *tokens, guint first, guint last)
{
  const LeatToken *from = leat_tokens_at (tokens, first), *to = leat_tokens_at (tokens, last);

  return leat_edits_apply_bytes (edits, tokens->text->text, from->offset, to->offset + to->length);
}
