/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session/leat-session-private.h"
#include "schedule/leat-scheduler-private.h"
#include "scheduler-fixture.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The order in which runs begin: what is submitted while the scheduler is paused is all there when it chooses. */

#define FIXTURE_WRITTEN (1u << 20)
#define SOON(seconds)   (g_get_monotonic_time () + (seconds) *G_USEC_PER_SEC)

static void
fixture_open_paused (SchedulerFixture *self, guint n_sessions)
{
  scheduler_fixture_open (self, n_sessions);
  g_object_set (self->scheduler, "in-flight", 1, "share", LEAT_SHARE_RUNS, NULL);
  leat_scheduler_pause (self->scheduler, NULL);
}

static void
fixture_finish (SchedulerFixture *self, FixtureRun *runs, guint n)
{
  leat_scheduler_resume (self->scheduler, NULL);
  scheduler_fixture_await (self, runs, n);
  for (guint i = 0; i < n; i++)
    {
      g_assert_no_error (runs[i].error);
      g_assert_cmpint (runs[i].flow, ==, LEAT_FLOW_DATA);
      scheduler_fixture_clear_run (&runs[i]);
    }
}

static void
test_order_priority (void)
{
  static const LeatPriority priorities[] = { LEAT_PRIORITY_LOW, LEAT_PRIORITY_HIGH,   LEAT_PRIORITY_NORMAL,
                                             LEAT_PRIORITY_LOW, LEAT_PRIORITY_NORMAL, LEAT_PRIORITY_HIGH };
  static const guint64 turns[] = { 5, 1, 3, 6, 4, 2 };
  FixtureRun runs[G_N_ELEMENTS (priorities)];
  SchedulerFixture fixture;

  fixture_open_paused (&fixture, G_N_ELEMENTS (priorities));
  for (guint i = 0; i < G_N_ELEMENTS (priorities); i++)
    {
      g_object_set (scheduler_fixture_get (&fixture, i), "priority", priorities[i], NULL);
      scheduler_fixture_submit (&fixture, &runs[i], i, 0, NULL);
    }
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, -1, "queued"), ==, G_N_ELEMENTS (priorities));
  fixture_finish (&fixture, runs, G_N_ELEMENTS (priorities));
  for (guint i = 0; i < G_N_ELEMENTS (priorities); i++)
    g_assert_cmpuint (scheduler_fixture_get_count (&fixture, (gint) i, "last-turn"), ==, turns[i]);
  scheduler_fixture_close (&fixture);
}

/* Those without one come last, in the order in which they came. */
static void
test_order_deadline (void)
{
  static const guint seconds[] = { 0, 300, 100, 200, 0 }, places[] = { 4, 3, 1, 2, 5 };
  FixtureRun runs[G_N_ELEMENTS (seconds)];
  SchedulerFixture fixture;

  fixture_open_paused (&fixture, G_N_ELEMENTS (seconds));
  for (guint i = 0; i < G_N_ELEMENTS (seconds); i++)
    scheduler_fixture_submit (&fixture, &runs[i], i, seconds[i] > 0 ? SOON (seconds[i]) : 0, NULL);
  fixture_finish (&fixture, runs, G_N_ELEMENTS (seconds));
  for (guint i = 0; i < G_N_ELEMENTS (seconds); i++)
    g_assert_cmpuint (scheduler_fixture_get_count (&fixture, (gint) i, "last-turn"), ==, places[i]);
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, -1, "missed"), ==, 0);
  scheduler_fixture_close (&fixture);
}

/* What is submitted to one session stays in order; what must be soon brings forward what is before it. */
static void
test_order_in_session (void)
{
  FixtureRun runs[4];
  SchedulerFixture fixture;

  fixture_open_paused (&fixture, 2);
  scheduler_fixture_submit (&fixture, &runs[0], 0, SOON (200), NULL);
  scheduler_fixture_submit (&fixture, &runs[1], 1, 0, NULL);
  scheduler_fixture_submit (&fixture, &runs[2], 1, SOON (300), NULL);
  scheduler_fixture_submit (&fixture, &runs[3], 1, SOON (100), NULL);
  fixture_finish (&fixture, runs, G_N_ELEMENTS (runs));
  g_assert_cmpuint (runs[1].place, <, runs[2].place);
  g_assert_cmpuint (runs[2].place, <, runs[3].place);
  g_assert_cmpuint (runs[3].place, <, runs[0].place);
  scheduler_fixture_close (&fixture);
}

static guint
count_first (const FixtureRun *runs, guint n, guint session, guint of)
{
  guint first = G_MAXUINT, count = 0;

  for (guint i = 0; i < n; i++)
    first = MIN (first, runs[i].place);
  for (guint i = 0; i < n; i++)
    count += runs[i].session == session && runs[i].place < first + of;
  return count;
}

