/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Preprocessing tokens of the file that is read. */

#include "leat-preprocessor-private.h"

#include <string.h>

static void
leat_pp_lex_word (LeatPreprocessorFile *file)
{
  while (leat_pp_is_word (leat_pp_peek (file)))
    file->at++;
}

static void
leat_pp_lex_number (LeatPreprocessorFile *file)
{
  char before = '\0', bytes[2];

  for (;;)
    {
      char c = leat_pp_peek (file);

      if (c == '\'' && leat_pp_is_word (before))
        {
          leat_pp_peek_ahead (file, bytes, 2);
          if (!leat_pp_is_word (bytes[1]))
            return;
        }
      else if (!leat_pp_is_word (c) && c != '.'
               && !((c == '+' || c == '-') && before != '\0' && strchr ("eEpP", before)))
        return;
      before = c;
      file->at++;
    }
}

/* FALSE where it is not closed on its line; then only the quote was taken. */
static gboolean
leat_pp_lex_quoted (LeatPreprocessorFile *file)
{
  const LeatPreprocessorFile before = *file;
  char quote = *file->at;

  file->at++;
  for (;;)
    {
      char c = leat_pp_peek (file);

      if (c == '\0' || c == '\n')
        {
          *file = before;
          file->at++;
          return FALSE;
        }
      file->at++;
      if (c == quote)
        return TRUE;
      if (c == '\\' && (c = leat_pp_peek (file)) != '\0' && c != '\n')
        file->at++;
    }
}

/* R"mark( anything at all )mark" from its quote on; FALSE where it is none. */
static gboolean
leat_pp_lex_raw (LeatPreprocessorFile *file)
{
  const char *open = file->at + 1;
  gsize mark = strcspn (open, "() \\\t\v\f\n\"");
  g_autofree char *close = NULL;
  const char *end;

  if (mark > 16 || open[mark] != '(')
    return FALSE;
  close = g_strdup_printf (")%.*s\"", (int) mark, open);
  end = strstr (open + mark, close);
  if (end == NULL)
    return FALSE;
  end += strlen (close);
  while (file->at < end)
    leat_pp_step (file);
  return TRUE;
}

/* A word may be the prefix of a string or a character. */
static LeatPpKind
leat_pp_lex_prefixed (LeatPreprocessorFile *file, const char *start)
{
  static const char *const prefixes[] = { "u8", "u", "U", "L" };
  gsize length = file->at - start, prefix = 0;
  char c = leat_pp_peek (file);

  if ((c != '"' && c != '\'') || length > 3 || file->spliced)
    return LEAT_PP_IDENT;
  for (guint i = 0; i < G_N_ELEMENTS (prefixes) && prefix == 0; i++)
    if (strncmp (start, prefixes[i], strlen (prefixes[i])) == 0)
      prefix = strlen (prefixes[i]);
  if (c == '"' && length == prefix + 1 && start[prefix] == 'R')
    return leat_pp_lex_raw (file) ? LEAT_PP_STRING : LEAT_PP_IDENT;
  if (prefix == 0 || length != prefix || !leat_pp_lex_quoted (file))
    return LEAT_PP_IDENT;
  return c == '"' ? LEAT_PP_STRING : LEAT_PP_CHAR;
}

/* The suffix of a literal of the user's own, "x"_s; in "%"PRIu64 it is a macro, and left. */
static void
leat_pp_lex_suffix (LeatPreprocessor *self)
{
  LeatPreprocessorFile before = *self->file;
  const char *start;

  if (!leat_pp_is_word (leat_pp_peek (self->file)) || g_ascii_isdigit (*self->file->at))
    return;
  start = self->file->at;
  leat_pp_lex_word (self->file);
  if (leat_pp_find (self, start, self->file->at - start) != NULL)
    *self->file = before;
}

static guint
leat_pp_get_punct_length (const char *p)
{
  static const char *const puncts[] = {
    "<<=", ">>=", "...", "->*", "%:%:", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
    "+=",  "-=",  "*=",  "/=",  "%=",   "&=", "|=", "^=", "::", "##", ".*", "<%", "%>", "<:", ":>", "%:"
  };

  if (p[0] == '%' && strncmp (p, "%:%:", 4) == 0)
    return 4;
  /* `<::` is a less-than sign and a scope. */
  if (strncmp (p, "<::", 3) == 0 && p[3] != ':' && p[3] != '>')
    return 1;
  for (guint i = 0; i < G_N_ELEMENTS (puncts); i++)
    if (p[0] == puncts[i][0] && p[1] == puncts[i][1] && (puncts[i][2] == '\0' || p[2] == puncts[i][2])
        && strlen (puncts[i]) <= 3)
      return strlen (puncts[i]);
  return 1;
}

static void
leat_pp_lex_punct (LeatPreprocessorFile *file)
{
  char bytes[5] = "";
  guint n;

  leat_pp_peek_ahead (file, bytes, 4);
  n = leat_pp_get_punct_length (bytes);
  for (guint i = 0; i < n; i++)
    {
      leat_pp_peek (file);
      file->at++;
    }
}

