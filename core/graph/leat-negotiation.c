/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Fixes the specs of one node's ports: the inputs are known, the class states the outputs.  Touches the specs of that
 * node's ports, and the table of its names. */

#include "leat-negotiation-private.h"

#include "leat-graph-error.h"

#include <string.h>

/**
 * LeatNegotiation:
 *
 * The specs of a node during its negotiate (): input specs are known, the node states the output specs.
 *
 * Since: 0.1
 */

/**
 * leat_negotiation_get_input:
 * @self: a negotiation in progress
 * @port: the name of an input
 *
 * Gets what flows into the node.
 *
 * Returns: (transfer none) (nullable): a fixed spec, or %NULL when nothing is linked there
 *
 * Since: 0.1
 */
LeatSpec *
leat_negotiation_get_input (LeatNegotiation *self, const char *port)
{
  LeatPort *found;

  g_return_val_if_fail (self != NULL && port != NULL, NULL);
  found = leat_node_peek_port (self->node, port);
  g_return_val_if_fail (found != NULL, NULL);

  return leat_port_get_direction (found) == LEAT_PORT_INPUT ? leat_port_get_spec (found) : NULL;
}

/**
 * leat_negotiation_let_grow:
 * @self: a negotiation in progress
 * @port: the name of an output whose spec will be bounded
 *
 * States that a run may need more room for an output than there is. The session then makes the room and does the run
 * again, so that the result is whole.
 *
 * The leading bound that the port was given is only where it begins from here on.  To be called in every negotiation,
 * before leat_negotiation_get_allowed() and leat_negotiation_set_output() of that port.  The node's kernel says in the
 * output's count how many items there were, and writes those that there is room for.
 *
 * Returns: the items that a run has been found to need room for, or more; 0 where there was no such run
 *
 * Since: 0.1
 */
guint64
leat_negotiation_let_grow (LeatNegotiation *self, const char *port)
{
  LeatPort *found;

  g_return_val_if_fail (self != NULL && port != NULL, 0);
  found = leat_node_peek_port (self->node, port);
  g_return_val_if_fail (found != NULL && found->direction == LEAT_PORT_OUTPUT, 0);
  found->grows = TRUE;
  return found->room;
}

static gboolean
leat_negotiation_has_bound (LeatSpec *template)
{
  return leat_spec_has_shape (template) && leat_spec_is_bounded (template) && template->dims[0].kind == LEAT_DIM_NUMBER;
}

/* The specs that the port accepts: any room, where it may grow. (transfer full) */
static LeatSpec *
leat_negotiation_dup_template (LeatPort *port)
{
  LeatSpec *template = leat_port_get_template (port);

  return port->grows && leat_negotiation_has_bound (template) ? leat_spec_with_leading (template, 0)
                                                              : leat_spec_ref (template);
}

/* And what room it has come to. (transfer full) */
static LeatSpec *
leat_negotiation_dup_wanted (LeatPort *port)
{
  LeatSpec *template = leat_port_get_template (port);

  return port->grows && leat_negotiation_has_bound (template) && port->room > template->dims[0].number
           ? leat_spec_with_leading (template, port->room)
           : leat_spec_ref (template);
}

/**
 * leat_negotiation_get_allowed:
 * @self: a negotiation in progress
 * @port: the name of an output
 *
 * Gets the specs that an output may have: those that the port accepts, with the values of the inputs for names, and
 * that the linked inputs accept.
 *
 * Returns: (transfer full): a spec, fixed or not
 *
 * Since: 0.1
 */
LeatSpec *
leat_negotiation_get_allowed (LeatNegotiation *self, const char *port)
{
  g_autoptr (LeatSpec) template = NULL;
  LeatPort *found;
  LeatSpec *allowed;

  g_return_val_if_fail (self != NULL && port != NULL, NULL);
  found = leat_node_peek_port (self->node, port);
  g_return_val_if_fail (found != NULL, NULL);

  template = leat_negotiation_dup_wanted (found);
  allowed = leat_spec_resolve (template, self->names, NULL);
  if (allowed == NULL)
    return g_steal_pointer (&template);
  for (guint i = 0; found->peers != NULL && i < found->peers->len; i++)
    {
      LeatPort *peer = found->peers->pdata[i];
      LeatSpec *both = leat_spec_intersect (allowed, leat_port_get_template (peer), NULL);

      /* Two readers that contradict each other: whichever is stated, set_output () names the one that refuses it. */
      if (both == NULL)
        break;
      leat_spec_unref (allowed);
      allowed = both;
    }
  return allowed;
}

