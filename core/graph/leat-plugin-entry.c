/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Lists the plugin files of a folder, and refuses those that others could have changed.  Loads none of them. */

#include "leat-plugin-entry-private.h"

#include <string.h>
#include <sys/stat.h>

#define LEAT_PLUGIN_SUFFIX ".so"

LeatPluginEntry *
leat_plugin_entry_new (const char *path)
{
  LeatPluginEntry *self;
  struct stat status;

  if (stat (path, &status) != 0 || !S_ISREG (status.st_mode))
    return NULL;
  self = g_new0 (LeatPluginEntry, 1);
  self->path = g_strdup (path);
  self->size = (guint64) status.st_size;
  self->mtime_ns = (gint64) status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
  return self;
}

void
leat_plugin_entry_free (LeatPluginEntry *self)
{
  g_free (self->path);
  g_free (self->reason);
  g_clear_pointer (&self->plugin, g_variant_unref);
  g_free (self);
}

gboolean
leat_plugin_entry_is_same_file (const LeatPluginEntry *self, const LeatPluginEntry *other)
{
  return self->size == other->size && self->mtime_ns == other->mtime_ns && strcmp (self->path, other->path) == 0;
}

void
leat_plugin_entry_set_broken (LeatPluginEntry *self, gboolean passing, char *reason)
{
  g_clear_pointer (&self->plugin, g_variant_unref);
  g_free (self->reason);
  self->reason = reason;
  self->passing = passing;
}

static gint
leat_plugin_entry_compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static gboolean
leat_plugin_entry_is_listed (GPtrArray *entries, const char *path)
{
  for (guint i = 0; i < entries->len; i++)
    if (strcmp (((LeatPluginEntry *) entries->pdata[i])->path, path) == 0)
      return TRUE;
  return FALSE;
}

/* A plugin is code that gets run, so nobody but its owner, root and their group may say what is in it.  The sticky bit
 * keeps what is there, and lets everybody add to it. */
static gboolean
leat_plugin_entry_is_open (const char *path)
{
  struct stat info;

  return stat (path, &info) == 0 && (info.st_mode & S_IWOTH) != 0;
}

static void
leat_plugin_entry_check (LeatPluginEntry *self, const char *folder)
{
  const char *open = leat_plugin_entry_is_open (folder)       ? folder
                     : leat_plugin_entry_is_open (self->path) ? self->path
                                                              : NULL;

  if (open != NULL)
    leat_plugin_entry_set_broken (
      self, TRUE, g_strdup_printf ("%s is not used: everybody may write to it; chmod o-w makes it safe", open));
}

void
leat_plugin_entry_list (const char *folder, GPtrArray *entries)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, LEAT_PLUGIN_SUFFIX))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, leat_plugin_entry_compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      LeatPluginEntry *entry = leat_plugin_entry_is_listed (entries, path) ? NULL : leat_plugin_entry_new (path);

      if (entry == NULL)
        continue;
      leat_plugin_entry_check (entry, folder);
      g_ptr_array_add (entries, entry);
    }
}

GVariant *
leat_plugin_entry_to_variant (const LeatPluginEntry *self)
{
  GVariant *fields[6];

  fields[0] = g_variant_new_bytestring (self->path);
  fields[1] = g_variant_new_uint64 (self->size);
  fields[2] = g_variant_new_int64 (self->mtime_ns);
  fields[3] = g_variant_new_int64 (self->scanned_s);
  fields[4] = g_variant_new_string (self->reason != NULL ? self->reason : "");
  fields[5] = g_variant_new_maybe (G_VARIANT_TYPE (LEAT_PLUGIN_VARIANT), self->plugin);
  return g_variant_new_tuple (fields, G_N_ELEMENTS (fields));
}

LeatPluginEntry *
leat_plugin_entry_new_from_variant (GVariant *variant)
{
  g_autoptr (GVariant) plugin = g_variant_get_child_value (variant, 5);
  LeatPluginEntry *self = g_new0 (LeatPluginEntry, 1);
  const char *reason;

  g_variant_get_child (variant, 0, "^ay", &self->path);
  g_variant_get_child (variant, 1, "t", &self->size);
  g_variant_get_child (variant, 2, "x", &self->mtime_ns);
  g_variant_get_child (variant, 3, "x", &self->scanned_s);
  g_variant_get_child (variant, 4, "&s", &reason);
  self->plugin = g_variant_get_maybe (plugin);
  if (self->plugin == NULL)
    self->reason = g_strdup (*reason != '\0' ? reason : "no reason is known");
  return self;
}
