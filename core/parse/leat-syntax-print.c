/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Prints the abstract syntax in either spelling, with lines broken where they are long.  Changes nothing of it. */

#include "leat-syntax-private.h"
#include "../graph/leat-spec.h"

#include <string.h>

/* Longer statements are broken into indented lines. */
#define LEAT_SYNTAX_PRINT_COLUMNS  100
#define LEAT_SYNTAX_PRINT_BODY     2
#define LEAT_SYNTAX_PRINT_CONTINUE 4

typedef struct
{
  GString *text;
  LeatTextStyle style;
  gsize line_start; /* of the current line, its indentation included */
  gboolean begins;  /* a statement: nothing of it is written yet */
  guint depth;      /* of bodies around it */
} LeatPrinter;

/* Whether a file's lexer would not read the value as one plain word. */
static gboolean
leat_printer_needs_quotes (const LeatSyntaxValue *value)
{
  const LeatSyntaxPiece *first = value->n_pieces > 0 ? &value->pieces[0] : NULL;

  if (first == NULL || (!first->is_variable && strchr ("#'=", *first->text) != NULL))
    return TRUE;
  for (guint i = 0; i < value->n_pieces; i++)
    {
      const LeatSyntaxPiece *piece = &value->pieces[i];

      for (const char *p = piece->text; *p != '\0' && !piece->is_variable; p++)
        if (*p == ' ' || *p == '"' || g_ascii_iscntrl (*p) || (*p == '-' && p[1] == '>'))
          return TRUE;
      /* `-` before `>` in the next piece cannot be: a variable begins with `$`. */
    }
  return FALSE;
}

static void
leat_printer_add_literal (GString *text, const char *literal, gboolean quoted)
{
  for (const char *p = literal; *p != '\0'; p++)
    {
      const char *escape = strchr ("\nn\rr\tt", *p);

      if (*p == '$')
        g_string_append (text, "$$");
      else if (quoted && (*p == '"' || *p == '\\'))
        g_string_append_printf (text, "\\%c", *p);
      else if (escape != NULL && g_ascii_iscntrl (*p))
        g_string_append_printf (text, "\\%c", escape[1]);
      else if (g_ascii_iscntrl (*p))
        g_string_append_printf (text, "\\u{%x}", (guint) *p);
      else
        g_string_append_c (text, *p);
    }
}

static char *
leat_printer_format_file_value (const LeatSyntaxValue *value)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean quoted = leat_printer_needs_quotes (value);

  if (quoted)
    g_string_append_c (text, '"');
  for (guint i = 0; i < value->n_pieces; i++)
    {
      const LeatSyntaxPiece *piece = &value->pieces[i];

      if (!piece->is_variable)
        leat_printer_add_literal (text, piece->text, quoted);
      else if (value->n_pieces == 1)
        g_string_append_printf (text, "$%s", piece->text);
      else
        g_string_append_printf (text, "${%s}", piece->text);
    }
  if (quoted)
    g_string_append_c (text, '"');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* In quotes wherever some shell might see more in it than a word. */
static char *
leat_printer_format_shell_word (const char *word)
{
  static const char safe[] = "_-./:=,@%^+";
  const char *p = word;

  while (g_ascii_isalnum (*p) || (*p != '\0' && strchr (safe, *p) != NULL))
    p++;
  return *p == '\0' && *word != '\0' ? g_strdup (word) : g_shell_quote (word);
}

static char *
leat_printer_format_value (const LeatPrinter *self, const LeatSyntaxValue *value)
{
  const char *literal = leat_syntax_value_peek_literal (value);

  if (self->style == LEAT_TEXT_STYLE_FILE)
    return leat_printer_format_file_value (value);
  return leat_printer_format_shell_word (literal != NULL ? literal : "");
}

/* Specs have a spelling for each form. */
static char *
leat_printer_format_spec (const LeatPrinter *self, const LeatSyntaxValue *value)
{
  const char *literal = leat_syntax_value_peek_literal (value);
  g_autoptr (LeatSpec) spec = NULL;
  g_autofree char *text = NULL;

  if (self->style == LEAT_TEXT_STYLE_FILE || literal == NULL)
    return leat_printer_format_value (self, value);
  spec = leat_spec_parse (literal, NULL);
  text = spec != NULL ? leat_spec_to_string (spec, LEAT_SPEC_STYLE_SHELL) : g_strdup (literal);
  return leat_printer_format_shell_word (text);
}

static void
leat_printer_begin_line (LeatPrinter *self, guint extra)
{
  self->line_start = self->text->len;
  g_string_append_printf (self->text, "%*s", (int) (self->depth * LEAT_SYNTAX_PRINT_BODY + extra), "");
}

/* Begins a new word of a statement: on this line, or on the next where this one is full. */
static void
leat_printer_add_word (LeatPrinter *self, const char *word)
{
  gsize used = self->text->len - self->line_start;

  if (!self->begins && self->style == LEAT_TEXT_STYLE_FILE && used + 1 + strlen (word) > LEAT_SYNTAX_PRINT_COLUMNS)
    {
      g_string_append_c (self->text, '\n');
      leat_printer_begin_line (self, LEAT_SYNTAX_PRINT_CONTINUE);
    }
  else if (!self->begins)
    g_string_append_c (self->text, ' ');
  self->begins = FALSE;
  g_string_append (self->text, word);
}

