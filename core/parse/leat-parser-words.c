/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A bare word in a chain of a file is a node that is declared anywhere in the file or in what it includes, else the id
 * of a node made there.  So this is decided when all is read. */

#include "leat-parser-private.h"

static void
leat_parser_collect_names (LeatSyntaxStatement *statement, gpointer data)
{
  GHashTable *names = data;

  if (statement->kind == LEAT_SYNTAX_NODE && statement->node->name != NULL)
    g_hash_table_add (names, statement->node->name);
  for (guint i = 0; statement->kind == LEAT_SYNTAX_CHAIN && i < statement->elements->len; i++)
    {
      const LeatSyntaxElement *element = leat_syntax_list_get (statement->elements, i);

      if (element->node != NULL && element->node->name != NULL)
        g_hash_table_add (names, element->node->name);
    }
}

static void
leat_parser_resolve_element (LeatSyntaxElement *element, GHashTable *names)
{
  if (element->kind != LEAT_SYNTAX_ELEMENT_WORD)
    return;
  element->kind = LEAT_SYNTAX_ELEMENT_NODE;
  /* With properties or a body it is a new node: those of a declared one are set where it is declared. */
  if (element->node->props->len > 0 || element->node->name != NULL || element->node->body != NULL
      || !g_hash_table_contains (names, element->node->id))
    return;
  element->kind = LEAT_SYNTAX_ELEMENT_REF;
  element->name = element->node->id;
  element->node = NULL;
}

static void
leat_parser_resolve_statement (LeatSyntaxStatement *statement, gpointer data)
{
  for (guint i = 0; statement->kind == LEAT_SYNTAX_CHAIN && i < statement->elements->len; i++)
    leat_parser_resolve_element (leat_syntax_list_get (statement->elements, i), data);
}

void
leat_parser_resolve_words (LeatSyntax *syntax)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  leat_syntax_foreach (syntax, leat_parser_collect_names, names);
  leat_syntax_foreach (syntax, leat_parser_resolve_statement, names);
}
