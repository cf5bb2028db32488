/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Checks the description that a plugin has of itself before anything uses it.  Changes nothing of it. */

#include "leat-graph-error.h"
#include "leat-plugin-private.h"
#include "leat-spec.h"

#include <string.h>

/* Sizes of the structs in ABI 1: the smallest that a plugin can have been built with. */
#define LEAT_PROP_SIZE_1        sizeof (LeatProp)
#define LEAT_PORT_INFO_SIZE_1   sizeof (LeatPortInfo)
#define LEAT_NODE_INFO_SIZE_1   sizeof (LeatNodeInfo)
#define LEAT_PLUGIN_INFO_SIZE_1 sizeof (LeatPluginInfo)
/* A "size" beyond this is something else than a size. */
#define LEAT_PLUGIN_MAX_STRUCT  4096
#define LEAT_PLUGIN_MAX_ENTRIES 4096

G_GNUC_PRINTF (2, 3)
static gboolean
leat_plugin_fail (GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (error != NULL)
    *error = g_error_new_valist (LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN, format, args);
  va_end (args);
  return FALSE;
}

static gboolean
leat_plugin_check_size (gsize size, gsize least, const char *what, GError **error)
{
  if (size >= least && size <= LEAT_PLUGIN_MAX_STRUCT && size % sizeof (gpointer) == 0)
    return TRUE;
  return leat_plugin_fail (error, "%s has the size %" G_GSIZE_FORMAT " where %" G_GSIZE_FORMAT " is the least", what,
                           size, least);
}

/* Lower-case words of letters and digits, joined by single dashes; a node's id may have a family before a colon, a port
 * may be spelled as a C identifier, since a kernel's parameters become ports. */
static gboolean
leat_plugin_is_name (const char *name, const char *extra)
{
  if (name == NULL || !g_ascii_isalpha (*name))
    return FALSE;
  for (const char *at = name; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && strchr (extra, *at) == NULL)
      return FALSE;
  return !g_str_has_suffix (name, "-") && !g_str_has_suffix (name, ":");
}

static gboolean
leat_plugin_check_choices (const LeatNodeInfo *node, const LeatProp *prop, GError **error)
{
  guint n = 0;

  while (prop->choices != NULL && prop->choices[n] != NULL)
    n++;
  if (n == 0)
    return leat_plugin_fail (error, "%s: property \"%s\" has no choices", node->id, prop->name);
  if (prop->def.i < 0 || prop->def.i >= (gint64) n)
    return leat_plugin_fail (error, "%s: the default of property \"%s\" is not one of its %u choices", node->id,
                             prop->name, n);
  return TRUE;
}

static gboolean
leat_plugin_check_prop (const LeatNodeInfo *node, guint index, GError **error)
{
  const LeatProp *prop = leat_node_info_get_prop (node, index);

  if (prop->size != node->props[0].size)
    return leat_plugin_fail (error, "%s: property %u does not begin with its size", node->id, index);
  if (!leat_plugin_is_name (prop->name, "-") || strcmp (prop->name, "name") == 0)
    return leat_plugin_fail (error, "%s: property %u has the name \"%s\", which cannot be one", node->id, index,
                             prop->name != NULL ? prop->name : "");
  for (guint i = 0; i < index; i++)
    if (strcmp (leat_node_info_get_prop (node, i)->name, prop->name) == 0)
      return leat_plugin_fail (error, "%s has two properties \"%s\"", node->id, prop->name);
  if ((guint) prop->type > LEAT_PROP_CHOICE)
    return leat_plugin_fail (error, "%s: property \"%s\" has the unknown type %d", node->id, prop->name, prop->type);
  if (prop->type == LEAT_PROP_CHOICE)
    return leat_plugin_check_choices (node, prop, error);
  if ((prop->flags & LEAT_PROP_REQUIRED) == 0 && !leat_prop_is_in_range (prop, prop->def))
    return leat_plugin_fail (error, "%s: the default of property \"%s\" is out of its range", node->id, prop->name);
  return TRUE;
}

