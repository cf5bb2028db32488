/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "scheduler-fixture.h"

#include "driver/leat-driver-private.h"

#include <glib/gstdio.h>

/* Runs that are refused, cancelled, dropped, or whose session goes: each ends once, and says why. */

static void
assert_ended (SchedulerFixture *fixture, FixtureRun *run, GQuark domain, gint code)
{
  scheduler_fixture_await (fixture, run, 1);
  g_assert_cmpint (run->flow, ==, LEAT_FLOW_ERROR);
  g_assert_error (run->error, domain, code);
  scheduler_fixture_clear_run (run);
}

static void
test_refuses_past_deadline (void)
{
  SchedulerFixture fixture;
  FixtureRun run;

  const gint64 past[] = { g_get_monotonic_time () - 1, 1, -1, G_MININT64 };

  scheduler_fixture_open (&fixture, 1);
  for (guint i = 0; i < G_N_ELEMENTS (past); i++)
    {
      scheduler_fixture_submit (&fixture, &run, 0, past[i], NULL);
      assert_ended (&fixture, &run, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_DEADLINE);
    }
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, 0, "refused"), ==, G_N_ELEMENTS (past));
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, 0, "submitted"), ==, 0);
  scheduler_fixture_close (&fixture);
}

static guint
count_warnings (LeatSession *session)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  LeatMessage *message;
  guint n = 0;

  g_object_get (session, "pipeline", &pipeline, NULL);
  while ((message = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0)) != NULL)
    {
      n += leat_message_get_kind (message) == LEAT_MESSAGE_WARNING
           && g_error_matches (leat_message_get_error (message), LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_LATE);
      leat_message_unref (message);
    }
  return n;
}

/* It is done all the same, counted and told of. */
static void
test_counts_missed_deadline (gconstpointer drops)
{
  SchedulerFixture fixture;
  FixtureRun run;
  gint64 deadline;

  scheduler_fixture_open (&fixture, 1);
  g_object_set (fixture.scheduler, "drop-late", GPOINTER_TO_INT (drops), NULL);
  leat_scheduler_pause (fixture.scheduler, NULL);
  deadline = g_get_monotonic_time () + 200000;
  scheduler_fixture_submit (&fixture, &run, 0, deadline, NULL);
  while (g_get_monotonic_time () <= deadline)
    g_usleep (10000);
  leat_scheduler_resume (fixture.scheduler, NULL);
  if (GPOINTER_TO_INT (drops))
    assert_ended (&fixture, &run, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_LATE);
  else
    scheduler_fixture_await (&fixture, &run, 1);
  g_assert_no_error (run.error);
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, 0, "missed"), ==, 1);
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, 0, "dropped"), ==, GPOINTER_TO_INT (drops) ? 1 : 0);
  g_assert_cmpuint (count_warnings (scheduler_fixture_get (&fixture, 0)), ==, GPOINTER_TO_INT (drops) ? 0 : 1);
  scheduler_fixture_clear_run (&run);
  scheduler_fixture_close (&fixture);
}

/* Two seconds on the host, and nothing comes of it. */
static const char endless_text[] = "leat 1\n"
                                   "away = loop until=\"most < 0\" carry=x:y budget=2 method=host {\n"
                                   "  s = map expr=x*0+1\n"
                                   "  in.x -> s -> out.y\n"
                                   "  s -> reduce op=max -> out.most\n"
                                   "}\n"
                                   "app name=source spec=f32[256] -> upload -> away.x\n"
                                   "away.y -> readback -> app name=sink\n";

