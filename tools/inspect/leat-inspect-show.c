/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Shows the kernels of a file, and with --device what they are on a device.  Writes to standard output. */

#include "leat-inspect-show.h"

#include "leat-inspect-launch.h"

#include "kernel/leat-image-private.h"
#include "kernel/leat-kernel-source-private.h"

LeatExit
leat_inspect_write_text (GString *out)
{
  g_autoptr (GError) error = NULL;

  if (leat_tool_print (out->str, &error))
    return LEAT_EXIT_OK;
  leat_tool_report (error);
  return LEAT_EXIT_FAILED;
}

LeatExit
leat_inspect_write_json (JsonBuilder *builder)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = json_to_string (root, TRUE);
  g_autoptr (GString) out = g_string_new (text);

  g_string_append_c (out, '\n');
  return leat_inspect_write_text (out);
}

static gboolean
leat_inspect_add_prototype (GPtrArray *prototypes, LeatKernelSource *source, const char *entry, GError **error)
{
  const LeatPrototype *prototype = leat_kernel_source_get_prototype (source, entry, error);

  if (prototype != NULL)
    g_ptr_array_add (prototypes, (gpointer) prototype);
  return prototype != NULL;
}

/* All kernels of the file that can be bound.  @unbound: why others cannot, in pairs of name and reason */
static GPtrArray *
leat_inspect_find_all (LeatKernelSource *source, char **entries, GPtrArray *unbound, GError **error)
{
  g_autoptr (GPtrArray) prototypes = g_ptr_array_new ();
  g_autoptr (GError) first = NULL;

  for (guint i = 0; entries[i] != NULL; i++)
    {
      g_autoptr (GError) local = NULL;

      if (leat_inspect_add_prototype (prototypes, source, entries[i], &local))
        continue;
      g_ptr_array_add (unbound, g_strdup (entries[i]));
      g_ptr_array_add (unbound, g_strdup (local->message));
      if (first == NULL)
        first = g_steal_pointer (&local);
    }
  if (prototypes->len > 0 || first == NULL)
    return g_steal_pointer (&prototypes);
  g_propagate_error (error, g_steal_pointer (&first));
  return NULL;
}

/* Kernels that are templates, each with an instance that would do. */
static void
leat_inspect_add_templates (LeatKernelSource *source, GPtrArray *unbound)
{
  g_auto (GStrv) names = leat_kernel_source_list_templates (source);

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GError) local = NULL;

      if (leat_kernel_source_get_prototype (source, names[i], &local) != NULL)
        continue;
      g_ptr_array_add (unbound, g_strdup (names[i]));
      g_ptr_array_add (unbound, g_strdup (local->message));
    }
}

/* The entry asked for, or all of them. */
static GPtrArray *
leat_inspect_find_prototypes (LeatKernelSource *source, const char *entry, GPtrArray *unbound, GError **error)
{
  g_autoptr (GPtrArray) prototypes = NULL;
  g_auto (GStrv) entries = leat_kernel_source_list_entries (source);

  /* With no entry at all, asking for the only one says so. */
  if (entry == NULL && entries[0] != NULL)
    {
      prototypes = leat_inspect_find_all (source, entries, unbound, error);
      leat_inspect_add_templates (source, unbound);
      return g_steal_pointer (&prototypes);
    }
  prototypes = g_ptr_array_new ();
  return leat_inspect_add_prototype (prototypes, source, entry, error) ? g_steal_pointer (&prototypes) : NULL;
}

static void
leat_inspect_write_unbound (GPtrArray *unbound, GString *out, JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "unbound");
  json_builder_begin_array (builder);
  for (guint i = 0; i < unbound->len; i += 2)
    {
      const char *name = g_ptr_array_index (unbound, i), *why = g_ptr_array_index (unbound, i + 1);

      g_string_append_printf (out, "\n%s: a kernel that cannot be bound\n\n  %s\n", name, why);
      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "entry");
      json_builder_add_string_value (builder, name);
      json_builder_set_member_name (builder, "reason");
      json_builder_add_string_value (builder, why);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
leat_inspect_warn (LeatKernelSource *source)
{
  const char *const *warnings = leat_kernel_source_list_warnings (source);
  g_autoptr (GError) open = leat_image_host_check_values ();

  for (guint i = 0; warnings != NULL && warnings[i] != NULL; i++)
    {
      leat_tool_say (warnings[i]);
      leat_tool_say ("\n");
    }
  if (open == NULL)
    return;
  leat_tool_say (open->message);
  leat_tool_say ("\n");
}