static void leat_printer_add_body (LeatPrinter *self, const LeatSyntaxNode *node);

static void
leat_printer_add_props (LeatPrinter *self, const LeatSyntaxNode *node)
{
  for (guint i = 0; i < node->props->len; i++)
    {
      const LeatSyntaxProp *prop = leat_syntax_list_get (node->props, i);
      g_autofree char *value = leat_printer_format_value (self, prop->value);
      g_autofree char *word = g_strconcat (prop->name, "=", value, NULL);

      leat_printer_add_word (self, word);
    }
}

static void
leat_printer_add_node (LeatPrinter *self, const LeatSyntaxNode *node, const char *link)
{
  g_autofree char *first = g_strconcat (link, node->id, NULL);

  leat_printer_add_word (self, first);
  if (node->name != NULL)
    {
      g_autofree char *name = g_strconcat ("name=", node->name, NULL);

      leat_printer_add_word (self, name);
    }
  leat_printer_add_props (self, node);
  leat_printer_add_body (self, node);
}

/* The link goes with what follows it, so that a broken line begins with it. */
static void
leat_printer_add_element (LeatPrinter *self, const LeatSyntaxElement *element, const char *link)
{
  g_autofree char *text = NULL, *word = NULL;

  if (element->node != NULL)
    {
      leat_printer_add_node (self, element->node, link);
      return;
    }
  if (element->kind == LEAT_SYNTAX_ELEMENT_SPEC)
    text = leat_printer_format_spec (self, element->spec);
  else if (element->port != NULL)
    text = g_strconcat (element->name, ".", element->port, NULL);
  else
    text = g_strconcat (element->name, self->style == LEAT_TEXT_STYLE_FILE ? "" : ".", NULL);
  word = g_strconcat (link, text, NULL);
  leat_printer_add_word (self, word);
}

static void
leat_printer_add_chain (LeatPrinter *self, const LeatSyntaxStatement *statement)
{
  const char *link = self->style == LEAT_TEXT_STYLE_FILE ? "-> " : "+ ";

  for (guint i = 0; i < statement->elements->len; i++)
    leat_printer_add_element (self, leat_syntax_list_get (statement->elements, i), i > 0 ? link : "");
}

/* The terminal form has no declarations: there it is a chain of one. */
static void
leat_printer_add_declaration (LeatPrinter *self, const LeatSyntaxNode *node)
{
  g_autofree char *head = NULL;

  if (self->style == LEAT_TEXT_STYLE_TERMINAL)
    {
      leat_printer_add_node (self, node, "");
      return;
    }
  head = g_strdup_printf ("%s = %s", node->name, node->id);
  leat_printer_add_word (self, head);
  leat_printer_add_props (self, node);
  leat_printer_add_body (self, node);
}

static void
leat_printer_add_statement (LeatPrinter *self, const LeatSyntaxStatement *statement)
{
  g_autofree char *value = statement->value != NULL ? leat_printer_format_value (self, statement->value) : NULL;

  self->begins = TRUE;
  if (statement->kind == LEAT_SYNTAX_LET)
    g_string_append_printf (self->text, "let %s = %s", statement->name, value);
  if (statement->kind == LEAT_SYNTAX_LET && statement->comment != NULL)
    g_string_append_printf (self->text, "  # %s", statement->comment);
  if (statement->kind == LEAT_SYNTAX_INCLUDE)
    g_string_append_printf (self->text, "include %s", value);
  if (statement->kind == LEAT_SYNTAX_NODE)
    leat_printer_add_declaration (self, statement->node);
  if (statement->kind == LEAT_SYNTAX_CHAIN)
    leat_printer_add_chain (self, statement);
}

static void
leat_printer_add_statements (LeatPrinter *self, const LeatSyntaxList *statements)
{
  for (guint i = 0; i < statements->len; i++)
    {
      if (self->style == LEAT_TEXT_STYLE_FILE)
        leat_printer_begin_line (self, 0);
      else if (i > 0)
        g_string_append (self->text, " , ");
      leat_printer_add_statement (self, leat_syntax_list_get (statements, i));
      if (self->style == LEAT_TEXT_STYLE_FILE)
        g_string_append_c (self->text, '\n');
    }
}

/* Of the two spellings of a terminal's body, the one that no shell sees anything in. */
static void
leat_printer_add_body (LeatPrinter *self, const LeatSyntaxNode *node)
{
  gboolean file = self->style == LEAT_TEXT_STYLE_FILE;

  if (node->body == NULL)
    return;
  leat_printer_add_word (self, file ? "{" : "begin");
  g_string_append_c (self->text, file ? '\n' : ' ');
  self->depth++;
  leat_printer_add_statements (self, node->body);
  self->depth--;
  if (file)
    leat_printer_begin_line (self, 0);
  g_string_append (self->text, file ? "}" : " end");
  self->begins = FALSE;
}

char *
leat_syntax_print (const LeatSyntax *self, LeatTextStyle style)
{
  LeatPrinter printer = { .text = g_string_new (NULL), .style = style };

  if (style == LEAT_TEXT_STYLE_FILE)
    g_string_append_printf (printer.text, "leat %d\n", LEAT_SYNTAX_VERSION);
  leat_printer_add_statements (&printer, self->statements);
  return g_string_free (printer.text, FALSE);
}