static void
leat_negotiation_set_error (LeatPort *port, LeatSpec *spec, LeatPort *peer, GError *inner, GError **error)
{
  g_autoptr (GError) owned = inner;
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  g_autofree char *label = leat_port_dup_label (port);
  g_autofree char *other = peer != NULL ? leat_port_dup_label (peer) : NULL;

  if (peer != NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "%s gives %s, which %s does not take: %s", label, text,
                 other, inner->message);
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "%s cannot be %s: %s", label, text, inner->message);
}

/* The plan puts the place of the node that it is at in front; the one at the other end of the link is told here. */
static void
leat_negotiation_add_place (LeatNode *far, GError **error)
{
  const char *origin = leat_node_get_origin (far);
  char *message;

  if (origin == NULL || error == NULL)
    return;
  message = g_strdup_printf ("%s; %s is at %s", (*error)->message, leat_node_get_name (far), origin);
  g_free ((*error)->message);
  (*error)->message = message;
}

/* @named: with the names of the ports, for the words of the error */
static gboolean
leat_negotiation_fits (LeatNegotiation *self, LeatPort *output, LeatSpec *spec, LeatPort *input, gboolean named,
                       GError **error)
{
  g_autofree char *from = named ? leat_port_dup_path (output) : NULL;
  g_autofree char *to = named ? leat_port_dup_path (input) : NULL;
  const LeatSpecSide given = { spec, from }, accepted = { leat_port_get_template (input), to };
  g_autoptr (LeatSpec) both = NULL;

  if (input->node == self->node)
    return leat_spec_bind_sides (&accepted, &given, self->names, error);
  both = leat_spec_intersect_sides (&given, &accepted, error);
  return both != NULL;
}

/* Can @input take what @output gives?  When it is the input's turn, the names of its node get their values. */
static gboolean
leat_negotiation_match (LeatNegotiation *self, LeatPort *output, LeatSpec *spec, LeatPort *input, GError **error)
{
  gboolean binds = input->node == self->node;
  GError *inner = NULL;

  if (leat_negotiation_fits (self, output, spec, input, FALSE, NULL))
    return TRUE;
  leat_negotiation_fits (self, output, spec, input, TRUE, &inner);
  if (binds)
    leat_negotiation_explain_name (self, input, spec, &inner);
  leat_negotiation_set_error (output, spec, input, inner, error);
  leat_negotiation_add_place (binds ? output->node : input->node, error);
  leat_negotiation_add_hint (output, spec, input, error);
  leat_node_blame (self->node, binds ? input->name : output->name);
  self->told = TRUE;
  return FALSE;
}

/**
 * leat_negotiation_set_output:
 * @self: a negotiation in progress
 * @port: the name of an output
 * @spec: (nullable): a fixed spec; %NULL, which leat_spec_new() gives for a size beyond all memory, is refused
 * @error: return location
 *
 * States what flows out of the node.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_SPEC, naming both ends, when the port or an input that it feeds refuses it
 *
 * Since: 0.1
 */