/* The token's text in one piece. */
static const char *
leat_pp_join (LeatPreprocessor *self, const char *start, const char *end, guint *length)
{
  g_autoptr (GString) text = g_string_sized_new (end - start);

  for (const char *p = start; p < end;)
    {
      const char *next = *p == '\\' ? leat_pp_find_spliced (p) : NULL;

      if (next != NULL)
        p = next;
      else
        g_string_append_c (text, *p++);
    }
  *length = text->len;
  return g_string_chunk_insert_len (self->words, text->str, text->len);
}

static LeatPpKind
leat_pp_lex_kind (LeatPreprocessor *self, const char *start)
{
  LeatPreprocessorFile *file = self->file;
  char c = *start, bytes[2];

  if (g_ascii_isdigit (c))
    return leat_pp_lex_number (file), LEAT_PP_NUMBER;
  if (leat_pp_is_word (c))
    {
      LeatPpKind kind;

      leat_pp_lex_word (file);
      kind = leat_pp_lex_prefixed (file, start);
      if (kind != LEAT_PP_IDENT)
        leat_pp_lex_suffix (self);
      return kind;
    }
  if (c == '"' || c == '\'')
    {
      if (!leat_pp_lex_quoted (file))
        return LEAT_PP_OTHER;
      leat_pp_lex_suffix (self);
      return c == '"' ? LEAT_PP_STRING : LEAT_PP_CHAR;
    }
  leat_pp_peek_ahead (file, bytes, 2);
  if (c == '.' && g_ascii_isdigit (bytes[1]))
    return leat_pp_lex_number (file), LEAT_PP_NUMBER;
  leat_pp_lex_punct (file);
  return c == '\\' || c == '`' || c == '@' || (c > 0 && c < ' ') ? LEAT_PP_OTHER : LEAT_PP_PUNCT;
}

/* The token at which the file is. */
static void
leat_pp_lex_here (LeatPreprocessor *self, LeatPpToken *token, gboolean white)
{
  LeatPreprocessorFile *file = self->file;
  const char *start;

  leat_pp_peek (file);
  start = file->at;
  *token = (LeatPpToken){ .text = start, .line = file->line, .column = start - file->line_start + 1 };
  if (white)
    token->flags |= LEAT_PP_WHITE;
  if (file->fresh && self->collecting > 0)
    token->flags |= LEAT_PP_WHITE;
  file->fresh = file->spliced = FALSE;
  token->kind = leat_pp_lex_kind (self, start);
  token->length = file->at - start;
  if (file->spliced)
    token->text = leat_pp_join (self, start, file->at, &token->length);
}

gboolean
leat_pp_lex_line (LeatPreprocessor *self, LeatPpToken *token)
{
  gboolean white = leat_pp_skip_blanks (self);
  char c = leat_pp_peek (self->file);

  if (self->error == NULL && c != '\0' && c != '\n')
    {
      leat_pp_lex_here (self, token, white);
      return TRUE;
    }
  *token = (LeatPpToken){ .kind = LEAT_PP_END, .line = self->file->line };
  return FALSE;
}

void
leat_pp_skip_line (LeatPreprocessor *self)
{
  LeatPpToken token;

  while (leat_pp_lex_line (self, &token))
    ;
}

void
leat_pp_lex (LeatPreprocessor *self, LeatPpToken *token)
{
  gboolean white = FALSE;

  for (;;)
    {
      char bytes[2];

      white = leat_pp_skip_blanks (self) || white;
      leat_pp_peek (self->file);
      if (self->file->fresh && !self->in_directive && (*self->file->at == '#' || *self->file->at == '%'))
        {
          leat_pp_peek_ahead (self->file, bytes, 2);
          if (bytes[0] == '#' || bytes[1] == ':')
            {
              leat_pp_directive (self);
              white = TRUE;
              if (self->error == NULL)
                continue;
            }
        }
      if (self->error != NULL || *self->file->at == '\0' || (self->in_directive && *self->file->at == '\n'))
        {
          *token = (LeatPpToken){ .kind = LEAT_PP_END, .line = self->file->line };
          return;
        }
      leat_pp_lex_here (self, token, white);
      return;
    }
}

gboolean
leat_pp_lex_whole (LeatPreprocessor *self, const char *text, gsize length, LeatPpToken *token)
{
  LeatPreprocessorFile file = { .at = text, .line_start = text, .line = 1 };
  LeatPreprocessorFile *before = self->file;
  gboolean whole;

  self->file = &file;
  leat_pp_lex_here (self, token, FALSE);
  self->file = before;
  whole = token->length == length;
  token->line = token->column = 0;
  token->flags = 0;
  return whole;
}

char *
leat_pp_dup_line (LeatPreprocessor *self)
{
  g_autoptr (GString) out = g_string_new (NULL);
  LeatPpToken token;

  while (leat_pp_lex_line (self, &token))
    {
      if (out->len > 0 && (token.flags & LEAT_PP_WHITE))
        g_string_append_c (out, ' ');
      g_string_append_len (out, token.text, token.length);
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}
