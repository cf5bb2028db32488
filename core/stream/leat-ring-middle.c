/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The session's own thread on the ring: what it does next, and how a ring ends. */

#include "session/leat-kept-private.h"
#include "leat-ring-private.h"
#include "tell/leat-reports-private.h"
#include "leat-streaming-private.h"

#include "driver/leat-thread-private.h"
#include "session/leat-session-run-private.h"
#include "session/leat-session-setup-private.h"
#include "session/leat-session-told-private.h"

#include <errno.h>

#define LEAT_RING_PATIENCE_S 1

typedef enum
{
  LEAT_RING_LAUNCH,
  LEAT_RING_AWAIT,
  LEAT_RING_REPLAN,
  LEAT_RING_IDLE,
  LEAT_RING_OVER
} LeatRingStep;

/* Under the lock. */
static LeatRingStep
leat_ring_choose (LeatRing *self)
{
  gboolean under_way = self->computed < self->launched;
  gboolean may_launch = self->launched < self->filled && !self->stopping;

  if (self->write_error != NULL)
    return LEAT_RING_OVER;
  if (may_launch && under_way && leat_session_needs_quiet (self->session, leat_ring_get_flight (self, self->launched)))
    return LEAT_RING_AWAIT;
  if (may_launch)
    return LEAT_RING_LAUNCH;
  if (under_way)
    return LEAT_RING_AWAIT;
  if (self->stopping)
    return LEAT_RING_OVER;
  if (self->replan && self->drained == self->filled)
    return LEAT_RING_REPLAN;
  return self->read_over && self->drained == self->filled ? LEAT_RING_OVER : LEAT_RING_IDLE;
}

/* Under the lock: what the others have done. */
static gboolean
leat_ring_merge (LeatRing *self)
{
  LeatSessionStats *stats = &self->session->told.ledger.stats;
  gboolean any = self->given > 0;

  if (any && stats->runs == 0)
    stats->first_us = g_get_monotonic_time () - self->session->told.ledger.open_since_us;
  stats->runs += self->given;
  stats->bytes_out += self->taken;
  stats->sink_us += self->sink_us;
  stats->writer_busy_us += self->sink_us;
  stats->reader_idle_us += self->reader_idle_us;
  stats->writer_idle_us += self->writer_idle_us;
  self->given = self->taken = 0;
  self->sink_us = self->reader_idle_us = self->writer_idle_us = 0;
  return any;
}

void
leat_ring_fail (LeatRing *self, GError *error)
{
  leat_ring_lock (self);
  if (self->refused)
    {
      g_clear_error (&self->run_error);
      g_clear_pointer (&self->refusal, g_variant_unref);
    }
  self->refused = FALSE;
  if (self->run_error == NULL)
    self->run_error = error;
  else
    g_error_free (error);
  self->stopping = TRUE;
  leat_ring_tell_all (self);
  leat_ring_unlock (self);
}

/* A launch that fails is that run's failure: those before it may still be well. */
static void
leat_ring_launch (LeatRing *self)
{
  LeatFlight *flight = leat_ring_get_flight (self, self->launched);
  LeatSession *session = self->session;
  GError *error = NULL;

  if (!leat_session_start_run (session, flight, &error))
    {
      leat_ring_fail (self, error);
      return;
    }
  session->told.ledger.stats.reader_busy_us += flight->run.read_us - flight->run.begin_us;
  leat_ring_lock (self);
  self->launched++;
  leat_ring_tell_depths (self);
  session->told.ledger.stats.in_flight_most =
    MAX (session->told.ledger.stats.in_flight_most, self->launched - self->drained);
  leat_ring_unlock (self);
}

/* The first such error is what the call ends with. */
void
leat_ring_refuse (LeatRing *self, GError *error)
{
  if (self->refused)
    {
      leat_told_post_refusal (&self->session->told, error);
      g_error_free (error);
      return;
    }
  self->refusal = leat_told_steal_refusal (&self->session->told);
  leat_ring_lock (self);
  self->gives_up = self->refused = TRUE;
  self->run_error = error;
  pthread_cond_signal (&self->emptied);
  leat_ring_unlock (self);
}

