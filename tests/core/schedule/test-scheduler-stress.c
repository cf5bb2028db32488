/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "scheduler-fixture.h"

/* Threads that submit, cancel, pause, close, open, take out and put back, all at the same time, and at random.  Each
 * run that was submitted ends once, with the results of its own data or with an error that says what became of it. */

#define N_SESSIONS 5
#define SECONDS    3

typedef struct
{
  SchedulerFixture fixture;
  gint stopping;
  gint n_submitted, n_ended, n_done; /* atomic */
  gint n_pending;                    /* of those that call back; main thread's */
} Stress;

/* What may become of a run while others do all of that. */
static gboolean
is_expected (const GError *error)
{
  return error->domain == LEAT_SCHEDULER_ERROR || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
         || g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE)
         || g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY);
}

static void
stress_note_end (Stress *self, LeatFlow flow, GPtrArray *results, guint seed, const GError *error)
{
  g_atomic_int_inc (&self->n_ended);
  if (error != NULL && !is_expected (error))
    g_error ("a run ended with: %s", error->message);
  g_assert_cmpint (flow, ==, error == NULL ? LEAT_FLOW_DATA : LEAT_FLOW_ERROR);
  if (error != NULL)
    return;
  scheduler_fixture_check_results (results, seed);
  g_atomic_int_inc (&self->n_done);
}

static gint64
make_deadline (GRand *rand)
{
  return g_rand_int_range (rand, 0, 3) > 0 ? 0 : g_get_monotonic_time () + g_rand_int_range (rand, -500, 5000);
}

static gpointer
cancel_later (gpointer cancellable)
{
  g_usleep (g_random_int_range (0, 2000));
  g_cancellable_cancel (cancellable);
  g_object_unref (cancellable);
  return NULL;
}

static void
stress_replay (Stress *self, GRand *rand)
{
  LeatSession *session = scheduler_fixture_get (&self->fixture, g_rand_int_range (rand, 0, N_SESSIONS));
  guint seed = g_rand_int_range (rand, 0, 1000);
  g_autoptr (GPtrArray) inputs = scheduler_fixture_make_inputs (seed), results = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *canceller = NULL;
  LeatFlow flow;

  g_atomic_int_inc (&self->n_submitted);
  if (g_rand_int_range (rand, 0, 4) == 0)
    canceller = g_thread_new ("cancel", cancel_later, g_object_ref (cancellable));
  flow = leat_scheduler_replay (self->fixture.scheduler, session, inputs, make_deadline (rand), &results, cancellable,
                                &error);
  stress_note_end (self, flow, results, seed, error);
  g_clear_pointer (&canceller, g_thread_join);
}

static gpointer
stress_replay_thread (gpointer data)
{
  Stress *self = data;
  g_autoptr (GRand) rand = g_rand_new ();

  while (!g_atomic_int_get (&self->stopping))
    stress_replay (self, rand);
  return NULL;
}

/* A run that the scheduler begins at this moment, and that finds the session closed, has it for as long as that takes.
 */
static void
stress_open (LeatSession *session)
{
  const gint64 until = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;
  g_autoptr (GError) error = NULL;

  while (!leat_session_open (session, NULL, &error)
         && g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY) && g_get_monotonic_time () < until)
    {
      g_clear_error (&error);
      g_usleep (100);
    }
  g_assert_no_error (error);
}

static void
stress_disturb (Stress *self, GRand *rand)
{
  LeatScheduler *scheduler = self->fixture.scheduler;
  LeatSession *session = scheduler_fixture_get (&self->fixture, g_rand_int_range (rand, 0, N_SESSIONS));
  g_autoptr (GError) error = NULL;

  switch (g_rand_int_range (rand, 0, 6))
    {
    case 0:
      leat_scheduler_pause (scheduler, g_rand_boolean (rand) ? session : NULL);
      g_usleep (g_rand_int_range (rand, 0, 3000));
      break;
    case 1:
      leat_session_close (session);
      stress_open (session);
      break;
    case 2:
      g_assert_true (leat_scheduler_remove (scheduler, session, NULL));
      leat_scheduler_add (scheduler, session, &error);
      g_assert_no_error (error);
      break;
    case 3:
      g_object_set (session, "priority", g_rand_int_range (rand, 0, 3), "weight", g_rand_int_range (rand, 1, 5), NULL);
      break;
    case 4:
      g_object_set (scheduler, "in-flight", g_rand_int_range (rand, 1, 4), "drop-late", g_rand_boolean (rand), NULL);
      break;
    default:
      g_variant_unref (leat_scheduler_dup_stats (scheduler, g_rand_boolean (rand) ? session : NULL));
    }
  leat_scheduler_resume (scheduler, NULL);
  leat_scheduler_resume (scheduler, session);
}

static gpointer
stress_disturb_thread (gpointer data)
{
  Stress *self = data;
  g_autoptr (GRand) rand = g_rand_new ();

  while (!g_atomic_int_get (&self->stopping))
    {
      stress_disturb (self, rand);
      g_usleep (1000);
    }
  return NULL;
}

typedef struct
{
  Stress *stress;
  guint seed;
} StressTask;

