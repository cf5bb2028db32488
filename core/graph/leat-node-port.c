/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The ports of a node: found, listed, added and removed.  Touches the node's own list of ports; leat-port-link.c makes
 * links. */

#include "leat-graph-error-private.h"
#include "leat-group-private.h"
#include "leat-node-private.h"

#include <string.h>

static void
leat_node_set_port_error (LeatNode *self, const char *name, GError **error)
{
  GPtrArray *ports = leat_node_get_ports (self);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *title = leat_node_dup_title (self);
  g_autofree char *hint = NULL;

  for (guint i = 0; i < ports->len; i++)
    g_ptr_array_add (names, (gpointer) leat_port_get_name (ports->pdata[i]));
  g_ptr_array_add (names, NULL);
  hint = leat_graph_error_hint (name, (const char *const *) names->pdata, "ports");
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PORT, "%s has no port \"%s\"%s", title, name, hint);
}

/**
 * leat_node_get_port:
 * @self: a node
 * @name: a port's name
 * @error: return location
 *
 * Finds a port by its name.
 *
 * Ports that follow from a property are made first, so this may fail as leat_node_prepare() does.
 *
 * Returns: (transfer none): the port, or %NULL with %LEAT_GRAPH_ERROR_UNKNOWN_PORT
 *
 * Since: 0.1
 */
LeatPort *
leat_node_get_port (LeatNode *self, const char *name, GError **error)
{
  LeatPort *port;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  port = leat_node_peek_port (self, name);
  if (port != NULL && ((leat_port_get_flags (port) & LEAT_PORT_DYNAMIC) == 0 || !leat_node_get_private (self)->dirty))
    return port;
  if (!leat_node_prepare (self, error))
    return NULL;
  port = leat_node_peek_port (self, name);
  if (port == NULL && LEAT_IS_GROUP_END (self))
    return leat_group_end_add_port (LEAT_GROUP_END (self), name, error);
  if (port == NULL)
    leat_node_set_port_error (self, name, error);
  return port;
}

/**
 * leat_node_list_ports:
 * @self: a node
 *
 * Lists the ports, inputs first, each direction in the order in which the node declares them.
 *
 * Ports that follow from a property are made first; where that fails, the others are listed, and leat_node_prepare()
 * says why.
 *
 * Returns: (element-type LeatPort) (transfer container): the ports
 *
 * Since: 0.1
 */
GPtrArray *
leat_node_list_ports (LeatNode *self)
{
  GPtrArray *ports;
  GPtrArray *list;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);

  leat_node_prepare (self, NULL);
  ports = leat_node_get_ports (self);
  list = g_ptr_array_new ();
  for (guint i = 0; i < ports->len; i++)
    g_ptr_array_add (list, ports->pdata[i]);
  return list;
}

/* Behind the last one of its direction, inputs before outputs. */
static guint
leat_node_find_place (GPtrArray *ports, LeatDirection direction)
{
  guint place = 0;

  while (place < ports->len
         && (direction == LEAT_PORT_OUTPUT || leat_port_get_direction (ports->pdata[place]) == LEAT_PORT_INPUT))
    place++;
  return place;
}

/**
 * leat_node_add_port:
 * @self: a node
 * @name: the port's name, its own on the node
 * @direction: which way data goes
 * @flags: #LeatPortFlags; %LEAT_PORT_DYNAMIC is added for a port that is made in prepare ()
 * @spec: what it accepts
 * @blurb: (nullable): what it is for
 *
 * Adds a port that comes from a property; for implementations of prepare ().
 *
 * A port that is there already under the name and with the direction stays and keeps its links, and accepts what @spec
 * says from now on.
 *
 * Returns: (transfer none): the port
 *
 * Since: 0.1
 */
LeatPort *
leat_node_add_port (LeatNode *self, const char *name, LeatDirection direction, guint flags, LeatSpec *spec,
                    const char *blurb)
{
  LeatNodePrivate *priv;
  LeatPort *port;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);
  g_return_val_if_fail (name != NULL && spec != NULL, NULL);

  priv = leat_node_get_private (self);
  if (priv->preparing)
    flags |= LEAT_PORT_DYNAMIC;
  port = leat_node_peek_port (self, name);
  if (port != NULL && leat_port_get_direction (port) == direction)
    {
      leat_port_redeclare (port, flags, spec, blurb, priv->prepare_error == NULL ? &priv->prepare_error : NULL);
      return port;
    }
  if (port != NULL)
    {
      leat_port_detach (port);
      g_ptr_array_remove (priv->ports, port);
    }
  port = leat_port_new (self, name, direction, flags, spec, blurb);
  g_ptr_array_insert (priv->ports, (gint) leat_node_find_place (priv->ports, direction), port);
  return port;
}

/**
 * leat_node_remove_dynamic_ports:
 * @self: a node
 *
 * Removes the ports that came from a property; for implementations of prepare (), before they add the new ones.
 *
 * In prepare () a port goes only at the end, if it was not added again, so that links to the others stay.
 *
 * Since: 0.1
 */
void
leat_node_remove_dynamic_ports (LeatNode *self)
{
  LeatNodePrivate *priv;

  g_return_if_fail (LEAT_IS_NODE (self));

  priv = leat_node_get_private (self);
  for (guint i = 0; i < priv->ports->len; i++)
    {
      LeatPort *port = priv->ports->pdata[i];

      port->stale = (port->flags & LEAT_PORT_DYNAMIC) != 0;
    }
  if (!priv->preparing)
    leat_node_drop_stale_ports (self);
}
