/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes one node of the text and sets what the text sets on it.  Every fault goes to the error list with its place. */

#include "leat-builder-private.h"
#include "../graph/leat-node-private.h"
#include "../graph/leat-registry.h"
#include "../kernel/leat-supply-private.h"

#include <string.h>

/* Names that the text gives are taken before any node gets one made, wherever in the text they stand. */
static void
leat_builder_declare_name (LeatBuilder *self, const LeatSyntaxNode *syntax)
{
  LeatBuilderNode *built = g_new0 (LeatBuilderNode, 1);
  const LeatBuilderNode *first = syntax->name != NULL ? leat_builder_find (self, syntax->name) : NULL;

  built->syntax = syntax;
  built->name = syntax->name;
  g_ptr_array_add (self->nodes, built);
  g_hash_table_insert (self->by_syntax, (gpointer) syntax, built);
  if (first != NULL)
    {
      g_autofree char *where = leat_source_pos_to_string (&first->syntax->pos);

      leat_error_list_take (self->errors, &syntax->pos,
                            g_error_new (LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DUPLICATE_NAME,
                                         "there are two nodes \"%s\" (the first at %s)", syntax->name, where));
      built->faulty = TRUE;
    }
  else if (syntax->name != NULL)
    {
      leat_namer_take (self->namer, syntax->name);
      g_hash_table_insert (self->by_name, (gpointer) built->name, built);
    }
}

static void
leat_builder_declare_statement (LeatSyntaxStatement *statement, gpointer data)
{
  if (statement->kind == LEAT_SYNTAX_NODE)
    leat_builder_declare_name (data, statement->node);
  for (guint i = 0; statement->kind == LEAT_SYNTAX_CHAIN && i < statement->elements->len; i++)
    {
      const LeatSyntaxElement *element = leat_syntax_list_get (statement->elements, i);

      if (element->node != NULL)
        leat_builder_declare_name (data, element->node);
    }
}

void
leat_builder_declare_names (LeatBuilder *self)
{
  leat_syntax_foreach (self->syntax, leat_builder_declare_statement, self);
}

/* A word that is no id may be meant as the name of a node. */
static void
leat_builder_report_unknown (LeatBuilder *self, const LeatSyntaxNode *syntax, GError *error)
{
  const LeatBuilderNode *named = leat_builder_find (self, syntax->id);
  g_autofree const char **names = leat_builder_list_names (self);
  const char *near = leat_suggest (syntax->id, names);

  if (g_error_matches (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NODE))
    {
      if (named != NULL && named->syntax != syntax)
        {
          g_autofree char *where = leat_source_pos_to_string (&named->syntax->pos);
          gboolean is_ref = syntax->props->len == 0 && syntax->name == NULL;

          g_clear_error (&error);
          error = g_error_new (LEAT_PARSE_ERROR, LEAT_PARSE_ERROR_SYNTAX,
                               is_ref ? "\"%s\" is no id but the name of a node (at %s): a dot after it refers to it"
                                      : "\"%s\" is a node declared at %s: its name and properties are set there",
                               syntax->id, where);
        }
      else if (near != NULL && strstr (error->message, "did you mean") == NULL)
        {
          char *message = g_strdup_printf ("%s (did you mean the node \"%s\" of this text?)", error->message, near);

          g_free (error->message);
          error->message = message;
        }
    }
  leat_error_list_take (self->errors, &syntax->pos, error);
}

static const LeatProp *
leat_builder_find_prop (LeatNode *node, const char *name)
{
  const LeatNodeInfo *info = leat_node_get_info (node);

  for (guint i = 0; info != NULL && i < info->n_props; i++)
    if (*info->props[i].name == *name && g_str_equal (info->props[i].name, name))
      return &info->props[i];
  return NULL;
}

/* A path belongs to the folder of who wrote its beginning: the file that holds the node, another file's `let`, or the
 * command line.  Only the first is the node's own folder. */
