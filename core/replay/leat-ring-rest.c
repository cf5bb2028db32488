/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-ring-private.h"

#include <string.h>

/* A run had too little room, and with the room that it is given everything becomes another plan, memory of lanes too.
 * So the ring ends: what its lanes were filled with is kept aside, and done again by the first lane, in order.  After
 * that a new ring may begin. */

typedef struct
{
  LeatRun run;
  GBytes **inputs; /* of sources that gave something */
  guint64 *counts;
  guint n_inputs;
} LeatRest;

static void
leat_rest_clear (gpointer data)
{
  LeatRest *self = data;

  for (guint i = 0; i < self->n_inputs; i++)
    g_bytes_unref (self->inputs[i]);
  g_free (self->inputs);
  g_free (self->counts);
}

static void
leat_rest_init (LeatRest *self, const LeatSessionFlight *flight, guint n_inputs)
{
  self->run = flight->run;
  self->inputs = g_new0 (GBytes *, n_inputs + 1);
  self->counts = g_new0 (guint64, n_inputs + 1);
  self->n_inputs = n_inputs;
  for (guint i = 0; i < n_inputs; i++)
    {
      LeatView view;

      leat_session_view (&flight->inputs[i], &view);
      self->counts[i] = view.count;
      self->inputs[i] = g_bytes_new (view.data, leat_session_get_live_bytes (&flight->inputs[i], &view));
    }
}

static void
leat_rest_put (const LeatRest *self, LeatSession *session)
{
  for (guint i = 0; i < self->n_inputs; i++)
    {
      gsize size;
      gconstpointer data = g_bytes_get_data (self->inputs[i], &size);

      leat_session_put_given (session, i, data, size, self->counts[i]);
    }
}

/* What was launched was counted as read then.  FALSE: nothing can be done after it. */
static gboolean
leat_ring_do_again (LeatRing *self, const LeatRest *rest, gboolean launched)
{
  LeatSession *session = self->session;
  LeatSessionFlight *flight = leat_session_get_flight (session, 0);
  GError *error = NULL;

  leat_rest_put (rest, session);
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

/* What lanes that were launched and dropped would tell of is told by the run that is done again. */
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
leat_ring_do_rest (LeatRing *self)
{
  LeatSession *session = self->session;
  g_autoptr (GArray) rest = g_array_new (FALSE, TRUE, sizeof (LeatRest));
  guint64 first = self->drained, n_launched = self->launched - first;
  LeatRest *partial;
  guint n;

  if (!leat_ring_forget_dropped (self))
    return;
  g_array_set_clear_func (rest, leat_rest_clear);
  n = (guint) (self->filled - first);
  g_array_set_size (rest, n + 1);
  for (guint i = 0; i < n; i++)
    leat_rest_init (&g_array_index (rest, LeatRest, i), leat_ring_get_flight (self, first + i), session->inputs->len);
  /* And what some sources gave already for a run that others have nothing for yet. */
  partial = &g_array_index (rest, LeatRest, n);
  leat_rest_init (partial, leat_ring_get_flight (self, self->filled), session->n_filled);
  for (guint i = 0; i < n; i++)
    if (!leat_ring_do_again (self, &g_array_index (rest, LeatRest, i), i < n_launched))
      return;
  leat_rest_put (partial, session);
  leat_session_get_flight (session, 0)->run = partial->run;
  self->drained = self->computed = self->launched = self->filled;
}
