/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-factory-private.h"
#include "leat-graph-error.h"
#include "leat-registry-private.h"
#include "driver/leat-system-folders-private.h"

#include <pthread.h>
#include <string.h>

#define LEAT_REGISTRY_TIMEOUT_MS 10000

/**
 * LeatRegistry:
 *
 * What plugins there are and what kinds of nodes they have.
 *
 * Plugins are looked for in the folders of LEAT_PLUGIN_PATH, in those of leat_registry_add_path() and in the
 * installation (or what LEAT_PLUGIN_SYSTEM_PATH names in its place); of two nodes with one id the first wins.
 * Descriptions come from a cache; plugins that are new or have changed are scanned by a helper process when something
 * is looked for.  Any thread may use it.
 *
 * Since: 0.1
 */
struct _LeatRegistry
{
  GObject parent_instance;

  pthread_mutex_t lock;
  char **folders; /* (nullable): instead of environment and installation */
  char *cache;
  char *helper; /* (nullable) */
  guint timeout_ms;
  GPtrArray *added;     /* folders */
  GPtrArray *plugins;   /* LeatPluginEntry */
  GPtrArray *factories; /* by id */
  GPtrArray *retired;   /* factories of before the last change of folders, which may be held somewhere */
  GHashTable *by_name;  /* id or alias -> factory */
  gboolean current;
  guint n_scanned;
};

G_DEFINE_FINAL_TYPE (LeatRegistry, leat_registry, G_TYPE_OBJECT)

static void
leat_registry_finalize (GObject *object)
{
  LeatRegistry *self = LEAT_REGISTRY (object);

  g_hash_table_unref (self->by_name);
  g_ptr_array_unref (self->factories);
  g_ptr_array_unref (self->retired);
  g_ptr_array_unref (self->plugins);
  g_ptr_array_unref (self->added);
  g_strfreev (self->folders);
  g_free (self->cache);
  g_free (self->helper);
  pthread_mutex_destroy (&self->lock);
  G_OBJECT_CLASS (leat_registry_parent_class)->finalize (object);
}

static void
leat_registry_class_init (LeatRegistryClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = leat_registry_finalize;
}

static void
leat_registry_init (LeatRegistry *self)
{
  pthread_mutex_init (&self->lock, NULL);
  self->added = g_ptr_array_new_with_free_func (g_free);
  self->plugins = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_plugin_entry_free);
  self->factories = g_ptr_array_new_with_free_func (g_object_unref);
  self->retired = g_ptr_array_new_with_free_func (g_object_unref);
  self->by_name = g_hash_table_new (g_str_hash, g_str_equal);
}

static guint
leat_registry_get_default_timeout (void)
{
  const char *text = g_getenv ("LEAT_PLUGIN_SCAN_TIMEOUT_MS");
  guint64 value;

  if (text != NULL && g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT, &value, NULL))
    return (guint) value;
  return LEAT_REGISTRY_TIMEOUT_MS;
}

LeatRegistry *
leat_registry_new (const char *const *folders, const char *cache, const char *helper, guint timeout_ms)
{
  LeatRegistry *self = g_object_new (LEAT_TYPE_REGISTRY, NULL);

  self->folders = g_strdupv ((char **) folders);
  self->cache =
    cache != NULL ? g_strdup (cache) : g_build_filename (g_get_user_cache_dir (), "leat", "plugins.cache", NULL);
  self->helper = g_strdup (helper);
  self->timeout_ms = timeout_ms > 0 ? timeout_ms : leat_registry_get_default_timeout ();
  return self;
}

/**
 * leat_registry_get_default:
 *
 * Gets the registry of the process.
 *
 * Returns: (transfer none): the registry
 *
 * Since: 0.1
 */
LeatRegistry *
leat_registry_get_default (void)
{
  static LeatRegistry *registry;
  static gsize once;

  if (g_once_init_enter (&once))
    {
      registry = leat_registry_new (NULL, NULL, NULL, 0);
      g_once_init_leave (&once, 1);
    }
  return registry;
}

/* Where to look, in order (transfer full). */
static GPtrArray *
leat_registry_list_folders (LeatRegistry *self)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);
  const char *variable = self->folders == NULL ? g_getenv ("LEAT_PLUGIN_PATH") : NULL;
  g_auto (GStrv) paths = variable != NULL ? g_strsplit (variable, G_SEARCHPATH_SEPARATOR_S, -1) : NULL;
  g_auto (GStrv) installed = leat_system_folders_list ();

  for (guint i = 0; self->folders != NULL && self->folders[i] != NULL; i++)
    g_ptr_array_add (folders, g_strdup (self->folders[i]));
  for (guint i = 0; paths != NULL && paths[i] != NULL; i++)
    if (*paths[i] != '\0')
      g_ptr_array_add (folders, g_canonicalize_filename (paths[i], NULL));
  for (guint i = 0; i < self->added->len; i++)
    g_ptr_array_add (folders, g_strdup (self->added->pdata[i]));
  for (guint i = 0; self->folders == NULL && installed[i] != NULL; i++)
    g_ptr_array_add (folders, g_strdup (installed[i]));
  return folders;
}

static gint
leat_registry_compare_factories (gconstpointer a, gconstpointer b)
{
  return strcmp (leat_factory_get_id (*(LeatFactory *const *) a), leat_factory_get_id (*(LeatFactory *const *) b));
}

