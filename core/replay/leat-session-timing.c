/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which runs are measured, and what is made of them.  Measured runs have a graph of their own, so that the clocks cost
 * the others nothing. */

#include "leat-session-private.h"

#include "lane/leat-lane-timing-private.h"
#include "bind/leat-bind-private.h"
#include "lane/leat-lane-graph-private.h"
#include "leat-session-told-private.h"

#define LEAT_TIMING_FIRST 64   /* so many runs are measured one after the other, */
#define LEAT_TIMING_EVERY 32   /* then one of so many at most, */
#define LEAT_TIMING_RARE  1024 /* and at least */

/* The time that measuring may add to a mean run: a share of it, or so much for each node that is measured. */
#define LEAT_TIMING_SHARE   0.015
#define LEAT_TIMING_NODE_US 0.03

GType
leat_timing_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_TIMING_OFF, "LEAT_TIMING_OFF", "off" },
                                       { LEAT_TIMING_NODES, "LEAT_TIMING_NODES", "nodes" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatTimingMode", values));
  return type;
}

static void
leat_node_times_clear (gpointer data)
{
  LeatNodeTimes *self = data;

  g_free (self->node);
  g_free (self->op);
}

GArray *
leat_session_times_new (void)
{
  GArray *nodes = g_array_new (FALSE, TRUE, sizeof (LeatNodeTimes));

  g_array_set_clear_func (nodes, leat_node_times_clear);
  return nodes;
}

void
leat_session_clear_times (LeatSession *self)
{
  g_mutex_lock (&self->told.lock);
  self->told.times.samples = 0;
  self->told.times.launch_ns = self->told.times.wait_ns = self->told.times.work_ns = 0;
  g_array_set_size (self->told.times.nodes, 0);
  self->measuring.measured_us = self->measuring.unmeasured_us = G_MAXINT64;
  g_mutex_unlock (&self->told.lock);
}

/* The bytes that an op moves; for a kernel, those of all buffers that it touches. */
static guint64
leat_session_get_op_bytes (LeatSession *self, const LeatOp *op)
{
  guint64 bytes = 0;

  if (op->kind != LEAT_OP_KERNEL && op->kind != LEAT_OP_FOREIGN)
    return op->bytes;
  for (guint i = 0; i < op->n_touches; i++)
    bytes += leat_plan_get_buffer (self->plan, op->touches[i].buffer)->bytes;
  return bytes;
}

static void
leat_session_add_node_times (LeatSession *self, LeatTiming *timing, const LeatOp *op)
{
  LeatNodeTimes times = {
    .node = g_strdup (leat_node_get_name (op->node)),
    .op = g_strdup (op->kind == LEAT_OP_KERNEL    ? op->prototype->entry
                    : op->kind == LEAT_OP_FOREIGN ? op->name
                                                  : leat_op_kind_get_name (op->kind)),
    .clock = leat_timing_tells (timing, op) ? "kernel" : "event",
    .index = op->index,
    .bytes = leat_session_get_op_bytes (self, op),
    .least_ns = G_MAXINT64,
  };

  g_array_append_val (self->told.times.nodes, times);
}

/* With the first measured run: the way of a transfer may be chosen before it. */
static void
leat_session_list_times (LeatSession *self, const LeatLane *lane)
{
  g_mutex_lock (&self->told.lock);
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (leat_timing_has_op (lane->timing, op))
        leat_session_add_node_times (self, lane->timing, op);
    }
  g_mutex_unlock (&self->told.lock);
}

gboolean
leat_session_open_timing (LeatSession *self, GError **error)
{
  return self->tuning.to_calibrate
         || leat_lane_build_graph (g_ptr_array_index (self->lanes, 0), LEAT_PATH_TIMED, error);
}

gboolean
leat_session_is_next_measured (LeatSession *self)
{
  return leat_session_is_traced (self) || self->measuring.n < LEAT_TIMING_FIRST
         || self->ledger.stats.runs >= self->measuring.next;
}

/* The least of each are compared, which what else the machine does changes least. */
static guint64
leat_session_space_measured (LeatSession *self)
{
  double extra_us = (double) (self->measuring.measured_us - self->measuring.unmeasured_us);
  double most_us =
    MAX (LEAT_TIMING_SHARE * (double) self->measuring.unmeasured_us, LEAT_TIMING_NODE_US * self->told.times.nodes->len);

  if (self->measuring.measured_us == G_MAXINT64 || self->measuring.unmeasured_us == G_MAXINT64 || extra_us <= 0)
    return LEAT_TIMING_EVERY;
  return (guint64) CLAMP (extra_us / most_us, LEAT_TIMING_EVERY, LEAT_TIMING_RARE);
}

