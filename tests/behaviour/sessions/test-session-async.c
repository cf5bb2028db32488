/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include <poll.h>

#define MAP  "app name=source spec=f32[256] -> upload -> map expr=\"2*x+1\" -> readback -> app name=sink"
#define N    256
#define RUNS 50

static void
fixture_push (SessionFixture *fixture, guint seed)
{
  g_autoptr (GBytes) input = NULL;
  g_autoptr (GError) error = NULL;
  float x[N];

  for (guint i = 0; i < N; i++)
    x[i] = (float) (i + seed);
  input = g_bytes_new (x, sizeof x);
  leat_app_push_bytes (fixture->source, input, &error);
  g_assert_no_error (error);
}

static void
fixture_check (SessionFixture *fixture, guint seed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) output = leat_app_pull_bytes (fixture->sink, 0, &error);
  const float *y;

  g_assert_no_error (error);
  g_assert_nonnull (output);
  y = g_bytes_get_data (output, NULL);
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, 2 * (float) (i + seed) + 1);
}

static void
fixture_launch (SessionFixture *fixture, guint seed)
{
  g_autoptr (GError) error = NULL;

  fixture_push (fixture, seed);
  g_assert_cmpint (leat_session_launch (fixture->session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
}

static void
fixture_complete (SessionFixture *fixture, guint seed)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (leat_session_complete (fixture->session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  fixture_check (fixture, seed);
}

static gboolean
fd_is_readable (int fd, int timeout_ms)
{
  struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

  return poll (&poll_fd, 1, timeout_ms) == 1;
}

static void
test_session_launch_completes (gconstpointer executor)
{
  SessionFixture fixture;

  session_fixture_open (&fixture, MAP, GPOINTER_TO_INT (executor));
  for (guint run = 0; run < RUNS; run++)
    {
      fixture_launch (&fixture, run);
      fixture_complete (&fixture, run);
    }
  session_fixture_close (&fixture);
}

#define PAUSE_US 200000

/* What the program does between the two halves is no time of the device's. */
static void
test_session_launch_leaves_out_the_pause (gconstpointer watched)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  float x[N] = { 0 };
  g_autoptr (GBytes) input = g_bytes_new (x, sizeof x);
  guint64 timed, device;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  if (watched != NULL)
    g_assert_cmpint (leat_session_get_fd (fixture.session, &error), >=, 0);
  for (guint i = 0; i < 2; i++)
    {
      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
      g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
      g_usleep (PAUSE_US);
      g_assert_cmpint (leat_session_complete (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
    }
  timed = session_fixture_get_number (fixture.session, "runs-timed");
  device = session_fixture_get_number (fixture.session, "device-us");
  g_test_message ("%" G_GUINT64_FORMAT " timed, %" G_GUINT64_FORMAT " us", timed, device);
  g_assert_cmpuint (session_fixture_get_number (fixture.session, "device-max-us"), <, PAUSE_US);
  if (watched != NULL || leat_device_is_cpu (leat_session_get_device (fixture.session)))
    g_assert_cmpuint (timed, ==, 2);
  else
    g_assert_cmpuint (timed, ==, 0);
  if (timed == 0)
    g_assert_cmpuint (device, ==, 0);
  session_fixture_close (&fixture);
}

static void
test_session_launch_flows (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_EMPTY);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_complete (fixture.session, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  g_clear_error (&error);
  fixture_launch (&fixture, 1);
  fixture_complete (&fixture, 1);
  leat_app_end (fixture.source);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_END);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_END);
  leat_session_close (fixture.session);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  session_fixture_close (&fixture);
}

/* Nothing but completing it, and closing, goes while a run is launched. */
static void
test_session_launch_is_busy (void)
{
  SessionFixture fixture;
  LeatView view;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  fixture_launch (&fixture, 2);
#define REFUSED(call)                                                                                                  \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    g_assert_false (call);                                                                                             \
    g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY);                                               \
    g_clear_error (&error);                                                                                            \
  }                                                                                                                    \
  G_STMT_END
  REFUSED (leat_session_launch (fixture.session, NULL, &error) != LEAT_FLOW_ERROR);
  REFUSED (leat_session_replay (fixture.session, FALSE, NULL, &error) != LEAT_FLOW_ERROR);
  REFUSED (leat_session_open (fixture.session, NULL, &error));
  REFUSED (leat_session_map_input (fixture.session, "source", &view, &error));
  REFUSED (leat_session_map_output (fixture.session, "sink", &view, &error));
  REFUSED (leat_session_run (fixture.session, NULL, &error));
#undef REFUSED
  fixture_complete (&fixture, 2);
  session_fixture_close (&fixture);
}

