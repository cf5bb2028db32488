/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-lexer-private.h"

#include <string.h>

typedef struct
{
  const char *p, *end;
  LeatSourcePos pos;
  LeatErrorList *errors;
  GPtrArray *tokens;
  gboolean in_statement;
  gboolean line_has_tokens;
  guint indent;           /* blanks before the first token of this line */
  GString *above;         /* comment lines that stand alone, directly above */
  GString *literal;       /* of the word being read, what is not yet in its value */
  LeatSourcePos last_end; /* after the last token */
  char *trailing;         /* comment after the statement's last token */
} LeatLexer;

/* The word being read. */
typedef struct
{
  LeatSyntaxValue *value;
  GString *literal; /* the lexer's */
  char *name;       /* of a property */
  gboolean bad;
} LeatLexerWord;

static gsize
leat_lexer_left (const LeatLexer *self)
{
  return self->end - self->p;
}

static gboolean
leat_lexer_at (const LeatLexer *self, const char *text)
{
  gsize length = strlen (text);

  return leat_lexer_left (self) >= length && memcmp (self->p, text, length) == 0;
}

static gboolean
leat_lexer_at_newline (const LeatLexer *self)
{
  return self->p < self->end && (*self->p == '\n' || leat_lexer_at (self, "\r\n"));
}

static gboolean
leat_lexer_at_blank (const LeatLexer *self)
{
  return self->p < self->end && (*self->p == ' ' || *self->p == '\t' || *self->p == '\r');
}

/* One character on; the text is known to be UTF-8. */
static void
leat_lexer_advance (LeatLexer *self)
{
  if (*self->p == '\n')
    {
      self->pos.line++;
      self->pos.column = 1;
    }
  else
    self->pos.column++;
  self->p = g_utf8_next_char (self->p);
}

static void
leat_lexer_skip (LeatLexer *self, gsize n_chars)
{
  while (n_chars-- > 0)
    leat_lexer_advance (self);
}

/* Reads characters that mean nothing but themselves, those of ASCII that are not in @special, in one go. */
static void
leat_lexer_read_plain (LeatLexer *self, LeatLexerWord *word, const char *special)
{
  const char *start = self->p;

  while (self->p<self->end && * self->p> ' ' && *self->p < 0x7f && strchr (special, *self->p) == NULL)
    self->p++;
  self->pos.column += self->p - start;
  g_string_append_len (word->literal, start, self->p - start);
}

static void
leat_lexer_flush (LeatLexerWord *word, const LeatSourcePos *pos)
{
  leat_syntax_value_add (word->value, FALSE, word->literal->str, word->literal->len, pos);
  g_string_truncate (word->literal, 0);
}

/* After a backslash in quotes. */
static void
leat_lexer_read_escape (LeatLexer *self, LeatLexerWord *word, const LeatSourcePos *pos)
{
  static const char from[] = "nrt\"\\$", to[] = "\n\r\t\"\\$";
  const char *known = *self->p != '\0' ? strchr (from, *self->p) : NULL;
  char *digits_end;
  guint64 code = 0;

  if (known != NULL)
    {
      g_string_append_c (word->literal, to[known - from]);
      leat_lexer_advance (self);
      return;
    }
  if (leat_lexer_at (self, "u{"))
    {
      const char *digits = self->p + 2;

      if (g_ascii_isxdigit (*digits))
        code = g_ascii_strtoull (digits, &digits_end, 16);
      if (code > 0 && code <= 0x10ffff && *digits_end == '}' && g_unichar_validate (code))
        {
          g_string_append_unichar (word->literal, code);
          leat_lexer_skip (self, digits_end + 1 - self->p);
          return;
        }
    }
  leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_QUOTE,
                       "unknown escape in quotes; expected \\\" \\\\ \\$ \\n \\r \\t or \\u{HEX}");
  word->bad = TRUE;
}

/* After a dollar sign: `$name`, `${name}`, `$$`. */
static void
leat_lexer_read_variable (LeatLexer *self, LeatLexerWord *word, const LeatSourcePos *pos)
{
  gboolean braced = leat_lexer_at (self, "{");
  const char *start = self->p + (braced ? 1 : 0), *stop = start;
  g_autofree char *name = NULL;

  if (leat_lexer_at (self, "$"))
    {
      g_string_append_c (word->literal, '$');
      leat_lexer_advance (self);
      return;
    }
  while (stop < self->end && (g_ascii_isalnum (*stop) || *stop == '_'))
    stop++;
  name = g_strndup (start, stop - start);
  if (!leat_syntax_is_variable (name) || (braced && (stop == self->end || *stop != '}')))
    {
      leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_SYNTAX,
                           "a variable is written $name or ${name}; write $$ for a dollar sign");
      word->bad = TRUE;
      return;
    }
  leat_lexer_flush (word, pos);
  leat_syntax_value_add (word->value, TRUE, name, -1, pos);
  leat_lexer_skip (self, stop + (braced ? 1 : 0) - self->p);
}

