/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The reader, which asks the sources and fills lanes, and the writer, which gives results to the sinks. */

#include "leat-ring-private.h"

#include "graph/leat-pipeline-private.h"
#include "session/leat-session-run-private.h"

/* Runs by which it is seen whether several lanes are faster, and by how much they have to be. */
#define LEAT_RING_TRIAL 32
#define LEAT_RING_GAIN  20 /* a twentieth */

/* Waits for a lane that is free.  FALSE: nothing more is to be read. */
static gboolean
leat_ring_take_free (LeatRing *self)
{
  gboolean good;

  leat_ring_lock (self);
  while (!self->stopping && !self->gives_up && (self->replan || self->filled - self->drained == self->n))
    self->reader_idle_us += leat_ring_wait (self, &self->emptied);
  good = !self->stopping && !self->gives_up;
  leat_ring_unlock (self);
  return good;
}

/* Properties that were set wait until every run that was begun with the former ones is over. */
static gboolean
leat_ring_ask_for_props (LeatRing *self)
{
  if (!leat_changes_have_props (leat_pipeline_get_changes (self->session->pipeline)))
    return TRUE;
  leat_ring_lock (self);
  self->replan = TRUE;
  pthread_cond_signal (&self->changed);
  leat_ring_unlock (self);
  return leat_ring_take_free (self);
}

/* The next run's data, whenever they come. */
static LeatFlow
leat_ring_fill (LeatRing *self, GError **error)
{
  LeatSession *session = self->session;
  LeatFlight *flight = NULL;
  gboolean begun = FALSE;
  LeatFlow flow;

  do
    {
      if (!leat_ring_ask_for_props (self))
        return LEAT_FLOW_EMPTY;
      if (!leat_session_may_go_on (session, self->cancellable, error))
        {
          self->is_clean = TRUE;
          return LEAT_FLOW_ERROR;
        }
      flight = leat_ring_get_flight (self, self->filled);
      if (!begun || !flight->run.streamed)
        flight->run = (LeatRun){ .streamed = TRUE, .number = self->before + self->filled + 1 };
      begun = TRUE;
      flow = leat_session_read_run (session, flight, TRUE, self->cancellable, error);
      self->is_clean = flow == LEAT_FLOW_ERROR && flight->run.refused;
      leat_ring_lock (self);
      self->called_off = flow == LEAT_FLOW_EMPTY && self->stopping;
      flow = self->called_off ? LEAT_FLOW_END : flow;
      leat_ring_unlock (self);
    }
  while (flow == LEAT_FLOW_EMPTY);
  return flow;
}

/* Properties that were set wait for all runs that were read or begun, so none is begun meanwhile. */
static gboolean
leat_ring_may_begin (LeatRing *self)
{
  gboolean good;

  if (leat_changes_have_props (leat_pipeline_get_changes (self->session->pipeline))
      || !leat_session_may_go_on (self->session, self->cancellable, NULL))
    return FALSE;
  leat_ring_lock (self);
  good = !self->stopping && !self->gives_up && !self->replan && self->begun - self->drained < self->n
         && leat_session_has_room (self->session, self->begun - self->drained);
  leat_ring_unlock (self);
  return good;
}

/* In all lanes that are free: while the source waits for the first of them it is at work on the others. */
static void
leat_ring_begin_ahead (LeatRing *self)
{
  while (leat_ring_may_begin (self))
    {
      LeatFlight *flight = leat_ring_get_flight (self, self->begun);

      flight->run = (LeatRun){ .streamed = TRUE, .number = self->before + self->begun + 1 };
      if (!leat_session_begin_read (self->session, flight))
        return;
      self->begun++;
    }
}

/* A source without data yet is asked again, or the runs begun behind this one would be lost. */
static LeatFlow
leat_ring_complete (LeatRing *self, guint64 number, GError **error)
{
  LeatFlow flow;

  do
    flow = leat_session_complete_read (self->session, leat_ring_get_flight (self, number), error);
  while (flow == LEAT_FLOW_EMPTY);
  return flow;
}

static void
leat_ring_drop_begun (LeatRing *self)
{
  for (guint64 i = self->filled + 1; i < self->begun; i++)
    leat_ring_complete (self, i, NULL);
  self->begun = self->filled;
}

