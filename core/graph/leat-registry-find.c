/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Kinds of nodes by their names. */

#include "leat-factory-private.h"
#include "leat-graph-error.h"
#include "leat-registry-internal-private.h"

/* A name that is not all of an id: `scan` for `text:scan`. */
static const char *
leat_registry_find_bare (LeatRegistry *self, const char *id)
{
  for (guint i = 0; i < self->factories->len; i++)
    {
      const char *known = leat_factory_get_id (self->factories->pdata[i]);
      const char *colon = strchr (known, ':');

      if (colon != NULL && strcmp (colon + 1, id) == 0)
        return known;
    }
  return NULL;
}

static const char *
leat_registry_suggest (LeatRegistry *self, const char *id)
{
  g_autofree gpointer *names = g_hash_table_get_keys_as_array (self->by_name, NULL);
  const char *bare = leat_registry_find_bare (self, id);

  return bare != NULL ? bare : leat_suggest (id, (const char *const *) names);
}

/* Would a node of this id be in this plugin?  By the custom that family `text` is in libleat-text.so or text.so. */
static gboolean
leat_registry_is_home_of (const LeatPluginEntry *entry, const char *id)
{
  const char *colon = strchr (id, ':');
  g_autofree char *family = colon != NULL ? g_strndup (id, colon - id) : g_strdup ("base");
  g_autofree char *file = g_path_get_basename (entry->path);
  const char *stem = file;

  stem += g_str_has_prefix (stem, "lib") ? strlen ("lib") : 0;
  stem += g_str_has_prefix (stem, "leat-") ? strlen ("leat-") : 0;
  return g_str_has_prefix (stem, family) && strcmp (stem + strlen (family), ".so") == 0;
}

/* The broken plugin to blame: the one where the node should be, else any. */
static const LeatPluginEntry *
leat_registry_find_broken (LeatRegistry *self, const char *id, gboolean *is_home)
{
  const LeatPluginEntry *found = NULL;

  *is_home = FALSE;
  for (guint i = 0; i < self->plugins->len && !*is_home; i++)
    {
      const LeatPluginEntry *entry = self->plugins->pdata[i];

      if (entry->reason == NULL)
        continue;
      *is_home = leat_registry_is_home_of (entry, id);
      if (found == NULL || *is_home)
        found = entry;
    }
  return found;
}

static void
leat_registry_set_unknown_error (LeatRegistry *self, const char *id, GError **error)
{
  const char *near = leat_registry_suggest (self, id);
  gboolean is_home;
  const LeatPluginEntry *broken = leat_registry_find_broken (self, id, &is_home);

  if (broken != NULL && is_home)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN, "no node \"%s\": plugin %s cannot be used: %s", id,
                 broken->path, broken->reason);
  else if (near != NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NODE, "no node \"%s\" (did you mean \"%s\"?)", id,
                 near);
  else if (broken != NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NODE,
                 "no node \"%s\"; but plugin %s cannot be used: %s", id, broken->path, broken->reason);
  else if (self->plugins->len == 0)
    {
      g_autoptr (GPtrArray) folders = leat_registry_list_folders (self);
      g_autofree char *list = NULL;

      g_ptr_array_add (folders, NULL);
      list = g_strjoinv (", ", (char **) folders->pdata);
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NODE,
                   "no node \"%s\": there are no plugins in %s; set LEAT_PLUGIN_PATH", id,
                   folders->len > 1 ? list : "any folder");
    }
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NODE,
                 "no node \"%s\"; leat-inspect lists all that there are", id);
}

/**
 * leat_registry_find:
 * @self: a registry
 * @id: the id or an alias of a kind of node
 * @error: return location
 *
 * Finds a kind of node.
 *
 * Returns: (transfer none): its factory, or %NULL with %LEAT_GRAPH_ERROR_UNKNOWN_NODE and near names, or with
 *   %LEAT_GRAPH_ERROR_PLUGIN and the reason when it should be in a plugin that cannot be used
 *
 * Since: 0.1
 */
LeatFactory *
leat_registry_find (LeatRegistry *self, const char *id, GError **error)
{
  LeatFactory *factory;

  g_return_val_if_fail (LEAT_IS_REGISTRY (self), NULL);
  g_return_val_if_fail (id != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  pthread_mutex_lock (&self->lock);
  leat_registry_update_locked (self);
  factory = g_hash_table_lookup (self->by_name, id);
  if (factory == NULL)
    leat_registry_set_unknown_error (self, id, error);
  pthread_mutex_unlock (&self->lock);
  return factory;
}

/**
 * leat_registry_list:
 * @self: a registry
 *
 * Lists all kinds of nodes, by id.
 *
 * Returns: (element-type LeatFactory) (transfer container): the factories
 *
 * Since: 0.1
 */
GPtrArray *
leat_registry_list (LeatRegistry *self)
{
  GPtrArray *list;

  g_return_val_if_fail (LEAT_IS_REGISTRY (self), NULL);

  list = g_ptr_array_new ();
  pthread_mutex_lock (&self->lock);
  leat_registry_update_locked (self);
  for (guint i = 0; i < self->factories->len; i++)
    g_ptr_array_add (list, self->factories->pdata[i]);
  pthread_mutex_unlock (&self->lock);
  return list;
}

/**
 * leat_registry_list_broken:
 * @self: a registry
 *
 * Lists the plugins that cannot be used: a value of type `a(sss)` with path, name (empty when it is not known) and the
 * reason.
 *
 * Returns: (transfer full): the list
 *
 * Since: 0.1
 */
GVariant *
leat_registry_list_broken (LeatRegistry *self)
{
  GVariantBuilder builder;

  g_return_val_if_fail (LEAT_IS_REGISTRY (self), NULL);

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sss)"));
  pthread_mutex_lock (&self->lock);
  leat_registry_update_locked (self);
  for (guint i = 0; i < self->plugins->len; i++)
    {
      const LeatPluginEntry *entry = self->plugins->pdata[i];
      g_autofree char *path = g_filename_display_name (entry->path);

      if (entry->reason != NULL)
        g_variant_builder_add (&builder, "(sss)", path, "", entry->reason);
    }
  pthread_mutex_unlock (&self->lock);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}