/* What is known of each kernel on the device; NULL without one. (element-type LeatInspectOnDevice) */
static GPtrArray *
leat_inspect_look_at_all (GPtrArray *prototypes, LeatKernelSource *source, const char *id,
                          const LeatInspectLaunch *launch, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_inspect_on_device_free);
  g_autoptr (LeatDevice) device = leat_device_open (id, error);
  g_autoptr (LeatModule) module = device != NULL ? leat_inspect_load (device, source, error) : NULL;

  for (guint i = 0; module != NULL && i < prototypes->len; i++)
    {
      LeatInspectOnDevice *one = leat_inspect_look (device, module, g_ptr_array_index (prototypes, i), launch, error);

      if (one == NULL)
        return NULL;
      g_ptr_array_add (all, one);
    }
  return module != NULL ? g_steal_pointer (&all) : NULL;
}

/* @all: (nullable): in step with @prototypes */
static LeatExit
leat_inspect_write_kernels (LeatKernelSource *source, GPtrArray *prototypes, GPtrArray *unbound, GPtrArray *all,
                            gboolean json)
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
      json_builder_begin_object (builder);
      leat_inspect_add_kernel (builder, source, g_ptr_array_index (prototypes, i));
      if (all != NULL)
        {
          leat_inspect_print_on_device (out, g_ptr_array_index (all, i));
          leat_inspect_add_on_device (builder, g_ptr_array_index (all, i));
        }
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  leat_inspect_write_unbound (unbound, out, builder);
  json_builder_end_object (builder);
  return json ? leat_inspect_write_json (builder) : leat_inspect_write_text (out);
}

/* Any launch that breaks a limit is a failure, for scripts. */
static LeatExit
leat_inspect_judge (GPtrArray *all, LeatExit code)
{
  for (guint i = 0; all != NULL && i < all->len; i++)
    if (((LeatInspectOnDevice *) g_ptr_array_index (all, i))->faults->len > 0 && code == LEAT_EXIT_OK)
      code = LEAT_EXIT_FAILED;
  return code;
}

static LeatKernelSource *
leat_inspect_read_source (const LeatInspectWords *words, GError **error)
{
  gboolean is_image = FALSE;
  g_autoptr (LeatKernelSource) image =
    leat_kernel_source_new_from_image (words->source, words->entry, &is_image, error);
  g_auto (GStrv) macros = words->defines != NULL ? leat_kernel_split_defines (words->defines) : NULL;
  g_autoptr (LeatKernelSource) source =
    is_image ? NULL
             : leat_kernel_source_new_from_file_with_defines (words->source, (const char *const *) macros, error);
  LeatFloatFlags floats = LEAT_FLOATS_STRICT;

  if (is_image)
    return g_steal_pointer (&image);
  if (source == NULL || (words->fp != NULL && !leat_float_flags_parse (words->fp, &floats, error)))
    return NULL;
  leat_kernel_source_set_floats (source, floats);
  return leat_kernel_source_take_entry (g_steal_pointer (&source), words->entry, error);
}

LeatExit
leat_inspect_show_kernel (char **list, const char *device, gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = NULL;
  g_autoptr (GPtrArray) prototypes = NULL, all = NULL, unbound = g_ptr_array_new_with_free_func (g_free);
  LeatInspectWords words;
  LeatInspectLaunch launch;
  LeatExit code = LEAT_EXIT_FAILED;

  if (!leat_inspect_read_words (list, device != NULL, &words, &error)
      || !leat_inspect_read_launch (&words, &launch, &error))
    return leat_tool_report_usage ("%s", error->message);
  source = leat_inspect_read_source (&words, &error);
  prototypes = source != NULL ? leat_inspect_find_prototypes (
                 source, leat_kernel_source_is_image (source) ? NULL : words.entry, unbound, &error)
                              : NULL;
  if (prototypes == NULL)
    {
      leat_tool_report (error);
      return LEAT_EXIT_FAILED;
    }
  leat_inspect_warn (source);
  if (device != NULL)
    all = leat_inspect_look_at_all (prototypes, source, device, &launch, &error);
  code = leat_inspect_write_kernels (source, prototypes, unbound, all, json);
  if (error == NULL)
    return leat_inspect_judge (all, code);
  leat_tool_report (error);
  return leat_tool_exit_from_error (error);
}
