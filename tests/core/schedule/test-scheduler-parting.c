/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"

#include "behaviour/sessions/lanes-fixture.h"

/* A session that is taken out of a scheduler while it runs, and put into one again: its next run begins when that one
 * has ended. */

#define SLOW_US 200000

typedef struct
{
  LeatScheduler *scheduler;
  LeatSession *session;
  LeatFlow flow;
  GError *error;
} Run;

static gpointer
run (gpointer data)
{
  Run *self = data;

  self->flow = leat_scheduler_replay (self->scheduler, self->session, NULL, 0, NULL, NULL, &self->error);
  return NULL;
}

static guint64
count (LeatScheduler *scheduler, const char *name)
{
  g_autoptr (GVariant) stats = leat_scheduler_dup_stats (scheduler, NULL);
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (stats, name, "t", &value));
  return value;
}

static void
await (LeatScheduler *scheduler, const char *name, guint64 value)
{
  const gint64 until = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  while (count (scheduler, name) != value)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      g_usleep (500);
    }
}

/* @data: whether it goes to another scheduler */
static void
test_parting_run_ends_first (gconstpointer data)
{
  Lanes lanes;
  g_autoptr (LeatScheduler) first = NULL, second = NULL;
  GThread *threads[3];
  Run runs[3];
  g_autoptr (GError) error = NULL;

  lanes_set_up (&lanes, 1, LEAT_EXECUTOR_GRAPH);
  g_atomic_int_set (&lanes.source->us, SLOW_US);
  first = leat_scheduler_new (leat_session_get_device (lanes.session));
  second = GPOINTER_TO_INT (data) ? leat_scheduler_new (leat_session_get_device (lanes.session)) : g_object_ref (first);
  leat_scheduler_add (first, lanes.session, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      /* Twice, so that a run which waits for another may be given up and waited for again. */
      if (i > 0)
        {
          g_assert_true (leat_scheduler_remove (i == 1 ? first : second, lanes.session, &error));
          g_assert_true (leat_scheduler_add (second, lanes.session, &error));
        }
      runs[i] = (Run){ i == 0 ? first : second, lanes.session, LEAT_FLOW_EMPTY, NULL };
      threads[i] = g_thread_new ("run", run, &runs[i]);
      if (i == 0)
        await (first, "running", 1);
      if (i == 1)
        await (second, "submitted", second == first ? 2 : 1);
    }
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    g_thread_join (threads[i]);
  g_assert_no_error (runs[0].error);
  g_assert_cmpint (runs[0].flow, ==, LEAT_FLOW_DATA);
  /* The one that waited when the session was taken out again. */
  g_assert_error (runs[1].error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_CLOSED);
  g_clear_error (&runs[1].error);
  g_assert_no_error (runs[2].error);
  g_assert_cmpint (runs[2].flow, ==, LEAT_FLOW_DATA);
  g_assert_cmpuint (lanes.sink->got->len, ==, 2);
  leat_scheduler_close (second);
  leat_scheduler_close (first);
  lanes_tear_down (&lanes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/scheduler/parting/same", GINT_TO_POINTER (FALSE), test_parting_run_ends_first);
  g_test_add_data_func ("/leat/scheduler/parting/another", GINT_TO_POINTER (TRUE), test_parting_run_ends_first);
  return g_test_run ();
}
