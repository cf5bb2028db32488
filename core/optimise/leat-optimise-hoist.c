/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Moves ops out of a loop's body that do the same in every iteration: what they read is written outside, and what they
 * write nobody else writes.  The loop keeps their results until it ends. */

#include "leat-optimise-private.h"

static gboolean
leat_plan_may_hoist (LeatPlan *self, const LeatPlanLoop *loop, const LeatOp *op)
{
  if (op->loop != loop || leat_op_has_effects (self, op) || op->fusion != NULL)
    return FALSE;
  for (guint i = 0; i < op->n_touches; i++)
    {
      LeatBufferId id = op->touches[i].buffer;
      const LeatOp *but = op->touches[i].access == LEAT_ACCESS_WRITE ? op : NULL;

      if ((op->touches[i].access & LEAT_ACCESS_WRITE) && !leat_plan_buffer_is_plain (self, id))
        return FALSE;
      if (leat_plan_writes_between (self, loop->first, loop->last + 1, leat_plan_follow_memory (self, id), but))
        return FALSE;
    }
  return op->n_touches > 0;
}

/* What it writes lives until the last iteration, as what comes into the body does. */
static void
leat_plan_hoist_op (LeatPlan *self, LeatPlanLoop *loop, LeatOp *op)
{
  LeatOp *begin = leat_plan_get_op (self, loop->first), *test = leat_plan_get_op (self, loop->last);

  op->loop = loop->parent;
  for (guint i = 0; i < op->n_touches; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self, op->touches[i].buffer);

      if ((op->touches[i].access & LEAT_ACCESS_WRITE) == 0)
        continue;
      buffer->loop = loop->parent;
      leat_op_touch (begin, buffer->id, LEAT_ACCESS_READ);
      leat_op_touch (test, buffer->id, LEAT_ACCESS_READ);
    }
  leat_plan_note_pass (self, "hoist", op->node, loop->node);
  /* Right before the loop stands what begins it. */
  leat_plan_move_op (self, op->index, loop->first - 1);
}

/* Ops in the order of the body, so that one can follow another. */
static gboolean
leat_plan_hoist_loop (LeatPlan *self, LeatPlanLoop *loop)
{
  gboolean changed = FALSE;

  for (guint i = loop->first + 1; i < loop->last; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      if (!leat_plan_may_hoist (self, loop, op))
        continue;
      leat_plan_hoist_op (self, loop, op);
      changed = TRUE;
    }
  return changed;
}

/* From the innermost loops on: what leaves one may leave the next. */
gboolean
leat_plan_hoist (LeatPlan *self)
{
  gboolean changed = FALSE;

  for (guint i = self->loops->len; i > 0; i--)
    {
      LeatPlanLoop *loop = g_ptr_array_index (self->loops, i - 1);

      if (!loop->is_kernel)
        changed |= leat_plan_hoist_loop (self, loop);
    }
  return changed;
}
