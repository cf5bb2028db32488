/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"
#include "session-fixture.h"

/* What a first run, which tries the ways there are for its data, asks of the driver is made to fail, one after the
 * other: the run has its result, or none and the driver's error, and what the session keeps is as if nothing had been
 * tried.
 */

#define TEXT                                                                                                           \
  "sum = state spec=u32[16] init=3\n"                                                                                  \
  "old = state spec=u32[16]\n"                                                                                         \
  "m = map inputs=x,sum,old expr=x+sum+old\n"                                                                          \
  "app name=source spec=u32[16] -> upload -> m.x\n"                                                                    \
  "sum -> m.sum -> sum\n"                                                                                              \
  "old -> m.old\n"                                                                                                     \
  "m -> old\n"                                                                                                         \
  "m -> readback -> app name=sink\n"

#define CALLS 24

/* Not for long: each call of it takes a session. */
#define SHORT_US 10000
#define LONG_US  60000

/* What run @number of this gives; 1 is the first. */
static guint32
expect (guint number)
{
  guint32 sum = 3, old = 0;

  for (guint i = 0; i < number; i++)
    sum = old = 1 + sum + old;
  return sum;
}

static void
fixture_open (SessionFixture *self, gint64 trials_us)
{
  session_fixture_open (self, TEXT, LEAT_EXECUTOR_GRAPH);
  self->session->tuning.trials_us = trials_us;
}

/* 0 with an error. */
static guint32
run (SessionFixture *self, GError **error)
{
  g_autoptr (GBytes) output = NULL;
  guint32 items[16];

  for (guint i = 0; i < 16; i++)
    items[i] = 1;
  output = session_fixture_try (self, items, sizeof items, error);
  return output != NULL ? ((const guint32 *) g_bytes_get_data (output, NULL))[15] : 0;
}

static void
sweep_one (const char *place, guint n, gint64 trials_us)
{
  g_autofree char *plant = g_strdup_printf ("%s:%u", place, n), *when = NULL;
  g_autoptr (GError) error = NULL, later = NULL;
  SessionFixture fixture;
  guint32 found;

  fault_driver_plant ("");
  fixture_open (&fixture, trials_us);
  fault_driver_plant_on (plant);
  found = run (&fixture, &error);
  when = g_strdup_printf ("%s (%s)", plant, fault_driver_get_failed ());
  fault_driver_plant_on ("");
  if (found != (error != NULL ? 0 : expect (1)))
    fault_driver_complain ("%s: the sum is %u: %s", when, found, error != NULL ? error->message : "no error");
  if (error != NULL && error->domain != LEAT_DRIVER_ERROR)
    fault_driver_complain ("%s: the error is not the driver's: %s", when, error->message);
  if (error != NULL)
    leat_session_close (fixture.session);
  if (error != NULL && !leat_session_open (fixture.session, NULL, &later))
    fault_driver_complain ("%s: it does not open again: %s", when, later->message);
  else if ((found = run (&fixture, &later)) != expect (error != NULL ? 1 : 2))
    fault_driver_complain ("%s: later the sum is %u: %s", when, found, later != NULL ? later->message : "no error");
  session_fixture_close (&fixture);
  fault_driver_assert_empty (when, FALSE);
}

static void
test_session_calibrate_faults (gconstpointer place)
{
  g_autoptr (GVariant) stats = NULL, trials = NULL;
  SessionFixture fixture;

  fault_driver_plant ("");
  fixture_open (&fixture, SHORT_US);
  for (guint i = 1; i < 5; i++)
    g_assert_cmpuint (run (&fixture, NULL), ==, expect (i));
  stats = leat_session_dup_stats (fixture.session);
  trials = g_variant_lookup_value (stats, "trials", G_VARIANT_TYPE ("a(sd)"));
  g_assert_cmpuint (g_variant_n_children (trials), >, 0);
  session_fixture_close (&fixture);
  for (guint n = 1; n <= CALLS; n++)
    sweep_one (place, n, SHORT_US);
}

/* Further on, where ways that are close to the best are tried again. */
static void
test_session_calibrate_faults_of_the_final (void)
{
  SessionFixture fixture;
  guint n_calls;

  fault_driver_plant ("");
  fixture_open (&fixture, LONG_US);
  g_assert_cmpuint (run (&fixture, NULL), ==, expect (1));
  n_calls = (guint) fault_driver_count_calls ();
  session_fixture_close (&fixture);
  for (guint part = 8; part < 20; part++)
    sweep_one ("call", n_calls * part / 20, LONG_US);
}

int
main (int argc, char **argv)
{
  static const char *const places[] = { "call", "alloc", "host-alloc", "instantiate", "module" };

  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/session-calibrate-faults/", places[i], NULL);

      g_test_add_data_func (path, places[i], test_session_calibrate_faults);
    }
  g_test_add_func ("/leat/session-calibrate-faults/final", test_session_calibrate_faults_of_the_final);
  return g_test_run ();
}
