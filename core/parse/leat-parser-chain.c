/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Parses a chain: nodes, references, ports and specs, with links between them. */

#include "leat-parser-private.h"
#include "../graph/leat-spec.h"

#include <string.h>

/* Specs are kept in the file's spelling, so that both spellings have one syntax; one with variables waits. */
static gboolean
leat_parser_take_spec (LeatParser *self, LeatSyntaxElement *element, LeatSyntaxValue *value)
{
  const char *text = leat_syntax_value_peek_literal (value);
  g_autoptr (LeatSpec) spec = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *canonical = NULL;

  element->kind = LEAT_SYNTAX_ELEMENT_SPEC;
  element->spec = value;
  if (text == NULL)
    return TRUE;
  spec = leat_spec_parse (text, &error);
  if (spec == NULL)
    {
      if (strchr (text, '[') != NULL && strchr (text, ']') == NULL)
        leat_error_list_add (self->errors, &element->pos, LEAT_PARSE_ERROR_SYNTAX,
                             "the bracket of \"%s\" is not closed; a spec is written without white space", text);
      else
        leat_error_list_take (self->errors, &element->pos, g_steal_pointer (&error));
      return FALSE;
    }
  canonical = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  element->spec = leat_syntax_value_new_literal (self->syntax->arena, canonical, &element->pos);
  return TRUE;
}

static gboolean
leat_parser_take_ref (LeatParser *self, LeatSyntaxElement *element, const char *text)
{
  const char *dot = strchr (text, '.');

  element->kind = LEAT_SYNTAX_ELEMENT_REF;
  element->name = leat_arena_strndup (self->syntax->arena, text, dot - text);
  element->port = dot[1] != '\0' ? leat_arena_strdup (self->syntax->arena, dot + 1) : NULL;
  if (leat_syntax_is_name (element->name) && (element->port == NULL || leat_syntax_is_name (element->port)))
    return TRUE;
  leat_error_list_add (self->errors, &element->pos, LEAT_PARSE_ERROR_NAME,
                       "\"%s\" is not the port of a node; expected NAME.PORT", text);
  return FALSE;
}

static void
leat_parser_report_no_element (LeatParser *self, const LeatToken *token)
{
  const char *text = leat_token_get_text (token);

  if (leat_parser_report_lost_brace (self, token))
    return;
  if (token->value->quoted)
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_NAME,
                         "%s is not a node; ids and names are written without quotes", text);
  else if (self->style == LEAT_TEXT_STYLE_TERMINAL && g_str_equal (text, "-"))
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_SYNTAX,
                         "unexpected \"-\"; nodes are linked by \"+\", since a shell takes the > of a ->");
  else if (self->style == LEAT_TEXT_STYLE_FILE && (g_str_equal (text, "+") || g_str_equal (text, "!")))
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_SYNTAX,
                         "unexpected \"%s\"; nodes are linked by \"->\" in a file", text);
  else
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_NAME,
                         "\"%s\" is not a node; expected the id of a node, NAME.PORT or a spec", text);
}

/* A bracket is in nothing else, whatever the word begins with. */
static gboolean
leat_syntax_value_begins_spec (const LeatSyntaxValue *value)
{
  const LeatSyntaxPiece *first = value->n_pieces > 0 ? &value->pieces[0] : NULL;

  return first != NULL && !first->is_variable
         && (leat_syntax_is_spec (first->text) || (!value->quoted && strchr (first->text, '[') != NULL));
}

/* `in` and `out` of a body are there without being made, whatever the style calls a bare word. */
static gboolean
leat_parser_take_body_word (LeatParser *self, LeatSyntaxElement *element, const char *text)
{
  element->kind = LEAT_SYNTAX_ELEMENT_REF;
  element->name = leat_arena_strdup (self->syntax->arena, text);
  return TRUE;
}

/* The word at hand as part of a chain; FALSE after a report. */
static gboolean
leat_parser_take_word (LeatParser *self, LeatSyntaxElement *element)
{
  LeatToken *token = leat_parser_take (self);
  const char *text = leat_syntax_value_peek_bare (token->value);

  if (leat_syntax_value_begins_spec (token->value))
    return leat_parser_take_spec (self, element, token->value);
  if (text != NULL && strchr (text, '.') != NULL)
    return leat_parser_take_ref (self, element, text);
  if (text == NULL || !leat_syntax_is_id (text))
    {
      leat_parser_report_no_element (self, token);
      return FALSE;
    }
  if (self->depth > 0 && leat_syntax_is_body_word (text))
    return leat_parser_take_body_word (self, element, text);
  element->node = leat_parser_make_node (self, NULL, text, &token->pos);
  element->kind = self->style == LEAT_TEXT_STYLE_FILE ? LEAT_SYNTAX_ELEMENT_WORD : LEAT_SYNTAX_ELEMENT_NODE;
  return element->node != NULL;
}

