/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-private.h"

#include "kernel/device/leat-doorbell.h"

/* Runs so small that one block of a kernel that stays does all of them, and that nothing but packets of data passes
 * between it and the host (kernel/device/leat-stay-packets.h): then neither says to the other that data are there by
 * anything else, so nothing else may be there.  No state is, since others could have it between two runs. */

typedef struct
{
  guint n;
  guint64 bytes, most;
} LeatBrief;

static gboolean
leat_plan_is_staging (LeatPlan *self, LeatBufferId id)
{
  return leat_plan_get_buffer (self, id)->kind == LEAT_BUFFER_STAGING;
}

static gboolean
leat_brief_add (LeatBrief *self, const LeatOp *op)
{
  self->n++;
  self->bytes += op->bytes;
  return op->bytes > 0 && op->bytes % 16 == 0 && self->n <= LEAT_PACKET_PIECES && self->bytes <= self->most;
}

static gboolean
leat_plan_is_brief_kernel (LeatPlan *self, const LeatOp *op)
{
  if ((guint64) op->grid[0] * op->grid[1] * op->grid[2] > LEAT_PACKET_TURNS || op->cooperative || op->grid_by_occupancy
      || op->prototype->reports)
    return FALSE;
  for (guint t = 0; t < op->n_touches; t++)
    if (leat_plan_is_staging (self, op->touches[t].buffer))
      return FALSE;
  return TRUE;
}

static gboolean
leat_plan_is_brief_transfer (LeatPlan *self, const LeatOp *op, LeatBrief *in, LeatBrief *out)
{
  const gboolean up = leat_plan_is_staging (self, op->from), back = leat_plan_is_staging (self, op->to);

  if (up == back || (op->mode != LEAT_TRANSFER_AUTO && op->mode != LEAT_TRANSFER_COPY))
    return FALSE;
  return leat_brief_add (up ? in : out, op);
}

static gboolean
leat_plan_has_brief_buffers (LeatPlan *self)
{
  for (guint i = 0; i < self->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      if (buffer->kind == LEAT_BUFFER_STATE || buffer->header || buffer->is_marks || buffer->queue != NULL
          || buffer->user || buffer->grows != NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_plan_is_brief_op (LeatPlan *self, const LeatOp *op, LeatBrief *in, LeatBrief *out)
{
  switch (op->kind)
    {
    case LEAT_OP_SOURCE:
    case LEAT_OP_SINK:
      return TRUE;
    case LEAT_OP_KERNEL:
      return leat_plan_is_brief_kernel (self, op);
    case LEAT_OP_TRANSFER:
      return leat_plan_is_brief_transfer (self, op, in, out);
    case LEAT_OP_COPY:
    case LEAT_OP_FILL:
      return op->bytes <= LEAT_PACKET_BYTES && !leat_plan_is_staging (self, op->to)
             && (op->kind == LEAT_OP_FILL || !leat_plan_is_staging (self, op->from));
    case LEAT_OP_FOREIGN:
    case LEAT_OP_LOOP:
      break;
    }
  return FALSE;
}

gboolean
leat_plan_is_brief (LeatPlan *self, guint64 most)
{
  LeatBrief in = { .most = MIN (most, LEAT_PACKET_BYTES) }, out = in;

  if (!leat_plan_has_brief_buffers (self))
    return FALSE;
  for (guint i = 0; i < self->ops->len; i++)
    if (!leat_plan_is_brief_op (self, leat_plan_get_op (self, i), &in, &out))
      return FALSE;
  return in.n > 0 && out.n > 0;
}
