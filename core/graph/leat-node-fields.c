/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What a node has: its name and id, its ports and arguments as they are, and the pipeline and group that it is in. */

#include "leat-group-private.h"
#include "leat-node-arg-private.h"

gint leat_node_private_offset;
guint leat_node_arg_changed_signal;

LeatNodePrivate *
leat_node_get_private (LeatNode *self)
{
  return G_STRUCT_MEMBER_P (self, leat_node_private_offset);
}

/**
 * leat_node_get_group: (method)
 * @self: a node
 *
 * Gets the group in whose body a node is.
 *
 * Returns: (transfer none) (nullable): the group; %NULL for one that is in none
 *
 * Since: 1.0
 */
LeatGroup *
leat_node_get_group (LeatNode *self)
{
  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);
  return leat_node_get_private (self)->group;
}

void
leat_node_set_group (LeatNode *self, LeatGroup *group)
{
  leat_node_get_private (self)->group = group;
}

GPtrArray *
leat_node_get_ports (LeatNode *self)
{
  return leat_node_get_private (self)->ports;
}

LeatPort *
leat_node_peek_port (LeatNode *self, const char *name)
{
  GPtrArray *ports = leat_node_get_ports (self);

  for (guint i = 0; i < ports->len; i++)
    if (strcmp (((LeatPort *) ports->pdata[i])->name, name) == 0)
      return ports->pdata[i];
  return NULL;
}

void
leat_node_arg_clear (LeatNodeArg *arg)
{
  arg->is_set = arg->is_initial = FALSE;
  g_clear_pointer (&arg->value, g_variant_unref);
}

void
leat_node_arg_free (LeatNodeArg *arg)
{
  leat_node_arg_clear (arg);
  g_free (arg->name);
  g_free (arg->blurb);
  g_free (arg);
}

LeatNodeArg *
leat_node_peek_arg (LeatNode *self, const char *name)
{
  GPtrArray *args = leat_node_get_private (self)->args;

  for (guint i = 0; i < args->len; i++)
    if (strcmp (((LeatNodeArg *) args->pdata[i])->name, name) == 0)
      return args->pdata[i];
  return NULL;
}

const LeatProp *
leat_node_find_prop (LeatNode *self, const char *name)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (self), name);

  return pspec != NULL ? leat_prop_from_pspec (pspec) : NULL;
}

void
leat_node_rename (LeatNode *self, const char *name)
{
  LeatNodePrivate *priv = leat_node_get_private (self);

  if (g_strcmp0 (priv->name, name) == 0)
    return;
  g_free (priv->name);
  priv->name = g_strdup (name);
  g_object_notify (G_OBJECT (self), "name");
}

void
leat_node_set_name_property (LeatNode *self, const char *name)
{
  LeatNodePrivate *priv = leat_node_get_private (self);

  if (priv->pipeline != NULL)
    g_warning ("%s is in a pipeline, which knows it by its name: it cannot be renamed", leat_node_get_label (self));
  else
    leat_node_rename (self, name);
}

void
leat_node_emit_arg_changed (LeatNode *self, GQuark detail)
{
  g_signal_emit (self, leat_node_arg_changed_signal, detail, g_quark_to_string (detail));
}

/**
 * leat_node_get_id:
 * @self: a node
 *
 * Gets the id that nodes of this kind are made by, such as `text:scan`.
 *
 * Returns: (transfer none): the id
 *
 * Since: 0.1
 */
const char *
leat_node_get_id (LeatNode *self)
{
  const LeatNodeInfo *info;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);

  info = LEAT_NODE_GET_CLASS (self)->info;
  return info != NULL ? info->id : G_OBJECT_TYPE_NAME (self);
}

/**
 * leat_node_get_name:
 * @self: a node
 *
 * Gets the node's name.
 *
 * Returns: (transfer none) (nullable): the name; %NULL while it has none and is in no pipeline
 *
 * Since: 0.1
 */
const char *
leat_node_get_name (LeatNode *self)
{
  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);

  return leat_node_get_private (self)->name;
}

const char *
leat_node_get_label (LeatNode *self)
{
  const char *name = leat_node_get_name (self);

  return name != NULL ? name : leat_node_get_id (self);
}

char *
leat_node_dup_title (LeatNode *self)
{
  const char *name = leat_node_get_name (self);

  return name != NULL ? g_strdup_printf ("%s \"%s\"", leat_node_get_id (self), name)
                      : g_strdup (leat_node_get_id (self));
}

/**
 * leat_node_get_pipeline:
 * @self: a node
 *
 * Gets the pipeline that the node is in.
 *
 * Returns: (transfer none) (nullable): the pipeline
 *
 * Since: 0.1
 */
LeatPipeline *
leat_node_get_pipeline (LeatNode *self)
{
  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);

  return leat_node_get_private (self)->pipeline;
}

void
leat_node_set_pipeline (LeatNode *self, LeatPipeline *pipeline)
{
  leat_node_get_private (self)->pipeline = pipeline;
}

gboolean
leat_node_was_given (LeatNode *self, const LeatProp *prop)
{
  return g_ptr_array_find (leat_node_get_private (self)->given, prop, NULL);
}

gboolean
leat_node_name_is_valid (const char *name)
{
  if (!g_ascii_isalpha (*name) && *name != '_')
    return FALSE;
  for (; *name != '\0'; name++)
    if (!g_ascii_isalnum (*name) && *name != '_' && *name != '-')
      return FALSE;
  return TRUE;
}
