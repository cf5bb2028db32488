/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Adds the ops of a node to the list. */

#include "leat-plan-private.h"

#include "graph/leat-bus.h"
#include "graph/leat-graph-error.h"
#include "graph/leat-node-private.h"
#include "plan/leat-plan-error.h"

static void
leat_recorder_copy_args (LeatOp *op, const LeatArg *args, guint n_args)
{
  op->args = g_new0 (LeatOpArg, n_args);
  op->n_args = n_args;
  for (guint i = 0; i < n_args; i++)
    {
      op->args[i].kind = args[i].kind;
      op->args[i].buffer = args[i].buffer;
      op->args[i].name = g_strdup (args[i].name);
      op->args[i].value = args[i].value != NULL ? g_bytes_new (args[i].value, args[i].size) : NULL;
    }
}

/* Arguments that the launch takes from the node must have values by now. */
static gboolean
leat_recorder_check_arguments (LeatRecorder *self, const LeatPrototype *prototype, const LeatKernelCall *call)
{
  for (guint i = 0; i < call->n_args; i++)
    {
      if (call->args[i].kind != LEAT_ARG_NODE_ARG || leat_node_has_arg_value (self->node, call->args[i].name))
        continue;
      g_set_error (&self->error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
                   "parameter \"%s\" (%s) of %s is not set; give it a value, as in %s=VALUE on the node",
                   call->args[i].name, prototype->params[i].type, prototype->entry, call->args[i].name);
      return FALSE;
    }
  return TRUE;
}

gboolean
leat_param_fits (const LeatParam *param, guint64 number)
{
  guint bits = (guint) param->item_bytes * 8 - (param->dtype != NULL && param->dtype[0] == 'i' ? 1 : 0);

  return bits >= 64 || number >> bits == 0;
}

/* The largest number that a run may give to a parameter that says how much data there is. */
static guint64
leat_recorder_get_most (LeatRecorder *self, const LeatArg *arg)
{
  LeatSpec *spec = arg->buffer != LEAT_BUFFER_NONE ? leat_recorder_get_spec (self, arg->buffer) : NULL;
  guint64 value = 1;

  if (arg->value != NULL && arg->size == sizeof value)
    memcpy (&value, arg->value, sizeof value);
  if (arg->kind == LEAT_ARG_COUNT && spec != NULL && leat_spec_get_n_dims (spec) > 0)
    value *= leat_spec_get_dim (spec, 0);
  return value;
}

/* A number that is too large would come to the kernel with its upper bits cut off. */
static gboolean
leat_recorder_check_width (LeatRecorder *self, const LeatPrototype *prototype, guint index, const LeatArg *arg)
{
  const LeatParam *param = &prototype->params[index];
  guint64 most;

  if (param->kind != LEAT_PARAM_INPUT_COUNT && param->kind != LEAT_PARAM_CAPACITY && param->kind != LEAT_PARAM_DIM)
    return TRUE;
  most = leat_recorder_get_most (self, arg);
  if (leat_param_fits (param, most))
    return TRUE;
  g_set_error (&self->error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_SIZE,
               "parameter \"%s\" of %s may be given %" G_GUINT64_FORMAT
               ", which is more than %s holds; declare it uint64_t",
               param->name, prototype->entry, most, param->type);
  return FALSE;
}

/* A count is read from the buffer that it is of, or written there, also by a kernel that has its items from elsewhere.
 */
static void
leat_recorder_touch_counts (LeatOp *op)
{
  for (guint i = 0; i < op->n_args; i++)
    {
      LeatRole role = leat_op_get_role (op, i);

      if (role == LEAT_ROLE_COUNT || role == LEAT_ROLE_COUNT_AT)
        leat_op_touch (op, op->args[i].buffer,
                       role == LEAT_ROLE_COUNT || leat_op_only_reads (op, i) ? LEAT_ACCESS_READ : LEAT_ACCESS_WRITE);
    }
}

/**
 * leat_recorder_add_kernel: (skip)
 * @self: a recorder
 * @call: the launch; everything in it is copied
 *
 * Adds a kernel launch.  @call's arguments stand in the order of the entry's prototype.  An argument of the node that
 * has no value is an error of the plan.
 */
void
leat_recorder_add_kernel (LeatRecorder *self, const LeatKernelCall *call)
{
  const LeatPrototype *prototype;
  LeatOp *op;

  if (self->error != NULL)
    return;
  prototype = leat_kernel_source_get_prototype (call->source, call->entry, &self->error);
  if (prototype == NULL)
    return;
  if (!leat_recorder_check_launch (self, prototype, call) || !leat_recorder_check_arguments (self, prototype, call))
    return;
  for (guint i = 0; i < call->n_args; i++)
    if (!leat_recorder_check_width (self, prototype, i, &call->args[i]))
      return;
  op = leat_plan_add_op (self->plan, LEAT_OP_KERNEL, self->node);
  op->source = leat_kernel_source_ref (call->source);
  op->prototype = prototype;
  for (guint i = 0; i < 3; i++)
    {
      op->grid[i] = MAX (call->grid[i], 1);
      op->block[i] = MAX (call->block[i], 1);
    }
  op->n_choices = MIN (call->n_choices, LEAT_BLOCK_MOST_CHOICES);
  op->choices = g_memdup2 (call->choices, op->n_choices * sizeof *op->choices);
  op->shared_bytes = call->shared_bytes;
  op->cooperative = call->cooperative;
  op->grid_by_occupancy = call->grid_by_occupancy;
  op->pattern = call->pattern;
  op->reach = call->reach;
  leat_recorder_copy_args (op, call->args, call->n_args);
  for (guint i = 0; i < call->n_buffers; i++)
    leat_op_touch (op, call->buffers[i], call->access[i]);
  leat_recorder_touch_counts (op);
}

