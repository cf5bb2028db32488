/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* What a session may do when, and what is left after errors. */

#define MAP   "app name=source spec=f32[4] -> upload -> map expr=\"2*x\" -> readback -> app name=sink\n"
#define BYTES "app name=source spec=u8[<=8] -> upload -> readback -> app name=sink\n"

static void
push (LeatApp *app, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;

  leat_app_push_bytes (app, bytes, &error);
  g_assert_no_error (error);
}

static void
assert_pull (LeatApp *app, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = leat_app_pull_bytes (app, 0, &error);

  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), text, strlen (text));
}

static void
assert_refused (LeatSession *session, GQuark domain, int code)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (leat_session_replay (session, TRUE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, domain, code);
}

static void
test_states_end_stays (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, BYTES, LEAT_EXECUTOR_GRAPH);
  push (fixture.source, "abc");
  leat_app_end (fixture.source);
  g_assert_true (leat_session_run (fixture.session, NULL, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (leat_session_replay (fixture.session, TRUE, NULL, &error), ==, LEAT_FLOW_END);
  g_assert_true (leat_session_run (fixture.session, NULL, &error));
  assert_pull (fixture.sink, "abc");
  session_fixture_close (&fixture);
}

/* No result may follow one that is missing, until the session is opened again. */
static void
test_states_failure_stays (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture,
                        "app name=source spec=u8[<=8] -> upload -> compact name=few where=\"x > 47\" out=u8[<=5]"
                        " -> readback -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  push (fixture.source, "first");
  push (fixture.source, "second");
  g_assert_cmpint (leat_session_replay (fixture.session, TRUE, NULL, &error), ==, LEAT_FLOW_DATA);
  assert_refused (fixture.session, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
  assert_pull (fixture.sink, "first");
  push (fixture.source, "abc");
  assert_refused (fixture.session, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED);
  leat_session_close (fixture.session);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  push (fixture.source, "abc");
  g_assert_cmpint (leat_session_replay (fixture.session, TRUE, NULL, &error), ==, LEAT_FLOW_DATA);
  assert_pull (fixture.sink, "abc");
  session_fixture_close (&fixture);
}

static gpointer
pull_two_later (gpointer sink)
{
  g_usleep (50000);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GBytes) bytes = leat_app_pull_bytes (sink, 10 * G_USEC_PER_SEC, NULL);

      g_assert_nonnull (bytes);
    }
  return NULL;
}

