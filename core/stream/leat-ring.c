/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The lock and the signals by which the threads of a ring of lanes meet.  Touches the ring, and the depths that the
 * monitor shows. */

#include "leat-ring-private.h"

void
leat_ring_lock (LeatRing *self)
{
  pthread_mutex_lock (&self->lock);
}

void
leat_ring_unlock (LeatRing *self)
{
  pthread_mutex_unlock (&self->lock);
}

void
leat_ring_tell_all (LeatRing *self)
{
  pthread_cond_signal (&self->emptied);
  pthread_cond_signal (&self->changed);
  pthread_cond_signal (&self->computed_more);
}

void
leat_ring_tell_depths (LeatRing *self)
{
  LeatMonitored *monitored = &self->session->told.monitored;

  __atomic_store_n (&monitored->filled, (guint) (self->filled - self->launched), __ATOMIC_RELAXED);
  __atomic_store_n (&monitored->launched, (guint) (self->launched - self->computed), __ATOMIC_RELAXED);
  __atomic_store_n (&monitored->computed, (guint) (self->computed - self->drained), __ATOMIC_RELAXED);
}

gint64
leat_ring_wait (LeatRing *self, pthread_cond_t *condition)
{
  gint64 begin = g_get_monotonic_time ();

  pthread_cond_wait (condition, &self->lock);
  return g_get_monotonic_time () - begin;
}

LeatFlight *
leat_ring_get_flight (LeatRing *self, guint64 number)
{
  return leat_session_get_flight (self->session, number % self->n);
}