static void
on_ended (GObject *source, GAsyncResult *result, gpointer data)
{
  StressTask *task = data;
  g_autoptr (GPtrArray) results = NULL;
  g_autoptr (GError) error = NULL;
  LeatFlow flow = leat_scheduler_submit_finish (LEAT_SCHEDULER (source), result, &results, &error);

  stress_note_end (task->stress, flow, results, task->seed, error);
  task->stress->n_pending--;
  g_free (task);
}

static void
stress_submit (Stress *self, GRand *rand, GCancellable *cancellable)
{
  StressTask *task = g_new (StressTask, 1);
  g_autoptr (GPtrArray) inputs = NULL;

  *task = (StressTask){ self, g_rand_int_range (rand, 0, 1000) };
  inputs = scheduler_fixture_make_inputs (task->seed);
  g_atomic_int_inc (&self->n_submitted);
  self->n_pending++;
  leat_scheduler_submit_async (self->fixture.scheduler,
                               scheduler_fixture_get (&self->fixture, g_rand_int_range (rand, 0, N_SESSIONS)), inputs,
                               make_deadline (rand), cancellable, on_ended, task);
}

/* A few at a time; some of them are cancelled together. */
static void
stress_submit_some (Stress *self, GRand *rand)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  for (guint i = 0; i < 8; i++)
    stress_submit (self, rand, i % 2 == 0 ? cancellable : NULL);
  if (g_rand_boolean (rand))
    g_cancellable_cancel (cancellable);
  while (self->n_pending > 16)
    g_main_context_iteration (NULL, TRUE);
}

static gboolean
on_too_long (gpointer data)
{
  g_error ("a run has not ended");
  return G_SOURCE_REMOVE;
}

static void
test_stress (void)
{
  Stress self = { 0 };
  g_autoptr (GRand) rand = g_rand_new ();
  gint64 end = g_get_monotonic_time () + SECONDS * G_USEC_PER_SEC;
  GThread *threads[4];
  guint guard = g_timeout_add_seconds (20, on_too_long, NULL);

  scheduler_fixture_open (&self.fixture, N_SESSIONS);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("stress", i == 0 ? stress_disturb_thread : stress_replay_thread, &self);
  while (g_get_monotonic_time () < end)
    stress_submit_some (&self, rand);
  g_atomic_int_set (&self.stopping, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  while (self.n_pending > 0)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (guard);
  g_assert_cmpint (self.n_ended, ==, self.n_submitted);
  g_assert_cmpint (self.n_done, >, 0);
  g_assert_cmpuint (scheduler_fixture_get_count (&self.fixture, -1, "queued"), ==, 0);
  g_test_message ("%d runs, of which %d were done", self.n_ended, self.n_done);
  scheduler_fixture_close (&self.fixture);
}

typedef struct
{
  SchedulerFixture *fixture;
  gint stop;
  guint n_done;
  GError *error; /* the first */
} Neighbour;

static gpointer
run_neighbour (gpointer data)
{
  Neighbour *self = data;

  while (!g_atomic_int_get (&self->stop) && self->error == NULL)
    {
      g_autoptr (GPtrArray) inputs = scheduler_fixture_make_inputs (1), results = NULL;

      if (leat_scheduler_replay (self->fixture->scheduler, scheduler_fixture_get (self->fixture, 1), inputs, 0,
                                 &results, NULL, &self->error)
          == LEAT_FLOW_DATA)
        self->n_done++;
    }
  return NULL;
}

/* A session that is taken out while it runs, put in again and into the group of another: no run of either meets one of
 * the other in the memory that they share. */
static void
test_stress_parting_and_groups (void)
{
  SchedulerFixture fixture;
  Neighbour neighbour = { &fixture };
  LeatSession *session;
  GThread *thread;

  scheduler_fixture_open (&fixture, 2);
  session = scheduler_fixture_get (&fixture, 0);
  g_assert_true (leat_scheduler_set_group (fixture.scheduler, scheduler_fixture_get (&fixture, 1), "both", NULL));
  thread = g_thread_new ("neighbour", run_neighbour, &neighbour);
  for (guint i = 0; i < 2000; i++)
    {
      FixtureRun run;

      scheduler_fixture_submit (&fixture, &run, 0, 0, NULL);
      g_assert_true (leat_scheduler_remove (fixture.scheduler, session, NULL));
      g_assert_true (leat_scheduler_add (fixture.scheduler, session, NULL));
      g_assert_true (leat_scheduler_set_group (fixture.scheduler, session, "both", NULL));
      scheduler_fixture_await (&fixture, &run, 1);
      if (run.error != NULL)
        g_assert_error (run.error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_CLOSED);
      scheduler_fixture_clear_run (&run);
      g_assert_true (leat_scheduler_set_group (fixture.scheduler, session, NULL, NULL));
    }
  g_atomic_int_set (&neighbour.stop, TRUE);
  g_thread_join (thread);
  g_assert_no_error (neighbour.error);
  g_assert_cmpuint (neighbour.n_done, >, 0);
  scheduler_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/scheduler/stress", test_stress);
  g_test_add_func ("/leat/scheduler/stress/parting-and-groups", test_stress_parting_and_groups);
  return g_test_run ();
}
