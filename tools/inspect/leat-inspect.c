/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The tool leat-inspect: options, and which nodes, plugins or kernels are shown. */

#include "leat-inspect-devices.h"
#include "kernel/leat-image-private.h"
#include "leat-tool.h"

#include "kernel/leat-kernel-source-private.h"

#include <stdio.h>
#include <string.h>

typedef struct
{
  gboolean json, broken, devices, version;
  char **plugin_paths;
  char **words;
} LeatInspectOptions;

static gboolean
leat_inspect_parse_options (LeatInspectOptions *self, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &self->json, "Print JSON", NULL },
    { "broken", 0, 0, G_OPTION_ARG_NONE, &self->broken, "List the plugins that cannot be used, with the reasons",
      NULL },
    { "devices", 0, 0, G_OPTION_ARG_NONE, &self->devices, "Describe the devices of this machine", NULL },
    { "plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->plugin_paths, "Search FOLDER for plugins first",
      "FOLDER" },
    { "version", 0, 0, G_OPTION_ARG_NONE, &self->version, "Print the version", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->words, NULL, NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context =
    g_option_context_new ("[NODE | PLUGIN | kernel source=FILE.cu [entry=NAME] [defines=LIST]]");

  g_option_context_set_summary (context,
                                "Describes plugins, nodes, kernels and devices; without a name, lists all nodes.");
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error);
}

static LeatExit
leat_inspect_print_text (GString *out)
{
  g_autoptr (GError) error = NULL;

  if (leat_tool_print (out->str, &error))
    return LEAT_EXIT_OK;
  leat_tool_report (error);
  return LEAT_EXIT_FAILED;
}

static LeatExit
leat_inspect_print_json (JsonBuilder *builder)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = json_to_string (root, TRUE);
  g_autoptr (GString) out = g_string_new (text);

  g_string_append_c (out, '\n');
  return leat_inspect_print_text (out);
}

static LeatExit
leat_inspect_list (const LeatInspectOptions *options, const char *plugin)
{
  LeatRegistry *registry = leat_registry_get_default ();
  g_autoptr (GPtrArray) factories = leat_registry_list (registry);
  g_autoptr (GVariant) broken = leat_registry_list_broken (registry);
  g_autoptr (JsonBuilder) builder = NULL;
  g_autoptr (GString) out = g_string_new (NULL);

  if (options->json)
    {
      builder = json_builder_new ();
      leat_inspect_add_table (builder, factories, plugin, broken);
      return leat_inspect_print_json (builder);
    }
  if (options->broken)
    leat_inspect_print_broken (out, broken);
  else if (plugin != NULL)
    leat_inspect_print_plugin (out, factories, plugin);
  else
    leat_inspect_print_table (out, factories, broken);
  return leat_inspect_print_text (out);
}

static LeatExit
leat_inspect_show_node (const LeatInspectOptions *options, LeatFactory *factory)
{
  g_autoptr (JsonBuilder) builder = NULL;
  g_autoptr (GString) out = g_string_new (NULL);

  if (!options->json)
    {
      leat_inspect_print_node (out, factory);
      return leat_inspect_print_text (out);
    }
  builder = json_builder_new ();
  leat_inspect_add_node (builder, factory);
  return leat_inspect_print_json (builder);
}

static gboolean
leat_inspect_is_plugin (const char *name)
{
  g_autoptr (GPtrArray) factories = leat_registry_list (leat_registry_get_default ());

  for (guint i = 0; i < factories->len; i++)
    if (strcmp (leat_factory_get_plugin_name (g_ptr_array_index (factories, i)), name) == 0)
      return TRUE;
  return FALSE;
}

static LeatExit
leat_inspect_show_name (const LeatInspectOptions *options, const char *name)
{
  g_autoptr (GError) error = NULL;
  LeatFactory *factory = leat_registry_find (leat_registry_get_default (), name, &error);

  if (factory != NULL)
    return leat_inspect_show_node (options, factory);
  if (leat_inspect_is_plugin (name))
    return leat_inspect_list (options, name);
  if (g_str_has_suffix (name, ".cu"))
    leat_tool_note ("%s is no node; for its kernels: leat-inspect kernel source=%s", name, name);
  else
    leat_tool_report (error);
  return LEAT_EXIT_FAILED;
}

static gboolean
leat_inspect_add_prototype (GPtrArray *prototypes, LeatKernelSource *source, const char *entry, GError **error)
{
  const LeatPrototype *prototype = leat_kernel_source_get_prototype (source, entry, error);

  if (prototype != NULL)
    g_ptr_array_add (prototypes, (gpointer) prototype);
  return prototype != NULL;
}

