/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reads descriptions of nodes from plugins that were built with structs of an older size.  Gives a copy where the sizes
 * differ. */

#include "leat-plugin-private.h"

#include <string.h>

const LeatProp *
leat_node_info_get_prop (const LeatNodeInfo *self, guint index)
{
  return (const LeatProp *) ((const char *) self->props + index * self->props[0].size);
}

const LeatPortInfo *
leat_node_info_get_port (const LeatNodeInfo *self, guint index)
{
  return (const LeatPortInfo *) ((const char *) self->ports + index * self->ports[0].size);
}

static gboolean
leat_node_info_is_current (const LeatNodeInfo *self)
{
  return self->size == sizeof (LeatNodeInfo) && (self->n_props == 0 || self->props[0].size == sizeof (LeatProp))
         && (self->n_ports == 0 || self->ports[0].size == sizeof (LeatPortInfo));
}

const LeatNodeInfo *
leat_node_info_normalize (const LeatNodeInfo *self)
{
  LeatNodeInfo *copy;
  LeatProp *props;
  LeatPortInfo *ports;

  if (leat_node_info_is_current (self))
    return self;
  copy = g_new0 (LeatNodeInfo, 1);
  props = g_new0 (LeatProp, self->n_props);
  ports = g_new0 (LeatPortInfo, self->n_ports);
  memcpy (copy, self, MIN (self->size, sizeof *copy));
  for (guint i = 0; i < self->n_props; i++)
    {
      memcpy (&props[i], leat_node_info_get_prop (self, i), MIN (self->props[0].size, sizeof *props));
      props[i].size = sizeof *props;
    }
  for (guint i = 0; i < self->n_ports; i++)
    {
      memcpy (&ports[i], leat_node_info_get_port (self, i), MIN (self->ports[0].size, sizeof *ports));
      ports[i].size = sizeof *ports;
    }
  copy->size = sizeof *copy;
  copy->props = props;
  copy->ports = ports;
  return copy;
}
