/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"
#include "session-fixture.h"

/* Every driver call of runs that are repeated for the first time, and of those that are repeated again, is made to
 * fail, one after the other. */

#define TEXT                                                                                                           \
  "sum = state spec=u32[16]\n"                                                                                         \
  "m = map inputs=x,sum expr=x+sum\n"                                                                                  \
  "app name=source spec=u32[16] -> upload mode=copy -> m.x\n"                                                          \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback mode=copy -> app name=sink\n"
#define RUNS 100

/* The sum after so many runs with 1; 0 with an error. */
static guint32
fixture_repeat (SessionFixture *self, guint64 runs, GError **error)
{
  g_autoptr (GBytes) input = NULL, output = NULL;
  guint32 items[16];
  LeatFlow flow;

  for (guint i = 0; i < 16; i++)
    items[i] = 1;
  input = g_bytes_new (items, sizeof items);
  g_assert_true (leat_app_push_bytes (self->source, input, NULL));
  flow = leat_session_repeat (self->session, runs, FALSE, NULL, error);
  g_assert_true (error == NULL || (flow == LEAT_FLOW_DATA) == (*error == NULL));
  if (flow != LEAT_FLOW_DATA)
    {
      g_assert_null (leat_app_pull_bytes (self->sink, 0, NULL));
      return 0;
    }
  output = leat_app_pull_bytes (self->sink, 0, NULL);
  return *(const guint32 *) g_bytes_get_data (output, NULL);
}

/* With the loop made before, or not yet. */
static guint32
fixture_begin (SessionFixture *self, gboolean again)
{
  const guint64 runs = again ? RUNS : 1;
  g_autoptr (GError) error = NULL;
  guint32 sum;

  session_fixture_open (self, TEXT, LEAT_EXECUTOR_GRAPH);
  sum = fixture_repeat (self, runs, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sum, ==, runs);
  return sum;
}

/* Where the driver says that it does no such thing, the runs are done otherwise. */
static gboolean
must_do_otherwise (const char *code, const char *call)
{
  return g_str_equal (code, "NOT_SUPPORTED")
         && (g_str_has_prefix (call, "cuGraphConditional") || g_str_equal (call, "cuGraphAddNode")
             || g_str_equal (call, "cuGraphAddChildGraphNode"));
}

static void
check_outcome (SessionFixture *fixture, const char *when, guint32 sum, guint32 expected, const char *code,
               const GError *error)
{
  if (error != NULL && must_do_otherwise (code, fault_driver_get_failed ()))
    fault_driver_complain ("%s: it is not done otherwise: %s", when, error->message);
  if (error == NULL && sum != expected)
    fault_driver_complain ("%s: the sum is %u and not %u", when, sum, expected);
  if (error == NULL
      && session_fixture_get_count (fixture, "runs-repeated-on-device")
             + session_fixture_get_count (fixture, "runs-repeated-unrolled")
           == 0)
    fault_driver_complain ("%s: all runs were launched by themselves", when);
  if (error != NULL && error->domain != LEAT_DRIVER_ERROR)
    fault_driver_complain ("%s: the error is not the driver's: %s", when, error->message);
  if (error != NULL && strstr (error->message, fault_driver_get_failed ()) == NULL)
    fault_driver_complain ("%s: the error does not name the call: %s", when, error->message);
}

static void
sweep_one (const FaultRow *row, const char *plant)
{
  g_autofree char *when = NULL;
  g_autoptr (GError) error = NULL, later = NULL;
  guint32 sum, before;
  SessionFixture fixture;

  fault_driver_plant ("");
  before = fixture_begin (&fixture, row->again);
  fault_driver_plant_on (plant);
  sum = fixture_repeat (&fixture, RUNS, &error);
  when = g_strdup_printf ("%s (%s)", plant, fault_driver_get_failed ());
  check_outcome (&fixture, when, sum, before + RUNS, row->code, error);
  fault_driver_plant_on ("");
  if (error != NULL)
    leat_session_close (fixture.session);
  if (error != NULL && !leat_session_open (fixture.session, NULL, &later))
    fault_driver_complain ("%s: it does not open again: %s", when, later->message);
  else if ((sum = fixture_repeat (&fixture, RUNS, &later)) != (error != NULL ? RUNS : before + 2 * RUNS))
    fault_driver_complain ("%s: later the sum is %u: %s", when, sum, later != NULL ? later->message : "no error");
  session_fixture_close (&fixture);
  fault_driver_assert_empty (when, FALSE);
}

static guint64
count_calls (const FaultRow *row)
{
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  guint64 n;

  fixture_begin (&fixture, row->again);
  fault_driver_plant ("");
  fixture_repeat (&fixture, RUNS, &error);
  g_assert_no_error (error);
  n = fault_driver_count_calls ();
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-repeated-on-device"), ==,
                    (row->again ? 2 : 1) * (RUNS - 2));
  session_fixture_close (&fixture);
  return n;
}

#define ROW(name, code, again)                                                                                         \
  {                                                                                                                    \
    "/leat/session-repeat-faults/" name, code, 3, count_calls, sweep_one, again                                        \
  }

static const FaultRow rows[] = {
  ROW ("first/unknown", "UNKNOWN", FALSE),
  ROW ("again/unknown", "UNKNOWN", TRUE),
  ROW ("first/out-of-memory", "OUT_OF_MEMORY", FALSE),
  ROW ("again/out-of-memory", "OUT_OF_MEMORY", TRUE),
  ROW ("first/not-supported", "NOT_SUPPORTED", FALSE),
  ROW ("again/not-supported", "NOT_SUPPORTED", TRUE),
};

/* However often there are runs of however many, nothing more is held. */
static void
test_session_repeat_faults_balance (void)
{
  LeatCpuCounters first = { .size = sizeof first }, last = first;
  guint64 alive;
  SessionFixture fixture;

  fixture_begin (&fixture, TRUE);
  fault_driver_get_counters (&first);
  alive = fault_driver_count_alive ();
  for (guint64 runs = 1; runs < 3000; runs += runs / 2 + 1)
    g_assert_cmpuint (fixture_repeat (&fixture, runs, NULL), >, 0);
  fault_driver_get_counters (&last);
  g_assert_cmpuint (fault_driver_count_alive (), ==, alive);
  g_assert_cmpuint (last.instantiates, ==, first.instantiates);
  g_assert_cmpuint (last.device_bytes, ==, first.device_bytes);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
  g_test_add_func ("/leat/session-repeat-faults/balance", test_session_repeat_faults_balance);
  fault_driver_add_rows (rows, G_N_ELEMENTS (rows));
  return g_test_run ();
}
