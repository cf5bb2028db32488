/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The ends of a body are nodes, so that all that is known of links, specs and order goes for them too.  They are made
 * with their group and by nobody else. */

#include "leat-graph-error.h"
#include "leat-group-private.h"
#include "leat-negotiation-private.h"

struct _LeatGroupEnd
{
  LeatNode parent_instance;

  LeatGroup *group; /* not owned: it owns this */
  gboolean is_begin;
};

G_DEFINE_FINAL_TYPE (LeatGroupEnd, leat_group_end, LEAT_TYPE_NODE)

static const LeatNodeInfo leat_group_end_info = {
  sizeof (LeatNodeInfo),   "body", NULL, "An end of a body", "Made with the node that has the body.", NULL, 0, NULL, 0,
  leat_group_end_get_type,
};

LeatGroupEnd *
leat_group_end_new (LeatGroup *group, gboolean is_begin)
{
  LeatGroupEnd *self = g_object_new (LEAT_TYPE_GROUP_END, NULL);

  self->group = group;
  self->is_begin = is_begin;
  leat_node_set_group (LEAT_NODE (self), group);
  return self;
}

gboolean
leat_group_end_is_begin (LeatGroupEnd *self)
{
  return self->is_begin;
}

LeatGroup *
leat_group_end_get_group (LeatGroupEnd *self)
{
  return self->group;
}

void
leat_group_end_lose_group (LeatGroupEnd *self)
{
  self->group = NULL;
  leat_node_set_group (LEAT_NODE (self), NULL);
}

static gboolean
leat_group_end_check_new_port (LeatGroupEnd *self, const char *name, GError **error)
{
  LeatPort *other = leat_node_peek_port (LEAT_NODE (self->group), name);
  const char *label = leat_node_get_label (LEAT_NODE (self->group));

  if (!leat_node_name_is_valid (name))
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PORT,
                 "\"%s\" cannot be a port of the body of \"%s\": a name is a letter and then letters, digits, - and _",
                 name, label);
  else if (other != NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DUPLICATE_NAME,
                 "\"%s\" has an %s \"%s\" already: give what %s of its body another name", label,
                 other->direction == LEAT_PORT_INPUT ? "input" : "output", name,
                 self->is_begin ? "comes in" : "comes out");
  return leat_node_name_is_valid (name) && other == NULL;
}

/* With the one of the group: what is an output within the body is an input outside, and the other way round. */
LeatPort *
leat_group_end_add_port (LeatGroupEnd *self, const char *name, GError **error)
{
  LeatNode *node = LEAT_NODE (self);
  g_autoptr (LeatSpec) any = leat_spec_new_any ();

  if (self->group == NULL || !leat_node_check_idle (node, "add port", name, error)
      || !leat_group_end_check_new_port (self, name, error))
    return NULL;
  leat_node_add_port (LEAT_NODE (self->group), name, self->is_begin ? LEAT_PORT_INPUT : LEAT_PORT_OUTPUT,
                      self->is_begin ? 0 : LEAT_PORT_OPTIONAL | LEAT_PORT_LATE, any, NULL);
  return leat_node_add_port (node, name, self->is_begin ? LEAT_PORT_OUTPUT : LEAT_PORT_INPUT, 0, any, NULL);
}

static gboolean
leat_group_end_pass_inputs (LeatGroupEnd *self, LeatNegotiation *negotiation, GError **error)
{
  GPtrArray *ports = leat_node_get_ports (LEAT_NODE (self));

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = ports->pdata[i];
      LeatPort *outside = leat_node_peek_port (LEAT_NODE (self->group), port->name);

      if (outside->spec != NULL && !leat_negotiation_set_output (negotiation, port->name, outside->spec, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_group_end_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatGroupEnd *self = LEAT_GROUP_END (node);

  if (self->is_begin)
    return leat_group_end_pass_inputs (self, negotiation, error);
  return LEAT_GROUP_GET_CLASS (self->group)->negotiate_end (self->group, error);
}

/* The maker of the plan calls the group's record_end () by this. */
static gboolean
leat_group_end_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatGroupEnd *self = LEAT_GROUP_END (node);

  return self->is_begin || LEAT_GROUP_GET_CLASS (self->group)->record_end (self->group, recorder, error);
}

static void
leat_group_end_class_init (LeatGroupEndClass *klass)
{
  LEAT_NODE_CLASS (klass)->negotiate = leat_group_end_negotiate;
  LEAT_NODE_CLASS (klass)->record = leat_group_end_record;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_group_end_info);
}

static void
leat_group_end_init (LeatGroupEnd *self)
{
}
