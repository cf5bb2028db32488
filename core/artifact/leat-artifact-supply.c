/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The artifacts that are open, as the rest of the library asks for files, images and what was learned. */

#include "leat-artifact-object-private.h"

#include "kernel/leat-supply-private.h"

#include <string.h>

static GMutex leat_artifacts_lock;
static GPtrArray *leat_artifacts; /* LeatArtifact, which leave it when they go */

GPtrArray *
leat_artifacts_list (void)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_artifact_unref);

  g_mutex_lock (&leat_artifacts_lock);
  for (guint i = leat_artifacts->len; i > 0; i--)
    {
      LeatArtifact *artifact = leat_artifacts->pdata[i - 1];

      artifact->refs++;
      g_ptr_array_add (list, artifact);
    }
  g_mutex_unlock (&leat_artifacts_lock);
  return list;
}

/* The name of @path within the artifact, "" for the artifact itself; NULL where it is outside. (transfer full) */
static char *
leat_artifact_dup_name (LeatArtifact *self, const char *path)
{
  gsize length = strlen (self->root);

  if (strncmp (path, self->root, length) != 0 || (path[length] != '/' && path[length] != '\0'))
    return NULL;
  return g_strdup (path[length] == '/' ? path + length + 1 : path + length);
}

static gboolean
leat_artifact_has (LeatArtifact *self, const char *name)
{
  LeatSection section;

  return leat_section_reader_find (self->reader, LEAT_ARTIFACT_FILE, name, &section);
}

/* Where a file would lie beside the artifact, as it would beside the text. */
static char *
leat_artifact_dup_outside (LeatArtifact *self, const char *name)
{
  g_autoptr (GString) path = g_string_new (self->outside);
  gsize length = strlen (self->main_folder);

  if (length > 0 && strncmp (name, self->main_folder, length) == 0 && name[length] == '/')
    name += length + 1;
  else if (length > 0)
    for (const char *at = self->main_folder; at != NULL; at = strchr (at + 1, '/'))
      g_string_append (path, "/..");
  g_string_append_printf (path, "/%s", name);
  return g_canonicalize_filename (path->str, NULL);
}

/* An absolute path of the text may be that of a file which travels. */
static char *
leat_artifact_resolve_absolute (LeatArtifact *self, const char *base, const char *path)
{
  g_autofree char *within = base != NULL ? leat_artifact_dup_name (self, base) : NULL;
  gsize length = self->origin != NULL ? strlen (self->origin) : 0;

  if (within == NULL || length == 0 || strncmp (path, self->origin, length) != 0)
    return NULL;
  path += length;
  if (self->origin[length - 1] != '/' && *path++ != '/')
    return NULL;
  return leat_artifact_has (self, path) ? g_build_filename (self->root, path, NULL) : NULL;
}

static char *
leat_artifact_resolve (LeatArtifact *self, const char *base, const char *path)
{
  g_autofree char *name = leat_artifact_dup_name (self, path);

  if (name == NULL)
    return leat_artifact_resolve_absolute (self, base, path);
  return leat_artifact_has (self, name) ? g_strdup (path) : leat_artifact_dup_outside (self, name);
}

static char *
leat_artifacts_resolve (const char *base, const char *path)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  char *found = NULL;

  g_mutex_lock (&leat_artifacts_lock);
  for (guint i = 0; found == NULL && i < leat_artifacts->len; i++)
    found = leat_artifact_resolve (leat_artifacts->pdata[i], base, absolute);
  g_mutex_unlock (&leat_artifacts_lock);
  return found;
}

/* Its files were checked when it was opened. */
static guint64
leat_artifact_find_file (LeatArtifact *self, const char *path, GBytes **bytes)
{
  g_autofree char *name = leat_artifact_dup_name (self, path);
  LeatSection section;

  if (name == NULL || !leat_section_reader_find (self->reader, LEAT_ARTIFACT_FILE, name, &section))
    return 0;
  if (bytes != NULL && (*bytes = leat_section_reader_read (self->reader, &section, NULL)) == NULL)
    return 0;
  return g_ascii_strtoull (section.checksum + 16, NULL, 16) | 1;
}

