/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: a kind of node, its description from the cache, and the plugin that is loaded for its first node. */

#include "leat-factory-private.h"
#include "leat-graph-error.h"
#include "leat-node-private.h"

#include <gmodule.h>
#include <pthread.h>
#include <string.h>

/**
 * LeatFactory:
 *
 * One kind of node that a plugin has, known from its description alone.
 *
 * The registry owns factories.  The plugin's code is loaded with the first node that is made, and stays.
 *
 * Since: 0.1
 */
struct _LeatFactory
{
  GObject parent_instance;

  LeatPluginEntry *file; /* path and what identifies the file that was scanned */
  char *plugin_name;
  char *plugin_version;
  GVariant *node;
  const char *id;     /* in it */
  LeatNodeInfo *info; /* made when asked for */
  GType type;         /* once the plugin is loaded */
};

G_DEFINE_FINAL_TYPE (LeatFactory, leat_factory, G_TYPE_OBJECT)

/* Guards what factories make late. */
static pthread_mutex_t leat_factory_lock = PTHREAD_MUTEX_INITIALIZER;

static void
leat_factory_finalize (GObject *object)
{
  LeatFactory *self = LEAT_FACTORY (object);

  g_clear_pointer (&self->file, leat_plugin_entry_free);
  g_free (self->plugin_name);
  g_free (self->plugin_version);
  g_free (self->info);
  g_clear_pointer (&self->node, g_variant_unref);
  G_OBJECT_CLASS (leat_factory_parent_class)->finalize (object);
}

static void
leat_factory_class_init (LeatFactoryClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = leat_factory_finalize;
}

static void
leat_factory_init (LeatFactory *self)
{
}

static const char *
leat_factory_peek_text (LeatFactory *self, gsize index)
{
  const char *text;

  g_variant_get_child (self->node, index, "&s", &text);
  return text;
}

LeatFactory *
leat_factory_new (const LeatPluginEntry *entry, GVariant *node)
{
  LeatFactory *self = g_object_new (LEAT_TYPE_FACTORY, NULL);

  self->file = g_new0 (LeatPluginEntry, 1);
  self->file->path = g_strdup (entry->path);
  self->file->size = entry->size;
  self->file->mtime_ns = entry->mtime_ns;
  g_variant_get_child (entry->plugin, 0, "s", &self->plugin_name);
  g_variant_get_child (entry->plugin, 1, "s", &self->plugin_version);
  self->node = g_variant_ref (node);
  self->id = leat_factory_peek_text (self, 0);
  return self;
}

/**
 * leat_factory_get_id:
 * @self: a factory
 *
 * Gets the id of the nodes that the factory makes, such as `text:scan`.
 *
 * Returns: (transfer none): the id
 *
 * Since: 0.1
 */
const char *
leat_factory_get_id (LeatFactory *self)
{
  g_return_val_if_fail (LEAT_IS_FACTORY (self), NULL);

  return self->id;
}

/**
 * leat_factory_get_summary:
 * @self: a factory
 *
 * Gets what the nodes do, in one line.
 *
 * Returns: (transfer none): the line
 *
 * Since: 0.1
 */
const char *
leat_factory_get_summary (LeatFactory *self)
{
  g_return_val_if_fail (LEAT_IS_FACTORY (self), NULL);

  return leat_factory_peek_text (self, 2);
}

/**
 * leat_factory_get_plugin_path:
 * @self: a factory
 *
 * Gets the file of the plugin that has the nodes.
 *
 * Returns: (transfer none) (type filename): the file name
 *
 * Since: 0.1
 */
const char *
leat_factory_get_plugin_path (LeatFactory *self)
{
  g_return_val_if_fail (LEAT_IS_FACTORY (self), NULL);

  return self->file->path;
}

/**
 * leat_factory_get_plugin_name:
 * @self: a factory
 *
 * Gets the name of the plugin that has the nodes.
 *
 * Returns: (transfer none): the name
 *
 * Since: 0.1
 */
const char *
leat_factory_get_plugin_name (LeatFactory *self)
{
  g_return_val_if_fail (LEAT_IS_FACTORY (self), NULL);

  return self->plugin_name;
}

/**
 * leat_factory_get_plugin_version:
 * @self: a factory
 *
 * Gets the version of the plugin that has the nodes.
 *
 * Returns: (transfer none): the version
 *
 * Since: 0.1
 */