static const char *
leat_builder_place_path (LeatBuilder *self, const LeatBuilderNode *built, const char *text, const char *folder)
{
  const char *base = built->syntax->pos.source->folder;
  g_autofree char *absolute = NULL;

  if (*text == '\0' || g_str_equal (text, "-") || g_path_is_absolute (text) || g_strcmp0 (folder, base) == 0)
    return text;
  absolute = g_canonicalize_filename (text, folder);
  return leat_arena_strdup (self->syntax->arena, absolute);
}

/* Faults that show only when the pipeline is planned are told at the node too; in a terminal the text is in sight. */
static void
leat_builder_set_origin (LeatNode *node, const LeatSourcePos *pos)
{
  g_autofree char *origin = pos->source->kind == LEAT_SOURCE_FILE ? leat_source_pos_to_string (pos) : NULL;

  leat_node_set_origin (node, origin);
}

static void
leat_builder_set_place (LeatNode *node, const LeatSyntaxProp *prop)
{
  const LeatSourcePos *pos = &prop->value->pos;

  if (pos->source->kind == LEAT_SOURCE_FILE)
    leat_node_set_place (node, prop->name, pos->source->name, pos->line, pos->column);
}

/* The place of the property that the node blames, or the node's. */
static const LeatSourcePos *
leat_builder_find_fault (const LeatBuilderNode *built)
{
  const char *name = leat_node_get_blamed (built->node);

  for (guint i = 0; name != NULL && i < built->syntax->props->len; i++)
    {
      const LeatSyntaxProp *prop = leat_syntax_list_get (built->syntax->props, i);

      if (g_str_equal (prop->name, name))
        return &prop->value->pos;
    }
  return &built->syntax->pos;
}

/* Its file is no part of an artifact that is made. */
static void
leat_builder_tell_open (LeatBuilder *self, const LeatBuilderNode *built, const LeatSyntaxProp *prop, const char *path)
{
  g_autofree char *absolute = NULL;

  if (!leat_variables_leave_open (self->variables, prop->value))
    return;
  absolute = g_canonicalize_filename (path, built->syntax->pos.source->folder);
  leat_supply_get_taker ()->leave_file (absolute);
}

static void
leat_builder_set_prop (LeatBuilder *self, LeatBuilderNode *built, const LeatSyntaxProp *prop, const LeatProp *described)
{
  const char *folder;
  const char *text = leat_variables_expand (self->variables, prop->value, &folder);
  const LeatSourcePos *pos = &prop->value->pos;
  GError *error = NULL;

  if (text != NULL && described != NULL && described->type == LEAT_PROP_PATH)
    {
      text = leat_builder_place_path (self, built, text, folder);
      leat_builder_tell_open (self, built, prop, text);
    }
  if (text != NULL && leat_node_set_from_string (built->node, prop->name, text, &error))
    {
      leat_builder_set_place (built->node, prop);
      return;
    }
  built->faulty = TRUE;
  if (error == NULL)
    return;
  /* An unknown name is wrong at the name, anything else at the value. */
  if (g_error_matches (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY))
    pos = &prop->pos;
  leat_error_list_take (self->errors, pos, error);
}

/* @others: gets what the node's kind does not describe */
static void
leat_builder_set_described (LeatBuilder *self, LeatBuilderNode *built, LeatSyntaxList *others)
{
  for (guint i = 0; i < built->syntax->props->len; i++)
    {
      LeatSyntaxProp *prop = leat_syntax_list_get (built->syntax->props, i);
      const LeatProp *description = leat_builder_find_prop (built->node, prop->name);

      if (description != NULL)
        leat_builder_set_prop (self, built, prop, description);
      else
        leat_syntax_list_add (others, prop);
    }
}

static void
leat_builder_set_others (LeatBuilder *self, LeatBuilderNode *built, const LeatSyntaxList *others)
{
  for (guint i = 0; i < others->len; i++)
    leat_builder_set_prop (self, built, leat_syntax_list_get (others, i), NULL);
}

