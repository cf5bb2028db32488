/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-private.h"

#include "graph/leat-graph-error.h"
#include "graph/leat-port-private.h"

/* Specs flow from sources to sinks: nodes are taken in topological order, so that the inputs of each are fixed when it
 * is asked for its outputs. */

struct _LeatNegotiation
{
  LeatNode *node;
  GHashTable *names; /* dimension names bound from the inputs: char* -> guint64* */
};

static LeatPort *
leat_negotiation_find_port (LeatNegotiation *self, const char *name)
{
  g_autoptr (GError) error = NULL;
  LeatPort *port = leat_node_get_port (self->node, name, &error);

  if (port == NULL)
    g_critical ("%s asks for port \"%s\": %s", leat_node_get_id (self->node), name, error->message);
  return port;
}

/**
 * leat_negotiation_get_input: (skip)
 * @self: a negotiation
 * @port: name of an input port
 *
 * Gets the spec that arrives at an input.
 *
 * Returns: (transfer none) (nullable): the fixed spec, or %NULL when the port is not linked
 */
LeatSpec *
leat_negotiation_get_input (LeatNegotiation *self, const char *port)
{
  LeatPort *input = leat_negotiation_find_port (self, port);

  return input != NULL ? leat_port_get_spec (input) : NULL;
}

/**
 * leat_negotiation_get_allowed: (skip)
 * @self: a negotiation
 * @port: name of an output port
 *
 * Gets what may still leave an output: its template and constraints, with the names that the inputs bound put in, and
 * what the linked inputs require where that is already fixed.
 *
 * Returns: (transfer full): the spec; it may be fixed or not
 */
LeatSpec *
leat_negotiation_get_allowed (LeatNegotiation *self, const char *port)
{
  LeatPort *output = leat_negotiation_find_port (self, port);
  g_autoptr (LeatSpec) allowed = NULL;
  g_autoptr (GPtrArray) peers = NULL;

  if (output == NULL)
    return leat_spec_new_any ();
  allowed = leat_spec_resolve (leat_port_get_template (output), self->names, NULL);
  if (allowed == NULL)
    allowed = leat_spec_ref (leat_port_get_template (output));
  peers = leat_port_list_peers (output);
  for (guint i = 0; i < peers->len; i++)
    {
      LeatSpec *wanted = leat_port_get_template (g_ptr_array_index (peers, i));
      LeatSpec *both = leat_spec_is_fixed (wanted) ? leat_spec_intersect (allowed, wanted, NULL) : NULL;

      if (both != NULL)
        {
          leat_spec_unref (allowed);
          allowed = both;
        }
    }
  return g_steal_pointer (&allowed);
}

static gboolean
leat_negotiation_refuse (LeatPort *output, LeatSpec *spec, const GError *cause, GError **error)
{
  g_autofree char *path = leat_port_dup_path (output);
  g_autofree char *given = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  g_autofree char *allowed = leat_spec_to_string (leat_port_get_template (output), LEAT_SPEC_STYLE_FILE);

  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "%s gives %s, but %s is asked of it: %s", path, given,
               allowed, cause->message);
  return FALSE;
}

/**
 * leat_negotiation_set_output: (skip)
 * @self: a negotiation
 * @port: name of an output port
 * @spec: the fixed spec that the node will give there
 * @error: return location for an error
 *
 * States an output's spec.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_SPEC when the port's own template, or a spec written on its link, refuses it
 */
gboolean
leat_negotiation_set_output (LeatNegotiation *self, const char *port, LeatSpec *spec, GError **error)
{
  LeatPort *output = leat_negotiation_find_port (self, port);
  g_autoptr (GError) cause = NULL;

  g_return_val_if_fail (output != NULL, FALSE);
  if (!leat_spec_is_fixed (spec))
    {
      g_autofree char *path = leat_port_dup_path (output);
      g_autofree char *given = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "%s: its shape %s is not known; write a spec on the node (%s=...) or on the link", path, given,
                   leat_port_get_name (output));
      return FALSE;
    }
  if (!leat_spec_bind (leat_port_get_template (output), spec, self->names, &cause))
    return leat_negotiation_refuse (output, spec, cause, error);
  leat_port_set_spec (output, spec);
  return TRUE;
}

/* An input takes what its peer gives, if its template agrees. */
static gboolean
leat_negotiation_accept_input (LeatNegotiation *self, LeatPort *input, GError **error)
{
  LeatPort *peer = leat_port_get_peer (input);
  g_autoptr (GError) cause = NULL;
  LeatSpec *given;

  if (peer == NULL)
    return TRUE;
  given = leat_port_get_spec (peer);
  g_return_val_if_fail (given != NULL, FALSE);
  if (!leat_spec_bind (leat_port_get_template (input), given, self->names, &cause))
    {
      g_autofree char *from = leat_port_dup_path (peer);
      g_autofree char *to = leat_port_dup_path (input);
      g_autofree char *spec = leat_spec_to_string (given, LEAT_SPEC_STYLE_FILE);
      g_autofree char *wanted = leat_spec_to_string (leat_port_get_template (input), LEAT_SPEC_STYLE_FILE);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "%s gives %s, but %s of %s takes %s: %s", from, spec,
                   to, leat_node_get_id (self->node), wanted, cause->message);
      return FALSE;
    }
  leat_port_set_spec (input, given);
  return TRUE;
}

static gboolean
leat_negotiation_check_outputs (LeatNegotiation *self, GPtrArray *ports, GError **error)
{
  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);
      gboolean needed = leat_port_is_linked (port) || !(leat_port_get_flags (port) & LEAT_PORT_OPTIONAL);

      if (leat_port_get_direction (port) == LEAT_PORT_OUTPUT && needed && leat_port_get_spec (port) == NULL)
        {
          g_autofree char *path = leat_port_dup_path (port);

          g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "%s of %s: nothing says what spec it has", path,
                       leat_node_get_id (self->node));
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
leat_negotiation_run_node (LeatNode *node, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  LeatNegotiation negotiation = { node, names };
  g_autoptr (GPtrArray) ports = leat_node_list_ports (node);

  for (guint i = 0; i < ports->len; i++)
    leat_port_set_spec (g_ptr_array_index (ports, i), NULL);
  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);

      if (leat_port_get_direction (port) == LEAT_PORT_INPUT
          && !leat_negotiation_accept_input (&negotiation, port, error))
        return FALSE;
    }
  if (!LEAT_NODE_GET_CLASS (node)->negotiate (node, &negotiation, error))
    return FALSE;
  return leat_negotiation_check_outputs (&negotiation, ports, error);
}

/* Fixes the spec of every port of @nodes, which are in topological order. */
gboolean
leat_plan_negotiate (GPtrArray *nodes, GError **error)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      LeatNode *node = g_ptr_array_index (nodes, i);

      if (!leat_negotiation_run_node (node, error))
        {
          g_prefix_error (error, "%s \"%s\": ", leat_node_get_id (node), leat_node_get_name (node));
          return FALSE;
        }
    }
  return TRUE;
}
