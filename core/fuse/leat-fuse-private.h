/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-fusible-private.h"
#include "plan/leat-plan-private.h"

#include "leat-kernel-fuse-private.h"
#include "leat-recorder-group.h"

G_BEGIN_DECLS

/* The border between an op and one that it follows. */
typedef enum
{
  LEAT_BORDER_NONE,       /* the thread, or the block, that does the one goes on with the other */
  LEAT_BORDER_NEIGHBOURS, /* a block waits for those around the one with its number */
  LEAT_BORDER_GRID,       /* all blocks meet */
} LeatBorderKind;

typedef struct
{
  LeatBorderKind kind;
  guint blocks[3]; /* NEIGHBOURS: to either side, along each axis */
  const char *why; /* GRID; static */
} LeatBorder;

/* One of the ops that become one kernel. */
typedef struct
{
  LeatOp *op;
  LeatFuseTraits traits; /* KERNEL */
  gboolean alone;        /* only a count moves: it is in nobody's way */
  gboolean swapped;      /* a copy of what goes on in a loop: the two pointers change places instead */
  guint layer;           /* barriers before it */
  guint phase;           /* waits for blocks around, in its layer before it */
  guint unit;            /* the first stage of those that are done block by block, or item by item, with it */
  LeatBorder border;     /* that put it where it is */
  guint border_with;     /* what it follows there */
} LeatFuseStage;

/* Blocks of one unit wait for those of another one. */
typedef struct
{
  guint unit, on;
  guint blocks[3];
} LeatFuseWait;

/* Of a unit whose blocks go by the numbers of their own grid, so that others can wait for them. */
typedef struct
{
  gboolean tiled;
  guint area;        /* the first of those that it is connected with in its layer */
  gboolean windowed; /* all of the area do items of others again rather than wait for them */
  guint64 halo;      /* then: so many to either side */
  guint64 most_halo; /* and of who does the most of the area */
  gboolean told;     /* somebody waits for them */
  guint first_word;  /* then: where its blocks say that they are done */
} LeatFuseTiles;

/* Of a buffer: what lies in shared memory. */
typedef struct
{
  guint slot;         /* and 1; 0: it does not */
  guint unit;         /* that writes it */
  gboolean is_stored; /* others need it too: it is written to memory */
  const char *type;
  guint until; /* the last place in the order of units at which it is there */
} LeatFuseWindow;

typedef struct
{
  LeatPlan *plan;
  LeatNode *node;
  const LeatFuseCall *call;
  guint first, end;  /* ops that become stages */
  gboolean is_chain; /* of nodes that are in no group together */
  GArray *stages;    /* LeatFuseStage */
  guint threads;
  LeatPlanLoop *loop;   /* (nullable): the stages are done as often as its test says */
  LeatFuseStage test;   /* then */
  guint test_layer;     /* before which layer it is looked at; their number: behind the last */
  gboolean meets_again; /* behind the test, which reads what the first layer writes */
  gboolean in_block;    /* one block does all */

  guint8 *per_item;        /* by unit: it is done item by item */
  guint8 *kept;            /* by buffer: it is a local variable */
  GArray *waits;           /* LeatFuseWait */
  LeatFuseTiles *tiles;    /* by unit */
  LeatFuseWindow *windows; /* by buffer */
  guint n_buffers;         /* of the plan before there were words and marks */
  guint n_slots, slot_words;
  guint n_words;      /* in which blocks say that they are done */
  LeatBufferId words; /* those, where there are any */
  guint64 n_marks;    /* of what is handed on without a barrier, see leat-fuse-marks.c; 8 bytes each */
  LeatBufferId marks; /* those, where there are any */
  guint64 *marks_of;  /* by buffer: where its marks begin, and 1; 0: it has none */
  guint64 *turns_of; /* by unit: where there is a number of the launch for each of its blocks, and 1; or there are marks
                        with that which blocks wait by; 0: no marks */
  GHashTable *counts; /* LeatBufferId + 1 of a buffer -> that of the one whose count it has */
} LeatFuser;

/* @end: G_MAXUINT for all that there are from @first on */
void leat_fuser_init (LeatFuser *self, LeatPlan *plan, LeatNode *node, guint first, guint end,
                      const LeatFuseCall *call);
