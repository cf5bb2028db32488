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

/* The node that @node's data comes from: up along the first link each time.  Links make no cycles, apart from those
 * that delay. */
static LeatNode *
leat_negotiation_find_source (LeatNode *node)
{
  GPtrArray *ports = leat_node_get_ports (node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = ports->pdata[i];

      if (port->direction == LEAT_PORT_INPUT && port->peer != NULL && (port->flags & LEAT_PORT_DELAYED) == 0)
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

/* Where a node that converts can stand: on the device, so not before the upload. (transfer full) */
static char *
leat_negotiation_dup_gap (LeatPort *output, LeatPort *input)
{
  g_autofree char *reader = leat_node_dup_title (input->node);

  if ((output->flags & LEAT_PORT_HOST) != 0 || (input->flags & LEAT_PORT_HOST) != 0)
    return g_strdup ("after the upload");
  return g_strdup_printf ("right before %s", reader);
}

/* Where a type or a number of dimensions that does not suit came in, and what to do. */
static void
leat_negotiation_add_hint (LeatPort *output, LeatSpec *spec, LeatPort *input, GError **error)
{
  LeatSpec *wanted = leat_port_get_template (input);
  LeatNode *source = leat_negotiation_find_source (output->node);
  LeatSpec *given = leat_negotiation_get_given (source, spec, output);
  LeatDtype dtype = leat_spec_get_dtype (spec), needed = leat_spec_get_dtype (wanted);
  const char *origin = leat_node_get_origin (source);
  g_autofree char *title = leat_node_dup_title (source), *numpy = NULL, *gap = NULL, *message = NULL, *place = NULL;

  if (error == NULL || given == NULL)
    return;
  place = origin != NULL ? g_strdup_printf (" at %s", origin) : g_strdup ("");
  if (needed != LEAT_DTYPE_ANY && needed != dtype && leat_spec_get_dtype (given) == dtype)
    {
      numpy = leat_negotiation_dup_numpy (source, needed);
      gap = leat_negotiation_dup_gap (output, input);
      message = g_strdup_printf ("%s; the %s comes from %s%s: give it %s%s, or put \"map expr=x type=%s\" %s",
                                 (*error)->message, leat_dtype_get_name (dtype), title, place,
                                 leat_dtype_get_name (needed), numpy, leat_dtype_get_name (needed), gap);
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

/* The port that gave a name the value that @spec at @port contradicts: the first in the order in which names are
 * entered.  NULL where none does, or @port contradicts itself. */
static LeatPort *
leat_negotiation_find_binding (LeatNegotiation *self, const LeatDim *dim, guint64 number, LeatPort *port)
{
  const guint64 *known = dim->kind == LEAT_DIM_NAME ? g_hash_table_lookup (self->names, dim->name) : NULL;
  GPtrArray *ports = leat_node_get_ports (self->node);

  for (guint i = 0; known != NULL && *known != number && i < ports->len; i++)
    {
      LeatPort *other = ports->pdata[i];
      LeatSpec *template = leat_port_get_template (other);

      for (guint k = 0; other != port && other->spec != NULL && k < template->n_dims; k++)
        if (template->dims[k].kind == LEAT_DIM_NAME && g_str_equal (template->dims[k].name, dim->name)
            && other->spec->dims[k].number == *known)
          return other;
    }
  return NULL;
}

/* "sum0.x (f32[n]), which gets f32[3] from a.o at graphs/sum.leat:4:3".  The place of the link that is being matched is
 * told anyway. */
static char *
leat_negotiation_dup_binding (LeatPort *port, LeatSpec *spec, gboolean with_place)
{
  g_autofree char *path = leat_port_dup_path (port);
  g_autofree char *accepted = leat_spec_to_string (leat_port_get_template (port), LEAT_SPEC_STYLE_FILE);
  g_autofree char *given = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  g_autofree char *from = port->peer != NULL ? leat_port_dup_path (port->peer) : NULL;
  const char *origin = with_place && from != NULL ? leat_node_get_origin (port->peer->node) : NULL;

  if (from == NULL)
    return g_strdup_printf ("%s (%s), which is %s", path, accepted, given);
  return g_strdup_printf ("%s (%s), which gets %s from %s%s%s", path, accepted, given, from,
                          origin != NULL ? " at " : "", origin != NULL ? origin : "");
}

/* Where @spec does not fit because another port of the node gave a name its value: says so in place of what only
 * @port's side of it could say. */
static void
leat_negotiation_explain_name (LeatNegotiation *self, LeatPort *port, LeatSpec *spec, GError **error)
{
  LeatSpec *template = leat_port_get_template (port);

  for (guint i = 0; i < MIN (template->n_dims, leat_spec_get_n_dims (spec)); i++)
    {
      const LeatDim *dim = &template->dims[i];
      LeatPort *other = leat_negotiation_find_binding (self, dim, spec->dims[i].number, port);
      g_autofree char *mine = NULL;
      g_autofree char *theirs = NULL;

      if (other == NULL)
        continue;
      mine = leat_negotiation_dup_binding (port, spec, FALSE);
      theirs = leat_negotiation_dup_binding (other, other->spec, TRUE);
      g_clear_error (error);
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "%s is %" G_GUINT64_FORMAT " in %s, and %" G_GUINT64_FORMAT " in %s", dim->name,
                   *(const guint64 *) g_hash_table_lookup (self->names, dim->name), theirs, spec->dims[i].number, mine);
      return;
    }
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
      leat_negotiation_explain_name (self, found, spec, &inner);
      leat_negotiation_set_error (found, spec, NULL, inner, error);
      leat_node_blame (self->node, port);
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
      /* What feeds a delayed input has its turn later. */
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
