/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Tokens of both spellings: made, compared, shown in messages, and the check of the text's encoding. */

#include "leat-lexer-private.h"

#include <string.h>

#define LEAT_TOKEN_SHOWN_CHARS 40
#define LEAT_TOKEN_MORE        "..."

/* Messages show what was written, on one line and not all of a long one: the bytes that they do. */
static gsize
leat_token_count_shown (const char *text, gsize length)
{
  const char *p = text;

  for (guint i = 0; i < LEAT_TOKEN_SHOWN_CHARS && p < text + length; i++)
    p = g_utf8_next_char (p);
  return MIN ((gsize) (p - text), length);
}

LeatToken *
leat_token_new (LeatArena *arena, LeatTokenKind kind, const LeatSourcePos *pos, const char *text, gsize n_bytes)
{
  LeatToken *self = leat_arena_new0 (arena, LeatToken);

  self->arena = arena;
  self->kind = kind;
  self->pos = *pos;
  self->written = text;
  self->n_bytes = n_bytes;
  return self;
}

const char *
leat_token_get_text (const LeatToken *self)
{
  gsize shown = leat_token_count_shown (self->written, self->n_bytes);
  char *text = leat_arena_alloc (self->arena, shown + sizeof LEAT_TOKEN_MORE);

  for (gsize i = 0; i < shown; i++)
    text[i] = g_ascii_iscntrl (self->written[i]) ? ' ' : self->written[i];
  if (shown < self->n_bytes)
    strcpy (text + shown, LEAT_TOKEN_MORE);
  return text;
}

gboolean
leat_token_is_keyword (const LeatToken *self, const char *word)
{
  const char *bare = self != NULL && self->kind == LEAT_TOKEN_WORD ? leat_syntax_value_peek_bare (self->value) : NULL;

  return bare != NULL && g_str_equal (bare, word);
}

LeatSyntaxValue *
leat_token_dup_value (const LeatToken *self)
{
  LeatSyntaxValue *value = leat_syntax_value_new (self->arena, &self->pos);

  value->quoted = self->value->quoted;
  if (self->kind == LEAT_TOKEN_PROP)
    {
      leat_syntax_value_add (value, self->arena, FALSE, self->name, -1, &self->pos);
      leat_syntax_value_add (value, self->arena, FALSE, "=", 1, &self->pos);
    }
  for (guint i = 0; i < self->value->n_pieces; i++)
    {
      const LeatSyntaxPiece *piece = &self->value->pieces[i];

      leat_syntax_value_add (value, self->arena, piece->is_variable, piece->text, -1, &piece->pos);
    }
  return value;
}

gboolean
leat_token_array_add (GPtrArray *tokens, LeatToken *token, LeatErrorList *errors)
{
  gboolean ok = tokens->len < LEAT_SYNTAX_MAX_TOKENS;

  if (!ok)
    leat_error_list_add (errors, &token->pos, LEAT_PARSE_ERROR_LIMIT, "more than %d words; split the text with include",
                         LEAT_SYNTAX_MAX_TOKENS);
  g_ptr_array_add (tokens, token);
  return ok;
}

gboolean
leat_lexer_check_encoding (const LeatSourcePos *start, const char *text, gsize length, LeatErrorList *errors)
{
  LeatSourcePos pos = *start;
  const char *bad;

  if (g_utf8_validate_len (text, length, &bad))
    return TRUE;
  for (const char *p = text; p < bad; p = g_utf8_next_char (p))
    {
      pos.column++;
      if (*p == '\n' && pos.source->kind != LEAT_SOURCE_ARGS)
        {
          pos.line++;
          pos.column = 1;
        }
    }
  leat_error_list_add (errors, &pos, LEAT_PARSE_ERROR_ENCODING, "the byte 0x%02x is not UTF-8 text",
                       (guint) (guchar) *bad);
  return FALSE;
}
