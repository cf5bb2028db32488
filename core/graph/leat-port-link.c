/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes and cuts links between ports, after all checks that need no plan.  Touches the two ports of a link only. */

#include "leat-graph-error.h"
#include "leat-group-private.h"
#include "leat-node-private.h"
#include "leat-port-private.h"
#include "leat-spec-private.h"

static void
leat_port_set_link_error (LeatPort *self, LeatPort *input, LeatGraphError code, const char *why, GError **error)
{
  g_autofree char *from = leat_port_dup_label (self);
  g_autofree char *to = leat_port_dup_label (input);

  g_set_error (error, LEAT_GRAPH_ERROR, code, "cannot link %s to %s: %s", from, to, why);
}

static gboolean
leat_port_check_directions (LeatPort *self, LeatPort *input, GError **error)
{
  const char *why;

  if (self->direction == LEAT_PORT_OUTPUT && input->direction == LEAT_PORT_INPUT)
    return TRUE;
  if (self->direction == LEAT_PORT_OUTPUT && input->direction == LEAT_PORT_OUTPUT
      && g_str_equal (leat_node_get_id (leat_port_get_node (input)), "kernel"))
    why =
      "both are outputs; what a kernel only reads is an input if it is const T *NAME in its file, and update=NAME on "
      "the node gives an output that the kernel changes an input NAME_in";
  else if (self->direction == input->direction)
    why = self->direction == LEAT_PORT_OUTPUT ? "both are outputs" : "both are inputs";
  else
    why = "links go from an output to an input; write it the other way round";
  leat_port_set_link_error (self, input, LEAT_GRAPH_ERROR_DIRECTION, why, error);
  return FALSE;
}

static gboolean
leat_port_check_single_writer (LeatPort *self, LeatPort *input, GError **error)
{
  g_autofree char *writer = NULL;
  g_autofree char *why = NULL;

  if (input->peer == NULL)
    return TRUE;
  writer = leat_port_dup_label (input->peer);
  why = g_strdup_printf ("%s feeds it already, and an input has one link", writer);
  leat_port_set_link_error (self, input, LEAT_GRAPH_ERROR_TWO_WRITERS, why, error);
  return FALSE;
}

gboolean
leat_port_check_residence (LeatPort *self, LeatPort *input, GError **error)
{
  gboolean from_host = (self->flags & LEAT_PORT_HOST) != 0;
  gboolean to_host = (input->flags & LEAT_PORT_HOST) != 0;
  gboolean in_body = leat_node_get_group (leat_port_get_node (self)) != NULL;

  if (from_host == to_host || ((self->flags | input->flags) & LEAT_PORT_ANYWHERE) != 0)
    return TRUE;
  leat_port_set_link_error (
    self, input, LEAT_GRAPH_ERROR_RESIDENCE,
    from_host ? "the first is in host memory, the second takes device memory: put an upload "
                "between"
    : in_body ? "the first is in device memory, the second takes host memory, which a body has none of: "
                "link what comes out of the body to it"
              : "the first is in device memory, the second takes host memory: put a readback between",
    error);
  return FALSE;
}

gboolean
leat_port_check_specs (LeatPort *self, LeatPort *input, GError **error)
{
  g_autoptr (LeatSpec) both = leat_spec_intersect (self->accepted, input->accepted, NULL);
  g_autoptr (GError) inner = NULL;
  g_autofree char *from = NULL;
  g_autofree char *to = NULL;

  if (both != NULL)
    return TRUE;
  /* Once more, for the words with which it fails. */
  from = leat_port_dup_path (self);
  to = leat_port_dup_path (input);
  leat_spec_intersect_sides (&(LeatSpecSide){ self->accepted, from }, &(LeatSpecSide){ input->accepted, to }, &inner);
  leat_port_set_link_error (self, input, LEAT_GRAPH_ERROR_SPEC, inner->message, error);
  return FALSE;
}

/* Finds the path downstream from @node to @goal; on success @path holds the nodes, @goal first. */
static gboolean
leat_port_find_path (LeatNode *node, LeatNode *goal, GHashTable *seen, GPtrArray *path)
{
  GPtrArray *ports = leat_node_get_ports (node);
  gboolean found = node == goal;

  if (!found && !g_hash_table_add (seen, node))
    return FALSE;
  for (guint i = 0; i < ports->len && !found; i++)
    {
      LeatPort *port = ports->pdata[i];

      for (guint j = 0; port->peers != NULL && j < port->peers->len && !found; j++)
        found = (((LeatPort *) port->peers->pdata[j])->flags & LEAT_PORT_DELAYED) == 0
                && leat_port_find_path (((LeatPort *) port->peers->pdata[j])->node, goal, seen, path);
    }
  if (found)
    g_ptr_array_add (path, node);
  return found;
}

static gboolean
leat_port_node_has_links (LeatNode *node, LeatDirection direction)
{
  GPtrArray *ports = leat_node_get_ports (node);

  for (guint i = 0; i < ports->len; i++)
    if (((LeatPort *) ports->pdata[i])->direction == direction && leat_port_is_linked (ports->pdata[i]))
      return TRUE;
  return FALSE;
}

