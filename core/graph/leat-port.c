/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its template, its fixed spec, and the other ends of its links. */

#include "leat-node-private.h"
#include "leat-port-private.h"

/**
 * LeatPort:
 *
 * The end of a node that a link joins to another.
 *
 * A port has a direction, says with its template what it accepts, and once the pipeline is planned has the fixed spec
 * of what flows.  One output may feed any number of inputs; an input has one link.  Nodes own their ports, and a port
 * of a node that is gone has no node and no links.
 *
 * Since: 0.1
 */

G_DEFINE_FINAL_TYPE (LeatPort, leat_port, G_TYPE_OBJECT)

static void
leat_port_dispose (GObject *object)
{
  leat_port_unlink_all (LEAT_PORT (object));
  G_OBJECT_CLASS (leat_port_parent_class)->dispose (object);
}

static void
leat_port_finalize (GObject *object)
{
  LeatPort *self = LEAT_PORT (object);

  g_free (self->name);
  g_free (self->blurb);
  g_clear_pointer (&self->base, leat_spec_unref);
  g_clear_pointer (&self->constraint, leat_spec_unref);
  g_clear_pointer (&self->accepted, leat_spec_unref);
  g_clear_pointer (&self->spec, leat_spec_unref);
  g_clear_pointer (&self->peers, g_ptr_array_unref);
  G_OBJECT_CLASS (leat_port_parent_class)->finalize (object);
}

static void
leat_port_class_init (LeatPortClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = leat_port_dispose;
  object_class->finalize = leat_port_finalize;
}

static void
leat_port_init (LeatPort *self)
{
}

LeatPort *
leat_port_new (LeatNode *node, const char *name, LeatDirection direction, guint flags, LeatSpec *base,
               const char *blurb)
{
  LeatPort *self = g_object_new (LEAT_TYPE_PORT, NULL);

  self->node = node;
  self->name = g_strdup (name);
  self->blurb = g_strdup (blurb);
  self->direction = direction;
  self->flags = flags;
  self->base = leat_spec_ref (base);
  self->accepted = leat_spec_ref (base);
  if (direction == LEAT_PORT_OUTPUT)
    self->peers = g_ptr_array_new ();
  return self;
}

void
leat_port_detach (LeatPort *self)
{
  leat_port_unlink_all (self);
  self->node = NULL;
}

gboolean
leat_port_narrow (LeatPort *self, LeatSpec *base, LeatSpec *constraint, GError **error)
{
  g_autofree char *label = NULL;
  LeatSpec *accepted = constraint != NULL ? leat_spec_intersect (base, constraint, error) : leat_spec_ref (base);

  if (accepted == NULL)
    {
      label = leat_port_dup_label (self);
      g_prefix_error (error, "port %s: ", label);
      return FALSE;
    }
  g_clear_pointer (&self->accepted, leat_spec_unref);
  self->accepted = accepted;
  return TRUE;
}

gboolean
leat_port_redeclare (LeatPort *self, guint flags, LeatSpec *base, const char *blurb, GError **error)
{
  self->stale = FALSE;
  self->flags = flags;
  g_free (self->blurb);
  self->blurb = g_strdup (blurb);
  if (leat_spec_equal (self->base, base))
    return TRUE;
  g_clear_pointer (&self->spec, leat_spec_unref);
  g_clear_pointer (&self->base, leat_spec_unref);
  self->base = leat_spec_ref (base);
  return leat_port_narrow (self, base, self->constraint, error);
}

/**
 * leat_port_get_name:
 * @self: a port
 *
 * Gets the name, which is its own among the ports of the node.
 *
 * Returns: (transfer none): the name
 *
 * Since: 0.1
 */
const char *
leat_port_get_name (LeatPort *self)
{
  g_return_val_if_fail (LEAT_IS_PORT (self), NULL);

  return self->name;
}

const char *
leat_port_get_blurb (LeatPort *self)
{
  return self->blurb != NULL ? self->blurb : "";
}

/**
 * leat_port_get_direction:
 * @self: a port
 *
 * Gets which way data goes through the port.
 *
 * Returns: the direction
 *
 * Since: 0.1
 */
LeatDirection
leat_port_get_direction (LeatPort *self)
{
  g_return_val_if_fail (LEAT_IS_PORT (self), LEAT_PORT_INPUT);

  return self->direction;
}

/**
 * leat_port_get_flags:
 * @self: a port
 *
 * Gets what is special about the port.
 *
 * Returns: #LeatPortFlags
 *
 * Since: 0.1
 */
guint
leat_port_get_flags (LeatPort *self)
{
  g_return_val_if_fail (LEAT_IS_PORT (self), 0);

  return self->flags;
}

/**
 * leat_port_get_node:
 * @self: a port
 *
 * Gets the node that has the port.
 *
 * Returns: (transfer none) (nullable): the node, or %NULL when it is gone or has dropped the port
 *
 * Since: 0.1
 */
