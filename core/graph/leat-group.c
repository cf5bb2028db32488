/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The class: a node with a body, which nodes may be in it, and the specs of what goes in and comes out. */

#include "leat-endpoint.h"
#include "leat-graph-error.h"
#include "leat-group-private.h"
#include "leat-negotiation-private.h"
#include "leat-pipeline-private.h"

/**
 * LeatGroup:
 *
 * A node with a body: other nodes and the links between them, which it runs in its own way (again and again, or as one
 * kernel).
 *
 * The nodes of a body are in the same pipeline as all others and share its names.  Data that goes into the group comes
 * to the body through the outputs of leat_group_get_begin().  Data that the body brings to the inputs of
 * leat_group_get_end() comes out of the group.  Ports of these two are made when they are asked for, and with each
 * comes one of the group under the same name.  No other link leads into a body or out of it.
 *
 * A body is in device memory: sources, sinks, uploads and readbacks stand outside.
 *
 * Since: 1.0
 */

/**
 * LeatGroupClass::negotiate_end:
 * @self: a group
 * @error: return location for an error
 *
 * States what flows out of the group, by leat_group_set_output(), when the specs of all nodes of its body are fixed.
 *
 * Returns: whether the body brings what the group can give
 */

/**
 * LeatGroupClass::record_end:
 * @self: a group
 * @recorder: what takes the description, for this call; its ports are those of the group
 * @error: return location for an error
 *
 * Adds what comes after the body, when all nodes of it have recorded, and says what the outputs are.
 *
 * Returns: whether the work is described
 */

typedef struct
{
  LeatNode *begin, *end; /* owned */
} LeatGroupPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (LeatGroup, leat_group, LEAT_TYPE_NODE)

static void
leat_group_constructed (GObject *object)
{
  LeatGroupPrivate *priv = leat_group_get_instance_private (LEAT_GROUP (object));

  G_OBJECT_CLASS (leat_group_parent_class)->constructed (object);
  priv->begin = LEAT_NODE (leat_group_end_new (LEAT_GROUP (object), TRUE));
  priv->end = LEAT_NODE (leat_group_end_new (LEAT_GROUP (object), FALSE));
}

static void
leat_group_finalize (GObject *object)
{
  LeatGroupPrivate *priv = leat_group_get_instance_private (LEAT_GROUP (object));

  leat_group_end_lose_group (LEAT_GROUP_END (priv->begin));
  leat_group_end_lose_group (LEAT_GROUP_END (priv->end));
  g_clear_object (&priv->begin);
  g_clear_object (&priv->end);
  G_OBJECT_CLASS (leat_group_parent_class)->finalize (object);
}

/* The outputs are known when the body is. */
static gboolean
leat_group_negotiate (LeatNode *self, LeatNegotiation *negotiation, GError **error)
{
  return TRUE;
}

static void
leat_group_class_init (LeatGroupClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = leat_group_constructed;
  G_OBJECT_CLASS (klass)->finalize = leat_group_finalize;
  LEAT_NODE_CLASS (klass)->negotiate = leat_group_negotiate;
  leat_node_class_install_accessors (G_OBJECT_CLASS (klass));
}

static void
leat_group_init (LeatGroup *self)
{
}

/**
 * leat_group_get_begin:
 * @self: a group
 *
 * Gets the node by which data enters the body: its port `x` gives what comes to the group's input `x`.
 *
 * Returns: (transfer none): the node, which has outputs only
 *
 * Since: 1.0
 */
LeatNode *
leat_group_get_begin (LeatGroup *self)
{
  g_return_val_if_fail (LEAT_IS_GROUP (self), NULL);
  return ((LeatGroupPrivate *) leat_group_get_instance_private (self))->begin;
}

/**
 * leat_group_get_end:
 * @self: a group
 *
 * Gets the node by which data leaves the body: what comes to its port `y` is the group's output `y`.
 *
 * Returns: (transfer none): the node, which has inputs only
 *
 * Since: 1.0
 */
LeatNode *
leat_group_get_end (LeatGroup *self)
{
  g_return_val_if_fail (LEAT_IS_GROUP (self), NULL);
  return ((LeatGroupPrivate *) leat_group_get_instance_private (self))->end;
}

static gboolean
leat_node_has_links (LeatNode *self)
{
  GPtrArray *ports = leat_node_get_ports (self);

  for (guint i = 0; i < ports->len; i++)
    if (leat_port_is_linked (ports->pdata[i]))
      return TRUE;
  return FALSE;
}