static void
leat_lexer_read_quoted (LeatLexer *self, LeatLexerWord *word)
{
  LeatSourcePos open = self->pos;

  word->value->quoted = TRUE;
  leat_lexer_advance (self);
  while (self->p < self->end && !leat_lexer_at_newline (self))
    {
      LeatSourcePos pos = self->pos;
      char c = *self->p;

      if (c == '"' || c == '\\' || c == '$')
        leat_lexer_advance (self);
      if (c == '"')
        return;
      if (c == '\\')
        leat_lexer_read_escape (self, word, &pos);
      else if (c == '$')
        leat_lexer_read_variable (self, word, &pos);
      else
        {
          const char *start = self->p;

          leat_lexer_read_plain (self, word, "\"\\$");
          if (self->p > start)
            continue;
          leat_lexer_advance (self);
          g_string_append_len (word->literal, start, self->p - start);
        }
    }
  if (!word->bad)
    leat_error_list_add (self->errors, &open, LEAT_PARSE_ERROR_QUOTE,
                         "the quote is not closed on its line; write \\n for a line break inside quotes");
  word->bad = TRUE;
}

/* What may not stand outside quotes, although no word is ended by it. */
static gboolean
leat_lexer_check_bare (LeatLexer *self, LeatLexerWord *word)
{
  if (*self->p == '\'' && word->literal->len == 0 && word->value->n_pieces == 0 && !word->value->quoted)
    leat_error_list_add (self->errors, &self->pos, LEAT_PARSE_ERROR_QUOTE,
                         "single quotes do not quote in a pipeline file; use \"double quotes\"");
  else if (g_ascii_iscntrl (*self->p))
    leat_error_list_add (self->errors, &self->pos, LEAT_PARSE_ERROR_ENCODING, "control character 0x%02x outside quotes",
                         (guint) *self->p);
  else
    return TRUE;
  word->bad = TRUE;
  return FALSE;
}

/* At the first `=` after what can be a name, the name ends and the value begins. */
static gboolean
leat_lexer_take_name (LeatLexer *self, LeatLexerWord *word)
{
  if (*self->p != '=' || word->name != NULL || word->value->quoted || word->value->n_pieces > 0
      || !leat_syntax_is_property (word->literal->str))
    return FALSE;
  word->name = g_strdup (word->literal->str);
  g_string_truncate (word->literal, 0);
  leat_lexer_advance (self);
  word->value->pos = self->pos;
  return TRUE;
}

static void
leat_lexer_read_bare (LeatLexer *self, LeatLexerWord *word)
{
  const char *start = self->p;

  leat_lexer_read_plain (self, word, "\"$='-");
  if (self->p > start || leat_lexer_take_name (self, word))
    return;
  if (!word->bad)
    leat_lexer_check_bare (self, word);
  leat_lexer_advance (self);
  g_string_append_len (word->literal, start, self->p - start);
}

static LeatToken *
leat_lexer_read_word (LeatLexer *self)
{
  LeatLexerWord word = { leat_syntax_value_new (&self->pos), self->literal, NULL, FALSE };
  LeatSourcePos start_pos = self->pos;
  const char *start = self->p;
  LeatToken *token;

  while (self->p < self->end && !leat_lexer_at_blank (self) && !leat_lexer_at_newline (self)
         && !leat_lexer_at (self, "->"))
    {
      LeatSourcePos pos = self->pos;

      if (*self->p == '"')
        leat_lexer_read_quoted (self, &word);
      else if (*self->p == '$')
        {
          leat_lexer_advance (self);
          leat_lexer_read_variable (self, &word, &pos);
        }
      else
        leat_lexer_read_bare (self, &word);
    }
  leat_lexer_flush (&word, &start_pos);
  if (!word.bad && self->p - start > LEAT_SYNTAX_MAX_TOKEN_BYTES)
    {
      leat_error_list_add (self->errors, &start_pos, LEAT_PARSE_ERROR_LIMIT, "a word longer than %d bytes",
                           LEAT_SYNTAX_MAX_TOKEN_BYTES);
      word.bad = TRUE;
    }
  token = leat_token_new (word.bad            ? LEAT_TOKEN_BAD
                          : word.name != NULL ? LEAT_TOKEN_PROP
                                              : LEAT_TOKEN_WORD,
                          &start_pos, start, self->p - start);
  token->name = word.name;
  token->value = word.value;
  return token;
}

