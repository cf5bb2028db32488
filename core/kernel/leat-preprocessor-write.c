/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The text that comes out.  Lines stay lines of the user's files: blanks and comments are copied, missing lines are
 * made up for, and where many are missing a #line says so.  Of columns that a macro moved a note is kept. */

#include "leat-preprocessor-private.h"

#include <string.h>

#define LEAT_PP_LINES_MADE_UP 32
#define LEAT_PP_TEXT_MAX      (16u << 20)

static void
leat_pp_write_end (LeatPreprocessor *self)
{
  g_string_append_c (self->text, '\n');
  self->text_line++;
  self->text_start = self->text->len;
  self->shift = 0;
  self->last = '\0';
}

static const char *
leat_pp_get_label (LeatPreprocessor *self)
{
  return g_ptr_array_index (self->out->labels, self->file->label);
}

/* Gets to line @line of the file that is read. */
static void
leat_pp_write_place (LeatPreprocessor *self, guint line)
{
  if (self->text_label == self->file->label && line >= self->text_line
      && line - self->text_line <= LEAT_PP_LINES_MADE_UP)
    {
      while (self->text_line < line)
        leat_pp_write_end (self);
      return;
    }
  if (self->text->len > self->text_start)
    leat_pp_write_end (self);
  g_string_append_printf (self->text, "#line %" G_GINT64_FORMAT " \"%s\"",
                          CLAMP (line + self->file->ahead, 1, G_MAXINT), leat_pp_get_label (self));
  leat_pp_write_end (self);
  self->text_label = self->file->label;
  self->text_line = line;
}

static gboolean
leat_pp_is_near (LeatPreprocessor *self, guint line)
{
  return self->text_label == self->file->label && self->text_line == line;
}

void
leat_pp_write_blanks (LeatPreprocessor *self, const char *from, const char *to, guint line)
{
  /* A line end by itself, or a blank in front of something, brings its line along when that comes. */
  if (!leat_pp_is_near (self, line))
    {
      if (*from != '/')
        return;
      leat_pp_write_place (self, line);
    }
  self->last = '\0';
  for (const char *p = from; p < to;)
    {
      const char *end = memchr (p, '\n', to - p);

      g_string_append_len (self->text, p, (end != NULL ? end : to) - p);
      if (end != NULL)
        leat_pp_write_end (self);
      p = end != NULL ? end + 1 : to;
    }
}

/* Would the two be one token, or begin a comment? */
static gboolean
leat_pp_would_join (char before, char next)
{
  gboolean word = leat_pp_is_word (next);

  if (before == '\0')
    return FALSE;
  if (leat_pp_is_word (before) || strchr (".\"'", before) != NULL)
    return word || strchr (".\"'+-", next) != NULL;
  if (strchr ("()[]{};,?~", before) != NULL)
    return FALSE;
  return strchr ("+-*/%<>=&|^!:#.", next) != NULL;
}

static void
leat_pp_note_column (LeatPreprocessor *self, guint column)
{
  gint shift = (gint) column - (gint) (self->text->len - self->text_start + 1);
  LeatKernelSpot spot = { self->text->len, shift };

  if (shift == self->shift || column == 0)
    return;
  g_array_append_val (self->out->spots, spot);
  self->shift = shift;
}

/* Digraphs as what they stand for: whoever reads the text knows those alone. */
static const char *
leat_pp_spell (const LeatPpToken *token, gsize *length)
{
  static const char *const spellings[][2] = { { "<%", "{" }, { "%>", "}" }, { "<:", "[" },
                                              { ":>", "]" }, { "%:", "#" }, { "%:%:", "##" } };

  for (guint i = 0; token->kind == LEAT_PP_PUNCT && token->length >= 2 && i < G_N_ELEMENTS (spellings); i++)
    if (leat_pp_is (token, spellings[i][0]))
      {
        *length = strlen (spellings[i][1]);
        return spellings[i][1];
      }
  *length = token->length;
  return token->text;
}

/* Past line ends in raw strings. */
static void
leat_pp_count_lines (LeatPreprocessor *self, const char *text, gsize length)
{
  for (const char *p = text; (p = memchr (p, '\n', text + length - p)) != NULL; p++)
    {
      self->text_line++;
      self->text_start = self->text->len - (text + length - p - 1);
      self->shift = 0;
    }
}

void
leat_pp_write_token (LeatPreprocessor *self, const LeatPpToken *token)
{
  gboolean expanded = self->contexts->len > 0 || token->line == 0;
  guint line = token->line != 0 ? token->line : self->use_line;
  guint column = expanded ? self->use_column : token->column;
  gsize length;
  const char *text = leat_pp_spell (token, &length);

  /* To whoever reads the text next it would begin a directive. */
  if (token->kind == LEAT_PP_PUNCT && text[0] == '#')
    {
      leat_pp_fail (self, line, column, "this \"%.*s\" is not a directive, and means nothing elsewhere", (int) length,
                    text);
      return;
    }
  if (!leat_pp_is_near (self, line) && (!expanded || self->text_label != self->file->label || line > self->text_line))
    {
      leat_pp_write_place (self, line);
      if (self->text->len == self->text_start && token->column > 1 && token->column < 512)
        g_string_append_printf (self->text, "%*s", (int) token->column - 1, "");
    }
  if ((expanded && (token->flags & LEAT_PP_WHITE)) || self->wants_blank
      || ((expanded || self->last_expanded) && leat_pp_would_join (self->last, text[0])))
    g_string_append_c (self->text, ' ');
  self->wants_blank = FALSE;
  self->last_expanded = expanded;
  leat_pp_note_column (self, column);
  g_string_append_len (self->text, text, length);
  if (token->kind == LEAT_PP_STRING)
    leat_pp_count_lines (self, text, length);
  self->last = length > 0 ? text[length - 1] : '\0';
  if (self->text->len > LEAT_PP_TEXT_MAX)
    leat_pp_fail (self, line, column, "more than %u MiB of kernel text", LEAT_PP_TEXT_MAX >> 20);
}

void
leat_pp_write_line (LeatPreprocessor *self, guint line, const char *text)
{
  if (!leat_pp_is_near (self, line))
    leat_pp_write_place (self, line);
  /* A directive has a line of its own, and what stood in front of it stays in front. */
  if (strspn (self->text->str + self->text_start, " \t") < self->text->len - self->text_start)
    g_string_append_c (self->text, '\n');
  g_string_append (self->text, text);
  g_string_append_c (self->text, '\n');
  self->text_start = self->text->len;
  self->shift = 0;
  self->last = '\0';
  self->text_label = G_MAXUINT;
}
