/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds all that is wrong with a pipeline before it is planned.  Changes nothing of it, and gives a list of errors. */

#include "leat-claims-private.h"
#include "leat-endpoint.h"
#include "leat-graph-error.h"
#include "leat-node-private.h"
#include "leat-pipeline-private.h"

/* Of @node: the message goes on after its title. */
G_GNUC_PRINTF (4, 5)
static void
leat_pipeline_add_fault (LeatNode *node, GPtrArray *errors, LeatGraphError code, const char *format, ...)
{
  g_autofree char *title = leat_node_dup_title (node);
  GError *error;
  va_list args;

  va_start (args, format);
  error = g_error_new_valist (LEAT_GRAPH_ERROR, code, format, args);
  va_end (args);
  g_prefix_error (&error, "%s ", title);
  g_ptr_array_add (errors, error);
}

static void
leat_pipeline_check_props (LeatNode *node, GPtrArray *errors)
{
  const LeatNodeInfo *info = leat_node_get_info (node);

  for (guint i = 0; info != NULL && i < info->n_props; i++)
    {
      const LeatProp *prop = &info->props[i];
      gboolean is_text = prop->type == LEAT_PROP_STRING || prop->type == LEAT_PROP_PATH;

      if ((prop->flags & LEAT_PROP_REQUIRED) == 0
          || (leat_node_was_given (node, prop) && !(is_text && *(char **) ((char *) node + prop->offset) == NULL)))
        continue;
      leat_pipeline_add_fault (node, errors, LEAT_GRAPH_ERROR_MISSING, "needs its property \"%s\": %s", prop->name,
                               prop->blurb);
    }
}

static void
leat_pipeline_check_ports (LeatNode *node, GPtrArray *errors)
{
  GPtrArray *ports = leat_node_get_ports (node);
  gboolean is_linked = FALSE;

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = ports->pdata[i];

      is_linked |= leat_port_is_linked (port);
      if (leat_port_is_linked (port) || (leat_port_get_flags (port) & LEAT_PORT_OPTIONAL) != 0)
        continue;
      leat_pipeline_add_fault (node, errors, LEAT_GRAPH_ERROR_UNLINKED, "needs a link %s its port \"%s\"",
                               port->direction == LEAT_PORT_INPUT ? "to" : "from", port->name);
    }
  if (!is_linked && LEAT_IS_ENDPOINT (node))
    leat_pipeline_add_fault (node, errors, LEAT_GRAPH_ERROR_UNLINKED,
                             "is linked to nothing, so that it is neither a source nor a sink");
}

/* Nodes can be linked before they are added, and one of them may have been forgotten. */
static void
leat_pipeline_check_peer (LeatNode *node, LeatPort *peer, GPtrArray *errors)
{
  g_autofree char *label = NULL;

  if (leat_node_get_pipeline (peer->node) == leat_node_get_pipeline (node))
    return;
  label = leat_port_dup_label (peer);
  leat_pipeline_add_fault (node, errors, LEAT_GRAPH_ERROR_FAILED,
                           "is linked to %s, whose node is not in the pipeline: add it", label);
}

static void
leat_pipeline_check_peers (LeatNode *node, GPtrArray *errors)
{
  GPtrArray *ports = leat_node_get_ports (node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = ports->pdata[i];

      if (port->peer != NULL)
        leat_pipeline_check_peer (node, port->peer, errors);
      for (guint k = 0; port->peers != NULL && k < port->peers->len; k++)
        leat_pipeline_check_peer (node, port->peers->pdata[k], errors);
    }
}

/* A port can have changed since it was linked, when it follows from a property. */
static void
leat_pipeline_check_agreement (LeatNode *node, GPtrArray *errors)
{
  GPtrArray *ports = leat_node_get_ports (node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = ports->pdata[i];
      GError *error = NULL;

      if (port->peer != NULL
          && (!leat_port_check_residence (port->peer, port, &error)
              || !leat_port_check_specs (port->peer, port, &error)))
        g_ptr_array_add (errors, error);
    }
}