static gboolean
leat_ring_await (LeatRing *self)
{
  LeatFlight *flight = leat_ring_get_flight (self, self->computed);
  GError *error = NULL;
  gboolean good = leat_session_await_run (self->session, flight, &error);

  if (!good && flight->run.refused)
    leat_ring_refuse (self, error);
  else if (!good)
    {
      leat_ring_fail (self, error);
      return FALSE;
    }
  leat_ring_lock (self);
  if (flight->run.short_of != NULL)
    {
      self->cut_short = self->stopping = TRUE;
      leat_ring_unlock (self);
      return FALSE;
    }
  self->computed++;
  leat_ring_tell_depths (self);
  pthread_cond_signal (&self->computed_more);
  leat_ring_unlock (self);
  return TRUE;
}

/* Nothing is under way. */
static gboolean
leat_ring_take_props (LeatRing *self)
{
  LeatSession *session = self->session;
  g_auto (LeatKept) kept = { 0 };
  GError *error = NULL;

  leat_kept_init (&kept, session, leat_ring_get_flight (self, self->filled), session->ends.n_filled);
  if (!leat_session_take_props (session, TRUE, &error) || !leat_session_grow_lanes (session, &error))
    {
      leat_ring_fail (self, error);
      return FALSE;
    }
  leat_ring_lock (self);
  self->n = session->lanes->len;
  leat_kept_put (&kept, session, leat_ring_get_flight (self, self->filled));
  session->told.ledger.stats.lanes = self->n;
  self->replan = FALSE;
  pthread_cond_signal (&self->emptied);
  leat_ring_unlock (self);
  return TRUE;
}

/* How long lanes were under way, and how long none was. */
static void
leat_ring_note_time (LeatRing *self, gboolean busy, gint64 *since)
{
  gint64 now = g_get_monotonic_time ();

  if (busy)
    self->session->told.ledger.stats.lanes_busy_us += now - *since;
  else
    self->session->told.ledger.stats.lanes_idle_us += now - *since;
  *since = now;
}

/* Under the lock.  It may be in a source that has no data, for ever. */
static void
leat_ring_wait_for_reader (LeatRing *self)
{
  if (self->patient_until.tv_sec == 0)
    {
      clock_gettime (CLOCK_MONOTONIC, &self->patient_until);
      self->patient_until.tv_sec += LEAT_RING_PATIENCE_S;
    }
  if (pthread_cond_timedwait (&self->changed, &self->lock, &self->patient_until) == ETIMEDOUT)
    self->stopping = self->cut_off = TRUE;
}

static LeatRingStep
leat_ring_next (LeatRing *self)
{
  LeatSession *session = self->session;
  LeatRingStep step;
  gboolean any;

  leat_ring_lock (self);
  any = leat_ring_merge (self);
  while ((step = leat_ring_choose (self)) == LEAT_RING_IDLE && !any)
    {
      if (self->refused && self->drained == self->filled)
        leat_ring_wait_for_reader (self);
      else
        leat_ring_wait (self, &self->changed);
      any = leat_ring_merge (self);
    }
  leat_ring_unlock (self);
  if (any)
    {
      leat_session_tell_stats (session);
      leat_session_post_progress (session);
    }
  return step;
}

static void
leat_ring_turn (LeatRing *self)
{
  gint64 since = g_get_monotonic_time ();
  gboolean good = TRUE;
  LeatRingStep step;

  while (good && (step = leat_ring_next (self)) != LEAT_RING_OVER)
    {
      leat_ring_note_time (self, self->computed < self->launched, &since);
      if (step == LEAT_RING_LAUNCH)
        leat_ring_launch (self);
      else if (step == LEAT_RING_AWAIT)
        good = leat_ring_await (self);
      else if (step == LEAT_RING_REPLAN)
        good = leat_ring_take_props (self);
      leat_ring_note_time (self, step == LEAT_RING_AWAIT || self->computed < self->launched, &since);
    }
}

/* The reader may be waiting in a source, for data that nobody wants any more. */
static void
leat_ring_stop_reader (LeatRing *self)
{
  leat_ring_lock (self);
  self->stopping = self->stopping || !self->read_over;
  self->run_over = TRUE;
  leat_ring_tell_all (self);
  while (!self->reader_gone)
    {
      leat_ring_unlock (self);
      leat_session_unblock (self->session, TRUE, FALSE);
      g_usleep (200);
      leat_ring_lock (self);
    }
  leat_ring_unlock (self);
}

/* Dropped runs that were launched may still be at work.  Their failure is not told, since something failed before them.
 * They do not count as computed: the writer would give them to sinks. */
