/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Tables of nodes and plugins for people, for leat-inspect.  Reads descriptions of the registry, and appends to the
 * caller's text. */

#include "leat-inspect-print.h"

#include "graph/leat-plugin-private.h"

#include <string.h>

#define LEAT_INSPECT_WIDTH 100

const char *
leat_inspect_get_type_name (LeatPropType type)
{
  static const char *const names[] = { "bool", "int", "uint", "bytes", "double", "string", "path", "choice" };

  return (guint) type < G_N_ELEMENTS (names) ? names[type] : "unknown";
}

char *
leat_inspect_dup_default (const LeatProp *prop)
{
  if ((prop->flags & LEAT_PROP_REQUIRED) != 0)
    return NULL;
  switch (prop->type)
    {
    case LEAT_PROP_BOOL:
      return g_strdup (prop->def.i != 0 ? "true" : "false");
    case LEAT_PROP_INT:
      return g_strdup_printf ("%" G_GINT64_FORMAT, prop->def.i);
    case LEAT_PROP_DOUBLE:
      return leat_prop_print_double (prop->def.d, FALSE);
    case LEAT_PROP_CHOICE:
      return g_strdup (prop->choices[prop->def.i]);
    case LEAT_PROP_STRING:
    case LEAT_PROP_PATH:
      return prop->def.s != NULL && *prop->def.s != '\0' ? g_strdup (prop->def.s) : NULL;
    default:
      return g_strdup_printf ("%" G_GUINT64_FORMAT, prop->def.u);
    }
}

static guint
leat_inspect_get_column (const GString *out)
{
  const char *line = strrchr (out->str, '\n');

  return g_utf8_strlen (line != NULL ? line + 1 : out->str, -1);
}

static void
leat_inspect_append_paragraph (GString *out, const char *text, guint indent)
{
  g_auto (GStrv) words = g_strsplit_set (text, " ", -1);
  gboolean first = TRUE;

  for (guint i = 0; words[i] != NULL; i++)
    {
      if (words[i][0] == '\0')
        continue;
      if (!first && leat_inspect_get_column (out) + 1 + g_utf8_strlen (words[i], -1) > LEAT_INSPECT_WIDTH)
        g_string_append_printf (out, "\n%*s", (int) indent, "");
      else if (!first)
        g_string_append_c (out, ' ');
      g_string_append (out, words[i]);
      first = FALSE;
    }
  g_string_append_c (out, '\n');
}

void
leat_inspect_append_blurb (GString *out, const char *text, guint indent)
{
  if (text != NULL && *text != '\0')
    leat_inspect_append_paragraph (out, text, indent);
  else
    g_string_append_c (out, '\n');
}

void
leat_inspect_append_wrapped (GString *out, const char *text, guint indent)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (lines[i][0] != '\0')
        g_string_append_printf (out, "%*s", (int) indent, "");
      leat_inspect_append_blurb (out, lines[i], indent);
    }
}

static void
leat_inspect_print_row (GString *out, LeatFactory *factory)
{
  g_string_append_printf (out, "  %-16s  ", leat_factory_get_id (factory));
  leat_inspect_append_blurb (out, leat_factory_get_summary (factory), 20);
}

static void
leat_inspect_print_plugin_head (GString *out, LeatFactory *factory)
{
  const char *path = leat_factory_get_plugin_path (factory);

  g_string_append_printf (out, "%s %s", leat_factory_get_plugin_name (factory),
                          leat_factory_get_plugin_version (factory));
  g_string_append_printf (out, path != NULL ? "  (%s)\n" : "\n", path);
}

void
leat_inspect_print_plugin (GString *out, GPtrArray *factories, const char *name)
{
  gboolean first = TRUE;

  for (guint i = 0; i < factories->len; i++)
    {
      LeatFactory *factory = g_ptr_array_index (factories, i);

      if (strcmp (leat_factory_get_plugin_name (factory), name) != 0)
        continue;
      if (first)
        leat_inspect_print_plugin_head (out, factory);
      first = FALSE;
      leat_inspect_print_row (out, factory);
    }
}

void
leat_inspect_print_table (GString *out, GPtrArray *factories, GVariant *broken)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < factories->len; i++)
    {
      const char *plugin = leat_factory_get_plugin_name (g_ptr_array_index (factories, i));

      if (!g_hash_table_add (seen, (gpointer) plugin))
        continue;
      if (out->len > 0)
        g_string_append_c (out, '\n');
      leat_inspect_print_plugin (out, factories, plugin);
    }
  g_string_append_printf (out, "%s%u nodes in %u plugins", out->len > 0 ? "\n" : "", factories->len,
                          g_hash_table_size (seen));
  if (g_variant_n_children (broken) > 0)
    g_string_append_printf (out, "; %u broken plugins, see leat-inspect --broken",
                            (guint) g_variant_n_children (broken));
  g_string_append_c (out, '\n');
}

void
leat_inspect_print_broken (GString *out, GVariant *broken)
{
  const char *path, *name, *reason;
  GVariantIter iter;

  g_variant_iter_init (&iter, broken);
  while (g_variant_iter_next (&iter, "(&s&s&s)", &path, &name, &reason))
    g_string_append_printf (out, "%s: %s\n", path, reason);
  if (out->len == 0)
    g_string_append (out, "no broken plugins\n");
}
