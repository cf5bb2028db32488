/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* From the abstract syntax to a pipeline: first all nodes, then all links, then the check of the whole.  Changes
 * nothing of the syntax. */

#include "leat-builder-private.h"
#include "../kernel/leat-kernel-source-private.h"

static void
leat_builder_node_free (gpointer data)
{
  LeatBuilderNode *node = data;

  g_free (node->begin);
  g_free (node->end);
  g_free (node);
}

static void
leat_builder_make_whole_node (LeatBuilder *self, LeatSyntaxNode *syntax)
{
  leat_builder_make_node (self, syntax);
  if (syntax->body != NULL)
    leat_builder_add_body (self, g_hash_table_lookup (self->by_syntax, syntax));
}

/* Variables get their values where their `let` stands, so that values before it cannot use them. */
void
leat_builder_make_statement (LeatBuilder *self, LeatSyntaxStatement *statement)
{
  if (statement->kind == LEAT_SYNTAX_LET)
    leat_variables_declare (self->variables, statement);
  if (statement->kind == LEAT_SYNTAX_NODE)
    leat_builder_make_whole_node (self, statement->node);
  for (guint i = 0; statement->kind == LEAT_SYNTAX_CHAIN && i < statement->elements->len; i++)
    {
      const LeatSyntaxElement *element = leat_syntax_list_get (statement->elements, i);

      if (element->node != NULL)
        leat_builder_make_whole_node (self, element->node);
    }
}

static void
leat_builder_make_top_statement (LeatSyntaxStatement *statement, gpointer data)
{
  leat_builder_make_statement (data, statement);
}

static void
leat_builder_link_bodies_of (LeatSyntaxStatement *statement, gpointer data)
{
  leat_builder_link_bodies (data, statement);
}

static void
leat_builder_link_statement (LeatSyntaxStatement *statement, gpointer data)
{
  if (statement->kind == LEAT_SYNTAX_CHAIN)
    leat_builder_link_chain (data, statement);
}

/* Reports faults that only the whole shows.  After any other fault it would mostly report what that one caused. */
static void
leat_builder_validate (LeatBuilder *self)
{
  for (guint i = 0; i < self->nodes->len; i++)
    {
      const LeatBuilderNode *built = g_ptr_array_index (self->nodes, i);

      leat_pipeline_check_links (built->node, self->faults);
      if (built->begin != NULL)
        {
          leat_pipeline_check_links (built->begin->node, self->faults);
          leat_pipeline_check_links (built->end->node, self->faults);
        }
      leat_builder_take_faults (self, &built->syntax->pos);
    }
}

static void
leat_builder_run (LeatBuilder *self)
{
  leat_builder_declare_names (self);
  leat_syntax_foreach_top (self->syntax, leat_builder_make_top_statement, self);
  leat_syntax_foreach_top (self->syntax, leat_builder_link_bodies_of, self);
  leat_syntax_foreach_top (self->syntax, leat_builder_link_statement, self);
  if (leat_error_list_is_empty (self->errors))
    leat_builder_validate (self);
}

LeatPipeline *
leat_builder_build (LeatSyntax *syntax, const LeatVariableValues *values, LeatErrorList *errors)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (LeatVariables) variables = leat_variables_new (syntax, values, errors);
  g_autoptr (LeatNamer) namer = leat_namer_new ();
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func (leat_builder_node_free);
  g_autoptr (GHashTable) by_syntax = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) faults = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  LeatBuilder self = { syntax, errors, variables, pipeline, namer, nodes, by_syntax, by_name, NULL, faults };

  leat_kernel_source_begin_round ();
  leat_builder_run (&self);
  leat_kernel_source_end_round ();
  return leat_error_list_is_empty (errors) ? g_steal_pointer (&pipeline) : NULL;
}
