/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Opens an artifact: checks it, and reads what its manifest says. */

#include "leat-artifact-object-private.h"

#include "kernel/leat-image-private.h"
#include "kernel/leat-kernel-identity.h"

#include <string.h>

static gboolean
leat_artifact_refuse (const char *path, const char *what, GError **error)
{
  g_set_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_MISSING,
               "cannot open the artifact %s: it has no %s; compile the pipeline again with leat-compile", path, what);
  return FALSE;
}

static gboolean
leat_artifact_read_manifest (LeatArtifact *self, GError **error)
{
  const char *path = leat_section_reader_get_path (self->reader);
  g_autoptr (GBytes) bytes = NULL;
  LeatSection section;

  if (!leat_section_reader_find (self->reader, LEAT_ARTIFACT_MANIFEST, "manifest", &section))
    return leat_artifact_refuse (path, "manifest", error);
  bytes = leat_section_reader_read (self->reader, &section, error);
  if (bytes == NULL)
    return FALSE;
  return (g_bytes_get_size (bytes) > 0 && g_key_file_load_from_bytes (self->manifest, bytes, G_KEY_FILE_NONE, NULL))
         || leat_artifact_refuse (path, "manifest that can be read", error);
}

/* Texts and constants are read next, by who cannot tell that one is damaged. */
static gboolean
leat_artifact_check_files (LeatArtifact *self, GError **error)
{
  guint n = leat_section_reader_get_count (self->reader);
  LeatSection section;

  for (guint i = leat_section_reader_seek (self->reader, LEAT_ARTIFACT_FILE, ""); i < n; i++)
    {
      g_autoptr (GBytes) bytes = NULL;

      leat_section_reader_get (self->reader, i, &section);
      if (section.type != LEAT_ARTIFACT_FILE)
        break;
      bytes = leat_section_reader_read (self->reader, &section, error);
      if (bytes == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
leat_artifact_read_targets (LeatArtifact *self)
{
  g_auto (GStrv) names = g_key_file_get_string_list (self->manifest, LEAT_ARTIFACT_GROUP, "targets", NULL, NULL);

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      LeatImageTarget target;

      if (leat_image_target_parse (names[i], &target, NULL))
        g_ptr_array_add (self->targets, g_memdup2 (&target, sizeof target));
    }
}

static gboolean
leat_artifact_read_facts (LeatArtifact *self, GError **error)
{
  const char *path = leat_section_reader_get_path (self->reader);
  g_autofree char *main = leat_artifact_dup_fact (self, "main"), *folder = leat_artifact_dup_fact (self, "folder");
  g_autofree char *kernels = leat_artifact_dup_fact (self, "kernels"), *inner = NULL;
  LeatSection section;

  if (main == NULL || !leat_section_reader_find (self->reader, LEAT_ARTIFACT_FILE, main, &section))
    return leat_artifact_refuse (path, "text of a pipeline", error);
  inner = g_path_get_dirname (main);
  self->main_folder = g_strdup (g_str_equal (inner, ".") ? "" : inner);
  self->main = g_build_filename (path, main, NULL);
  self->root = g_canonicalize_filename (path, NULL);
  self->outside = g_path_get_dirname (self->root);
  self->folder = g_build_filename (self->root, folder, NULL);
  self->origin = leat_artifact_dup_fact (self, "origin");
  self->fits = g_strcmp0 (kernels, LEAT_KERNEL_IDENTITY) == 0;
  leat_artifact_read_targets (self);
  return TRUE;
}

LeatArtifact *
leat_artifact_open (const char *path, GError **error)
{
  LeatArtifact *self = g_new0 (LeatArtifact, 1);

  self->refs = 1;
  self->manifest = g_key_file_new ();
  self->targets = g_ptr_array_new_with_free_func (g_free);
  self->reader = leat_section_reader_new (path, LEAT_ARTIFACT_KIND, "artifact", error);
  if (self->reader != NULL && leat_section_reader_check_owner (self->reader, error)
      && leat_artifact_read_manifest (self, error) && leat_artifact_read_facts (self, error)
      && leat_artifact_check_files (self, error))
    return leat_artifact_offer (self);
  leat_artifact_unref (self);
  return NULL;
}

LeatSectionReader *
leat_artifact_get_reader (LeatArtifact *self)
{
  return self->reader;
}

char *
leat_artifact_dup_fact (LeatArtifact *self, const char *name)
{
  return g_key_file_get_string (self->manifest, LEAT_ARTIFACT_GROUP, name, NULL);
}

const char *
leat_artifact_get_identity (void)
{
  return LEAT_KERNEL_IDENTITY;
}

const char *
leat_artifact_get_main (LeatArtifact *self)
{
  return self->main;
}

const char *
leat_artifact_get_folder (LeatArtifact *self)
{
  return self->folder;
}

static gboolean
leat_artifact_is_given (const char *const *given, const char *name)
{
  gsize length = strlen (name);

  for (guint i = 0; given != NULL && given[i] != NULL; i++)
    if (strncmp (given[i], name, length) == 0 && given[i][length] == '=')
      return TRUE;
  return FALSE;
}

char **
leat_artifact_list_values (LeatArtifact *self, const char *const *given)
{
  g_auto (GStrv) names = g_key_file_get_keys (self->manifest, LEAT_ARTIFACT_VALUES, NULL, NULL);
  g_autoptr (GStrvBuilder) values = g_strv_builder_new ();

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_string (self->manifest, LEAT_ARTIFACT_VALUES, names[i], NULL);
      g_autofree char *both = value != NULL ? g_strdup_printf ("%s=%s", names[i], value) : NULL;

      if (both != NULL && !leat_artifact_is_given (given, names[i]))
        g_strv_builder_add (values, both);
    }
  return g_strv_builder_end (values);
}

gboolean
leat_artifact_is_open (LeatArtifact *self, const char *variable)
{
  g_auto (GStrv) names = g_key_file_get_string_list (self->manifest, LEAT_ARTIFACT_GROUP, "open", NULL, NULL);

  return names != NULL && g_strv_contains ((const char *const *) names, variable);
}

gboolean
leat_artifact_check_given (LeatArtifact *self, const char *const *given, GError **error)
{
  for (guint i = 0; given != NULL && given[i] != NULL; i++)
    {
      g_autofree char *name = g_strndup (given[i], strcspn (given[i], "=")), *list = NULL;
      g_auto (GStrv) open = NULL;

      if (strchr (given[i], '=') == NULL || leat_artifact_is_open (self, name))
        continue;
      open = g_key_file_get_string_list (self->manifest, LEAT_ARTIFACT_GROUP, "open", NULL, NULL);
      list = open != NULL && open[0] != NULL ? g_strjoinv (", ", open) : g_strdup ("none");
      g_set_error (
        error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_VARIABLE,
        "%s has no open variable \"%s\" (open: %s); one that is fixed opens when the pipeline is compiled again with "
        "--keep=%s",
        leat_section_reader_get_path (self->reader), name, list, name);
      return FALSE;
    }
  return TRUE;
}
