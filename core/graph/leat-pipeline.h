/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-bus.h"
#include "leat-node.h"

G_BEGIN_DECLS

#define LEAT_TYPE_PIPELINE (leat_pipeline_get_type ())
G_DECLARE_FINAL_TYPE (LeatPipeline, leat_pipeline, LEAT, PIPELINE, GObject)

LeatPipeline *leat_pipeline_new (void);
/* Takes the node; a node without a name gets one from its id (`scan0`).  DUPLICATE_NAME. */
gboolean leat_pipeline_add (LeatPipeline *self, LeatNode *node, GError **error);
/* Makes a node by id and adds it. (transfer none) */
LeatNode *leat_pipeline_make (LeatPipeline *self, const char *id, const char *name, GError **error);
void leat_pipeline_remove (LeatPipeline *self, LeatNode *node);
LeatNode *leat_pipeline_get_node (LeatPipeline *self, const char *name, GError **error);  /* (transfer none) */
GPtrArray *leat_pipeline_list_nodes (LeatPipeline *self);     /* in the order added; (element-type LeatNode) (transfer container) */

/* Each end is "node.port", or "node" where the node has one free port of that direction (else AMBIGUOUS). */
gboolean leat_pipeline_link (LeatPipeline *self, const char *output, const char *input, GError **error);

/* Required ports linked, required properties set; every fault found, one after the other, in @errors
 * (element-type GError).  Cycles cannot be linked in the first place. */
gboolean leat_pipeline_validate (LeatPipeline *self, GPtrArray *errors);

LeatBus *leat_pipeline_get_bus (LeatPipeline *self);          /* (transfer none) */

G_END_DECLS