void leat_fuser_clear (LeatFuser *self);
void leat_fuser_add_stage (LeatFuser *self, const LeatFuseStage *stage);
/* NULL: it may be part of it, as far as can be seen without its source. */
const char *leat_fuser_why_not (LeatFuser *self, const LeatOp *op);
/* Puts one op in the place of those of the stages, which follow each other in the plan; of a chain, before them. */
gboolean leat_fuser_replace (LeatFuser *self, GError **error);
/* Blocks of the whole's size that the largest stage has work for. */
guint leat_fuser_count_blocks (LeatFuser *self);
/* Does one touch what the other writes? */
gboolean leat_fuser_conflict (LeatFuser *self, const LeatOp *a, const LeatOp *b);
/* NULL: what one block does in @before is all that the block with its number needs in @stage. */
const char *leat_stage_why_border (const LeatFuseStage *before, const LeatFuseStage *stage);
/* How @stage follows @before, whose memory it touches. */
LeatBorder leat_fuser_find_border (LeatFuser *self, const LeatFuseStage *before, const LeatFuseStage *stage);
/* After all stages have their place: which units wait for which. */
void leat_fuser_find_waits (LeatFuser *self);
/* Before it is known who says that it is done: which units need not wait, as they do again what others do. */
void leat_fuser_find_areas (LeatFuser *self);
/* After all units are known: what is marked with the block that writes it. */
void leat_fuser_find_marks (LeatFuser *self);
/* With check=true: why it is not seen whether what a stage is given by one before it, @with, is what they say; NULL: it
 * is seen. (transfer full) */
char *leat_fuser_dup_unchecked (LeatFuser *self, guint index, guint *with);
/* It is given pointers that mark or look at marks. */
gboolean leat_fuser_is_marked (const LeatFuser *self, const LeatFuseStage *stage);
/* Can each item of it be done by itself? */
gboolean leat_fuser_has_items (LeatFuser *self, const LeatFuseStage *stage);
gboolean leat_fuser_has_same_items (LeatFuser *self, const LeatFuseStage *a, const LeatFuseStage *b);
gboolean leat_fuser_read_stages (LeatFuser *self, GError **error);
/* Says what stands before what, and what stands together. */
void leat_fuser_find_layers (LeatFuser *self);
guint leat_fuser_count_layers (LeatFuser *self);
guint leat_fuser_count_phases (LeatFuser *self);
/* Whether all stages of a unit are done item by item. */
gboolean leat_fuser_is_per_item (LeatFuser *self, guint unit);
/* The buffer of the count that parameter number @arg of a stage is given. */
LeatBufferId leat_fuser_get_count_origin (LeatFuser *self, LeatBufferId id);
/* Nothing changes how much there is in the buffer's memory. */
gboolean leat_fuser_keeps_count (LeatFuser *self, LeatBufferId id);
/* The count of a stage that is done item by item: its buffer, or NONE and how many. */
LeatBufferId leat_fuser_get_items (LeatFuser *self, const LeatFuseStage *stage, guint64 *factor);
/* A buffer that nobody but stages of one unit sees, which is done item by item. */
gboolean leat_fuser_is_kept (LeatFuser *self, LeatBufferId id);
/* The part of it that the stage touches lies in shared memory. */
gboolean leat_fuser_has_window (LeatFuser *self, const LeatFuseStage *stage, LeatBufferId id);
/* No memory is left of it. */
gboolean leat_fuser_is_dropped (LeatFuser *self, LeatBufferId id);
/* Does every node that reads the buffer stand in the body? */
gboolean leat_fuser_is_inside (LeatFuser *self, LeatBufferId id);
gboolean leat_fuser_has_alias (LeatFuser *self, LeatBufferId id);
/* How it uses the buffer; 0: not at all. */
LeatAccess leat_stage_get_access (const LeatFuseStage *stage, LeatBufferId id);
/* The C type of all that a stage makes of the buffer; NULL where that is more than items with their number. */
const char *leat_stage_get_type (const LeatFuseStage *stage, LeatBufferId id);
/* Writes the kernel, and gives it to @op with its arguments. */
gboolean leat_fuser_write (LeatFuser *self, LeatOp *op, GError **error);
gboolean leat_fuser_writes (LeatFuser *self, LeatBufferId id);
/* How far away items are that an item follows from. */
guint64 leat_op_get_reach (const LeatOp *op);
guint leat_op_count_blocks (const LeatOp *op);
/* One kernel out of several. */
/* Makes the ops from number @first on one, which is @node's. */
gboolean leat_plan_fuse (LeatPlan *self, LeatNode *node, guint first, const LeatFuseCall *call, GError **error);
/* Makes a loop one, whose test is the last op; nothing is changed where it cannot be. */
gboolean leat_plan_fuse_loop (LeatPlan *self, LeatPlanLoop *loop, GError **error);
/* Puts that kernel before the loop, so that binding can choose between the two; or says why there is none. */

G_END_DECLS
