/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Readers of a copy read what it was made of, where that stays as it is: a copy on the device, or a readback that is
 * uploaded again.  The copy is then dead.  A fill or copy that the next one writes over whole is left out. */

#include "leat-optimise-private.h"

/* Whether the op writes all of a buffer, and nothing that it held before matters.  A transfer may bring live rows
 * alone. */
static gboolean
leat_op_moves_whole (LeatPlan *plan, const LeatOp *op)
{
  return (op->kind == LEAT_OP_COPY || op->kind == LEAT_OP_FILL || op->kind == LEAT_OP_TRANSFER)
         && op->bytes == leat_plan_get_buffer (plan, op->to)->bytes && op->from != op->to;
}

/* The op that alone writes the memory; NULL where there are several, or none. */
static const LeatOp *
leat_plan_find_only_writer (LeatPlan *self, LeatBufferId memory)
{
  const LeatOp *writer = NULL;

  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if ((leat_op_get_access (self, op, memory) & LEAT_ACCESS_WRITE) == 0)
        continue;
      if (writer != NULL)
        return NULL;
      writer = op;
    }
  return writer;
}

/* The device's buffer that a copy has its data of, through host memory where only a readback wrote that; NONE for none.
 */
static LeatBufferId
leat_plan_get_copied (LeatPlan *self, const LeatOp *copy)
{
  const LeatBuffer *from = leat_plan_get_buffer (self, copy->from);
  const LeatOp *readback;

  if (copy->kind == LEAT_OP_COPY)
    return from->kind == LEAT_BUFFER_STAGING ? LEAT_BUFFER_NONE : copy->from;
  if (from->kind != LEAT_BUFFER_STAGING)
    return LEAT_BUFFER_NONE;
  readback = leat_plan_find_only_writer (self, copy->from);
  if (readback == NULL || readback->kind != LEAT_OP_TRANSFER || !leat_op_moves_whole (self, readback)
      || readback->index > copy->index)
    return LEAT_BUFFER_NONE;
  return readback->from;
}

static gboolean
leat_buffer_may_be_forwarded (LeatPlan *plan, const LeatBuffer *to, const LeatBuffer *from)
{
  return leat_plan_buffer_is_plain (plan, to->id) && from->queue == NULL && from->array == NULL
         && leat_buffers_are_alike (to, from);
}

/* From @since on nobody writes what the copy was made of, and before the copy nobody reads it. */
static gboolean
leat_plan_copy_is_true (LeatPlan *self, const LeatOp *copy, LeatBufferId from, guint since)
{
  LeatBufferId memory = leat_plan_follow_memory (self, from);

  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if (op == copy)
        continue;
      if ((i > since && (leat_op_get_access (self, op, memory) & LEAT_ACCESS_WRITE))
          || (i < copy->index && leat_op_get_access (self, op, copy->to) != 0)
          || (leat_op_get_access (self, op, copy->to) & LEAT_ACCESS_WRITE))
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_plan_forward_copy (LeatPlan *self, LeatOp *copy)
{
  LeatBufferId from, to = copy->to;
  guint since = copy->index;

  if ((copy->kind != LEAT_OP_COPY && copy->kind != LEAT_OP_TRANSFER) || !leat_op_moves_whole (self, copy))
    return FALSE;
  from = leat_plan_get_copied (self, copy);
  if (from == LEAT_BUFFER_NONE || from == to
      || !leat_buffer_may_be_forwarded (self, leat_plan_get_buffer (self, to), leat_plan_get_buffer (self, from)))
    return FALSE;
  if (copy->kind == LEAT_OP_TRANSFER)
    since = leat_plan_find_only_writer (self, copy->from)->index;
  if (!leat_plan_copy_is_true (self, copy, from, since))
    return FALSE;
  leat_plan_note_pass (self, "copies", copy->node, NULL);
  leat_plan_remove_op (self, copy->index);
  leat_plan_replace_buffer (self, to, from);
  return TRUE;
}

/* Is what the op writes written over, whole, before anybody looks at it? */
static gboolean
leat_plan_is_written_over (LeatPlan *self, const LeatOp *op)
{
  LeatBufferId memory = leat_plan_follow_memory (self, op->to);

  for (guint i = op->index + 1; i < self->ops->len; i++)
    {
      const LeatOp *next = leat_plan_get_op (self, i);

      if (next->loop != op->loop || next->kind == LEAT_OP_LOOP)
        return FALSE;
      if (leat_op_get_access (self, next, memory) != 0)
        return next->kind != LEAT_OP_TRANSFER && leat_op_moves_whole (self, next)
               && leat_op_get_access (self, next, memory) == LEAT_ACCESS_WRITE
               && next->bytes == leat_plan_get_buffer (self, memory)->bytes;
    }
  return FALSE;
}

gboolean
leat_plan_forward_copies (LeatPlan *self)
{
  gboolean changed = FALSE;

  for (guint i = self->ops->len; i > 0; i--)
    {
      LeatOp *op = leat_plan_get_op (self, i - 1);

      if (leat_plan_forward_copy (self, op))
        changed = TRUE;
      else if ((op->kind == LEAT_OP_COPY || op->kind == LEAT_OP_FILL) && leat_plan_is_written_over (self, op))
        {
          leat_plan_note_pass (self, "copies", op->node, NULL);
          leat_plan_remove_op (self, i - 1);
          changed = TRUE;
        }
    }
  return changed;
}
