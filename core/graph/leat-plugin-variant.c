/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Turns descriptions of plugins and nodes into variants and back, for the cache and the helper's answers.  Copies
 * everything and keeps no pointer into a plugin. */

#include "leat-plugin-private.h"

#include <string.h>

static const char *
leat_plugin_text (const char *text)
{
  return text != NULL ? text : "";
}

/* Text that is no UTF-8 cannot be in a variant; it is shown with its bad bytes replaced. */
static GVariant *
leat_plugin_text_to_variant (const char *text)
{
  return g_variant_new_take_string (g_utf8_make_valid (leat_plugin_text (text), -1));
}

static GVariant *
leat_plugin_words_to_variant (const char *const *words)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_STRING_ARRAY);
  for (; words != NULL && *words != NULL; words++)
    g_variant_builder_add_value (&builder, leat_plugin_text_to_variant (*words));
  return g_variant_builder_end (&builder);
}

static GVariant *
leat_prop_to_variant (const LeatProp *prop)
{
  gboolean is_text = prop->type == LEAT_PROP_STRING || prop->type == LEAT_PROP_PATH;
  const char *text = is_text ? prop->def.s : NULL;
  GVariant *fields[9];

  fields[0] = leat_plugin_text_to_variant (prop->name);
  fields[1] = g_variant_new_uint32 (prop->type);
  fields[2] = g_variant_new_uint32 (prop->flags);
  /* The union's bits: a pointer would mean nothing in another process. */
  fields[3] = g_variant_new_uint64 (is_text ? 0 : prop->def.u);
  fields[4] = g_variant_new_uint64 (is_text ? 0 : prop->min.u);
  fields[5] = g_variant_new_uint64 (is_text ? 0 : prop->max.u);
  fields[6] = g_variant_new_maybe (G_VARIANT_TYPE_STRING, text != NULL ? leat_plugin_text_to_variant (text) : NULL);
  fields[7] = leat_plugin_words_to_variant (prop->type == LEAT_PROP_CHOICE ? prop->choices : NULL);
  fields[8] = leat_plugin_text_to_variant (prop->blurb);
  return g_variant_new_tuple (fields, G_N_ELEMENTS (fields));
}

static GVariant *
leat_port_info_to_variant (const LeatPortInfo *port)
{
  GVariant *fields[5];

  fields[0] = leat_plugin_text_to_variant (port->name);
  fields[1] = g_variant_new_uint32 (port->direction);
  fields[2] = g_variant_new_uint32 (port->flags);
  fields[3] = leat_plugin_text_to_variant (port->spec);
  fields[4] = leat_plugin_text_to_variant (port->blurb);
  return g_variant_new_tuple (fields, G_N_ELEMENTS (fields));
}

static GVariant *
leat_node_info_to_variant (const LeatNodeInfo *node)
{
  GVariantBuilder props, ports;
  GVariant *fields[6];

  g_variant_builder_init (&props, G_VARIANT_TYPE ("a(suutttmsass)"));
  g_variant_builder_init (&ports, G_VARIANT_TYPE ("a(suuss)"));
  for (guint i = 0; i < node->n_props; i++)
    g_variant_builder_add_value (&props, leat_prop_to_variant (leat_node_info_get_prop (node, i)));
  for (guint i = 0; i < node->n_ports; i++)
    g_variant_builder_add_value (&ports, leat_port_info_to_variant (leat_node_info_get_port (node, i)));
  fields[0] = leat_plugin_text_to_variant (node->id);
  fields[1] = leat_plugin_words_to_variant (node->aliases);
  fields[2] = leat_plugin_text_to_variant (node->summary);
  fields[3] = leat_plugin_text_to_variant (node->description);
  fields[4] = g_variant_builder_end (&props);
  fields[5] = g_variant_builder_end (&ports);
  return g_variant_new_tuple (fields, G_N_ELEMENTS (fields));
}

GVariant *
leat_plugin_info_to_variant (const LeatPluginInfo *self)
{
  GVariantBuilder nodes;
  GVariant *fields[4];

  g_variant_builder_init (&nodes, G_VARIANT_TYPE ("a" LEAT_NODE_VARIANT));
  for (guint i = 0; i < self->n_nodes; i++)
    g_variant_builder_add_value (&nodes, leat_node_info_to_variant (self->nodes[i]));
  fields[0] = leat_plugin_text_to_variant (self->name);
  fields[1] = leat_plugin_text_to_variant (self->version);
  fields[2] = leat_plugin_text_to_variant (self->license);
  fields[3] = g_variant_builder_end (&nodes);
  return g_variant_new_tuple (fields, G_N_ELEMENTS (fields));
}

/* One block that everything of a description is carved from, so that one g_free () is the end of it. */
typedef struct
{
  char *next;
} LeatPluginArena;