/* Called off before it began, a run has lost nothing. */
static void
test_states_cancel_before_a_run (void)
{
  SessionFixture fixture;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, BYTES, LEAT_EXECUTOR_GRAPH);
  push (fixture.source, "abc");
  g_cancellable_cancel (cancellable);
  g_assert_false (leat_session_run (fixture.session, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  leat_app_end (fixture.source);
  g_assert_true (leat_session_run (fixture.session, NULL, &error));
  g_assert_no_error (error);
  assert_pull (fixture.sink, "abc");
  session_fixture_close (&fixture);
}

/* Nor is the next run called off by it, where its sink has to wait or might have to. */
static void
test_states_cancel_before_a_run_is_over_then (gconstpointer sink)
{
  SessionFixture fixture;
  g_autofree char *text = g_strconcat ("app name=source spec=u8[<=8] -> upload -> readback -> ", sink, "\n", NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread = NULL;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  push (fixture.source, "abc");
  push (fixture.source, "def");
  leat_app_end (fixture.source);
  g_cancellable_cancel (cancellable);
  g_assert_false (leat_session_run (fixture.session, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  if (fixture.sink != NULL)
    thread = g_thread_new ("puller", pull_two_later, fixture.sink);
  g_assert_true (leat_session_run (fixture.session, NULL, &error));
  g_assert_no_error (error);
  g_clear_pointer (&thread, g_thread_join);
  session_fixture_close (&fixture);
}

/* The messages of a run: all but those of progress, which take a tenth of a second. */
static void
assert_messages (LeatSession *session, const char *expected)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (GString) kinds = g_string_new (NULL);
  LeatMessage *message;

  g_object_get (session, "pipeline", &pipeline, NULL);
  while ((message = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0)) != NULL)
    {
      LeatMessageType kind = leat_message_get_kind (message);

      if (kind == LEAT_MESSAGE_STATS || kind == LEAT_MESSAGE_END)
        g_string_append (kinds, kind == LEAT_MESSAGE_STATS ? "stats " : "end ");
      if (kind == LEAT_MESSAGE_ERROR)
        g_string_append_printf (kinds, "%s ", leat_message_get_error (message)->message);
      leat_message_unref (message);
    }
  g_assert_cmpstr (kinds->str, ==, expected);
}

/* As one in the background does: what watches the bus need not know which it is. */
static void
test_states_run_posts_how_it_ended (void)
{
  SessionFixture fixture;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree char *expected = NULL;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, BYTES, LEAT_EXECUTOR_GRAPH);
  g_cancellable_cancel (cancellable);
  g_assert_false (leat_session_run (fixture.session, cancellable, &error));
  expected = g_strconcat (error->message, " ", NULL);
  assert_messages (fixture.session, expected);
  push (fixture.source, "abc");
  g_assert_cmpint (leat_session_replay (fixture.session, TRUE, NULL, NULL), ==, LEAT_FLOW_DATA);
  assert_messages (fixture.session, "");
  leat_app_end (fixture.source);
  g_assert_true (leat_session_run (fixture.session, NULL, NULL));
  assert_messages (fixture.session, "stats end ");
  leat_session_close (fixture.session);
  g_assert_false (leat_session_run (fixture.session, NULL, NULL));
  assert_messages (fixture.session, "");
  session_fixture_close (&fixture);
}

static void
on_run_closed (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (leat_session_run_finish (LEAT_SESSION (object), result, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_main_loop_quit (data);
}

static void
test_states_close_ends_a_run (void)
{
  SessionFixture fixture;
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  leat_session_run_async (fixture.session, NULL, on_run_closed, loop);
  while (g_atomic_int_get (&fixture.session->hold.use) != LEAT_SESSION_RUNNING)
    g_usleep (100);
  leat_session_close (fixture.session);
  g_main_loop_run (loop);
  session_fixture_close (&fixture);
}

typedef struct
{
  LeatSession *session;
  gboolean end; /* atomic */
} StatesThread;

/* A run of a session that is not open, or that opens or closes, is refused; anything else would be a fault. */
static gpointer
replay_to_the_end (gpointer data)
{
  StatesThread *self = data;

  while (!g_atomic_int_get (&self->end))
    {
      g_autoptr (GError) error = NULL;
      LeatFlow flow = leat_session_replay (self->session, FALSE, NULL, &error);

      if (flow == LEAT_FLOW_ERROR && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
          && !g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED)
          && !g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY))
        g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
      g_thread_yield ();
    }
  return NULL;
}

static gpointer
close_to_the_end (gpointer data)
{
  StatesThread *self = data;

  while (!g_atomic_int_get (&self->end))
    {
      leat_session_close (self->session);
      g_usleep (500);
    }
  return NULL;
}

static void
test_states_threads_replay_and_close (void)
{
  SessionFixture fixture;
  StatesThread shared = { 0 };
  GThread *threads[2];
  guint n_opened = 0;

  session_fixture_open (&fixture, BYTES, LEAT_EXECUTOR_GRAPH);
  shared.session = fixture.session;
  threads[0] = g_thread_new ("replays", replay_to_the_end, &shared);
  threads[1] = g_thread_new ("closes", close_to_the_end, &shared);
  while (n_opened < 20)
    {
      g_autoptr (GError) error = NULL;

      if (leat_session_open (fixture.session, NULL, &error))
        n_opened++;
      else if (!g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY))
        g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
      g_thread_yield ();
    }
  g_atomic_int_set (&shared.end, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  session_fixture_close (&fixture);
}

static void
on_run_ended (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_session_run_finish (LEAT_SESSION (object), result, &error));
  g_assert_no_error (error);
  g_main_loop_quit (data);
}

static guint64
count_runs (LeatSession *session)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (session);
  guint64 runs = 0;

  g_assert_true (g_variant_lookup (stats, "runs", "t", &runs));
  return runs;
}

static void
test_states_stats_during_a_run (void)
{
  SessionFixture fixture;
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  guint64 runs = 0;

  session_fixture_open (&fixture, BYTES, LEAT_EXECUTOR_GRAPH);
  leat_session_run_async (fixture.session, NULL, on_run_ended, loop);
  for (guint i = 0; i < 50; i++)
    {
      guint64 before = runs;

      push (fixture.source, "abc");
      runs = count_runs (fixture.session);
      g_assert_cmpuint (runs, >=, before);
      g_assert_cmpuint (runs, <=, i + 1);
    }
  leat_app_end (fixture.source);
  g_main_loop_run (loop);
  g_assert_cmpuint (count_runs (fixture.session), ==, 50);
  session_fixture_close (&fixture);
}