static void
leat_registry_add_aliases (LeatRegistry *self, GVariant *node, LeatFactory *factory)
{
  g_autoptr (GVariant) aliases = g_variant_get_child_value (node, 1);

  for (gsize i = 0; i < g_variant_n_children (aliases); i++)
    {
      const char *alias;

      g_variant_get_child (aliases, i, "&s", &alias);
      if (!g_hash_table_contains (self->by_name, alias))
        g_hash_table_insert (self->by_name, (gpointer) alias, factory);
    }
}

static void
leat_registry_add_factories (LeatRegistry *self, const LeatPluginEntry *entry)
{
  g_autoptr (GVariant) nodes = g_variant_get_child_value (entry->plugin, 3);

  for (gsize i = 0; i < g_variant_n_children (nodes); i++)
    {
      g_autoptr (GVariant) node = g_variant_get_child_value (nodes, i);
      LeatFactory *factory = leat_factory_new (entry, node);
      LeatFactory *first = g_hash_table_lookup (self->by_name, leat_factory_get_id (factory));

      /* An alias gives way to an id. */
      if (first != NULL && strcmp (leat_factory_get_id (first), leat_factory_get_id (factory)) == 0)
        {
          g_object_unref (factory);
          continue;
        }
      g_hash_table_insert (self->by_name, (gpointer) leat_factory_get_id (factory), factory);
      g_ptr_array_add (self->factories, factory);
      leat_registry_add_aliases (self, node, factory);
    }
}

/* Fills in what the cache knows; gets the plugins that it does not know, or not as they are now. */
static GPtrArray *
leat_registry_read_cache (LeatRegistry *self)
{
  g_autoptr (GHashTable) cached = leat_plugin_cache_load (self->cache);
  GPtrArray *unknown = g_ptr_array_new ();

  for (guint i = 0; i < self->plugins->len; i++)
    {
      LeatPluginEntry *entry = self->plugins->pdata[i];
      const LeatPluginEntry *known = g_hash_table_lookup (cached, entry->path);

      if (known == NULL || !leat_plugin_entry_is_same_file (entry, known))
        {
          g_ptr_array_add (unknown, entry);
          continue;
        }
      entry->scanned_s = known->scanned_s;
      entry->reason = g_strdup (known->reason);
      entry->plugin = known->plugin != NULL ? g_variant_ref (known->plugin) : NULL;
    }
  return unknown;
}

static void
leat_registry_scan_locked (LeatRegistry *self, GPtrArray *unknown)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *helper = self->helper != NULL ? g_strdup (self->helper) : leat_plugin_find_helper (&error);

  if (helper == NULL)
    {
      for (guint i = 0; i < unknown->len; i++)
        leat_plugin_entry_set_broken (unknown->pdata[i], TRUE, g_strdup (error->message));
      return;
    }
  leat_plugin_scan (unknown, helper, self->timeout_ms);
  self->n_scanned += unknown->len;
  /* Without a cache everything works, only slower. */
  if (!leat_plugin_cache_save (self->cache, self->plugins, &error))
    g_debug ("the plugin cache is not kept: %s", error->message);
}

static void
leat_registry_forget_locked (LeatRegistry *self)
{
  g_hash_table_remove_all (self->by_name);
  for (guint i = 0; i < self->factories->len; i++)
    g_ptr_array_add (self->retired, g_object_ref (self->factories->pdata[i]));
  g_ptr_array_set_size (self->factories, 0);
  g_ptr_array_set_size (self->plugins, 0);
}

static void
leat_registry_update_locked (LeatRegistry *self)
{
  g_autoptr (GPtrArray) folders = NULL;
  g_autoptr (GPtrArray) unknown = NULL;

  if (self->current)
    return;
  leat_registry_forget_locked (self);
  folders = leat_registry_list_folders (self);
  for (guint i = 0; i < folders->len; i++)
    leat_plugin_entry_list (folders->pdata[i], self->plugins);
  unknown = leat_registry_read_cache (self);
  if (unknown->len > 0)
    leat_registry_scan_locked (self, unknown);
  for (guint i = 0; i < self->plugins->len; i++)
    if (((LeatPluginEntry *) self->plugins->pdata[i])->plugin != NULL)
      leat_registry_add_factories (self, self->plugins->pdata[i]);
  g_ptr_array_sort (self->factories, leat_registry_compare_factories);
  self->current = TRUE;
}

/**
 * leat_registry_add_path:
 * @self: a registry
 * @folder: (type filename): a folder with plugins
 *
 * Adds a folder to look in, behind those of LEAT_PLUGIN_PATH and before the installation.
 *
 * Since: 0.1
 */
void
leat_registry_add_path (LeatRegistry *self, const char *folder)
{
  g_return_if_fail (LEAT_IS_REGISTRY (self));
  g_return_if_fail (folder != NULL);

  pthread_mutex_lock (&self->lock);
  g_ptr_array_add (self->added, g_canonicalize_filename (folder, NULL));
  self->current = FALSE;
  pthread_mutex_unlock (&self->lock);
}

guint
leat_registry_get_n_scanned (LeatRegistry *self)
{
  return self->n_scanned;
}

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
