/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-group.h"

G_BEGIN_DECLS

/* The two ends of a body: what goes in, whose ports are outputs, and what comes out, whose ports are inputs.  A port is
 * there from when it is asked for. */
#define LEAT_TYPE_GROUP_END (leat_group_end_get_type ())
G_DECLARE_FINAL_TYPE (LeatGroupEnd, leat_group_end, LEAT, GROUP_END, LeatNode)

LeatGroupEnd *leat_group_end_new (LeatGroup *group, gboolean is_begin);
gboolean leat_group_end_is_begin (LeatGroupEnd *self);
/* (nullable): NULL once the group is gone */
LeatGroup *leat_group_end_get_group (LeatGroupEnd *self);
void leat_group_end_lose_group (LeatGroupEnd *self);
LeatPort *leat_group_end_add_port (LeatGroupEnd *self, const char *name, GError **error);

void leat_node_set_group (LeatNode *self, LeatGroup *group);
/* In the order in which they were added, the ends first. (element-type LeatNode) (transfer container) */
GPtrArray *leat_pipeline_list_group (LeatPipeline *pipeline, LeatGroup *group);
/* A link within one body, or outside of all?  FAILED */
gboolean leat_port_check_groups (LeatPort *self, LeatPort *input, GError **error);

G_END_DECLS