static void
test_order_share (void)
{
  static const guint weights[] = { 1, 3, 2 };
  FixtureRun runs[3 * 18];
  SchedulerFixture fixture;

  fixture_open_paused (&fixture, 3);
  for (guint i = 0; i < 3; i++)
    g_object_set (scheduler_fixture_get (&fixture, i), "weight", weights[i], NULL);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    scheduler_fixture_submit (&fixture, &runs[i], i / 18, 0, NULL);
  fixture_finish (&fixture, runs, G_N_ELEMENTS (runs));
  for (guint i = 0; i < 3; i++)
    for (guint n = 6; n <= 36; n += 6)
      {
        guint count = count_first (runs, G_N_ELEMENTS (runs), i, n);

        g_assert_cmpuint (count, >=, MIN (n / 6 * weights[i], 18) - 1);
        g_assert_cmpuint (count, <=, n / 6 * weights[i] + 1);
      }
  scheduler_fixture_close (&fixture);
}

/* Who has done nothing for long has nothing to claim, also where nobody has work when it comes. */
static void
test_order_newcomer (gconstpointer data)
{
  guint newcomer = 1, before = GPOINTER_TO_UINT (data);
  FixtureRun first[20], runs[20];
  SchedulerFixture fixture;

  fixture_open_paused (&fixture, 2);
  for (guint i = 0; i < G_N_ELEMENTS (first); i++)
    scheduler_fixture_submit (&fixture, &first[i], 0, 0, NULL);
  fixture_finish (&fixture, first, G_N_ELEMENTS (first));
  leat_scheduler_pause (fixture.scheduler, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    scheduler_fixture_submit (&fixture, &runs[i], i < 10 ? before : 1 - before, 0, NULL);
  fixture_finish (&fixture, runs, G_N_ELEMENTS (runs));
  g_assert_cmpuint (count_first (runs, G_N_ELEMENTS (runs), newcomer, 10), >=, 4);
  g_assert_cmpuint (count_first (runs, G_N_ELEMENTS (runs), newcomer, 10), <=, 6);
  scheduler_fixture_close (&fixture);
}

/* A session that writes to a pipe, more than it holds: its run lasts until the test has read that. */
static LeatSession *
fixture_add_writer (SchedulerFixture *self, const char *path)
{
  g_autofree char *text = g_strdup_printf (
    "leat 1\nio:file path=/dev/zero out=u8[%u] -> upload -> readback -> io:file path=%s", FIXTURE_WRITTEN, path);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  LeatSession *session;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  g_object_set (session, "priority", LEAT_PRIORITY_HIGH, "calibrate", FALSE, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_scheduler_add (self->scheduler, session, &error);
  g_assert_no_error (error);
  g_ptr_array_add (self->sessions, session);
  return session;
}

static void
fixture_set_lasted (SchedulerFixture *self, LeatSession *session, gint64 us)
{
  LeatMember *member;

  g_mutex_lock (&self->scheduler->lock);
  member = g_hash_table_lookup (self->scheduler->by_session, session);
  member->lasted_us = us;
  g_mutex_unlock (&self->scheduler->lock);
}

static gpointer
replay_writer (gpointer data)
{
  SchedulerFixture *self = data;
  g_autoptr (GError) error = NULL;

  leat_scheduler_replay (self->scheduler, scheduler_fixture_get (self, 1), NULL, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  return NULL;
}

/* Returns the thread that runs it, when its turn has come. */
static GThread *
fixture_run_writer (SchedulerFixture *self)
{
  guint64 turn = scheduler_fixture_get_count (self, 1, "last-turn");
  GThread *thread = g_thread_new ("writer", replay_writer, self);

  while (scheduler_fixture_get_count (self, 1, "last-turn") == turn)
    g_usleep (100);
  return thread;
}

static void
read_written (int pipe)
{
  char some[4096];

  for (gssize left = FIXTURE_WRITTEN, got; left > 0; left -= got)
    {
      got = read (pipe, some, sizeof some);
      g_assert_cmpint (got, >, 0);
    }
}

#define MEASURED (-1) /* by a run of the writer, which takes a little longer than is brief */

static void
fixture_let_last (SchedulerFixture *self, gint64 lasted_us, int pipe)
{
  GThread *thread;

  if (lasted_us != MEASURED)
    {
      fixture_set_lasted (self, scheduler_fixture_get (self, 1), lasted_us);
      return;
    }
  thread = fixture_run_writer (self);
  g_usleep (1000);
  read_written (pipe);
  g_thread_join (thread);
}

/* While the writer writes, another session of lower priority is submitted to. */
static void
test_order_brief (gconstpointer data)
{
  gint64 lasted_us = GPOINTER_TO_INT (data);
  gboolean held = lasted_us > 0 && lasted_us < 1000;
  g_autofree char *folder = g_dir_make_tmp ("leat-XXXXXX", NULL), *path = g_build_filename (folder, "pipe", NULL);
  SchedulerFixture fixture;
  FixtureRun run;
  GThread *thread;
  int pipe;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  pipe = open (path, O_RDWR | O_CLOEXEC);
  g_assert_cmpint (pipe, >=, 0);
  scheduler_fixture_open (&fixture, 1);
  fixture_add_writer (&fixture, path);
  fixture_let_last (&fixture, lasted_us, pipe);
  thread = fixture_run_writer (&fixture);
  scheduler_fixture_submit (&fixture, &run, 0, 0, NULL);
  if (!held)
    scheduler_fixture_await (&fixture, &run, 1);
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, 0, "queued"), ==, held ? 1 : 0);
  read_written (pipe);
  g_thread_join (thread);
  scheduler_fixture_await (&fixture, &run, 1);
  g_assert_no_error (run.error);
  scheduler_fixture_clear_run (&run);
  scheduler_fixture_close (&fixture);
  close (pipe);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_pause_of_one (void)
{
  FixtureRun runs[2];
  SchedulerFixture fixture;

  scheduler_fixture_open (&fixture, 2);
  leat_scheduler_pause (fixture.scheduler, scheduler_fixture_get (&fixture, 0));
  scheduler_fixture_submit (&fixture, &runs[0], 0, 0, NULL);
  scheduler_fixture_submit (&fixture, &runs[1], 1, 0, NULL);
  scheduler_fixture_await (&fixture, &runs[1], 1);
  g_assert_cmpuint (runs[0].place, ==, 0);
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, 0, "queued"), ==, 1);
  leat_scheduler_resume (fixture.scheduler, scheduler_fixture_get (&fixture, 0));
  scheduler_fixture_await (&fixture, &runs[0], 1);
  g_assert_no_error (runs[0].error);
  scheduler_fixture_clear_run (&runs[0]);
  scheduler_fixture_clear_run (&runs[1]);
  scheduler_fixture_close (&fixture);
}