/* `src` for `source`: the letters of @name in their order. */
static gboolean
leat_builder_is_short_for (const char *word, const char *name)
{
  gsize length = strlen (word);

  if (length < 2 || *word != *name)
    return FALSE;
  for (; *name != '\0' && *word != '\0'; name++)
    word += *word == *name;
  return *word == '\0';
}

static const char *
leat_builder_suggest (const char *word, const char *const *names)
{
  const char *near = leat_suggest (word, names);

  for (; near == NULL && *names != NULL; names++)
    if (leat_builder_is_short_for (word, *names))
      near = *names;
  return near;
}

/* A required property that is missing because its name is misspelt is told once, at what was written. */
static gboolean
leat_builder_report_misspelt (LeatBuilder *self, LeatBuilderNode *built)
{
  const LeatNodeInfo *info = leat_node_get_info (built->node);
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();
  gboolean found = FALSE;

  for (guint i = 0; info != NULL && i < info->n_props; i++)
    {
      g_autofree char *text = leat_node_dup_as_string (built->node, info->props[i].name);

      if ((info->props[i].flags & LEAT_PROP_REQUIRED) != 0 && text == NULL)
        g_ptr_array_add (missing, (gpointer) info->props[i].name);
    }
  g_ptr_array_add (missing, NULL);
  for (guint i = 0; i < built->syntax->props->len; i++)
    {
      const LeatSyntaxProp *prop = leat_syntax_list_get (built->syntax->props, i);
      const char *near = leat_builder_suggest (prop->name, (const char *const *) missing->pdata);
      g_autofree char *title = NULL;

      if (near == NULL || leat_builder_find_prop (built->node, prop->name) != NULL)
        continue;
      title = leat_node_dup_title (built->node);
      leat_error_list_take (self->errors, &prop->pos,
                            g_error_new (LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY,
                                         "%s has no property \"%s\" (did you mean \"%s\"?)", title, prop->name, near));
      found = TRUE;
    }
  return found;
}

/* Described properties first: from them a kernel learns its ports and arguments, which the others set.  Where one of
 * them is wrong nothing is known of those. */
static void
leat_builder_set_props (LeatBuilder *self, LeatBuilderNode *built)
{
  LeatSyntaxList *others = leat_syntax_list_new (self->syntax->arena);

  leat_builder_set_described (self, built, others);
  built->faulty = built->faulty || built->syntax->broken;
  if (built->faulty)
    return;
  leat_pipeline_check_settings (built->node, self->faults);
  if (self->faults->len == 0)
    {
      leat_builder_set_others (self, built, others);
      return;
    }
  built->faulty = TRUE;
  if (!leat_builder_report_misspelt (self, built))
    leat_builder_take_faults (self, leat_builder_find_fault (built));
  g_ptr_array_set_size (self->faults, 0);
}

void
leat_builder_make_node (LeatBuilder *self, const LeatSyntaxNode *syntax)
{
  LeatBuilderNode *built = g_hash_table_lookup (self->by_syntax, syntax);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatNode) node = NULL;
  LeatFactory *factory = leat_registry_find (leat_registry_get_default (), syntax->id, &error);

  if (built->faulty)
    return;
  if (factory != NULL && built->name == NULL)
    built->name = leat_namer_make (self->namer, leat_factory_get_id (factory));
  if (factory != NULL)
    node = leat_factory_make (factory, built->name, &error);
  if (node == NULL || !leat_pipeline_add (self->pipeline, node, &error))
    {
      built->faulty = TRUE;
      leat_builder_report_unknown (self, syntax, g_steal_pointer (&error));
      return;
    }
  built->node = node;
  leat_node_set_base_path (node, syntax->pos.source->folder);
  leat_builder_set_origin (node, &syntax->pos);
  leat_builder_set_props (self, built);
}
