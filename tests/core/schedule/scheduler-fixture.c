/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "scheduler-fixture.h"

static guint n_ended;

static LeatSession *
fixture_open_session (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text ("leat 1\n" FIXTURE_MAP, LEAT_TEXT_STYLE_FILE, NULL, &error);
  LeatSession *session;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  g_object_set (session, "calibrate", FALSE, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  return session;
}

void
scheduler_fixture_open (SchedulerFixture *self, guint n_sessions)
{
  self->sessions = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_sessions; i++)
    g_ptr_array_add (self->sessions, fixture_open_session ());
  self->scheduler = leat_scheduler_new (leat_session_get_device (scheduler_fixture_get (self, 0)));
  self->context = g_main_context_default ();
  for (guint i = 0; i < n_sessions; i++)
    {
      g_autoptr (GError) error = NULL;

      leat_scheduler_add (self->scheduler, scheduler_fixture_get (self, i), &error);
      g_assert_no_error (error);
    }
}

void
scheduler_fixture_close (SchedulerFixture *self)
{
  leat_scheduler_close (self->scheduler);
  for (guint i = 0; i < self->sessions->len; i++)
    leat_session_close (scheduler_fixture_get (self, i));
  g_ptr_array_unref (self->sessions);
  g_object_unref (self->scheduler);
}

LeatSession *
scheduler_fixture_get (SchedulerFixture *self, guint index)
{
  return g_ptr_array_index (self->sessions, index);
}

GPtrArray *
scheduler_fixture_make_inputs (guint seed)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  float x[FIXTURE_N];

  for (guint i = 0; i < FIXTURE_N; i++)
    x[i] = (float) (i + seed);
  g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
  return inputs;
}

void
scheduler_fixture_check_results (GPtrArray *results, guint seed)
{
  const float *y;
  gsize size;

  g_assert_nonnull (results);
  g_assert_cmpuint (results->len, ==, 1);
  y = g_bytes_get_data (g_ptr_array_index (results, 0), &size);
  g_assert_cmpuint (size, ==, FIXTURE_N * sizeof (float));
  for (guint i = 0; i < FIXTURE_N; i++)
    g_assert_cmpfloat (y[i], ==, 2 * (float) (i + seed) + 1);
}

static void
on_ended (GObject *source, GAsyncResult *result, gpointer data)
{
  FixtureRun *run = data;

  g_assert_cmpuint (run->place, ==, 0);
  run->flow = leat_scheduler_submit_finish (LEAT_SCHEDULER (source), result, &run->results, &run->error);
  run->place = ++n_ended;
}

void
scheduler_fixture_submit (SchedulerFixture *self, FixtureRun *run, guint session, gint64 deadline,
                          GCancellable *cancellable)
{
  static guint seed;
  g_autoptr (GPtrArray) inputs = scheduler_fixture_make_inputs (++seed);

  *run = (FixtureRun){ .fixture = self, .session = session, .seed = seed };
  leat_scheduler_submit_async (self->scheduler, scheduler_fixture_get (self, session), inputs, deadline, cancellable,
                               on_ended, run);
}

static gboolean
on_too_long (gpointer data)
{
  g_error ("a run has not ended in ten seconds");
  return G_SOURCE_REMOVE;
}

void
scheduler_fixture_await (SchedulerFixture *self, FixtureRun *runs, guint n)
{
  guint guard = g_timeout_add_seconds (10, on_too_long, NULL);

  for (guint i = 0; i < n; i++)
    while (runs[i].place == 0)
      g_main_context_iteration (self->context, TRUE);
  g_source_remove (guard);
  for (guint i = 0; i < n; i++)
    if (runs[i].error == NULL)
      scheduler_fixture_check_results (runs[i].results, runs[i].seed);
}

void
scheduler_fixture_clear_run (FixtureRun *run)
{
  g_clear_error (&run->error);
  g_clear_pointer (&run->results, g_ptr_array_unref);
}

guint64
scheduler_fixture_get_count (SchedulerFixture *self, gint session, const char *name)
{
  g_autoptr (GVariant) stats =
    leat_scheduler_dup_stats (self->scheduler, session >= 0 ? scheduler_fixture_get (self, (guint) session) : NULL);
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (stats, name, "t", &value));
  return value;
}