static void
test_session_launch_is_dropped_by_close (gconstpointer told)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  if (GPOINTER_TO_INT (told))
    g_assert_cmpint (leat_session_get_fd (fixture.session, NULL), >=, 0);
  for (guint i = 0; i < 3; i++)
    {
      fixture_launch (&fixture, 3);
      leat_session_close (fixture.session);
      g_assert_cmpint (leat_session_complete (fixture.session, NULL, &error), ==, LEAT_FLOW_ERROR);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
      g_clear_error (&error);
      g_assert_true (leat_session_open (fixture.session, NULL, &error));
      g_assert_no_error (error);
      fixture_launch (&fixture, 4 + i);
      fixture_complete (&fixture, 4 + i);
    }
  fixture_launch (&fixture, 5);
  session_fixture_close (&fixture);
}

static void
test_session_fd_tells (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  int fd;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  /* A run that is under way already is told as well. */
  fixture_launch (&fixture, 0);
  fd = leat_session_get_fd (fixture.session, &error);
  g_assert_no_error (error);
  g_assert_cmpint (fd, >=, 0);
  for (guint run = 0; run < RUNS; run++)
    {
      g_assert_true (fd_is_readable (fd, 10000));
      g_assert_true (fd_is_readable (fd, 0));
      fixture_complete (&fixture, run);
      g_assert_false (fd_is_readable (fd, 0));
      g_assert_cmpint (leat_session_get_fd (fixture.session, NULL), ==, fd);
      fixture_launch (&fixture, run + 1);
    }
  /* Without waiting to be told. */
  fixture_complete (&fixture, RUNS);
  g_assert_false (fd_is_readable (fd, 0));
  session_fixture_close (&fixture);
}

/* A result that is known is told at once. */
static void
test_session_fd_tells_of_known_results (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  int fd;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "memo", LEAT_MEMO_EXACT, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  fd = leat_session_get_fd (fixture.session, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 4; run++)
    {
      fixture_launch (&fixture, 7);
      g_assert_true (fd_is_readable (fd, 10000));
      fixture_complete (&fixture, 7);
    }
  g_assert_cmpuint (fixture.session->told.ledger.stats.memo_hits, ==, 3);
  session_fixture_close (&fixture);
}

typedef struct
{
  SessionFixture fixture;
  GMainContext *context;
  GMainLoop *loop;
  GCancellable *cancellable;
  guint runs;
  LeatFlow flow;
  GError *error;
  gboolean called;
} Async;

static void
async_open (Async *self)
{
  *self = (Async){ .context = g_main_context_new () };
  g_main_context_push_thread_default (self->context);
  self->loop = g_main_loop_new (self->context, FALSE);
  self->cancellable = g_cancellable_new ();
  session_fixture_open (&self->fixture, MAP, LEAT_EXECUTOR_GRAPH);
}

static void
async_close (Async *self)
{
  g_clear_error (&self->error);
  session_fixture_close (&self->fixture);
  g_main_loop_unref (self->loop);
  g_main_context_pop_thread_default (self->context);
  g_main_context_unref (self->context);
  g_object_unref (self->cancellable);
}

static gboolean
source_is_ready (gpointer data)
{
  Async *self = data;

  fixture_complete (&self->fixture, self->runs);
  if (++self->runs == RUNS)
    {
      g_main_loop_quit (self->loop);
      return G_SOURCE_REMOVE;
    }
  fixture_launch (&self->fixture, self->runs);
  return G_SOURCE_CONTINUE;
}

static void
test_session_source_is_called (void)
{
  Async async;
  g_autoptr (GSource) source = NULL;
  g_autoptr (GError) error = NULL;

  async_open (&async);
  source = leat_session_create_source (async.fixture.session, &error);
  g_assert_no_error (error);
  g_source_set_callback (source, source_is_ready, &async, NULL);
  g_source_attach (source, async.context);
  fixture_launch (&async.fixture, 0);
  g_main_loop_run (async.loop);
  g_assert_cmpuint (async.runs, ==, RUNS);
  async_close (&async);
}

