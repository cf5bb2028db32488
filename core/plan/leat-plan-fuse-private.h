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
  gboolean swapped;      /* a copy of what goes on in a loop: the two pointers change places instead */
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
  guint first, end;  /* ops that become stages */
  gboolean is_chain; /* of nodes that are in no group together */
  GArray *stages;    /* LeatStage */
  guint threads;

  LeatPlanLoop *loop;   /* (nullable): the stages are done as often as its test says */
  LeatStage test;       /* then */
  guint test_layer;     /* before which layer it is looked at; their number: behind the last */
  gboolean meets_again; /* behind the test, which reads what the first layer writes */
  gboolean in_block;    /* one block does all */

  guint8 *per_item;   /* by unit: it is done item by item */
  guint8 *kept;       /* by buffer: it is a local variable */
  GHashTable *counts; /* LeatBufferId + 1 of a buffer -> that of the one whose count it has */
} LeatFuser;

/* @end: G_MAXUINT for all that there are from @first on */
void leat_fuser_init (LeatFuser *self, LeatPlan *plan, LeatNode *node, guint first, guint end,
                      const LeatFuseCall *call);
void leat_fuser_clear (LeatFuser *self);
/* Puts one op in the place of those of the stages, which follow each other in the plan. */
gboolean leat_fuser_replace (LeatFuser *self, GError **error);
/* Of a loop: which copies need not be, how large the blocks are; and when all stages have their layer, where the test
 * stands. */
void leat_fuser_prepare_loop (LeatFuser *self);
void leat_fuser_place_test (LeatFuser *self);
gboolean leat_op_writes_memory (LeatPlan *plan, const LeatOp *op, LeatBufferId root);
/* Blocks of the whole's size that the largest stage has work for. */
guint leat_fuser_count_blocks (LeatFuser *self);
guint leat_op_count_threads (const LeatOp *op);
/* Does one touch what the other writes? */
gboolean leat_fuser_conflict (LeatFuser *self, const LeatOp *a, const LeatOp *b);
/* NULL: what one block does in @before is all that the block with its number needs in @stage. */
const char *leat_stage_why_border (const LeatStage *before, const LeatStage *stage);
/* Can each item of it be done by itself? */
gboolean leat_fuser_has_items (LeatFuser *self, const LeatStage *stage);
gboolean leat_fuser_has_same_items (LeatFuser *self, const LeatStage *a, const LeatStage *b);
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