/**
 * leat_recorder_keep_count: (skip)
 * @self: a recorder
 * @from: a buffer whose count the kernel takes
 *
 * States that the counts that the last kernel writes equal that of @from: a sort has as many items as came in.
 * Kernels behind it can then become one with it, since the number of items is known before it begins.  Nothing is
 * said of a buffer without a count.
 */
void
leat_recorder_keep_count (LeatRecorder *self, LeatBufferId from)
{
  guint n_ops = self->plan->ops->len;
  LeatOp *op = n_ops > 0 ? leat_plan_get_op (self->plan, n_ops - 1) : NULL;

  if (!leat_recorder_check_buffer (self, G_STRFUNC, "from", from))
    return;
  if (op == NULL || op->kind != LEAT_OP_KERNEL || op->node != self->node)
    leat_recorder_refuse_call (self, G_STRFUNC, "with no kernel before it; call leat_recorder_add_kernel () first");
  else if (leat_plan_get_buffer (self->plan, from)->header)
    op->counts_like = from;
}

/* Its callers have checked the buffers. */
static LeatOp *
leat_recorder_add_move (LeatRecorder *self, LeatOpKind kind, LeatBufferId to, LeatBufferId from, guint64 bytes)
{
  LeatOp *op = leat_plan_add_op (self->plan, kind, self->node);

  op->to = to;
  op->from = from;
  op->bytes = bytes;
  leat_op_touch (op, to, LEAT_ACCESS_WRITE);
  if (from != LEAT_BUFFER_NONE)
    leat_op_touch (op, from, LEAT_ACCESS_READ);
  return op;
}

/**
 * leat_recorder_add_copy: (skip)
 * @self: a recorder
 * @to: where to
 * @from: where from; of the same size
 *
 * Adds a copy of a whole buffer, its count included.
 */
void
leat_recorder_add_copy (LeatRecorder *self, LeatBufferId to, LeatBufferId from)
{
  if (leat_recorder_check_sizes (self, G_STRFUNC, to, from))
    leat_recorder_add_move (self, LEAT_OP_COPY, to, from, leat_plan_get_buffer (self->plan, from)->bytes);
}

/**
 * leat_recorder_copy_count: (skip)
 * @self: a recorder
 * @to: a buffer of a bounded spec
 * @from: a buffer of a bounded spec
 *
 * Adds a copy of the count alone, for outputs that have as many items as an input.
 */
void
leat_recorder_copy_count (LeatRecorder *self, LeatBufferId to, LeatBufferId from)
{
  if (leat_recorder_check_counted (self, G_STRFUNC, "to", to)
      && leat_recorder_check_counted (self, G_STRFUNC, "from", from))
    leat_recorder_add_move (self, LEAT_OP_COPY, to, from, sizeof (guint64));
}

/**
 * leat_recorder_add_fill: (skip)
 * @self: a recorder
 * @buffer: what to fill
 * @value: with what
 *
 * Adds a fill of a whole buffer, its count included.
 */
void
leat_recorder_add_fill (LeatRecorder *self, LeatBufferId buffer, guint8 value)
{
  guint64 bytes;

  if (!leat_recorder_check_buffer (self, G_STRFUNC, "buffer", buffer))
    return;
  bytes = leat_plan_get_buffer (self->plan, buffer)->bytes;
  leat_recorder_add_move (self, LEAT_OP_FILL, buffer, LEAT_BUFFER_NONE, bytes)->value = value;
}

/**
 * leat_recorder_clear_count: (skip)
 * @self: a recorder
 * @buffer: a buffer of a bounded spec
 *
 * Adds a fill that sets the count to 0.
 */
void
leat_recorder_clear_count (LeatRecorder *self, LeatBufferId buffer)
{
  if (leat_recorder_check_counted (self, G_STRFUNC, "buffer", buffer))
    leat_recorder_add_move (self, LEAT_OP_FILL, buffer, LEAT_BUFFER_NONE, sizeof (guint64));
}

/**
 * leat_recorder_add_transfer: (skip)
 * @self: a recorder
 * @to: device memory for an upload, host memory for a readback
 * @from: the other
 * @mode: how, or that the session should choose
 *
 * Adds the way of data between host and device.
 */
void
leat_recorder_add_transfer (LeatRecorder *self, LeatBufferId to, LeatBufferId from, LeatTransferMode mode)
{
  guint64 bytes;

  if (!leat_recorder_check_sizes (self, G_STRFUNC, to, from)
      || leat_recorder_refuse_in_body (self, "all of a body is on the device: put it outside"))
    return;
  bytes = leat_plan_get_buffer (self->plan, from)->bytes;
  leat_recorder_add_move (self, LEAT_OP_TRANSFER, to, from, bytes)->mode = mode;
}

/**
 * leat_recorder_request_flush: (skip)
 * @self: a recorder
 *
 * Asks for one more run after the last data, with a count of 0 on every bounded input, so that a node can give out
 * data that it keeps back.
 *
 * Empty data can come in any run, so a count of 0 is no sign of the end: kernels read the buffer, which holds one
 * uint64_t, 1 in the run that ends the stream and 0 in those before it.  A pipeline without sources has one run, which
 * ends its stream.
 *
 * Returns: the buffer; kernels only read it
 */
LeatBufferId
leat_recorder_request_flush (LeatRecorder *self)
{
  LeatBufferId id = leat_recorder_add_state (self, "ending", sizeof (guint64), NULL);

  leat_recorder_refuse_in_body (self, "it keeps data back until the stream ends");
  leat_plan_get_buffer (self->plan, id)->tells_flush = TRUE;
  self->plan->flush = TRUE;
  return id;
}
