/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

/* Streams between `app` nodes that are called off: what was pushed before gives its result all the same, then or in the
 * next call. */

#define RUNS  40
#define BYTES 20000

typedef struct
{
  const char *name;
  guint lanes, batch;
} Stream;

static const Stream streams[] = {
  { "one-lane", 1, 0 },
  { "lanes", 3, 0 },
  { "auto", 0, 0 },
  { "batches", 4, 8 },
};

static void
set_up (SessionFixture *self, const Stream *stream)
{
  session_fixture_open (self, "app name=source spec=u8[20000] -> upload -> map expr=x+1 -> readback -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  leat_session_close (self->session);
  g_object_set (self->session, "lanes", stream->lanes, "batch", stream->batch, NULL);
  g_assert_true (leat_session_open (self->session, NULL, NULL));
}

static void
push_all (SessionFixture *self)
{
  for (guint i = 0; i < RUNS; i++)
    {
      guint8 *data = g_malloc (BYTES);
      g_autoptr (GBytes) bytes = NULL;

      memset (data, (int) i, BYTES);
      bytes = g_bytes_new_take (data, BYTES);
      g_assert_true (leat_app_push_bytes (self->source, bytes, NULL));
    }
}

static void
assert_all (SessionFixture *self)
{
  for (guint i = 0; i < RUNS; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = leat_app_pull_bytes (self->sink, 0, &error);

      g_assert_no_error (error);
      g_assert_nonnull (bytes);
      g_assert_cmpuint (*(const guint8 *) g_bytes_get_data (bytes, NULL), ==, i + 1);
    }
  g_assert_null (leat_app_pull_bytes (self->sink, 0, NULL));
}

static gpointer
cancel_later (gpointer data)
{
  g_usleep (g_random_int_range (0, 5000));
  g_cancellable_cancel (data);
  return NULL;
}

/* Whether it was in time. */
static gboolean
run_called_off (SessionFixture *self)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread = g_thread_new ("cancel", cancel_later, cancellable);
  gboolean good = leat_session_run (self->session, cancellable, &error);

  g_thread_join (thread);
  if (good)
    g_assert_no_error (error);
  else
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  return !good;
}

static void
test_cancel_at_any_moment (gconstpointer data)
{
  for (guint i = 0; i < 15; i++)
    {
      g_autoptr (GError) error = NULL;
      SessionFixture self;

      set_up (&self, data);
      push_all (&self);
      leat_app_end (self.source);
      if (run_called_off (&self))
        leat_session_run (self.session, NULL, &error);
      g_assert_no_error (error);
      assert_all (&self);
      session_fixture_close (&self);
    }
}

/* The source has nothing more, and is waited for. */
static void
test_cancel_while_it_waits (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  SessionFixture self;

  set_up (&self, data);
  g_assert_true (run_called_off (&self));
  push_all (&self);
  g_assert_true (run_called_off (&self));
  leat_app_end (self.source);
  leat_session_run (self.session, NULL, &error);
  g_assert_no_error (error);
  assert_all (&self);
  session_fixture_close (&self);
}

typedef enum
{
  REPLAY,
  REPEAT
} Way;

static LeatFlow
run_by_hand (SessionFixture *self, Way way, GCancellable *cancellable, GError **error)
{
  return way == REPLAY ? leat_session_replay (self->session, TRUE, cancellable, error)
                       : leat_session_repeat (self->session, 3, TRUE, cancellable, error);
}

/* Its source has nothing: it ends, and the next one goes on. */
static void
test_cancel_by_hand (gconstpointer data)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("abc", 3), result = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Way way = GPOINTER_TO_INT (data);
  SessionFixture self;
  GThread *thread;

  session_fixture_open (&self, "app name=source spec=u8[<=8] -> upload -> readback -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  thread = g_thread_new ("cancel", cancel_later, cancellable);
  g_assert_cmpint (run_by_hand (&self, way, cancellable, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_thread_join (thread);
  g_assert_true (leat_app_push_bytes (self.source, bytes, NULL));
  g_assert_cmpint (run_by_hand (&self, way, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  result = leat_app_pull_bytes (self.sink, 0, NULL);
  g_assert_true (g_bytes_equal (result, bytes));
  session_fixture_close (&self);
}

/* Its sink is full, and nobody pulls. */
static void
test_cancel_at_a_full_sink (void)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("abc", 3);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  SessionFixture self;
  GThread *thread;

  session_fixture_open (&self, "app name=source spec=u8[<=8] -> upload -> readback -> app name=sink max-queue=1\n",
                        LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < 2; i++)
    g_assert_true (leat_app_push_bytes (self.source, bytes, NULL));
  g_assert_cmpint (leat_session_replay (self.session, TRUE, NULL, NULL), ==, LEAT_FLOW_DATA);
  thread = g_thread_new ("cancel", cancel_later, cancellable);
  g_assert_cmpint (leat_session_replay (self.session, TRUE, cancellable, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  session_fixture_close (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    {
      g_autofree char *moment = g_strdup_printf ("/leat/session/cancel/at-any-moment/%s", streams[i].name);
      g_autofree char *waits = g_strdup_printf ("/leat/session/cancel/while-it-waits/%s", streams[i].name);

      g_test_add_data_func (moment, &streams[i], test_cancel_at_any_moment);
      g_test_add_data_func (waits, &streams[i], test_cancel_while_it_waits);
    }
  g_test_add_data_func ("/leat/session/cancel/by-hand/replay", GINT_TO_POINTER (REPLAY), test_cancel_by_hand);
  g_test_add_data_func ("/leat/session/cancel/by-hand/repeat", GINT_TO_POINTER (REPEAT), test_cancel_by_hand);
  g_test_add_func ("/leat/session/cancel/by-hand/full-sink", test_cancel_at_a_full_sink);
  return g_test_run ();
}