static guint64
leat_artifacts_find_file (const char *path, GBytes **bytes)
{
  g_autofree char *absolute = NULL;
  guint64 found = 0;

  g_mutex_lock (&leat_artifacts_lock);
  if (leat_artifacts->len > 0)
    absolute = g_canonicalize_filename (path, NULL);
  for (guint i = 0; found == 0 && i < leat_artifacts->len; i++)
    found = leat_artifact_find_file (leat_artifacts->pdata[i], absolute, bytes);
  g_mutex_unlock (&leat_artifacts_lock);
  return found;
}

static GBytes *
leat_artifacts_find_learned (const char *name)
{
  g_autoptr (GPtrArray) artifacts = leat_artifacts_list ();
  LeatSection section;

  for (guint i = 0; i < artifacts->len; i++)
    {
      LeatSectionReader *reader = leat_artifact_get_reader (artifacts->pdata[i]);

      if (leat_section_reader_find (reader, LEAT_ARTIFACT_LEARNED, name, &section))
        return leat_section_reader_read (reader, &section, NULL);
    }
  return NULL;
}

static const LeatSupply leat_artifacts_supply = {
  leat_artifacts_resolve,          leat_artifacts_find_file,    leat_artifacts_find_image,
  leat_artifacts_dup_image_advice, leat_artifacts_find_learned,
};

/* Two files that had one name, one after the other, are told apart by the name of the second. */
static LeatArtifact *
leat_artifacts_place (LeatArtifact *self)
{
  g_autofree char *root = g_strdup (self->root);

  for (guint i = 0, n = 1; i < leat_artifacts->len; i++)
    {
      LeatArtifact *other = leat_artifacts->pdata[i];

      if (!g_str_equal (other->root, self->root))
        continue;
      if (leat_section_reader_get_identity (other->reader) == leat_section_reader_get_identity (self->reader))
        return other;
      g_free (self->root);
      self->root = g_strdup_printf ("%s (%u)", root, ++n);
      i = (guint) -1;
    }
  return NULL;
}

static void
leat_artifact_place_within (LeatArtifact *self, const char *root)
{
  g_autofree char *main = NULL, *folder = NULL;

  if (g_str_equal (root, self->root))
    return;
  main = leat_artifact_dup_fact (self, "main");
  folder = g_strdup (self->folder + strlen (root));
  g_free (self->main);
  self->main = g_build_filename (self->root, main, NULL);
  g_free (self->folder);
  self->folder = g_strconcat (self->root, folder, NULL);
}

LeatArtifact *
leat_artifact_offer (LeatArtifact *self)
{
  g_autofree char *root = g_strdup (self->root);
  LeatArtifact *same;

  g_mutex_lock (&leat_artifacts_lock);
  if (leat_artifacts == NULL)
    leat_artifacts = g_ptr_array_new ();
  same = leat_artifacts_place (self);
  if (same != NULL)
    same->refs++;
  else
    g_ptr_array_add (leat_artifacts, self);
  g_mutex_unlock (&leat_artifacts_lock);
  leat_supply_set (&leat_artifacts_supply);
  if (same != NULL)
    {
      leat_artifact_unref (self);
      return same;
    }
  leat_artifact_place_within (self, root);
  return self;
}

LeatArtifact *
leat_artifact_ref (LeatArtifact *self)
{
  g_mutex_lock (&leat_artifacts_lock);
  self->refs++;
  g_mutex_unlock (&leat_artifacts_lock);
  return self;
}

void
leat_artifact_unref (LeatArtifact *self)
{
  gboolean gone;

  g_mutex_lock (&leat_artifacts_lock);
  gone = --self->refs == 0;
  if (gone && leat_artifacts != NULL)
    g_ptr_array_remove (leat_artifacts, self);
  g_mutex_unlock (&leat_artifacts_lock);
  if (!gone)
    return;
  g_clear_pointer (&self->reader, leat_section_reader_free);
  g_key_file_unref (self->manifest);
  g_ptr_array_unref (self->targets);
  g_free (self->root);
  g_free (self->outside);
  g_free (self->main);
  g_free (self->main_folder);
  g_free (self->folder);
  g_free (self->origin);
  g_free (self);
}
