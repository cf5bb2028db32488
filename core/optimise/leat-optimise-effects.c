/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The ops of a plan as passes see them: what a run must do, whoever reads it, who writes a memory, which buffers are
 * plain. */

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

LeatAccess
leat_op_get_access (LeatPlan *plan, const LeatOp *self, LeatBufferId memory)
{
  LeatAccess access = 0;

  for (guint i = 0; i < self->n_touches; i++)
    if (leat_plan_follow_memory (plan, self->touches[i].buffer) == memory)
      access |= self->touches[i].access;
  return access;
}

gboolean
leat_plan_writes_between (LeatPlan *self, guint first, guint end, LeatBufferId memory, const LeatOp *but)
{
  for (guint i = first; i < end; i++)
    if (leat_plan_get_op (self, i) != but
        && (leat_op_get_access (self, leat_plan_get_op (self, i), memory) & LEAT_ACCESS_WRITE))
      return TRUE;
  return FALSE;
}

gboolean
leat_op_arg_is_fixed (const LeatOpArg *self)
{
  return self->kind == LEAT_ARG_ITEMS || self->kind == LEAT_ARG_COUNT || self->kind == LEAT_ARG_VALUE;
}

static gboolean
leat_plan_has_foreign_user (LeatPlan *self, LeatBufferId id)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      for (guint t = 0; t < op->n_touches && op->kind == LEAT_OP_FOREIGN; t++)
        if (op->touches[t].buffer == id)
          return TRUE;
    }
  return FALSE;
}

gboolean
leat_plan_buffer_is_plain (LeatPlan *self, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self, id);

  if (buffer->kind != LEAT_BUFFER_DEVICE || buffer->in_place_of != LEAT_BUFFER_NONE || buffer->carried
      || buffer->is_marks || buffer->queue != NULL || buffer->array != NULL || buffer->grows != NULL)
    return FALSE;
  for (guint i = 0; i < self->buffers->len; i++)
    if (leat_plan_get_buffer (self, i)->in_place_of == id)
      return FALSE;
  return !leat_plan_has_foreign_user (self, id);
}

gboolean
leat_buffers_are_alike (const LeatBuffer *self, const LeatBuffer *other)
{
  return self->bytes == other->bytes && self->header == other->header && (self->spec == NULL) == (other->spec == NULL)
         && (self->spec == NULL || leat_spec_equal (self->spec, other->spec));
}