LeatNode *
leat_port_get_node (LeatPort *self)
{
  g_return_val_if_fail (LEAT_IS_PORT (self), NULL);

  return self->node;
}

/* A node that has no name yet goes by its id. */
static const char *
leat_port_get_node_name (LeatPort *self)
{
  if (self->node == NULL)
    return "(gone)";
  return leat_node_get_name (self->node) != NULL ? leat_node_get_name (self->node) : leat_node_get_id (self->node);
}

/**
 * leat_port_dup_path:
 * @self: a port
 *
 * Writes the port as leat_pipeline_link() reads it: `node.port`.
 *
 * Returns: (transfer full): the text
 *
 * Since: 0.1
 */
char *
leat_port_dup_path (LeatPort *self)
{
  g_return_val_if_fail (LEAT_IS_PORT (self), NULL);

  return g_strconcat (leat_port_get_node_name (self), ".", self->name, NULL);
}

char *
leat_port_dup_label (LeatPort *self)
{
  if (self->node == NULL || leat_node_get_name (self->node) == NULL)
    return leat_port_dup_path (self);
  return g_strdup_printf ("%s.%s (%s)", leat_node_get_name (self->node), self->name, leat_node_get_id (self->node));
}

/**
 * leat_port_get_template:
 * @self: a port
 *
 * Gets what the port accepts: what its node declares, narrowed by leat_port_constrain().
 *
 * Returns: (transfer none): a spec, often with names and `*`
 *
 * Since: 0.1
 */
LeatSpec *
leat_port_get_template (LeatPort *self)
{
  g_return_val_if_fail (LEAT_IS_PORT (self), NULL);

  return self->accepted;
}

/**
 * leat_port_get_spec:
 * @self: a port
 *
 * Gets what flows through the port.
 *
 * Returns: (transfer none) (nullable): a fixed spec once the pipeline was planned, else %NULL
 *
 * Since: 0.1
 */
LeatSpec *
leat_port_get_spec (LeatPort *self)
{
  g_return_val_if_fail (LEAT_IS_PORT (self), NULL);

  return self->spec;
}

void
leat_port_set_spec (LeatPort *self, LeatSpec *spec)
{
  LeatSpec *old = self->spec;

  self->spec = spec != NULL ? leat_spec_ref (spec) : NULL;
  g_clear_pointer (&old, leat_spec_unref);
}

/**
 * leat_port_is_linked:
 * @self: a port
 *
 * Tells whether the port has a link.
 *
 * Returns: whether it is linked
 *
 * Since: 0.1
 */
gboolean
leat_port_is_linked (LeatPort *self)
{
  g_return_val_if_fail (LEAT_IS_PORT (self), FALSE);

  return self->peer != NULL || (self->peers != NULL && self->peers->len > 0);
}

/**
 * leat_port_get_peer:
 * @self: an input port
 *
 * Gets the output that feeds an input.
 *
 * Returns: (transfer none) (nullable): the output, or %NULL when there is no link
 *
 * Since: 0.1
 */
LeatPort *
leat_port_get_peer (LeatPort *self)
{
  g_return_val_if_fail (LEAT_IS_PORT (self), NULL);

  return self->peer;
}

/**
 * leat_port_list_peers:
 * @self: a port
 *
 * Lists the other ends of a port's links: the inputs that an output feeds, in the order of linking, or the output
 * that feeds an input.
 *
 * Returns: (element-type LeatPort) (transfer container): the ports
 *
 * Since: 0.1
 */
GPtrArray *
leat_port_list_peers (LeatPort *self)
{
  GPtrArray *list;

  g_return_val_if_fail (LEAT_IS_PORT (self), NULL);

  list = g_ptr_array_new ();
  if (self->peer != NULL)
    g_ptr_array_add (list, self->peer);
  for (guint i = 0; self->peers != NULL && i < self->peers->len; i++)
    g_ptr_array_add (list, self->peers->pdata[i]);
  return list;
}

static void
leat_port_cut (LeatPort *input)
{
  g_ptr_array_remove (input->peer->peers, input);
  input->peer = NULL;
}

/**
 * leat_port_unlink:
 * @input: an input port
 *
 * Takes away the link that feeds an input, if there is one.
 *
 * Not while a session is open on the pipeline.
 *
 * Since: 0.1
 */
void
leat_port_unlink (LeatPort *input)
{
  g_autoptr (GError) error = NULL;

  g_return_if_fail (LEAT_IS_PORT (input));
  g_return_if_fail (input->direction == LEAT_PORT_INPUT);

  if (input->peer == NULL)
    return;
  if (input->node != NULL && !leat_node_check_idle (input->node, "unlink port", input->name, &error))
    {
      g_warning ("%s", error->message);
      return;
    }
  leat_port_cut (input);
}

void
leat_port_unlink_all (LeatPort *self)
{
  if (self->peer != NULL)
    leat_port_cut (self);
  while (self->peers != NULL && self->peers->len > 0)
    leat_port_cut (self->peers->pdata[self->peers->len - 1]);
}