/* The entry asked for, or all of them. */
static GPtrArray *
leat_inspect_find_prototypes (LeatKernelSource *source, const char *entry, GError **error)
{
  g_autoptr (GPtrArray) prototypes = g_ptr_array_new ();
  g_auto (GStrv) entries = leat_kernel_source_list_entries (source);
  gboolean ok = TRUE;

  /* With no entry at all, asking for the only one says so. */
  if (entry != NULL || entries[0] == NULL)
    ok = leat_inspect_add_prototype (prototypes, source, entry, error);
  else
    for (guint i = 0; ok && entries[i] != NULL; i++)
      ok = leat_inspect_add_prototype (prototypes, source, entries[i], error);
  return ok ? g_steal_pointer (&prototypes) : NULL;
}

static LeatExit
leat_inspect_print_prototypes (const LeatInspectOptions *options, LeatKernelSource *source, GPtrArray *prototypes)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (GString) out = g_string_new (NULL);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "kernels");
  json_builder_begin_array (builder);
  for (guint i = 0; i < prototypes->len; i++)
    {
      if (i > 0)
        g_string_append_c (out, '\n');
      leat_inspect_print_kernel (out, source, g_ptr_array_index (prototypes, i));
      leat_inspect_add_kernel (builder, source, g_ptr_array_index (prototypes, i));
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return options->json ? leat_inspect_print_json (builder) : leat_inspect_print_text (out);
}

static LeatExit
leat_inspect_show_kernel (const LeatInspectOptions *options, const char *path, const char *entry, const char *defines)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) macros = defines != NULL ? leat_kernel_split_defines (defines) : NULL;
  g_autoptr (LeatKernelSource) source =
    leat_kernel_source_new_from_file_with_defines (path, (const char *const *) macros, &error);
  g_autoptr (GPtrArray) prototypes = source != NULL ? leat_inspect_find_prototypes (source, entry, &error) : NULL;
  g_autoptr (GError) open = leat_image_host_check_values ();
  const char *const *warnings;

  if (prototypes == NULL)
    {
      leat_tool_report (error);
      return LEAT_EXIT_FAILED;
    }
  warnings = leat_kernel_source_list_warnings (source);
  for (guint i = 0; warnings != NULL && warnings[i] != NULL; i++)
    {
      leat_tool_say (warnings[i]);
      leat_tool_say ("\n");
    }
  if (open != NULL)
    {
      leat_tool_say (open->message);
      leat_tool_say ("\n");
    }
  return leat_inspect_print_prototypes (options, source, prototypes);
}

static LeatExit
leat_inspect_show_kernel_words (const LeatInspectOptions *options)
{
  const char *source = NULL, *entry = NULL, *defines = NULL;

  for (guint i = 1; options->words[i] != NULL; i++)
    if (g_str_has_prefix (options->words[i], "source="))
      source = options->words[i] + strlen ("source=");
    else if (g_str_has_prefix (options->words[i], "entry="))
      entry = options->words[i] + strlen ("entry=");
    else if (g_str_has_prefix (options->words[i], "defines="))
      defines = options->words[i] + strlen ("defines=");
    else
      return leat_tool_report_usage (
        "%s: only source=FILE.cu, entry=NAME and defines=NAME,NAME=VALUE are read of a kernel", options->words[i]);
  if (source == NULL)
    return leat_tool_report_usage ("entry= and defines= need source=FILE.cu");
  return leat_inspect_show_kernel (options, source, entry, defines);
}

static LeatExit
leat_inspect_show_devices (const LeatInspectOptions *options)
{
  g_autoptr (GPtrArray) absent = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) devices = leat_inspect_list_devices (absent);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (GString) out = g_string_new (NULL);

  if (options->json)
    {
      leat_inspect_add_devices (builder, devices, absent);
      return leat_inspect_print_json (builder);
    }
  leat_inspect_print_devices (out, devices, absent);
  return leat_inspect_print_text (out);
}

static LeatExit
leat_inspect_do (const LeatInspectOptions *options)
{
  guint n = options->words != NULL ? g_strv_length (options->words) : 0;

  leat_tool_add_plugin_paths (options->plugin_paths);
  if (n > 0 && options->broken)
    return leat_tool_report_usage ("--broken takes no name");
  if (options->devices && (n > 0 || options->broken))
    return leat_tool_report_usage ("--devices shows all devices, and nothing else: leave out %s",
                                   n > 0 ? options->words[0] : "--broken");
  if (options->devices)
    return leat_inspect_show_devices (options);
  if (n == 0)
    return leat_inspect_list (options, NULL);
  if (n == 1)
    return leat_inspect_show_name (options, options->words[0]);
  if (strcmp (options->words[0], "kernel") == 0)
    return leat_inspect_show_kernel_words (options);
  return leat_tool_report_usage ("one name at a time; only kernel takes more words");
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  LeatInspectOptions options = { FALSE };
  LeatExit code = LEAT_EXIT_OK;

  leat_tool_start ("leat-inspect");
  if (!leat_inspect_parse_options (&options, &argc, &argv, &error))
    code = leat_tool_report_usage ("%s", error->message);
  else if (options.version)
    puts ("leat-inspect " LEAT_VERSION);
  else
    code = leat_inspect_do (&options);
  g_strfreev (options.plugin_paths);
  g_strfreev (options.words);
  return leat_tool_finish_output (code);
}