static void
add_endless (SchedulerFixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (endless_text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  LeatSession *session = leat_session_new (pipeline, NULL);

  g_assert_no_error (error);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_scheduler_add (fixture->scheduler, session, &error);
  g_assert_no_error (error);
  g_ptr_array_add (fixture->sessions, session);
}

/* What is late by then is told when it is asked for, not when the run that is under way has ended. */
static void
test_drops_late_when_set (void)
{
  SchedulerFixture fixture;
  FixtureRun busy, late;
  gint64 deadline;

  scheduler_fixture_open (&fixture, 1);
  add_endless (&fixture);
  g_object_set (fixture.scheduler, "in-flight", 1, NULL);
  scheduler_fixture_submit (&fixture, &busy, 1, 0, NULL);
  deadline = g_get_monotonic_time () + 100000;
  scheduler_fixture_submit (&fixture, &late, 0, deadline, NULL);
  while (g_get_monotonic_time () <= deadline)
    g_usleep (10000);
  g_object_set (fixture.scheduler, "drop-late", TRUE, NULL);
  assert_ended (&fixture, &late, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_LATE);
  g_assert_cmpuint (busy.place, ==, 0);
  assert_ended (&fixture, &busy, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  scheduler_fixture_close (&fixture);
}

static void
test_refuses_full_queue (void)
{
  SchedulerFixture fixture;
  FixtureRun runs[4];

  scheduler_fixture_open (&fixture, 1);
  g_object_set (fixture.scheduler, "queue-limit", 3, NULL);
  leat_scheduler_pause (fixture.scheduler, NULL);
  for (guint i = 0; i < 4; i++)
    scheduler_fixture_submit (&fixture, &runs[i], 0, 0, NULL);
  assert_ended (&fixture, &runs[3], LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_FULL);
  leat_scheduler_resume (fixture.scheduler, NULL);
  scheduler_fixture_await (&fixture, runs, 3);
  for (guint i = 0; i < 3; i++)
    scheduler_fixture_clear_run (&runs[i]);
  scheduler_fixture_close (&fixture);
}

static void
test_cancel_waiting (void)
{
  SchedulerFixture fixture;
  FixtureRun runs[3];
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  scheduler_fixture_open (&fixture, 1);
  leat_scheduler_pause (fixture.scheduler, NULL);
  for (guint i = 0; i < 3; i++)
    scheduler_fixture_submit (&fixture, &runs[i], 0, 0, i == 1 ? cancellable : NULL);
  g_cancellable_cancel (cancellable);
  assert_ended (&fixture, &runs[1], G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, 0, "queued"), ==, 2);
  leat_scheduler_resume (fixture.scheduler, NULL);
  scheduler_fixture_await (&fixture, &runs[0], 1);
  scheduler_fixture_await (&fixture, &runs[2], 1);
  g_assert_no_error (runs[0].error);
  g_assert_no_error (runs[2].error);
  scheduler_fixture_clear_run (&runs[0]);
  scheduler_fixture_clear_run (&runs[2]);
  /* One that was cancelled before is not taken. */
  scheduler_fixture_submit (&fixture, &runs[1], 0, 0, cancellable);
  assert_ended (&fixture, &runs[1], G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, 0, "done"), ==, 2);
  scheduler_fixture_close (&fixture);
}

/* @what: 0 the session is closed, 1 it is taken out, 2 the scheduler is closed */
static void
test_gives_up_what_waits (gconstpointer what)
{
  SchedulerFixture fixture;
  FixtureRun runs[2];
  LeatSession *session;

  scheduler_fixture_open (&fixture, 2);
  session = scheduler_fixture_get (&fixture, 0);
  leat_scheduler_pause (fixture.scheduler, NULL);
  for (guint i = 0; i < 2; i++)
    scheduler_fixture_submit (&fixture, &runs[i], i, 0, NULL);
  if (GPOINTER_TO_INT (what) == 0)
    leat_session_close (session);
  else if (GPOINTER_TO_INT (what) == 1)
    g_assert_true (leat_scheduler_remove (fixture.scheduler, session, NULL));
  else
    leat_scheduler_close (fixture.scheduler);
  assert_ended (&fixture, &runs[0], LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_CLOSED);
  if (GPOINTER_TO_INT (what) == 2)
    assert_ended (&fixture, &runs[1], LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_CLOSED);
  leat_scheduler_resume (fixture.scheduler, NULL);
  if (GPOINTER_TO_INT (what) != 2)
    {
      scheduler_fixture_await (&fixture, &runs[1], 1);
      g_assert_no_error (runs[1].error);
    }
  scheduler_fixture_clear_run (&runs[1]);
  scheduler_fixture_submit (&fixture, &runs[0], 0, 0, NULL);
  if (GPOINTER_TO_INT (what) == 0)
    assert_ended (&fixture, &runs[0], LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  else if (GPOINTER_TO_INT (what) == 1)
    assert_ended (&fixture, &runs[0], LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_MEMBER);
  else
    assert_ended (&fixture, &runs[0], LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_CLOSED);
  scheduler_fixture_close (&fixture);
}

/* A session that is closed and opened again is where it was. */
static void
test_goes_on_after_reopening (void)
{
  SchedulerFixture fixture;
  FixtureRun run;
  g_autoptr (GError) error = NULL;

  scheduler_fixture_open (&fixture, 1);
  leat_session_close (scheduler_fixture_get (&fixture, 0));
  leat_session_open (scheduler_fixture_get (&fixture, 0), NULL, &error);
  g_assert_no_error (error);
  scheduler_fixture_submit (&fixture, &run, 0, 0, NULL);
  scheduler_fixture_await (&fixture, &run, 1);
  g_assert_no_error (run.error);
  scheduler_fixture_clear_run (&run);
  scheduler_fixture_close (&fixture);
}

static void
test_refuses_members (void)
{
  SchedulerFixture fixture;
  g_autoptr (LeatScheduler) other = NULL;
  g_autoptr (GError) error = NULL;
  LeatSession *session;

  scheduler_fixture_open (&fixture, 1);
  session = scheduler_fixture_get (&fixture, 0);
  other = leat_scheduler_new (leat_session_get_device (session));
  g_assert_false (leat_scheduler_add (fixture.scheduler, session, &error));
  g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_MEMBER);
  g_clear_error (&error);
  g_assert_false (leat_scheduler_add (other, session, &error));
  g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_MEMBER);
  g_clear_error (&error);
  g_assert_false (leat_scheduler_remove (other, session, &error));
  g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_MEMBER);
  g_clear_error (&error);
  g_assert_true (leat_scheduler_remove (fixture.scheduler, session, &error));
  g_assert_true (leat_scheduler_add (other, session, &error));
  leat_scheduler_close (other);
  g_assert_false (leat_scheduler_add (other, session, &error));
  g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_CLOSED);
  scheduler_fixture_close (&fixture);
}

