/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its folders, plugins and factories, under its lock.  It is filled when it is first asked, from the cache
 * and by a scan of what is new. */

#include "leat-factory-private.h"
#include "leat-graph-error.h"
#include "leat-registry-internal-private.h"
#include "driver/leat-system-folders-private.h"

#include <pthread.h>
#include <string.h>

#define LEAT_REGISTRY_TIMEOUT_MS 10000

/**
 * LeatRegistry:
 *
 * The plugins and the kinds of nodes that they have.
 *
 * Plugins are looked for in the folders of LEAT_PLUGIN_PATH, in those of leat_registry_add_path() and in the
 * installation (or what LEAT_PLUGIN_SYSTEM_PATH names in its place); of two nodes with one id the first wins.
 * Descriptions come from a cache; plugins that are new or have changed are scanned by a helper process when something
 * is looked for.  Any thread may use it.
 *
 * Since: 0.1
 */

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
GPtrArray *
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

      if (entry->reason != NULL)
        continue;
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

void
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
