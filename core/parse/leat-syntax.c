/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-syntax-private.h"
#include "../graph/leat-spec.h"

#include <string.h>

LeatSyntaxValue *
leat_syntax_value_new (const LeatSourcePos *pos)
{
  LeatSyntaxValue *self = g_new0 (LeatSyntaxValue, 1);

  if (pos != NULL)
    self->pos = *pos;
  return self;
}

LeatSyntaxValue *
leat_syntax_value_new_literal (const char *text, const LeatSourcePos *pos)
{
  LeatSyntaxValue *self = leat_syntax_value_new (pos);

  leat_syntax_value_add (self, FALSE, text, -1, pos);
  return self;
}

void
leat_syntax_value_free (LeatSyntaxValue *self)
{
  for (guint i = 0; i < self->n_pieces; i++)
    g_free (self->pieces[i].text);
  g_free (self->pieces);
  g_free (self);
}

void
leat_syntax_value_add (LeatSyntaxValue *self, gboolean is_variable, const char *text, gssize length,
                       const LeatSourcePos *pos)
{
  LeatSyntaxPiece *last = self->n_pieces > 0 ? &self->pieces[self->n_pieces - 1] : NULL;
  gsize n = length < 0 ? strlen (text) : (gsize) length;

  if (!is_variable && n == 0)
    return;
  if (!is_variable && last != NULL && !last->is_variable)
    {
      gsize before = strlen (last->text);

      last->text = g_realloc (last->text, before + n + 1);
      memcpy (last->text + before, text, n);
      last->text[before + n] = '\0';
      return;
    }
  self->pieces = g_renew (LeatSyntaxPiece, self->pieces, self->n_pieces + 1);
  self->pieces[self->n_pieces++] =
    (LeatSyntaxPiece){ is_variable, g_strndup (text, n), pos != NULL ? *pos : (LeatSourcePos){ 0 } };
}

const char *
leat_syntax_value_peek_literal (const LeatSyntaxValue *self)
{
  if (self->n_pieces == 0)
    return "";
  return self->n_pieces == 1 && !self->pieces[0].is_variable ? self->pieces[0].text : NULL;
}

const char *
leat_syntax_value_peek_bare (const LeatSyntaxValue *self)
{
  return self->quoted || self->n_pieces == 0 ? NULL : leat_syntax_value_peek_literal (self);
}

static void
leat_syntax_prop_free (gpointer data)
{
  LeatSyntaxProp *prop = data;

  g_free (prop->name);
  leat_syntax_value_free (prop->value);
  g_free (prop);
}

LeatSyntaxNode *
leat_syntax_node_new (const char *name, const char *id, const LeatSourcePos *pos)
{
  LeatSyntaxNode *self = g_new0 (LeatSyntaxNode, 1);

  self->name = g_strdup (name);
  self->id = g_strdup (id);
  if (pos != NULL)
    self->pos = *pos;
  self->props = g_ptr_array_new_with_free_func (leat_syntax_prop_free);
  return self;
}

void
leat_syntax_node_add_prop (LeatSyntaxNode *self, char *name, const LeatSourcePos *pos, LeatSyntaxValue *value)
{
  LeatSyntaxProp *prop = g_new0 (LeatSyntaxProp, 1);

  prop->name = name;
  prop->value = value;
  if (pos != NULL)
    prop->pos = *pos;
  g_ptr_array_add (self->props, prop);
}

void
leat_syntax_node_free (LeatSyntaxNode *self)
{
  g_free (self->name);
  g_free (self->id);
  g_ptr_array_unref (self->props);
  g_clear_pointer (&self->body, g_ptr_array_unref);
  g_free (self);
}

static void
leat_syntax_element_free (gpointer data)
{
  LeatSyntaxElement *element = data;

  g_clear_pointer (&element->node, leat_syntax_node_free);
  g_free (element->name);
  g_free (element->port);
  g_clear_pointer (&element->spec, leat_syntax_value_free);
  g_free (element);
}

