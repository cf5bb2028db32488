/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench.h"

#include "leat.h"
#include "schedule/leat-scheduler-private.h"

/* What a scheduler does for one run, by how many sessions there are: a run of each waits, and those that are begun end
 * at once, without anything being done.  `valgrind --tool=callgrind --toggle-collect=bench_turn` counts instructions
 * (with a number of sessions as its argument). */

#define TURNS 20000

typedef struct
{
  LeatScheduler *scheduler;
  GPtrArray *members;          /* LeatMember, not owned */
  LeatSubmission *submissions; /* one of each */
  double end[TURNS], submit[TURNS];
} Bench;

static void
bench_add (Bench *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline =
    leat_parse_text ("leat 1\napp name=source spec=f32[16] -> upload -> discard", LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatSession) session = NULL;

  bench_must_not (error);
  session = leat_session_new (pipeline, NULL);
  leat_scheduler_add (self->scheduler, session, &error);
  bench_must_not (error);
  g_ptr_array_add (self->members, leat_scheduler_find (self->scheduler, session, NULL));
}

static void
bench_submit (Bench *self, guint index)
{
  LeatSubmission *submission = &self->submissions[index];

  *submission = (LeatSubmission){ .scheduler = self->scheduler,
                                  .member = g_ptr_array_index (self->members, index),
                                  .deadline = G_MAXINT64 };
  g_mutex_lock (&self->scheduler->lock);
  leat_member_enqueue (self->scheduler, submission->member, submission);
  leat_scheduler_dispatch (self->scheduler);
  leat_scheduler_unlock (self->scheduler);
}

static guint
bench_find_running (Bench *self, guint from)
{
  while (self->submissions[from].state != LEAT_SUBMISSION_RUNNING)
    from = (from + 1) % self->members->len;
  return from;
}

/* Nearly all of both is done with the lock held. */
G_NO_INLINE static void
bench_turn (Bench *self, guint index, guint turn)
{
  LeatSubmission *submission = &self->submissions[index];
  double begin = bench_now_ns (), middle;

  leat_scheduler_free_place (self->scheduler, submission->member, submission->level, 20);
  middle = bench_now_ns ();
  bench_submit (self, index);
  self->end[turn] = middle - begin;
  self->submit[turn] = bench_now_ns () - middle;
}

static void
bench_measure (Bench *self, LeatDevice *device, guint n)
{
  self->scheduler = leat_scheduler_new (device);
  self->members = g_ptr_array_new ();
  self->submissions = g_new0 (LeatSubmission, n);
  for (guint i = 0; i < n; i++)
    bench_add (self);
  for (guint i = 0; i < n; i++)
    bench_submit (self, i);
  for (guint turn = 0, at = 0; turn < TURNS; turn++)
    bench_turn (self, at = bench_find_running (self, at), turn);
  g_print ("%4u sessions: %4.0f ns to end a run and begin the next, %4.0f ns to submit one\n", n,
           bench_get_median (self->end, TURNS), bench_get_median (self->submit, TURNS));
}

int
main (int argc, char **argv)
{
  static const guint sizes[] = { 4, 64, 256 };
  g_autofree Bench *self = g_new0 (Bench, 1);
  g_autoptr (GError) error = NULL;
  LeatDevice *device = leat_device_open (NULL, &error);

  bench_must_not (error);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (argc < 2 || (guint) atoi (argv[1]) == sizes[i])
      bench_measure (self, device, sizes[i]);
  /* What waits there ends with the process. */
  return 0;
}