static gboolean
leat_port_check_cycle (LeatPort *self, LeatPort *input, GError **error)
{
  g_autoptr (GHashTable) seen = NULL;
  g_autoptr (GPtrArray) path = NULL;
  GString *why;
  g_autofree char *text = NULL;

  /* Most pipelines are linked from one end to the other, where there is nothing to go through. */
  if (input->node != self->node
      && (!leat_port_node_has_links (input->node, LEAT_PORT_OUTPUT)
          || !leat_port_node_has_links (self->node, LEAT_PORT_INPUT)))
    return TRUE;
  seen = g_hash_table_new (NULL, NULL);
  path = g_ptr_array_new ();
  if ((input->flags & LEAT_PORT_DELAYED) != 0 || !leat_port_find_path (input->node, self->node, seen, path))
    return TRUE;
  why = g_string_new ("that would close a cycle: ");
  g_string_append (why, leat_node_get_label (self->node));
  for (guint i = path->len; i > 0; i--)
    g_string_append_printf (why, " -> %s", leat_node_get_label (path->pdata[i - 1]));
  text = g_string_free (why, FALSE);
  leat_port_set_link_error (self, input, LEAT_GRAPH_ERROR_CYCLE, text, error);
  return FALSE;
}

static gboolean
leat_port_check_pipelines (LeatPort *self, LeatPort *input, GError **error)
{
  LeatPipeline *from, *to;

  if (self->node == NULL || input->node == NULL)
    {
      leat_port_set_link_error (self, input, LEAT_GRAPH_ERROR_FAILED, "its node is gone", error);
      return FALSE;
    }
  from = leat_node_get_pipeline (self->node);
  to = leat_node_get_pipeline (input->node);
  if (from != NULL && to != NULL && from != to)
    {
      leat_port_set_link_error (self, input, LEAT_GRAPH_ERROR_FAILED, "they are in different pipelines", error);
      return FALSE;
    }
  return leat_node_check_idle (self->node, "link port", self->name, error)
         && leat_node_check_idle (input->node, "link port", input->name, error);
}

/**
 * leat_port_link:
 * @self: an output port
 * @input: an input port
 * @error: return location
 *
 * Joins an output to an input.
 *
 * Everything that can be known without planning is checked here, and the messages name both ends.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_DIRECTION, %LEAT_GRAPH_ERROR_TWO_WRITERS, %LEAT_GRAPH_ERROR_RESIDENCE,
 *   %LEAT_GRAPH_ERROR_SPEC when the templates can never agree, %LEAT_GRAPH_ERROR_CYCLE, or %LEAT_GRAPH_ERROR_BUSY while
 *   a session is open
 *
 * Since: 0.1
 */
gboolean
leat_port_link (LeatPort *self, LeatPort *input, GError **error)
{
  g_return_val_if_fail (LEAT_IS_PORT (self) && LEAT_IS_PORT (input), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!leat_port_check_directions (self, input, error) || !leat_port_check_pipelines (self, input, error)
      || !leat_port_check_groups (self, input, error) || !leat_port_check_single_writer (self, input, error)
      || !leat_port_check_residence (self, input, error) || !leat_port_check_specs (self, input, error)
      || !leat_port_check_cycle (self, input, error))
    return FALSE;
  input->peer = self;
  g_ptr_array_add (self->peers, input);
  return TRUE;
}

static gboolean
leat_port_check_links (LeatPort *self, GError **error)
{
  if (self->peer != NULL)
    return leat_port_check_specs (self->peer, self, error);
  for (guint i = 0; self->peers != NULL && i < self->peers->len; i++)
    if (!leat_port_check_specs (self, self->peers->pdata[i], error))
      return FALSE;
  return TRUE;
}

/**
 * leat_port_constrain:
 * @self: a port
 * @spec: what shall flow
 * @error: return location
 *
 * Narrows what the port accepts, as a spec does that is written on a link or on the node.
 *
 * After a failure the port accepts what it did before.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_SPEC when nothing would be left, here or at the other end of a link;
 *   %LEAT_GRAPH_ERROR_BUSY while a session is open
 *
 * Since: 0.1
 */
gboolean
leat_port_constrain (LeatPort *self, LeatSpec *spec, GError **error)
{
  g_autoptr (LeatSpec) before = NULL;
  g_autoptr (LeatSpec) constraint = NULL;
  g_autofree char *label = NULL;

  g_return_val_if_fail (LEAT_IS_PORT (self), FALSE);
  g_return_val_if_fail (spec != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (self->node != NULL && !leat_node_check_idle (self->node, "narrow port", self->name, error))
    return FALSE;
  constraint = self->constraint != NULL ? leat_spec_intersect (self->constraint, spec, error) : leat_spec_ref (spec);
  if (constraint == NULL)
    {
      label = leat_port_dup_label (self);
      g_prefix_error (error, "port %s: ", label);
      return FALSE;
    }
  before = leat_spec_ref (self->accepted);
  if (!leat_port_narrow (self, self->base, constraint, error))
    return FALSE;
  if (!leat_port_check_links (self, error))
    {
      g_clear_pointer (&self->accepted, leat_spec_unref);
      self->accepted = g_steal_pointer (&before);
      return FALSE;
    }
  g_clear_pointer (&self->constraint, leat_spec_unref);
  self->constraint = g_steal_pointer (&constraint);
  self->room = 0;
  return TRUE;
}