/* A source may outlive its session. */
static void
test_session_source_outlives (void)
{
  SessionFixture fixture;
  g_autoptr (GSource) source = NULL;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  source = leat_session_create_source (fixture.session, &error);
  g_assert_no_error (error);
  fixture_launch (&fixture, 0);
  fixture_complete (&fixture, 0);
  session_fixture_close (&fixture);
  g_source_attach (source, NULL);
  g_assert_false (g_main_context_iteration (NULL, FALSE));
  g_source_destroy (source);
}

static void
on_replayed (GObject *object, GAsyncResult *result, gpointer data)
{
  Async *self = data;

  self->flow = leat_session_replay_finish (LEAT_SESSION (object), result, &self->error);
  self->called = TRUE;
}

static void
async_replay (Async *self)
{
  self->called = FALSE;
  g_clear_error (&self->error);
  leat_session_replay_async (self->fixture.session, self->cancellable, on_replayed, self);
}

static void
async_wait (Async *self)
{
  while (!self->called)
    g_main_context_iteration (self->context, TRUE);
}

static void
test_session_async_replays (void)
{
  Async async;

  async_open (&async);
  for (guint run = 0; run < RUNS; run++)
    {
      fixture_push (&async.fixture, run);
      async_replay (&async);
      g_assert_false (async.called);
      async_wait (&async);
      g_assert_no_error (async.error);
      g_assert_cmpint (async.flow, ==, LEAT_FLOW_DATA);
      fixture_check (&async.fixture, run);
    }
  async_replay (&async);
  async_wait (&async);
  g_assert_no_error (async.error);
  g_assert_cmpint (async.flow, ==, LEAT_FLOW_EMPTY);
  leat_app_end (async.fixture.source);
  async_replay (&async);
  async_wait (&async);
  g_assert_no_error (async.error);
  g_assert_cmpint (async.flow, ==, LEAT_FLOW_END);
  g_assert_cmpuint (async.fixture.session->told.ledger.stats.runs, ==, RUNS);
  async_close (&async);
}

static void
test_session_async_one_at_a_time (void)
{
  Async async;
  Async second;
  g_autoptr (GError) error = NULL;

  async_open (&async);
  second = async;
  fixture_push (&async.fixture, 1);
  async_replay (&async);
  async_replay (&second);
  async_wait (&second);
  g_assert_cmpint (second.flow, ==, LEAT_FLOW_ERROR);
  g_assert_error (second.error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY);
  g_clear_error (&second.error);
  if (!async.called)
    {
      g_assert_cmpint (leat_session_complete (async.fixture.session, NULL, &error), ==, LEAT_FLOW_ERROR);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY);
    }
  async_wait (&async);
  g_assert_no_error (async.error);
  fixture_check (&async.fixture, 1);
  async_close (&async);
}

/* Before the launch nothing is done; after it nothing is lost. */
static void
test_session_async_is_cancelled (void)
{
  Async async;

  async_open (&async);
  g_cancellable_cancel (async.cancellable);
  fixture_push (&async.fixture, 1);
  async_replay (&async);
  async_wait (&async);
  g_assert_error (async.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_cancellable_reset (async.cancellable);
  for (guint run = 0; run < RUNS; run++)
    {
      if (run > 0)
        fixture_push (&async.fixture, 1 + run);
      async_replay (&async);
      g_cancellable_cancel (async.cancellable);
      async_wait (&async);
      g_cancellable_reset (async.cancellable);
      /* It may have been done before. */
      if (async.flow == LEAT_FLOW_DATA)
        {
          g_assert_no_error (async.error);
          fixture_check (&async.fixture, 1 + run);
          continue;
        }
      g_assert_error (async.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      fixture_complete (&async.fixture, 1 + run);
    }
  async_close (&async);
}

static gpointer
close_session (gpointer session)
{
  leat_session_close (session);
  return NULL;
}

static void
test_session_async_is_dropped_by_close (gconstpointer in_thread)
{
  Async async;
  g_autoptr (GError) error = NULL;

  async_open (&async);
  for (guint run = 0; run < 10; run++)
    {
      fixture_push (&async.fixture, run);
      async_replay (&async);
      if (GPOINTER_TO_INT (in_thread))
        {
          GThread *thread = g_thread_new ("close", close_session, async.fixture.session);

          async_wait (&async);
          g_thread_join (thread);
        }
      else
        {
          leat_session_close (async.fixture.session);
          async_wait (&async);
        }
      if (async.error != NULL)
        g_assert_error (async.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      else
        fixture_check (&async.fixture, run);
      g_assert_true (leat_session_open (async.fixture.session, NULL, &error));
      g_assert_no_error (error);
    }
  async_close (&async);
}

typedef struct
{
  LeatSession *session;
  gint end; /* atomic */
} Meddler;

static gpointer
complete_to_the_end (gpointer data)
{
  Meddler *self = data;

  while (!g_atomic_int_get (&self->end))
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (leat_session_complete (self->session, NULL, &error), ==, LEAT_FLOW_ERROR);
      if (!g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE))
        g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY);
    }
  return NULL;
}

