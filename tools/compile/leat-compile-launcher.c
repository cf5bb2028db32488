/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writes a C project around an artifact, from the two files in launcher/. */

#include "leat-compile-launcher.h"

#include "leat.h"

#include <errno.h>
#include <string.h>

static const char *const leat_launcher_files[] = { "main.c", "meson.build" };

/* A program can have the name, and so can a project. */
static char *
leat_launcher_dup_name (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  char *dot = strrchr (base, '.');

  if (dot != NULL && dot != base)
    *dot = '\0';
  return g_strcanon (g_steal_pointer (&base), G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_", '_');
}

char *
leat_compile_launcher_begin (const char *folder, const char *pipeline, GError **error)
{
  g_autofree char *name = leat_launcher_dup_name (pipeline), *file = g_strconcat (name, ".leata", NULL);

  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_IO, "cannot make the folder %s: %s", folder,
                   g_strerror (errno));
      return NULL;
    }
  for (guint i = 0; i < G_N_ELEMENTS (leat_launcher_files); i++)
    {
      g_autofree char *path = g_build_filename (folder, leat_launcher_files[i], NULL);

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      g_set_error (
        error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_IO,
        "cannot write a launcher: %s is there already; name a new folder, or write the artifact alone with -o", path);
      return NULL;
    }
  return g_build_filename (folder, file, NULL);
}

/* A row of a table in C for each open variable. */
static char *
leat_launcher_dup_rows (const char *artifact, GError **error)
{
  g_autoptr (GVariant) variables = leat_parse_list_variables (artifact, error);
  g_autoptr (GString) rows = g_string_new (NULL);
  const char *name, *value, *comment;
  GVariantIter iter;

  if (variables == NULL)
    return NULL;
  g_variant_iter_init (&iter, variables);
  while (g_variant_iter_next (&iter, "(&s&s&s)", &name, &value, &comment))
    {
      g_autofree char *line = g_strdelimit (g_strdup (comment), "\n", ' ');
      g_autofree char *text = g_strdup_printf ("%s%s(%s)", line, *line != '\0' ? " " : "", value);
      g_autofree char *escaped = g_strescape (text, NULL);

      g_string_append_printf (rows, "  { \"%s\", \"%s\", NULL },\n", name, escaped);
    }
  return g_string_free (g_steal_pointer (&rows), FALSE);
}

static gboolean
leat_launcher_write_file (const char *folder, const char *file, const char *name, const char *rows, GError **error)
{
  g_autofree char *resource = g_strconcat ("/leat/launcher/", file, NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (resource, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  g_autoptr (GString) text = NULL;

  if (bytes == NULL)
    return FALSE;
  text = g_string_new_len (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
  g_string_replace (text, "@NAME@", name, 0);
  g_string_replace (text, "@VARIABLES@", rows, 0);
  return g_file_set_contents (path, text->str, (gssize) text->len, error);
}

gboolean
leat_compile_launcher_write (const char *folder, const char *artifact, GError **error)
{
  g_autofree char *name = leat_launcher_dup_name (artifact), *rows = leat_launcher_dup_rows (artifact, error);

  for (guint i = 0; rows != NULL && i < G_N_ELEMENTS (leat_launcher_files); i++)
    if (!leat_launcher_write_file (folder, leat_launcher_files[i], name, rows, error))
      return FALSE;
  return rows != NULL;
}
