/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Steps through the tokens, and parses a node with its properties.  Every part of the parser uses it.  Faults go to the
 * error list, and the parser goes on behind them. */

#include "leat-parser-private.h"

#include <string.h>

LeatToken *
leat_parser_peek (LeatParser *self)
{
  return self->next < self->tokens->len ? g_ptr_array_index (self->tokens, self->next) : NULL;
}

LeatToken *
leat_parser_take (LeatParser *self)
{
  LeatToken *token = leat_parser_peek (self);

  if (token != NULL)
    self->next++;
  return token;
}

/* The tokens may be cut off by a limit, without an END. */
gboolean
leat_parser_at (LeatParser *self, LeatTokenKind kind)
{
  const LeatToken *token = leat_parser_peek (self);

  return token != NULL ? token->kind == kind : kind == LEAT_TOKEN_END;
}

void
leat_parser_skip_statement (LeatParser *self)
{
  while (!leat_parser_at (self, LEAT_TOKEN_END))
    leat_parser_skip_token (self);
  leat_parser_take (self);
}

void
leat_parser_report_unexpected (LeatParser *self, const char *expected)
{
  const LeatToken *token = leat_parser_peek (self);

  const char *text;

  if (token == NULL || token->kind == LEAT_TOKEN_BAD)
    return;
  text = leat_token_get_text (token);
  if (token->kind == LEAT_TOKEN_END && *text != ',' && *text != ';')
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_SYNTAX, "unexpected %s; expected %s", text,
                         expected);
  else
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_SYNTAX, "unexpected \"%s\"; expected %s", text,
                         expected);
}

void
leat_parser_expect_end (LeatParser *self, const char *after)
{
  const LeatToken *token = leat_parser_peek (self);
  g_autofree char *expected = NULL;

  if (!leat_parser_at (self, LEAT_TOKEN_END))
    {
      expected = g_strdup_printf ("the end of the line after %s%s", after,
                                  token->indented ? " (an indented line goes on with the statement above it)" : "");
      leat_parser_report_unexpected (self, expected);
    }
  leat_parser_skip_statement (self);
}

char *
leat_parser_check_node_name (LeatParser *self, const char *name, const LeatSourcePos *pos)
{
  if (name == NULL || !leat_syntax_is_name (name))
    leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_NAME,
                         "%s%s%s cannot name a node; a name is a letter, then letters, digits, - and _",
                         name != NULL ? "\"" : "", name != NULL ? name : "this", name != NULL ? "\"" : "");
  else if (self->depth > 0 && leat_syntax_is_body_word (name))
    leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_NAME,
                         "\"%s\" cannot name a node in a body: %s.NAME is what %s", name, name,
                         g_str_equal (name, "in") ? "goes into it" : "comes out of it");
  else if (leat_syntax_is_reserved (name))
    leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_NAME,
                         "\"%s\" cannot name a node; it is a word of the language", name);
  else
    return leat_arena_strdup (self->syntax->arena, name);
  return NULL;
}

LeatSyntaxNode *
leat_parser_make_node (LeatParser *self, const char *name, const char *id, const LeatSourcePos *pos)
{
  if (self->n_nodes++ < LEAT_SYNTAX_MAX_NODES)
    return leat_syntax_node_new (self->syntax->arena, name, id, pos);
  if (!self->too_many_nodes)
    leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_LIMIT, "more than %d nodes", LEAT_SYNTAX_MAX_NODES);
  self->too_many_nodes = TRUE;
  return NULL;
}

static const LeatSyntaxProp *
leat_parser_find_prop (const LeatSyntaxNode *node, const char *name)
{
  for (guint i = 0; i < node->props->len; i++)
    {
      const LeatSyntaxProp *prop = leat_syntax_list_get (node->props, i);

      if (g_str_equal (prop->name, name))
        return prop;
    }
  return NULL;
}

static void
leat_parser_take_name_prop (LeatParser *self, LeatSyntaxNode *node, LeatToken *token, gboolean allowed)
{
  if (!allowed || node->name != NULL)
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_DUPLICATE, "this node has a name already: \"%s\"",
                         node->name);
  else
    node->name = leat_parser_check_node_name (self, leat_syntax_value_peek_literal (token->value), &token->value->pos);
}

