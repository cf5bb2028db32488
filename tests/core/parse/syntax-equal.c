/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Compares the abstract syntax of two texts, whatever their spelling. */

#include "syntax-equal.h"

typedef gboolean (*SyntaxEqual) (gconstpointer a, gconstpointer b);

static gboolean
syntax_equal_lists (const LeatSyntaxList *a, const LeatSyntaxList *b, SyntaxEqual equal)
{
  if (a == NULL || b == NULL)
    return a == b;
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (!equal (leat_syntax_list_get (a, i), leat_syntax_list_get (b, i)))
      return FALSE;
  return TRUE;
}

static gboolean
syntax_equal_values (const LeatSyntaxValue *a, const LeatSyntaxValue *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  if (a->n_pieces != b->n_pieces)
    return FALSE;
  for (guint i = 0; i < a->n_pieces; i++)
    if (a->pieces[i].is_variable != b->pieces[i].is_variable || !g_str_equal (a->pieces[i].text, b->pieces[i].text))
      return FALSE;
  return TRUE;
}

static gboolean
syntax_equal_props (gconstpointer a, gconstpointer b)
{
  const LeatSyntaxProp *first = a, *second = b;

  return g_str_equal (first->name, second->name) && syntax_equal_values (first->value, second->value);
}

static gboolean syntax_equal_statements (gconstpointer a, gconstpointer b);

static gboolean
syntax_equal_nodes (const LeatSyntaxNode *a, const LeatSyntaxNode *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return g_strcmp0 (a->name, b->name) == 0 && g_str_equal (a->id, b->id)
         && syntax_equal_lists (a->props, b->props, syntax_equal_props)
         && syntax_equal_lists (a->body, b->body, syntax_equal_statements);
}

static gboolean
syntax_equal_elements (gconstpointer a, gconstpointer b)
{
  const LeatSyntaxElement *first = a, *second = b;

  return first->kind == second->kind && syntax_equal_nodes (first->node, second->node)
         && g_strcmp0 (first->name, second->name) == 0 && g_strcmp0 (first->port, second->port) == 0
         && syntax_equal_values (first->spec, second->spec);
}

static gboolean
syntax_equal_statements (gconstpointer a, gconstpointer b)
{
  const LeatSyntaxStatement *first = a, *second = b;

  return first->kind == second->kind && g_strcmp0 (first->name, second->name) == 0
         && syntax_equal_values (first->value, second->value) && syntax_equal_nodes (first->node, second->node)
         && syntax_equal_lists (first->elements, second->elements, syntax_equal_elements)
         && syntax_equal_lists (first->statements, second->statements, syntax_equal_statements);
}

gboolean
syntax_equal (const LeatSyntax *self, const LeatSyntax *other)
{
  return syntax_equal_lists (self->statements, other->statements, syntax_equal_statements);
}
