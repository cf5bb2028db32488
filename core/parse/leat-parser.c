/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
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
    self->next++;
  leat_parser_take (self);
}

void
leat_parser_report_unexpected (LeatParser *self, const char *expected)
{
  const LeatToken *token = leat_parser_peek (self);

  if (token == NULL || token->kind == LEAT_TOKEN_BAD)
    return;
  if (token->kind == LEAT_TOKEN_END && *token->text != ',' && *token->text != ';')
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_SYNTAX, "unexpected %s; expected %s", token->text,
                         expected);
  else
    leat_error_list_add (self->errors, &token->pos, LEAT_PARSE_ERROR_SYNTAX, "unexpected \"%s\"; expected %s",
                         token->text, expected);
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
  else if (leat_syntax_is_reserved (name))
    leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_NAME,
                         "\"%s\" cannot name a node; it is a word of the language", name);
  else
    return g_strdup (name);
  return NULL;
}

LeatSyntaxNode *
leat_parser_make_node (LeatParser *self, const char *name, const char *id, const LeatSourcePos *pos)
{
  if (self->n_nodes++ < LEAT_SYNTAX_MAX_NODES)
    return leat_syntax_node_new (name, id, pos);
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
      const LeatSyntaxProp *prop = g_ptr_array_index (node->props, i);

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
    leat_syntax_node_add_prop (node, token->name, &token->pos, g_steal_pointer (&token->value));
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
  return token->kind == LEAT_TOKEN_PROP && g_str_has_suffix (token->text, "=");
}

/* What stands where a property could: the commonest slips are named. */
void
leat_parser_report_after_node (LeatParser *self, const char *expected)
{
  const LeatToken *token = leat_parser_peek (self);
  const LeatToken *before = g_ptr_array_index (self->tokens, self->next - 1);
  const LeatToken *after = self->next + 1 < self->tokens->len ? g_ptr_array_index (self->tokens, self->next + 1) : NULL;

  if (token->kind == LEAT_TOKEN_EQUALS || leat_token_lacks_value (before)
      || (after != NULL && after->kind == LEAT_TOKEN_EQUALS))
    expected = "PROPERTY=VALUE without white space around the =";
  else if (before->kind == LEAT_TOKEN_PROP && strchr (before->text, '[') != NULL && strchr (before->text, ']') == NULL)
    expected = "the rest of the value before it; a value with white space needs quotes";
  else if (token->kind == LEAT_TOKEN_WORD && self->style == LEAT_TEXT_STYLE_FILE
           && (g_str_equal (token->text, "+") || g_str_equal (token->text, "!")))
    expected = "\"->\", which links nodes in a file";
  else if (token->kind == LEAT_TOKEN_WORD && self->style == LEAT_TEXT_STYLE_TERMINAL && g_str_equal (token->text, "-"))
    expected = "\"+\" between nodes; the shell takes the > of a ->";
  leat_parser_report_unexpected (self, expected);
}

static LeatSyntaxStatement *
leat_parser_parse_declaration (LeatParser *self, const char *name, const LeatSourcePos *pos, LeatSyntaxValue *id_value)
{
  LeatSyntaxStatement *statement = NULL;
  g_autofree char *checked = leat_parser_check_node_name (self, name, pos);
  const char *id = leat_syntax_value_peek_bare (id_value);
  LeatSyntaxNode *node = NULL;

  if (id == NULL || !leat_syntax_is_id (id))
    leat_error_list_add (self->errors, &id_value->pos, LEAT_PARSE_ERROR_NAME,
                         "expected the id of a node after \"%s =\", such as text:scan", name);
  else
    node = leat_parser_make_node (self, checked, id, pos);
  if (node != NULL)
    {
      statement = leat_syntax_statement_new (LEAT_SYNTAX_NODE, pos);
      statement->node = node;
      leat_parser_parse_props (self, node, FALSE);
      node->broken = !leat_parser_at (self, LEAT_TOKEN_LINK) && !leat_parser_at (self, LEAT_TOKEN_END);
      if (leat_parser_at (self, LEAT_TOKEN_LINK))
        leat_parser_report_unexpected (self,
                                       "the end of the declaration; link the node by its name in a line of its own");
      else if (!leat_parser_at (self, LEAT_TOKEN_END))
        leat_parser_report_after_node (self, "PROPERTY=VALUE or the end of the line");
    }
  leat_parser_skip_statement (self);
  return statement;
}

