/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Changes that a bound plan takes when kernels are loaded or a capture was tried: early starts and the pieces that
 * graphs are made of. */

#include "leat-bind-private.h"

static void
leat_bound_plan_cut (LeatBoundPlan *self, const LeatLoadedKernel *loaded)
{
  leat_bind_find_pieces (self);
  leat_bind_find_early (self, loaded);
  leat_bind_predict (self);
}

/* Before kernels are loaded nothing may; then who loads them knows. @why: (nullable): NULL where it may be */
void
leat_plan_allow_early (LeatPlan *self, const char *why, const LeatLoadedKernel *loaded)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&bound->lock);

  bound->why_not_early = bound->traits.early == LEAT_EARLY_NONE ? "as asked" : why;
  leat_bind_find_early (bound, loaded);
  leat_bind_predict (bound);
}

/* Graphs that were made for @other, of the same ops, go on for @self. */
void
leat_plan_take_early (LeatPlan *self, LeatPlan *other)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&bound->lock);

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);
      LeatBoundOp *bound_op = LEAT_BOUND_OP (op);
      const LeatOp *from = leat_plan_get_op (other, i);
      const LeatBoundOp *bound_from = LEAT_BOUND_OP (from);

      for (guint k = 0; k < bound_op->n_after; k++)
        bound_op->early[k] = bound_from->early[k];
      bound_op->n_early = bound_from->n_early;
      bound_op->waits_itself = bound_from->waits_itself;
    }
  bound->why_not_early = LEAT_BOUND_PLAN (other)->why_not_early;
  leat_bind_predict (bound);
}

/* From now on pieces of one op are worth a graph. FALSE when there is none. */
gboolean
leat_plan_settle (LeatPlan *self, const LeatLoadedKernel *loaded)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&bound->lock);

  if (!bound->holds_back)
    return FALSE;
  bound->traits.settled = TRUE;
  leat_bound_plan_cut (bound, loaded);
  return TRUE;
}

/* It was found out that an op cannot be captured. */
void
leat_plan_cut_at (LeatPlan *self, LeatOp *op, const char *why, const LeatLoadedKernel *loaded)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&bound->lock);

  g_free (LEAT_BOUND_OP (op)->why_cut);
  LEAT_BOUND_OP (op)->why_cut = g_strdup (why);
  leat_bound_plan_cut (bound, loaded);
}
