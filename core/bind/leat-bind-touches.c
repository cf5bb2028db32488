/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Questions about the buffers of a bound plan: whose memory they have, who writes it, and how much room it takes. */

#include "leat-bind-private.h"

static guint
leat_op_count_writes (const LeatOp *op, LeatPlan *plan, LeatBufferId root)
{
  guint n = 0;

  for (guint t = 0; t < op->n_touches && !LEAT_BOUND_OP (op)->elided; t++)
    n += (op->touches[t].access & LEAT_ACCESS_WRITE) && leat_plan_get_root (plan, op->touches[t].buffer)->id == root;
  return n;
}

const LeatOp *
leat_plan_find_other_writer (LeatPlan *self, LeatBufferId root, const LeatOp *but)
{
  if (LEAT_BOUND_BUFFER (leat_plan_get_buffer (self, root))->n_writers == leat_op_count_writes (but, self, root))
    return NULL;
  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      if (op != but && leat_op_count_writes (op, self, root) > 0)
        return op;
    }
  return NULL;
}

guint64
leat_buffer_get_room (const LeatBuffer *self)
{
  const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (self);

  return bound->stride > 0 ? bound->stride * bound->n_entries : self->bytes;
}

/* Runs ask this, so that the table is read here and not through a call. */
LeatBuffer *
leat_plan_get_root (LeatPlan *self, LeatBufferId id)
{
  LeatBuffer *buffer;

  g_assert (id < self->buffers->len);
  buffer = g_ptr_array_index (self->buffers, id);
  while (LEAT_BOUND_BUFFER (buffer)->root != buffer->id)
    buffer = g_ptr_array_index (self->buffers, LEAT_BOUND_BUFFER (buffer)->root);
  return buffer;
}

gboolean
leat_buffer_is_of_lane (const LeatBuffer *self)
{
  return self->kind == LEAT_BUFFER_STATE && self->scope == LEAT_STATE_LANE
         && LEAT_BOUND_BUFFER (self)->place == LEAT_PLACE_OWN && !self->tells_flush;
}
