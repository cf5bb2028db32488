/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which runs are measured, and what is made of them.  Measured runs have a graph of their own, so that the clocks cost
 * the others nothing. */

#include "leat-told-private.h"

#include "lane/leat-lane-timing-private.h"

#define LEAT_TIMING_FIRST 64   /* so many runs are measured one after the other, */
#define LEAT_TIMING_EVERY 32   /* then one of so many at most, */
#define LEAT_TIMING_RARE  1024 /* and at least */

/* The time that measuring may add to a mean run: a share of it, or so much for each node that is measured. */
#define LEAT_TIMING_SHARE   0.015
#define LEAT_TIMING_NODE_US 0.03

static void
leat_node_times_clear (gpointer data)
{
  LeatNodeTimes *self = data;

  g_free (self->node);
  g_free (self->op);
}

GArray *
leat_node_times_new (void)
{
  GArray *nodes = g_array_new (FALSE, TRUE, sizeof (LeatNodeTimes));

  g_array_set_clear_func (nodes, leat_node_times_clear);
  return nodes;
}

void
leat_told_clear_times (LeatTold *self)
{
  g_mutex_lock (&self->lock);
  self->times.samples = 0;
  self->times.launch_ns = self->times.wait_ns = self->times.work_ns = 0;
  g_array_set_size (self->times.nodes, 0);
  self->measuring.measured_us = self->measuring.unmeasured_us = G_MAXINT64;
  g_mutex_unlock (&self->lock);
}

/* The bytes that an op moves; for a kernel, those of all buffers that it touches. */
static guint64
leat_plan_get_op_bytes (LeatPlan *plan, const LeatOp *op)
{
  guint64 bytes = 0;

  if (op->kind != LEAT_OP_KERNEL && op->kind != LEAT_OP_FOREIGN)
    return op->bytes;
  for (guint i = 0; i < op->n_touches; i++)
    bytes += leat_plan_get_buffer (plan, op->touches[i].buffer)->bytes;
  return bytes;
}

static void
leat_told_add_node_times (LeatTold *self, const LeatLane *lane, const LeatOp *op)
{
  LeatNodeTimes times = {
    .node = g_strdup (leat_node_get_name (op->node)),
    .op = g_strdup (op->kind == LEAT_OP_KERNEL    ? op->prototype->entry
                    : op->kind == LEAT_OP_FOREIGN ? op->name
                                                  : leat_op_kind_get_name (op->kind)),
    .clock = leat_timing_tells (lane->timing, op) ? "kernel" : "event",
    .index = op->index,
    .bytes = leat_plan_get_op_bytes (lane->plan, op),
    .least_ns = G_MAXINT64,
  };

  g_array_append_val (self->times.nodes, times);
}

/* With the first measured run: the way of a transfer may be chosen before it. */
static void
leat_told_list_times (LeatTold *self, const LeatLane *lane)
{
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < lane->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (lane->plan, i);

      if (leat_timing_has_op (lane->timing, op))
        leat_told_add_node_times (self, lane, op);
    }
  g_mutex_unlock (&self->lock);
}

gboolean
leat_told_is_next_measured (LeatTold *self)
{
  return leat_told_is_traced (self) || self->measuring.n < LEAT_TIMING_FIRST
         || self->ledger.stats.runs >= self->measuring.next;
}

/* The least of each are compared, which what else the machine does changes least. */
static guint64
leat_told_space_measured (LeatTold *self)
{
  double extra_us = (double) (self->measuring.measured_us - self->measuring.unmeasured_us);
  double most_us =
    MAX (LEAT_TIMING_SHARE * (double) self->measuring.unmeasured_us, LEAT_TIMING_NODE_US * self->times.nodes->len);

  if (self->measuring.measured_us == G_MAXINT64 || self->measuring.unmeasured_us == G_MAXINT64 || extra_us <= 0)
    return LEAT_TIMING_EVERY;
  return (guint64) CLAMP (extra_us / most_us, LEAT_TIMING_EVERY, LEAT_TIMING_RARE);
}

/* @us: from the launch until all of it was read */
static void
leat_told_plan_measured (LeatTold *self, gint64 us)
{
  self->measuring.n++;
  if (self->times.samples > 1) /* the first pays for the graph */
    self->measuring.measured_us = MIN (self->measuring.measured_us, us);
  self->measuring.next = self->ledger.stats.runs + leat_told_space_measured (self);
}

void
leat_told_note_unmeasured (LeatTold *self, gint64 us)
{
  self->measuring.unmeasured_us = MIN (self->measuring.unmeasured_us, us);
}

static void
leat_node_times_note (LeatNodeTimes *times, const LeatOpTime *op)
{
  gint64 ns = op->end_ns - op->begin_ns;

  times->sum_ns += ns;
  times->least_ns = MIN (times->least_ns, ns);
  times->most_ns = MAX (times->most_ns, ns);
  times->begin_ns = op->begin_ns;
  times->end_ns = op->end_ns;
}

static void
leat_told_note_measured (LeatTold *self, const LeatFlight *flight)
{
  const LeatTiming *timing = flight->lane->timing;
  const gint64 *marks = flight->run.marks;

  self->ledger.stats.runs_measured++;
  g_mutex_lock (&self->lock);
  self->times.samples++;
  self->times.launch_ns += marks[LEAT_MARK_LAUNCHED] - marks[LEAT_MARK_HANDED];
  self->times.wait_ns += marks[LEAT_MARK_COMPUTED] - marks[LEAT_MARK_LAUNCHED];
  self->times.work_ns += timing->work_ns;
  for (guint i = 0; i < self->times.nodes->len; i++)
    {
      LeatNodeTimes *times = &g_array_index (self->times.nodes, LeatNodeTimes, i);

      leat_node_times_note (times, &timing->times[times->index]);
    }
  g_mutex_unlock (&self->lock);
}