/* An endpoint reads or writes; one that did both would close a cycle through the world outside. */
static void
leat_pipeline_check_endpoint (LeatNode *node, GPtrArray *errors)
{
  GPtrArray *ports = leat_node_get_ports (node);
  gboolean linked[2] = { FALSE, FALSE };

  for (guint i = 0; i < ports->len; i++)
    linked[leat_port_get_direction (ports->pdata[i])] |= leat_port_is_linked (ports->pdata[i]);
  if (linked[LEAT_PORT_INPUT] && linked[LEAT_PORT_OUTPUT])
    leat_pipeline_add_fault (node, errors, LEAT_GRAPH_ERROR_DIRECTION,
                             "is linked as a source and as a sink: use two nodes");
}

void
leat_pipeline_check_settings (LeatNode *node, GPtrArray *errors)
{
  guint n_before = errors->len;
  GError *error = NULL;

  leat_pipeline_check_props (node, errors);
  /* The fault of a missing property is told once. */
  if (!leat_node_prepare (node, n_before == errors->len ? &error : NULL) && error != NULL)
    g_ptr_array_add (errors, error);
}

void
leat_pipeline_check_links (LeatNode *node, GPtrArray *errors)
{
  leat_pipeline_check_ports (node, errors);
  leat_pipeline_check_peers (node, errors);
  leat_pipeline_check_agreement (node, errors);
  if (LEAT_IS_ENDPOINT (node))
    leat_pipeline_check_endpoint (node, errors);
}

/* In front of the faults from @first on: where the file that the node was read from has it. */
static void
leat_pipeline_place_faults (LeatNode *node, GPtrArray *errors, guint first)
{
  for (guint i = first; i < errors->len; i++)
    leat_node_prefix_origin (node, (GError **) &errors->pdata[i]);
}

static void
leat_pipeline_check (LeatPipeline *self, void (*check) (LeatNode *node, GPtrArray *errors), GPtrArray *errors)
{
  GPtrArray *nodes = leat_pipeline_get_nodes (self);

  for (guint i = 0; i < nodes->len; i++)
    {
      guint n_before = errors->len;

      check (nodes->pdata[i], errors);
      leat_pipeline_place_faults (nodes->pdata[i], errors, n_before);
    }
}

/* Which of the files that nodes name is written, links say. */
static void
leat_pipeline_check_files (LeatPipeline *self, GPtrArray *errors)
{
  g_autoptr (LeatClaims) claims = leat_claims_new ();
  GPtrArray *nodes = leat_pipeline_get_nodes (self);

  for (guint i = 0; i < nodes->len; i++)
    {
      GError *error = NULL;

      if (leat_claims_add_node (claims, nodes->pdata[i], NULL, &error))
        continue;
      leat_node_prefix_origin (nodes->pdata[i], &error);
      g_ptr_array_add (errors, error);
    }
}

/**
 * leat_pipeline_validate: (skip)
 * @self: a pipeline
 * @errors: (element-type GError): takes what is wrong
 *
 * Checks whether the pipeline is complete: required properties set, required ports linked, links to nodes of it alone
 * that still agree after a property has changed a port, no file that one node would write over another's, and no two
 * that read standard input.
 *
 * Every fault found is added to @errors; that of a node that was read from a file begins with its `file:line:column`.
 * Cycles cannot be linked in the first place.
 *
 * Returns: whether nothing is wrong
 *
 * Since: 0.1
 */
gboolean
leat_pipeline_validate (LeatPipeline *self, GPtrArray *errors)
{
  guint n_before;

  g_return_val_if_fail (LEAT_IS_PIPELINE (self), FALSE);
  g_return_val_if_fail (errors != NULL, FALSE);

  n_before = errors->len;
  leat_pipeline_check (self, leat_pipeline_check_settings, errors);
  leat_pipeline_check (self, leat_pipeline_check_links, errors);
  if (errors->len == n_before)
    leat_pipeline_check_files (self, errors);
  return errors->len == n_before;
}

/**
 * leat_pipeline_list_faults: (rename-to leat_pipeline_validate)
 * @self: a pipeline
 *
 * Checks the pipeline as leat_pipeline_validate() does, for languages that get a list more easily than they lend one.
 *
 * Returns: (element-type GLib.Error) (transfer full): what is wrong; empty when nothing is
 *
 * Since: 0.1
 */
GPtrArray *
leat_pipeline_list_faults (LeatPipeline *self)
{
  GPtrArray *faults;

  g_return_val_if_fail (LEAT_IS_PIPELINE (self), NULL);

  faults = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  leat_pipeline_validate (self, faults);
  return faults;
}
