/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Parses the statements of a file: version, `let`, `include`, declarations, and chains by leat-parser-chain.c. */

#include "leat-parser-private.h"

#include <string.h>

static void
leat_parser_finish_declaration (LeatParser *self, LeatSyntaxNode *node)
{
  leat_parser_parse_props (self, node, FALSE);
  if (leat_parser_parse_node_end (self, node, "PROPERTY=VALUE or the end of the line")
      && leat_parser_at (self, LEAT_TOKEN_LINK))
    leat_parser_report_unexpected (self, "the end of the declaration; link the node by its name in a line of its own");
}

static LeatSyntaxStatement *
leat_parser_parse_declaration (LeatParser *self, const char *name, const LeatSourcePos *pos, LeatSyntaxValue *id_value)
{
  LeatSyntaxStatement *statement = NULL;
  const char *checked = leat_parser_check_node_name (self, name, pos);
  const char *id = leat_syntax_value_peek_bare (id_value);
  LeatSyntaxNode *node = NULL;

  if (id == NULL || !leat_syntax_is_id (id))
    leat_error_list_add (self->errors, &id_value->pos, LEAT_PARSE_ERROR_NAME,
                         "expected the id of a node after \"%s =\", such as text:scan", name);
  else
    node = leat_parser_make_node (self, checked, id, pos);
  if (node != NULL)
    {
      statement = leat_syntax_statement_new (self->syntax->arena, LEAT_SYNTAX_NODE, pos);
      statement->node = node;
      leat_parser_finish_declaration (self, node);
    }
  leat_parser_skip_statement (self);
  return statement;
}

/* After NAME and `=`, with any white space around it. */
static LeatSyntaxValue *
leat_parser_take_assigned (LeatParser *self, LeatToken *token, const char *expected)
{
  if (token->kind == LEAT_TOKEN_PROP && (token->value->quoted || token->value->n_pieces > 0))
    return token->value;
  if (!leat_parser_at (self, LEAT_TOKEN_WORD) && !leat_parser_at (self, LEAT_TOKEN_PROP))
    {
      leat_parser_report_unexpected (self, expected);
      return NULL;
    }
  return leat_token_dup_value (leat_parser_take (self));
}

/* NAME = VALUE in its four spacings: the name, and the parser behind the `=`; NULL when it is something else. */
static LeatToken *
leat_parser_take_assignment (LeatParser *self)
{
  LeatToken *token = leat_parser_peek (self);
  const LeatToken *after = self->next + 1 < self->tokens->len ? g_ptr_array_index (self->tokens, self->next + 1) : NULL;

  if (leat_parser_at (self, LEAT_TOKEN_PROP))
    {
      self->next++;
      return token;
    }
  if (!leat_parser_at (self, LEAT_TOKEN_WORD) || after == NULL || after->kind != LEAT_TOKEN_EQUALS)
    return NULL;
  self->next += 2;
  return token;
}

static const char *
leat_token_get_assigned_name (const LeatToken *token)
{
  if (token->kind == LEAT_TOKEN_PROP)
    return token->name;
  return leat_syntax_value_peek_bare (token->value) != NULL ? leat_syntax_value_peek_bare (token->value)
                                                            : leat_token_get_text (token);
}

static LeatSyntaxStatement *
leat_parser_parse_let (LeatParser *self, const LeatToken *let)
{
  LeatToken *token = leat_parser_take_assignment (self);
  LeatSyntaxValue *value = NULL;
  LeatSyntaxStatement *statement;
  const LeatToken *end;
  const char *name;

  if (token == NULL)
    leat_parser_report_unexpected (self, "NAME = VALUE after let");
  else
    value = leat_parser_take_assigned (self, token, "a value after =");
  if (value == NULL)
    {
      leat_parser_skip_statement (self);
      return NULL;
    }
  name = leat_token_get_assigned_name (token);
  if (!leat_syntax_is_variable (name))
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_NAME,
                         "\"%s\" cannot name a variable; a name is a letter, then letters, digits and _", name);
  statement = leat_syntax_statement_new (self->syntax->arena, LEAT_SYNTAX_LET, &token->pos);
  statement->name = leat_arena_strdup (self->syntax->arena, name);
  statement->value = value;
  end = leat_parser_peek (self);
  if (end != NULL && end->kind == LEAT_TOKEN_END && end->comment != NULL)
    statement->comment = end->comment;
  else
    statement->comment = let->comment;
  leat_parser_expect_end (self, "the value; a value with white space needs quotes");
  return statement;
}