/* The CPU once more, from a file of another name. */
static LeatDevice *
open_other_device (void)
{
  g_autofree char *first = leat_driver_find_cpu (NULL), *folder = g_dir_make_tmp ("leat-other-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "libleat-cpu.so.1", NULL), *contents = NULL;
  g_autoptr (GError) error = NULL;
  LeatDevice *device;
  gsize size;

  g_assert_true (g_file_get_contents (first, &contents, &size, NULL));
  g_assert_true (g_file_set_contents (path, contents, (gssize) size, NULL));
  g_setenv ("LEAT_CPU_DRIVER", path, TRUE);
  device = leat_device_open ("cpu", &error);
  g_assert_no_error (error);
  g_setenv ("LEAT_CPU_DRIVER", first, TRUE);
  g_unlink (path);
  g_rmdir (folder);
  return device;
}

/* A session is refused where it is open on another device, and may not be opened on one. */
static void
test_refuses_other_device (void)
{
  SchedulerFixture fixture;
  g_autoptr (LeatDevice) device = open_other_device ();
  g_autoptr (LeatScheduler) other = leat_scheduler_new (device);
  LeatSession *session;

  scheduler_fixture_open (&fixture, 1);
  session = scheduler_fixture_get (&fixture, 0);
  g_assert_true (leat_scheduler_remove (fixture.scheduler, session, NULL));
  for (guint closed = 0; closed < 2; closed++)
    {
      g_autoptr (GError) error = NULL;

      if (closed == 0)
        g_assert_false (leat_scheduler_add (other, session, &error));
      else
        {
          leat_session_close (session);
          g_assert_true (leat_scheduler_add (other, session, NULL));
          g_assert_false (leat_session_open (session, NULL, &error));
        }
      g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_MEMBER);
      g_assert_nonnull (strstr (error->message, "the session is for "));
    }
  leat_scheduler_close (other);
  scheduler_fixture_close (&fixture);
}

/* The run fails, and the session goes on. */
static void
test_refuses_inputs (void)
{
  SchedulerFixture fixture;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;
  g_autoptr (GPtrArray) good = scheduler_fixture_make_inputs (3);
  g_autoptr (GError) error = NULL;

  scheduler_fixture_open (&fixture, 1);
  for (guint n = 0; n < 3; n++)
    {
      g_assert_cmpint (leat_scheduler_replay (fixture.scheduler, scheduler_fixture_get (&fixture, 0), inputs, 0,
                                              &results, NULL, &error),
                       ==, LEAT_FLOW_ERROR);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH);
      g_assert_null (results);
      g_clear_error (&error);
      g_ptr_array_add (inputs, g_bytes_new_static ("four", 4));
    }
  g_assert_cmpint (
    leat_scheduler_replay (fixture.scheduler, scheduler_fixture_get (&fixture, 0), good, 0, &results, NULL, &error), ==,
    LEAT_FLOW_DATA);
  g_assert_no_error (error);
  scheduler_fixture_check_results (results, 3);
  scheduler_fixture_close (&fixture);
}

