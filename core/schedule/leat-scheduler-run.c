/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A run that it is the turn of: begun, done and counted. */

#include "leat-scheduler-private.h"

#include "graph/leat-bus.h"
#include "graph/leat-pipeline.h"

/* While a run is under way that is likely to end so soon, none of a lower priority is begun: what it would take from
 * that one, the driver's locks and a place on the device, is much of such a run, and it waits for little. */
#define LEAT_SCHEDULER_BRIEF_US 250

void
leat_submission_give_up (LeatSubmission *self, GError *error)
{
  leat_member_dequeue (self->member, self);
  leat_scheduler_rank (self->scheduler, self->member);
  self->state = LEAT_SUBMISSION_DONE;
  self->flow = LEAT_FLOW_ERROR;
  self->error = error;
  leat_scheduler_note_told (self->scheduler, self);
}

static void
leat_member_give_up_waiting (LeatMember *self, const char *why)
{
  while (self->waiting.head != NULL)
    {
      self->stats.dropped++;
      leat_submission_give_up (self->waiting.head->data,
                               g_error_new (LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_CLOSED, "%s", why));
    }
}

void
leat_scheduler_give_up_waiting (LeatScheduler *self, LeatMember *member, const char *why)
{
  if (member != NULL)
    leat_member_give_up_waiting (member, why);
  for (guint i = 0; member == NULL && i < self->members->len; i++)
    leat_member_give_up_waiting (g_ptr_array_index (self->members, i), why);
}

static void
leat_scheduler_begin (LeatScheduler *self, LeatMember *member, LeatPriority level, gint64 now)
{
  LeatSubmission *submission = member->waiting.head->data;

  leat_member_dequeue (member, submission);
  member->brief = member->lasted_us > 0 && member->lasted_us <= LEAT_SCHEDULER_BRIEF_US;
  self->busy[level]++;
  self->brief[level] += member->brief;
  self->reached[level] = MAX (self->reached[level], member->served);
  submission->level = level;
  submission->state = LEAT_SUBMISSION_RUNNING;
  submission->begun_us = now;
  member->running = submission;
  leat_member_group_begin (self, member);
  leat_scheduler_rank (self, member);
  member->stats.last_turn = ++self->n_turns;
  member->used = ++self->clock;
  leat_scheduler_note_told (self, submission);
}

static gboolean
leat_scheduler_drop_late (LeatScheduler *self, LeatMember *member, gint64 now)
{
  LeatSubmission *submission = member->waiting.head->data;

  if (!self->drop_late || submission->deadline >= now)
    return FALSE;
  g_mutex_lock (&self->accounts);
  member->stats.missed++;
  g_mutex_unlock (&self->accounts);
  member->stats.dropped++;
  leat_submission_give_up (submission, g_error_new (LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_LATE,
                                                    "the run was not begun: its deadline passed %" G_GINT64_FORMAT
                                                    " us before its turn",
                                                    now - submission->deadline));
  return TRUE;
}

/* FALSE: those of lower priority have to wait, for another run to end that somebody of this one waits for as well, or
 * one that ends soon. */
static gboolean
leat_scheduler_dispatch_level (LeatScheduler *self, LeatPriority level, gint64 now)
{
  LeatMember *member;

  while ((member = leat_heap_peek (&self->ready[level])) != NULL)
    {
      if (leat_scheduler_drop_late (self, member, now))
        continue;
      if (self->busy[level] >= self->in_flight)
        return FALSE;
      leat_scheduler_begin (self, member, level, now);
    }
  return self->brief[level] == 0;
}

void
leat_scheduler_dispatch (LeatScheduler *self)
{
  gint64 now = g_get_monotonic_time ();

  for (gint level = LEAT_PRIORITY_HIGH; level >= LEAT_PRIORITY_LOW && !self->paused; level--)
    if (!leat_scheduler_dispatch_level (self, (LeatPriority) level, now))
      return;
}

/* Of a session that was taken out meanwhile, only the scheduler's are left. */
static LeatMemberStats *
leat_submission_get_stats (LeatSubmission *self)
{
  return self->member->removed ? &self->scheduler->former : &self->member->stats;
}

