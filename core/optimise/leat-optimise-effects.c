/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Work that a run must do, whoever reads its outputs. */

#include "leat-optimise-private.h"

/* What is learned is no result. */
static gboolean
leat_op_keeps_state (LeatPlan *plan, const LeatOp *op)
{
  for (guint i = 0; i < op->n_touches; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (plan, leat_plan_follow_memory (plan, op->touches[i].buffer));

      if ((op->touches[i].access & LEAT_ACCESS_WRITE) && buffer->kind == LEAT_BUFFER_STATE && !buffer->is_learned)
        return TRUE;
    }
  return FALSE;
}

gboolean
leat_op_has_effects (LeatPlan *plan, const LeatOp *op)
{
  switch (op->kind)
    {
    case LEAT_OP_SOURCE:
    case LEAT_OP_SINK:
    case LEAT_OP_FOREIGN:
    case LEAT_OP_LOOP:
      return TRUE;
    case LEAT_OP_KERNEL:
      if (leat_op_reports (op) || op->prototype->has_effects || op->runs != NULL || op->starts != NULL
          || (op->loop != NULL && op->loop->last == op->index))
        return TRUE;
      break;
    case LEAT_OP_COPY:
    case LEAT_OP_FILL:
    case LEAT_OP_TRANSFER:
      break;
    }
  return leat_op_keeps_state (plan, op);
}