/* What was set and cannot be taken over is told to whoever asked for the run, by the call alone; it has its former
 * value again, and the next run goes on. */
static void
test_refuses_properties (void)
{
  SchedulerFixture fixture;
  g_autoptr (GPtrArray) inputs = scheduler_fixture_make_inputs (5), results = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autofree char *expr = NULL;
  g_autoptr (GError) error = NULL;
  LeatNode *map;

  scheduler_fixture_open (&fixture, 1);
  g_object_get (scheduler_fixture_get (&fixture, 0), "pipeline", &pipeline, NULL);
  map = leat_pipeline_get_node (pipeline, "map0", &error);
  g_assert_no_error (error);
  g_object_set (map, "expr", "2*x+none", NULL);
  g_assert_cmpint (
    leat_scheduler_replay (fixture.scheduler, scheduler_fixture_get (&fixture, 0), inputs, 0, &results, NULL, &error),
    ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING);
  g_assert_null (results);
  g_assert_null (leat_bus_pop (leat_pipeline_get_bus (pipeline), 0));
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, 0, "failed"), ==, 1);
  g_object_get (map, "expr", &expr, NULL);
  g_assert_cmpstr (expr, ==, "2*x+1");
  g_clear_error (&error);
  g_assert_cmpint (
    leat_scheduler_replay (fixture.scheduler, scheduler_fixture_get (&fixture, 0), inputs, 0, &results, NULL, &error),
    ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  scheduler_fixture_check_results (results, 5);
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, 0, "done"), ==, 1);
  scheduler_fixture_close (&fixture);
}

static gpointer
replay_in_thread (gpointer data)
{
  SchedulerFixture *fixture = data;
  g_autoptr (GPtrArray) inputs = scheduler_fixture_make_inputs (1);
  GError *error = NULL;

  g_assert_cmpint (
    leat_scheduler_replay (fixture->scheduler, scheduler_fixture_get (fixture, 0), inputs, 0, NULL, NULL, &error), ==,
    LEAT_FLOW_ERROR);
  return error;
}

/* Somebody who waits for a turn that does not come is told. */
static void
test_wakes_who_waits (void)
{
  SchedulerFixture fixture;
  GThread *thread;
  g_autoptr (GError) error = NULL;

  scheduler_fixture_open (&fixture, 1);
  leat_scheduler_pause (fixture.scheduler, NULL);
  thread = g_thread_new ("waits", replay_in_thread, &fixture);
  while (scheduler_fixture_get_count (&fixture, 0, "queued") == 0)
    g_usleep (500);
  leat_session_close (scheduler_fixture_get (&fixture, 0));
  error = g_thread_join (thread);
  g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_CLOSED);
  scheduler_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/scheduler/deadline/refuses-past", test_refuses_past_deadline);
  g_test_add_data_func ("/leat/scheduler/deadline/counts-missed", GINT_TO_POINTER (FALSE), test_counts_missed_deadline);
  g_test_add_data_func ("/leat/scheduler/deadline/drops-late", GINT_TO_POINTER (TRUE), test_counts_missed_deadline);
  g_test_add_func ("/leat/scheduler/deadline/drops-late-when-set", test_drops_late_when_set);
  g_test_add_func ("/leat/scheduler/queue/refuses-full", test_refuses_full_queue);
  g_test_add_func ("/leat/scheduler/cancel/waiting", test_cancel_waiting);
  g_test_add_data_func ("/leat/scheduler/close/session", GINT_TO_POINTER (0), test_gives_up_what_waits);
  g_test_add_data_func ("/leat/scheduler/close/remove", GINT_TO_POINTER (1), test_gives_up_what_waits);
  g_test_add_data_func ("/leat/scheduler/close/scheduler", GINT_TO_POINTER (2), test_gives_up_what_waits);
  g_test_add_func ("/leat/scheduler/close/reopened", test_goes_on_after_reopening);
  g_test_add_func ("/leat/scheduler/close/wakes-who-waits", test_wakes_who_waits);
  g_test_add_func ("/leat/scheduler/members/refused", test_refuses_members);
  g_test_add_func ("/leat/scheduler/members/refused-on-another-device", test_refuses_other_device);
  g_test_add_func ("/leat/scheduler/inputs/refused", test_refuses_inputs);
  g_test_add_func ("/leat/scheduler/properties/refused", test_refuses_properties);
  return g_test_run ();
}
