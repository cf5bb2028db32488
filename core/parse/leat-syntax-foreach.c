/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Visits the statements of the abstract syntax, with those in bodies or without. */

#include "leat-syntax-private.h"

typedef struct
{
  LeatSyntaxVisit visit;
  gpointer data;
  gboolean into_bodies;
} LeatSyntaxWalk;

static void leat_syntax_walk_statements (const LeatSyntaxWalk *walk, LeatSyntaxList *statements);

static void
leat_syntax_walk_body (const LeatSyntaxWalk *walk, const LeatSyntaxNode *node)
{
  if (node != NULL && node->body != NULL)
    leat_syntax_walk_statements (walk, node->body);
}

static void
leat_syntax_walk_statement (const LeatSyntaxWalk *walk, LeatSyntaxStatement *statement)
{
  walk->visit (statement, walk->data);
  if (!walk->into_bodies)
    return;
  leat_syntax_walk_body (walk, statement->node);
  for (guint i = 0; statement->kind == LEAT_SYNTAX_CHAIN && i < statement->elements->len; i++)
    leat_syntax_walk_body (walk, ((LeatSyntaxElement *) leat_syntax_list_get (statement->elements, i))->node);
}

static void
leat_syntax_walk_statements (const LeatSyntaxWalk *walk, LeatSyntaxList *statements)
{
  for (guint i = 0; i < statements->len; i++)
    {
      LeatSyntaxStatement *statement = leat_syntax_list_get (statements, i);

      if (statement->kind == LEAT_SYNTAX_INCLUDE && statement->statements != NULL)
        leat_syntax_walk_statements (walk, statement->statements);
      else
        leat_syntax_walk_statement (walk, statement);
    }
}

void
leat_syntax_foreach (LeatSyntax *self, LeatSyntaxVisit visit, gpointer data)
{
  LeatSyntaxWalk walk = { visit, data, TRUE };

  leat_syntax_walk_statements (&walk, self->statements);
}

void
leat_syntax_foreach_top (LeatSyntax *self, LeatSyntaxVisit visit, gpointer data)
{
  LeatSyntaxWalk walk = { visit, data, FALSE };

  leat_syntax_walk_statements (&walk, self->statements);
}

void
leat_syntax_node_foreach (LeatSyntaxNode *self, LeatSyntaxVisit visit, gpointer data)
{
  LeatSyntaxWalk walk = { visit, data, TRUE };

  leat_syntax_walk_body (&walk, self);
}
