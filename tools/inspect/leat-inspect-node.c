/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One node, for people. */

#include "leat-inspect-print.h"

#include "graph/leat-plugin-private.h"

static void
leat_inspect_print_aliases (GString *out, const LeatNodeInfo *info)
{
  g_autofree char *all = NULL;

  if (info->aliases == NULL || info->aliases[0] == NULL)
    return;
  all = g_strjoinv (", ", (char **) info->aliases);
  g_string_append_printf (out, "also called %s\n", all);
}

static void
leat_inspect_print_port (GString *out, const LeatPortInfo *port)
{
  g_string_append_printf (out, "  %-6s  %-14s  %-16s  %s%s", port->direction == LEAT_PORT_INPUT ? "input" : "output",
                          port->name, port->spec,
                          (port->flags & LEAT_PORT_HOST) != 0       ? "host"
                          : (port->flags & LEAT_PORT_ANYWHERE) != 0 ? "host or device"
                                                                    : "device",
                          (port->flags & LEAT_PORT_OPTIONAL) != 0 ? ", optional" : "");
  g_string_append (out, "\n          ");
  leat_inspect_append_blurb (out, port->blurb, 10);
}

static void
leat_inspect_print_ports (GString *out, const LeatNodeInfo *info)
{
  g_string_append (out, "\nPorts\n");
  for (guint i = 0; i < info->n_ports; i++)
    leat_inspect_print_port (out, &info->ports[i]);
  if (info->n_ports == 0)
    g_string_append (out, "  they follow from the properties\n");
}

/* "uint, 1 to 64, default 3": what may be written after the equals sign. */
static void
leat_inspect_print_prop (GString *out, const LeatProp *prop)
{
  g_autofree char *range = leat_prop_dup_range (prop);
  g_autofree char *def = leat_inspect_dup_default (prop);

  g_string_append_printf (out, "  %-14s  %s", prop->name, leat_inspect_get_type_name (prop->type));
  if (range != NULL)
    g_string_append_printf (out, prop->type == LEAT_PROP_CHOICE ? ": %s" : ", %s", range);
  if (def != NULL)
    g_string_append_printf (out, ", default %s", def);
  if ((prop->flags & LEAT_PROP_REQUIRED) != 0)
    g_string_append (out, ", required");
  if ((prop->flags & LEAT_PROP_LIVE) != 0)
    g_string_append (out, ", may change while running");
  g_string_append (out, "\n          ");
  leat_inspect_append_blurb (out, prop->blurb, 10);
}

void
leat_inspect_print_node (GString *out, LeatFactory *factory)
{
  const LeatNodeInfo *info = leat_factory_get_info (factory);
  const char *path = leat_factory_get_plugin_path (factory);

  g_string_append_printf (out, "%s: %s\n", info->id, info->summary);
  leat_inspect_print_aliases (out, info);
  g_string_append_printf (out, "plugin %s %s", leat_factory_get_plugin_name (factory),
                          leat_factory_get_plugin_version (factory));
  g_string_append_printf (out, path != NULL ? ", %s\n" : "\n", path);
  if (info->description != NULL && *info->description != '\0')
    {
      g_string_append_c (out, '\n');
      leat_inspect_append_wrapped (out, info->description, 0);
    }
  leat_inspect_print_ports (out, info);
  if (info->n_props > 0)
    g_string_append (out, "\nProperties\n");
  for (guint i = 0; i < info->n_props; i++)
    leat_inspect_print_prop (out, &info->props[i]);
}
