/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds room for a session on the device: evicts sessions that were not used for longest, or waits until one may leave.
 * Touches the scheduler's members, under its lock, and evicts without it. */

#include "leat-scheduler-private.h"

#include "device/leat-device-private.h"

/* A thread that waits for room may be one that a run under way waits for. */
#define LEAT_SCHEDULER_ROOM_US (2 * G_USEC_PER_SEC)

/* Room on the device: a session that is to be opened, or brought back, makes those leave it that were not used for
 * longest.  All device memory that the application has counts as used: memory that sessions share counts once, and
 * memory beside their plans counts too. */

guint64
leat_scheduler_get_allowed (LeatScheduler *self)
{
  return self->budget != 0 ? self->budget : leat_device_get_budget (self->device);
}

static guint64
leat_scheduler_get_used (LeatScheduler *self)
{
  LeatMemoryCounts counts;

  leat_device_get_memory_counts (self->device, LEAT_MEMORY_DEVICE, &counts);
  return counts.live_bytes;
}

/* By others than @session; with the lock held. */
static guint64
leat_scheduler_sum_admitted (LeatScheduler *self, LeatSession *session)
{
  guint64 bytes = 0;

  for (guint i = 0; i < self->members->len; i++)
    {
      const LeatMember *member = g_ptr_array_index (self->members, i);

      bytes += member->session != session ? member->admitted : 0;
    }
  return bytes;
}

static gboolean
leat_member_may_leave (const LeatMember *self, LeatSession *session)
{
  return self->session != session && self->running == NULL && !self->closing && !self->spared
         && leat_session_is_open (self->session) && !leat_session_is_evicted (self->session);
}

/* Rather one that nothing waits in, and then the one that was not used for longest; with the lock held. */
static LeatMember *
leat_scheduler_find_idle (LeatScheduler *self, LeatSession *session)
{
  LeatMember *best = NULL;

  for (guint i = 0; i < self->members->len; i++)
    {
      LeatMember *member = g_ptr_array_index (self->members, i);
      gboolean waits = member->waiting.length > 0, best_waits = best != NULL && best->waiting.length > 0;

      if (leat_member_may_leave (member, session)
          && (best == NULL || (waits == best_waits ? member->used < best->used : best_waits)))
        best = member;
    }
  return best;
}

static void
leat_scheduler_set_leaving (LeatScheduler *self, LeatMember *member, gboolean leaving)
{
  member->leaving = leaving;
  leat_scheduler_rank (self, member);
}

/* FALSE: nobody is left who could leave. */
static gboolean
leat_scheduler_evict_one (LeatScheduler *self, LeatSession *session)
{
  g_autoptr (LeatMember) member = NULL;
  gboolean left;

  g_mutex_lock (&self->lock);
  member = self->evict_idle ? leat_scheduler_find_idle (self, session) : NULL;
  if (member != NULL)
    leat_scheduler_set_leaving (self, leat_member_ref (member), TRUE);
  leat_scheduler_unlock (self);
  if (member == NULL)
    return FALSE;
  left = leat_session_evict (member->session, NULL, NULL);
  g_mutex_lock (&self->lock);
  leat_scheduler_set_leaving (self, member, FALSE);
  member->spared = !left;
  self->n_evicted += left;
  leat_scheduler_dispatch (self);
  leat_scheduler_unlock (self);
  return TRUE;
}

static gboolean
leat_scheduler_refuse (LeatScheduler *self, guint64 required, guint64 used, guint64 allowed, GError **error)
{
  g_autofree char *required_text = leat_device_format_bytes (required);
  g_autofree char *used_text = leat_device_format_bytes (used);
  g_autofree char *allowed_text = leat_device_format_bytes (allowed);

  g_set_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_BUDGET,
               "no room on %s for the session: %s (%" G_GUINT64_FORMAT " bytes) are required, %s (%" G_GUINT64_FORMAT
               ") are in use, and %s (%" G_GUINT64_FORMAT ") are allowed",
               leat_device_get_id (self->device), required_text, required, used_text, used, allowed_text, allowed);
  return FALSE;
}

/* TRUE: it is certain that it fits, or that it does not, which @error says. */
static gboolean
leat_scheduler_decide (LeatScheduler *self, LeatSession *session, guint64 bytes, gboolean present, gboolean last,
                       gboolean *fits, GError **error)
{
  guint64 used = leat_scheduler_get_used (self), allowed;
  LeatMember *member;

  g_mutex_lock (&self->lock);
  self->is_other = FALSE;
  used = used - (present ? MIN (bytes, used) : 0) + leat_scheduler_sum_admitted (self, session);
  allowed = leat_scheduler_get_allowed (self);
  *fits = used <= allowed && bytes <= allowed - used;
  member = leat_scheduler_find (self, session, NULL);
  if (*fits && !present && member != NULL)
    member->admitted = bytes;
  g_mutex_unlock (&self->lock);
  if (!*fits && last)
    leat_scheduler_refuse (self, bytes, used, allowed, error);
  return *fits || last;
}

static void
leat_scheduler_begin_search (LeatScheduler *self)
{
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->members->len; i++)
    ((LeatMember *) g_ptr_array_index (self->members, i))->spared = FALSE;
  g_mutex_unlock (&self->lock);
}

/* Of another one, that is on the device or comes there now; with the lock held. */
static gboolean
leat_scheduler_has_run (LeatScheduler *self, LeatSession *session)
{
  for (guint i = 0; i < self->members->len; i++)
    {
      const LeatMember *member = g_ptr_array_index (self->members, i);

      if (member->session != session
          && (member->admitted > 0 || (member->running != NULL && !leat_session_is_evicted (member->session))))
        return TRUE;
    }
  return FALSE;
}

/* Whose run ends may leave the device then, and more may be allowed than was.  FALSE: it is no use to wait. */
static gboolean
leat_scheduler_await_idle (LeatScheduler *self, LeatSession *session, gint64 until_us)
{
  gboolean goes_on = TRUE;

  g_mutex_lock (&self->lock);
  self->n_awaiting++;
  while (goes_on && !self->is_other && self->evict_idle && leat_scheduler_find_idle (self, session) == NULL
         && leat_scheduler_has_run (self, session))
    goes_on = g_cond_wait_until (&self->ended, &self->lock, until_us);
  self->n_awaiting--;
  goes_on = goes_on && (self->is_other || (self->evict_idle && leat_scheduler_find_idle (self, session) != NULL));
  g_mutex_unlock (&self->lock);
  return goes_on;
}

gboolean
leat_scheduler_make_room (LeatScheduler *self, LeatSession *session, guint64 bytes, gboolean present, GError **error)
{
  gint64 until_us = g_get_monotonic_time () + LEAT_SCHEDULER_ROOM_US;
  gboolean fits = FALSE, last = FALSE;

  g_mutex_lock (&self->admission);
  leat_scheduler_begin_search (self);
  while (!leat_scheduler_decide (self, session, bytes, present, last, &fits, error))
    last = !leat_scheduler_evict_one (self, session) && !leat_scheduler_await_idle (self, session, until_us);
  g_mutex_unlock (&self->admission);
  return fits;
}

void
leat_scheduler_end_admission (LeatScheduler *self, LeatSession *session)
{
  LeatMember *member;

  g_mutex_lock (&self->lock);
  member = leat_scheduler_find (self, session, NULL);
  if (member != NULL)
    {
      member->admitted = 0;
      member->used = ++self->clock;
      g_cond_broadcast (&self->ended);
    }
  g_mutex_unlock (&self->lock);
}