/* @us: from the launch until all of it was read */
static void
leat_session_plan_measured (LeatSession *self, gint64 us)
{
  self->measuring.n++;
  if (self->told.times.samples > 1) /* the first pays for the graph */
    self->measuring.measured_us = MIN (self->measuring.measured_us, us);
  self->measuring.next = self->ledger.stats.runs + leat_session_space_measured (self);
}

void
leat_session_note_unmeasured (LeatSession *self, gint64 us)
{
  self->measuring.unmeasured_us = MIN (self->measuring.unmeasured_us, us);
}

static void
leat_session_note_node_times (LeatNodeTimes *times, const LeatOpTime *op)
{
  gint64 ns = op->end_ns - op->begin_ns;

  times->sum_ns += ns;
  times->least_ns = MIN (times->least_ns, ns);
  times->most_ns = MAX (times->most_ns, ns);
  times->begin_ns = op->begin_ns;
  times->end_ns = op->end_ns;
}

static void
leat_session_note_measured (LeatSession *self, const LeatSessionFlight *flight)
{
  const LeatTiming *timing = flight->lane->timing;
  const gint64 *marks = flight->run.marks;

  self->ledger.stats.runs_measured++;
  g_mutex_lock (&self->told.lock);
  self->told.times.samples++;
  self->told.times.launch_ns += marks[LEAT_MARK_LAUNCHED] - marks[LEAT_MARK_HANDED];
  self->told.times.wait_ns += marks[LEAT_MARK_COMPUTED] - marks[LEAT_MARK_LAUNCHED];
  self->told.times.work_ns += timing->work_ns;
  for (guint i = 0; i < self->told.times.nodes->len; i++)
    {
      LeatNodeTimes *times = &g_array_index (self->told.times.nodes, LeatNodeTimes, i);

      leat_session_note_node_times (times, &timing->times[times->index]);
    }
  g_mutex_unlock (&self->told.lock);
}

static gboolean
leat_session_launch_between_events (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  LeatLane *lane = flight->lane;
  gint64 *marks = flight->run.marks;

  if (!flight->run.streamed)
    marks[LEAT_MARK_FILLED] = leat_session_now_ns ();
  if (!leat_timing_begin (lane->timing, error))
    return FALSE;
  marks[LEAT_MARK_HANDED] = leat_session_now_ns ();
  if (!leat_lane_launch (lane, LEAT_PATH_TIMED, error))
    return FALSE;
  marks[LEAT_MARK_LAUNCHED] = leat_session_now_ns ();
  return leat_timing_end (lane->timing, error);
}

gboolean
leat_session_launch_measured (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  gboolean good;

  if (self->told.times.nodes->len == 0)
    leat_session_list_times (self, flight->lane);
  if (!leat_device_push (self->device, error))
    return FALSE;
  good = leat_session_launch_between_events (self, flight, error);
  leat_device_pop (self->device);
  return good;
}

gboolean
leat_session_read_measured (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  gboolean good = leat_device_push (self->device, error);

  if (!good)
    return FALSE;
  good = leat_timing_read (flight->lane->timing, error);
  leat_device_pop (self->device);
  if (!good)
    return FALSE;
  leat_session_note_measured (self, flight);
  leat_session_plan_measured (self, g_get_monotonic_time () - flight->run.filled_us);
  return TRUE;
}

static double
leat_session_get_mean_us (const LeatSessionTimes *times, gint64 sum_ns)
{
  return times->samples > 0 ? sum_ns / 1e3 / times->samples : 0;
}

static GVariant *
leat_session_describe_node (const LeatSessionTimes *all, const LeatNodeTimes *times)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "node", "s", times->node);
  g_variant_dict_insert (&dict, "op", "s", times->op);
  g_variant_dict_insert (&dict, "clock", "s", times->clock);
  g_variant_dict_insert (&dict, "bytes", "t", times->bytes);
  g_variant_dict_insert (&dict, "mean-us", "d", leat_session_get_mean_us (all, times->sum_ns));
  g_variant_dict_insert (&dict, "least-us", "d", all->samples > 0 ? times->least_ns / 1e3 : 0);
  g_variant_dict_insert (&dict, "most-us", "d", times->most_ns / 1e3);
  g_variant_dict_insert (&dict, "begin-us", "d", times->begin_ns / 1e3);
  g_variant_dict_insert (&dict, "end-us", "d", times->end_ns / 1e3);
  return g_variant_dict_end (&dict);
}

