/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The end of a loop's body, where it may become one kernel. */

#include "leat-fuse-private.h"

/* All that comes in lasts until the last op of the body, since the next iteration finds it; and what the test has kept
 * of the iterations before is not of one alone. */
static void
leat_recorder_hold_inputs (LeatPlan *plan, LeatPlanLoop *loop, LeatOp *test)
{
  LeatOp *begin = leat_plan_get_op (plan, loop->first);

  for (guint i = 0; i < test->n_touches; i++)
    if (leat_plan_get_buffer (plan, test->touches[i].buffer)->loop == loop->parent)
      leat_op_touch (begin, test->touches[i].buffer, LEAT_ACCESS_READ_WRITE);
  for (guint i = 0; i < begin->n_touches; i++)
    leat_op_touch (test, begin->touches[i].buffer, LEAT_ACCESS_READ);
  leat_op_touch (test, loop->memory, LEAT_ACCESS_READ_WRITE);
  leat_op_touch (test, loop->report, LEAT_ACCESS_WRITE);
}

/**
 * leat_recorder_end_loop: (skip)
 * @self: the recorder of a group, at the end of its body
 * @test: the kernel that counts the iterations and says whether there is to be another one
 * @error: return location for an error
 *
 * Ends a loop.  Carried data is taken over, the test is added, and the group's outputs are those of the body, but for
 * those that leat_recorder_set_output () gave.
 *
 * Returns: whether it could be done
 */
gboolean
leat_recorder_end_loop (LeatRecorder *self, const LeatKernelCall *test, GError **error)
{
  LeatPlanLoop *loop = self->plan->loop;
  LeatOp *op;

  leat_recorder_keep_results (self);
  if (!leat_plan_record_delays (self->plan, loop->delays, error))
    return FALSE;
  leat_recorder_add_kernel (self, test);
  if (self->error != NULL)
    return TRUE; /* the recorder's own is told */
  loop->last = self->plan->ops->len - 1;
  op = leat_plan_get_op (self->plan, loop->last);
  leat_recorder_hold_inputs (self->plan, loop, op);
  if (loop->asked == LEAT_LOOP_FUSED && leat_pipeline_get_fuse (self->plan->pipeline) == LEAT_FUSE_MODE_NEVER)
    loop->asked = LEAT_LOOP_AUTO;
  if (loop->asked == LEAT_LOOP_FUSED && !leat_plan_fuse_loop (self->plan, loop, error))
    return FALSE;
  self->plan->loop = loop->parent;
  leat_recorder_pass_outputs (self, loop);
  return TRUE;
}