static void
test_replay (void)
{
  SchedulerFixture fixture;
  g_autoptr (GError) error = NULL;

  scheduler_fixture_open (&fixture, 2);
  for (guint seed = 0; seed < 50; seed++)
    {
      g_autoptr (GPtrArray) inputs = scheduler_fixture_make_inputs (seed);
      g_autoptr (GPtrArray) results = NULL;

      g_assert_cmpint (leat_scheduler_replay (fixture.scheduler, scheduler_fixture_get (&fixture, seed % 2), inputs, 0,
                                              &results, NULL, &error),
                       ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      scheduler_fixture_check_results (results, seed);
    }
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, -1, "done"), ==, 50);
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, 0, "done"), ==, 25);
  scheduler_fixture_close (&fixture);
}

/* The session's own sources and sinks. */
static void
test_replay_sources (void)
{
  SchedulerFixture fixture;
  g_autoptr (GPtrArray) inputs = scheduler_fixture_make_inputs (7);
  g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), none = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (GError) error = NULL;
  LeatSession *session;

  scheduler_fixture_open (&fixture, 1);
  session = scheduler_fixture_get (&fixture, 0);
  g_object_get (session, "pipeline", &pipeline, NULL);
  g_assert_cmpint (leat_scheduler_replay (fixture.scheduler, session, NULL, 0, &none, NULL, &error), ==,
                   LEAT_FLOW_EMPTY);
  g_assert_no_error (error);
  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "source", NULL)), g_ptr_array_index (inputs, 0),
                       &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_scheduler_replay (fixture.scheduler, session, NULL, 0, &none, NULL, &error), ==,
                   LEAT_FLOW_DATA);
  g_assert_null (none);
  g_ptr_array_add (results,
                   leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "sink", NULL)), 0, &error));
  g_assert_no_error (error);
  scheduler_fixture_check_results (results, 7);
  scheduler_fixture_close (&fixture);
}

