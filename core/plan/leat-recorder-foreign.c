/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Records work of a callback, a library's for instance, as one op of the plan. */

#include "leat-plan-private.h"

/**
 * leat_recorder_add_foreign: (skip)
 * @self: a recorder
 * @call: the work; everything in it but the user data is copied
 *
 * Adds work that a callback puts on a stream: a library's, or launches of the node's own.
 *
 * Where it can be captured it becomes part of the graph, and the callback is not called in the runs.  Where it cannot,
 * the graph is cut in two there, and the callback is called between the two in every run.
 */
void
leat_recorder_add_foreign (LeatRecorder *self, const LeatForeignCall *call)
{
  LeatOp *op;

  if (call->func == NULL)
    leat_recorder_refuse_call (self, G_STRFUNC, "without a func; give the callback that puts the work on a stream");
  if (self->error != NULL
      || !leat_recorder_check_touches (self, G_STRFUNC, call->buffers, call->access, call->n_buffers))
    return;
  op = leat_plan_add_op (self->plan, LEAT_OP_FOREIGN, self->node);
  op->name = g_strdup (call->name != NULL ? call->name : "foreign");
  op->func = call->func;
  op->user_data = call->user_data;
  op->destroy = call->destroy;
  op->why_eager = g_strdup (call->why_not_captured);
  op->why_not_on_cpu = g_strdup (call->why_not_on_cpu);
  for (guint i = 0; i < call->n_buffers; i++)
    leat_op_touch (op, call->buffers[i], call->access[i]);
}