/* Why a node cannot be in the body; NULL where it can. */
static const char *
leat_group_why_not (LeatGroup *self, LeatNode *node)
{
  LeatPipeline *pipeline = leat_node_get_pipeline (node);

  if (LEAT_IS_GROUP_END (node))
    return "it is an end of a body";
  if (LEAT_IS_ENDPOINT (node))
    return "data enters and leaves the pipeline outside of bodies";
  if (leat_node_get_group (node) != NULL)
    return "it is in a body already";
  if (pipeline != NULL && pipeline != leat_node_get_pipeline (LEAT_NODE (self)))
    return "it is in another pipeline";
  for (LeatGroup *at = self; at != NULL; at = leat_node_get_group (LEAT_NODE (at)))
    if (LEAT_NODE (at) == node)
      return "it would be in its own body";
  return leat_node_has_links (node) ? "it is linked outside of the body" : NULL;
}

/**
 * leat_group_add:
 * @self: a group that is in a pipeline
 * @node: a node without links that is in no body; in the same pipeline, or in none
 * @error: return location
 *
 * Puts a node into the body, and into the group's pipeline where it is in none.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_FAILED for a node that cannot be there, such as a source or a sink, or as
 *   leat_pipeline_add()
 *
 * Since: 1.0
 */
gboolean
leat_group_add (LeatGroup *self, LeatNode *node, GError **error)
{
  LeatPipeline *pipeline;
  const char *why;

  g_return_val_if_fail (LEAT_IS_GROUP (self) && LEAT_IS_NODE (node), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);
  pipeline = leat_node_get_pipeline (LEAT_NODE (self));
  g_return_val_if_fail (pipeline != NULL, FALSE);

  why = leat_group_why_not (self, node);
  if (why != NULL)
    {
      g_autofree char *title = leat_node_dup_title (node);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED, "%s cannot be in the body of \"%s\": %s", title,
                   leat_node_get_label (LEAT_NODE (self)), why);
      return FALSE;
    }
  if (leat_node_get_pipeline (node) == NULL && !leat_pipeline_add (pipeline, node, error))
    return FALSE;
  leat_node_set_group (node, self);
  return TRUE;
}

GPtrArray *
leat_pipeline_list_group (LeatPipeline *pipeline, LeatGroup *group)
{
  GPtrArray *nodes = leat_pipeline_get_nodes (pipeline);
  GPtrArray *members = g_ptr_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    if (leat_node_get_group (nodes->pdata[i]) == group)
      g_ptr_array_add (members, nodes->pdata[i]);
  return members;
}

/**
 * leat_group_get_result: (skip)
 * @self: a group
 * @port: the name of an output
 *
 * Gets the spec of what the body brings; for implementations of negotiate_end ().
 *
 * Returns: (transfer none) (nullable): the spec; %NULL where the body brings nothing under that name
 *
 * Since: 1.0
 */
LeatSpec *
leat_group_get_result (LeatGroup *self, const char *port)
{
  LeatPort *inside = leat_node_peek_port (leat_group_get_end (self), port);

  return inside != NULL ? leat_port_get_spec (inside) : NULL;
}

/**
 * leat_group_set_output: (skip)
 * @self: a group
 * @port: the name of an output
 * @spec: a fixed spec
 * @error: return location
 *
 * States what flows out of the group; for implementations of negotiate_end ().
 *
 * Returns: %FALSE as leat_negotiation_set_output()
 *
 * Since: 1.0
 */
gboolean
leat_group_set_output (LeatGroup *self, const char *port, LeatSpec *spec, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  LeatNegotiation negotiation = { LEAT_NODE (self), names };

  return leat_negotiation_set_output (&negotiation, port, spec, error);
}

/* The body that a link from or to the node is in: an end is in the body, the group itself is not. */
static LeatGroup *
leat_node_get_body (LeatNode *self)
{
  return LEAT_IS_GROUP_END (self) ? leat_group_end_get_group (LEAT_GROUP_END (self)) : leat_node_get_group (self);
}

gboolean
leat_port_check_groups (LeatPort *self, LeatPort *input, GError **error)
{
  LeatGroup *from = leat_node_get_body (self->node), *to = leat_node_get_body (input->node);
  g_autofree char *output = NULL, *label = NULL;

  if (from == to)
    return TRUE;
  output = leat_port_dup_label (self);
  label = leat_port_dup_label (input);
  if (to != NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED,
                 "cannot link %s to %s: the second is in the body of \"%s\" and the first is not: link to %s.NAME, and "
                 "in the body from in.NAME",
                 output, label, leat_node_get_label (LEAT_NODE (to)), leat_node_get_label (LEAT_NODE (to)));
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED,
                 "cannot link %s to %s: the first is in the body of \"%s\" and the second is not: link to out.NAME in "
                 "the body, and from %s.NAME",
                 output, label, leat_node_get_label (LEAT_NODE (from)), leat_node_get_label (LEAT_NODE (from)));
  return FALSE;
}