LeatSyntaxElement *
leat_syntax_element_new (LeatSyntaxElementKind kind, const LeatSourcePos *pos)
{
  LeatSyntaxElement *self = g_new0 (LeatSyntaxElement, 1);

  self->kind = kind;
  if (pos != NULL)
    self->pos = *pos;
  return self;
}

static void
leat_syntax_statement_free (gpointer data)
{
  LeatSyntaxStatement *statement = data;

  g_free (statement->name);
  g_free (statement->comment);
  g_clear_pointer (&statement->value, leat_syntax_value_free);
  g_clear_pointer (&statement->node, leat_syntax_node_free);
  g_clear_pointer (&statement->elements, g_ptr_array_unref);
  g_clear_pointer (&statement->statements, g_ptr_array_unref);
  g_free (statement);
}

void
leat_syntax_node_add_body (LeatSyntaxNode *self, const LeatSourcePos *pos)
{
  self->body = g_ptr_array_new_with_free_func (leat_syntax_statement_free);
  if (pos != NULL)
    self->body_pos = *pos;
}

LeatSyntaxStatement *
leat_syntax_statement_new (LeatSyntaxStatementKind kind, const LeatSourcePos *pos)
{
  LeatSyntaxStatement *self = g_new0 (LeatSyntaxStatement, 1);

  self->kind = kind;
  if (pos != NULL)
    self->pos = *pos;
  if (kind == LEAT_SYNTAX_CHAIN)
    self->elements = g_ptr_array_new_with_free_func (leat_syntax_element_free);
  if (kind == LEAT_SYNTAX_INCLUDE)
    self->statements = g_ptr_array_new_with_free_func (leat_syntax_statement_free);
  return self;
}

LeatSyntax *
leat_syntax_new (LeatSource *source)
{
  LeatSyntax *self = g_new0 (LeatSyntax, 1);

  self->sources = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_source_free);
  self->statements = g_ptr_array_new_with_free_func (leat_syntax_statement_free);
  g_ptr_array_add (self->sources, source);
  return self;
}

void
leat_syntax_free (LeatSyntax *self)
{
  g_ptr_array_unref (self->statements);
  g_ptr_array_unref (self->sources);
  g_free (self);
}

static gsize
leat_syntax_scan_name (const char *text, const char *more)
{
  gsize length = 0;

  if (!g_ascii_isalpha (*text) && *text != '_')
    return 0;
  while (g_ascii_isalnum (text[length]) || (text[length] != '\0' && strchr (more, text[length]) != NULL))
    length++;
  return length;
}

gboolean
leat_syntax_is_name (const char *text)
{
  gsize length = leat_syntax_scan_name (text, "_-");

  return length > 0 && text[length] == '\0';
}

gboolean
leat_syntax_is_variable (const char *text)
{
  gsize length = leat_syntax_scan_name (text, "_");

  return length > 0 && text[length] == '\0';
}

/* Names joined by @joint. */
static gboolean
leat_syntax_is_joined (const char *text, char joint)
{
  for (;;)
    {
      gsize length = leat_syntax_scan_name (text, "_-");

      if (length == 0)
        return FALSE;
      text += length;
      if (*text == '\0')
        return TRUE;
      if (*text++ != joint)
        return FALSE;
    }
}

gboolean
leat_syntax_is_id (const char *text)
{
  return leat_syntax_is_joined (text, ':');
}

gboolean
leat_syntax_is_property (const char *text)
{
  return leat_syntax_is_joined (text, '.');
}

gboolean
leat_syntax_is_spec (const char *text)
{
  char head[4] = "";
  gsize length = strcspn (text, "[:");

  if (length >= sizeof head)
    return FALSE;
  memcpy (head, text, length);
  return g_str_equal (head, "any") || leat_dtype_from_name (head) != LEAT_DTYPE_ANY;
}

gboolean
leat_syntax_is_reserved (const char *text)
{
  return g_str_equal (text, "leat") || g_str_equal (text, "let") || g_str_equal (text, "include")
         || leat_syntax_is_spec (text);
}

gboolean
leat_syntax_is_body_word (const char *text)
{
  return g_str_equal (text, "in") || g_str_equal (text, "out");
}
