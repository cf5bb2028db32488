/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fault-driver.h"
#include "report-fixture.h"

/* What a lane that reports costs a batch, and what becomes of a batch whose kernels have nowhere to report to.  The CPU
 * driver counts the calls. */

#define JUDGE   "kernel name=judge source=\"KERNELS\" entry=judge block=64"
#define MEET    "kernel name=meet source=\"KERNELS\" entry=meet block=64"
#define ZED     "kernel name=zed source=\"KERNELS\" entry=zed block=64"
#define N_LANES 300
#define FAULTY  171

static GPtrArray *
make_inputs (gboolean faulty)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint lane = 0; lane < N_LANES; lane++)
    {
      gint32 x[] = { 100 + (gint32) lane, faulty && lane == FAULTY ? -3 : 5 };

      g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
    }
  return inputs;
}

/* @steps: how often the chain adds one. */
static void
check_results (SessionFixture *fixture, GPtrArray *results, gboolean faulty, gint32 steps)
{
  g_assert_cmpuint (results->len, ==, N_LANES);
  for (guint lane = 0; lane < N_LANES; lane++)
    {
      g_autoptr (GError) failure = leat_session_dup_entry_error (fixture->session, lane);
      GBytes *result = g_ptr_array_index (results, lane);
      gint32 expected[] = { 100 + (gint32) lane + steps, 5 + steps };

      if (faulty && lane == FAULTY)
        {
          g_assert_error (failure, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
          g_assert_null (result);
          continue;
        }
      g_assert_no_error (failure);
      g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), expected, sizeof expected);
    }
}

static gboolean
run (SessionFixture *fixture, gboolean faulty, gint32 steps, GError **error)
{
  g_autoptr (GPtrArray) inputs = make_inputs (faulty), results = NULL;

  if (!leat_session_replay_batch (fixture->session, N_LANES, inputs, &results, NULL, error))
    return FALSE;
  check_results (fixture, results, faulty, steps);
  g_assert_cmpuint (report_fixture_count_warnings (fixture), ==, faulty ? (guint) steps : 0);
  return TRUE;
}

static guint64
count_calls (SessionFixture *fixture, gboolean faulty, gint32 steps)
{
  g_autoptr (GError) error = NULL;

  fault_driver_plant ("");
  run (fixture, faulty, steps, &error);
  g_assert_no_error (error);
  return fault_driver_count_calls ();
}

static const struct
{
  const char *name, *chain;
  gint32 steps;
} chains[] = { { "one", JUDGE, 1 }, { "two", JUDGE " -> " MEET, 2 }, { "spread", ZED, 1 } };

/* A batch with such a lane makes the calls of one without. */
static void
test_no_calls (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  SessionFixture fixture;

  report_fixture_open (&fixture, chains[i].chain, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "batch", 64, "wait", LEAT_WAIT_BLOCK, NULL);
  count_calls (&fixture, TRUE, chains[i].steps); /* makes the graphs */
  for (guint round = 0; round < 3; round++)
    {
      guint64 clean = count_calls (&fixture, FALSE, chains[i].steps);

      g_assert_cmpuint (clean, >, 0);
      g_assert_cmpuint (count_calls (&fixture, TRUE, chains[i].steps), ==, clean);
    }
  session_fixture_close (&fixture);
}

static guint
get_width (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPlan) plan = leat_session_get_batch_plan (fixture->session, &error);

  g_assert_no_error (error);
  return LEAT_BOUND_PLAN (plan)->traits.entries;
}

/* Pinned memory that is not there makes a launch narrower, and the results are what they were. */
static void
test_narrower (void)
{
  guint widths[2];

  for (guint little = 0; little < 2; little++)
    {
      g_autoptr (GError) error = NULL;
      SessionFixture fixture;
      LeatDevice *device;
      guint64 budget;

      report_fixture_open (&fixture, JUDGE " -> " MEET, LEAT_EXECUTOR_GRAPH);
      device = leat_session_get_device (fixture.session);
      budget = leat_device_get_pinned_budget (device);
      if (little)
        leat_device_set_pinned_budget (device, 16 << 20);
      widths[little] = get_width (&fixture);
      run (&fixture, TRUE, 2, &error);
      g_assert_no_error (error);
      leat_device_set_pinned_budget (device, budget);
      session_fixture_close (&fixture);
    }
  g_assert_cmpuint (widths[1], <, widths[0]);
  g_assert_cmpuint (widths[1], >, 1);
}

/* Each piece of pinned memory in turn, from then on.  FALSE: it asked for fewer. */
static gboolean
refuse (guint n, gboolean *named)
{
  g_autofree char *plant = g_strdup_printf ("host-alloc:%u+", n);
  g_autoptr (GError) error = NULL;
  guint64 alive = fault_driver_count_alive ();
  SessionFixture fixture;
  gboolean good;

  report_fixture_open (&fixture, JUDGE " -> " MEET, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "batch", 64, NULL);
  fault_driver_plant (plant);
  good = run (&fixture, TRUE, 2, &error);
  fault_driver_plant ("");
  if (!good)
    {
      g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
      *named |= strstr (error->message, "what kernels report") != NULL;
      g_clear_error (&error);
      leat_session_close (fixture.session);
      leat_session_open (fixture.session, NULL, &error);
      g_assert_no_error (error);
      run (&fixture, TRUE, 2, &error);
      g_assert_no_error (error);
    }
  session_fixture_close (&fixture);
  g_assert_cmpuint (fault_driver_count_alive (), ==, alive);
  return !good;
}

static void
test_refused (void)
{
  gboolean named = FALSE;
  guint n = 1;

  while (refuse (n, &named))
    g_assert_cmpuint (++n, <, 50);
  g_assert_true (named);
}

/* Of equal lanes that fail each has the error, and what failed is not remembered. */
static void
test_report_costs_equal_lanes (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  report_fixture_open (&fixture, JUDGE, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "memo", LEAT_MEMO_EXACT, NULL);
  g_assert_true (leat_session_open (fixture.session, NULL, &error));
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;

      for (guint lane = 0; lane < 40; lane++)
        {
          gint32 x[] = { (gint32) (lane % 4), lane % 4 == 2 ? -3 : 5 };

          g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
        }
      g_assert_true (leat_session_replay_batch (fixture.session, 40, inputs, &results, NULL, &error));
      g_assert_no_error (error);
      for (guint lane = 0; lane < 40; lane++)
        {
          g_autoptr (GError) failure = leat_session_dup_entry_error (fixture.session, lane);
          GBytes *result = g_ptr_array_index (results, lane);
          const gint32 expected[] = { (gint32) (lane % 4) + 1, 6 };

          if (lane % 4 == 2)
            g_assert_error (failure, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
          else
            g_assert_no_error (failure);
          if (lane % 4 == 2)
            g_assert_null (result);
          else
            g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), expected, sizeof expected);
        }
      g_assert_cmpuint (session_fixture_get_count (&fixture, "entry-errors"), ==, 10 * (round + 1));
    }
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
  report_fixture_init ();
  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    {
      g_autofree char *name = g_strdup_printf ("/leat/session/report-costs/no-calls/%s", chains[i].name);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_no_calls);
    }
  g_test_add_func ("/leat/session/report-costs/narrower", test_narrower);
  g_test_add_func ("/leat/session/report-costs/refused", test_refused);
  g_test_add_func ("/leat/session/report-costs/equal-lanes", test_report_costs_equal_lanes);
  status = g_test_run ();
  report_fixture_clear ();
  return status;
}
