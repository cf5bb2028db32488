/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One op: what it touches, what it is launched with, and what is told of it. */

#include "leat-plan-private.h"

static const char *const leat_op_kind_names[] = { "source",   "kernel",  "copy", "fill",
                                                  "transfer", "foreign", "loop", "sink" };

const char *
leat_op_kind_get_name (LeatOpKind kind)
{
  return leat_op_kind_names[kind];
}

void
leat_op_clear_args (LeatOp *op)
{
  for (guint i = 0; i < op->n_args; i++)
    {
      g_clear_pointer (&op->args[i].value, g_bytes_unref);
      g_free (op->args[i].name);
    }
  g_clear_pointer (&op->args, g_free);
  op->n_args = 0;
}

static void
leat_fusion_free (LeatFusion *self)
{
  g_ptr_array_unref (self->lines);
  g_ptr_array_unref (self->doubts);
  g_free (self->kernels);
  g_free (self);
}

void
leat_op_free (LeatOp *op)
{
  g_free (op->choices);
  g_free (op->touches);
  g_clear_pointer (&op->source, leat_kernel_source_unref);
  leat_op_clear_args (op);
  g_clear_pointer (&op->fusion, leat_fusion_free);
  if (op->destroy != NULL)
    op->destroy (op->user_data);
  g_free (op->name);
  g_free (op->why_eager);
  g_free (op->why_not_on_cpu);
  g_free (op->why_separate);
  g_free (op);
}

void
leat_op_touch (LeatOp *op, LeatBufferId buffer, LeatAccess access)
{
  if (buffer == LEAT_BUFFER_NONE)
    return;
  for (guint i = 0; i < op->n_touches; i++)
    if (op->touches[i].buffer == buffer)
      {
        op->touches[i].access |= access;
        return;
      }
  op->touches = g_renew (LeatTouch, op->touches, op->n_touches + 1);
  op->touches[op->n_touches++] = (LeatTouch){ buffer, access };
}

void
leat_op_set_value (LeatOpArg *arg, guint64 value)
{
  arg->kind = LEAT_ARG_VALUE;
  arg->value = g_bytes_new (&value, sizeof value);
}

const char *
leat_transfer_mode_get_name (LeatTransferMode mode)
{
  static const char *const names[] = { [LEAT_TRANSFER_AUTO] = "auto",
                                       [LEAT_TRANSFER_COPY] = "copy",
                                       [LEAT_TRANSFER_MAPPED] = "mapped",
                                       [LEAT_TRANSFER_KERNEL] = "kernel" };

  return names[mode];
}

guint
leat_op_count_threads (const LeatOp *op)
{
  return op->block[0] * op->block[1] * op->block[2];
}

/* A copy or a fill of a count alone. */
gboolean
leat_op_is_of_count (LeatPlan *plan, const LeatOp *op)
{
  return op->bytes == sizeof (guint64) && leat_plan_get_buffer (plan, op->to)->header;
}

gboolean
leat_param_is_pointer (const LeatParam *param)
{
  return param->form == LEAT_TEXTURE_NONE
         && (param->kind == LEAT_PARAM_INPUT || param->kind == LEAT_PARAM_OUTPUT
             || param->kind == LEAT_PARAM_OUTPUT_COUNT);
}
