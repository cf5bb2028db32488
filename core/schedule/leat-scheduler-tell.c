/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Tells threads of their turns.  The lock is held only to decide.  Threads are told when it has been given back, since
 * to wake one takes longer than all that is done under the lock. */

#include "leat-scheduler-private.h"

void
leat_scheduler_note_told (LeatScheduler *self, LeatSubmission *submission)
{
  submission->next = NULL;
  *self->told_end = submission;
  self->told_end = &submission->next;
}

/* Whoever waits for it goes on; a task is told of by a thread that has time for that. */
static void
leat_submission_tell_one (LeatSubmission *self)
{
  if (self->task == NULL)
    leat_gate_open (&self->turn);
  else
    g_thread_pool_push (self->scheduler->workers, self, NULL);
}

/* Of threads whose runs begin, the first is told, and each tells the next: a run that has just ended, of whose results
 * somebody may have waited, is kept from going on by one of them only. */
static void
leat_submission_tell_all (LeatSubmission *first)
{
  LeatSubmission *begun = NULL, **end = &begun, *next;

  for (LeatSubmission *submission = first; submission != NULL; submission = next)
    {
      next = g_steal_pointer (&submission->next);
      if (submission->task == NULL && submission->state == LEAT_SUBMISSION_RUNNING)
        {
          *end = submission;
          end = &submission->next;
        }
      else
        leat_submission_tell_one (submission);
    }
  if (begun != NULL)
    leat_submission_tell_one (begun);
}

void
leat_scheduler_unlock (LeatScheduler *self)
{
  LeatSubmission *told = g_steal_pointer (&self->told);

  self->told_end = &self->told;
  g_mutex_unlock (&self->lock);
  leat_submission_tell_all (told);
}

void
leat_submission_await_turn (LeatSubmission *self)
{
  leat_gate_await (&self->turn);
  if (self->next != NULL)
    leat_submission_tell_one (self->next);
}
