/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"
#include "lanes-runs.h"

/* Sources that begin to fill lanes before they have filled those before them: the order, how far ahead they are, and
 * that each that was begun is completed, whatever happens. */

#define AHEAD_MOST 8

static void
set_up (Lanes *self, guint lanes, guint ahead)
{
  lanes_set_up (self, lanes, LEAT_EXECUTOR_AUTO);
  self->source->ahead = (gint) ahead;
}

static void
tear_down (Lanes *self)
{
  g_assert_cmpint (self->source->begun, ==, self->source->completed);
  lanes_tear_down (self);
}

static void
test_order (void)
{
  for (guint lanes = 1; lanes <= 5; lanes++)
    for (guint ahead = 1; ahead <= AHEAD_MOST; ahead++)
      {
        const guint most = lanes > 1 ? MIN (lanes, ahead) : 0;
        Lanes self;

        set_up (&self, lanes, ahead);
        lanes_run_all (&self, N_RUNS);
        g_assert_cmpint (self.source->begun_most, ==, most);
        g_assert_false (self.source->mixed);
        g_assert_cmpint (self.source->completed, >=, most > 0 ? N_RUNS : 0);
        g_assert_cmpuint (lanes_get (&self, "lanes-used"), ==, lanes);
        tear_down (&self);
      }
}

/* What is not there yet is no end: it is asked for again, and nothing behind it is lost. */
static void
test_empty (void)
{
  for (guint lanes = 2; lanes <= 4; lanes++)
    for (guint ahead = 1; ahead <= 4; ahead++)
      for (guint at = 0; at < N_RUNS; at += at < 4 ? 1 : 7)
        {
          Lanes self;

          set_up (&self, lanes, ahead);
          self.source->empty_at = (gint) at;
          self.source->empties = 1 + (gint) at % 3;
          lanes_run_all (&self, N_RUNS);
          g_assert_cmpint (self.source->empties, ==, 0);
          tear_down (&self);
        }
}

/* Until it is called off: a sink that fails does not wait for what never comes. */
static void
test_empty_called_off (void)
{
  for (guint i = 0; i < 100; i++)
    {
      g_autoptr (GError) error = NULL;
      Lanes self;

      set_up (&self, 3, 3);
      self.source->empty_at = 3 + (gint) i % 3;
      self.source->empties = G_MAXINT;
      self.sink->fails_at = 2;
      g_assert_false (leat_session_run (self.session, NULL, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
      lanes_assert_order (&self);
      tear_down (&self);
    }
}

static void
test_failure (void)
{
  for (guint lanes = 2; lanes <= 4; lanes++)
    for (guint ahead = 1; ahead <= 4; ahead++)
      for (guint at = 0; at < N_RUNS; at += at < 6 ? 1 : 17)
        for (guint sink = 0; sink < 2; sink++)
          lanes_run_failing (lanes, ahead, sink, at);
}

/* A sink that is slow stops what is begun, too. */
static void
test_backpressure (void)
{
  g_autoptr (GError) error = NULL;
  Lanes self;

  set_up (&self, 3, AHEAD_MOST);
  self.sink->fails_at = 5;
  self.sink->us = 2000;
  g_assert_false (leat_session_run (self.session, NULL, &error));
  g_assert_cmpint (self.source->begun, <=, 5 + 3);
  tear_down (&self);
}

static void
test_cancel (void)
{
  for (guint i = 0; i < 60; i++)
    {
      Lanes self;

      set_up (&self, 2 + i % 4, 1 + i % 5);
      self.source->us = 100;
      lanes_run_cancelled (&self, TRUE);
      tear_down (&self);
    }
}

static gpointer
close_later (gpointer data)
{
  g_usleep (g_random_int_range (0, 3000));
  leat_session_close (data);
  return NULL;
}

static void
test_close (void)
{
  for (guint i = 0; i < 30; i++)
    {
      g_autoptr (GError) error = NULL;
      GThread *thread;
      Lanes self;

      set_up (&self, 2 + i % 3, 4);
      self.source->us = 100;
      thread = g_thread_new ("close", close_later, self.session);
      leat_session_run (self.session, NULL, &error);
      g_thread_join (thread);
      lanes_assert_order (&self);
      tear_down (&self);
    }
}

static void
test_property (void)
{
  Lanes self;

  set_up (&self, 4, 3);
  lanes_run_changed (&self);
  g_assert_cmpuint (lanes_get (&self, "replans"), ==, 1);
  tear_down (&self);
}

/* Lanes that do not pay are given up: what was begun in them by then is not lost. */
static void
test_gives_up (void)
{
  Lanes self;

  set_up (&self, 0, 3);
  self.source->us = self.sink->us = 1000;
  self.sink->us_from = 6;
  self.sink->us_later = 30000;
  lanes_run_all (&self, 50);
  g_assert_cmpint (self.source->begun_most, ==, 3);
  g_assert_cmpuint (lanes_get (&self, "lanes-used"), ==, 1);
  tear_down (&self);
}

static double
time_run (guint ahead)
{
  gint64 begin;
  double took;
  Lanes self;

  set_up (&self, 5, ahead);
  self.source->us = 5000;
  begin = g_get_monotonic_time ();
  lanes_run_all (&self, N_RUNS);
  took = (g_get_monotonic_time () - begin) / 1e3;
  tear_down (&self);
  return took;
}

/* Four that wait at the same time.  The next are begun when one was waited for, so it is not a quarter of the time. */
static void
test_overlap (void)
{
  double one = time_run (0), four = time_run (4);

  g_test_message ("a source of 5 ms: run after run %.1f ms, four at a time %.1f ms", one, four);
  g_assert_cmpfloat (four, <, one * 0.7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/session/ahead/order", test_order);
  g_test_add_func ("/session/ahead/empty", test_empty);
  g_test_add_func ("/session/ahead/empty/called-off", test_empty_called_off);
  g_test_add_func ("/session/ahead/failure", test_failure);
  g_test_add_func ("/session/ahead/backpressure", test_backpressure);
  g_test_add_func ("/session/ahead/cancel", test_cancel);
  g_test_add_func ("/session/ahead/close", test_close);
  g_test_add_func ("/session/ahead/property", test_property);
  g_test_add_func ("/session/ahead/gives-up", test_gives_up);
  g_test_add_func ("/session/ahead/overlap", test_overlap);
  return g_test_run ();
}
