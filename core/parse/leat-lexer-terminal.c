/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Splits the terminal form into tokens, from an argument vector or from a line in quotes. */

#include "leat-lexer-private.h"

#include <string.h>

/* The words of a text, however they come. */
typedef struct
{
  LeatArena *arena;
  GPtrArray *tokens;
  LeatErrorList *errors;
  guint depth; /* of bodies */
} LeatLexerWords;

static LeatTokenKind
leat_lexer_classify (const char *text)
{
  if (g_str_equal (text, "begin") || g_str_equal (text, "{"))
    return LEAT_TOKEN_OPEN;
  if (g_str_equal (text, "end") || g_str_equal (text, "}"))
    return LEAT_TOKEN_CLOSE;
  if (g_str_equal (text, "+") || g_str_equal (text, "!") || g_str_equal (text, "->"))
    return LEAT_TOKEN_LINK;
  if (g_str_equal (text, ",") || g_str_equal (text, ";"))
    return LEAT_TOKEN_END;
  return LEAT_TOKEN_WORD;
}

/* One argument, after the shell (or leat_lexer_read_line ()) has taken the quotes away: all of it is literal. */
static LeatToken *
leat_lexer_make_token (LeatArena *arena, const char *text, const LeatSourcePos *pos)
{
  const char *equals = strchr (text, '=');
  char *name = equals != NULL ? leat_arena_strndup (arena, text, equals - text) : NULL;
  LeatToken *token = leat_token_new (arena, leat_lexer_classify (text), pos, text, strlen (text));
  LeatSourcePos value_pos = *pos;

  if (token->kind != LEAT_TOKEN_WORD)
    return token;
  if (name != NULL && leat_syntax_is_property (name))
    {
      value_pos.column += g_utf8_strlen (name, -1) + 1;
      token->kind = LEAT_TOKEN_PROP;
      token->name = name;
      text = equals + 1;
    }
  token->value = leat_syntax_value_new_literal (arena, text, &value_pos);
  token->value->pos = value_pos;
  return token;
}

static gboolean
leat_lexer_end_chain (LeatLexerWords *self, const LeatSourcePos *pos, const char *what)
{
  const LeatToken *last = self->tokens->len > 0 ? g_ptr_array_index (self->tokens, self->tokens->len - 1) : NULL;

  if (last == NULL || last->kind == LEAT_TOKEN_END || last->kind == LEAT_TOKEN_OPEN)
    return TRUE;
  return leat_token_array_add (self->tokens, leat_token_new (self->arena, LEAT_TOKEN_END, pos, what, strlen (what)),
                               self->errors);
}

/* FALSE when @token is not to be read: it was told why, or there are too many. */
static gboolean
leat_lexer_count_body (LeatLexerWords *self, const LeatToken *token, const char *text)
{
  if (token->kind == LEAT_TOKEN_OPEN)
    self->depth++;
  if (token->kind != LEAT_TOKEN_CLOSE)
    return TRUE;
  if (self->depth > 0)
    {
      self->depth--;
      return leat_lexer_end_chain (self, &token->pos, "end of the body");
    }
  leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_SYNTAX, "\"%s\" ends no body", text);
  return FALSE;
}

static gboolean
leat_lexer_add_word (LeatLexerWords *self, const char *text, const LeatSourcePos *pos)
{
  LeatToken *token = leat_lexer_make_token (self->arena, text, pos);

  if (strlen (text) > LEAT_SYNTAX_MAX_TOKEN_BYTES)
    {
      leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_LIMIT, "a word longer than %d bytes",
                           LEAT_SYNTAX_MAX_TOKEN_BYTES);
      token->kind = LEAT_TOKEN_BAD;
    }
  if (leat_lexer_count_body (self, token, text))
    return leat_token_array_add (self->tokens, token, self->errors);
  return self->tokens->len <= LEAT_SYNTAX_MAX_TOKENS;
}

