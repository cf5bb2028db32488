/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Changes that a bound plan takes when kernels are loaded or a capture was tried: early starts and the pieces that
 * graphs are made of. */

#include "leat-bind-private.h"

/* Before kernels are loaded nothing may; then who loads them knows. @why: (nullable): NULL where it may be */
void
leat_plan_allow_early (LeatPlan *self, const char *why)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&self->lock);

  self->why_not_early = self->traits.early == LEAT_EARLY_NONE ? "as asked" : why;
  leat_plan_find_early (self);
  leat_plan_predict (self);
}

/* Graphs that were made for @other, of the same ops, go on for @self. */
void
leat_plan_take_early (LeatPlan *self, LeatPlan *other)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&self->lock);

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);
      const LeatOp *from = leat_plan_get_op (other, i);

      for (guint k = 0; k < op->n_after; k++)
        op->early[k] = from->early[k];
      op->n_early = from->n_early;
    }
  self->why_not_early = other->why_not_early;
  leat_plan_predict (self);
}

/* From now on pieces of one op are worth a graph. FALSE when there is none. */
gboolean
leat_plan_settle (LeatPlan *self)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&self->lock);

  if (!self->holds_back)
    return FALSE;
  self->traits.settled = TRUE;
  leat_plan_find_pieces (self);
  leat_plan_predict (self);
  return TRUE;
}

/* It was found out that an op cannot be captured. */
void
leat_plan_cut_at (LeatPlan *self, LeatOp *op, const char *why)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&self->lock);

  g_free (op->why_eager);
  op->why_eager = g_strdup (why);
  leat_plan_find_pieces (self);
  leat_plan_predict (self);
}
