/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Marks which dependencies of a kernel may be met early: it may begin while the one before it still runs.  Touches the
 * ops' early marks only, and no dependency. */

#include "bind/leat-bound-plan-private.h"
#include "leat-bind-private.h"

/* Which kernels may begin while one that they depend on still runs.  They wait by themselves then, at their first
 * instruction, so that what is gained is the time that it takes to start them.
 *
 * That is sound as long as the end of an op means the end of all ops before it: whatever else is left to the order of
 * the ops (memory that is used again, edges that others imply) builds on nothing more.  It does: an op with a full edge
 * begins after the end of the other, and a kernel that began early waits for it in every thread before it does
 * anything, its own end included. */

static gboolean
leat_plan_are_in_one_graph (LeatPlan *self, guint first, guint second)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);

  for (guint i = 0; i < bound->pieces->len; i++)
    {
      const LeatPiece *piece = &g_array_index (bound->pieces, LeatPiece, i);

      if (piece->captured && piece->first <= first && second < piece->end)
        return TRUE;
    }
  return FALSE;
}

/* A cooperative kernel is started as a whole, and one that waits would take room from it. */
static gboolean
leat_op_may_overlap (const LeatOp *op, LeatEarlyMode mode, const LeatLoadedKernel *loaded)
{
  return leat_op_is_on_device (op) && leat_op_launches (op) && !op->cooperative && loaded[op->index].waits
         && (mode == LEAT_EARLY_ALL || loaded[op->index].is_small);
}

/* How much memory of a multiprocessor is shared is settled while kernels run on it.  A block that takes more finds room
 * only where none of them is, and so all blocks of its kernel may go to a few multiprocessors, the others idle. */
static gboolean
leat_op_has_room (const LeatOp *before, const LeatOp *op, const LeatLoadedKernel *loaded)
{
  return loaded[op->index].shared_need <= loaded[before->index].shared_room;
}

/* Code in assembly might be moved to before the wait. */
static gboolean
leat_plan_may_begin_early (LeatPlan *self, const LeatOp *before, const LeatOp *op, const LeatLoadedKernel *loaded)
{
  LeatEarlyMode mode = LEAT_BOUND_PLAN (self)->traits.early;

  return before->loop == NULL && op->loop == NULL && leat_op_may_overlap (before, mode, loaded)
         && leat_op_may_overlap (op, mode, loaded) && (mode == LEAT_EARLY_ALL || leat_op_has_room (before, op, loaded))
         && !op->prototype->has_assembly && leat_plan_are_in_one_graph (self, before->index, op->index);
}

void
leat_bind_find_early (LeatBoundPlan *bound, const LeatLoadedKernel *loaded)
{
  LeatPlan *self = &bound->plan;

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);
      LeatBoundOp *mine = LEAT_BOUND_OP (op);

      mine->n_early = 0;
      mine->waits_itself = FALSE;
      for (guint k = 0; k < mine->n_after; k++)
        {
          LeatOp *before = leat_plan_get_op (self, mine->after[k]);

          mine->early[k] = bound->why_not_early == NULL && leat_plan_may_begin_early (self, before, op, loaded);
          mine->n_early += mine->early[k];
          if (mine->early[k])
            LEAT_BOUND_OP (before)->waits_itself = mine->waits_itself = TRUE;
        }
    }
}

/* Whether any kernel could ever begin early, whatever is found out when they are loaded. */
gboolean
leat_plan_may_overlap (LeatPlan *self)
{
  for (guint i = 0; LEAT_BOUND_PLAN (self)->traits.early != LEAT_EARLY_NONE && i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);
      const LeatBoundOp *bound = LEAT_BOUND_OP (op);

      for (guint k = 0; k < bound->n_after && op->loop == NULL && leat_op_launches (op); k++)
        if (leat_op_launches (leat_plan_get_op (self, bound->after[k])))
          return TRUE;
    }
  return FALSE;
}

/* Of plans with the same dependencies. */
gboolean
leat_plan_has_same_early (LeatPlan *self, LeatPlan *other)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *a = leat_plan_get_op (self, i), *b = leat_plan_get_op (other, i);
      const LeatBoundOp *bound = LEAT_BOUND_OP (a);

      for (guint k = 0; k < bound->n_after; k++)
        if (bound->early[k] != LEAT_BOUND_OP (b)->early[k])
          return FALSE;
    }
  return TRUE;
}
