/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Splits the text of a file into tokens: statements by lines and margins, bodies, comments.  leat-lexer-word.c reads
 * single words. */

#include "leat-lexer-file-private.h"

#include <string.h>

static gboolean
leat_lexer_at_last_of_line (const LeatLexer *self, gsize length)
{
  LeatLexer after = *self;

  after.p += length;
  while (leat_lexer_at_blank (&after) && !leat_lexer_at_newline (&after))
    after.p++;
  return after.p == after.end || leat_lexer_at_newline (&after) || *after.p == '#';
}

/* Taken for the beginning of a body wherever it stands, so that what follows is read right. */
static void
leat_lexer_check_open (LeatLexer *self)
{
  if (!leat_lexer_at_last_of_line (self, 1))
    leat_error_list_add (self->errors, &self->pos, LEAT_PARSE_ERROR_SYNTAX,
                         "\"{\" opens a body where it ends a line; put what follows it on the next one");
}

static LeatToken *
leat_lexer_read_token (LeatLexer *self)
{
  LeatTokenKind kind = LEAT_TOKEN_WORD;
  LeatToken *token;
  gsize length = 1;

  if (leat_lexer_at_link (self))
    {
      kind = LEAT_TOKEN_LINK;
      length = 2;
    }
  else if (*self->p == '=')
    kind = LEAT_TOKEN_EQUALS;
  else if (!self->is_plain && leat_lexer_at_brace (self, '{'))
    kind = LEAT_TOKEN_OPEN;
  else
    return leat_lexer_read_word (self);
  if (kind == LEAT_TOKEN_OPEN)
    leat_lexer_check_open (self);
  token = leat_token_new (self->arena, kind, &self->pos, self->p, length);
  leat_lexer_skip (self, length);
  return token;
}

static gboolean
leat_lexer_end_statement (LeatLexer *self)
{
  LeatToken *token = leat_token_new (self->arena, LEAT_TOKEN_END, &self->last_end, "end of the statement",
                                     strlen ("end of the statement"));

  token->comment = g_steal_pointer (&self->trailing);
  self->in_statement = FALSE;
  self->is_plain = FALSE;
  return leat_token_array_add (self->tokens, token, self->errors);
}

static const LeatToken *
leat_lexer_peek_last (const LeatLexer *self)
{
  return self->tokens->len > 0 ? g_ptr_array_index (self->tokens, self->tokens->len - 1) : NULL;
}

static gboolean
leat_lexer_end_body (LeatLexer *self, LeatToken *close)
{
  gboolean ok = !self->in_statement || leat_lexer_end_statement (self);

  leat_margins_close (self->margins);
  self->in_statement = TRUE;
  return ok && leat_token_array_add (self->tokens, close, self->errors);
}

/* The line at hand is the first after a body that has no end. */
static gboolean
leat_lexer_end_lost_body (LeatLexer *self)
{
  return leat_lexer_end_body (self, leat_token_new (self->arena, LEAT_TOKEN_CLOSE, &self->pos, "", 0));
}

static void
leat_lexer_report_place (LeatLexer *self, LeatPlace place)
{
  const char *message = NULL;

  if (place == LEAT_PLACE_SHALLOW)
    message =
      "this line is less deep than the first statement of its body; begin it below that, or end the body before "
      "it with a line that begins with \"}\"";
  else if (place == LEAT_PLACE_NOT_DEEPER)
    message = "the statements of a body stand deeper than the one that opens it; indent this line";
  else if (place == LEAT_PLACE_OTHER_BLANKS)
    message = "this line is not indented with the same blanks and tabs as those above it; use blanks in all";
  if (message != NULL)
    leat_error_list_add (self->errors, &self->pos, LEAT_PARSE_ERROR_SYNTAX, "%s", message);
}

/* At the first word of a line: a line belongs to the statement before it when it is deeper, begins with `->` or follows
 * one.  FALSE when there are too many words. */
