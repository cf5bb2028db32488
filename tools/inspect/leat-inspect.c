/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The tool leat-inspect: options, and which nodes, plugins or kernels are shown. */

#include "leat-inspect-artifact.h"
#include "leat-inspect-devices.h"
#include "leat-inspect-show.h"
#include "leat-tool.h"

#include "section/leat-section-reader-private.h"
#include "optimise/leat-optimise-private.h"

#include <stdio.h>
#include <string.h>

typedef struct
{
  gboolean json, broken, devices, passes, check, version;
  char *device;
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
    { "passes", 0, 0, G_OPTION_ARG_NONE, &self->passes, "List what optimises plans", NULL },
    { "check", 0, 0, G_OPTION_ARG_NONE, &self->check, "Of an artifact: compare every checksum", NULL },
    { "device", 0, 0, G_OPTION_ARG_STRING, &self->device, "Tell what a kernel takes on DEVICE: cuda:0, cpu, auto",
      "DEVICE" },
    { "plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->plugin_paths, "Search FOLDER for plugins first",
      "FOLDER" },
    { "version", 0, 0, G_OPTION_ARG_NONE, &self->version, "Print the version", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->words, NULL, NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (
    "[NODE | PLUGIN | FILE.leata | kernel source=FILE.cu [entry=NAME] [defines=LIST] [PROPERTY=VALUE ...]]");

  g_option_context_set_summary (
    context, "Describes plugins, nodes, kernels, artifacts and devices; without a name, lists all nodes.");
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error);
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
      return leat_inspect_write_json (builder);
    }
  if (options->broken)
    leat_inspect_print_broken (out, broken);
  else if (plugin != NULL)
    leat_inspect_print_plugin (out, factories, plugin);
  else
    leat_inspect_print_table (out, factories, broken);
  return leat_inspect_write_text (out);
}

static LeatExit
leat_inspect_show_node (const LeatInspectOptions *options, LeatFactory *factory)
{
  g_autoptr (JsonBuilder) builder = NULL;
  g_autoptr (GString) out = g_string_new (NULL);

  if (!options->json)
    {
      leat_inspect_print_node (out, factory);
      return leat_inspect_write_text (out);
    }
  builder = json_builder_new ();
  leat_inspect_add_node (builder, factory);
  return leat_inspect_write_json (builder);
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
      return leat_inspect_write_json (builder);
    }
  leat_inspect_print_devices (out, devices, absent);
  return leat_inspect_write_text (out);
}

/* In the order in which they look at a plan. */
static LeatExit
leat_inspect_show_passes (const LeatInspectOptions *options)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (GString) out = g_string_new (NULL);
  guint n;
  const LeatPass *passes = leat_plan_list_passes (&n);

  json_builder_begin_array (builder);
  for (guint i = 0; i < n; i++)
    {
      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "name");
      json_builder_add_string_value (builder, passes[i].name);
      json_builder_set_member_name (builder, "description");
      json_builder_add_string_value (builder, passes[i].blurb);
      json_builder_end_object (builder);
      g_string_append_printf (out, "%-8s %s\n", passes[i].name, passes[i].blurb);
    }
  json_builder_end_array (builder);
  return options->json ? leat_inspect_write_json (builder) : leat_inspect_write_text (out);
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
  if (options->passes && (n > 0 || options->broken))
    return leat_tool_report_usage ("--passes lists the passes over plans, and nothing else: leave out %s",
                                   n > 0 ? options->words[0] : "--broken");
  if (options->passes)
    return leat_inspect_show_passes (options);
  if (options->device != NULL && (n < 2 || strcmp (options->words[0], "kernel") != 0))
    return leat_tool_report_usage ("--device says where a kernel is looked at: add kernel source=FILE.cu, or take "
                                   "--devices for the devices themselves");
  if (n == 1 && (options->check || leat_section_file_is_at (options->words[0])))
    return leat_inspect_show_artifact (options->words[0], options->check, options->json);
  if (options->check)
    return leat_tool_report_usage ("--check is for an artifact: add FILE.leata");
  if (n == 0)
    return leat_inspect_list (options, NULL);
  if (n == 1)
    return leat_inspect_show_name (options, options->words[0]);
  if (strcmp (options->words[0], "kernel") == 0)
    return leat_inspect_show_kernel (options->words + 1, options->device, options->json);
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
  g_free (options.device);
  g_strfreev (options.plugin_paths);
  g_strfreev (options.words);
  return leat_tool_finish_output (code);
}
