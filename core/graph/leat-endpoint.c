/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-endpoint.h"
#include "leat-node-private.h"

G_DEFINE_ABSTRACT_TYPE (LeatEndpoint, leat_endpoint, LEAT_TYPE_NODE)

static void
leat_endpoint_class_init (LeatEndpointClass *klass)
{
  leat_node_class_install_accessors (G_OBJECT_CLASS (klass));
}

static void
leat_endpoint_init (LeatEndpoint *self)
{
}

/**
 * leat_endpoint_is_source:
 * @self: an endpoint
 *
 * Tells which way data goes: an endpoint is a source when one of its outputs is linked.
 *
 * Returns: %TRUE for a source, %FALSE for a sink
 *
 * Since: 0.1
 */
gboolean
leat_endpoint_is_source (LeatEndpoint *self)
{
  GPtrArray *ports;

  g_return_val_if_fail (LEAT_IS_ENDPOINT (self), FALSE);

  ports = leat_node_get_ports (LEAT_NODE (self));
  for (guint i = 0; i < ports->len; i++)
    if (leat_port_get_direction (ports->pdata[i]) == LEAT_PORT_OUTPUT && leat_port_is_linked (ports->pdata[i]))
      return TRUE;
  return FALSE;
}

/**
 * leat_endpoint_check:
 * @self: an endpoint of a pipeline that has been planned
 * @error: return location for an error
 *
 * Looks for what would make a session fail to start the endpoint, such as a folder that is not there.  No device is
 * needed, nothing is opened and nothing is made; what changes until the session is opened is not seen.
 *
 * Returns: %TRUE when nothing was found; else the error begins with where the node is written and what it is
 *
 * Since: 0.1
 */
gboolean
leat_endpoint_check (LeatEndpoint *self, GError **error)
{
  LeatEndpointClass *klass;

  g_return_val_if_fail (LEAT_IS_ENDPOINT (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  klass = LEAT_ENDPOINT_GET_CLASS (self);
  if (klass->check == NULL || klass->check (self, error))
    return TRUE;
  leat_node_prefix_error (LEAT_NODE (self), error);
  return FALSE;
}
