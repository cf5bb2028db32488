/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

#include "leat-timing-private.h"

/* What each run goes through, written to a file: the host's steps on one track, and where nodes are measured what the
 * device did on another.  Nodes that ran beside each other have tracks of their own, since events of one track may not
 * overlap. */

#define LEAT_TRACE_HOST   1
#define LEAT_TRACE_DEVICE 2
#define LEAT_TRACE_WIDTH  8     /* tracks of the device at most; what would need more shares the last */
#define LEAT_TRACE_RUNS   10000 /* no more are written: some 10 MB */

gboolean
leat_session_open_trace (LeatSession *self, GError **error)
{
  g_autofree char *process = NULL;

  if (self->trace_path == NULL)
    return TRUE;
  self->trace = leat_trace_new (self->trace_path, error);
  if (self->trace == NULL)
    return FALSE;
  process = g_strdup_printf ("leat on %s: %s", leat_device_get_id (self->device), leat_device_get_name (self->device));
  self->traced = self->trace_width = 0;
  leat_trace_name_process (self->trace, process);
  leat_trace_name_track (self->trace, LEAT_TRACE_HOST, "lane 0, host");
  return TRUE;
}

void
leat_session_close_trace (LeatSession *self)
{
  g_autoptr (GError) warning = NULL;

  if (self->trace != NULL && !leat_trace_finish (self->trace, &warning))
    leat_bus_post (leat_pipeline_get_bus (self->pipeline),
                   leat_message_new (LEAT_MESSAGE_WARNING, NULL, warning, NULL));
  g_clear_pointer (&self->trace, leat_trace_free);
}

gboolean
leat_session_is_traced (LeatSession *self)
{
  return self->trace != NULL && self->traced < LEAT_TRACE_RUNS;
}

/* The first track of the device that is free at @begin_ns. */
static guint
leat_session_choose_track (LeatSession *self, gint64 *free_from, gint64 begin_ns, gint64 end_ns)
{
  guint track = 0;

  while (track < LEAT_TRACE_WIDTH - 1 && free_from[track] > begin_ns)
    track++;
  for (; self->trace_width <= track; self->trace_width++)
    {
      g_autofree char *name = self->trace_width == 0 ? g_strdup ("lane 0, device")
                                                     : g_strdup_printf ("lane 0, device, beside %u", self->trace_width);

      leat_trace_name_track (self->trace, LEAT_TRACE_DEVICE + self->trace_width, name);
    }
  free_from[track] = end_ns;
  return LEAT_TRACE_DEVICE + track;
}

/* Where the two clocks meet is not known; what the device did is put in the middle of the time that the host gave it.
 */
static void
leat_session_trace_nodes (LeatSession *self, const LeatTiming *timing)
{
  const gint64 *marks = self->marks;
  gint64 spare = marks[LEAT_MARK_COMPUTED] - marks[LEAT_MARK_FILLED] - timing->span_ns;
  gint64 shift = marks[LEAT_MARK_FILLED] + MAX (spare, 0) / 2;
  gint64 free_from[LEAT_TRACE_WIDTH] = { 0 };

  for (guint i = 0; i < self->times.nodes->len; i++)
    {
      const LeatNodeTimes *times = &g_array_index (self->times.nodes, LeatNodeTimes, i);
      const LeatOpTime *op = &timing->times[times->index];
      gint64 begin_ns = CLAMP (op->begin_ns, 0, timing->span_ns) + shift;
      gint64 end_ns = CLAMP (op->end_ns, 0, timing->span_ns) + shift;

      leat_trace_add (self->trace, leat_session_choose_track (self, free_from, begin_ns, end_ns), times->op,
                      times->node, begin_ns, end_ns, self->stats.runs);
    }
}

static void
leat_session_trace_step (LeatSession *self, const char *name, LeatMark from, LeatMark to)
{
  leat_trace_add (self->trace, LEAT_TRACE_HOST, "host", name, self->marks[from], self->marks[to], self->stats.runs);
}

void
leat_session_trace_run (LeatSession *self, LeatLane *lane, gboolean recalled)
{
  self->marks[LEAT_MARK_DRAINED] = leat_session_now_ns ();
  leat_session_trace_step (self, "fill", LEAT_MARK_BEGUN, LEAT_MARK_FILLED);
  if (recalled)
    leat_trace_add_instant (self->trace, LEAT_TRACE_HOST, "memo hit", self->marks[LEAT_MARK_FILLED]);
  else
    {
      leat_session_trace_step (self, "launch", LEAT_MARK_FILLED, LEAT_MARK_LAUNCHED);
      leat_session_trace_step (self, "wait", LEAT_MARK_LAUNCHED, LEAT_MARK_COMPUTED);
    }
  leat_session_trace_step (self, "drain", recalled ? LEAT_MARK_FILLED : LEAT_MARK_COMPUTED, LEAT_MARK_DRAINED);
  if (self->flight.measured)
    leat_session_trace_nodes (self, lane->timing);
  if (++self->traced == LEAT_TRACE_RUNS)
    leat_trace_add_instant (self->trace, LEAT_TRACE_HOST, "no more runs are written", self->marks[LEAT_MARK_DRAINED]);
}