static gboolean
leat_lexer_begin_line (LeatLexer *self)
{
  const LeatToken *last = leat_lexer_peek_last (self);
  LeatPlace place;

  if (self->in_statement && (leat_lexer_at_link (self) || last->kind == LEAT_TOKEN_LINK))
    return TRUE;
  while ((place = leat_margins_place (self->margins, self->line, self->p - self->line)) == LEAT_PLACE_OUTSIDE)
    if (!leat_lexer_end_lost_body (self))
      return FALSE;
  leat_lexer_report_place (self, place);
  return !self->in_statement || place == LEAT_PLACE_CONTINUES || leat_lexer_end_statement (self);
}

/* A body's end is the first word of a line; elsewhere it is taken for one too, so that what follows is read right. */
static gboolean
leat_lexer_at_close (const LeatLexer *self)
{
  return leat_margins_get_depth (self->margins) > 0 && leat_lexer_at_brace (self, '}')
         && (!self->line_has_tokens || !self->is_plain);
}

static gboolean
leat_lexer_read_close (LeatLexer *self)
{
  LeatToken *token = leat_token_new (self->arena, LEAT_TOKEN_CLOSE, &self->pos, "}", 1);

  /* One on the line of its `{` was told of there. */
  if (self->line_has_tokens && leat_margins_has_begun (self->margins))
    leat_error_list_add (self->errors, &self->pos, LEAT_PARSE_ERROR_SYNTAX,
                         "\"}\" ends a body where it begins a line; put it on the next one");
  leat_lexer_advance (self);
  if (!leat_lexer_end_body (self, token))
    return FALSE;
  self->last_end = self->pos;
  self->line_has_tokens = TRUE;
  return TRUE;
}

static gboolean
leat_lexer_is_plain (const LeatToken *first)
{
  const char *word = first->kind == LEAT_TOKEN_WORD ? leat_syntax_value_peek_bare (first->value) : NULL;

  return word != NULL && (g_str_equal (word, "let") || g_str_equal (word, "include"));
}

static gboolean
leat_lexer_add_token (LeatLexer *self)
{
  gboolean first_on_line = !self->line_has_tokens;
  gboolean starts;
  LeatToken *token;

  if (leat_lexer_at_close (self))
    return leat_lexer_read_close (self);
  if (first_on_line && !leat_lexer_begin_line (self))
    return FALSE;
  starts = !self->in_statement;
  self->trailing = NULL;
  token = leat_lexer_read_token (self);
  self->last_end = self->pos;
  if (starts)
    self->is_plain = leat_lexer_is_plain (token);
  if (starts && self->above->len > 0)
    token->comment = leat_arena_strndup (self->arena, self->above->str, self->above->len);
  g_string_truncate (self->above, 0);
  token->indented = !starts && first_on_line;
  self->line_has_tokens = TRUE;
  self->in_statement = token->kind != LEAT_TOKEN_OPEN;
  if (token->kind == LEAT_TOKEN_OPEN)
    leat_margins_open (self->margins);
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
      self->trailing = leat_arena_strdup (self->arena, text);
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
  self->line = self->p;
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
        leat_lexer_advance (self);
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
leat_lexer_read_file (const LeatSource *source, const char *text, gsize length, LeatArena *arena, LeatErrorList *errors)
{
  g_autoptr (LeatMargins) margins = leat_margins_new ();
  LeatLexer self = { text, text + length, { source, 1, 1 }, arena, errors, g_ptr_array_new (), margins };

  if (!leat_lexer_check_encoding (&self.pos, text, length, errors))
    return self.tokens;
  if (g_str_has_prefix (text, "\xef\xbb\xbf"))
    self.p += 3;
  self.line = self.p;
  self.above = g_string_new (NULL);
  self.literal = g_string_new (NULL);
  leat_lexer_run (&self);
  if (self.in_statement && self.tokens->len <= LEAT_SYNTAX_MAX_TOKENS)
    leat_lexer_end_statement (&self);
  g_string_free (self.above, TRUE);
  g_string_free (self.literal, TRUE);
  return self.tokens;
}
