/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* When a node may be changed: the lock that its pipeline has for that, and whether a session holds it. */

#include "leat-graph-error.h"
#include "leat-node-private.h"
#include "leat-pipeline-private.h"

void
leat_node_lock (LeatNode *self)
{
  LeatPipeline *pipeline = leat_node_get_private (self)->pipeline;

  if (pipeline != NULL)
    leat_changes_lock (leat_pipeline_get_changes (pipeline));
}

void
leat_node_unlock (LeatNode *self)
{
  LeatPipeline *pipeline = leat_node_get_private (self)->pipeline;

  if (pipeline != NULL)
    leat_changes_unlock (leat_pipeline_get_changes (pipeline));
}

gboolean
leat_node_is_frozen (LeatNode *self)
{
  LeatPipeline *pipeline = leat_node_get_private (self)->pipeline;

  return pipeline != NULL && leat_pipeline_is_frozen (pipeline);
}

gboolean
leat_node_check_idle (LeatNode *self, const char *verb, const char *what, GError **error)
{
  g_autofree char *title = NULL;

  if (!leat_node_is_frozen (self))
    return TRUE;
  title = leat_node_dup_title (self);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY,
               "cannot %s \"%s\" of %s while a session is open on its pipeline: close the session first", verb, what,
               title);
  return FALSE;
}
