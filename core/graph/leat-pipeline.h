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
gboolean leat_pipeline_add (LeatPipeline *self, LeatNode *node, GError **error);
LeatNode *leat_pipeline_make (LeatPipeline *self, const char *id, const char *name, GError **error);
void leat_pipeline_remove (LeatPipeline *self, LeatNode *node);
LeatNode *leat_pipeline_get_node (LeatPipeline *self, const char *name, GError **error);
GPtrArray *leat_pipeline_list_nodes (LeatPipeline *self);

gboolean leat_pipeline_link (LeatPipeline *self, const char *output, const char *input, GError **error);

gboolean leat_pipeline_validate (LeatPipeline *self, GPtrArray *errors);
GPtrArray *leat_pipeline_list_faults (LeatPipeline *self);

LeatBus *leat_pipeline_get_bus (LeatPipeline *self);

/**
 * LeatFuseMode:
 * @LEAT_FUSE_MODE_OFF: none but those of nodes that ask for it
 * @LEAT_FUSE_MODE_AUTO: chains that were measured to be faster so; where nobody has measured, those that go item by
 * item, in which nothing waits
 * @LEAT_FUSE_MODE_NEVER: not even those of nodes that ask for it, `megakernel` and `loop method=fused`, to find out
 * whether a fusion is at fault
 *
 * Kernels to fuse.
 *
 * Since: 1.0
 */
typedef enum
{
  LEAT_FUSE_MODE_OFF,
  LEAT_FUSE_MODE_AUTO,
  LEAT_FUSE_MODE_NEVER,
} LeatFuseMode;

#define LEAT_TYPE_FUSE_MODE (leat_fuse_mode_get_type ())
GType leat_fuse_mode_get_type (void) G_GNUC_CONST;

void leat_pipeline_set_optimise (LeatPipeline *self, gboolean optimise);
gboolean leat_pipeline_get_optimise (LeatPipeline *self);
void leat_pipeline_set_fuse (LeatPipeline *self, LeatFuseMode mode);
LeatFuseMode leat_pipeline_get_fuse (LeatPipeline *self);

G_END_DECLS