/* Behind a port or a spec, which have neither properties nor a body. */
static gboolean
leat_parser_check_element_end (LeatParser *self, const LeatSyntaxElement *element)
{
  const char *link = self->style == LEAT_TEXT_STYLE_FILE ? "->" : "+", *more = "";
  g_autofree char *expected = NULL;

  if (leat_parser_at (self, LEAT_TOKEN_LINK) || leat_parser_at (self, LEAT_TOKEN_END))
    return TRUE;
  if (self->depth > 0 && element->kind == LEAT_SYNTAX_ELEMENT_REF && leat_syntax_is_body_word (element->name))
    more = "; in and out of a body are no nodes";
  else if (element->kind == LEAT_SYNTAX_ELEMENT_REF && leat_parser_at (self, LEAT_TOKEN_PROP))
    more = "; properties are set where the node is declared";
  else if (element->kind == LEAT_SYNTAX_ELEMENT_REF && leat_parser_at (self, LEAT_TOKEN_OPEN))
    more = "; a body stands where the node is declared";
  else if (leat_parser_at (self, LEAT_TOKEN_PROP))
    more = "; a spec has no properties";
  expected = g_strdup_printf ("\"%s\"%s", link, more);
  leat_parser_report_after_node (self, expected);
  return FALSE;
}

/* To the next link, so that the rest of the chain is looked at too. */
static void
leat_parser_skip_element (LeatParser *self)
{
  while (!leat_parser_at (self, LEAT_TOKEN_END) && !leat_parser_at (self, LEAT_TOKEN_LINK))
    leat_parser_skip_token (self);
}

static gboolean
leat_parser_finish_element (LeatParser *self, const LeatSyntaxElement *element)
{
  if (element->node == NULL)
    return leat_parser_check_element_end (self, element);
  leat_parser_parse_props (self, element->node, TRUE);
  return leat_parser_parse_node_end (
    self, element->node, self->style == LEAT_TEXT_STYLE_FILE ? "PROPERTY=VALUE or \"->\"" : "PROPERTY=VALUE or \"+\"");
}

/* @whole: nothing in it or behind it is out of place */
static LeatSyntaxElement *
leat_parser_parse_element (LeatParser *self, gboolean *whole)
{
  const LeatToken *token = leat_parser_peek (self);
  LeatSyntaxElement *element;
  gboolean ok = FALSE;

  *whole = FALSE;
  if (token == NULL)
    return NULL;
  element = leat_syntax_element_new (self->syntax->arena, LEAT_SYNTAX_ELEMENT_NODE, &token->pos);
  if (leat_parser_at (self, LEAT_TOKEN_WORD))
    ok = leat_parser_take_word (self, element);
  else
    leat_parser_report_unexpected (
      self, leat_parser_at (self, LEAT_TOKEN_OPEN) ? "the node, on the same line, whose body it opens" : "a node");
  if (!ok)
    return NULL;
  *whole = leat_parser_finish_element (self, element);
  return element;
}

/* A spec says something about a link, so there must be one. */
static void
leat_parser_check_specs (LeatParser *self, LeatSyntaxList *elements)
{
  for (guint i = 0; i < elements->len; i++)
    {
      LeatSyntaxElement *element = leat_syntax_list_get (elements, i);
      const LeatSyntaxElement *next = i + 1 < elements->len ? leat_syntax_list_get (elements, i + 1) : NULL;

      if (element->kind != LEAT_SYNTAX_ELEMENT_SPEC)
        continue;
      if (i == 0 || next == NULL || next->kind == LEAT_SYNTAX_ELEMENT_SPEC)
        leat_error_list_add (self->errors, &element->pos, LEAT_PARSE_ERROR_SYNTAX,
                             "a spec stands between two nodes; there is no node %s this one",
                             i == 0 ? "before" : "right after");
    }
}

static void
leat_parser_check_chain (LeatParser *self, LeatSyntaxList *elements)
{
  const LeatSyntaxElement *only = elements->len == 1 ? leat_syntax_list_get (elements, 0) : NULL;

  if (only != NULL && only->kind == LEAT_SYNTAX_ELEMENT_REF)
    leat_error_list_add (self->errors, &only->pos, LEAT_PARSE_ERROR_SYNTAX,
                         "\"%s.%s\" alone links nothing; expected a link after it", only->name,
                         only->port != NULL ? only->port : "");
  leat_parser_check_specs (self, elements);
}

LeatSyntaxStatement *
leat_parser_parse_chain (LeatParser *self)
{
  LeatSyntaxStatement *statement =
    leat_syntax_statement_new (self->syntax->arena, LEAT_SYNTAX_CHAIN, &leat_parser_peek (self)->pos);
  gboolean whole = TRUE, broken = FALSE;

  do
    {
      gboolean ok;
      LeatSyntaxElement *element = leat_parser_parse_element (self, &ok);

      if (element != NULL)
        {
          element->broken_before = broken;
          leat_syntax_list_add (statement->elements, element);
        }
      broken = !ok;
      leat_parser_skip_element (self);
      whole = whole && !broken;
      if (!leat_parser_at (self, LEAT_TOKEN_LINK))
        break;
      leat_parser_take (self);
    }
  while (TRUE);
  leat_parser_take (self);
  if (whole)
    leat_parser_check_chain (self, statement->elements);
  return statement;
}