static void
leat_submission_count (LeatSubmission *self, gint64 now, gint64 device_us)
{
  LeatMemberStats *stats = leat_submission_get_stats (self);

  stats->done += self->flow != LEAT_FLOW_ERROR;
  if (self->flow == LEAT_FLOW_ERROR && g_error_matches (self->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    stats->cancelled++;
  else
    stats->failed += self->flow == LEAT_FLOW_ERROR;
  stats->missed += now > self->deadline;
  stats->device_us += device_us;
  leat_histogram_add (&stats->wait, self->begun_us - self->submitted_us);
  leat_histogram_add (&stats->run, now - self->begun_us);
}

/* Not more often than each second: whoever misses one misses many. */
static GError *
leat_submission_note_miss (LeatSubmission *self, gint64 now)
{
  if (now <= self->deadline || now - self->member->warned_us < G_USEC_PER_SEC)
    return NULL;
  self->member->warned_us = now;
  return g_error_new (LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_LATE,
                      "a run ended %" G_GINT64_FORMAT " us after its deadline; it had waited %" G_GINT64_FORMAT
                      " us for its turn",
                      now - self->deadline, self->begun_us - self->submitted_us);
}

static void
leat_submission_post_miss (LeatSubmission *self, GError *warning)
{
  g_autoptr (LeatPipeline) pipeline = NULL;

  g_object_get (self->session, "pipeline", &pipeline, NULL);
  leat_bus_post (leat_pipeline_get_bus (pipeline), leat_message_new (LEAT_MESSAGE_WARNING, NULL, warning, NULL));
  g_error_free (warning);
}

static void
leat_submission_note_end (LeatSubmission *self, gint64 device_us)
{
  gint64 now = g_get_monotonic_time ();
  GError *warning;

  self->member->lasted_us = MAX (now - self->begun_us, 1);
  g_mutex_lock (&self->scheduler->accounts);
  leat_submission_count (self, now, device_us);
  warning = leat_submission_note_miss (self, now);
  g_mutex_unlock (&self->scheduler->accounts);
  if (warning != NULL)
    leat_submission_post_miss (self, warning);
}

/* The next of its session, and of its priority, may begin. */
void
leat_scheduler_free_place (LeatScheduler *self, LeatMember *member, LeatPriority level, gint64 device_us)
{
  gboolean removed;

  leat_scheduler_lock (self);
  member->running = NULL;
  leat_member_charge (self, member, device_us);
  leat_member_group_end (self, member);
  leat_scheduler_rank (self, member);
  member->spared = FALSE;
  if (self->n_awaiting > 0)
    g_cond_broadcast (&self->ended);
  self->busy[level]--;
  self->brief[level] -= member->brief;
  removed = member->removed;
  leat_scheduler_dispatch (self);
  leat_scheduler_unlock (self);
  if (removed)
    leat_session_set_parting (member->session, FALSE);
}

gint64
leat_submission_run (LeatSubmission *self)
{
  gint64 device_us;

  if (self->inputs == NULL)
    self->flow = leat_session_replay (self->session, FALSE, self->cancellable, &self->error);
  else
    self->flow =
      leat_session_replay_given (self->session, self->inputs, &self->results, self->cancellable, &self->error)
        ? LEAT_FLOW_DATA
        : LEAT_FLOW_ERROR;
  device_us = self->flow == LEAT_FLOW_DATA ? leat_session_get_last_device_us (self->session) : 0;
  leat_submission_note_end (self, device_us);
  return device_us;
}

/* The task has it, and what is told. */
static void
leat_submission_tell (LeatSubmission *self)
{
  GTask *task = g_steal_pointer (&self->task);

  leat_submission_unwatch (self);
  if (self->error != NULL)
    g_task_return_error (task, g_steal_pointer (&self->error));
  else
    g_task_return_boolean (task, TRUE);
  g_object_unref (task);
}

void
leat_submission_work (gpointer data, gpointer unused)
{
  LeatSubmission *self = data;
  g_autoptr (LeatScheduler) scheduler = g_object_ref (self->scheduler);
  g_autoptr (LeatMember) member = leat_member_ref (self->member);
  LeatPriority level = self->level;
  gboolean runs = self->state == LEAT_SUBMISSION_RUNNING;
  gint64 device_us = runs ? leat_submission_run (self) : 0;

  leat_submission_tell (self);
  if (runs)
    leat_scheduler_free_place (scheduler, member, level, device_us);
}
