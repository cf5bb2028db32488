/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A run reads what its sources give, at once or in two halves.  Touches one flight, and tells where it is. */

#include "leat-session-run-private.h"

void
leat_run_mark_filled (LeatRun *run)
{
  run->marks[LEAT_MARK_FILLED] = leat_run_now_ns ();
  run->marks[LEAT_MARK_HANDED] = run->marks[LEAT_MARK_LAUNCHED] = run->marks[LEAT_MARK_COMPUTED] =
    run->marks[LEAT_MARK_FILLED];
}

static void
leat_session_note_read_end (LeatSession *self, const LeatFlight *flight, LeatFlow flow)
{
  leat_monitored_note_where (&self->told.monitored, flight->index,
                             flow == LEAT_FLOW_DATA ? LEAT_AT_QUEUE : LEAT_AT_NOTHING);
}

/* Until the sources have given: what it needs of the session is that of who reads. */
LeatFlow
leat_session_read_run (LeatSession *self, LeatFlight *flight, gboolean wait, GCancellable *cancellable, GError **error)
{
  LeatRun *run = &flight->run;
  gboolean asks = leat_session_asks (self);
  LeatWatch watch;
  LeatFlow flow;

  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_SOURCE);
  run->begin_us = asks ? g_get_monotonic_time () : 0;
  if (G_UNLIKELY (self->told.tracing.trace != NULL))
    run->marks[LEAT_MARK_BEGUN] = leat_run_now_ns ();
  leat_session_begin_watch (self, &watch);
  flow = leat_session_fill_all (self, flight, wait, cancellable, error);
  leat_session_end_watch (self, &watch);
  leat_session_note_read_end (self, flight, flow);
  if (flow != LEAT_FLOW_DATA)
    return flow;
  run->read_us = run->streamed ? g_get_monotonic_time () : 0;
  if (G_UNLIKELY (self->told.tracing.trace != NULL))
    leat_run_mark_filled (run);
  return flow;
}

gboolean
leat_session_begin_read (LeatSession *self, LeatFlight *flight)
{
  if (G_UNLIKELY (self->told.tracing.trace != NULL))
    flight->run.marks[LEAT_MARK_BEGUN] = leat_run_now_ns ();
  if (!leat_session_begin_fill (self, flight))
    return FALSE;
  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_SOURCE);
  return TRUE;
}

/* A run's time of reading is how long it was waited for: others are begun meanwhile. */
LeatFlow
leat_session_complete_read (LeatSession *self, LeatFlight *flight, GError **error)
{
  LeatRun *run = &flight->run;
  LeatFlow flow;

  run->begin_us = g_get_monotonic_time ();
  leat_monitored_note_where (&self->told.monitored, flight->index, LEAT_AT_SOURCE);
  flow = leat_session_complete_fill (self, flight, error);
  leat_session_note_read_end (self, flight, flow);
  run->read_us = g_get_monotonic_time ();
  if (G_UNLIKELY (self->told.tracing.trace != NULL))
    leat_run_mark_filled (run);
  return flow;
}
