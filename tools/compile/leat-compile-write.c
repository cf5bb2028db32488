/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writes an artifact of what was gathered.  Paths become relative to the folder that all files have in common. */

#include "leat-compile-write.h"

#include "leat-compile-targets.h"

#include "artifact/leat-artifact-private.h"
#include "artifact/leat-section-writer-private.h"
#include "kernel/leat-image-internal-private.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

/* How much of @root, a folder without a slash at its end, @path has too. */
static gsize
leat_compile_count_common (const char *root, const char *path)
{
  gsize common = 0;

  for (gsize i = 0;; i++)
    {
      if ((root[i] == '\0' || root[i] == '/') && (path[i] == '/' || path[i] == '\0'))
        common = i;
      if (root[i] == '\0' || root[i] != path[i])
        return common;
    }
}

/* The folder against which given values are read: the current one if they name a file in it, else the text's.
 * (transfer full) */
static char *
leat_compile_find_folder (const LeatCompileFacts *facts)
{
  g_autofree char *main = g_canonicalize_filename (facts->main, NULL);

  for (guint i = 0; facts->values[i] != NULL; i++)
    if (g_file_test (strchr (facts->values[i], '=') + 1, G_FILE_TEST_IS_REGULAR))
      return g_get_current_dir ();
  return g_path_get_dirname (main);
}

/* (transfer full): absolute, "" for the root of the file system */
static char *
leat_compile_find_root (const LeatGathered *gathered, const LeatCompileFacts *facts)
{
  g_autofree char *main = g_canonicalize_filename (facts->main, NULL), *folder = leat_compile_find_folder (facts);
  char *root = g_path_get_dirname (main);

  for (guint i = 0; i < gathered->files->len; i++)
    root[leat_compile_count_common (root, g_ptr_array_index (gathered->files, i))] = '\0';
  root[leat_compile_count_common (root, folder)] = '\0';
  return root;
}

static const char *
leat_compile_skip_root (const char *root, const char *path)
{
  gsize length = g_str_equal (root, "/") ? 0 : strlen (root);

  return path[length] == '/' ? path + length + 1 : path + length;
}

static gboolean
leat_compile_is_named (const char *root, GBytes *text)
{
  gsize size;
  const char *data = g_bytes_get_data (text, &size);

  return size > 0 && *root != '\0' && memmem (data, size, root, strlen (root)) != NULL;
}

/* @names_root: (inout): a file has absolute paths in it, which are found only by who knows where the root was */
static gboolean
leat_compile_add_files (LeatSectionWriter *writer, const LeatGathered *gathered, const char *root, gboolean *names_root,
                        GError **error)
{
  for (guint i = 0; i < gathered->files->len; i++)
    {
      const char *path = g_ptr_array_index (gathered->files, i);
      g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, error);
      g_autoptr (GBytes) bytes = file != NULL ? g_mapped_file_get_bytes (file) : NULL;

      if (bytes == NULL)
        return FALSE;
      *names_root = *names_root || leat_compile_is_named (root, bytes);
      leat_section_writer_add (writer, LEAT_ARTIFACT_FILE, leat_compile_skip_root (root, path), bytes);
    }
  return TRUE;
}

static char *
leat_compile_dup_form (const LeatImageTarget *target)
{
  g_autofree char *name = leat_image_target_to_string (target);

  return g_strdup_printf ("%s%s%s%s%s%s", name, target->indirect ? "+indirect" : "", target->wide ? "+wide" : "",
                          target->enclosed ? "+enclosed" : "", target->persistent ? "+persistent" : "",
                          target->whole ? "+whole" : "");
}

static void
leat_compile_add_images (LeatSectionWriter *writer, const LeatGathered *gathered, const GPtrArray *targets)
{
  g_autoptr (GBytes) none = g_bytes_new (NULL, 0);

  for (guint i = 0; i < gathered->images->len; i++)
    {
      const LeatGatheredImage *made = g_ptr_array_index (gathered->images, i);
      g_autofree char *form = leat_compile_dup_form (&made->target), *base = NULL;
      g_autoptr (GString) name = g_string_new (NULL);
      LeatImageKey key;

      if (!leat_compile_targets_have (targets, &made->target) || made->target.timed)
        continue;
      leat_image_make_key (made->source, &made->target, NULL, &key);
      for (guint k = 0; k < sizeof key.bytes; k++)
        g_string_append_printf (name, "%02x", key.bytes[k]);
      base = g_path_get_basename (leat_kernel_source_get_name (made->source));
      g_string_append_printf (name, " %s %s", form, base);
      leat_section_writer_add (writer, LEAT_ARTIFACT_IMAGE, name->str, made->image != NULL ? made->image : none);
    }
}

