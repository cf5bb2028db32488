/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* From a pipeline to the abstract syntax of its text, body by body.  Changes nothing of the pipeline. */

#include "leat-writer-private.h"

/* Where there are bodies all nodes are named, since names are given in the order of the text and bodies are not written
 * in that of the pipeline. */
static gboolean
leat_writer_has_groups (LeatPipeline *pipeline)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  for (guint i = 0; i < nodes->len; i++)
    if (LEAT_IS_GROUP (g_ptr_array_index (nodes, i)))
      return TRUE;
  return FALSE;
}

static void
leat_writer_collect_nodes (LeatWriter *self)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_group (self->pipeline, self->group);

  for (guint i = 0; i < nodes->len; i++)
    {
      LeatWriterNode *node = g_new0 (LeatWriterNode, 1);

      node->node = g_ptr_array_index (nodes, i);
      node->needs_name = self->has_groups;
      node->needs_own = LEAT_IS_GROUP (node->node);
      node->written = LEAT_IS_GROUP_END (node->node);
      g_ptr_array_add (self->nodes, node);
      g_hash_table_insert (self->by_node, node->node, node);
    }
}

static const char *
leat_writer_get_name (LeatNode *node)
{
  if (!LEAT_IS_GROUP_END (node))
    return leat_node_get_name (node);
  return leat_group_end_is_begin (LEAT_GROUP_END (node)) ? "in" : "out";
}

static void leat_writer_write_body (LeatWriter *self, LeatSyntaxNode *syntax, LeatGroup *group);

/* With its body, where it has one. */
static LeatSyntaxNode *
leat_writer_make_whole_node (LeatWriter *self, const LeatWriterNode *node)
{
  LeatSyntaxNode *syntax = leat_writer_make_node (self, node);

  if (LEAT_IS_GROUP (node->node))
    leat_writer_write_body (self, syntax, LEAT_GROUP (node->node));
  return syntax;
}

static LeatSyntaxElement *
leat_writer_make_element (LeatWriter *self, const LeatWriterStep *step)
{
  LeatSyntaxElement *element;

  if (step->node->written || (self->style == LEAT_TEXT_STYLE_FILE && step->node->needs_name))
    {
      element = leat_syntax_element_new (self->arena, LEAT_SYNTAX_ELEMENT_REF, NULL);
      element->name = leat_arena_strdup (self->arena, leat_writer_get_name (step->node->node));
      element->port = step->port != NULL ? leat_arena_strdup (self->arena, leat_port_get_name (step->port)) : NULL;
      return element;
    }
  element = leat_syntax_element_new (self->arena, LEAT_SYNTAX_ELEMENT_NODE, NULL);
  element->node = leat_writer_make_whole_node (self, step->node);
  step->node->written = TRUE;
  return element;
}

static LeatSyntaxStatement *
leat_writer_make_chain (LeatWriter *self, const GPtrArray *steps)
{
  LeatSyntaxStatement *chain = leat_syntax_statement_new (self->arena, LEAT_SYNTAX_CHAIN, NULL);

  for (guint i = 0; i < steps->len; i++)
    {
      const LeatWriterStep *step = g_ptr_array_index (steps, i);
      g_autofree char *spec = step->output != NULL ? leat_writer_take_link_spec (self, step->output) : NULL;

      leat_syntax_list_add (chain->elements, leat_writer_make_element (self, step));
      if (spec != NULL)
        {
          LeatSyntaxElement *element = leat_syntax_element_new (self->arena, LEAT_SYNTAX_ELEMENT_SPEC, NULL);

          element->spec = leat_syntax_value_new_literal (self->arena, spec, NULL);
          leat_syntax_list_add (chain->elements, element);
        }
    }
  return chain;
}

/* A statement for a node alone: its declaration, or in the terminal a chain of one. */
static LeatSyntaxStatement *
leat_writer_make_single (LeatWriter *self, LeatWriterNode *node)
{
  LeatSyntaxStatement *statement;
  LeatSyntaxElement *element;

  node->written = TRUE;
  if (self->style == LEAT_TEXT_STYLE_FILE && node->needs_name)
    {
      statement = leat_syntax_statement_new (self->arena, LEAT_SYNTAX_NODE, NULL);
      statement->node = leat_writer_make_whole_node (self, node);
      return statement;
    }
  statement = leat_syntax_statement_new (self->arena, LEAT_SYNTAX_CHAIN, NULL);
  element = leat_syntax_element_new (self->arena, LEAT_SYNTAX_ELEMENT_NODE, NULL);
  element->node = leat_writer_make_whole_node (self, node);
  leat_syntax_list_add (statement->elements, element);
  return statement;
}

static void
leat_writer_add_statements (LeatWriter *self, LeatSyntaxList *statements)
{
  for (guint i = 0; i < self->nodes->len; i++)
    {
      LeatWriterNode *node = g_ptr_array_index (self->nodes, i);

      if (node->written)
        continue;
      if (node->needs_own || (self->style == LEAT_TEXT_STYLE_FILE && node->needs_name))
        leat_syntax_list_add (statements, leat_writer_make_single (self, node));
    }
  for (guint i = 0; i < self->chains->len; i++)
    leat_syntax_list_add (statements, leat_writer_make_chain (self, g_ptr_array_index (self->chains, i)));
  for (guint i = 0; i < self->nodes->len; i++)
    {
      LeatWriterNode *node = g_ptr_array_index (self->nodes, i);

      if (!node->written)
        leat_syntax_list_add (statements, leat_writer_make_single (self, node));
    }
}

/* @group: (nullable): whose body it is; NULL for what is in none */
static void
leat_writer_write_group (LeatPipeline *pipeline, LeatGroup *group, LeatTextStyle style, const char *folder,
                         LeatSyntaxList *statements)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) by_node = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) chains = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GHashTable) done = g_hash_table_new (NULL, NULL);
  LeatWriter self = { statements->arena, pipeline, group, leat_writer_has_groups (pipeline), style, folder, nodes,
                      by_node,           chains,   done };

  leat_writer_collect_nodes (&self);
  leat_writer_gather_chains (&self);
  if (!self.has_groups)
    leat_writer_choose_names (&self);
  leat_writer_add_statements (&self, statements);
}

static void
leat_writer_write_body (LeatWriter *self, LeatSyntaxNode *syntax, LeatGroup *group)
{
  leat_syntax_node_add_body (syntax, self->arena, NULL);
  leat_writer_write_group (self->pipeline, group, self->style, self->folder, syntax->body);
  if (syntax->body->len == 0)
    syntax->body = NULL;
}

LeatSyntax *
leat_writer_write (LeatPipeline *pipeline, LeatTextStyle style, const char *folder)
{
  LeatSyntax *syntax = leat_syntax_new (leat_source_new (LEAT_SOURCE_PIPELINE));
  g_autofree char *absolute = folder != NULL ? g_canonicalize_filename (folder, NULL) : NULL;

  leat_writer_write_group (pipeline, NULL, style, absolute, syntax->statements);
  return syntax;
}