static gboolean
leat_flight_launch_between_events (LeatFlight *flight, GError **error)
{
  LeatLane *lane = flight->lane;
  gint64 *marks = flight->run.marks;

  if (!flight->run.streamed)
    marks[LEAT_MARK_FILLED] = leat_run_now_ns ();
  if (!leat_timing_begin (lane->timing, error))
    return FALSE;
  marks[LEAT_MARK_HANDED] = leat_run_now_ns ();
  if (!leat_lane_launch (lane, LEAT_PATH_TIMED, error))
    return FALSE;
  marks[LEAT_MARK_LAUNCHED] = leat_run_now_ns ();
  return leat_timing_end (lane->timing, error);
}

gboolean
leat_told_launch_measured (LeatTold *self, LeatFlight *flight, GError **error)
{
  LeatDevice *device = flight->lane->program->device;
  gboolean good;

  if (self->times.nodes->len == 0)
    leat_told_list_times (self, flight->lane);
  if (!leat_device_push (device, error))
    return FALSE;
  good = leat_flight_launch_between_events (flight, error);
  leat_device_pop (device);
  return good;
}

gboolean
leat_told_read_measured (LeatTold *self, LeatFlight *flight, GError **error)
{
  LeatDevice *device = flight->lane->program->device;
  gboolean good = leat_device_push (device, error);

  if (!good)
    return FALSE;
  good = leat_timing_read (flight->lane->timing, error);
  leat_device_pop (device);
  if (!good)
    return FALSE;
  leat_told_note_measured (self, flight);
  leat_told_plan_measured (self, g_get_monotonic_time () - flight->run.filled_us);
  return TRUE;
}

static double
leat_session_times_get_mean_us (const LeatSessionTimes *times, gint64 sum_ns)
{
  return times->samples > 0 ? sum_ns / 1e3 / times->samples : 0;
}

static GVariant *
leat_node_times_describe (const LeatSessionTimes *all, const LeatNodeTimes *times)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "node", "s", times->node);
  g_variant_dict_insert (&dict, "op", "s", times->op);
  g_variant_dict_insert (&dict, "clock", "s", times->clock);
  g_variant_dict_insert (&dict, "bytes", "t", times->bytes);
  g_variant_dict_insert (&dict, "mean-us", "d", leat_session_times_get_mean_us (all, times->sum_ns));
  g_variant_dict_insert (&dict, "least-us", "d", all->samples > 0 ? times->least_ns / 1e3 : 0);
  g_variant_dict_insert (&dict, "most-us", "d", times->most_ns / 1e3);
  g_variant_dict_insert (&dict, "begin-us", "d", times->begin_ns / 1e3);
  g_variant_dict_insert (&dict, "end-us", "d", times->end_ns / 1e3);
  return g_variant_dict_end (&dict);
}

GVariant *
leat_told_dup_times (LeatTold *self)
{
  const LeatSessionTimes *times = &self->times;
  GVariantBuilder nodes;
  GVariantDict dict;
  gint64 wall_ns;

  g_variant_dict_init (&dict, NULL);
  g_variant_builder_init (&nodes, G_VARIANT_TYPE ("aa{sv}"));
  g_mutex_lock (&self->lock);
  wall_ns = times->launch_ns + times->wait_ns;
  g_variant_dict_insert (&dict, "samples", "t", times->samples);
  g_variant_dict_insert (&dict, "wall-us", "d", leat_session_times_get_mean_us (times, wall_ns));
  g_variant_dict_insert (&dict, "launch-us", "d", leat_session_times_get_mean_us (times, times->launch_ns));
  g_variant_dict_insert (&dict, "wait-us", "d", leat_session_times_get_mean_us (times, times->wait_ns));
  g_variant_dict_insert (&dict, "work-us", "d", leat_session_times_get_mean_us (times, times->work_ns));
  g_variant_dict_insert (&dict, "queue-us", "d", leat_session_times_get_mean_us (times, wall_ns - times->work_ns));
  for (guint i = 0; i < times->nodes->len; i++)
    g_variant_builder_add_value (&nodes,
                                 leat_node_times_describe (times, &g_array_index (times->nodes, LeatNodeTimes, i)));
  g_mutex_unlock (&self->lock);
  g_variant_dict_insert_value (&dict, "nodes", g_variant_builder_end (&nodes));
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

GStrv
leat_told_dup_notes (LeatTold *self, LeatPlan *plan)
{
  g_auto (GStrv) notes = g_new0 (char *, plan->ops->len + 1);

  for (guint i = 0; i < plan->ops->len; i++)
    notes[i] = g_strdup ("");
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->times.nodes->len && self->times.samples > 0; i++)
    {
      const LeatNodeTimes *times = &g_array_index (self->times.nodes, LeatNodeTimes, i);
      g_autofree char *size = leat_device_format_bytes (times->bytes);

      if (times->index >= plan->ops->len) /* of another plan by now */
        continue;
      g_free (notes[times->index]);
      notes[times->index] =
        g_strdup_printf ("\\n%.2f us, %s", leat_session_times_get_mean_us (&self->times, times->sum_ns), size);
    }
  g_mutex_unlock (&self->lock);
  return g_steal_pointer (&notes);
}
