/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Measures when each op of one run began and ended, by events and by the kernels' own clock.  Touches its own events
 * and clocks, and puts work on the lane's stream. */

#include "leat-lane-timing-private.h"

#include <math.h>

#define LEAT_TIMING_NS_PER_MS 1e6

gboolean
leat_timing_has_op (LeatTiming *self, const LeatOp *op)
{
  /* A loop is timed as a whole. */
  return op->loop == NULL && op->kind != LEAT_OP_SOURCE && op->kind != LEAT_OP_SINK && !LEAT_BOUND_OP (op)->elided;
}

gboolean
leat_timing_tells (LeatTiming *self, const LeatOp *op)
{
  return op->loop == NULL && leat_op_launches (op) && self->lane->program->timed != NULL
         && self->lane->program->timed[op->index] != NULL;
}

gboolean
leat_timing_uses_events (LeatTiming *self, const LeatOp *op)
{
  return leat_timing_has_op (self, op) && !leat_timing_tells (self, op);
}

/* Whether any kernel tells. */
static gboolean
leat_timing_has_clocks (LeatTiming *self)
{
  for (guint i = 0; i < self->lane->plan->ops->len; i++)
    if (leat_timing_tells (self, leat_plan_get_op (self->lane->plan, i)))
      return TRUE;
  return FALSE;
}

static gboolean
leat_timing_make_event (LeatTiming *self, LeatEvent **event, GError **error)
{
  *event = leat_event_new (self->lane->program->device, LEAT_EVENT_TIMING, error);
  return *event != NULL;
}

guint64
leat_timing_get_clock_bytes (LeatPlan *plan)
{
  return (plan->ops->len + 1) * sizeof *((LeatTiming *) NULL)->told;
}

static gboolean
leat_timing_make_clocks (LeatTiming *self, GError **error)
{
  if (leat_device_is_cpu (self->lane->program->device))
    return TRUE;
  self->copies = leat_lane_new_memory (self->lane, LEAT_MEMORY_CLOCKS, LEAT_MEMORY_PINNED,
                                       leat_timing_get_clock_bytes (self->lane->plan), "the times of nodes", error);
  if (self->copies == NULL)
    return FALSE;
  self->told = leat_memory_get_host (self->copies);
  self->clocks = leat_lane_new_memory (self->lane, LEAT_MEMORY_CLOCKS, LEAT_MEMORY_DEVICE,
                                       leat_timing_get_clock_bytes (self->lane->plan), "the times of nodes", error);
  return self->clocks != NULL && leat_memory_clear (self->clocks, error);
}

LeatTiming *
leat_timing_new (LeatLane *lane, GError **error)
{
  g_autoptr (LeatTiming) self = g_new0 (LeatTiming, 1);
  guint n_ops = lane->plan->ops->len;

  self->lane = lane;
  self->begins = g_new0 (LeatEvent *, n_ops + 1);
  self->ends = g_new0 (LeatEvent *, n_ops + 1);
  self->times = g_new0 (LeatOpTime, n_ops + 1);
  if (!leat_timing_make_event (self, &self->first, error) || !leat_timing_make_event (self, &self->last, error)
      || !leat_timing_make_clocks (self, error))
    return NULL;
  for (guint i = 0; i < n_ops; i++)
    {
      const LeatOp *op = leat_plan_get_op (lane->plan, i);

      /* For kernels that tell too: a transfer may come to be done in another way, and with another block its clock may
       * be too much for a kernel. */
      if (op->kind != LEAT_OP_SOURCE && op->kind != LEAT_OP_SINK
          && (!leat_timing_make_event (self, &self->begins[i], error)
              || !leat_timing_make_event (self, &self->ends[i], error)))
        return NULL;
    }
  return g_steal_pointer (&self);
}

void
leat_timing_free (LeatTiming *self)
{
  for (guint i = 0; i < self->lane->plan->ops->len; i++)
    {
      leat_event_free (self->begins[i]);
      leat_event_free (self->ends[i]);
    }
  leat_event_free (self->first);
  leat_event_free (self->last);
  g_clear_pointer (&self->clocks, leat_memory_free);
  g_clear_pointer (&self->copies, leat_memory_free);
  g_free (self->begins);
  g_free (self->ends);
  g_free (self->times);
  g_free (self);
}

CUdeviceptr
leat_timing_get_clock (LeatTiming *self, const LeatOp *op)
{
  return leat_memory_get_address (self->clocks) + op->index * sizeof *self->told;
}

gboolean
leat_timing_begin (LeatTiming *self, GError **error)
{
  return leat_event_record (self->first, self->lane->stream, error);
}

