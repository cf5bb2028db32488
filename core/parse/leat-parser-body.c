/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Parses the body of a node and what may stand at a node's end. */

#include "leat-parser-private.h"

/* Refuses statements that only a whole file has.  A `let` is read all the same, so that its uses are not unknown on
 * top. */
static LeatSyntaxStatement *
leat_parser_refuse_keyword (LeatParser *self, const LeatToken *token)
{
  leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_SYNTAX,
                       "\"%s\" stands at the left margin of a file, not in a body", leat_token_get_text (token));
  if (leat_token_is_keyword (token, "let"))
    return leat_parser_parse_file_statement (self);
  leat_parser_skip_statement (self);
  return NULL;
}

static LeatSyntaxStatement *
leat_parser_parse_body_statement (LeatParser *self)
{
  const LeatToken *token = leat_parser_peek (self);

  if (self->style == LEAT_TEXT_STYLE_TERMINAL)
    return leat_parser_parse_chain (self);
  if (leat_token_is_keyword (token, "leat") || leat_token_is_keyword (token, "let")
      || leat_token_is_keyword (token, "include"))
    return leat_parser_refuse_keyword (self, token);
  return leat_parser_parse_file_statement (self);
}

/* A fault that ended the reading of words, which was told. */
static gboolean
leat_parser_is_cut_off (LeatParser *self)
{
  return leat_error_list_has (self->errors, LEAT_PARSE_ERROR_LIMIT)
         || (self->style == LEAT_TEXT_STYLE_TERMINAL && leat_error_list_has (self->errors, LEAT_PARSE_ERROR_QUOTE));
}

/* Behind the last statement: at the CLOSE, unless the text has none. */
static void
leat_parser_end_body (LeatParser *self, const LeatToken *open, gboolean is_empty)
{
  const LeatToken *close = leat_parser_take (self);
  const char *how = self->style == LEAT_TEXT_STYLE_FILE ? "a line that begins with \"}\"" : "\"end\"";
  g_autofree char *before = NULL;

  if (close != NULL && close->n_bytes > 0)
    {
      if (is_empty)
        leat_error_list_add (self->errors, &close->pos, LEAT_PARSE_ERROR_SYNTAX,
                             "unexpected \"%s\"; expected a node or a chain in the body", leat_token_get_text (close));
      return;
    }
  if (close == NULL && leat_parser_is_cut_off (self))
    return;
  before = close != NULL ? g_strdup_printf ("line %u", close->pos.line) : g_strdup ("the end of the text");
  leat_error_list_add (self->errors, &open->pos, LEAT_PARSE_ERROR_SYNTAX,
                       "the body that \"%s\" opens is not ended; expected %s before %s", leat_token_get_text (open),
                       how, before);
}

static void
leat_parser_parse_body (LeatParser *self, LeatSyntaxNode *node)
{
  const LeatToken *open = leat_parser_peek (self);
  guint first = self->next + 1;

  leat_syntax_node_add_body (node, self->syntax->arena, &open->pos);
  if (self->depth == LEAT_SYNTAX_MAX_BODY_DEPTH)
    {
      leat_error_list_add (self->errors, &open->pos, LEAT_PARSE_ERROR_LIMIT, "bodies are nested deeper than %d",
                           LEAT_SYNTAX_MAX_BODY_DEPTH);
      leat_parser_skip_token (self);
      return;
    }
  self->next = first;
  self->depth++;
  while (leat_parser_peek (self) != NULL && !leat_parser_at (self, LEAT_TOKEN_CLOSE))
    {
      LeatSyntaxStatement *statement = leat_parser_parse_body_statement (self);

      if (statement != NULL)
        leat_syntax_list_add (node->body, statement);
    }
  self->depth--;
  leat_parser_end_body (self, open, self->next == first);
}

static gboolean
leat_parser_at_node_end (LeatParser *self)
{
  return leat_parser_at (self, LEAT_TOKEN_LINK) || leat_parser_at (self, LEAT_TOKEN_END);
}

gboolean
leat_parser_parse_node_end (LeatParser *self, LeatSyntaxNode *node, const char *expected)
{
  gboolean ok = leat_parser_at_node_end (self) || leat_parser_at (self, LEAT_TOKEN_OPEN);

  if (!ok)
    {
      node->broken = TRUE;
      leat_parser_report_after_node (self, expected);
    }
  while (!leat_parser_at_node_end (self) && !leat_parser_at (self, LEAT_TOKEN_OPEN))
    leat_parser_skip_token (self);
  if (!leat_parser_at (self, LEAT_TOKEN_OPEN))
    return ok;
  leat_parser_parse_body (self, node);
  if (leat_parser_at_node_end (self))
    return ok;
  leat_parser_report_unexpected (self, "a link or the end of the statement; properties stand before the body");
  while (!leat_parser_at_node_end (self))
    leat_parser_skip_token (self);
  return FALSE;
}
