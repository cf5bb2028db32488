/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Begins and ends the parsing of a file, a text or an argument vector. */

#include "leat-parser-private.h"

#include <string.h>

static void
leat_parser_parse_terminal_tokens (LeatParser *self)
{
  while (leat_parser_peek (self) != NULL)
    {
      LeatSyntaxStatement *statement = leat_parser_parse_chain (self);

      if (statement != NULL)
        leat_syntax_list_add (self->syntax->statements, statement);
    }
}

/* Reads @text, already known to be @source's, in the middle of whatever is being read. */
static void
leat_parser_parse_file_text (LeatParser *self, const LeatSource *source, const char *text, gsize length,
                             LeatSyntaxList *statements)
{
  GPtrArray *outer_tokens = self->tokens;
  guint outer_next = self->next;

  self->tokens = leat_lexer_read_file (source, text, length, self->syntax->arena, self->errors);
  self->next = 0;
  /* Text that is not text has been reported; "no version" on top would be noise. */
  if (self->tokens->len > 0 || leat_error_list_is_empty (self->errors))
    leat_parser_parse_file_tokens (self, source, statements);
  g_ptr_array_unref (self->tokens);
  self->tokens = outer_tokens;
  self->next = outer_next;
}

void
leat_parser_parse_source (LeatParser *self, LeatSource *source, const LeatSourcePos *from, LeatSyntaxList *statements)
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
  LeatSource *source = g_str_equal (path, "-") ? leat_source_new_input () : leat_source_new_file (path);
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
      self.tokens = leat_lexer_read_line (source, text, length, self.syntax->arena, errors);
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
  self.tokens = leat_lexer_read_args (source, args, self.syntax->arena, errors);
  leat_parser_parse_terminal_tokens (&self);
  g_clear_pointer (&self.tokens, g_ptr_array_unref);
  return leat_parser_end (&self);
}
