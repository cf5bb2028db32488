/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Shows an artifact: what its manifest says, and its sections. */

#include "leat-inspect-artifact.h"

#include "leat-inspect-print.h"
#include "leat-inspect-show.h"

#include "artifact/leat-artifact-private.h"

/* Facts of the manifest, as they are called for people and in JSON. */
static const struct
{
  const char *key, *title;
} leat_inspect_facts[] = {
  { "library", "Leat" }, { "main", "Pipeline" },           { "targets", "Targets" }, { "open", "Open" },
  { "nodes", "Nodes" },  { "folder", "Folder of values" }, { "origin", "Made in" },  { "kernels", "Kernels" },
};

static GKeyFile *
leat_inspect_read_manifest (LeatSectionReader *reader, GError **error)
{
  g_autoptr (GKeyFile) manifest = g_key_file_new ();
  g_autoptr (GBytes) bytes = NULL;
  LeatSection section;

  if (!leat_section_reader_find (reader, LEAT_ARTIFACT_MANIFEST, "manifest", &section))
    return g_steal_pointer (&manifest);
  bytes = leat_section_reader_read (reader, &section, error);
  if (bytes == NULL)
    return NULL;
  if (g_bytes_get_size (bytes) > 0)
    g_key_file_load_from_bytes (manifest, bytes, G_KEY_FILE_NONE, NULL);
  return g_steal_pointer (&manifest);
}

/* A list as people read it. */
static char *
leat_inspect_dup_fact (GKeyFile *manifest, const char *key)
{
  char *text = g_key_file_get_string (manifest, LEAT_ARTIFACT_GROUP, key, NULL);
  gsize length = text != NULL ? strlen (text) : 0;

  if (length > 0 && text[length - 1] == ';')
    text[length - 1] = '\0';
  return text;
}

static void
leat_inspect_append_values (GString *out, GKeyFile *manifest)
{
  g_auto (GStrv) names = g_key_file_get_keys (manifest, LEAT_ARTIFACT_VALUES, NULL, NULL);

  if (names != NULL && names[0] != NULL)
    g_string_append (out, "\nValues\n");
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_string (manifest, LEAT_ARTIFACT_VALUES, names[i], NULL);

      g_string_append_printf (out, "  %s=%s\n", names[i], value != NULL ? value : "");
    }
}

static void
leat_inspect_append_sections (GString *out, LeatSectionReader *reader)
{
  g_string_append_printf (out, "\nSections (%" G_GUINT64_FORMAT " bytes in all)\n",
                          leat_section_reader_get_bytes (reader));
  for (guint i = 0; i < leat_section_reader_get_count (reader); i++)
    {
      LeatSection section;

      leat_section_reader_get (reader, i, &section);
      g_string_append_printf (out, "  %.4s %10" G_GUINT64_FORMAT "  %s\n", (const char *) &section.type, section.size,
                              section.name);
    }
}

static LeatExit
leat_inspect_print_artifact (LeatSectionReader *reader, GKeyFile *manifest)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *kernels = leat_inspect_dup_fact (manifest, "kernels");
  g_autoptr (GError) error = NULL;

  g_string_append_printf (out, "%s\n", leat_section_reader_get_path (reader));
  for (guint i = 0; i < G_N_ELEMENTS (leat_inspect_facts); i++)
    {
      g_autofree char *text = leat_inspect_dup_fact (manifest, leat_inspect_facts[i].key);

      if (text != NULL)
        g_string_append_printf (out, "%-16s  %s\n", leat_inspect_facts[i].title, text);
    }
  if (g_strcmp0 (kernels, leat_artifact_get_identity ()) != 0)
    g_string_append (out, "\nIts images are of another build of Leat: here kernels are compiled anew.\n");
  if (!leat_section_reader_check_owner (reader, &error))
    g_string_append_printf (out, "\n%s\n", error->message);
  leat_inspect_append_values (out, manifest);
  leat_inspect_append_sections (out, reader);
  return leat_inspect_write_text (out);
}

static void
leat_inspect_add_sections (JsonBuilder *builder, LeatSectionReader *reader)
{
  json_builder_set_member_name (builder, "sections");
  json_builder_begin_array (builder);
  for (guint i = 0; i < leat_section_reader_get_count (reader); i++)
    {
      g_autofree char *type = NULL;
      LeatSection section;

      leat_section_reader_get (reader, i, &section);
      type = g_strndup ((const char *) &section.type, sizeof section.type);
      json_builder_begin_object (builder);
      leat_inspect_add_json_text (builder, "type", type);
      leat_inspect_add_json_text (builder, "name", section.name);
      leat_inspect_add_json_number (builder, "offset", section.offset);
      leat_inspect_add_json_number (builder, "bytes", section.size);
      leat_inspect_add_json_text (builder, "checksum", section.checksum);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static LeatExit
leat_inspect_write_artifact (LeatSectionReader *reader, GKeyFile *manifest)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_auto (GStrv) names = g_key_file_get_keys (manifest, LEAT_ARTIFACT_VALUES, NULL, NULL);

  json_builder_begin_object (builder);
  for (guint i = 0; i < G_N_ELEMENTS (leat_inspect_facts); i++)
    {
      g_autofree char *text = leat_inspect_dup_fact (manifest, leat_inspect_facts[i].key);

      if (text != NULL)
        leat_inspect_add_json_text (builder, leat_inspect_facts[i].key, text);
    }
  json_builder_set_member_name (builder, "values");
  json_builder_begin_object (builder);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_string (manifest, LEAT_ARTIFACT_VALUES, names[i], NULL);

      leat_inspect_add_json_text (builder, names[i], value != NULL ? value : "");
    }
  json_builder_end_object (builder);
  leat_inspect_add_sections (builder, reader);
  json_builder_end_object (builder);
  return leat_inspect_write_json (builder);
}

LeatExit
leat_inspect_show_artifact (const char *path, gboolean check, gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatSectionReader) reader = leat_section_reader_new (path, LEAT_ARTIFACT_KIND, "artifact", &error);
  g_autoptr (GKeyFile) manifest = reader != NULL ? leat_inspect_read_manifest (reader, &error) : NULL;

  if (manifest == NULL || (check && !leat_section_reader_check (reader, &error)))
    {
      leat_tool_report (error);
      return leat_tool_exit_from_error (error);
    }
  if (!check)
    return json ? leat_inspect_write_artifact (reader, manifest) : leat_inspect_print_artifact (reader, manifest);
  leat_tool_print_line ("%s: ok, %u sections", path, leat_section_reader_get_count (reader));
  return LEAT_EXIT_OK;
}
