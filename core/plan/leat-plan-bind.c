/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-private.h"

/* Binding: the choices that depend on what the device is.  Each is made from the ops and LeatTraits alone, so that it
 * can be tested, printed and repeated without a device. */

const LeatOp *
leat_plan_find_other_writer (LeatPlan *self, LeatBufferId root, const LeatOp *but)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      for (guint t = 0; t < op->n_touches && op != but && !op->elided; t++)
        if ((op->touches[t].access & LEAT_ACCESS_WRITE) && leat_plan_get_root (self, op->touches[t].buffer)->id == root)
          return op;
    }
  return NULL;
}

static guint
leat_plan_count_readers (LeatPlan *self, LeatBufferId root)
{
  guint count = 0;

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      for (guint t = 0; t < op->n_touches; t++)
        if ((op->touches[t].access & LEAT_ACCESS_READ) && leat_plan_get_root (self, op->touches[t].buffer)->id == root)
          count++;
    }
  return count;
}

/* Do kernels alone write the items of @root?  They write what is live; a copy writes the whole buffer. */
static gboolean
leat_plan_is_written_by_kernels (LeatPlan *self, LeatBufferId root)
{
  guint kernels = 0;

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      for (guint t = 0; t < op->n_touches; t++)
        {
          if (!(op->touches[t].access & LEAT_ACCESS_WRITE)
              || leat_plan_get_root (self, op->touches[t].buffer)->id != root)
            continue;
          if (op->kind == LEAT_OP_FOREIGN || (op->kind != LEAT_OP_KERNEL && op->bytes > LEAT_BUFFER_HEADER))
            return FALSE;
          kernels += op->kind == LEAT_OP_KERNEL;
        }
    }
  return kernels > 0;
}

/* On a device of its own memory, writing through the link pays for results of unknown length: only live bytes cross.
 * The results must be written by kernels and read by nobody else, since every access crosses the link. */
static gboolean
leat_plan_is_good_to_map (LeatPlan *self, const LeatOp *op)
{
  LeatBuffer *from = leat_plan_get_root (self, op->from);

  if (self->traits.integrated)
    return TRUE;
  return from->kind == LEAT_BUFFER_DEVICE && from->header && leat_plan_count_readers (self, from->id) == 1
         && leat_plan_is_written_by_kernels (self, from->id);
}

static const char *
leat_plan_why_not_mapped (LeatPlan *self, const LeatOp *op)
{
  LeatBuffer *from = leat_plan_get_root (self, op->from);
  LeatBuffer *to = leat_plan_get_root (self, op->to);
  gboolean upload = from->kind == LEAT_BUFFER_STAGING;

  if (from == to)
    return "both ends are one memory already";
  if (upload && leat_plan_find_other_writer (self, to->id, op) != NULL)
    return "the input is overwritten in place";
  if (!upload && from->kind != LEAT_BUFFER_DEVICE)
    return "resident memory stays on the device";
  if (to->kind == LEAT_BUFFER_STAGING && from->kind == LEAT_BUFFER_STAGING)
    return "both ends are host memory with an owner";
  if (op->mode == LEAT_TRANSFER_AUTO && !leat_plan_is_good_to_map (self, op))
    return "the data is as long as its buffer, or used more than once";
  return NULL;
}

static void
leat_plan_choose_transfer (LeatPlan *self, LeatOp *op)
{
  const char *why_not;

  op->elided = FALSE;
  if (op->mode == LEAT_TRANSFER_COPY)
    {
      op->reason = "copy, as asked";
      return;
    }
  why_not = leat_plan_why_not_mapped (self, op);
  op->reason = why_not;
  if (why_not != NULL)
    return;
  op->elided = TRUE;
  op->reason = self->traits.integrated ? "device memory is host memory" : "only live bytes cross the link";
  if (op->mode == LEAT_TRANSFER_MAPPED)
    op->reason = "mapped, as asked";
  /* The staging memory serves for both. */
  if (leat_plan_get_root (self, op->from)->kind == LEAT_BUFFER_STAGING)
    leat_plan_get_root (self, op->to)->root = leat_plan_get_root (self, op->from)->id;
  else
    leat_plan_get_root (self, op->from)->root = leat_plan_get_root (self, op->to)->id;
}

void
leat_plan_choose_transfers (LeatPlan *self)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      if (op->kind == LEAT_OP_TRANSFER)
        leat_plan_choose_transfer (self, op);
    }
}

static void
leat_plan_reset_places (LeatPlan *self)
{
  for (guint i = 0; i < self->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      buffer->root = buffer->in_place_of != LEAT_BUFFER_NONE ? buffer->in_place_of : buffer->id;
      buffer->offset = 0;
      buffer->first_op = buffer->last_op = G_MAXUINT;
    }
  for (guint i = 0; i < self->ops->len; i++)
    leat_plan_get_op (self, i)->elided = FALSE;
}

/* Makes the bound half of every op and buffer. */
void
leat_plan_bind (LeatPlan *self, const LeatTraits *traits)
{
  self->traits = *traits;
  leat_plan_reset_places (self);
  leat_plan_choose_transfers (self);
  leat_plan_find_reusable (self);
  leat_plan_find_dependencies (self);
  leat_plan_lay_out (self);
  leat_plan_find_pieces (self);
  leat_plan_predict (self);
}
