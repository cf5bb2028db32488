/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "replan-fixture.h"

#include <pthread.h>

/* Properties are set by one thread while another runs the session. */

/* A stream is told on the bus and goes on. */
static void
test_replan_in_a_stream (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  gboolean warned = FALSE;
  LeatMessage *message;
  const float x[N] = { 1, 2, 3 };
  const float *y;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  replan_fixture_set (&fixture, "m", "expr", "((");
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (x, sizeof x);

      leat_app_push_bytes (fixture.source, bytes, &error);
      g_assert_no_error (error);
    }
  leat_app_end (fixture.source);
  g_assert_true (leat_session_run (fixture.session, NULL, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GBytes) bytes = leat_app_pull_bytes (fixture.sink, 0, &error);

      y = g_bytes_get_data (bytes, NULL);
      g_assert_cmpfloat (y[2], ==, 7);
    }
  while ((message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0)) != NULL)
    {
      warned |= leat_message_get_kind (message) == LEAT_MESSAGE_WARNING;
      leat_message_unref (message);
    }
  g_assert_true (warned);
  session_fixture_close (&fixture);
}

typedef struct
{
  SessionFixture *fixture;
  gint done;
} Turner;

/* While runs take another one. */
static void
look_at_the_plan (LeatSession *session)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (session);
  g_autofree char *text = leat_plan_to_text (plan);
  g_autofree char *json = leat_plan_to_json (plan);
  g_autofree char *dot = leat_session_to_dot (session);

  g_assert_nonnull (strstr (text, "bound plan: "));
  g_assert_nonnull (strstr (json, "\"ops\""));
  g_assert_nonnull (strstr (dot, "digraph"));
}

static void *
turn_knobs (void *data)
{
  static const char *const exprs[] = { "a*x+b", "a*x+b+0", "(a*x)+b" };
  Turner *turner = data;

  for (guint i = 0; i < 60; i++)
    {
      g_autofree char *expr = NULL;
      g_autofree char *value = g_strdup_printf ("%u", i % 4);

      replan_fixture_set (turner->fixture, "m", "expr", exprs[i % 3]);
      replan_fixture_set (turner->fixture, "m", "a", value);
      g_object_get (replan_fixture_get_node (turner->fixture, "m"), "expr", &expr, NULL);
      g_assert_cmpstr (expr, ==, exprs[i % 3]);
      look_at_the_plan (turner->fixture->session);
    }
  g_atomic_int_set (&turner->done, TRUE);
  return NULL;
}

static void
test_replan_from_another_thread (void)
{
  SessionFixture fixture;
  Turner turner = { &fixture, FALSE };
  pthread_t thread;
  float x[N];

  for (guint i = 0; i < N; i++)
    x[i] = 1;
  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  pthread_create (&thread, NULL, turn_knobs, &turner);
  while (!g_atomic_int_get (&turner.done))
    {
      g_autoptr (GBytes) output = session_fixture_run (&fixture, x, sizeof x);
      const float *y = g_bytes_get_data (output, NULL);

      g_assert_cmpfloat (y[0], >=, 1);
      g_assert_cmpfloat (y[0], <=, 4);
      for (guint i = 1; i < N; i++)
        g_assert_cmpfloat (y[i], ==, y[0]);
    }
  pthread_join (thread, NULL);
  replan_fixture_run_and_check (&fixture, N, 3, 1);
  session_fixture_close (&fixture);
}

typedef struct
{
  LeatSession *session;
  GCancellable *cancellable;
} Called;

static void *
run_until_called_off (void *data)
{
  Called *called = data;
  g_autoptr (GError) error = NULL;

  g_assert_false (leat_session_run (called->session, called->cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  return NULL;
}

/* Whoever calls a run off finds its sources and sinks, whatever becomes of the plan meanwhile. */
static void
test_replan_of_a_stream_that_is_called_off (void)
{
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      const float x[N] = { 1, 2, 3 };
      SessionFixture fixture;
      Called called;
      pthread_t thread;

      session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
      called = (Called){ fixture.session, cancellable };
      pthread_create (&thread, NULL, run_until_called_off, &called);
      for (guint k = 0; k < 6; k++)
        {
          g_autoptr (GBytes) bytes = g_bytes_new (x, sizeof x);

          replan_fixture_set (&fixture, "m", "expr", k % 2 ? "a*x+b" : "a*x+b+0");
          leat_app_push_bytes (fixture.source, bytes, NULL);
        }
      g_usleep (i * 400);
      g_cancellable_cancel (cancellable);
      pthread_join (thread, NULL);
      session_fixture_close (&fixture);
    }
}

static void *
run_stream (void *fixture)
{
  g_autoptr (GError) error = NULL;

  leat_session_run (((SessionFixture *) fixture)->session, NULL, &error);
  g_assert_no_error (error);
  return NULL;
}

/* A stream in another thread gets its shape changed in the middle. */
static void
test_replan_of_a_running_stream (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  pthread_t thread;
  static const guint sizes[] = { 256, 1000, 256, 500, 1000 };

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  pthread_create (&thread, NULL, run_stream, &fixture);
  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      g_autofree char *spec = g_strdup_printf ("f32[%u]", sizes[k]);
      g_autofree float *x = g_new0 (float, sizes[k]);
      g_autoptr (GBytes) input = g_bytes_new (x, sizes[k] * sizeof *x);
      g_autoptr (GBytes) output = NULL;

      replan_fixture_set (&fixture, "source", "spec", spec);
      leat_app_push_bytes (fixture.source, input, &error);
      g_assert_no_error (error);
      output = leat_app_pull_bytes (fixture.sink, 20 * G_USEC_PER_SEC, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (g_bytes_get_size (output), ==, sizes[k] * sizeof *x);
      g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[sizes[k] - 1], ==, 1);
    }
  leat_app_end (fixture.source);
  g_assert_null (leat_app_pull_bytes (fixture.sink, 20 * G_USEC_PER_SEC, &error));
  g_assert_no_error (error);
  pthread_join (thread, NULL);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/session/replan/in-a-stream", test_replan_in_a_stream);
  g_test_add_func ("/leat/session/replan/from-another-thread", test_replan_from_another_thread);
  g_test_add_func ("/leat/session/replan/of-a-running-stream", test_replan_of_a_running_stream);
  g_test_add_func ("/leat/session/replan/of-a-stream-that-is-called-off", test_replan_of_a_stream_that_is_called_off);
  return g_test_run ();
}
