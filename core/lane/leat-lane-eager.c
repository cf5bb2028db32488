/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs the op list on the lane's stream, one call an op. */

#include "leat-executor-private.h"
#include "leat-foreign-stream-private.h"

#include "graph/leat-node-private.h"
#include "leat-nvtx-private.h"
#include "leat-lane-timing-private.h"
#include "leat-lane-graph-private.h"

/* Outside of graphs.  It is an op, and has ops. */
static gboolean leat_lane_drive_loop (LeatLane *self, LeatPath path, const LeatPlanLoop *loop, GError **error);

static CUresult
leat_lane_call_kernel (LeatLane *self, LeatPath path, const LeatOp *op, CUstream stream, const char **call)
{
  CUfunction function = leat_lane_get_function (self, path, op);
  void **params = leat_lane_get_launch (self, op)->params;
  const guint *grid = self->program->loaded[op->index].grid;

  leat_lane_set_loop_handle (self, path, op, FALSE);
  *call = op->cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel";
  if (op->cooperative && self->table->cuLaunchCooperativeKernel == NULL)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (op->cooperative)
    return (*self->table->cuLaunchCooperativeKernel) (function, grid[0], grid[1], grid[2], op->block[0], op->block[1],
                                                      op->block[2], op->shared_bytes, stream, params);
  return (*self->table->cuLaunchKernel) (function, grid[0], grid[1], leat_lane_get_depth (self, op), op->block[0],
                                         op->block[1], op->block[2], op->shared_bytes, stream, params, NULL);
}

static gboolean
leat_lane_reaches_array (LeatLane *self, const LeatOp *op)
{
  return leat_plan_get_buffer (self->plan, op->to)->array != NULL
         || leat_plan_get_buffer (self->plan, op->from)->array != NULL;
}

static CUresult
leat_lane_call_array_copy (LeatLane *self, const LeatOp *op, CUstream stream, const char **call)
{
  CUDA_MEMCPY3D copy = leat_lane_get_copy (self, op);

  *call = "cuMemcpy3DAsync";
  return self->table->cuMemcpy3DAsync != NULL ? (*self->table->cuMemcpy3DAsync) (&copy, stream)
                                              : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult
leat_lane_call_copy (LeatLane *self, const LeatOp *op, CUstream stream, const char **call)
{
  guint64 bytes = leat_lane_get_moved_bytes (self, op);
  void *from_host, *to_host;
  CUdeviceptr from, to;
  CUresult result;

  leat_lane_get_end (self, op, op->from, &from, &from_host);
  leat_lane_get_end (self, op, op->to, &to, &to_host);
  if (leat_lane_reaches_array (self, op))
    result = leat_lane_call_array_copy (self, op, stream, call);
  else if (from_host != NULL && to_host == NULL)
    {
      *call = "cuMemcpyHtoDAsync";
      result = (*self->table->cuMemcpyHtoDAsync) (to, from_host, bytes, stream);
    }
  else if (to_host != NULL && from_host == NULL)
    {
      *call = "cuMemcpyDtoHAsync";
      result = (*self->table->cuMemcpyDtoHAsync) (to_host, from, bytes, stream);
    }
  else
    {
      *call = "cuMemcpyDtoDAsync";
      result = (*self->table->cuMemcpyDtoDAsync) (to, from, bytes, stream);
    }
  if (result == CUDA_SUCCESS && op->loop == NULL)
    leat_traffic_add_copy (&self->counts->work.traffic, from_host != NULL, to_host != NULL, bytes);
  return result;
}

static gboolean
leat_lane_do_foreign (LeatLane *self, const LeatOp *op, GError **error)
{
  if (leat_lane_call_foreign (self, op, FALSE, error))
    return TRUE;
  leat_node_prefix_error (op->node, error);
  return FALSE;
}

static gboolean
leat_lane_call_op (LeatLane *self, LeatPath path, const LeatOp *op, GError **error)
{
  CUstream stream = leat_stream_get (self->stream);
  const char *call = "cuMemsetD8Async";
  CUresult result = CUDA_SUCCESS;

  switch (leat_op_launches (op) ? LEAT_OP_KERNEL : op->kind)
    {
    case LEAT_OP_KERNEL:
      result = leat_lane_call_kernel (self, path, op, stream, &call);
      break;
    case LEAT_OP_COPY:
    case LEAT_OP_TRANSFER:
      result = leat_lane_call_copy (self, op, stream, &call);
      break;
    case LEAT_OP_FILL:
      result = (*self->table->cuMemsetD8Async) (self->addresses[op->to], op->value,
                                                leat_lane_get_moved_bytes (self, op), stream);
      break;
    case LEAT_OP_FOREIGN:
      return leat_lane_do_foreign (self, op, error);
    case LEAT_OP_LOOP:
      return leat_lane_drive_loop (self, path, op->runs, error);
    case LEAT_OP_SOURCE:
    case LEAT_OP_SINK:
      break;
    }
  self->counts->work.launches += result == CUDA_SUCCESS;
  if (result == CUDA_SUCCESS)
    return TRUE;
  return leat_device_set_error (self->program->device, error, call, result, "%s \"%s\"", leat_node_get_id (op->node),
                                leat_node_get_name (op->node));
}

static gboolean
leat_lane_call_each (LeatLane *self, LeatPath path, const LeatOp *op, GError **error)
{
  gboolean good = TRUE;

  for (guint i = 0; i < self->live && good; i++)
    {
      leat_lane_shift (self, i);
      good = leat_lane_call_op (self, path, op, error);
    }
  leat_lane_shift (self, 0);
  return good;
}

static gboolean
leat_lane_call_timed (LeatLane *self, LeatPath path, const LeatOp *op, GError **error)
{
  if (!leat_timing_uses_events (self->timing, op))
    return leat_lane_call_op (self, path, op, error);
  return leat_event_record (self->timing->begins[op->index], self->stream, error)
         && leat_lane_call_op (self, path, op, error)
         && leat_event_record (self->timing->ends[op->index], self->stream, error);
}

static gboolean
leat_lane_launch_op (LeatLane *self, LeatPath path, const LeatOp *op, GError **error)
{
  if (leat_op_goes_by_entry (op))
    return leat_lane_call_each (self, path, op, error);
  return path == LEAT_PATH_TIMED ? leat_lane_call_timed (self, path, op, error)
                                 : leat_lane_call_op (self, path, op, error);
}

/* The ops from @first to before @end, one by one; the device's context must be current. */
static gboolean
leat_lane_launch_ops (LeatLane *self, LeatPath path, guint first, guint end, GError **error)
{
  for (guint i = first; i < end; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);

      gboolean good;

      if (leat_path_skips (path, op))
        continue;
      leat_nvtx_push (leat_node_get_name (op->node));
      good = leat_lane_await_turn (self, i, i + 1, error) && leat_lane_launch_op (self, path, op, error)
             && leat_lane_pass_turn (self, i, i + 1, error);
      leat_nvtx_pop ();
      if (!good)
        return FALSE;
      if (op->kind == LEAT_OP_LOOP)
        i = op->runs->last;
    }
  return TRUE;
}