const char *
leat_factory_get_plugin_version (LeatFactory *self)
{
  g_return_val_if_fail (LEAT_IS_FACTORY (self), NULL);

  return self->plugin_version;
}

/**
 * leat_factory_get_info: (skip)
 * @self: a factory
 *
 * Gets the whole description of the nodes, without loading the plugin: its `get_type` is %NULL.
 *
 * Returns: (transfer none): data that lives as long as the factory
 *
 * Since: 0.1
 */
const LeatNodeInfo *
leat_factory_get_info (LeatFactory *self)
{
  g_return_val_if_fail (LEAT_IS_FACTORY (self), NULL);

  pthread_mutex_lock (&leat_factory_lock);
  if (self->info == NULL)
    self->info = leat_node_info_new_from_variant (self->node);
  pthread_mutex_unlock (&leat_factory_lock);
  return self->info;
}

static gboolean
leat_factory_check_file (LeatFactory *self, GError **error)
{
  g_autoptr (LeatPluginEntry) now = leat_plugin_entry_new (self->file->path);

  if (now != NULL && leat_plugin_entry_is_same_file (now, self->file))
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN,
               "plugin %s %s since it was scanned: start the program again", self->file->path,
               now == NULL ? "has gone" : "has changed");
  return FALSE;
}

static const LeatPluginInfo *
leat_factory_open_plugin (LeatFactory *self, GModule **module, GError **error)
{
  gpointer symbol = NULL;

  *module = g_module_open (self->file->path, G_MODULE_BIND_LOCAL);
  if (*module == NULL || !g_module_symbol (*module, LEAT_PLUGIN_SYMBOL, &symbol) || symbol == NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN, "cannot load plugin %s: %s", self->file->path,
                   g_module_error ());
      return NULL;
    }
  if (!leat_plugin_info_check (symbol, error))
    {
      g_prefix_error (error, "cannot load plugin %s: ", self->file->path);
      return NULL;
    }
  return symbol;
}

/* Registered types cannot be taken back, so a plugin whose code has run stays. */
static GType
leat_factory_register (LeatFactory *self, const LeatPluginInfo *plugin, GError **error)
{
  const char *id = leat_factory_get_id (self);

  for (guint i = 0; i < plugin->n_nodes; i++)
    {
      GType type = strcmp (plugin->nodes[i]->id, id) == 0 ? plugin->nodes[i]->get_type () : G_TYPE_INVALID;

      if (g_type_is_a (type, LEAT_TYPE_NODE) && !G_TYPE_IS_ABSTRACT (type))
        return type;
    }
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN,
               "plugin %s describes the node %s, but has no type for it", self->file->path, id);
  return G_TYPE_INVALID;
}

static gboolean
leat_factory_load_locked (LeatFactory *self, GError **error)
{
  const LeatPluginInfo *plugin;
  GModule *module = NULL;

  if (self->type != G_TYPE_INVALID)
    return TRUE;
  if (!leat_factory_check_file (self, error))
    return FALSE;
  plugin = leat_factory_open_plugin (self, &module, error);
  if (plugin == NULL)
    {
      if (module != NULL)
        g_module_close (module);
      return FALSE;
    }
  g_module_make_resident (module);
  self->type = leat_factory_register (self, plugin, error);
  return self->type != G_TYPE_INVALID;
}

/**
 * leat_factory_make:
 * @self: a factory
 * @name: (nullable): the node's name; %NULL leaves it to the pipeline that the node is added to
 * @error: return location
 *
 * Makes a node, and loads the plugin if this is its first one.
 *
 * Returns: (transfer full): the node, or %NULL with %LEAT_GRAPH_ERROR_PLUGIN
 *
 * Since: 0.1
 */
LeatNode *
leat_factory_make (LeatFactory *self, const char *name, GError **error)
{
  LeatNode *node;
  gboolean loaded;

  g_return_val_if_fail (LEAT_IS_FACTORY (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  pthread_mutex_lock (&leat_factory_lock);
  loaded = leat_factory_load_locked (self, error);
  pthread_mutex_unlock (&leat_factory_lock);
  if (!loaded)
    return NULL;
  node = g_object_new (self->type, NULL);
  leat_node_rename (node, name);
  return node;
}
