/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Leat's own kernels move only live data between host and device.  Graph nodes do not say how much that is: it is known
 * from the counts beside the data when a run is over. */

#include "leat-told-private.h"

void
leat_ledger_list_kernel_transfers (LeatLedger *self, LeatPlan *plan)
{
  g_array_set_size (self->kernel_transfers, 0);
  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      if (op->kind == LEAT_OP_TRANSFER && (!LEAT_BOUND_OP (op)->elided || LEAT_BOUND_OP (op)->packed_with != NULL)
          && leat_op_launches (op))
        g_array_append_val (self->kernel_transfers, i);
    }
}

static guint64
leat_lane_get_transferred_bytes (LeatLane *lane, const LeatOp *op, LeatBufferId on_host)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (lane->plan, on_host);
  LeatView view;

  if (!buffer->header)
    return op->bytes;
  leat_lane_view (lane, on_host, &view);
  return view.count * leat_spec_get_row_bytes (buffer->spec);
}

void
leat_ledger_note_kernel_transfers (LeatLedger *self, LeatPlan *plan, LeatLane *lane, LeatPath path, guint64 n)
{
  /* A persistent kernel copies all of them, and has said so. */
  for (guint i = 0;
       i < self->kernel_transfers->len && (!LEAT_BOUND_PLAN (plan)->traits.persistent || path != LEAT_PATH_FULL); i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, g_array_index (self->kernel_transfers, guint, i));
      LeatTraffic traffic = { 0 };
      void *from, *to;
      CUdeviceptr address;

      if (leat_path_skips (path, LEAT_BOUND_OP (op)->packed_with != NULL ? LEAT_BOUND_OP (op)->packed_with : op))
        continue;
      leat_lane_get_end (lane, op, op->from, &address, &from);
      leat_lane_get_end (lane, op, op->to, &address, &to);
      if ((from != NULL) == (to != NULL))
        continue;
      leat_traffic_add_copy (&traffic, from != NULL, to != NULL,
                             leat_lane_get_transferred_bytes (lane, op, from != NULL ? op->from : op->to));
      leat_traffic_add (&self->graph_counts.work.traffic, &traffic, n);
    }
}