static void
test_states_one_session_a_pipeline (void)
{
  SessionFixture fixture;
  g_autoptr (LeatSession) second = NULL;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  second = leat_session_new (fixture.pipeline, NULL);
  g_assert_false (leat_session_open (second, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  g_clear_error (&error);
  leat_session_close (fixture.session);
  leat_session_open (second, NULL, &error);
  g_assert_no_error (error);
  leat_session_close (second);
  g_clear_object (&second);
  session_fixture_close (&fixture);
}

/* What was pushed before an open that failed is there for the next one. */
static void
test_states_failed_open_keeps_pushes (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("leat-states-XXXXXX", NULL);
  g_autofree char *text =
    g_strdup_printf ("leat 1\napp name=source spec=u8[<=8] -> upload -> readback -> io:file name=out "
                     "path=\"%s/no such folder/out\"\n",
                     folder);
  g_autofree char *path = g_build_filename (folder, "out", NULL);
  g_autofree char *contents = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  LeatApp *source = LEAT_APP (leat_pipeline_get_node (pipeline, "source", NULL));

  push (source, "abc");
  leat_app_end (source);
  g_assert_false (leat_session_open (session, NULL, &error));
  g_clear_error (&error);
  g_object_set (leat_pipeline_get_node (pipeline, "out", NULL), "path", path, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (leat_session_run (session, NULL, &error));
  leat_session_close (session);
  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "abc");
  g_unlink (path);
  g_rmdir (folder);
}

/* A slow run posts its progress as well. */
static LeatMessage *
pop_unless_progress (LeatBus *bus)
{
  LeatMessage *message;

  while ((message = leat_bus_pop (bus, 0)) != NULL && leat_message_get_kind (message) == LEAT_MESSAGE_PROGRESS)
    leat_message_unref (message);
  return message;
}

static void
test_states_uneven_sources_warn (void)
{
  SessionFixture fixture;
  LeatApp *other;
  g_autoptr (LeatMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture,
                        "sum = map inputs=a,b expr=\"a+b\"\n"
                        "app name=source spec=u8[2] -> upload -> sum.a\n"
                        "app name=other spec=u8[2] -> upload -> sum.b\n"
                        "sum -> readback -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  other = LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "other", NULL));
  push (fixture.source, "ab");
  push (fixture.source, "cd");
  push (other, "\1\1");
  leat_app_end (fixture.source);
  leat_app_end (other);
  g_assert_true (leat_session_run (fixture.session, NULL, &error));
  assert_pull (fixture.sink, "bc");
  message = pop_unless_progress (leat_pipeline_get_bus (fixture.pipeline));
  g_assert_nonnull (message);
  g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_WARNING);
  g_assert_error (leat_message_get_error (message), LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_UNEVEN);
  session_fixture_close (&fixture);
}

static void
test_states_kept_data_needs_bounded_sources (void)
{
  g_autoptr (GError) error = session_fixture_fail (
    "app name=source spec=u8[16] -> upload -> text:scan patterns=a -> readback -> app name=sink\n", NULL);

  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
}

static void
test_states_no_pipeline (void)
{
  g_autoptr (LeatSession) session = g_object_new (LEAT_TYPE_SESSION, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  g_clear_error (&error);
  g_assert_false (leat_session_run (session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  g_clear_error (&error);
  g_assert_null (leat_session_stop_counting (session, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/run/posts-how-it-ended", test_states_run_posts_how_it_ended);
  g_test_add_func ("/leat/session/states/end-stays", test_states_end_stays);
  g_test_add_func ("/leat/session/states/failure-stays", test_states_failure_stays);
  g_test_add_func ("/leat/session/states/cancel-before-a-run", test_states_cancel_before_a_run);
  g_test_add_data_func ("/leat/session/states/cancel-before-a-run-is-over-then/app",
                        "app name=sink max-queue=1 block=true", test_states_cancel_before_a_run_is_over_then);
  g_test_add_data_func ("/leat/session/states/cancel-before-a-run-is-over-then/device-file", "io:file path=/dev/null",
                        test_states_cancel_before_a_run_is_over_then);
  g_test_add_func ("/leat/session/states/close-ends-a-run", test_states_close_ends_a_run);
  g_test_add_func ("/leat/session/states/threads-replay-and-close", test_states_threads_replay_and_close);
  g_test_add_func ("/leat/session/states/stats-during-a-run", test_states_stats_during_a_run);
  g_test_add_func ("/leat/session/states/one-session-a-pipeline", test_states_one_session_a_pipeline);
  g_test_add_func ("/leat/session/states/failed-open-keeps-pushes", test_states_failed_open_keeps_pushes);
  g_test_add_func ("/leat/session/states/uneven-sources-warn", test_states_uneven_sources_warn);
  g_test_add_func ("/leat/session/states/kept-data-needs-bounded-sources", test_states_kept_data_needs_bounded_sources);
  g_test_add_func ("/leat/session/states/no-pipeline", test_states_no_pipeline);
  return g_test_run ();
}
