/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Links two nodes by name, and finds the ports that can only be meant.  leat-port-link.c checks and makes the link
 * itself. */

#include "leat-graph-error-private.h"
#include "leat-group.h"
#include "leat-node-private.h"
#include "leat-pipeline-private.h"

#include <string.h>

typedef gboolean (*LeatPortFilter) (LeatPort *port);

static gboolean
leat_pipeline_port_is_any (LeatPort *port)
{
  return TRUE;
}

static gboolean
leat_pipeline_port_is_free (LeatPort *port)
{
  return leat_port_get_direction (port) == LEAT_PORT_OUTPUT || !leat_port_is_linked (port);
}

static gboolean
leat_pipeline_port_is_wanted (LeatPort *port)
{
  return leat_pipeline_port_is_free (port) && (leat_port_get_flags (port) & LEAT_PORT_OPTIONAL) == 0;
}

/* One that the body of a group names, and not one that the group has of its own. */
static gboolean
leat_pipeline_port_is_of_body (LeatPort *port)
{
  LeatNode *node = leat_port_get_node (port);
  LeatNode *end = NULL;

  if (LEAT_IS_GROUP (node))
    end = leat_port_get_direction (port) == LEAT_PORT_OUTPUT ? leat_group_get_end (LEAT_GROUP (node))
                                                             : leat_group_get_begin (LEAT_GROUP (node));
  return end != NULL && leat_pipeline_port_is_free (port)
         && leat_node_peek_port (end, leat_port_get_name (port)) != NULL;
}

static LeatPort *
leat_pipeline_find_only (LeatNode *node, LeatDirection direction, LeatPortFilter filter)
{
  GPtrArray *ports = leat_node_get_ports (node);
  LeatPort *found = NULL;

  for (guint i = 0; i < ports->len; i++)
    {
      if (leat_port_get_direction (ports->pdata[i]) != direction || !filter (ports->pdata[i]))
        continue;
      if (found != NULL)
        return NULL;
      found = ports->pdata[i];
    }
  return found;
}

/* Why a node whose ports follow from its properties has none of the direction: what a port of the other says of itself,
 * or NULL. */
static const char *
leat_pipeline_find_reason (LeatNode *node)
{
  GPtrArray *all = leat_node_get_ports (node);

  for (guint i = 0; i < all->len; i++)
    if ((leat_port_get_flags (all->pdata[i]) & LEAT_PORT_DYNAMIC) != 0 && *leat_port_get_blurb (all->pdata[i]) != '\0')
      return leat_port_get_blurb (all->pdata[i]);
  return NULL;
}

static void
leat_pipeline_set_choice_error (LeatNode *node, LeatDirection direction, GError **error)
{
  GPtrArray *ports = leat_node_get_ports (node);
  const char *what = direction == LEAT_PORT_OUTPUT ? "output" : "input";
  g_autofree char *title = leat_node_dup_title (node);
  g_autofree char *list = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *example = NULL;

  for (guint i = 0; i < ports->len; i++)
    if (leat_port_get_direction (ports->pdata[i]) == direction)
      {
        g_ptr_array_add (names, (gpointer) leat_port_get_name (ports->pdata[i]));
        if (example == NULL && leat_pipeline_port_is_of_body (ports->pdata[i]))
          example = leat_port_get_name (ports->pdata[i]);
      }
  if (names->len == 0)
    {
      const char *reason = leat_pipeline_find_reason (node);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PORT, "%s has no %s%s%s", title, what,
                   reason != NULL ? ": " : "", reason != NULL ? reason : "");
      return;
    }
  g_ptr_array_add (names, NULL);
  list = leat_graph_error_join ((const char *const *) names->pdata);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_AMBIGUOUS,
               "%s has several %ss: say which of %s is meant, as in %s.%s", title, what, list,
               leat_node_get_label (node), example != NULL ? example : (const char *) names->pdata[0]);
}

/* The port of a direction that can only be meant: the only one; else the only one that must be linked and is free; else
 * the only free one that a body names; else the only free one.  An output is always free. */
LeatPort *
leat_pipeline_choose_port (LeatNode *node, LeatDirection direction, GError **error)
{
  LeatPort *port;

  if (!leat_node_prepare (node, error))
    return NULL;
  port = leat_pipeline_find_only (node, direction, leat_pipeline_port_is_any);
  if (port == NULL)
    port = leat_pipeline_find_only (node, direction, leat_pipeline_port_is_wanted);
  if (port == NULL)
    port = leat_pipeline_find_only (node, direction, leat_pipeline_port_is_of_body);
  if (port == NULL)
    port = leat_pipeline_find_only (node, direction, leat_pipeline_port_is_free);
  if (port == NULL)
    leat_pipeline_set_choice_error (node, direction, error);
  return port;
}

static LeatPort *
leat_pipeline_find_end (LeatPipeline *self, const char *end, LeatDirection direction, GError **error)
{
  const char *dot = strchr (end, '.');
  g_autofree char *name = dot != NULL ? g_strndup (end, dot - end) : g_strdup (end);
  LeatNode *node = leat_pipeline_get_node (self, name, error);

  if (node == NULL)
    return NULL;
  if (dot != NULL)
    return leat_node_get_port (node, dot + 1, error);
  return leat_pipeline_choose_port (node, direction, error);
}

/**
 * leat_pipeline_link:
 * @self: a pipeline
 * @output: where data comes from: `node.port`, or `node`
 * @input: where data goes to: `node.port`, or `node`
 * @error: return location
 *
 * Links two ports by name.
 *
 * A node alone stands for the port that can only be meant: the only one of the direction, or the only one that is free
 * and must be linked, or of a group the only one that is free and that its body names, or the only one that is free.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_UNKNOWN_NAME, %LEAT_GRAPH_ERROR_UNKNOWN_PORT, %LEAT_GRAPH_ERROR_AMBIGUOUS or
 *   the errors of leat_port_link()
 *
 * Since: 0.1
 */
gboolean
leat_pipeline_link (LeatPipeline *self, const char *output, const char *input, GError **error)
{
  LeatPort *from, *to;

  g_return_val_if_fail (LEAT_IS_PIPELINE (self), FALSE);
  g_return_val_if_fail (output != NULL && input != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  from = leat_pipeline_find_end (self, output, LEAT_PORT_OUTPUT, error);
  to = from != NULL ? leat_pipeline_find_end (self, input, LEAT_PORT_INPUT, error) : NULL;
  return to != NULL && leat_port_link (from, to, error);
}
