/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Slots of the memory that an application binds. */

#include "leat-bind-private.h"

/* Does it find memory that the program brings through the table, and not by an address in its own node? */
static gboolean
leat_plan_goes_to_slot (LeatPlan *self, const LeatOp *op)
{
  if (LEAT_BOUND_OP (op)->elided || (!leat_op_launches (op) && op->kind != LEAT_OP_COPY))
    return FALSE;
  for (guint t = 0; t < op->n_touches; t++)
    if (leat_plan_get_user (self, op->touches[t].buffer) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
leat_plan_copies_user (LeatPlan *self, const LeatOp *op)
{
  return op->kind == LEAT_OP_TRANSFER && !LEAT_BOUND_OP (op)->elided && !leat_op_launches (op)
         && (leat_plan_get_user (self, op->from) != NULL || leat_plan_get_user (self, op->to) != NULL);
}

/* Once the ways of all transfers are known. */
void
leat_bind_find_slots (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;
  gboolean needed = FALSE;

  g_array_set_size (bound->user_copies, 0);
  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);
      LeatBoundOp *bound_op = LEAT_BOUND_OP (op);

      bound_op->by_slot = leat_plan_goes_to_slot (self, op);
      for (guint t = 0; t < op->n_touches && bound_op->by_slot; t++)
        {
          LeatBuffer *user = leat_plan_get_user (self, op->touches[t].buffer);

          if (user != NULL)
            LEAT_BOUND_BUFFER (user)->by_slot = TRUE;
        }
      needed = needed || bound_op->by_slot;
      if (leat_plan_copies_user (self, op))
        g_array_append_val (bound->user_copies, op->index);
    }
  for (guint i = 0; i < self->ops->len && leat_plan_get_op (self, i)->is_head; i++)
    LEAT_BOUND_OP (leat_plan_get_op (self, i))->elided = !needed;
}

/* Whether a kernel of @source goes by slots: then all of them are compiled so, since a module keeps its variables once.
 */
gboolean
leat_plan_has_slots_for (LeatPlan *self, LeatKernelSource *source)
{
  for (guint i = 0; self->users->len > 0 && i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if (LEAT_BOUND_OP (op)->by_slot && op->source == source)
        return TRUE;
    }
  return FALSE;
}

LeatBuffer *
leat_plan_get_user (LeatPlan *self, LeatBufferId id)
{
  LeatBuffer *root = id != LEAT_BUFFER_NONE ? leat_plan_get_root (self, id) : NULL;

  return root != NULL && root->user ? root : NULL;
}