gboolean
leat_negotiation_set_output (LeatNegotiation *self, const char *port, LeatSpec *spec, GError **error)
{
  g_autoptr (LeatSpec) template = NULL;
  LeatPort *found;
  GError *inner = NULL;

  g_return_val_if_fail (self != NULL && port != NULL, FALSE);
  g_return_val_if_fail (spec == NULL || leat_spec_is_fixed (spec), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);
  found = leat_node_peek_port (self->node, port);
  if (found == NULL || found->direction != LEAT_PORT_OUTPUT)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN,
                   "its negotiate () calls leat_negotiation_set_output () for \"%s\", and the node has no such output; "
                   "name one that its class declares",
                   port);
      return FALSE;
    }
  if (spec == NULL)
    {
      g_autofree char *label = leat_port_dup_label (found);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "%s would take more than 2^62 bytes; give the node smaller inputs", label);
      self->told = TRUE;
      return FALSE;
    }
  template = leat_negotiation_dup_template (found);
  if (!leat_spec_bind (template, spec, self->names, &inner))
    {
      leat_negotiation_explain_name (self, found, spec, &inner);
      leat_negotiation_set_error (found, spec, NULL, inner, error);
      leat_node_blame (self->node, port);
      self->told = TRUE;
      return FALSE;
    }
  for (guint i = 0; i < found->peers->len; i++)
    if (!leat_negotiation_match (self, found, spec, found->peers->pdata[i], error))
      return FALSE;
  leat_port_set_spec (found, spec);
  return TRUE;
}

static gboolean
leat_negotiation_take_inputs (LeatNegotiation *self, GError **error)
{
  GPtrArray *ports = leat_node_get_ports (self->node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = ports->pdata[i];
      /* The node that feeds a delayed input has its turn later. */
      gboolean now = port->peer != NULL && (port->flags & LEAT_PORT_DELAYED) == 0;
      LeatSpec *spec = now ? leat_port_get_spec (port->peer) : NULL;

      leat_port_set_spec (port, spec);
      if (spec == NULL)
        continue;
      if (!leat_negotiation_match (self, port->peer, spec, port, error))
        return FALSE;
    }
  return TRUE;
}

/* Completes outputs that negotiate () left open, where the template says it all by now. */
static gboolean
leat_negotiation_complete_outputs (LeatNegotiation *self, GError **error)
{
  GPtrArray *ports = leat_node_get_ports (self->node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = ports->pdata[i];
      g_autoptr (LeatSpec) allowed = NULL;
      g_autofree char *label = NULL;
      g_autofree char *text = NULL;

      if (port->direction != LEAT_PORT_OUTPUT || port->spec != NULL || (port->flags & LEAT_PORT_LATE) != 0)
        continue;
      allowed = leat_negotiation_get_allowed (self, port->name);
      if (leat_spec_is_fixed (allowed))
        {
          if (!leat_negotiation_set_output (self, port->name, allowed, error))
            return FALSE;
          continue;
        }
      if (!leat_port_is_linked (port) && (port->flags & LEAT_PORT_OPTIONAL) != 0)
        continue;
      label = leat_port_dup_label (port);
      text = leat_spec_to_string (allowed, LEAT_SPEC_STYLE_FILE);
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "cannot tell the spec of %s: only %s is known; write it on the node, %s=SPEC", label, text,
                   port->name);
      return FALSE;
    }
  return TRUE;
}

/* Authors say what is wrong and often not with which node; some say nothing at all. */
static gboolean
leat_negotiation_call (LeatNegotiation *self, GError **error)
{
  LeatNodeClass *klass = LEAT_NODE_GET_CLASS (self->node);
  g_autoptr (GError) local = NULL;
  g_autofree char *title = NULL;

  if (klass->negotiate == NULL || klass->negotiate (self->node, self, &local))
    return TRUE;
  if (local == NULL)
    g_set_error (&local, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN,
                 "its negotiate () returned FALSE and set no error; say with g_set_error () what is wrong");
  title = leat_node_dup_title (leat_node_get_told (self->node));
  if (!self->told && strstr (local->message, title) == NULL)
    g_prefix_error (&local, "%s: ", title);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

gboolean
leat_node_negotiate (LeatNode *self, GHashTable *names, GError **error)
{
  LeatNegotiation negotiation = { self, names, FALSE };

  g_hash_table_remove_all (names);
  leat_node_blame (self, NULL);
  for (guint i = 0; i < leat_node_get_ports (self)->len; i++)
    ((LeatPort *) leat_node_get_ports (self)->pdata[i])->grows = FALSE;
  return leat_negotiation_take_inputs (&negotiation, error) && leat_negotiation_call (&negotiation, error)
         && leat_negotiation_complete_outputs (&negotiation, error);
}
