/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-graph-error.h"
#include "leat-node-private.h"
#include "leat-spec-private.h"

/**
 * LeatNegotiation:
 *
 * What a plan lends to a node's negotiate (): the specs that flow in are known, those that flow out are to be stated.
 *
 * Since: 0.1
 */
struct _LeatNegotiation
{
  LeatNode *node;
  GHashTable *names; /* of the templates: char* -> guint64*, their values so far */
};

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
 * leat_negotiation_get_allowed:
 * @self: a negotiation in progress
 * @port: the name of an output
 *
 * Gets what an output may be: what the port accepts, the names in it replaced by the values that the inputs gave them,
 * and narrowed by what the linked inputs accept.
 *
 * Returns: (transfer full): a spec, fixed or not
 *
 * Since: 0.1
 */
LeatSpec *
leat_negotiation_get_allowed (LeatNegotiation *self, const char *port)
{
  LeatPort *found;
  LeatSpec *allowed;

  g_return_val_if_fail (self != NULL && port != NULL, NULL);
  found = leat_node_peek_port (self->node, port);
  g_return_val_if_fail (found != NULL, NULL);

  allowed = leat_spec_resolve (leat_port_get_template (found), self->names, NULL);
  if (allowed == NULL)
    return leat_spec_ref (leat_port_get_template (found));
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

/* The node that @node's data comes from: up along the first link each time.  Links make no cycles. */
static LeatNode *
leat_negotiation_find_source (LeatNode *node)
{
  GPtrArray *ports = leat_node_get_ports (node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = ports->pdata[i];

      if (port->direction == LEAT_PORT_INPUT && port->peer != NULL)
        return leat_negotiation_find_source (port->peer->node);
    }
  return node;
}

/* What @source gives, where it has one output; else NULL. */
static LeatSpec *
leat_negotiation_get_given (LeatNode *source, LeatSpec *spec, LeatPort *output)
{
  GPtrArray *ports = leat_node_get_ports (source);
  LeatSpec *given = NULL;

  if (source == output->node)
    return spec;
  for (guint i = 0; i < ports->len; i++)
    if (((LeatPort *) ports->pdata[i])->direction == LEAT_PORT_OUTPUT)
      given = given == NULL ? ((LeatPort *) ports->pdata[i])->spec : NULL;
  return given;
}

/* NumPy's names end in bytes, and its arrays are f64 unless somebody says otherwise. */
static char *
leat_negotiation_dup_numpy (LeatNode *source, LeatDtype dtype)
{
  const char *id = leat_node_get_id (source);

  if (!g_str_has_suffix (id, ":npy"))
    return g_strdup ("");
  return g_strdup_printf (" (in NumPy a.astype (\"%c%" G_GSIZE_FORMAT "\"))", *leat_dtype_get_name (dtype),
                          leat_dtype_get_size (dtype));
}

/* Where a type or a number of dimensions that does not suit came in, and what to do. */
static void
leat_negotiation_add_hint (LeatPort *output, LeatSpec *spec, LeatSpec *wanted, GError **error)
{
  LeatNode *source = leat_negotiation_find_source (output->node);
  LeatSpec *given = leat_negotiation_get_given (source, spec, output);
  LeatDtype dtype = leat_spec_get_dtype (spec), needed = leat_spec_get_dtype (wanted);
  const char *origin = leat_node_get_origin (source);
  g_autofree char *title = leat_node_dup_title (source), *numpy = NULL, *message = NULL, *place = NULL;

  if (error == NULL || given == NULL)
    return;
  place = origin != NULL ? g_strdup_printf (" at %s", origin) : g_strdup ("");
  if (needed != LEAT_DTYPE_ANY && needed != dtype && leat_spec_get_dtype (given) == dtype)
    {
      numpy = leat_negotiation_dup_numpy (source, needed);
      message = g_strdup_printf ("%s; the %s comes from %s%s: give it %s%s, or put \"map expr=x type=%s\" in between",
                                 (*error)->message, leat_dtype_get_name (dtype), title, place,
                                 leat_dtype_get_name (needed), numpy, leat_dtype_get_name (needed));
    }
  else if (leat_spec_has_shape (wanted) && leat_spec_get_n_dims (wanted) != leat_spec_get_n_dims (spec)
           && leat_spec_get_n_dims (given) == leat_spec_get_n_dims (spec))
    message = g_strdup_printf ("%s; the shape comes from %s%s: give it another one there, or let the reader take %u "
                               "dimension%s",
                               (*error)->message, title, place, leat_spec_get_n_dims (spec),
                               leat_spec_get_n_dims (spec) == 1 ? "" : "s");
  if (message == NULL)
    return;
  g_free ((*error)->message);
  (*error)->message = g_steal_pointer (&message);
}

/* Can @input take what @output gives?  @names: (nullable): its node's, which get their values
 * when it is the input's turn. */
static gboolean
leat_negotiation_match (LeatPort *output, LeatSpec *spec, LeatPort *input, GHashTable *names, GError **error)
{
  LeatNode *far = names != NULL ? output->node : input->node;
  g_autofree char *from = leat_port_dup_path (output);
  g_autofree char *to = leat_port_dup_path (input);
  const LeatSpecSide given = { spec, from }, accepted = { leat_port_get_template (input), to };
  g_autoptr (LeatSpec) both = NULL;
  GError *inner = NULL;

  if (names != NULL && leat_spec_bind_sides (&accepted, &given, names, &inner))
    return TRUE;
  if (names == NULL && (both = leat_spec_intersect_sides (&given, &accepted, &inner)) != NULL)
    return TRUE;
  leat_negotiation_set_error (output, spec, input, inner, error);
  leat_negotiation_add_place (far, error);
  leat_negotiation_add_hint (output, spec, accepted.spec, error);
  leat_node_blame (names != NULL ? input->node : output->node, names != NULL ? input->name : output->name);
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
  LeatPort *found;
  GError *inner = NULL;

  g_return_val_if_fail (self != NULL && port != NULL, FALSE);
  g_return_val_if_fail (spec == NULL || leat_spec_is_fixed (spec), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);
  found = leat_node_peek_port (self->node, port);
  g_return_val_if_fail (found != NULL && found->direction == LEAT_PORT_OUTPUT, FALSE);

  if (spec == NULL)
    {
      g_autofree char *label = leat_port_dup_label (found);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "%s would take more than 2^62 bytes; give the node smaller inputs", label);
      return FALSE;
    }
  if (!leat_spec_bind (leat_port_get_template (found), spec, self->names, &inner))
    {
      leat_negotiation_set_error (found, spec, NULL, inner, error);
      leat_node_blame (self->node, port);
      return FALSE;
    }
  for (guint i = 0; i < found->peers->len; i++)
    if (!leat_negotiation_match (found, spec, found->peers->pdata[i], NULL, error))
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
      LeatSpec *spec = port->peer != NULL ? leat_port_get_spec (port->peer) : NULL;

      leat_port_set_spec (port, spec);
      if (spec == NULL)
        continue;
      if (!leat_negotiation_match (port->peer, spec, port, self->names, error))
        return FALSE;
    }
  return TRUE;
}

/* What negotiate () left open, where the template says it all by now. */
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

      if (port->direction != LEAT_PORT_OUTPUT || port->spec != NULL)
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
                   "cannot tell the spec of %s, of which only %s is known: write it on the node, %s=SPEC", label, text,
                   port->name);
      return FALSE;
    }
  return TRUE;
}

gboolean
leat_node_negotiate (LeatNode *self, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  LeatNegotiation negotiation = { self, names };
  LeatNodeClass *klass = LEAT_NODE_GET_CLASS (self);

  leat_node_blame (self, NULL);
  return leat_negotiation_take_inputs (&negotiation, error)
         && (klass->negotiate == NULL || klass->negotiate (self, &negotiation, error))
         && leat_negotiation_complete_outputs (&negotiation, error);
}