/**
 * leat_session_dup_times:
 * @self: a session
 *
 * Gets the device times of the runs measured since the session was opened with #LeatSession:timing set to
 * %LEAT_TIMING_NODES. A property that changes shapes or ops begins the times anew.
 *
 * Returns: (transfer full): a dictionary (a{sv}): samples t (how many runs were measured); their means in microseconds:
 *   wall-us d (from the launch until the wait was over, by the host's clock), and of it launch-us d (in the call that
 *   hands the run over) and wait-us d; work-us d (by the device's clock, from the beginning of the first node to the
 *   end of the last) and queue-us d (what is left of wall-us: on the way to the device and back); nodes aa{sv}, in the
 *   order of the plan: node s, op s, clock s ("kernel": the kernel itself told; "event": an event before it and one
 *   behind), bytes t (that it moves or has before it), mean-us d, least-us d, most-us d, and of the last measured run
 *   begin-us d and end-us d
 */
GVariant *
leat_session_dup_times (LeatSession *self)
{
  const LeatSessionTimes *times = &self->told.times;
  GVariantBuilder nodes;
  GVariantDict dict;
  gint64 wall_ns;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  g_variant_dict_init (&dict, NULL);
  g_variant_builder_init (&nodes, G_VARIANT_TYPE ("aa{sv}"));
  g_mutex_lock (&self->told.lock);
  wall_ns = times->launch_ns + times->wait_ns;
  g_variant_dict_insert (&dict, "samples", "t", times->samples);
  g_variant_dict_insert (&dict, "wall-us", "d", leat_session_get_mean_us (times, wall_ns));
  g_variant_dict_insert (&dict, "launch-us", "d", leat_session_get_mean_us (times, times->launch_ns));
  g_variant_dict_insert (&dict, "wait-us", "d", leat_session_get_mean_us (times, times->wait_ns));
  g_variant_dict_insert (&dict, "work-us", "d", leat_session_get_mean_us (times, times->work_ns));
  g_variant_dict_insert (&dict, "queue-us", "d", leat_session_get_mean_us (times, wall_ns - times->work_ns));
  for (guint i = 0; i < times->nodes->len; i++)
    g_variant_builder_add_value (&nodes,
                                 leat_session_describe_node (times, &g_array_index (times->nodes, LeatNodeTimes, i)));
  g_mutex_unlock (&self->told.lock);
  g_variant_dict_insert_value (&dict, "nodes", g_variant_builder_end (&nodes));
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/**
 * leat_session_to_dot:
 * @self: an open session
 *
 * Draws the plan for Graphviz as leat_plan_to_dot () does, with the measured mean time of each op and the bytes that
 * it moves.
 *
 * Returns: (transfer full) (nullable): a DOT graph; %NULL while the session is not open
 */
char *
leat_session_to_dot (LeatSession *self)
{
  g_autoptr (LeatPlan) plan = NULL;
  g_auto (GStrv) notes = NULL;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  plan = leat_session_dup_plan (self);
  if (plan == NULL)
    return NULL;
  notes = g_new0 (char *, plan->ops->len + 1);
  for (guint i = 0; i < plan->ops->len; i++)
    notes[i] = g_strdup ("");
  g_mutex_lock (&self->told.lock);
  for (guint i = 0; i < self->told.times.nodes->len && self->told.times.samples > 0; i++)
    {
      const LeatNodeTimes *times = &g_array_index (self->told.times.nodes, LeatNodeTimes, i);
      g_autofree char *size = leat_device_format_bytes (times->bytes);

      if (times->index >= plan->ops->len) /* of another plan by now */
        continue;
      g_free (notes[times->index]);
      notes[times->index] =
        g_strdup_printf ("\\n%.2f us, %s", leat_session_get_mean_us (&self->told.times, times->sum_ns), size);
    }
  g_mutex_unlock (&self->told.lock);
  return leat_plan_draw (plan, (const char *const *) notes);
}