static void
leat_parser_take_prop (LeatParser *self, LeatSyntaxNode *node, LeatToken *token, gboolean name_allowed)
{
  const LeatSyntaxProp *before;

  if (g_str_equal (token->name, "name"))
    {
      leat_parser_take_name_prop (self, node, token, name_allowed);
      return;
    }
  before = leat_parser_find_prop (node, token->name);
  if (before != NULL)
    {
      g_autofree char *where = leat_source_pos_to_string (&before->pos);

      leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_DUPLICATE, "\"%s\" is set twice (first at %s)",
                           token->name, where);
    }
  else if (node->props->len == LEAT_SYNTAX_MAX_NODE_PROPS)
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_LIMIT, "more than %d properties on one node",
                         LEAT_SYNTAX_MAX_NODE_PROPS);
  else
    leat_syntax_node_add_prop (node, self->syntax->arena, token->name, &token->pos, token->value);
}

void
leat_parser_parse_props (LeatParser *self, LeatSyntaxNode *node, gboolean name_allowed)
{
  while (leat_parser_at (self, LEAT_TOKEN_PROP))
    leat_parser_take_prop (self, node, leat_parser_take (self), name_allowed);
}

static gboolean
leat_token_lacks_value (const LeatToken *token)
{
  return token->kind == LEAT_TOKEN_PROP && g_str_has_suffix (leat_token_get_text (token), "=");
}

gboolean
leat_parser_report_lost_brace (LeatParser *self, const LeatToken *token)
{
  const char *text;

  if (token->kind != LEAT_TOKEN_WORD || token->value->quoted)
    return FALSE;
  text = leat_token_get_text (token);
  if (self->style == LEAT_TEXT_STYLE_FILE && g_str_equal (text, "}"))
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_SYNTAX, "\"}\" ends no body");
  else if (self->style == LEAT_TEXT_STYLE_TERMINAL && g_str_has_prefix (text, "{ "))
    leat_error_list_add (
      self->errors, &token->pos, LEAT_PARSE_ERROR_SYNTAX,
      "the shell has made one word of what is in braces; write \"begin\" and \"end\" in their place");
  else
    return FALSE;
  return TRUE;
}

/* Reports the token that stands where a property could: the commonest slips are named. */
void
leat_parser_report_after_node (LeatParser *self, const char *expected)
{
  const LeatToken *token = leat_parser_peek (self);
  const LeatToken *before = g_ptr_array_index (self->tokens, self->next - 1);
  const LeatToken *after = self->next + 1 < self->tokens->len ? g_ptr_array_index (self->tokens, self->next + 1) : NULL;
  const char *text, *text_before;

  if (leat_parser_report_lost_brace (self, token))
    return;
  text = leat_token_get_text (token);
  text_before = leat_token_get_text (before);
  if (token->kind == LEAT_TOKEN_EQUALS || leat_token_lacks_value (before)
      || (after != NULL && after->kind == LEAT_TOKEN_EQUALS))
    expected = "PROPERTY=VALUE without white space around the =";
  else if (before->kind == LEAT_TOKEN_PROP && strchr (text_before, '[') != NULL && strchr (text_before, ']') == NULL)
    expected = "the rest of the value before it; a value with white space needs quotes";
  else if (token->kind == LEAT_TOKEN_WORD && self->style == LEAT_TEXT_STYLE_FILE
           && (g_str_equal (text, "+") || g_str_equal (text, "!")))
    expected = "\"->\", which links nodes in a file";
  else if (token->kind == LEAT_TOKEN_WORD && self->style == LEAT_TEXT_STYLE_TERMINAL && g_str_equal (text, "-"))
    expected = "\"+\" between nodes; the shell takes the > of a ->";
  leat_parser_report_unexpected (self, expected);
}

/* Iterative: what is skipped may be nested as deep as the text is long. */
void
leat_parser_skip_token (LeatParser *self)
{
  guint depth = 0;

  do
    {
      const LeatToken *token = leat_parser_take (self);

      if (token == NULL)
        return;
      if (token->kind == LEAT_TOKEN_OPEN)
        depth++;
      else if (token->kind == LEAT_TOKEN_CLOSE && depth > 0)
        depth--;
    }
  while (depth > 0);
}