/* With the run's own work, so that the host need not fetch them. */
static gboolean
leat_timing_copy_clocks (LeatTiming *self, GError **error)
{
  gsize bytes = self->lane->plan->ops->len * sizeof *self->told;
  CUresult result;

  if (!leat_timing_has_clocks (self))
    return TRUE;
  result =
    (*self->lane->table->cuMemcpyAsync) (leat_memory_get_address (self->copies), leat_memory_get_address (self->clocks),
                                         bytes, leat_stream_get (self->lane->stream));
  return result == CUDA_SUCCESS
         || leat_device_set_error (self->lane->program->device, error, "cuMemcpyAsync", result, "the times of nodes");
}

gboolean
leat_timing_end (LeatTiming *self, GError **error)
{
  return leat_event_record (self->last, self->lane->stream, error) && leat_timing_copy_clocks (self, error);
}

static gboolean
leat_timing_read_event (LeatTiming *self, LeatEvent *event, gint64 *ns, GError **error)
{
  float ms;

  if (!leat_event_get_elapsed_ms (self->first, event, &ms, error))
    return FALSE;
  *ns = llrint (ms * LEAT_TIMING_NS_PER_MS);
  return TRUE;
}

static gboolean
leat_timing_read_events (LeatTiming *self, GError **error)
{
  for (guint i = 0; i < self->lane->plan->ops->len; i++)
    if (leat_timing_uses_events (self, leat_plan_get_op (self->lane->plan, i))
        && (!leat_timing_read_event (self, self->begins[i], &self->times[i].begin_ns, error)
            || !leat_timing_read_event (self, self->ends[i], &self->times[i].end_ns, error)))
      return FALSE;
  return leat_timing_read_event (self, self->last, &self->span_ns, error);
}

/* The kernels' clock counts from another moment than the events.  The events bound the difference: an op cannot begin
 * before those it waits for have ended, nor any before the first event or end after the last. */
typedef struct
{
  gint64 least, most; /* of what is to be taken off the kernels' times */
} LeatTimingShift;

static void
leat_timing_bound_shift (LeatTiming *self, const LeatOp *op, LeatTimingShift *shift)
{
  gboolean tells = leat_timing_tells (self, op);

  for (guint i = 0; i < LEAT_BOUND_OP (op)->n_after; i++)
    {
      const LeatOp *before = leat_plan_get_op (self->lane->plan, LEAT_BOUND_OP (op)->after[i]);

      if (!leat_timing_has_op (self, before) || leat_timing_tells (self, before) == tells)
        continue;
      if (tells)
        shift->most = MIN (shift->most, (gint64) self->told[op->index][0] - self->times[before->index].end_ns);
      else
        shift->least = MAX (shift->least, (gint64) self->told[before->index][1] - self->times[op->index].begin_ns);
    }
}

static gint64
leat_timing_find_shift (LeatTiming *self)
{
  LeatTimingShift shift = { G_MININT64, G_MAXINT64 };

  for (guint i = 0; i < self->lane->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->lane->plan, i);

      if (!leat_timing_has_op (self, op))
        continue;
      if (leat_timing_tells (self, op))
        {
          shift.most = MIN (shift.most, (gint64) self->told[i][0]);
          shift.least = MAX (shift.least, (gint64) self->told[i][1] - self->span_ns);
        }
      leat_timing_bound_shift (self, op, &shift);
    }
  return shift.least + (shift.most - shift.least) / 2;
}

static void
leat_timing_read_clocks (LeatTiming *self)
{
  guint n_ops = self->lane->plan->ops->len;
  gint64 shift;

  if (!leat_timing_has_clocks (self))
    return;
  shift = leat_timing_find_shift (self);
  for (guint i = 0; i < n_ops; i++)
    if (leat_timing_tells (self, leat_plan_get_op (self->lane->plan, i)))
      self->times[i] = (LeatOpTime){ (gint64) self->told[i][0] - shift, (gint64) self->told[i][1] - shift };
}

static void
leat_timing_measure_work (LeatTiming *self)
{
  gint64 begin = G_MAXINT64, end = G_MININT64;

  for (guint i = 0; i < self->lane->plan->ops->len; i++)
    {
      if (!leat_timing_has_op (self, leat_plan_get_op (self->lane->plan, i)))
        continue;
      begin = MIN (begin, self->times[i].begin_ns);
      end = MAX (end, self->times[i].end_ns);
    }
  self->work_ns = end > begin ? end - begin : 0;
}

gboolean
leat_timing_read (LeatTiming *self, GError **error)
{
  if (!leat_timing_read_events (self, error))
    return FALSE;
  leat_timing_read_clocks (self);
  leat_timing_measure_work (self);
  return TRUE;
}