static void
leat_ring_quiet (LeatRing *self)
{
  for (guint64 i = self->computed; i < self->launched; i++)
    {
      leat_lane_synchronize (leat_ring_get_flight (self, i)->lane, NULL);
      leat_told_forget_loops (&self->session->told, leat_ring_get_flight (self, i)->lane);
    }
}

/* The failure of the first run that failed; that of a thread lies before that of those before it in the ring. */
static LeatFlow
leat_ring_settle (LeatRing *self, GError **error)
{
  GError *first = self->write_error != NULL ? self->write_error
                  : self->run_error != NULL ? self->run_error
                                            : self->read_error;
  gboolean is_clean = first == self->read_error && self->is_clean;

  if (self->write_error != first)
    g_clear_error (&self->write_error);
  if (self->run_error != first)
    g_clear_error (&self->run_error);
  if (self->read_error != first)
    g_clear_error (&self->read_error);
  if (first != NULL)
    g_propagate_error (error, first);
  if (first != NULL && is_clean)
    {
      leat_session_tell_stats (self->session);
      return LEAT_FLOW_ERROR;
    }
  /* Nothing that was read is missing then. */
  leat_session_get_flight (self->session, 0)->run.refused =
    self->refused && (!self->cut_off || self->called_off) && first == self->run_error;
  if (self->refused)
    leat_told_take_refusal (&self->session->told, self->refusal);
  if (first == NULL && (self->gives_up || self->cut_short) && (self->read_flow != LEAT_FLOW_END || self->called_off))
    {
      self->session->told.ledger.stats.lanes = 1;
      leat_session_tell_stats (self->session);
      return LEAT_FLOW_DATA;
    }
  return leat_session_settle (self->session, first != NULL ? LEAT_FLOW_ERROR : LEAT_FLOW_END, error);
}

/* Inputs that the first lane had before are not there any more. */
static void
leat_ring_forget_inputs (LeatRing *self)
{
  for (guint i = 0; i < self->session->ends.inputs->len; i++)
    leat_session_get_input (self->session, i)->on_device = 0;
}

static LeatFlow
leat_ring_run (LeatRing *self, GError **error)
{
  GThread *reader, *writer;

  leat_ring_forget_inputs (self);
  writer = leat_thread_start ("leat-writer", leat_ring_write, self, error);
  reader = writer != NULL ? leat_thread_start ("leat-reader", leat_ring_read, self, error) : NULL;
  if (reader != NULL)
    leat_ring_turn (self);
  else
    self->reader_gone = TRUE;
  leat_ring_stop_reader (self);
  leat_ring_quiet (self);
  if (reader != NULL)
    g_thread_join (reader);
  if (writer != NULL)
    g_thread_join (writer);
  if (reader == NULL)
    return leat_session_settle (self->session, LEAT_FLOW_ERROR, error);
  leat_ring_merge (self);
  if (self->cut_short && self->write_error == NULL && (self->run_error == NULL || self->refused))
    leat_ring_do_rest (self);
  else
    leat_ring_keep_read (self);
  return leat_ring_settle (self, error);
}

LeatFlow
leat_session_stream (LeatSession *self, gint64 single_ns, GCancellable *cancellable, GError **error)
{
  LeatRing ring = {
    .session = self, .cancellable = cancellable, .before = self->told.ledger.stats.runs, .single_ns = single_ns
  };
  pthread_condattr_t attributes;
  LeatFlow flow;

  if (!leat_session_grow_lanes (self, error))
    return LEAT_FLOW_ERROR;
  ring.n = self->lanes->len;
  self->told.ledger.stats.lanes = ring.n;
  pthread_mutex_init (&ring.lock, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&ring.emptied, NULL);
  pthread_cond_init (&ring.changed, &attributes);
  pthread_condattr_destroy (&attributes);
  pthread_cond_init (&ring.computed_more, NULL);
  flow = leat_ring_run (&ring, error);
  ring.filled = ring.launched = ring.computed = ring.drained;
  leat_ring_tell_depths (&ring);
  leat_monitored_clear_where (&self->told.monitored);
  pthread_cond_destroy (&ring.computed_more);
  pthread_cond_destroy (&ring.changed);
  pthread_cond_destroy (&ring.emptied);
  pthread_mutex_destroy (&ring.lock);
  return flow;
}
