/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Advice about two specs that do not go together, said behind the message. */

#include "leat-negotiation-private.h"

#include "leat-graph-error.h"

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

/* The spec that @source gives, where it has one output; else NULL. */
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

/* NumPy's names end in bytes, and its arrays are f64 unless somebody says otherwise.  It has no name for types of 8
 * bits and for bf16. */
static char *
leat_negotiation_dup_numpy (LeatNode *source, LeatDtype dtype)
{
  const char *id = leat_node_get_id (source);

  if (!g_str_has_suffix (id, ":npy") || dtype == LEAT_DTYPE_BF16 || dtype == LEAT_DTYPE_F8E4M3
      || dtype == LEAT_DTYPE_F8E5M2)
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
void
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
  if (dtype == LEAT_DTYPE_RECORD && needed != LEAT_DTYPE_ANY && needed != dtype)
    {
      g_autofree char *first = leat_spec_dup_first_path (spec);

      gap = leat_negotiation_dup_gap (output, input);
      message =
        g_strdup_printf ("%s; the record comes from %s%s: take a field of it, as with \"map expr=x.%s type=%s\" %s",
                         (*error)->message, title, place, first, leat_dtype_get_name (needed), gap);
    }
  else if (needed == LEAT_DTYPE_RECORD && needed == dtype && g_str_has_suffix (leat_node_get_id (source), ":npy"))
    message = g_strdup_printf ("%s; the fields come from %s%s: NumPy puts them where C does if they are made with "
                               "numpy.dtype ([...], align=True)",
                               (*error)->message, title, place);
  else if (needed == LEAT_DTYPE_RECORD && needed != dtype)
    message = g_strdup_printf ("%s; the %s comes from %s%s: give it records with these fields there, as NumPy's "
                               "structured arrays are",
                               (*error)->message, leat_dtype_get_name (dtype), title, place);
  else if (needed != LEAT_DTYPE_ANY && needed != dtype && leat_spec_get_dtype (given) == dtype)
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
void
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
