/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lanes-runs.h"

#include "fault-driver.h"

#define CALLS_MOST 400 /* that are made to fail */

void
lanes_run_all (Lanes *self, guint n)
{
  g_autoptr (GError) error = NULL;

  self->source->n = (gint) n;
  g_assert_true (leat_session_run (self->session, NULL, &error));
  g_assert_no_error (error);
  lanes_assert_order (self);
  g_assert_cmpuint (self->sink->got->len, ==, n);
  g_assert_cmpuint (lanes_get (self, "runs"), ==, n);
  g_assert_cmpuint (lanes_get (self, "bytes-in"), ==, n * PACED_ITEMS * 4);
  g_assert_cmpuint (lanes_get (self, "bytes-out"), ==, n * PACED_ITEMS * 4);
}

void
lanes_run_failing (guint lanes, guint ahead, gboolean in_sink, guint at)
{
  g_autoptr (GError) error = NULL;
  Lanes self;

  lanes_set_up (&self, lanes, LEAT_EXECUTOR_AUTO);
  self.source->ahead = (gint) ahead;
  (in_sink ? self.sink : self.source)->fails_at = (gint) at;
  g_assert_false (leat_session_run (self.session, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  lanes_assert_order (&self);
  g_assert_cmpuint (self.sink->got->len, ==, at);
  g_assert_cmpuint (lanes_get (&self, "runs"), ==, at);
  g_clear_error (&error);
  g_assert_false (leat_session_run (self.session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED);
  lanes_tear_down (&self);
}

static gpointer
lanes_cancel_later (gpointer data)
{
  g_usleep (g_random_int_range (0, 4000));
  g_cancellable_cancel (data);
  return NULL;
}

void
lanes_run_cancelled (Lanes *self, gboolean goes_on)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread = g_thread_new ("cancel", lanes_cancel_later, cancellable);

  if (!leat_session_run (self->session, cancellable, &error))
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  lanes_assert_order (self);
  g_assert_cmpuint (lanes_get (self, "runs"), ==, self->sink->got->len);
  if (error != NULL && goes_on)
    lanes_run_all (self, N_RUNS);
}

static gpointer
lanes_set_later (gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_usleep (3000);
  leat_node_set_from_string (data, "expr", "x+1001", &error);
  g_assert_no_error (error);
  return NULL;
}

void
lanes_run_changed (Lanes *self)
{
  g_autoptr (GError) error = NULL;
  gboolean changed = FALSE;
  GThread *thread;

  self->source->us = 500;
  self->source->n = 200;
  thread = g_thread_new ("set", lanes_set_later, leat_pipeline_get_node (self->pipeline, "work", NULL));
  g_assert_true (leat_session_run (self->session, NULL, &error));
  g_assert_no_error (error);
  g_thread_join (thread);
  g_assert_cmpuint (self->sink->got->len, ==, 200);
  for (guint i = 0; i < 200; i++)
    {
      guint32 got = g_array_index (self->sink->got, guint32, i);

      changed = changed || got != i + 1;
      g_assert_cmpuint (got, ==, changed ? i + 1001 : i + 1);
    }
  g_assert_true (changed);
}

/* FALSE: there were not so many calls. */
static gboolean
lanes_run_failing_call (guint lanes, LeatExecutor executor, guint n, guint64 call)
{
  g_autofree char *fault = g_strdup_printf ("call:%" G_GUINT64_FORMAT, call);
  g_autoptr (GError) error = NULL;
  gboolean good, reached;
  Lanes self;

  lanes_set_up (&self, lanes, executor);
  self.source->n = (gint) n;
  fault_driver_plant (fault);
  good = leat_session_run (self.session, NULL, &error);
  reached = fault_driver_count_calls () >= call;
  fault_driver_plant ("");
  g_assert_true (good == (error == NULL));
  lanes_assert_order (&self);
  g_assert_cmpuint (lanes_get (&self, "runs"), ==, self.sink->got->len);
  if (good)
    g_assert_cmpuint (self.sink->got->len, ==, n);
  lanes_tear_down (&self);
  return reached;
}

guint64
lanes_run_with_failing_calls (guint lanes, LeatExecutor executor, guint n)
{
  guint64 call = 1;

  while (lanes_run_failing_call (lanes, executor, n, call) && call < CALLS_MOST)
    call++;
  return call;
}