static GPtrArray *
leat_lexer_finish (LeatLexerWords *self, const LeatSourcePos *pos)
{
  if (self->tokens->len <= LEAT_SYNTAX_MAX_TOKENS)
    leat_lexer_end_chain (self, pos, "end of the text");
  return self->tokens;
}

GPtrArray *
leat_lexer_read_args (const LeatSource *source, const char *const *args, LeatArena *arena, LeatErrorList *errors)
{
  LeatLexerWords self = { arena, g_ptr_array_new (), errors, 0 };
  LeatSourcePos pos = { source, 1, 1 };

  for (; args[pos.line - 1] != NULL; pos.line++)
    {
      const char *text = args[pos.line - 1];

      if (!leat_lexer_check_encoding (&pos, text, strlen (text), errors))
        continue;
      if (!leat_lexer_add_word (&self, text, &pos))
        break;
    }
  return leat_lexer_finish (&self, &pos);
}

typedef struct
{
  const char *p, *end;
  LeatSourcePos pos;
  LeatErrorList *errors;
} LeatLexerLine;

static void
leat_lexer_line_advance (LeatLexerLine *self, GString *word)
{
  const char *next = g_utf8_next_char (self->p);

  if (word != NULL)
    g_string_append_len (word, self->p, next - self->p);
  self->pos.column++;
  if (*self->p == '\n')
    {
      self->pos.line++;
      self->pos.column = 1;
    }
  self->p = next;
}

/* As a shell reads quotes: nothing is special in '...'; \ keeps its meaning in "..." before " \ $ and ` only. */
static gboolean
leat_lexer_line_read_quoted (LeatLexerLine *self, GString *word)
{
  LeatSourcePos open = self->pos;
  char quote = *self->p;

  leat_lexer_line_advance (self, NULL);
  while (self->p < self->end && *self->p != quote)
    {
      if (quote == '"' && *self->p == '\\' && self->p + 1 < self->end && strchr ("\"\\$`", self->p[1]) != NULL)
        leat_lexer_line_advance (self, NULL);
      leat_lexer_line_advance (self, word);
    }
  if (self->p == self->end)
    {
      leat_error_list_add (self->errors, &open, LEAT_PARSE_ERROR_QUOTE, "the quote %c is not closed", quote);
      return FALSE;
    }
  leat_lexer_line_advance (self, NULL);
  return TRUE;
}

static gboolean
leat_lexer_line_read_word (LeatLexerLine *self, GString *word)
{
  while (self->p < self->end && !g_ascii_isspace (*self->p))
    {
      if (*self->p == '\'' || *self->p == '"')
        {
          if (!leat_lexer_line_read_quoted (self, word))
            return FALSE;
          continue;
        }
      if (*self->p == '\\')
        leat_lexer_line_advance (self, NULL);
      if (self->p < self->end)
        leat_lexer_line_advance (self, word);
    }
  return TRUE;
}

GPtrArray *
leat_lexer_read_line (const LeatSource *source, const char *text, gsize length, LeatArena *arena, LeatErrorList *errors)
{
  g_autoptr (GString) word = g_string_new (NULL);
  LeatLexerWords words = { arena, g_ptr_array_new (), errors, 0 };
  LeatLexerLine self = { text, text + length, { source, 1, 1 }, errors };

  if (!leat_lexer_check_encoding (&self.pos, text, length, errors))
    return words.tokens;
  while (self.p < self.end)
    {
      LeatSourcePos start = self.pos;

      if (g_ascii_isspace (*self.p))
        {
          leat_lexer_line_advance (&self, NULL);
          continue;
        }
      g_string_truncate (word, 0);
      if (!leat_lexer_line_read_word (&self, word)
          || !leat_lexer_add_word (&words, leat_arena_strdup (arena, word->str), &start))
        break;
    }
  return leat_lexer_finish (&words, &self.pos);
}