static gboolean
leat_plugin_check_port (const LeatNodeInfo *node, guint index, GError **error)
{
  const LeatPortInfo *port = leat_node_info_get_port (node, index);
  g_autoptr (LeatSpec) spec = NULL;
  g_autoptr (GError) inner = NULL;

  if (port->size != node->ports[0].size)
    return leat_plugin_fail (error, "%s: port %u does not begin with its size", node->id, index);
  /* One that is made at run time is described by what it stands for, in brackets: "(input)". */
  if (port->name != NULL && (port->flags & LEAT_PORT_DYNAMIC) != 0 ? port->name[0] != '('
                                                                   : !leat_plugin_is_name (port->name, "-_"))
    return leat_plugin_fail (error, "%s: port %u has the name \"%s\", which cannot be one", node->id, index,
                             port->name != NULL ? port->name : "");
  for (guint i = 0; i < index; i++)
    if (strcmp (leat_node_info_get_port (node, i)->name, port->name) == 0)
      return leat_plugin_fail (error, "%s has two ports \"%s\"", node->id, port->name);
  if (port->direction != LEAT_PORT_INPUT && port->direction != LEAT_PORT_OUTPUT)
    return leat_plugin_fail (error, "%s: port \"%s\" has no direction", node->id, port->name);
  if (port->spec == NULL)
    return leat_plugin_fail (error, "%s: port \"%s\" has no spec", node->id, port->name);
  spec = leat_spec_parse (port->spec, &inner);
  if (spec == NULL)
    return leat_plugin_fail (error, "%s: port \"%s\": %s", node->id, port->name, inner->message);
  return TRUE;
}

static gboolean
leat_node_info_check_sizes (const LeatNodeInfo *self, GError **error)
{
  if (!leat_plugin_check_size (self->size, LEAT_NODE_INFO_SIZE_1, "a node's description", error))
    return FALSE;
  if (!leat_plugin_is_name (self->id, "-:"))
    return leat_plugin_fail (error, "a node has the id \"%s\", which cannot be one", self->id != NULL ? self->id : "");
  if (self->n_props > LEAT_PLUGIN_MAX_ENTRIES || self->n_ports > LEAT_PLUGIN_MAX_ENTRIES
      || (self->n_props > 0 && self->props == NULL) || (self->n_ports > 0 && self->ports == NULL))
    return leat_plugin_fail (error, "%s: the lists of properties and ports do not have the lengths that are given",
                             self->id);
  if (self->n_props > 0 && !leat_plugin_check_size (self->props[0].size, LEAT_PROP_SIZE_1, "a property", error))
    return FALSE;
  return self->n_ports == 0
         || leat_plugin_check_size (self->ports[0].size, LEAT_PORT_INFO_SIZE_1, "a port's description", error);
}

gboolean
leat_node_info_check (const LeatNodeInfo *self, GError **error)
{
  if (!leat_node_info_check_sizes (self, error))
    return FALSE;
  for (guint i = 0; i < self->n_props; i++)
    if (!leat_plugin_check_prop (self, i, error))
      return FALSE;
  for (guint i = 0; i < self->n_ports; i++)
    if (!leat_plugin_check_port (self, i, error))
      return FALSE;
  for (guint i = 0; self->aliases != NULL && self->aliases[i] != NULL; i++)
    if (!leat_plugin_is_name (self->aliases[i], "-:"))
      return leat_plugin_fail (error, "%s has the alias \"%s\", which cannot be one", self->id, self->aliases[i]);
  return TRUE;
}

gboolean
leat_plugin_info_check (const LeatPluginInfo *self, GError **error)
{
  if (self->abi != LEAT_PLUGIN_ABI)
    return leat_plugin_fail (error, "it was built for plugin ABI %u, this is ABI %u: build it again", self->abi,
                             LEAT_PLUGIN_ABI);
  if (!leat_plugin_check_size (self->size, LEAT_PLUGIN_INFO_SIZE_1, "the plugin's description", error))
    return FALSE;
  if (self->name == NULL || *self->name == '\0')
    return leat_plugin_fail (error, "the plugin has no name");
  if (self->n_nodes > LEAT_PLUGIN_MAX_ENTRIES || (self->n_nodes > 0 && self->nodes == NULL))
    return leat_plugin_fail (error, "its list of nodes does not have the length that is given");
  for (guint i = 0; i < self->n_nodes; i++)
    {
      if (self->nodes[i] == NULL)
        return leat_plugin_fail (error, "node %u is not described", i);
      if (!leat_node_info_check (self->nodes[i], error))
        return FALSE;
      if (self->nodes[i]->get_type == NULL)
        return leat_plugin_fail (error, "%s has no type function", self->nodes[i]->id);
      for (guint j = 0; j < i; j++)
        if (strcmp (self->nodes[i]->id, self->nodes[j]->id) == 0)
          return leat_plugin_fail (error, "two nodes have the id \"%s\"", self->nodes[i]->id);
    }
  return TRUE;
}
