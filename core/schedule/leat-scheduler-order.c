/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-scheduler-private.h"

/* Who goes next: within a priority the earliest deadline, then who has had least.  What is submitted to one session is
 * run in that order, as it may keep something from run to run; so a session goes by the earliest deadline of all that
 * waits in it. */

static gboolean
leat_member_is_active (const LeatMember *self)
{
  return self->running != NULL || self->waiting.length > 0;
}

/* Who had nothing to do gains nothing by that: it begins level with who has had least of those that have, or had last.
 */
static void
leat_member_catch_up (LeatScheduler *self, LeatMember *member)
{
  LeatPriority level = leat_session_get_priority (member->session);
  double least = G_MAXDOUBLE;

  for (guint i = 0; i < self->members->len; i++)
    {
      const LeatMember *other = g_ptr_array_index (self->members, i);

      if (leat_member_is_active (other) && leat_session_get_priority (other->session) == level)
        least = MIN (least, other->served);
    }
  member->served = MAX (member->served, least < G_MAXDOUBLE ? least : self->reached[level]);
}

void
leat_member_enqueue (LeatScheduler *self, LeatMember *member, LeatSubmission *submission)
{
  if (!leat_member_is_active (member))
    leat_member_catch_up (self, member);
  member->earliest = member->waiting.length == 0 ? submission->deadline : MIN (member->earliest, submission->deadline);
  g_queue_push_tail (&member->waiting, submission);
  submission->state = LEAT_SUBMISSION_WAITING;
}

void
leat_member_dequeue (LeatMember *self, LeatSubmission *submission)
{
  g_queue_remove (&self->waiting, submission);
  if (submission->deadline > self->earliest)
    return;
  self->earliest = G_MAXINT64;
  for (const GList *l = self->waiting.head; l != NULL; l = l->next)
    self->earliest = MIN (self->earliest, ((const LeatSubmission *) l->data)->deadline);
}

static gboolean
leat_member_is_ready (const LeatMember *self)
{
  return self->running == NULL && self->waiting.length > 0 && !self->paused && !self->closing && !self->leaving
         && (self->group == NULL || !self->group->running) && !leat_session_is_parting (self->session);
}

static gboolean
leat_member_goes_before (const LeatMember *self, const LeatMember *other)
{
  const LeatSubmission *mine = self->waiting.head->data, *theirs = other->waiting.head->data;

  if (self->earliest != other->earliest)
    return self->earliest < other->earliest;
  if (self->served < other->served || self->served > other->served)
    return self->served < other->served;
  return mine->number < theirs->number;
}

LeatMember *
leat_scheduler_choose (LeatScheduler *self, LeatPriority level)
{
  LeatMember *best = NULL;

  for (guint i = 0; i < self->members->len; i++)
    {
      LeatMember *member = g_ptr_array_index (self->members, i);

      if (leat_member_is_ready (member) && leat_session_get_priority (member->session) == level
          && (best == NULL || leat_member_goes_before (member, best)))
        best = member;
    }
  return best;
}

void
leat_member_charge (LeatScheduler *self, LeatMember *member, gint64 device_us)
{
  /* A run that took no time has had something all the same. */
  double cost = self->share == LEAT_SHARE_TIME ? (double) MAX (device_us, 1) : 1;

  member->served += cost / leat_session_get_weight (member->session);
}