/* After NAME and `=`, with any white space around it. */
static LeatSyntaxValue *
leat_parser_take_assigned (LeatParser *self, LeatToken *token, const char *expected)
{
  if (token->kind == LEAT_TOKEN_PROP && (token->value->quoted || token->value->pieces->len > 0))
    return g_steal_pointer (&token->value);
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
  return leat_syntax_value_peek_bare (token->value) != NULL ? leat_syntax_value_peek_bare (token->value) : token->text;
}

static LeatSyntaxStatement *
leat_parser_parse_let (LeatParser *self, const LeatToken *let)
{
  LeatToken *token = leat_parser_take_assignment (self);
  g_autoptr (LeatSyntaxValue) value = NULL;
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
  statement = leat_syntax_statement_new (LEAT_SYNTAX_LET, &token->pos);
  statement->name = g_strdup (name);
  statement->value = g_steal_pointer (&value);
  end = leat_parser_peek (self);
  if (end != NULL && end->kind == LEAT_TOKEN_END && end->comment != NULL)
    statement->comment = g_strdup (end->comment);
  else
    statement->comment = g_strdup (let->comment);
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
  statement = leat_syntax_statement_new (LEAT_SYNTAX_INCLUDE, &token->pos);
  statement->value = leat_token_dup_value (leat_parser_take (self));
  leat_parser_expect_end (self, "the file name");
  return statement;
}

static gboolean
leat_token_is_keyword (const LeatToken *token, const char *word)
{
  const char *bare =
    token != NULL && token->kind == LEAT_TOKEN_WORD ? leat_syntax_value_peek_bare (token->value) : NULL;

  return bare != NULL && g_str_equal (bare, word);
}

static LeatSyntaxStatement *
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
      g_autoptr (LeatSyntaxValue) id = leat_parser_take_assigned (self, token, "the id of a node after =");

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
                           "version %s of the language is not known; this library reads \"leat %d\"", token->text,
                           LEAT_SYNTAX_VERSION);
      return FALSE;
    }
  leat_parser_take (self);
  leat_parser_expect_end (self, "the version");
  return TRUE;
}

static void
leat_parser_parse_file_tokens (LeatParser *self, const LeatSource *source, GPtrArray *statements)
{
  if (!leat_parser_parse_version (self, source))
    return;
  while (leat_parser_peek (self) != NULL)
    {
      LeatSyntaxStatement *statement = leat_parser_parse_file_statement (self);

      if (statement == NULL)
        continue;
      g_ptr_array_add (statements, statement);
      if (statement->kind == LEAT_SYNTAX_INCLUDE)
        leat_parser_parse_include (self, statement);
    }
}

static void
leat_parser_parse_terminal_tokens (LeatParser *self)
{
  while (leat_parser_peek (self) != NULL)
    {
      LeatSyntaxStatement *statement = leat_parser_parse_chain (self);

      if (statement != NULL)
        g_ptr_array_add (self->syntax->statements, statement);
    }
}

/* Reads @text, already known to be @source's, in the middle of whatever is being read. */
static void
leat_parser_parse_file_text (LeatParser *self, const LeatSource *source, const char *text, gsize length,
                             GPtrArray *statements)
{
  GPtrArray *outer_tokens = self->tokens;
  guint outer_next = self->next;

  self->tokens = leat_lexer_read_file (source, text, length, self->errors);
  self->next = 0;
  /* Text that is not text has been reported; "no version" on top would be noise. */
  if (self->tokens->len > 0 || leat_error_list_is_empty (self->errors))
    leat_parser_parse_file_tokens (self, source, statements);
  g_ptr_array_unref (self->tokens);
  self->tokens = outer_tokens;
  self->next = outer_next;
}

