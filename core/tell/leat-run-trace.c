/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The steps of each run, written to a file: the host's on one track, and where nodes are measured the device's on
 * another.  Nodes that ran beside each other have tracks of their own, since events of one track may not overlap. */

#include "leat-told-private.h"

#include "lane/leat-lane-timing-private.h"

#define LEAT_TRACE_WIDTH 8     /* tracks of the device at most; what would need more shares the last */
#define LEAT_TRACE_RUNS  10000 /* no more are written: some 10 MB */

static guint
leat_trace_get_host (guint lane)
{
  return 1 + lane * (1 + LEAT_TRACE_WIDTH);
}

static guint
leat_trace_get_device (guint lane)
{
  return leat_trace_get_host (lane) + 1;
}

gboolean
leat_told_open_trace (LeatTold *self, const char *path, LeatDevice *device, GCancellable *cancellable, GError **error)
{
  g_autofree char *process = NULL;

  if (path == NULL)
    return TRUE;
  self->tracing.trace = leat_trace_new (path, cancellable, error);
  if (self->tracing.trace == NULL)
    return FALSE;
  process = g_strdup_printf ("leat on %s: %s", leat_device_get_id (device), leat_device_get_name (device));
  self->tracing.n = 0;
  g_array_set_size (self->tracing.widths, 0);
  g_array_set_size (self->tracing.widths, 1);
  leat_trace_name_process (self->tracing.trace, process);
  leat_trace_name_track (self->tracing.trace, leat_trace_get_host (0), "lane 0, host");
  return TRUE;
}

void
leat_told_close_trace (LeatTold *self)
{
  g_autoptr (GError) warning = NULL;

  if (self->tracing.trace != NULL && !leat_trace_finish (self->tracing.trace, &warning))
    leat_bus_post (self->bus, leat_message_new (LEAT_MESSAGE_WARNING, NULL, warning, NULL));
  g_clear_pointer (&self->tracing.trace, leat_trace_free);
}

gboolean
leat_told_is_traced (LeatTold *self)
{
  return self->tracing.trace != NULL && self->tracing.n < LEAT_TRACE_RUNS;
}

/* Tracks come with the first run that needs them. */
static void
leat_told_name_lane (LeatTold *self, guint lane)
{
  for (guint i = self->tracing.widths->len; i <= lane; i++)
    {
      g_autofree char *name = g_strdup_printf ("lane %u, host", i);

      leat_trace_name_track (self->tracing.trace, leat_trace_get_host (i), name);
      g_array_set_size (self->tracing.widths, i + 1);
    }
}

/* The first track of the device that is free at @begin_ns. */
static guint
leat_told_choose_track (LeatTold *self, guint lane, gint64 *free_from, gint64 begin_ns, gint64 end_ns)
{
  guint *width = &g_array_index (self->tracing.widths, guint, lane);
  guint track = 0;

  while (track < LEAT_TRACE_WIDTH - 1 && free_from[track] > begin_ns)
    track++;
  for (; *width <= track; (*width)++)
    {
      g_autofree char *name = *width == 0 ? g_strdup_printf ("lane %u, device", lane)
                                          : g_strdup_printf ("lane %u, device, beside %u", lane, *width);

      leat_trace_name_track (self->tracing.trace, leat_trace_get_device (lane) + *width, name);
    }
  free_from[track] = end_ns;
  return leat_trace_get_device (lane) + track;
}

/* Where the two clocks meet is not known; what the device did is put in the middle of the time that the host gave it.
 */
static void
leat_told_trace_nodes (LeatTold *self, const LeatFlight *flight)
{
  const LeatTiming *timing = flight->lane->timing;
  const gint64 *marks = flight->run.marks;
  gint64 from = marks[flight->run.streamed ? LEAT_MARK_HANDED : LEAT_MARK_FILLED];
  gint64 spare = marks[LEAT_MARK_COMPUTED] - from - timing->span_ns;
  gint64 shift = from + MAX (spare, 0) / 2;
  gint64 free_from[LEAT_TRACE_WIDTH] = { 0 };

  for (guint i = 0; i < self->times.nodes->len; i++)
    {
      const LeatNodeTimes *times = &g_array_index (self->times.nodes, LeatNodeTimes, i);
      const LeatOpTime *op = &timing->times[times->index];
      gint64 begin_ns = CLAMP (op->begin_ns, 0, timing->span_ns) + shift;
      gint64 end_ns = CLAMP (op->end_ns, 0, timing->span_ns) + shift;

      leat_trace_add (self->tracing.trace, leat_told_choose_track (self, flight->index, free_from, begin_ns, end_ns),
                      times->op, times->node, begin_ns, end_ns, flight->run.number);
    }
}

static void
leat_told_trace_step (LeatTold *self, const LeatFlight *flight, const char *name, LeatMark from, LeatMark to)
{
  const LeatRun *run = &flight->run;

  leat_trace_add (self->tracing.trace, leat_trace_get_host (flight->index), "host", name, run->marks[from],
                  run->marks[to], run->number);
}

/* By who gives to the sinks, which is one thread. */
void
leat_told_trace_run (LeatTold *self, LeatFlight *flight)
{
  LeatRun *run = &flight->run;
  LeatMark handed = run->streamed ? LEAT_MARK_HANDED : LEAT_MARK_FILLED;
  LeatMark computed = run->known ? LEAT_MARK_FILLED : LEAT_MARK_COMPUTED;
  guint track = leat_trace_get_host (flight->index);

  run->marks[LEAT_MARK_DRAINED] = leat_run_now_ns ();
  leat_told_name_lane (self, flight->index);
  leat_told_trace_step (self, flight, "fill", LEAT_MARK_BEGUN, LEAT_MARK_FILLED);
  if (run->known)
    leat_trace_add_instant (self->tracing.trace, track, "memo hit", run->marks[LEAT_MARK_FILLED]);
  else
    {
      leat_told_trace_step (self, flight, "launch", handed, LEAT_MARK_LAUNCHED);
      leat_told_trace_step (self, flight, "wait", LEAT_MARK_LAUNCHED, LEAT_MARK_COMPUTED);
    }
  leat_told_trace_step (self, flight, "drain", run->streamed ? LEAT_MARK_GIVEN : computed, LEAT_MARK_DRAINED);
  if (run->measured)
    leat_told_trace_nodes (self, flight);
  if (run->number == LEAT_TRACE_RUNS)
    leat_trace_add_instant (self->tracing.trace, track, "no more runs are written", run->marks[LEAT_MARK_DRAINED]);
}
