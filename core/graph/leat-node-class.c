/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Turns the description of a class of nodes into GObject properties, fields and ports.  Touches the class, and the
 * nodes that are made of it. */

#include "leat-node-private.h"

#include <string.h>

/* Ids of described properties, out of the way of those that a subclass installs by itself. */
#define LEAT_NODE_FIRST_ID 0x10000

/**
 * LeatNodeClass::negotiate:
 * @self: a node
 * @negotiation: the negotiation in progress, for this call
 * @error: return location for an error
 *
 * States the specs of the outputs, given the fixed specs of the inputs.
 *
 * Called in the order of the data, each time that the pipeline is planned.  Where a class has none, every output gets
 * the first input's spec.
 *
 * Returns: whether the inputs are such that the node can work
 */

/**
 * LeatNodeClass::record:
 * @self: a node
 * @recorder: what takes the description, for this call
 * @error: return location for an error
 *
 * Describes the node's work as operations.
 *
 * Called when the pipeline is planned, with all specs fixed; it calls no driver and changes nothing of the node.
 *
 * Returns: whether the work is described
 */

/* The next described class from @klass upwards, itself included; a description is inherited, so one that the parent has
 * too is not the class's own. */
static LeatNodeClass *
leat_node_class_next_described (LeatNodeClass *klass)
{
  for (; klass != NULL && klass->info != NULL; klass = g_type_class_peek_parent (klass))
    {
      LeatNodeClass *parent = g_type_class_peek_parent (klass);

      if (G_OBJECT_CLASS_TYPE (klass) == LEAT_TYPE_NODE)
        return NULL;
      if (parent->info != klass->info)
        return klass;
    }
  return NULL;
}

void
leat_node_init_fields (LeatNode *self, LeatNodeClass *klass)
{
  while ((klass = leat_node_class_next_described (klass)) != NULL)
    {
      for (guint i = 0; i < klass->info->n_props; i++)
        leat_prop_init_field (&klass->info->props[i], self);
      klass = g_type_class_peek_parent (klass);
    }
}

void
leat_node_clear_fields (LeatNode *self)
{
  LeatNodeClass *klass = LEAT_NODE_GET_CLASS (self);

  while ((klass = leat_node_class_next_described (klass)) != NULL)
    {
      for (guint i = 0; i < klass->info->n_props; i++)
        leat_prop_clear_field (&klass->info->props[i], self);
      klass = g_type_class_peek_parent (klass);
    }
}

void
leat_node_init_ports (LeatNode *self, LeatNodeClass *klass)
{
  while ((klass = leat_node_class_next_described (klass)) != NULL)
    {
      for (guint i = 0; i < klass->info->n_ports; i++)
        {
          const LeatPortInfo *port = &klass->info->ports[i];
          g_autoptr (LeatSpec) spec = NULL;

          if ((port->flags & LEAT_PORT_DYNAMIC) != 0)
            continue;
          spec = leat_spec_parse (port->spec, NULL);
          leat_node_add_port (self, port->name, port->direction, port->flags, spec, port->blurb);
        }
      klass = g_type_class_peek_parent (klass);
    }
}

/* The default negotiate (): every output is what the first input is, where its template does not say it all. */
static gboolean
leat_node_default_negotiate (LeatNode *self, LeatNegotiation *negotiation, GError **error)
{
  GPtrArray *ports = leat_node_get_ports (self);
  LeatSpec *first = NULL;

  for (guint i = 0; i < ports->len && first == NULL; i++)
    first = leat_negotiation_get_input (negotiation, leat_port_get_name (ports->pdata[i]));
  for (guint i = 0; i < ports->len && first != NULL; i++)
    {
      LeatPort *port = ports->pdata[i];
      g_autoptr (LeatSpec) allowed = NULL;

      if (leat_port_get_direction (port) != LEAT_PORT_OUTPUT)
        continue;
      allowed = leat_negotiation_get_allowed (negotiation, leat_port_get_name (port));
      if (!leat_spec_is_fixed (allowed)
          && !leat_negotiation_set_output (negotiation, leat_port_get_name (port), first, error))
        return FALSE;
    }
  return TRUE;
}

void
leat_node_class_install_vfuncs (LeatNodeClass *klass)
{
  klass->negotiate = leat_node_default_negotiate;
}

/**
 * leat_node_class_describe: (skip)
 * @klass: a class that is being initialized
 * @info: constant data that lives for ever
 *
 * Describes a class of nodes, in its class initializer.
 *
 * The described properties become GObject properties that are kept in the fields which the description names, with
 * their defaults set when a node is made and text freed when it goes; the described ports are there on every node.  A
 * subclass with GObject properties of its own sets its accessors first, and chains up in them for the others.
 *
 * Since: 0.1
 */
void
leat_node_class_describe (LeatNodeClass *klass, const LeatNodeInfo *info)
{
  g_autoptr (GError) error = NULL;

  g_return_if_fail (LEAT_IS_NODE_CLASS (klass));
  g_return_if_fail (info != NULL);

  if (!leat_node_info_check (info, &error))
    {
      g_critical ("%s: %s", G_OBJECT_CLASS_NAME (klass), error->message);
      return;
    }
  klass->info = leat_node_info_normalize (info);
  if (G_OBJECT_CLASS (klass)->set_property == NULL)
    leat_node_class_install_accessors (G_OBJECT_CLASS (klass));
  for (guint i = 0; i < klass->info->n_props; i++)
    g_object_class_install_property (G_OBJECT_CLASS (klass), LEAT_NODE_FIRST_ID + i,
                                     leat_prop_new_pspec (&klass->info->props[i], G_OBJECT_CLASS_NAME (klass)));
}
