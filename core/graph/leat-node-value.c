/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sets and gets the described properties of a node.  While a session is open a new value waits among the pipeline's
 * changes, and the node's field stays as it is. */

#include "leat-endpoint.h"
#include "leat-node-private.h"
#include "leat-pipeline-private.h"

/* Properties that an endpoint reads cannot be set in the middle of its stream. */
gboolean
leat_node_check_may_set (LeatNode *self, const LeatProp *prop, GError **error)
{
  if ((prop->flags & (LEAT_PROP_LIVE | LEAT_PROP_REPLANS)) != 0 || !LEAT_IS_ENDPOINT (self))
    return TRUE;
  return leat_node_check_idle (self, "set property", prop->name, error);
}

static void
leat_node_note_given (LeatNodePrivate *priv, const LeatProp *prop, gboolean given)
{
  g_ptr_array_remove_fast (priv->given, (gpointer) prop);
  if (given)
    g_ptr_array_add (priv->given, (gpointer) prop);
}

/* Under the lock. */
static void
leat_node_set_prop (LeatNode *self, const LeatProp *prop, const GValue *value)
{
  LeatNodePrivate *priv = leat_node_get_private (self);

  if ((prop->flags & LEAT_PROP_LIVE) == 0 && leat_node_is_frozen (self))
    {
      leat_changes_put_prop (leat_pipeline_get_changes (priv->pipeline), self, prop, value);
      return;
    }
  leat_prop_set_field (prop, self, value);
  leat_node_note_given (priv, prop, TRUE);
  priv->dirty = TRUE;
}

/* Exchanges the value of a property with that of @change. */
void
leat_node_swap_prop (LeatNode *self, LeatPropChange *change)
{
  LeatNodePrivate *priv = leat_node_get_private (self);
  gboolean given = leat_node_was_given (self, change->prop);
  GValue old = G_VALUE_INIT;

  g_value_init (&old, G_VALUE_TYPE (&change->value));
  leat_prop_get_field (change->prop, self, &old);
  leat_prop_set_field (change->prop, self, &change->value);
  g_value_unset (&change->value);
  change->value = old;
  leat_node_note_given (priv, change->prop, change->given);
  change->given = given;
  priv->dirty = TRUE;
}

static void
leat_node_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  LeatNode *self = LEAT_NODE (object);
  const LeatProp *prop = leat_prop_from_pspec (pspec);
  g_autoptr (GError) error = NULL;

  if (prop == NULL && id == LEAT_NODE_PROP_NAME)
    leat_node_set_name_property (self, g_value_get_string (value));
  else if (prop == NULL)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  else if (!leat_node_check_may_set (self, prop, &error))
    g_warning ("%s", error->message);
  else
    {
      leat_node_lock (self);
      leat_node_set_prop (self, prop, value);
      leat_node_unlock (self);
    }
}

/* Like g_object_set_property (), but without the look-up of the name and the check of the value, which are done.  A
 * class with accessors of its own is asked. */
void
leat_node_put_prop (LeatNode *self, GParamSpec *pspec, const LeatProp *prop, const GValue *value)
{
  GObjectClass *owner = g_type_class_peek (pspec->owner_type);

  if (owner->set_property != leat_node_set_property)
    {
      g_object_set_property (G_OBJECT (self), prop->name, value);
      return;
    }
  leat_node_lock (self);
  leat_node_set_prop (self, prop, value);
  leat_node_unlock (self);
  g_object_notify_by_pspec (G_OBJECT (self), pspec);
}

/* The value that was set last, even if a session has yet to take it over. */
static void
leat_node_get_prop (LeatNode *self, const LeatProp *prop, GValue *value)
{
  LeatPipeline *pipeline = leat_node_get_pipeline (self);
  const GValue *waiting = NULL;

  leat_node_lock (self);
  if (pipeline != NULL)
    waiting = leat_changes_peek_prop (leat_pipeline_get_changes (pipeline), self, prop);
  if (waiting != NULL)
    g_value_copy (waiting, value);
  else
    leat_prop_get_field (prop, self, value);
  leat_node_unlock (self);
}

static void
leat_node_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  LeatNode *self = LEAT_NODE (object);
  const LeatProp *prop = leat_prop_from_pspec (pspec);

  if (prop != NULL)
    leat_node_get_prop (self, prop, value);
  else if (id == LEAT_NODE_PROP_NAME)
    g_value_set_string (value, leat_node_get_name (self));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

void
leat_node_class_install_accessors (GObjectClass *klass)
{
  klass->set_property = leat_node_set_property;
  klass->get_property = leat_node_get_property;
}
