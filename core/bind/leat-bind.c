/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Binding: the choices that depend on what the device is.  Each is made from the ops and LeatTraits alone, so that it
 * can be tested, printed and repeated without a device. */

#include "bind/leat-bound-plan-private.h"
#include "leat-bind-private.h"
#include "fuse/leat-fusible-private.h"
#include "plan/leat-op-private.h"

static void
leat_plan_reset_places (LeatPlan *self)
{
  for (guint i = 0; i < self->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self, i);
      LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);

      bound->root = buffer->in_place_of != LEAT_BUFFER_NONE ? buffer->in_place_of : buffer->id;
      bound->offset = 0;
      bound->by_slot = FALSE;
      bound->first_op = bound->last_op = G_MAXUINT;
      bound->n_writers = 0;
    }
  for (guint i = 0; i < self->ops->len; i++)
    LEAT_BOUND_OP (leat_plan_get_op (self, i))->elided = LEAT_BOUND_OP (leat_plan_get_op (self, i))->hidden = FALSE;
  leat_plan_choose_loops (self);
  leat_plan_choose_fusibles (self);
  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      for (guint t = 0; t < op->n_touches && !LEAT_BOUND_OP (op)->hidden; t++)
        if (op->touches[t].access & LEAT_ACCESS_WRITE)
          LEAT_BOUND_BUFFER (leat_plan_get_root (self, op->touches[t].buffer))->n_writers++;
    }
}

/* Makes the bound half of every op and buffer. */
void
leat_plan_bind (LeatPlan *self, const LeatTraits *traits)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&LEAT_BOUND_PLAN (self)->lock);
  LeatAncestors ancestors;

  LEAT_BOUND_PLAN (self)->traits = *traits;
  LEAT_BOUND_PLAN (self)->why_not_early = "the kernels are not loaded";
  if (traits->persistent)
    LEAT_BOUND_PLAN (self)->traits.ways = NULL; /* nothing of it is measured */
  leat_plan_reset_places (self);
  leat_plan_choose_transfers (self);
  leat_plan_find_slots (self);
  leat_plan_find_reusable (self);
  leat_plan_find_dependencies (self, &ancestors);
  leat_plan_widen (self);
  leat_plan_lay_out (self, &ancestors);
  leat_plan_pack_transfers (self, &ancestors);
  leat_ancestors_clear (&ancestors);
  leat_plan_lift_dependencies (self);
  leat_plan_find_pieces (self, NULL);
  leat_plan_predict (self);
  LEAT_BOUND_PLAN (self)->traits.ways = NULL; /* the caller's */
}
