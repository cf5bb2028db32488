/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Adds to a pipeline what makes the data of one output seen on the host.  Touches the pipeline before it is planned. */

#include "leat-tap.h"

#include "graph/leat-group.h"
#include "graph/leat-pipeline-private.h"

#include <string.h>

LeatPort *
leat_tap_find (LeatPipeline *pipeline, const char *name, GError **error)
{
  const char *dot = strchr (name, '.');
  g_autofree char *node_name = dot != NULL ? g_strndup (name, (gsize) (dot - name)) : g_strdup (name);
  LeatNode *node = leat_pipeline_get_node (pipeline, node_name, error);
  LeatPort *port;

  if (node == NULL)
    return NULL;
  if (LEAT_IS_ENDPOINT (node) && !leat_endpoint_is_source (LEAT_ENDPOINT (node)))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION,
                   "%s is a sink and gives nothing: name the node before it", node_name);
      return NULL;
    }
  port =
    dot != NULL ? leat_node_get_port (node, dot + 1, error) : leat_pipeline_choose_port (node, LEAT_PORT_OUTPUT, error);
  if (port == NULL || leat_port_get_direction (port) == LEAT_PORT_OUTPUT)
    return port;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION,
               "%s is an input: name the output that it is linked to", name);
  return NULL;
}

/* The one port that a body names at an end of it; NULL where there are none or several. */
static const char *
leat_tap_find_only (LeatNode *end)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (end);

  return ports->len == 1 ? leat_port_get_name (ports->pdata[0]) : NULL;
}

/* A loop with one input and one output need not say what it carries; with one output more it has to. */
static void
leat_tap_state_carry (LeatGroup *group)
{
  const char *in = leat_tap_find_only (leat_group_get_begin (group));
  const char *out = leat_tap_find_only (leat_group_get_end (group));
  g_autofree char *said = NULL, *carry = NULL;

  if (in == NULL || out == NULL || g_object_class_find_property (G_OBJECT_GET_CLASS (group), "carry") == NULL)
    return;
  g_object_get (group, "carry", &said, NULL);
  carry = g_strdup_printf ("%s:%s", in, out);
  if (said == NULL)
    g_object_set (group, "carry", carry, NULL);
}

/* The output of the group around it that gives the same data. */
static LeatPort *
leat_tap_leave_body (LeatPort *output, GError **error)
{
  LeatNode *node = leat_port_get_node (output);
  LeatGroup *group = leat_node_get_group (node);
  g_autofree char *name = g_strdup_printf ("tap-%s-%s", leat_node_get_name (node), leat_port_get_name (output));
  LeatPort *inside;

  leat_tap_state_carry (group);
  inside = leat_node_get_port (leat_group_get_end (group), name, error);
  if (inside == NULL || (!leat_port_is_linked (inside) && !leat_port_link (output, inside, error)))
    return NULL;
  return leat_node_get_port (LEAT_NODE (group), name, error);
}

LeatPort *
leat_tap_add (LeatPipeline *pipeline, LeatPort *output, GError **error)
{
  LeatNode *readback;

  while (output != NULL && leat_node_get_group (leat_port_get_node (output)) != NULL)
    output = leat_tap_leave_body (output, error);
  if (output == NULL || (leat_port_get_flags (output) & LEAT_PORT_HOST) != 0)
    return output;
  readback = leat_pipeline_make (pipeline, "readback", NULL, error);
  if (readback == NULL || !leat_port_link (output, leat_node_get_port (readback, "in", NULL), error))
    return NULL;
  return leat_node_get_port (readback, "out", error);
}
