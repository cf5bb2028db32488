/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reads one word of a file's text: quotes, escapes and variables in it.  Touches the lexer's place and the token at
 * hand. */

#include "leat-lexer-file-private.h"

#include <string.h>

/* The word being read. */
typedef struct
{
  LeatArena *arena;
  LeatSyntaxValue *value;
  GString *literal; /* the lexer's */
  char *name;       /* of a property */
  gboolean bad;
} LeatLexerWord;

gboolean
leat_lexer_at_brace (const LeatLexer *self, char brace)
{
  LeatLexer after = *self;

  if (self->p == self->end || *self->p != brace)
    return FALSE;
  after.p++;
  return after.p == after.end || leat_lexer_at_blank (&after) || leat_lexer_at_newline (&after)
         || leat_lexer_at_link (&after);
}

void
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

void
leat_lexer_skip (LeatLexer *self, gsize n_chars)
{
  while (n_chars-- > 0)
    leat_lexer_advance (self);
}

/* Where a character means something else than itself. */
enum
{
  LEAT_LEXER_BARE = 1 << 0,
  LEAT_LEXER_QUOTED = 1 << 1,
};

static const guint8 leat_lexer_special[128] = {
  ['"'] = LEAT_LEXER_BARE | LEAT_LEXER_QUOTED,
  ['$'] = LEAT_LEXER_BARE | LEAT_LEXER_QUOTED,
  ['\\'] = LEAT_LEXER_QUOTED,
  ['='] = LEAT_LEXER_BARE,
  ['\''] = LEAT_LEXER_BARE,
  ['-'] = LEAT_LEXER_BARE, /* of a `->` */
};

/* Reads characters of ASCII that mean nothing but themselves in one go. */
static void
leat_lexer_read_plain (LeatLexer *self, LeatLexerWord *word, guint8 where)
{
  const char *start = self->p;

  while (self->p<self->end && * self->p> ' ' && *self->p < 0x7f && (leat_lexer_special[(guint8) *self->p] & where) == 0)
    self->p++;
  self->pos.column += self->p - start;
  g_string_append_len (word->literal, start, self->p - start);
}

static void
leat_lexer_flush (LeatLexerWord *word, const LeatSourcePos *pos)
{
  leat_syntax_value_add (word->value, word->arena, FALSE, word->literal->str, word->literal->len, pos);
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
  if (*self->p == 'u' && leat_lexer_peek_next (self) == '{')
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
  gboolean braced = leat_lexer_peek (self) == '{';
  const char *start = self->p + (braced ? 1 : 0), *stop = start;
  g_autofree char *name = NULL;

  if (leat_lexer_peek (self) == '$')
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
  leat_syntax_value_add (word->value, word->arena, TRUE, name, -1, pos);
  leat_lexer_skip (self, stop + (braced ? 1 : 0) - self->p);
}

/* A quote without an end takes the rest of its line, but not a brace that opens a body there, lest the statements of
 * the body be taken for others. */
static void
leat_lexer_give_back_brace (LeatLexer *self, const char *start)
{
  if (self->is_plain || self->p - start < 2 || self->p[-1] != '{' || self->p[-2] != ' ')
    return;
  self->p -= 2;
  self->pos.column -= 2;
}

static void
leat_lexer_read_quoted (LeatLexer *self, LeatLexerWord *word)
{
  LeatSourcePos open = self->pos;
  const char *quote = self->p;

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

          leat_lexer_read_plain (self, word, LEAT_LEXER_QUOTED);
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
  leat_lexer_give_back_brace (self, quote);
}

/* Refuses text that may not stand outside quotes, although no word is ended by it. */
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
  word->name = leat_arena_strndup (self->arena, word->literal->str, word->literal->len);
  g_string_truncate (word->literal, 0);
  leat_lexer_advance (self);
  word->value->pos = self->pos;
  return TRUE;
}

static void
leat_lexer_read_bare (LeatLexer *self, LeatLexerWord *word)
{
  const char *start = self->p;

  leat_lexer_read_plain (self, word, LEAT_LEXER_BARE);
  if (self->p > start || leat_lexer_take_name (self, word))
    return;
  if (!word->bad)
    leat_lexer_check_bare (self, word);
  leat_lexer_advance (self);
  g_string_append_len (word->literal, start, self->p - start);
}

LeatToken *
leat_lexer_read_word (LeatLexer *self)
{
  LeatLexerWord word = { self->arena, leat_syntax_value_new (self->arena, &self->pos), self->literal, NULL, FALSE };
  LeatSourcePos start_pos = self->pos;
  const char *start = self->p;
  LeatToken *token;

  while (self->p < self->end && !leat_lexer_at_blank (self) && !leat_lexer_at_newline (self)
         && !leat_lexer_at_link (self))
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
  token = leat_token_new (self->arena,
                          word.bad            ? LEAT_TOKEN_BAD
                          : word.name != NULL ? LEAT_TOKEN_PROP
                                              : LEAT_TOKEN_WORD,
                          &start_pos, start, self->p - start);
  token->name = word.name;
  token->value = word.value;
  return token;
}
