/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The abstract syntax: makes its parts in the arena, and knows what words can be names, ids, properties and specs. */

#include "leat-syntax-private.h"
#include "../graph/leat-spec.h"

#include <string.h>

LeatSyntaxList *
leat_syntax_list_new (LeatArena *arena)
{
  LeatSyntaxList *self = leat_arena_new0 (arena, LeatSyntaxList);

  self->arena = arena;
  return self;
}

/* @items has @n of @size bytes and room up to the next power of two: what it is with room for one more. */
static gpointer
leat_syntax_make_room (LeatArena *arena, gpointer items, guint n, gsize size)
{
  gpointer more;

  if ((n & (n - 1)) != 0)
    return items;
  more = leat_arena_alloc (arena, MAX (2 * n, 1) * size);
  if (n > 0)
    memcpy (more, items, n * size);
  return more;
}

void
leat_syntax_list_add (LeatSyntaxList *self, gpointer item)
{
  self->items = leat_syntax_make_room (self->arena, self->items, self->len, sizeof *self->items);
  self->items[self->len++] = item;
}

LeatSyntaxValue *
leat_syntax_value_new (LeatArena *arena, const LeatSourcePos *pos)
{
  LeatSyntaxValue *self = leat_arena_new0 (arena, LeatSyntaxValue);

  if (pos != NULL)
    self->pos = *pos;
  return self;
}

LeatSyntaxValue *
leat_syntax_value_new_literal (LeatArena *arena, const char *text, const LeatSourcePos *pos)
{
  LeatSyntaxValue *self = leat_syntax_value_new (arena, pos);

  leat_syntax_value_add (self, arena, FALSE, text, -1, pos);
  return self;
}

static void
leat_syntax_piece_append (LeatSyntaxPiece *self, LeatArena *arena, const char *text, gsize length)
{
  gsize before = strlen (self->text);
  char *both = leat_arena_alloc (arena, before + length + 1);

  memcpy (both, self->text, before);
  memcpy (both + before, text, length);
  self->text = both;
}

void
leat_syntax_value_add (LeatSyntaxValue *self, LeatArena *arena, gboolean is_variable, const char *text, gssize length,
                       const LeatSourcePos *pos)
{
  LeatSyntaxPiece *last = self->n_pieces > 0 ? &self->pieces[self->n_pieces - 1] : NULL;
  gsize n = length < 0 ? strlen (text) : (gsize) length;

  if (!is_variable && n == 0)
    return;
  if (!is_variable && last != NULL && !last->is_variable)
    {
      leat_syntax_piece_append (last, arena, text, n);
      return;
    }
  self->pieces = leat_syntax_make_room (arena, self->pieces, self->n_pieces, sizeof *self->pieces);
  self->pieces[self->n_pieces++] =
    (LeatSyntaxPiece){ is_variable, leat_arena_strndup (arena, text, n), pos != NULL ? *pos : (LeatSourcePos){ 0 } };
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

LeatSyntaxNode *
leat_syntax_node_new (LeatArena *arena, const char *name, const char *id, const LeatSourcePos *pos)
{
  LeatSyntaxNode *self = leat_arena_new0 (arena, LeatSyntaxNode);

  self->name = leat_arena_strdup (arena, name);
  self->id = leat_arena_strdup (arena, id);
  if (pos != NULL)
    self->pos = *pos;
  self->props = leat_syntax_list_new (arena);
  return self;
}

void
leat_syntax_node_add_prop (LeatSyntaxNode *self, LeatArena *arena, char *name, const LeatSourcePos *pos,
                           LeatSyntaxValue *value)
{
  LeatSyntaxProp *prop = leat_arena_new0 (arena, LeatSyntaxProp);

  prop->name = name;
  prop->value = value;
  if (pos != NULL)
    prop->pos = *pos;
  leat_syntax_list_add (self->props, prop);
}

LeatSyntaxElement *
leat_syntax_element_new (LeatArena *arena, LeatSyntaxElementKind kind, const LeatSourcePos *pos)
{
  LeatSyntaxElement *self = leat_arena_new0 (arena, LeatSyntaxElement);

  self->kind = kind;
  if (pos != NULL)
    self->pos = *pos;
  return self;
}

void
leat_syntax_node_add_body (LeatSyntaxNode *self, LeatArena *arena, const LeatSourcePos *pos)
{
  self->body = leat_syntax_list_new (arena);
  if (pos != NULL)
    self->body_pos = *pos;
}

LeatSyntaxStatement *
leat_syntax_statement_new (LeatArena *arena, LeatSyntaxStatementKind kind, const LeatSourcePos *pos)
{
  LeatSyntaxStatement *self = leat_arena_new0 (arena, LeatSyntaxStatement);

  self->kind = kind;
  if (pos != NULL)
    self->pos = *pos;
  if (kind == LEAT_SYNTAX_CHAIN)
    self->elements = leat_syntax_list_new (arena);
  if (kind == LEAT_SYNTAX_INCLUDE)
    self->statements = leat_syntax_list_new (arena);
  return self;
}

LeatSyntax *
leat_syntax_new (LeatSource *source)
{
  LeatSyntax *self = g_new0 (LeatSyntax, 1);

  self->arena = leat_arena_new ();
  self->sources = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_source_free);
  self->statements = leat_syntax_list_new (self->arena);
  g_ptr_array_add (self->sources, source);
  return self;
}

void
leat_syntax_free (LeatSyntax *self)
{
  leat_arena_free (self->arena);
  g_ptr_array_unref (self->sources);
  g_free (self);
}

static gsize
leat_syntax_scan_name (const char *text, gboolean with_dashes)
{
  gsize length = 0;

  if (!g_ascii_isalpha (*text) && *text != '_')
    return 0;
  while (g_ascii_isalnum (text[length]) || text[length] == '_' || (with_dashes && text[length] == '-'))
    length++;
  return length;
}

gboolean
leat_syntax_is_name (const char *text)
{
  gsize length = leat_syntax_scan_name (text, TRUE);

  return length > 0 && text[length] == '\0';
}

gboolean
leat_syntax_is_variable (const char *text)
{
  gsize length = leat_syntax_scan_name (text, FALSE);

  return length > 0 && text[length] == '\0';
}

gboolean
leat_syntax_is_id (const char *text)
{
  for (;;)
    {
      gsize length = leat_syntax_scan_name (text, TRUE);

      if (length == 0)
        return FALSE;
      text += length;
      if (*text == '\0')
        return TRUE;
      if (*text++ != ':')
        return FALSE;
    }
}

/* Names joined by dots, behind which the place of an item of an array may stand: `p.weights.0`. */
gboolean
leat_syntax_is_property (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ".", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      gboolean number = i > 0 && parts[i][0] != '\0' && strspn (parts[i], "0123456789") == strlen (parts[i]);

      if (!number && !leat_syntax_is_name (parts[i]))
        return FALSE;
    }
  return parts[0] != NULL;
}

gboolean
leat_syntax_is_spec (const char *text)
{
  char head[sizeof "f8e4m3"] = "";
  gsize length = strcspn (text, "[:");

  if (*text == '{' && (g_ascii_isalpha (text[1]) || text[1] == '_'))
    return TRUE;
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
