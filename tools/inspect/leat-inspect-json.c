/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Nodes and plugins as JSON, for leat-inspect.  Reads descriptions of the registry, and adds to the caller's
 * builder. */

#include "leat-inspect-print.h"

#include "graph/leat-plugin-private.h"

#include <math.h>
#include <string.h>

/* Members whose value is not there are left out. */
void
leat_inspect_add_json_text (JsonBuilder *builder, const char *name, const char *value)
{
  if (value == NULL)
    return;
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

void
leat_inspect_add_json_number (JsonBuilder *builder, const char *name, guint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64) MIN (value, G_MAXINT64));
}

void
leat_inspect_add_axes (JsonBuilder *builder, const char *name, const guint *axes)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < 3; i++)
    json_builder_add_int_value (builder, axes[i]);
  json_builder_end_array (builder);
}

static void
leat_inspect_add_flag (JsonBuilder *builder, const char *name, gboolean value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, value);
}

static void
leat_inspect_add_port (JsonBuilder *builder, const LeatPortInfo *port)
{
  json_builder_begin_object (builder);
  leat_inspect_add_json_text (builder, "name", port->name);
  leat_inspect_add_json_text (builder, "direction", port->direction == LEAT_PORT_INPUT ? "input" : "output");
  leat_inspect_add_json_text (builder, "spec", port->spec);
  leat_inspect_add_json_text (builder, "memory",
                              (port->flags & LEAT_PORT_HOST) != 0       ? "host"
                              : (port->flags & LEAT_PORT_ANYWHERE) != 0 ? "any"
                                                                        : "device");
  leat_inspect_add_flag (builder, "optional", (port->flags & LEAT_PORT_OPTIONAL) != 0);
  leat_inspect_add_json_text (builder, "blurb", port->blurb);
  json_builder_end_object (builder);
}

/* JSON-GLib's integers are signed, and JSON has no infinite numbers, which bound nothing. */
static void
leat_inspect_add_bound (JsonBuilder *builder, const char *name, const LeatProp *prop, LeatPropValue value)
{
  if (prop->type == LEAT_PROP_DOUBLE && isinf (value.d))
    return;
  json_builder_set_member_name (builder, name);
  if (prop->type == LEAT_PROP_DOUBLE)
    json_builder_add_double_value (builder, value.d);
  else
    json_builder_add_int_value (builder, prop->type == LEAT_PROP_INT ? value.i : (gint64) MIN (value.u, G_MAXINT64));
}

static void
leat_inspect_add_choices (JsonBuilder *builder, const LeatProp *prop)
{
  json_builder_set_member_name (builder, "choices");
  json_builder_begin_array (builder);
  for (guint i = 0; prop->choices[i] != NULL; i++)
    json_builder_add_string_value (builder, prop->choices[i]);
  json_builder_end_array (builder);
}

static void
leat_inspect_add_prop (JsonBuilder *builder, const LeatProp *prop)
{
  g_autofree char *def = leat_inspect_dup_default (prop);

  json_builder_begin_object (builder);
  leat_inspect_add_json_text (builder, "name", prop->name);
  leat_inspect_add_json_text (builder, "type", leat_inspect_get_type_name (prop->type));
  leat_inspect_add_json_text (builder, "default", def);
  if (leat_prop_has_min (prop))
    leat_inspect_add_bound (builder, "min", prop, prop->min);
  if (leat_prop_has_max (prop))
    leat_inspect_add_bound (builder, "max", prop, prop->max);
  if (prop->type == LEAT_PROP_CHOICE)
    leat_inspect_add_choices (builder, prop);
  leat_inspect_add_flag (builder, "required", (prop->flags & LEAT_PROP_REQUIRED) != 0);
  leat_inspect_add_flag (builder, "live", (prop->flags & LEAT_PROP_LIVE) != 0);
  leat_inspect_add_json_text (builder, "blurb", prop->blurb);
  json_builder_end_object (builder);
}

static void
leat_inspect_add_aliases (JsonBuilder *builder, const LeatNodeInfo *info)
{
  json_builder_set_member_name (builder, "aliases");
  json_builder_begin_array (builder);
  for (guint i = 0; info->aliases != NULL && info->aliases[i] != NULL; i++)
    json_builder_add_string_value (builder, info->aliases[i]);
  json_builder_end_array (builder);
}

void
leat_inspect_add_node (JsonBuilder *builder, LeatFactory *factory)
{
  const LeatNodeInfo *info = leat_factory_get_info (factory);

  json_builder_begin_object (builder);
  leat_inspect_add_json_text (builder, "id", info->id);
  leat_inspect_add_aliases (builder, info);
  leat_inspect_add_json_text (builder, "summary", info->summary);
  leat_inspect_add_json_text (builder, "description", info->description);
  leat_inspect_add_json_text (builder, "plugin", leat_factory_get_plugin_name (factory));
  leat_inspect_add_json_text (builder, "plugin-version", leat_factory_get_plugin_version (factory));
  leat_inspect_add_json_text (builder, "plugin-path", leat_factory_get_plugin_path (factory));
  json_builder_set_member_name (builder, "ports");
  json_builder_begin_array (builder);
  for (guint i = 0; i < info->n_ports; i++)
    leat_inspect_add_port (builder, &info->ports[i]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "properties");
  json_builder_begin_array (builder);
  for (guint i = 0; i < info->n_props; i++)
    leat_inspect_add_prop (builder, &info->props[i]);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

static void
leat_inspect_add_broken (JsonBuilder *builder, GVariant *broken)
{
  const char *path, *name, *reason;
  GVariantIter iter;

  json_builder_set_member_name (builder, "broken");
  json_builder_begin_array (builder);
  g_variant_iter_init (&iter, broken);
  while (g_variant_iter_next (&iter, "(&s&s&s)", &path, &name, &reason))
    {
      json_builder_begin_object (builder);
      leat_inspect_add_json_text (builder, "path", path);
      leat_inspect_add_json_text (builder, "name", name);
      leat_inspect_add_json_text (builder, "reason", reason);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

void
leat_inspect_add_table (JsonBuilder *builder, GPtrArray *factories, const char *plugin, GVariant *broken)
{
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "nodes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < factories->len; i++)
    {
      LeatFactory *factory = g_ptr_array_index (factories, i);

      if (plugin == NULL || strcmp (leat_factory_get_plugin_name (factory), plugin) == 0)
        leat_inspect_add_node (builder, factory);
    }
  json_builder_end_array (builder);
  leat_inspect_add_broken (builder, broken);
  json_builder_end_object (builder);
}
