/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writes one node as syntax: what was set on it, with paths and specs as the reader of the text needs them.  Changes
 * nothing of the node. */

#include "leat-writer-private.h"

#include <string.h>

/* The port whose spec the property @name sets: `out`, or `port.out` where something else is called so. */
static LeatPort *
leat_writer_find_port (LeatNode *node, const char *name)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (node);

  for (guint i = 0; i < ports->len; i++)
    {
      const char *port_name = leat_port_get_name (g_ptr_array_index (ports, i));

      if (g_str_equal (port_name, name) || (g_str_has_prefix (name, "port.") && g_str_equal (port_name, name + 5)))
        return g_ptr_array_index (ports, i);
    }
  return NULL;
}

/* Which of the node's set names is the spec of @port. */
static const char *
leat_writer_find_spec_name (char **set, LeatPort *port)
{
  LeatNode *node = leat_port_get_node (port);

  for (guint i = g_strv_length (set); i > 0; i--)
    if (leat_writer_find_port (node, set[i - 1]) == port)
      return set[i - 1];
  return NULL;
}

static gboolean
leat_spec_has_names (LeatSpec *spec)
{
  for (guint i = 0; i < leat_spec_get_n_dims (spec); i++)
    if (leat_spec_get_dim_name (spec, i) != NULL)
      return TRUE;
  return FALSE;
}

/* A constraint on a linked output says the same on the link.  One with names stays with the node, whose other ports may
 * share the names. */
static gboolean
leat_writer_spec_goes_on_link (LeatPort *port, const char *text)
{
  g_autoptr (LeatSpec) spec = NULL;

  if (port == NULL || leat_port_get_direction (port) != LEAT_PORT_OUTPUT || !leat_port_is_linked (port))
    return FALSE;
  spec = leat_spec_parse (text, NULL);
  return spec != NULL && !leat_spec_has_names (spec);
}

char *
leat_writer_take_link_spec (LeatWriter *self, LeatPort *output)
{
  LeatNode *node = leat_port_get_node (output);
  g_auto (GStrv) set = leat_node_list_set (node);
  const char *name = leat_writer_find_spec_name (set, output);
  g_autofree char *text = name != NULL ? leat_node_dup_as_string (node, name) : NULL;

  if (text == NULL || !leat_writer_spec_goes_on_link (output, text) || !g_hash_table_add (self->done, output))
    return NULL;
  return g_steal_pointer (&text);
}

static const LeatProp *
leat_writer_find_prop (LeatNode *node, const char *name)
{
  const LeatNodeInfo *info = leat_node_get_info (node);

  for (guint i = 0; info != NULL && i < info->n_props; i++)
    if (g_str_equal (info->props[i].name, name))
      return &info->props[i];
  return NULL;
}

/* Relative to the folder where the text will be read when it lies below, else absolute where that is known. */
static char *
leat_writer_place_path (LeatWriter *self, LeatNode *node, const char *name, char *text)
{
  g_autofree char *path = NULL;
  gsize length = self->folder != NULL ? strlen (self->folder) : 0;

  if (*text == '\0' || g_str_equal (text, "-"))
    return text;
  path = leat_node_dup_path (node, name);
  if (path == NULL || (self->folder == NULL && !g_path_is_absolute (path)))
    return text;
  g_free (text);
  text = g_canonicalize_filename (path, NULL);
  if (length > 1 && strncmp (text, self->folder, length) == 0 && text[length] == '/' && text[length + 1] != '\0')
    memmove (text, text + length + 1, strlen (text + length + 1) + 1);
  return text;
}

/* In the terminal, in the spelling that no shell touches. */
static char *
leat_writer_spell_spec (LeatWriter *self, char *text)
{
  g_autoptr (LeatSpec) spec = leat_spec_parse (text, NULL);

  if (spec == NULL || self->style != LEAT_TEXT_STYLE_TERMINAL)
    return text;
  g_free (text);
  return leat_spec_to_string (spec, LEAT_SPEC_STYLE_SHELL);
}

static void
leat_writer_add_prop (LeatWriter *self, LeatSyntaxNode *syntax, LeatNode *node, const char *name)
{
  char *text = leat_node_dup_as_string (node, name);
  const LeatProp *prop = leat_writer_find_prop (node, name);
  LeatPort *port =
    prop == NULL && leat_node_get_arg_type (node, name) == NULL ? leat_writer_find_port (node, name) : NULL;

  if (text == NULL)
    return;
  if (prop != NULL && prop->type == LEAT_PROP_PATH)
    text = leat_writer_place_path (self, node, name, text);
  else if (port != NULL && leat_writer_spec_goes_on_link (port, text))
    g_clear_pointer (&text, g_free);
  else if (port != NULL)
    text = leat_writer_spell_spec (self, text);
  if (text != NULL)
    leat_syntax_node_add_prop (syntax, self->arena, leat_arena_strdup (self->arena, name), NULL,
                               leat_syntax_value_new_literal (self->arena, text, NULL));
  g_free (text);
}

LeatSyntaxNode *
leat_writer_make_node (LeatWriter *self, const LeatWriterNode *node)
{
  LeatSyntaxNode *syntax = leat_syntax_node_new (self->arena, node->needs_name ? leat_node_get_name (node->node) : NULL,
                                                 leat_node_get_id (node->node), NULL);
  g_auto (GStrv) set = leat_node_list_set (node->node);

  for (guint i = 0; set[i] != NULL; i++)
    leat_writer_add_prop (self, syntax, node->node, set[i]);
  return syntax;
}
