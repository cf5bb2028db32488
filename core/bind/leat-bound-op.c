/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Questions about one op of a bound plan.  Changes nothing. */

#include "leat-bind-private.h"

/* Is it a launch of a kernel, the node's own or ours? */
gboolean
leat_op_launches (const LeatOp *op)
{
  return (op->kind == LEAT_OP_KERNEL && !LEAT_BOUND_OP (op)->hidden)
         || (op->kind == LEAT_OP_TRANSFER && LEAT_BOUND_OP (op)->way == LEAT_TRANSFER_KERNEL);
}

gboolean
leat_op_is_on_device (const LeatOp *op)
{
  return op->kind != LEAT_OP_SOURCE && op->kind != LEAT_OP_SINK && !LEAT_BOUND_OP (op)->elided;
}

/* Of the op itself, wherever it stands. */
const char *
leat_op_get_why_alone (const LeatOp *op)
{
  return LEAT_BOUND_OP (op)->why_cut != NULL ? LEAT_BOUND_OP (op)->why_cut : op->why_eager;
}

const char *
leat_op_get_why_eager (const LeatOp *op)
{
  if (op->kind == LEAT_OP_LOOP && LEAT_BOUND_LOOP (op->runs)->method == LEAT_LOOP_HOST)
    return "the host drives the loop";
  for (const LeatPlanLoop *loop = op->loop; loop != NULL; loop = loop->parent)
    if (LEAT_BOUND_LOOP (loop)->method == LEAT_LOOP_HOST)
      return "the host drives the loop";
  return leat_op_get_why_alone (op);
}
