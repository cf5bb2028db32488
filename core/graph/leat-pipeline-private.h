/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-changes-private.h"
#include "leat-pipeline.h"

G_BEGIN_DECLS

/* Only leat-pipeline.c and leat-pipeline-fields.c look into it. */
struct _LeatPipeline
{
  GObject parent_instance;

  GPtrArray *nodes;
  GHashTable *by_name; /* the same; the keys are the nodes' own names */
  LeatBus *bus;
  gint n_frozen; /* atomic */
  LeatChanges *changes;
  GThread *planner; /* atomic: the thread that plans it while it is frozen */
};

/* A session that is open on the pipeline holds it frozen: links and nodes stay as they are, and so do properties of
 * endpoints, but for the LIVE ones.  Other properties that are set wait until the session takes them over, or until the
 * pipeline thaws.  Calls nest. */
void leat_pipeline_freeze (LeatPipeline *self);
void leat_pipeline_thaw (LeatPipeline *self);
gboolean leat_pipeline_is_frozen (LeatPipeline *self);

/* Between the two, nodes of a frozen pipeline may be prepared by this thread, and no other sets anything.  They do not
 * nest. */
void leat_pipeline_begin_planning (LeatPipeline *self);
void leat_pipeline_end_planning (LeatPipeline *self);
gboolean leat_pipeline_is_planned_here (LeatPipeline *self);

LeatChanges *leat_pipeline_get_changes (LeatPipeline *self);
GPtrArray *leat_pipeline_get_nodes (LeatPipeline *self);

/* The port of a direction that can only be meant where the node alone is named, else AMBIGUOUS. */
LeatPort *leat_pipeline_choose_port (LeatNode *node, LeatDirection direction, GError **error);

/* The two halves of leat_pipeline_validate () for one node, for those who know where each node was written. */
void leat_pipeline_check_settings (LeatNode *node, GPtrArray *errors);
void leat_pipeline_check_links (LeatNode *node, GPtrArray *errors);

G_END_DECLS
