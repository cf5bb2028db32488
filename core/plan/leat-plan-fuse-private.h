/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-plan-private.h"

#include "kernel/leat-kernel-fuse-private.h"

G_BEGIN_DECLS

/* One of the ops that become one kernel. */
typedef struct
{
  LeatOp *op;
  LeatFuseTraits traits; /* KERNEL */
  gboolean alone;        /* only a count moves: it is in nobody's way */
  guint layer;           /* barriers before it */
  guint unit;            /* the first stage of those that are done block by block, or item by item, with it */
  const char *border;    /* (nullable): why all blocks meet between it and what it follows; static */
  guint border_with;     /* that one */
} LeatStage;

typedef struct
{
  LeatPlan *plan;
  LeatNode *node;
  const LeatFuseCall *call;
  guint first;
  GArray *stages; /* LeatStage */
  guint threads;
  guint8 *per_item;   /* by unit: it is done item by item */
  guint8 *kept;       /* by buffer: it is a local variable */
  GHashTable *counts; /* LeatBufferId + 1 of a buffer -> that of the one whose count it has */
} LeatFuser;

gboolean leat_fuser_read_stages (LeatFuser *self, GError **error);
/* Says what stands before what, and what stands together. */
void leat_fuser_find_layers (LeatFuser *self);
guint leat_fuser_count_layers (LeatFuser *self);
/* Whether all stages of a unit are done item by item. */
gboolean leat_fuser_is_per_item (LeatFuser *self, guint unit);
/* The buffer of the count that parameter number @arg of a stage is given. */
LeatBufferId leat_fuser_get_count_origin (LeatFuser *self, LeatBufferId id);
/* The count of a stage that is done item by item: its buffer, or NONE and how many. */
LeatBufferId leat_fuser_get_items (LeatFuser *self, const LeatStage *stage, guint64 *factor);
/* A buffer that nobody but stages of one unit sees, which is done item by item. */
gboolean leat_fuser_is_kept (LeatFuser *self, LeatBufferId id);
/* Writes the kernel, and gives it to @op with its arguments. */
gboolean leat_fuser_write (LeatFuser *self, LeatOp *op, GError **error);
gboolean leat_fuser_writes (LeatFuser *self, LeatBufferId id);
LeatBufferId leat_plan_follow_memory (LeatPlan *self, LeatBufferId id);

G_END_DECLS