/* Launches the loop's body until its test says that it is over, or nobody waits for that any more. */
static gboolean
leat_lane_drive_loop (LeatLane *self, LeatPath path, const LeatPlanLoop *loop, GError **error)
{
  const LeatLoopReport *report = (const LeatLoopReport *) self->hosts[loop->report];
  gboolean goes_on;

  do
    {
      if (self->stop != NULL && !leat_lane_may_go_on (self, self->stop, error))
        return FALSE;
      if (!leat_lane_launch_ops (self, path, loop->first + 1, loop->last + 1, error)
          || !leat_lane_synchronize (self, error))
        return FALSE;
      leat_lane_note_other_wait (self);
      goes_on = g_atomic_int_get ((const gint *) &report->goes_on) != 0;
    }
  while (goes_on);
  return TRUE;
}

gboolean
leat_lane_launch_between (LeatLane *self, LeatPath path, guint first, guint end, GError **error)
{
  gboolean good;

  if (first >= end)
    return TRUE;
  if (!leat_device_push (self->program->device, error))
    return FALSE;
  good = leat_lane_launch_ops (self, path, first, end, error);
  leat_device_pop (self->program->device);
  return good;
}

static gboolean
leat_executor_eager_prepare (LeatLane *self, LeatPath path, GError **error)
{
  return TRUE;
}

static gboolean
leat_executor_eager_launch (LeatLane *self, LeatPath path, GError **error)
{
  self->executables[path].launches++;
  return leat_lane_launch_between (self, path, 0, self->plan->ops->len, error);
}

static gboolean
leat_executor_eager_drop (LeatLane *self, LeatPath path)
{
  return FALSE;
}

const LeatExecutorClass leat_executor_eager = {
  .name = "eager",
  .prepare = leat_executor_eager_prepare,
  .launch = leat_executor_eager_launch,
  .is_busy = leat_lane_is_stream_busy,
  .wait = leat_lane_wait_for_stream,
  .drop = leat_executor_eager_drop,
};