void
leat_parser_parse_source (LeatParser *self, LeatSource *source, const LeatSourcePos *from, GPtrArray *statements)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length = 0;

  text = leat_source_read (source, LEAT_SYNTAX_MAX_FILE_BYTES, &length, &error);
  if (text == NULL)
    {
      if (from != NULL && error->code == LEAT_PARSE_ERROR_IO)
        error->code = LEAT_PARSE_ERROR_INCLUDE;
      leat_error_list_take (self->errors, from, g_steal_pointer (&error));
      return;
    }
  g_ptr_array_add (self->open, source);
  leat_parser_parse_file_text (self, source, text, length, statements);
  g_ptr_array_set_size (self->open, self->open->len - 1);
}

static LeatParser
leat_parser_begin (LeatSource *source, LeatTextStyle style, LeatErrorList *errors)
{
  return (
    LeatParser){ .syntax = leat_syntax_new (source), .errors = errors, .style = style, .open = g_ptr_array_new () };
}

static LeatSyntax *
leat_parser_end (LeatParser *self)
{
  LeatSourcePos start = { g_ptr_array_index (self->syntax->sources, 0), 0, 0 };

  g_ptr_array_unref (self->open);
  if (self->n_nodes == 0 && leat_error_list_is_empty (self->errors))
    leat_error_list_add (self->errors, &start, LEAT_PARSE_ERROR_EMPTY, "there is no node in this pipeline");
  if (self->style == LEAT_TEXT_STYLE_FILE)
    leat_parser_resolve_words (self->syntax);
  return self->syntax;
}

LeatSyntax *
leat_parser_parse_file (const char *path, LeatErrorList *errors)
{
  LeatSource *source = leat_source_new_file (path);
  LeatParser self = leat_parser_begin (source, LEAT_TEXT_STYLE_FILE, errors);

  leat_parser_parse_source (&self, source, NULL, self.syntax->statements);
  return leat_parser_end (&self);
}

LeatSyntax *
leat_parser_parse_text (const char *text, LeatTextStyle style, LeatErrorList *errors)
{
  LeatSource *source = leat_source_new (LEAT_SOURCE_TEXT);
  LeatParser self = leat_parser_begin (source, style, errors);
  LeatSourcePos start = { source, 1, 1 };
  gsize length = strlen (text);

  if (length > LEAT_SYNTAX_MAX_FILE_BYTES)
    leat_error_list_add (errors, &start, LEAT_PARSE_ERROR_LIMIT, "text larger than %d bytes",
                         LEAT_SYNTAX_MAX_FILE_BYTES);
  else if (style == LEAT_TEXT_STYLE_FILE)
    leat_parser_parse_file_text (&self, source, text, length, self.syntax->statements);
  else
    {
      self.tokens = leat_lexer_read_line (source, text, length, errors);
      leat_parser_parse_terminal_tokens (&self);
      g_clear_pointer (&self.tokens, g_ptr_array_unref);
    }
  return leat_parser_end (&self);
}

/* A lone argument with white space is a whole pipeline in quotes, as users of other launchers write it. */
LeatSyntax *
leat_parser_parse_args (const char *const *args, LeatErrorList *errors)
{
  LeatSource *source;
  LeatParser self;

  if (args[0] != NULL && args[1] == NULL && strpbrk (args[0], " \t\n") != NULL)
    return leat_parser_parse_text (args[0], LEAT_TEXT_STYLE_TERMINAL, errors);
  source = leat_source_new (LEAT_SOURCE_ARGS);
  self = leat_parser_begin (source, LEAT_TEXT_STYLE_TERMINAL, errors);
  self.tokens = leat_lexer_read_args (source, args, errors);
  leat_parser_parse_terminal_tokens (&self);
  g_clear_pointer (&self.tokens, g_ptr_array_unref);
  return leat_parser_end (&self);
}