static void
test_stats (void)
{
  SchedulerFixture fixture;
  FixtureRun runs[40];
  g_autoptr (GVariant) all = NULL, one = NULL;
  gint64 p50, p99, most;
  guint64 done, submitted;
  g_autoptr (GVariant) stats = NULL;
  double share;

  scheduler_fixture_open (&fixture, 2);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    scheduler_fixture_submit (&fixture, &runs[i], i % 2, 0, NULL);
  scheduler_fixture_await (&fixture, runs, G_N_ELEMENTS (runs));
  all = leat_scheduler_dup_stats (fixture.scheduler, NULL);
  g_assert_true (g_variant_lookup (all, "wait-p50-us", "x", &p50));
  g_assert_true (g_variant_lookup (all, "wait-p99-us", "x", &p99));
  g_assert_true (g_variant_lookup (all, "wait-most-us", "x", &most));
  g_assert_cmpint (p50, <=, p99);
  g_assert_cmpint (p99, <=, most);
  g_assert_true (g_variant_lookup (all, "run-p50-us", "x", &p50));
  g_assert_cmpint (p50, >, 0);
  g_object_get (fixture.scheduler, "stats", &stats, NULL);
  g_assert_true (g_variant_lookup (stats, "done", "t", &done));
  g_assert_true (g_variant_lookup (stats, "submitted", "t", &submitted));
  g_assert_cmpuint (done, ==, G_N_ELEMENTS (runs));
  g_assert_cmpuint (submitted, ==, G_N_ELEMENTS (runs));
  one = leat_scheduler_dup_stats (fixture.scheduler, scheduler_fixture_get (&fixture, 0));
  g_assert_true (g_variant_lookup (one, "share", "d", &share));
  g_assert_cmpfloat (share, >, 0);
  g_assert_cmpfloat (share, <, 1);
  /* What was counted of a session stays when it goes. */
  g_assert_true (leat_scheduler_remove (fixture.scheduler, scheduler_fixture_get (&fixture, 0), NULL));
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, -1, "done"), ==, G_N_ELEMENTS (runs));
  g_assert_cmpuint (scheduler_fixture_get_count (&fixture, -1, "sessions"), ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    scheduler_fixture_clear_run (&runs[i]);
  scheduler_fixture_close (&fixture);
}

/* The device's streams, and with them the graphs that are launched there, go by it too. */
static void
test_priority_of_streams (void)
{
  SchedulerFixture fixture;
  int least = 0, greatest = 0;

  scheduler_fixture_open (&fixture, 3);
  for (guint i = 0; i < 3; i++)
    {
      LeatSession *session = scheduler_fixture_get (&fixture, i);
      g_autoptr (GError) error = NULL;
      LeatLane *lane;
      int priority;

      leat_session_close (session);
      g_object_set (session, "priority", i, NULL);
      leat_session_open (session, NULL, &error);
      g_assert_no_error (error);
      lane = g_ptr_array_index (session->lanes, 0);
      g_assert_true (leat_device_push (session->device, NULL));
      g_assert_cmpint ((*lane->table->cuCtxGetStreamPriorityRange) (&least, &greatest), ==, CUDA_SUCCESS);
      g_assert_cmpint ((*lane->table->cuStreamGetPriority) (leat_stream_get (lane->stream), &priority), ==,
                       CUDA_SUCCESS);
      leat_device_pop (session->device);
      g_assert_cmpint (priority, ==, i == LEAT_PRIORITY_HIGH ? greatest : 0);
    }
  g_assert_cmpint (greatest, <=, least);
  scheduler_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/scheduler/order/priority", test_order_priority);
  g_test_add_func ("/leat/scheduler/order/streams", test_priority_of_streams);
  g_test_add_func ("/leat/scheduler/order/deadline", test_order_deadline);
  g_test_add_func ("/leat/scheduler/order/in-session", test_order_in_session);
  g_test_add_func ("/leat/scheduler/order/share", test_order_share);
  g_test_add_data_func ("/leat/scheduler/order/newcomer/second", GUINT_TO_POINTER (0), test_order_newcomer);
  g_test_add_data_func ("/leat/scheduler/order/newcomer/first", GUINT_TO_POINTER (1), test_order_newcomer);
  g_test_add_data_func ("/leat/scheduler/order/brief/soon", GINT_TO_POINTER (20), test_order_brief);
  g_test_add_data_func ("/leat/scheduler/order/brief/long", GINT_TO_POINTER (20000), test_order_brief);
  g_test_add_data_func ("/leat/scheduler/order/brief/unknown", GINT_TO_POINTER (0), test_order_brief);
  g_test_add_data_func ("/leat/scheduler/order/brief/measured", GINT_TO_POINTER (MEASURED), test_order_brief);
  g_test_add_func ("/leat/scheduler/pause/of-one", test_pause_of_one);
  g_test_add_func ("/leat/scheduler/replay", test_replay);
  g_test_add_func ("/leat/scheduler/replay/sources", test_replay_sources);
  g_test_add_func ("/leat/scheduler/stats", test_stats);
  return g_test_run ();
}
