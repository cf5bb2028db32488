/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-lexer-private.h"

#include <string.h>

static LeatTokenKind
leat_lexer_classify (const char *text)
{
  if (g_str_equal (text, "+") || g_str_equal (text, "!") || g_str_equal (text, "->"))
    return LEAT_TOKEN_LINK;
  if (g_str_equal (text, ",") || g_str_equal (text, ";"))
    return LEAT_TOKEN_END;
  return LEAT_TOKEN_WORD;
}

/* One argument, after the shell (or leat_lexer_read_line ()) has taken the quotes away: all of it is literal. */
static LeatToken *
leat_lexer_make_token (const char *text, const LeatSourcePos *pos)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name = equals != NULL ? g_strndup (text, equals - text) : NULL;
  LeatToken *token = leat_token_new (leat_lexer_classify (text), pos, text, strlen (text));
  LeatSourcePos value_pos = *pos;

  if (token->kind != LEAT_TOKEN_WORD)
    return token;
  if (name != NULL && leat_syntax_is_property (name))
    {
      value_pos.column += g_utf8_strlen (name, -1) + 1;
      token->kind = LEAT_TOKEN_PROP;
      token->name = g_steal_pointer (&name);
      text = equals + 1;
    }
  token->value = leat_syntax_value_new_literal (text, &value_pos);
  token->value->pos = value_pos;
  return token;
}

static gboolean
leat_lexer_add_word (GPtrArray *tokens, const char *text, const LeatSourcePos *pos, LeatErrorList *errors)
{
  LeatToken *token = leat_lexer_make_token (text, pos);

  if (strlen (text) > LEAT_SYNTAX_MAX_TOKEN_BYTES)
    {
      leat_error_list_add (errors, pos, LEAT_PARSE_ERROR_LIMIT, "a word longer than %d bytes",
                           LEAT_SYNTAX_MAX_TOKEN_BYTES);
      token->kind = LEAT_TOKEN_BAD;
    }
  return leat_token_array_add (tokens, token, errors);
}

static GPtrArray *
leat_lexer_finish (GPtrArray *tokens, const LeatSourcePos *pos, LeatErrorList *errors)
{
  const LeatToken *last = tokens->len > 0 ? g_ptr_array_index (tokens, tokens->len - 1) : NULL;

  if (last != NULL && last->kind != LEAT_TOKEN_END && tokens->len <= LEAT_SYNTAX_MAX_TOKENS)
    leat_token_array_add (tokens, leat_token_new (LEAT_TOKEN_END, pos, "end of the text", strlen ("end of the text")),
                          errors);
  return tokens;
}

GPtrArray *
leat_lexer_read_args (const LeatSource *source, const char *const *args, LeatErrorList *errors)
{
  g_autoptr (GPtrArray) tokens = leat_token_array_new ();
  LeatSourcePos pos = { source, 1, 1 };

  for (; args[pos.line - 1] != NULL; pos.line++)
    {
      const char *text = args[pos.line - 1];

      if (!leat_lexer_check_encoding (&pos, text, strlen (text), errors))
        continue;
      if (!leat_lexer_add_word (tokens, text, &pos, errors))
        break;
    }
  return leat_lexer_finish (g_steal_pointer (&tokens), &pos, errors);
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
leat_lexer_read_line (const LeatSource *source, const char *text, gsize length, LeatErrorList *errors)
{
  g_autoptr (GPtrArray) tokens = leat_token_array_new ();
  g_autoptr (GString) word = g_string_new (NULL);
  LeatLexerLine self = { text, text + length, { source, 1, 1 }, errors };

  if (!leat_lexer_check_encoding (&self.pos, text, length, errors))
    return g_steal_pointer (&tokens);
  while (self.p < self.end)
    {
      LeatSourcePos start = self.pos;

      if (g_ascii_isspace (*self.p))
        {
          leat_lexer_line_advance (&self, NULL);
          continue;
        }
      g_string_truncate (word, 0);
      if (!leat_lexer_line_read_word (&self, word) || !leat_lexer_add_word (tokens, word->str, &start, errors))
        break;
    }
  return leat_lexer_finish (g_steal_pointer (&tokens), &self.pos, errors);
}
