/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Queues of work items: memory with a ring in it (leat-queue-ring.h), for which all zeros is empty. */

#include "leat-plan-private.h"

#include "kernel/device/leat-report-block.h"
#include "kernel/device/leat-queue-ring.h"

static guint
leat_queue_info_get_shift (const LeatQueueInfo *self)
{
  guint shift = LEAT_QUEUE_LEAST_SHIFT;

  while ((guint64) 1 << shift < self->capacity)
    shift++;
  return shift;
}

static GBytes *
leat_queue_info_make_view (const LeatQueueInfo *self)
{
  LeatQueueView view = { .capacity = self->capacity,
                         .patience_ns = (guint64) (self->patience * 1e9),
                         .shift = leat_queue_info_get_shift (self) };

  return g_bytes_new (&view, sizeof view);
}

/* Of one that is kept, what is of the run alone.  Else all that says whose turn it is; the items may be anything. */
static void
leat_recorder_begin_queue (LeatRecorder *self, LeatBufferId id, gboolean is_kept, guint shift)
{
  LeatOp *op = leat_plan_add_op (self->plan, LEAT_OP_FILL, self->node);

  op->to = id;
  op->bytes = is_kept ? sizeof (LeatQueueStart) : sizeof (LeatQueueRing) + ((guint64) sizeof (guint64) << shift);
  leat_op_touch (op, id, is_kept ? LEAT_ACCESS_READ_WRITE : LEAT_ACCESS_WRITE);
}

/**
 * leat_recorder_add_queue: (skip)
 * @self: a recorder
 * @info: what is to be queued; copied
 *
 * Adds a queue of work items in the device's memory, for one call of a kernel with a parameter `LeatQueue<T>`.
 *
 * A queue that is not kept is empty when a run begins.  One that is kept is among the states of the session, as its
 * node and its name: it is saved, restored and copied with them.
 *
 * Returns: the buffer, for %LEAT_ARG_QUEUE
 */
LeatBufferId
leat_recorder_add_queue (LeatRecorder *self, const LeatQueueInfo *info)
{
  guint shift = leat_queue_info_get_shift (info);
  guint64 bytes = sizeof (LeatQueueRing) + ((sizeof (guint64) + info->item_bytes) << shift);
  LeatBufferId id = info->is_kept ? leat_recorder_add_state (self, info->name, bytes, NULL)
                                  : leat_recorder_add_scratch (self, info->name, bytes);
  LeatBuffer *buffer = leat_plan_get_buffer (self->plan, id);

  if (info->capacity == 0)
    leat_recorder_refuse_call (self, G_STRFUNC, "for \"%s\" with a capacity of 0; give it room for an item at least",
                               info->name);
  buffer->scope = info->scope;
  buffer->queue = leat_queue_info_make_view (info);
  buffer->loses = info->loses;
  leat_recorder_begin_queue (self, id, info->is_kept, shift);
  return id;
}