/* The end is for those who ask all sources to see. */
static LeatFlow
leat_ring_read_next (LeatRing *self, GError **error)
{
  LeatFlow flow = LEAT_FLOW_END;

  leat_ring_begin_ahead (self);
  if (self->begun > self->filled)
    {
      flow = leat_ring_complete (self, self->filled, error);
      if (flow != LEAT_FLOW_DATA)
        leat_ring_drop_begun (self);
    }
  return flow == LEAT_FLOW_END ? leat_ring_fill (self, error) : flow;
}

/* A sink that does not wait is full when there is no room for a run and for those before it that it has not been given;
 * these it may be rid of in time. */
static LeatFlow
leat_ring_await_room (LeatRing *self, GError **error)
{
  LeatSession *session = self->session;
  LeatFlow flow = LEAT_FLOW_DATA;
  gboolean room;

  leat_ring_lock (self);
  while (!(room = leat_session_has_room (session, self->filled - self->drained)) && !self->stopping
         && self->drained < self->filled)
    self->reader_idle_us += leat_ring_wait (self, &self->emptied);
  if (!room && (self->stopping || !leat_session_check_sinks (session, error)))
    {
      leat_session_keep_read (session, leat_ring_get_flight (self, self->filled));
      self->is_clean = !self->stopping;
      flow = self->stopping ? LEAT_FLOW_END : LEAT_FLOW_ERROR;
    }
  leat_ring_unlock (self);
  return flow;
}

/* Runs that were begun are completed whatever happens.  The ring has them then, like all runs that were read. */
gpointer
leat_ring_read (gpointer data)
{
  LeatRing *self = data;
  LeatFlow flow = LEAT_FLOW_DATA;

  while (flow == LEAT_FLOW_DATA && (self->begun > self->filled || leat_ring_take_free (self)))
    {
      GError *error = NULL;

      flow = leat_ring_read_next (self, &error);
      if (flow == LEAT_FLOW_DATA)
        flow = leat_ring_await_room (self, &error);
      leat_ring_lock (self);
      self->filled += flow == LEAT_FLOW_DATA;
      self->begun = MAX (self->begun, self->filled);
      leat_ring_tell_depths (self);
      self->read_flow = flow;
      self->read_error = error;
      pthread_cond_signal (&self->changed);
      leat_ring_unlock (self);
    }
  leat_ring_lock (self);
  self->read_over = self->reader_gone = TRUE;
  pthread_cond_signal (&self->changed);
  leat_ring_unlock (self);
  return NULL;
}

/* Under the lock, by the writer.  The gain of more lanes is predicted from where time goes with one.  Threads that hand
 * runs to each other may get less of the processors than one thread did: that shows only when they run. */
static void
leat_ring_look_at_gain (LeatRing *self)
{
  gint64 now = g_get_monotonic_time ();

  if (self->drained == self->n)
    self->trial_us = now;
  if (self->drained != self->n + LEAT_RING_TRIAL)
    return;
  self->gives_up = (now - self->trial_us) * 1000 / LEAT_RING_TRIAL > self->single_ns - self->single_ns / LEAT_RING_GAIN;
}

/* FALSE: all that was computed has been given. */
static gboolean
leat_ring_take_computed (LeatRing *self)
{
  gboolean good;

  leat_ring_lock (self);
  while (self->drained == self->computed && !self->run_over)
    self->writer_idle_us += leat_ring_wait (self, &self->computed_more);
  good = self->drained < self->computed;
  leat_ring_unlock (self);
  return good;
}

gpointer
leat_ring_write (gpointer data)
{
  LeatRing *self = data;
  gboolean good = TRUE;

  while (good && leat_ring_take_computed (self))
    {
      LeatFlight *flight = leat_ring_get_flight (self, self->drained);
      GError *error = NULL;

      good = flight->run.refused || leat_session_give_run (self->session, flight, self->cancellable, &error);
      leat_ring_lock (self);
      self->write_error = error;
      self->stopping = self->stopping || !good;
      self->taken += flight->run.taken;
      self->sink_us += flight->run.sink_us;
      self->given += good;
      self->drained += good;
      leat_ring_tell_depths (self);
      if (self->single_ns > 0 && good)
        leat_ring_look_at_gain (self);
      pthread_cond_signal (&self->emptied);
      pthread_cond_signal (&self->changed);
      leat_ring_unlock (self);
    }
  return NULL;
}
