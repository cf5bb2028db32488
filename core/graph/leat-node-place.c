/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The places in a file from which a node and its settings came, for messages, and the folder of its relative paths. */

#include "leat-group-private.h"
#include "leat-node-private.h"

#include "kernel/leat-supply-private.h"

#include <string.h>

void
leat_node_set_origin (LeatNode *self, const char *origin)
{
  LeatNodePrivate *priv = leat_node_get_private (self);

  g_free (priv->origin);
  priv->origin = g_strdup (origin);
}

const char *
leat_node_get_origin (LeatNode *self)
{
  return leat_node_get_private (self)->origin;
}

/* `arg.` and `port.` reach what a property hides, and are no part of the name. */
static const char *
leat_node_skip_prefix (const char *name)
{
  return strchr (name, '.') != NULL ? strchr (name, '.') + 1 : name;
}

static void
leat_node_place_clear (gpointer data)
{
  LeatNodePlace *place = data;

  g_free (place->name);
  g_ref_string_release (place->file);
}

static const LeatNodePlace *
leat_node_find_place (LeatNode *self, const char *name)
{
  GArray *places = leat_node_get_private (self)->places;

  /* The place that was set last counts. */
  for (guint i = places != NULL ? places->len : 0; i > 0; i--)
    if (g_str_equal (g_array_index (places, LeatNodePlace, i - 1).name, name))
      return &g_array_index (places, LeatNodePlace, i - 1);
  return NULL;
}

void
leat_node_set_place (LeatNode *self, const char *name, GRefString *file, guint line, guint column)
{
  LeatNodePrivate *priv = leat_node_get_private (self);
  LeatNodePlace place = { g_strdup (leat_node_skip_prefix (name)), g_ref_string_acquire (file), line, column };

  if (priv->places == NULL)
    {
      priv->places = g_array_new (FALSE, FALSE, sizeof place);
      g_array_set_clear_func (priv->places, leat_node_place_clear);
    }
  g_array_append_val (priv->places, place);
}

/**
 * leat_node_blame: (skip)
 * @self: a node
 * @name: (nullable): the name of a property, an argument or a port
 *
 * States the subject of the error that the node is about to return, so that the message tells its place in a file.
 *
 * For implementations of prepare (), negotiate () and record ().  It holds until the next of them is called.
 *
 * Since: 0.1
 */
void
leat_node_blame (LeatNode *self, const char *name)
{
  LeatNodePrivate *priv;

  g_return_if_fail (LEAT_IS_NODE (self));

  priv = leat_node_get_private (self);
  g_free (priv->blamed);
  priv->blamed = g_strdup (name);
}

const char *
leat_node_get_blamed (LeatNode *self)
{
  return leat_node_get_private (self)->blamed;
}

/* The ends of a body stand in no file, and what is wrong with them is what their node asks for. */
LeatNode *
leat_node_get_told (LeatNode *self)
{
  return LEAT_IS_GROUP_END (self) ? LEAT_NODE (leat_node_get_group (self)) : self;
}

void
leat_node_prefix_origin (LeatNode *self, GError **error)
{
  LeatNode *told = leat_node_get_told (self);
  LeatNodePrivate *priv = leat_node_get_private (told);
  const LeatNodePlace *place = priv->blamed != NULL ? leat_node_find_place (told, priv->blamed) : NULL;

  if (place != NULL)
    g_prefix_error (error, "%s:%u:%u: ", place->file, place->line, place->column);
  else if (priv->origin != NULL)
    g_prefix_error (error, "%s: ", priv->origin);
}

void
leat_node_prefix_error (LeatNode *self, GError **error)
{
  g_autofree char *title = leat_node_dup_title (leat_node_get_told (self));

  g_prefix_error (error, "%s: ", title);
  leat_node_prefix_origin (self, error);
}

/**
 * leat_node_set_base_path:
 * @self: a node
 * @folder: (nullable): a folder; %NULL is the current one
 *
 * Sets the folder against which relative PATH properties are read: that of the pipeline file which sets them.
 *
 * Since: 0.1
 */
void
leat_node_set_base_path (LeatNode *self, const char *folder)
{
  LeatNodePrivate *priv;

  g_return_if_fail (LEAT_IS_NODE (self));

  priv = leat_node_get_private (self);
  if (g_strcmp0 (priv->base_path, folder) == 0)
    return;
  g_free (priv->base_path);
  priv->base_path = g_strdup (folder);
  priv->dirty = TRUE;
}

/**
 * leat_node_resolve_path:
 * @self: a node
 * @path: a file name within the text of a property, such as `variables=mask=FILE`
 *
 * Resolves a file name against the base path, as leat_node_dup_path() does for a whole property.
 *
 * In a pipeline from an artifact, a file of the artifact has a path that leads into it; leat_supply_open() opens that.
 *
 * Returns: (transfer full): the file name
 *
 * Since: 0.1
 */
char *
leat_node_resolve_path (LeatNode *self, const char *path)
{
  g_autofree char *joined = NULL;
  LeatNodePrivate *priv;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);

  priv = leat_node_get_private (self);
  if (priv->base_path == NULL)
    return g_strdup (path);
  joined = g_path_is_absolute (path) ? g_strdup (path) : g_build_filename (priv->base_path, path, NULL);
  return leat_supply_resolve (priv->base_path, joined);
}

/**
 * leat_node_dup_path:
 * @self: a node
 * @property: the name of a PATH property
 *
 * Gets a file name, resolved against the base path.
 *
 * Returns: (transfer full) (nullable): the file name, or %NULL while the property is not set
 *
 * Since: 0.1
 */
char *
leat_node_dup_path (LeatNode *self, const char *property)
{
  const LeatProp *prop;
  const char *path;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);
  prop = leat_node_find_prop (self, property);
  g_return_val_if_fail (prop != NULL && prop->type == LEAT_PROP_PATH, NULL);

  path = *(char **) ((char *) self + prop->offset);
  return path != NULL && *path != '\0' ? leat_node_resolve_path (self, path) : NULL;
}

/**
 * leat_node_prefix_title: (skip)
 * @self: a node
 * @error: (inout) (nullable): an error that was set
 *
 * Puts the title of a node in front of a message, as in `loop "train": `; for implementations of negotiate_end ().
 *
 * Returns: %FALSE, for `return leat_node_prefix_title (node, error);`
 *
 * Since: 0.1
 */
gboolean
leat_node_prefix_title (LeatNode *self, GError **error)
{
  g_autofree char *title = NULL;

  g_return_val_if_fail (LEAT_IS_NODE (self), FALSE);

  title = leat_node_dup_title (self);
  g_prefix_error (error, "%s: ", title);
  return FALSE;
}
