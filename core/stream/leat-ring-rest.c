/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A run had too little room, and with the room that it is given everything becomes another plan, memory of lanes too.
 * So the ring ends: what its lanes were filled with is kept aside, and done again by the first lane, in order.  After
 * that a new ring may begin. */

#include "leat-ring-private.h"
#include "session/leat-kept-private.h"
#include "session/leat-session-run-private.h"
#include "session/leat-session-setup-private.h"

/* A run that was launched has been counted as read.  FALSE: nothing can be done after it. */
static gboolean
leat_ring_do_again (LeatRing *self, const LeatKept *rest, gboolean launched)
{
  LeatSession *session = self->session;
  LeatFlight *flight = leat_session_get_flight (session, 0);
  GError *error = NULL;

  leat_kept_put (rest, session, flight);
  flight->run = (LeatRun){ .items = launched ? 0 : rest->run.items,
                           .bytes = launched ? 0 : rest->run.bytes,
                           .begin_us = g_get_monotonic_time (),
                           .flushes = rest->run.flushes,
                           .ends = rest->run.ends };
  if (leat_session_start_run (session, flight, &error)
      && leat_session_end_run (session, flight, self->cancellable, &error) == LEAT_FLOW_DATA)
    return TRUE;
  if (flight->run.refused)
    leat_ring_refuse (self, error);
  else
    leat_ring_fail (self, error);
  return self->refused;
}

/* Drops the reports of lanes that were launched and dropped: the run that is done again tells them. */
static gboolean
leat_ring_forget_dropped (LeatRing *self)
{
  GError *error = NULL;

  for (guint64 i = self->computed; i < self->launched; i++)
    if (!leat_session_forget_run (self->session, leat_ring_get_flight (self, i)->lane, &error))
      {
        leat_ring_fail (self, error);
        return FALSE;
      }
  return TRUE;
}

void
leat_ring_keep_read (LeatRing *self)
{
  LeatSession *session = self->session;
  g_auto (LeatKept) kept = { 0 };

  if (session->ends.n_filled == 0 || self->filled % self->n == 0)
    return;
  leat_kept_init (&kept, session, leat_ring_get_flight (self, self->filled), session->ends.n_filled);
  leat_kept_put (&kept, session, leat_session_get_flight (session, 0));
}

void
leat_ring_do_rest (LeatRing *self)
{
  LeatSession *session = self->session;
  g_autoptr (GArray) rest = g_array_new (FALSE, TRUE, sizeof (LeatKept));
  guint64 first = self->drained, n_launched = self->launched - first;
  LeatKept *partial;
  guint n;

  if (!leat_ring_forget_dropped (self))
    return;
  g_array_set_clear_func (rest, (GDestroyNotify) leat_kept_clear);
  n = (guint) (self->filled - first);
  g_array_set_size (rest, n + 1);
  for (guint i = 0; i < n; i++)
    leat_kept_init (&g_array_index (rest, LeatKept, i), session, leat_ring_get_flight (self, first + i),
                    session->ends.inputs->len);
  /* And what some sources gave already for a run that others have nothing for yet. */
  partial = &g_array_index (rest, LeatKept, n);
  leat_kept_init (partial, session, leat_ring_get_flight (self, self->filled), session->ends.n_filled);
  for (guint i = 0; i < n; i++)
    if (!leat_ring_do_again (self, &g_array_index (rest, LeatKept, i), i < n_launched))
      return;
  leat_kept_put (partial, session, leat_session_get_flight (session, 0));
  self->drained = self->computed = self->launched = self->filled;
}
