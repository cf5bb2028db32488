/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Bodies: which nodes are in which, and their links, innermost first, since a body's links are what makes the ports of
 * the node that has it. */

#include "leat-builder-private.h"
#include "../graph/leat-group.h"
#include "../graph/leat-node-private.h"

/* Faults that would only follow from a body that is not made are not reported. */
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
    leat_builder_forget_node (data, ((LeatSyntaxElement *) leat_syntax_list_get (statement->elements, i))->node);
}

/* Calls @visit for each node that a statement makes, but for those in bodies. */
static void
leat_builder_foreach_node (LeatBuilder *self, const LeatSyntaxStatement *statement,
                           void (*visit) (LeatBuilder *self, LeatBuilderNode *built, gpointer data), gpointer data)
{
  guint n = statement->kind == LEAT_SYNTAX_CHAIN ? statement->elements->len : 0;
  LeatBuilderNode *built = statement->node != NULL ? g_hash_table_lookup (self->by_syntax, statement->node) : NULL;

  if (statement->kind == LEAT_SYNTAX_NODE && built != NULL)
    visit (self, built, data);
  for (guint i = 0; i < n; i++)
    {
      const LeatSyntaxElement *element = leat_syntax_list_get (statement->elements, i);

      built = element->node != NULL ? g_hash_table_lookup (self->by_syntax, element->node) : NULL;
      if (built != NULL)
        visit (self, built, data);
    }
}

static void
leat_builder_put_inside (LeatBuilder *self, LeatBuilderNode *built, gpointer holder)
{
  LeatBuilderNode *group = holder;
  g_autoptr (GError) error = NULL;

  if (built->node == NULL || group->node == NULL || group->faulty
      || leat_group_add (LEAT_GROUP (group->node), built->node, &error))
    return;
  built->faulty = TRUE;
  leat_error_list_take (self->errors, &built->syntax->pos, g_steal_pointer (&error));
}

/* The ends of the body, as links find them. */
static LeatBuilderNode *
leat_builder_new_end (LeatBuilderNode *holder, LeatNode *node)
{
  LeatBuilderNode *end = g_new0 (LeatBuilderNode, 1);

  end->syntax = holder->syntax;
  end->node = node;
  end->faulty = holder->faulty;
  return end;
}

/* The ports of a node follow from its body, so that where there was a fault nobody knows them. */
static void
leat_builder_doubt_ports (LeatBuilder *self, LeatBuilderNode *holder, guint n_before)
{
  holder->faulty = holder->faulty || leat_error_list_get_length (self->errors) > n_before;
}

void
leat_builder_add_body (LeatBuilder *self, LeatBuilderNode *holder)
{
  const LeatSyntaxNode *syntax = holder->syntax;
  g_autofree char *title = holder->node != NULL ? leat_node_dup_title (holder->node) : NULL;

  if (holder->node != NULL && LEAT_IS_GROUP (holder->node))
    {
      guint n_before = leat_error_list_get_length (self->errors);

      holder->begin = leat_builder_new_end (holder, leat_group_get_begin (LEAT_GROUP (holder->node)));
      holder->end = leat_builder_new_end (holder, leat_group_get_end (LEAT_GROUP (holder->node)));
      for (guint i = 0; i < syntax->body->len; i++)
        {
          leat_builder_make_statement (self, leat_syntax_list_get (syntax->body, i));
          leat_builder_foreach_node (self, leat_syntax_list_get (syntax->body, i), leat_builder_put_inside, holder);
        }
      leat_builder_doubt_ports (self, holder, n_before);
      return;
    }
  leat_syntax_node_foreach ((LeatSyntaxNode *) syntax, leat_builder_forget_statement, self);
  if (title != NULL)
    leat_error_list_add (self->errors, &syntax->body_pos, LEAT_PARSE_ERROR_SYNTAX, "%s takes no body", title);
}

static void leat_builder_link_body (LeatBuilder *self, LeatBuilderNode *holder, gpointer unused);

void
leat_builder_link_bodies (LeatBuilder *self, const LeatSyntaxStatement *statement)
{
  leat_builder_foreach_node (self, statement, leat_builder_link_body, NULL);
}

static void
leat_builder_link_body (LeatBuilder *self, LeatBuilderNode *holder, gpointer unused)
{
  LeatBuilderNode *before = self->holder;
  LeatSyntaxList *body = holder->syntax->body;
  guint n_before = leat_error_list_get_length (self->errors);

  if (holder->begin == NULL)
    return;
  for (guint i = 0; i < body->len; i++)
    leat_builder_link_bodies (self, leat_syntax_list_get (body, i));
  self->holder = holder;
  for (guint i = 0; i < body->len; i++)
    if (((LeatSyntaxStatement *) leat_syntax_list_get (body, i))->kind == LEAT_SYNTAX_CHAIN)
      leat_builder_link_chain (self, leat_syntax_list_get (body, i));
  self->holder = before;
  leat_builder_doubt_ports (self, holder, n_before);
}
