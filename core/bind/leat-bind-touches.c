/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Other writers of a buffer, and how much room it takes. */

#include "leat-bind-private.h"

static guint
leat_op_count_writes (const LeatOp *op, LeatPlan *plan, LeatBufferId root)
{
  guint n = 0;

  for (guint t = 0; t < op->n_touches && !op->elided; t++)
    n += (op->touches[t].access & LEAT_ACCESS_WRITE) && leat_plan_get_root (plan, op->touches[t].buffer)->id == root;
  return n;
}

const LeatOp *
leat_plan_find_other_writer (LeatPlan *self, LeatBufferId root, const LeatOp *but)
{
  if (leat_plan_get_buffer (self, root)->n_writers == leat_op_count_writes (but, self, root))
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
  return self->stride > 0 ? self->stride * self->n_entries : self->bytes;
}