static gpointer
leat_plugin_arena_take (LeatPluginArena *self, gsize bytes)
{
  gpointer block = self->next;

  self->next += (bytes + 7) & ~(gsize) 7;
  return block;
}

static gsize
leat_plugin_words_bytes (GVariant *words)
{
  return (g_variant_n_children (words) + 1) * sizeof (char *);
}

/* NULL for an empty list, as plugins write it. */
static const char *const *
leat_plugin_words_from_variant (GVariant *words, LeatPluginArena *arena)
{
  gsize n = g_variant_n_children (words);
  const char **list;

  if (n == 0)
    return NULL;
  list = leat_plugin_arena_take (arena, (n + 1) * sizeof *list);
  for (gsize i = 0; i < n; i++)
    g_variant_get_child (words, i, "&s", &list[i]);
  return list;
}

static void
leat_prop_from_variant (GVariant *variant, LeatProp *prop, LeatPluginArena *arena)
{
  g_autoptr (GVariant) choices = g_variant_get_child_value (variant, 7);
  const char *text = NULL;
  guint32 type;

  prop->size = sizeof *prop;
  g_variant_get_child (variant, 0, "&s", &prop->name);
  g_variant_get_child (variant, 1, "u", &type);
  g_variant_get_child (variant, 2, "u", &prop->flags);
  g_variant_get_child (variant, 3, "t", &prop->def.u);
  g_variant_get_child (variant, 4, "t", &prop->min.u);
  g_variant_get_child (variant, 5, "t", &prop->max.u);
  g_variant_get_child (variant, 6, "m&s", &text);
  g_variant_get_child (variant, 8, "&s", &prop->blurb);
  prop->type = type;
  prop->choices = leat_plugin_words_from_variant (choices, arena);
  if (text != NULL)
    prop->def.s = text;
}

static void
leat_port_info_from_variant (GVariant *variant, LeatPortInfo *port)
{
  guint32 direction;

  port->size = sizeof *port;
  g_variant_get (variant, "(&suu&s&s)", &port->name, &direction, &port->flags, &port->spec, &port->blurb);
  port->direction = direction;
}

static gsize
leat_node_info_bytes (GVariant *aliases, GVariant *props, GVariant *ports)
{
  gsize n_props = g_variant_n_children (props);
  gsize bytes = sizeof (LeatNodeInfo) + leat_plugin_words_bytes (aliases) + n_props * sizeof (LeatProp)
                + g_variant_n_children (ports) * sizeof (LeatPortInfo);

  for (gsize i = 0; i < n_props; i++)
    {
      g_autoptr (GVariant) prop = g_variant_get_child_value (props, i);
      g_autoptr (GVariant) choices = g_variant_get_child_value (prop, 7);

      bytes += leat_plugin_words_bytes (choices);
    }
  return bytes;
}

LeatNodeInfo *
leat_node_info_new_from_variant (GVariant *node)
{
  /* Serialized, all strings are in the one block that @node keeps, whichever child gave them. */
  gconstpointer block G_GNUC_UNUSED = g_variant_get_data (node);
  g_autoptr (GVariant) aliases = g_variant_get_child_value (node, 1);
  g_autoptr (GVariant) props = g_variant_get_child_value (node, 4);
  g_autoptr (GVariant) ports = g_variant_get_child_value (node, 5);
  LeatPluginArena arena = { g_malloc0 (leat_node_info_bytes (aliases, props, ports)) };
  LeatNodeInfo *self = leat_plugin_arena_take (&arena, sizeof *self);
  LeatProp *prop_list;
  LeatPortInfo *port_list;

  self->size = sizeof *self;
  self->n_props = g_variant_n_children (props);
  self->n_ports = g_variant_n_children (ports);
  prop_list = leat_plugin_arena_take (&arena, self->n_props * sizeof *prop_list);
  port_list = leat_plugin_arena_take (&arena, self->n_ports * sizeof *port_list);
  g_variant_get_child (node, 0, "&s", &self->id);
  g_variant_get_child (node, 2, "&s", &self->summary);
  g_variant_get_child (node, 3, "&s", &self->description);
  self->aliases = leat_plugin_words_from_variant (aliases, &arena);
  for (guint i = 0; i < self->n_props; i++)
    {
      g_autoptr (GVariant) prop = g_variant_get_child_value (props, i);

      leat_prop_from_variant (prop, &prop_list[i], &arena);
    }
  for (guint i = 0; i < self->n_ports; i++)
    {
      g_autoptr (GVariant) port = g_variant_get_child_value (ports, i);

      leat_port_info_from_variant (port, &port_list[i]);
    }
  self->props = prop_list;
  self->ports = port_list;
  return self;
}
