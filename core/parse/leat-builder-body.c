/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-builder-private.h"
#include "../graph/leat-node-private.h"

/* What would only follow from a body that is not made is not reported. */
static void
leat_builder_forget_node (LeatBuilder *self, const LeatSyntaxNode *syntax)
{
  LeatBuilderNode *built = syntax != NULL ? g_hash_table_lookup (self->by_syntax, syntax) : NULL;

  if (built != NULL)
    built->faulty = TRUE;
}

static void
leat_builder_forget_statement (LeatSyntaxStatement *statement, gpointer data)
{
  leat_builder_forget_node (data, statement->node);
  for (guint i = 0; statement->kind == LEAT_SYNTAX_CHAIN && i < statement->elements->len; i++)
    leat_builder_forget_node (data, ((LeatSyntaxElement *) g_ptr_array_index (statement->elements, i))->node);
}

void
leat_builder_add_body (LeatBuilder *self, LeatBuilderNode *node, LeatSyntaxNode *syntax_node)
{
  g_autofree char *title = node->node != NULL ? leat_node_dup_title (node->node) : NULL;

  leat_syntax_node_foreach (syntax_node, leat_builder_forget_statement, self);
  if (title != NULL)
    leat_error_list_add (self->errors, &syntax_node->body_pos, LEAT_PARSE_ERROR_SYNTAX, "%s takes no body", title);
}