static void
leat_compile_add_learned (LeatSectionWriter *writer, const LeatGathered *gathered)
{
  GHashTableIter iter;
  gpointer name, path;

  g_hash_table_iter_init (&iter, gathered->learned);
  while (g_hash_table_iter_next (&iter, &name, &path))
    {
      g_autofree char *text = NULL;

      if (g_file_get_contents (path, &text, NULL, NULL))
        leat_section_writer_add_text (writer, LEAT_ARTIFACT_LEARNED, name, text);
    }
}

static void
leat_compile_set_targets (GKeyFile *manifest, const GPtrArray *targets)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < targets->len; i++)
    g_ptr_array_add (names, leat_image_target_to_string (targets->pdata[i]));
  g_key_file_set_string_list (manifest, LEAT_ARTIFACT_GROUP, "targets", (const char *const *) names->pdata, names->len);
}

static void
leat_compile_set_values (GKeyFile *manifest, const LeatCompileFacts *facts, const char *root)
{
  g_autofree char *folder = leat_compile_find_folder (facts);

  g_key_file_set_string_list (manifest, LEAT_ARTIFACT_GROUP, "open", facts->open,
                              g_strv_length ((char **) facts->open));
  for (guint i = 0; facts->values[i] != NULL; i++)
    {
      g_autofree char *name = g_strndup (facts->values[i], strcspn (facts->values[i], "="));

      g_key_file_set_string (manifest, LEAT_ARTIFACT_VALUES, name, facts->values[i] + strlen (name) + 1);
    }
  if (facts->values[0] != NULL)
    g_key_file_set_string (manifest, LEAT_ARTIFACT_GROUP, "folder", leat_compile_skip_root (root, folder));
}

static void
leat_compile_add_manifest (LeatSectionWriter *writer, const LeatCompileFacts *facts, const char *root,
                           gboolean names_root)
{
  g_autoptr (GKeyFile) manifest = g_key_file_new ();
  g_autofree char *main = g_canonicalize_filename (facts->main, NULL), *text = NULL;

  g_key_file_set_string (manifest, LEAT_ARTIFACT_GROUP, "library", LEAT_VERSION);
  g_key_file_set_string (manifest, LEAT_ARTIFACT_GROUP, "kernels", leat_artifact_get_identity ());
  g_key_file_set_string (manifest, LEAT_ARTIFACT_GROUP, "main", leat_compile_skip_root (root, main));
  leat_compile_set_targets (manifest, facts->targets);
  g_key_file_set_string_list (manifest, LEAT_ARTIFACT_GROUP, "nodes", facts->nodes,
                              g_strv_length ((char **) facts->nodes));
  leat_compile_set_values (manifest, facts, root);
  if (names_root)
    g_key_file_set_string (manifest, LEAT_ARTIFACT_GROUP, "origin", *root != '\0' ? root : "/");
  text = g_key_file_to_data (manifest, NULL, NULL);
  leat_section_writer_add_text (writer, LEAT_ARTIFACT_MANIFEST, "manifest", text);
}

static void
leat_compile_add_plan (LeatSectionWriter *writer, const char *plan, const char *root)
{
  g_autoptr (GString) text = g_string_new (plan);
  g_autofree char *begin = g_strconcat ("\"", root, "/", NULL);

  g_string_replace (text, begin, "\"", 0);
  leat_section_writer_add_text (writer, LEAT_ARTIFACT_PLAN, "plan.json", text->str);
}

/* Who opens it refuses one that others could write to, whatever umask this process has. */
static void
leat_compile_close_to_others (const char *path)
{
  GStatBuf info;

  if (g_stat (path, &info) == 0 && S_ISREG (info.st_mode) && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    g_chmod (path, (int) (info.st_mode & 07777 & ~(guint) (S_IWGRP | S_IWOTH)));
}

gboolean
leat_compile_write (const LeatGathered *gathered, const LeatCompileFacts *facts, const char *path, GError **error)
{
  g_autoptr (LeatSectionWriter) writer = leat_section_writer_new (LEAT_ARTIFACT_KIND, "artifact");
  g_autofree char *root = leat_compile_find_root (gathered, facts);
  gboolean names_root = *root == '\0';

  for (guint i = 0; facts->values[i] != NULL; i++)
    names_root = names_root || strstr (facts->values[i], root) != NULL;
  if (!leat_compile_add_files (writer, gathered, root, &names_root, error))
    return FALSE;
  leat_compile_add_images (writer, gathered, facts->targets);
  leat_compile_add_learned (writer, gathered);
  leat_compile_add_plan (writer, facts->plan, root);
  leat_compile_add_manifest (writer, facts, root, names_root);
  if (!leat_section_writer_write (writer, path, error))
    return FALSE;
  leat_compile_close_to_others (path);
  return TRUE;
}
