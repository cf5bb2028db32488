/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Tells what has to stand between two stages of one kernel: nothing, a wait for some blocks, or a barrier.  Changes
 * nothing: it looks at two ops and the buffer between them. */

#include "leat-fuse-private.h"

/* The border between two ops of one kernel that touch the same memory.
 *
 * Ops that say which items they touch, over grids and blocks of one size, do an item by the thread with its number.  So
 * the block that a thread is in tells which items were written by whom, and a stencil of N items needs what the blocks
 * have written that are no further away than N threads.  It is the same where an op overwrites items that a stencil has
 * read: the blocks around must have read them. */

const char *
leat_stage_why_border (const LeatFuseStage *before, const LeatFuseStage *stage)
{
  const LeatOp *a = before->op, *b = stage->op;

  if (a->kind != LEAT_OP_KERNEL || b->kind != LEAT_OP_KERNEL)
    return "memory is filled or copied as a whole";
  if (b->pattern == LEAT_PATTERN_ANY)
    return "it may read anything: nothing is said by access=";
  if (a->pattern == LEAT_PATTERN_ANY)
    return "what it follows may write anything: nothing is said by access=";
  if (a->grid_by_occupancy || b->grid_by_occupancy)
    return "one of them has a grid by occupancy";
  if (memcmp (a->block, b->block, sizeof a->block) != 0)
    return "their blocks differ in size";
  return memcmp (a->grid, b->grid, sizeof a->grid) != 0 ? "their grids differ in size" : NULL;
}

guint64
leat_op_get_reach (const LeatOp *op)
{
  return op->pattern == LEAT_PATTERN_STENCIL ? op->reach : 0;
}

/* How far a touch of @b is from the touches of @a that it has to come behind. */
static guint64
leat_touch_get_reach (const LeatOp *a, const LeatTouch *before, const LeatOp *b, const LeatTouch *touch)
{
  guint64 reach = 0;

  if ((before->access & LEAT_ACCESS_WRITE) && (touch->access & LEAT_ACCESS_READ))
    reach = leat_op_get_reach (b);
  if ((before->access & LEAT_ACCESS_READ) && (touch->access & LEAT_ACCESS_WRITE))
    reach = MAX (reach, leat_op_get_reach (a));
  return reach;
}

/* Threads of the grid along an axis. */
static guint64
leat_op_count_threads_along (const LeatOp *op, guint axis)
{
  return (guint64) op->grid[axis] * op->block[axis];
}

/* Has each item of the buffer a thread with its number?  Threads along x alone count all items; else those along the
 * last axis count along the first dimension. */
static gboolean
leat_op_covers_buffer (const LeatOp *op, const LeatBuffer *buffer)
{
  guint n_axes = 1;

  for (guint axis = 1; axis < 3; axis++)
    n_axes = op->grid[axis] * op->block[axis] > 1 ? axis + 1 : n_axes;
  if (n_axes == 1)
    return leat_spec_get_items (buffer->spec) <= leat_op_count_threads_along (op, 0);
  if (leat_spec_get_n_dims (buffer->spec) < n_axes)
    return FALSE;
  for (guint axis = 0; axis < n_axes; axis++)
    if (leat_spec_get_dim (buffer->spec, n_axes - 1 - axis) > leat_op_count_threads_along (op, axis))
      return FALSE;
  return TRUE;
}

/* And each block an item? */
static gboolean
leat_op_is_covered (const LeatOp *op, const LeatBuffer *buffer)
{
  return leat_op_count_threads_along (op, 1) * leat_op_count_threads_along (op, 2) == 1
         && leat_spec_get_items (buffer->spec) + op->block[0] > leat_op_count_threads_along (op, 0);
}

static const char *
leat_border_why_grid (const LeatFuseStage *before, const LeatFuseStage *stage, const LeatBuffer *buffer)
{
  const LeatOp *a = before->op, *b = stage->op;

  if ((before->traits.has_loops || stage->traits.has_loops)
      && leat_op_count_threads_along (a, 1) * leat_op_count_threads_along (a, 2) > 1)
    return "its loop over items goes along all axes of its grid";
  if (buffer->spec == NULL || !leat_op_covers_buffer (a, buffer))
    return "there are more items than threads";
  if ((a->pattern == LEAT_PATTERN_BLOCK || b->pattern == LEAT_PATTERN_BLOCK) && !leat_op_is_covered (a, buffer))
    return "with access=block there is no item for each thread";
  return NULL;
}

/* Each of the blocks around is asked by a thread of its own. */
static gboolean
leat_border_set_reach (LeatBorder *self, const LeatOp *op, guint64 reach)
{
  guint64 around = 1;

  for (guint axis = 0; axis < 3; axis++)
    {
      guint64 blocks = op->grid[axis] > 1 ? (reach + op->block[axis] - 1) / op->block[axis] : 0;

      self->blocks[axis] = (guint) MIN (blocks, op->grid[axis]);
      around *= 2 * (guint64) self->blocks[axis] + 1;
    }
  return around <= (guint64) op->block[0] * op->block[1] * op->block[2];
}

LeatBorder
leat_fuser_find_border (LeatFuser *self, const LeatFuseStage *before, const LeatFuseStage *stage)
{
  LeatBorder border = { .why = leat_stage_why_border (before, stage) };
  const LeatOp *a = before->op, *b = stage->op;
  guint64 reach = 0;

  for (guint i = 0; i < a->n_touches && border.why == NULL; i++)
    for (guint k = 0; k < b->n_touches; k++)
      {
        const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, b->touches[k].buffer);
        guint64 one = leat_touch_get_reach (a, &a->touches[i], b, &b->touches[k]);

        if (one == 0
            || leat_plan_follow_memory (self->plan, a->touches[i].buffer)
                 != leat_plan_follow_memory (self->plan, buffer->id))
          continue;
        reach = MAX (reach, one);
        border.why = border.why != NULL ? border.why : leat_border_why_grid (before, stage, buffer);
      }
  if (border.why == NULL && reach > 0 && !leat_border_set_reach (&border, b, reach))
    border.why = "more blocks are around one than it has threads";
  /* Their words are numbered by launches, and there are several iterations in one. */
  if (border.why == NULL && reach > 0 && self->loop != NULL)
    border.why = "blocks do not wait for each other one by one in a loop that is one kernel";
  border.kind = border.why != NULL ? LEAT_BORDER_GRID : reach > 0 ? LEAT_BORDER_NEIGHBOURS : LEAT_BORDER_NONE;
  return border;
}
