/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Has a node make the ports and arguments that follow from its properties, when one of these has changed.  A port that
 * an open session has linked must stay. */

#include "leat-graph-error.h"
#include "leat-node-private.h"
#include "leat-pipeline-private.h"

/* A property that takes a linked port away would change the topology. */
static gboolean
leat_node_keep_linked_ports (LeatNode *self, GError **error)
{
  GPtrArray *ports = leat_node_get_private (self)->ports;
  const char *lost = NULL;

  for (guint i = 0; i < ports->len && leat_node_is_frozen (self); i++)
    {
      LeatPort *port = ports->pdata[i];

      if (!port->stale || !leat_port_is_linked (port))
        continue;
      lost = port->name;
      port->stale = FALSE;
    }
  if (lost == NULL)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY,
               "what was set would take away the port \"%s\", which is linked, while a session is open: close the "
               "session first",
               lost);
  return FALSE;
}

static gboolean
leat_node_run_prepare (LeatNode *self, GError **error)
{
  LeatNodePrivate *priv = leat_node_get_private (self);
  LeatNodeClass *klass = LEAT_NODE_GET_CLASS (self);
  gboolean done;

  leat_node_blame (self, NULL);
  priv->preparing = TRUE;
  done = klass->prepare == NULL || klass->prepare (self, error);
  priv->preparing = FALSE;
  if (!leat_node_keep_linked_ports (self, done ? error : NULL))
    done = FALSE;
  leat_node_drop_stale_ports (self);
  leat_node_drop_stale_args (self);
  if (done && priv->prepare_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&priv->prepare_error));
      done = FALSE;
    }
  g_clear_error (&priv->prepare_error);
  if (done)
    leat_node_blame (self, NULL);
  return done;
}

/**
 * leat_node_prepare:
 * @self: a node
 * @error: return location
 *
 * Makes what follows from the properties: the ports and arguments of a kernel, say.
 *
 * It does something only when a property changed since the last time, or when the last time failed.  The functions that
 * look for ports and arguments call it.
 *
 * Returns: %FALSE with an error that names the node
 *
 * Since: 0.1
 */
gboolean
leat_node_prepare (LeatNode *self, GError **error)
{
  LeatNodePrivate *priv;
  g_autofree char *title = NULL;

  g_return_val_if_fail (LEAT_IS_NODE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  priv = leat_node_get_private (self);
  if (!priv->dirty || priv->preparing
      || (leat_node_is_frozen (self) && !leat_pipeline_is_planned_here (priv->pipeline)))
    return TRUE;
  if (leat_node_run_prepare (self, error))
    {
      priv->dirty = FALSE;
      return TRUE;
    }
  title = leat_node_dup_title (self);
  g_prefix_error (error, "%s: ", title);
  return FALSE;
}

void
leat_node_drop_stale_args (LeatNode *self)
{
  GPtrArray *args = leat_node_get_private (self)->args;

  for (guint i = args->len; i > 0; i--)
    if (((LeatNodeArg *) args->pdata[i - 1])->stale)
      g_ptr_array_remove_index (args, i - 1);
}

void
leat_node_drop_stale_ports (LeatNode *self)
{
  GPtrArray *ports = leat_node_get_ports (self);

  for (guint i = ports->len; i > 0; i--)
    {
      LeatPort *port = ports->pdata[i - 1];

      if (!port->stale)
        continue;
      leat_port_detach (port);
      g_ptr_array_remove_index (ports, i - 1);
    }
}