/* A thread that may not complete a run takes nothing from who does. */
static void
test_session_async_goes_on_beside_others (void)
{
  Async async;
  Meddler meddler = { 0 };
  GThread *thread;

  async_open (&async);
  meddler.session = async.fixture.session;
  thread = g_thread_new ("complete", complete_to_the_end, &meddler);
  for (guint run = 0; run < 20 * RUNS; run++)
    {
      fixture_push (&async.fixture, run);
      async_replay (&async);
      async_wait (&async);
      g_assert_no_error (async.error);
      g_assert_cmpint (async.flow, ==, LEAT_FLOW_DATA);
      fixture_check (&async.fixture, run);
    }
  g_atomic_int_set (&meddler.end, TRUE);
  g_thread_join (thread);
  async_close (&async);
}

static void
test_session_async_keeps_its_session (void)
{
  Async async;

  async_open (&async);
  fixture_push (&async.fixture, 1);
  async_replay (&async);
  g_object_ref (async.fixture.sink);
  g_clear_object (&async.fixture.session);
  async_wait (&async);
  g_assert_no_error (async.error);
  fixture_check (&async.fixture, 1);
  g_object_unref (async.fixture.sink);
  g_object_unref (async.fixture.pipeline);
  g_main_loop_unref (async.loop);
  g_main_context_pop_thread_default (async.context);
  g_main_context_unref (async.context);
  g_object_unref (async.cancellable);
}

#define CLOSE_IN_THREAD GINT_TO_POINTER (TRUE)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/launch/completes/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_session_launch_completes);
  g_test_add_data_func ("/leat/session/launch/completes/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_session_launch_completes);
  g_test_add_func ("/leat/session/launch/flows", test_session_launch_flows);
  g_test_add_data_func ("/leat/session/launch/leaves-out-the-pause/alone", NULL,
                        test_session_launch_leaves_out_the_pause);
  g_test_add_data_func ("/leat/session/launch/leaves-out-the-pause/watched", GINT_TO_POINTER (TRUE),
                        test_session_launch_leaves_out_the_pause);
  g_test_add_func ("/leat/session/launch/is-busy", test_session_launch_is_busy);
  g_test_add_data_func ("/leat/session/launch/is-dropped-by-close/alone", NULL,
                        test_session_launch_is_dropped_by_close);
  g_test_add_data_func ("/leat/session/launch/is-dropped-by-close/watched", GINT_TO_POINTER (TRUE),
                        test_session_launch_is_dropped_by_close);
  g_test_add_func ("/leat/session/fd/tells", test_session_fd_tells);
  g_test_add_func ("/leat/session/fd/tells-of-known-results", test_session_fd_tells_of_known_results);
  g_test_add_func ("/leat/session/source/is-called", test_session_source_is_called);
  g_test_add_func ("/leat/session/source/outlives", test_session_source_outlives);
  g_test_add_func ("/leat/session/async/replays", test_session_async_replays);
  g_test_add_func ("/leat/session/async/one-at-a-time", test_session_async_one_at_a_time);
  g_test_add_func ("/leat/session/async/is-cancelled", test_session_async_is_cancelled);
  g_test_add_data_func ("/leat/session/async/is-dropped-by-close/same-thread", NULL,
                        test_session_async_is_dropped_by_close);
  g_test_add_data_func ("/leat/session/async/is-dropped-by-close/other-thread", CLOSE_IN_THREAD,
                        test_session_async_is_dropped_by_close);
  g_test_add_func ("/leat/session/async/goes-on-beside-others", test_session_async_goes_on_beside_others);
  g_test_add_func ("/leat/session/async/keeps-its-session", test_session_async_keeps_its_session);
  return g_test_run ();
}