static LeatToken *
leat_lexer_read_token (LeatLexer *self)
{
  LeatToken *token;
  gsize length = leat_lexer_at (self, "->") ? 2 : *self->p == '=' ? 1 : 0;

  if (length == 0)
    return leat_lexer_read_word (self);
  token = leat_token_new (length == 2 ? LEAT_TOKEN_LINK : LEAT_TOKEN_EQUALS, &self->pos, self->p, length);
  leat_lexer_skip (self, length);
  return token;
}

static gboolean
leat_lexer_end_statement (LeatLexer *self)
{
  LeatToken *token =
    leat_token_new (LEAT_TOKEN_END, &self->last_end, "end of the statement", strlen ("end of the statement"));

  token->comment = g_steal_pointer (&self->trailing);
  self->in_statement = FALSE;
  return leat_token_array_add (self->tokens, token, self->errors);
}

/* A line belongs to the statement before it when it is indented, begins with `->` or follows one. */
static gboolean
leat_lexer_continues (LeatLexer *self)
{
  const LeatToken *last = self->tokens->len > 0 ? g_ptr_array_index (self->tokens, self->tokens->len - 1) : NULL;

  return self->line_has_tokens || self->indent > 0 || leat_lexer_at (self, "->")
         || (last != NULL && last->kind == LEAT_TOKEN_LINK);
}

static gboolean
leat_lexer_add_token (LeatLexer *self)
{
  gboolean first_on_line = !self->line_has_tokens;
  gboolean starts;
  LeatToken *token;

  if (self->in_statement && !leat_lexer_continues (self) && !leat_lexer_end_statement (self))
    return FALSE;
  starts = !self->in_statement;
  g_clear_pointer (&self->trailing, g_free);
  token = leat_lexer_read_token (self);
  self->last_end = self->pos;
  if (starts && self->above->len > 0)
    token->comment = g_strdup (self->above->str);
  g_string_truncate (self->above, 0);
  token->indented = !starts && first_on_line;
  self->in_statement = TRUE;
  self->line_has_tokens = TRUE;
  return leat_token_array_add (self->tokens, token, self->errors);
}

/* Comments are kept for the variables, whose meaning tools print. */
static void
leat_lexer_read_comment (LeatLexer *self)
{
  const char *start = self->p + 1;
  g_autofree char *text = NULL;

  while (self->p < self->end && !leat_lexer_at_newline (self))
    leat_lexer_advance (self);
  text = g_strstrip (g_strndup (start, self->p - start));
  if (self->line_has_tokens)
    {
      g_free (self->trailing);
      self->trailing = g_steal_pointer (&text);
      return;
    }
  if (self->above->len > 0)
    g_string_append_c (self->above, ' ');
  g_string_append (self->above, text);
}

static void
leat_lexer_read_newline (LeatLexer *self, gboolean was_blank)
{
  if (was_blank)
    g_string_truncate (self->above, 0);
  if (*self->p == '\r')
    self->p++;
  leat_lexer_advance (self);
  self->line_has_tokens = FALSE;
  self->indent = 0;
}

static void
leat_lexer_run (LeatLexer *self)
{
  gboolean line_is_blank = TRUE;

  while (self->p < self->end)
    {
      if (leat_lexer_at_newline (self))
        {
          leat_lexer_read_newline (self, line_is_blank);
          line_is_blank = TRUE;
        }
      else if (leat_lexer_at_blank (self))
        {
          self->indent++;
          leat_lexer_advance (self);
        }
      else
        {
          line_is_blank = FALSE;
          if (*self->p == '#')
            leat_lexer_read_comment (self);
          else if (!leat_lexer_add_token (self))
            return;
        }
    }
}

GPtrArray *
leat_lexer_read_file (const LeatSource *source, const char *text, gsize length, LeatErrorList *errors)
{
  LeatLexer self = { text, text + length, { source, 1, 1 }, errors, leat_token_array_new () };

  if (!leat_lexer_check_encoding (&self.pos, text, length, errors))
    return self.tokens;
  if (leat_lexer_at (&self, "\xef\xbb\xbf"))
    self.p += 3;
  self.above = g_string_new (NULL);
  self.literal = g_string_new (NULL);
  leat_lexer_run (&self);
  if (self.in_statement && self.tokens->len <= LEAT_SYNTAX_MAX_TOKENS)
    leat_lexer_end_statement (&self);
  g_string_free (self.above, TRUE);
  g_string_free (self.literal, TRUE);
  g_free (self.trailing);
  return self.tokens;
}
