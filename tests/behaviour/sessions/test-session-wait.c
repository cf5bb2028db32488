/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include "driver/leat-driver-private.h"

#define MAP  "app name=source spec=f32[256] -> upload -> map expr=\"2*x+1\" -> readback -> app name=sink"
#define N    256
#define RUNS 20

typedef struct
{
  LeatWait wait;
  const char *cpu, *gpu; /* what a run in steady state calls: a regular expression */
} WaitCase;

#define SLEEP " cuEventRecord cuEventSynchronize"
#define LOOK  "( cuStreamQuery)+"

static const WaitCase cases[] = {
  { LEAT_WAIT_AUTO, "^cuGraphLaunch cuStreamSynchronize$", "^cuGraphLaunch(" LOOK ")?(" SLEEP ")?$" },
  { LEAT_WAIT_SPIN, "^cuGraphLaunch" LOOK "(" SLEEP ")?$", "^cuGraphLaunch" LOOK "(" SLEEP ")?$" },
  { LEAT_WAIT_BLOCK, "^cuGraphLaunch" SLEEP "$", "^cuGraphLaunch" SLEEP "$" },
};

static void
fixture_run (SessionFixture *fixture, guint seed)
{
  g_autoptr (GBytes) output = NULL;
  const float *y;
  float x[N];

  for (guint i = 0; i < N; i++)
    x[i] = (float) (i + seed);
  output = session_fixture_run (fixture, x, sizeof x);
  y = g_bytes_get_data (output, NULL);
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, 2 * x[i] + 1);
}

static void
test_session_wait_calls (gconstpointer data)
{
  const WaitCase *c = data;
  SessionFixture fixture;
  LeatDriver *driver;
  const char *expected;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "wait", c->wait, NULL);
  expected = leat_device_is_cpu (leat_session_get_device (fixture.session)) ? c->cpu : c->gpu;
  driver = leat_device_get_driver (leat_session_get_device (fixture.session));
  fixture_run (&fixture, 0);
  g_assert_true (leat_driver_trace_start (driver, TRUE, &error));
  g_assert_no_error (error);
  for (guint run = 0; run < RUNS; run++)
    {
      g_autofree char *log = NULL;

      leat_driver_trace_reset (driver);
      fixture_run (&fixture, run);
      log = leat_driver_trace_print (driver);
      if (!g_regex_match_simple (expected, log, 0, 0))
        g_error ("\"%s\" is not %s", log, expected);
    }
  leat_driver_trace_stop (driver);
  session_fixture_close (&fixture);
}

/* However it waits, a run is one wait, as the plan says. */
static void
test_session_wait_is_one_wait (gconstpointer data)
{
  const WaitCase *c = data;
  SessionFixture fixture;
  g_autoptr (GVariant) counts = NULL;
  g_autoptr (GError) error = NULL;
  guint64 waits = 0;
  g_autoptr (LeatPlan) plan = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "wait", c->wait, NULL);
  g_assert_true (leat_session_start_counting (fixture.session, &error));
  g_assert_no_error (error);
  for (guint run = 0; run < RUNS; run++)
    fixture_run (&fixture, run);
  counts = leat_session_stop_counting (fixture.session, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (counts, "waits", "t", &waits));
  plan = leat_session_dup_plan (fixture.session);
  g_assert_cmpuint (waits, ==, RUNS * LEAT_BOUND_PLAN (plan)->prediction.waits);
  g_clear_object (&plan);
  session_fixture_close (&fixture);
}

/* The policy may change from run to run. */
static void
test_session_wait_changes (void)
{
  SessionFixture fixture;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  for (guint run = 0; run < 3 * G_N_ELEMENTS (cases); run++)
    {
      LeatWait wait;

      g_object_set (fixture.session, "wait", cases[run % G_N_ELEMENTS (cases)].wait, NULL);
      g_object_get (fixture.session, "wait", &wait, NULL);
      g_assert_cmpint (wait, ==, cases[run % G_N_ELEMENTS (cases)].wait);
      fixture_run (&fixture, run);
    }
  session_fixture_close (&fixture);
}

static void
test_session_wait_eager (gconstpointer data)
{
  const WaitCase *c = data;
  SessionFixture fixture;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_EAGER);
  g_object_set (fixture.session, "wait", c->wait, NULL);
  for (guint run = 0; run < RUNS; run++)
    fixture_run (&fixture, run);
  session_fixture_close (&fixture);
}

static unsigned
get_context_flags (LeatDevice *device)
{
  unsigned flags = 0;
  int active;

  g_assert_cmpint ((*leat_device_get_table (device)->cuDevicePrimaryCtxGetState) (
                     leat_device_get_facts (device)->device, &flags, &active),
                   ==, CUDA_SUCCESS);
  return flags;
}

static void
run_with (LeatWait wait)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  g_object_set (fixture.session, "wait", wait, NULL);
  fixture_run (&fixture, 0);
  g_assert_cmpint (leat_session_get_fd (fixture.session, &error), >=, 0); /* a thread that waits, too */
  g_assert_no_error (error);
  fixture_run (&fixture, 1);
  session_fixture_close (&fixture);
}

/* Another library of the process may have set them, and lives with how the driver waits then. */
static void
test_session_wait_leaves_the_flags (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &error);
  const unsigned others = CU_CTX_SCHED_YIELD;
  unsigned before, set;

  g_assert_no_error (error);
  before = get_context_flags (device);
  /* A driver need not take others while the context is there. */
  (*leat_device_get_table (device)->cuDevicePrimaryCtxSetFlags) (leat_device_get_facts (device)->device, others);
  set = get_context_flags (device);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      run_with (cases[i].wait);
      g_assert_cmpuint (get_context_flags (device), ==, set);
    }
  (*leat_device_get_table (device)->cuDevicePrimaryCtxSetFlags) (leat_device_get_facts (device)->device, before);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "auto", "spin", "block" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *calls = g_strdup_printf ("/leat/session/wait/calls/%s", names[i]);
      g_autofree char *one = g_strdup_printf ("/leat/session/wait/is-one-wait/%s", names[i]);
      g_autofree char *eager = g_strdup_printf ("/leat/session/wait/eager/%s", names[i]);

      g_test_add_data_func (calls, &cases[i], test_session_wait_calls);
      g_test_add_data_func (one, &cases[i], test_session_wait_is_one_wait);
      g_test_add_data_func (eager, &cases[i], test_session_wait_eager);
    }
  g_test_add_func ("/leat/session/wait/changes", test_session_wait_changes);
  g_test_add_func ("/leat/session/wait/leaves-the-flags", test_session_wait_leaves_the_flags);
  return g_test_run ();
}
