/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Keeps the order of members and submissions, so that the next one to run stands first.  Touches the scheduler's heaps
 * and the ranks of members, under its lock. */

#include "leat-scheduler-private.h"

/* The order of sessions: within a priority the earliest deadline goes first, then the session that has had least.  Runs
 * of one session are done as they were submitted, as it may keep data from run to run; so a session goes by the
 * earliest deadline of all that waits in it.
 *
 * There is no search.  At any change a session goes to its new place among the others at once, so the next one stands
 * first in its line when a place is free.  Of a group, only the first stands there with the others. */

static gboolean
leat_member_is_active (const LeatMember *self)
{
  return !self->removed && (self->running != NULL || self->waiting.length > 0);
}

/* But for others of its group. */
static gboolean
leat_member_is_ready (const LeatMember *self)
{
  return self->running == NULL && self->waiting.length > 0 && !self->paused && !self->closing && !self->leaving
         && !self->removed && !leat_session_is_parting (self->session);
}

static gboolean
leat_member_goes_before (gconstpointer item, gconstpointer other_item)
{
  const LeatMember *self = item, *other = other_item;

  if (self->earliest != other->earliest)
    return self->earliest < other->earliest;
  if (self->served < other->served || self->served > other->served)
    return self->served < other->served;
  return self->head_number < other->head_number;
}

static gboolean
leat_member_has_had_less (gconstpointer item, gconstpointer other)
{
  return ((const LeatMember *) item)->served < ((const LeatMember *) other)->served;
}

static gboolean
leat_submission_is_due_before (gconstpointer item, gconstpointer other)
{
  return ((const LeatSubmission *) item)->deadline < ((const LeatSubmission *) other)->deadline;
}

void
leat_member_init_order (LeatMember *self)
{
  leat_heap_init (&self->due, leat_submission_is_due_before, G_STRUCT_OFFSET (LeatSubmission, place));
  self->earliest = G_MAXINT64;
  self->level = leat_session_get_priority (self->session);
}

void
leat_member_group_init_order (LeatMemberGroup *self)
{
  for (guint level = 0; level < LEAT_N_PRIORITIES; level++)
    leat_heap_init (&self->ready[level], leat_member_goes_before, G_STRUCT_OFFSET (LeatMember, place_in_group));
}

void
leat_member_group_clear_order (LeatMemberGroup *self)
{
  for (guint level = 0; level < LEAT_N_PRIORITIES; level++)
    leat_heap_clear (&self->ready[level]);
}

void
leat_scheduler_init_order (LeatScheduler *self)
{
  for (guint level = 0; level < LEAT_N_PRIORITIES; level++)
    {
      leat_heap_init (&self->ready[level], leat_member_goes_before, G_STRUCT_OFFSET (LeatMember, place_in_line));
      leat_heap_init (&self->active[level], leat_member_has_had_less, G_STRUCT_OFFSET (LeatMember, place_by_share));
    }
}

void
leat_scheduler_clear_order (LeatScheduler *self)
{
  for (guint level = 0; level < LEAT_N_PRIORITIES; level++)
    {
      leat_heap_clear (&self->ready[level]);
      leat_heap_clear (&self->active[level]);
    }
}

static void
leat_heap_put_if (LeatHeap *self, LeatMember *member, gboolean belongs)
{
  if (belongs)
    leat_heap_put (self, member);
  else
    leat_heap_take (self, member);
}

/* The first of the group that is ready stands for it, unless one of them runs. */
static void
leat_scheduler_rank_front (LeatScheduler *self, LeatMemberGroup *group, LeatPriority level)
{
  LeatMember *former = group->front[level], *front = group->running ? NULL : leat_heap_peek (&group->ready[level]);

  if (former != NULL && former != front)
    leat_heap_take (&self->ready[level], former);
  if (front != NULL)
    leat_heap_put (&self->ready[level], front);
  group->front[level] = front;
}

void
leat_scheduler_rank_group (LeatScheduler *self, LeatMemberGroup *group)
{
  for (guint level = 0; level < LEAT_N_PRIORITIES; level++)
    leat_scheduler_rank_front (self, group, (LeatPriority) level);
}

static void
leat_scheduler_rank_as (LeatScheduler *self, LeatMember *member, gboolean active, gboolean ready)
{
  leat_heap_put_if (&self->active[member->level], member, active);
  if (member->group == NULL)
    {
      leat_heap_put_if (&self->ready[member->level], member, ready);
      return;
    }
  leat_heap_put_if (&member->group->ready[member->level], member, ready);
  leat_scheduler_rank_front (self, member->group, member->level);
}

void
leat_scheduler_rank (LeatScheduler *self, LeatMember *member)
{
  leat_scheduler_rank_as (self, member, leat_member_is_active (member), leat_member_is_ready (member));
}

void
leat_scheduler_unrank (LeatScheduler *self, LeatMember *member)
{
  leat_scheduler_rank_as (self, member, FALSE, FALSE);
}

/* A session gains nothing by having had no work: it begins level with the one that has had least of those with work, or
 * had last.
 */
static void
leat_member_catch_up (LeatScheduler *self, LeatMember *member)
{
  const LeatMember *least = leat_heap_peek (&self->active[member->level]);

  member->served = MAX (member->served, least != NULL ? least->served : self->reached[member->level]);
}

/* To another priority it comes level with who has had least there: what it has had elsewhere says nothing of that. */
void
leat_member_change_level (LeatScheduler *self, LeatMember *member, LeatPriority level)
{
  const LeatMember *least;

  if (level == member->level)
    return;
  leat_scheduler_unrank (self, member);
  member->level = level;
  least = leat_heap_peek (&self->active[level]);
  member->served = least != NULL ? least->served : self->reached[level];
  leat_scheduler_rank (self, member);
}

static void
leat_member_note_queue (LeatMember *self)
{
  const LeatSubmission *due = leat_heap_peek (&self->due), *head = g_queue_peek_head (&self->waiting);

  self->earliest = due != NULL ? due->deadline : G_MAXINT64;
  self->head_number = head != NULL ? head->number : 0;
}

void
leat_member_enqueue (LeatScheduler *self, LeatMember *member, LeatSubmission *submission)
{
  if (!leat_member_is_active (member))
    leat_member_catch_up (self, member);
  submission->link.data = submission;
  g_queue_push_tail_link (&member->waiting, &submission->link);
  if (submission->deadline < G_MAXINT64)
    leat_heap_put (&member->due, submission);
  submission->state = LEAT_SUBMISSION_WAITING;
  leat_member_note_queue (member);
  leat_scheduler_rank (self, member);
}

void
leat_member_dequeue (LeatMember *self, LeatSubmission *submission)
{
  g_queue_unlink (&self->waiting, &submission->link);
  leat_heap_take (&self->due, submission);
  leat_member_note_queue (self);
}

void
leat_member_charge (LeatScheduler *self, LeatMember *member, gint64 device_us)
{
  /* A run that took no time has had something all the same. */
  double cost = self->share == LEAT_SHARE_TIME ? (double) MAX (device_us, 1) : 1;

  member->served += cost / leat_session_get_weight (member->session);
}

guint64
leat_scheduler_count_looks (LeatScheduler *self)
{
  guint64 looks = 0;

  for (guint level = 0; level < LEAT_N_PRIORITIES; level++)
    looks += self->ready[level].looks + self->active[level].looks;
  for (guint i = 0; i < self->groups->len; i++)
    for (guint level = 0; level < LEAT_N_PRIORITIES; level++)
      looks += ((const LeatMemberGroup *) g_ptr_array_index (self->groups, i))->ready[level].looks;
  return looks;
}
