/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which ops may report, and the memory that this takes. */

#include "leat-plan-private.h"

gboolean
leat_op_reports (const LeatOp *op)
{
  gboolean reports = op->kind == LEAT_OP_KERNEL && op->prototype->reports;

  for (guint i = 0; op->kind == LEAT_OP_KERNEL && i < op->n_args && !reports; i++)
    reports = op->args[i].kind == LEAT_ARG_QUEUE;
  return reports;
}

const LeatBuffer *
leat_op_get_queue (const LeatOp *op, LeatPlan *plan, guint number)
{
  for (guint i = 0; i < op->n_args; i++)
    if (op->args[i].kind == LEAT_ARG_QUEUE && number-- == 0)
      return leat_plan_get_buffer (plan, op->args[i].buffer);
  return NULL;
}

guint
leat_plan_count_reporting (LeatPlan *self)
{
  guint n = 0;

  for (guint i = 0; i < self->ops->len; i++)
    n += leat_op_reports (leat_plan_get_op (self, i));
  return n;
}