static LeatSyntaxStatement *
leat_parser_parse_include_line (LeatParser *self, const LeatToken *include)
{
  LeatSyntaxStatement *statement;
  LeatToken *token = leat_parser_peek (self);

  if ((!leat_parser_at (self, LEAT_TOKEN_WORD) && !leat_parser_at (self, LEAT_TOKEN_PROP))
      || leat_syntax_value_peek_literal (token->value) == NULL)
    {
      leat_parser_report_unexpected (self, "a file name without variables after include");
      leat_parser_skip_statement (self);
      return NULL;
    }
  statement = leat_syntax_statement_new (self->syntax->arena, LEAT_SYNTAX_INCLUDE, &token->pos);
  statement->value = leat_token_dup_value (leat_parser_take (self));
  leat_parser_expect_end (self, "the file name");
  return statement;
}

LeatSyntaxStatement *
leat_parser_parse_file_statement (LeatParser *self)
{
  LeatToken *token = leat_parser_peek (self);

  if (leat_token_is_keyword (token, "let"))
    return leat_parser_parse_let (self, leat_parser_take (self));
  if (leat_token_is_keyword (token, "include"))
    return leat_parser_parse_include_line (self, leat_parser_take (self));
  token = leat_parser_take_assignment (self);
  if (token != NULL)
    {
      LeatSyntaxValue *id = leat_parser_take_assigned (self, token, "the id of a node after =");

      if (id != NULL)
        return leat_parser_parse_declaration (self, leat_token_get_assigned_name (token), &token->pos, id);
      leat_parser_skip_statement (self);
      return NULL;
    }
  return leat_parser_parse_chain (self);
}

/* FALSE when the rest is in a language that this library does not know. */
static gboolean
leat_parser_parse_version (LeatParser *self, const LeatSource *source)
{
  LeatSourcePos start = { source, 1, 1 };
  const LeatToken *token = leat_parser_peek (self), *leat;
  const char *number;

  if (!leat_token_is_keyword (token, "leat"))
    {
      leat_error_list_add (self->errors, token != NULL ? &token->pos : &start, LEAT_PARSE_ERROR_VERSION,
                           "expected \"leat %d\", the version of the language, before anything else",
                           LEAT_SYNTAX_VERSION);
      return TRUE;
    }
  leat = leat_parser_take (self);
  token = leat_parser_peek (self);
  number = leat_parser_at (self, LEAT_TOKEN_WORD) ? leat_syntax_value_peek_bare (token->value) : NULL;
  if (number == NULL)
    {
      leat_error_list_add (self->errors, &leat->pos, LEAT_PARSE_ERROR_VERSION,
                           "expected the version of the language after \"leat\"; this library reads \"leat %d\"",
                           LEAT_SYNTAX_VERSION);
      return FALSE;
    }
  if (strcmp (number, G_STRINGIFY (LEAT_SYNTAX_VERSION)) != 0)
    {
      leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_VERSION,
                           "version %s of the language is not known; this library reads \"leat %d\"",
                           leat_token_get_text (token), LEAT_SYNTAX_VERSION);
      return FALSE;
    }
  leat_parser_take (self);
  leat_parser_expect_end (self, "the version");
  return TRUE;
}

void
leat_parser_parse_file_tokens (LeatParser *self, const LeatSource *source, LeatSyntaxList *statements)
{
  if (!leat_parser_parse_version (self, source))
    return;
  while (leat_parser_peek (self) != NULL)
    {
      LeatSyntaxStatement *statement = leat_parser_parse_file_statement (self);

      if (statement == NULL)
        continue;
      leat_syntax_list_add (statements, statement);
      if (statement->kind == LEAT_SYNTAX_INCLUDE)
        leat_parser_parse_include (self, statement);
    }
}
