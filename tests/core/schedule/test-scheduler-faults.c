/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "behaviour/sessions/fault-driver.h"
#include "leat.h"

#include "device/leat-device-private.h"

/* Every driver call of sessions that take turns, share memory, leave the device and come back is made to fail, one
 * after the other.  Each run that was submitted ends once; one that is said to be done has its results; nothing is
 * left. */

#define N_SESSIONS 3
#define N_ROUNDS   3
#define N_WORDS    (1 << 9)
#define N_FAULTS   25 /* of each kind, spread over all calls */

typedef struct
{
  LeatScheduler *scheduler;
  LeatDevice *device;
  LeatSession *sessions[N_SESSIONS];
  guint n_pending, n_done;
} Fixture;

static void
fixture_make_session (Fixture *self, guint index)
{
  g_autofree char *text = g_strdup_printf ("leat 1\n"
                                           "sum = state spec=u32[%u]\n"
                                           "m = map inputs=x,s expr=x+s+%u\n"
                                           "app name=source spec=u32[%u] -> upload mode=copy -> m.x\n"
                                           "sum -> m.s -> sum\n"
                                           "m -> readback mode=copy -> app name=sink\n",
                                           N_WORDS << index, index, N_WORDS << index);
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, NULL);

  g_assert_nonnull (pipeline);
  self->sessions[index] = leat_session_new (pipeline, NULL);
}

static void
on_ended (GObject *source, GAsyncResult *result, gpointer data)
{
  Fixture *self = data;
  g_autoptr (GPtrArray) results = NULL;
  g_autoptr (GError) error = NULL;
  LeatFlow flow = leat_scheduler_submit_finish (LEAT_SCHEDULER (source), result, &results, &error);

  g_assert_cmpuint (self->n_pending, >, 0);
  self->n_pending--;
  if ((flow == LEAT_FLOW_DATA) != (error == NULL) || (flow == LEAT_FLOW_DATA) != (results != NULL))
    fault_driver_complain ("(%s): a run without a result, or with an error beside it", fault_driver_get_failed ());
  self->n_done += flow == LEAT_FLOW_DATA;
  if (error != NULL && fault_driver_get_failed () == NULL)
    fault_driver_complain ("without a fault: %s", error->message);
}

static void
fixture_submit (Fixture *self, guint index)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gsize bytes = ((gsize) N_WORDS << index) * sizeof (guint32);

  g_ptr_array_add (inputs, g_bytes_new_take (g_malloc0 (bytes), bytes));
  self->n_pending++;
  leat_scheduler_submit_async (self->scheduler, self->sessions[index], inputs, 0, NULL, on_ended, self);
}

/* Two of the three share what lives within a run, and there is room for about two. */
static void
fixture_open (Fixture *self)
{
  *self = (Fixture){ .device = leat_device_open (NULL, NULL) };
  g_assert_nonnull (self->device);
  self->scheduler = leat_scheduler_new (self->device);
  g_object_set (self->scheduler, "budget", (guint64) (N_WORDS << 2) * sizeof (guint32) * 5 / 2, NULL);
  for (guint i = 0; i < N_SESSIONS; i++)
    {
      fixture_make_session (self, i);
      g_assert_true (leat_scheduler_add (self->scheduler, self->sessions[i], NULL));
      if (i > 0)
        g_assert_true (leat_scheduler_set_group (self->scheduler, self->sessions[i], "two", NULL));
    }
}

static gboolean
on_too_long (gpointer data)
{
  g_error ("a run has not ended");
  return G_SOURCE_REMOVE;
}

static void
fixture_run (Fixture *self)
{
  guint guard = g_timeout_add_seconds (60, on_too_long, NULL);

  for (guint i = 0; i < N_SESSIONS; i++)
    leat_session_open (self->sessions[i], NULL, NULL);
  for (guint i = 0; i < N_ROUNDS * N_SESSIONS; i++)
    fixture_submit (self, i % N_SESSIONS);
  while (self->n_pending > 0)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (guard);
}

/* Of memory; what is in quarantine is given back when nothing is under way. */
static void
fixture_check_empty (Fixture *self, const char *when)
{
  LeatMemoryCounts counts;

  leat_device_settle (self->device);
  leat_device_get_memory_counts (self->device, LEAT_MEMORY_DEVICE, &counts);
  if (counts.live_count > 0 && !leat_device_is_dead (self->device))
    fault_driver_complain ("%s: %" G_GUINT64_FORMAT " blocks of memory are left", when, counts.live_count);
}

/* The last run may be what the scheduler goes with, in the thread that did it.  What is planted is for nobody's calls
 * but the next fixture's. */
static void
fixture_await_threads (Fixture *self)
{
  /* What is in quarantine keeps the device, and is given back by who settles it. */
  for (guint i = 0; i < 20000 && g_atomic_int_get ((const gint *) &G_OBJECT (self->device)->ref_count) > 1; i++)
    g_usleep (100);
}

static void
fixture_close (Fixture *self, const char *when)
{
  leat_scheduler_close (self->scheduler);
  for (guint i = 0; i < N_SESSIONS; i++)
    {
      leat_session_close (self->sessions[i]);
      g_object_unref (self->sessions[i]);
    }
  g_object_unref (self->scheduler);
  fixture_await_threads (self);
  fixture_check_empty (self, when);
  g_object_unref (self->device);
}

static guint64
count_calls (const FaultRow *row)
{
  Fixture fixture;
  guint64 n_calls;

  fixture_open (&fixture);
  fault_driver_plant ("");
  fixture_run (&fixture);
  n_calls = fault_driver_count_calls ();
  g_assert_cmpuint (fixture.n_done, ==, N_ROUNDS * N_SESSIONS);
  g_assert_true (leat_session_is_evicted (fixture.sessions[0]) || leat_session_is_evicted (fixture.sessions[1])
                 || leat_session_is_evicted (fixture.sessions[2]));
  fixture_close (&fixture, "without a fault");
  return n_calls;
}

static void
sweep_one (const FaultRow *row, const char *plant)
{
  Fixture fixture;

  fixture_open (&fixture);
  fault_driver_plant (plant);
  fixture_run (&fixture);
  fault_driver_plant ("");
  fixture_close (&fixture, plant);
}

static const FaultRow rows[] = {
  { "/leat/scheduler-faults/sweep/unknown", "UNKNOWN", N_FAULTS, count_calls, sweep_one, .most = N_FAULTS },
  { "/leat/scheduler-faults/sweep/out-of-memory", "OUT_OF_MEMORY", N_FAULTS, count_calls, sweep_one, .most = N_FAULTS },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
  fault_driver_add_rows (rows, G_N_ELEMENTS (rows));
  return g_test_run ();
}
