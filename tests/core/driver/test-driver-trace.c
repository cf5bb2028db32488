/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fake-driver-harness.h"

#define N_CALLS 10000

static LeatDriver *
open_fake (FakeHarness *fake)
{
  g_autoptr (GError) error = NULL;
  LeatDriver *driver = leat_driver_open (LEAT_DRIVER_CUDA, fake->path, &error);

  g_assert_no_error (error);
  return driver;
}

static void
test_trace_counts_and_logs (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *log = NULL;
  FakeHarness fake;
  LeatDriver *driver;
  const LeatDriverTable *table;
  LeatDriverEntry entries[2];
  CUdeviceptr address = 0;
  CUcontext context = NULL;
  int count = 0;

  fake_harness_init (&fake, NULL);
  driver = open_fake (&fake);
  table = leat_driver_get_table (driver);
  leat_driver_trace_start (driver, TRUE, &error);
  g_assert_no_error (error);
  table->cuDeviceGetCount (&count);
  table->cuCtxGetCurrent (&context);
  table->cuDeviceGetCount (&count);
  /* Arguments and results go through. */
  g_assert_cmpint (count, ==, 2);
  fake.plan ("cuMemAlloc", CUDA_ERROR_TIMEOUT, 0);
  g_assert_cmpint (table->cuMemAlloc (&address, 16), ==, CUDA_ERROR_TIMEOUT);
  leat_driver_trace_stop (driver);
  table->cuDeviceGetCount (&count);

  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuDeviceGetCount), ==, 2);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuCtxGetCurrent), ==, 1);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuLaunchKernel), ==, 0);
  g_assert_cmpuint (leat_driver_trace_get_run_total (driver), ==, 4);
  log = leat_driver_trace_print (driver);
  g_assert_cmpstr (log, ==, "cuDeviceGetCount cuCtxGetCurrent cuDeviceGetCount cuMemAlloc");
  g_assert_cmpuint (leat_driver_trace_get_log (driver, entries, 2), ==, 4);
  g_assert_cmpuint (entries[1], ==, LEAT_DRIVER_ENTRY_cuCtxGetCurrent);
  fake_harness_clear (&fake);
}

static void
test_trace_stop_restores_functions (void)
{
  FakeHarness fake;
  LeatDriver *driver;
  LeatDriverTable before;

  fake_harness_init (&fake, NULL);
  driver = open_fake (&fake);
  before = *leat_driver_get_table (driver);
  leat_driver_trace_stop (driver);
  g_assert_true (leat_driver_trace_start (driver, FALSE, NULL));
  g_assert_true (leat_driver_get_table (driver)->cuMemAlloc != before.cuMemAlloc);
  leat_driver_trace_stop (driver);
  g_assert_cmpmem (leat_driver_get_table (driver), sizeof before, &before, sizeof before);
  fake_harness_clear (&fake);
}

static void
test_trace_starts_anew (void)
{
  g_autofree char *log = NULL;
  FakeHarness fake;
  LeatDriver *driver;

  fake_harness_init (&fake, NULL);
  driver = open_fake (&fake);
  g_assert_true (leat_driver_trace_start (driver, TRUE, NULL));
  leat_driver_get_table (driver)->cuEventQuery (NULL);
  g_assert_true (leat_driver_trace_start (driver, FALSE, NULL));
  g_assert_cmpuint (leat_driver_trace_get_run_total (driver), ==, 0);
  leat_driver_get_table (driver)->cuEventQuery (NULL);
  g_assert_cmpuint (leat_driver_trace_get_run_total (driver), ==, 1);
  log = leat_driver_trace_print (driver);
  g_assert_cmpstr (log, ==, "");
  leat_driver_trace_reset (driver);
  g_assert_cmpuint (leat_driver_trace_get_run_total (driver), ==, 0);
  leat_driver_trace_stop (driver);
  fake_harness_clear (&fake);
}

static gpointer
call_often (gpointer data)
{
  const LeatDriverTable *table = data;

  for (int i = 0; i < N_CALLS; i++)
    table->cuEventQuery (NULL);
  return NULL;
}

static gpointer
call_once (gpointer data)
{
  const LeatDriverTable *table = data;

  table->cuEventQuery (NULL);
  return NULL;
}

/* By the thread that said so, as deep as it said so. */
static void
test_trace_leaves_out_what_is_aside (void)
{
  FakeHarness fake;
  LeatDriver *driver;
  const LeatDriverTable *table;
  CUcontext context;

  fake_harness_init (&fake, NULL);
  driver = open_fake (&fake);
  table = leat_driver_get_table (driver);
  g_assert_true (leat_driver_trace_start (driver, FALSE, NULL));
  leat_driver_trace_begin_aside ();
  leat_driver_trace_begin_aside ();
  table->cuEventQuery (NULL);
  leat_driver_trace_end_aside ();
  table->cuCtxGetCurrent (&context);
  g_thread_join (g_thread_new ("beside", call_once, (gpointer) table));
  leat_driver_trace_end_aside ();
  table->cuEventQuery (NULL);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuEventQuery), ==, 3);
  g_assert_cmpuint (leat_driver_trace_get_run_count (driver, LEAT_DRIVER_ENTRY_cuEventQuery), ==, 2);
  g_assert_cmpuint (leat_driver_trace_get_run_count (driver, LEAT_DRIVER_ENTRY_cuCtxGetCurrent), ==, 0);
  g_assert_cmpuint (leat_driver_trace_get_run_total (driver), ==, 2);
  leat_driver_trace_reset (driver);
  g_assert_cmpuint (leat_driver_trace_get_run_total (driver), ==, 0);
  fake_harness_clear (&fake);
}

static void
test_trace_counts_from_threads (void)
{
  FakeHarness fake;
  LeatDriver *driver;
  GThread *threads[8];

  fake_harness_init (&fake, NULL);
  driver = open_fake (&fake);
  g_assert_true (leat_driver_trace_start (driver, TRUE, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("calls", call_often, (gpointer) leat_driver_get_table (driver));
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuEventQuery), ==, 8 * N_CALLS);
  /* More calls than the log holds are counted all the same. */
  g_assert_cmpuint (leat_driver_trace_get_log (driver, NULL, 0), ==, LEAT_DRIVER_TRACE_LOG);
  fake_harness_clear (&fake);
}

typedef struct
{
  const LeatDriverTable *table;
  gboolean end;     /* atomic */
  guint64 n_calls;  /* atomic */
  guint64 n_absent; /* times that the function that the driver lacks was there */
} TraceCaller;

static gpointer
call_to_the_end (gpointer data)
{
  TraceCaller *self = data;

  while (!g_atomic_int_get (&self->end))
    {
      (*self->table->cuEventQuery) (NULL);
      self->n_absent += self->table->cuLaunchKernelEx != NULL;
      __atomic_fetch_add (&self->n_calls, 1, __ATOMIC_RELAXED);
    }
  return NULL;
}

static void
await_calls (TraceCaller *caller, guint64 n)
{
  guint64 goal = __atomic_load_n (&caller->n_calls, __ATOMIC_RELAXED) + n;

  while (__atomic_load_n (&caller->n_calls, __ATOMIC_RELAXED) < goal)
    g_thread_yield ();
}

/* Sessions of other threads run while one counts. */
static void
test_trace_starts_and_stops_under_calls (void)
{
  FakeHarness fake;
  LeatDriver *driver;
  TraceCaller caller = { 0 };
  GThread *thread;

  fake_harness_init (&fake, "FAKE_DRIVER_MISSING", "cuLaunchKernelEx", NULL);
  driver = open_fake (&fake);
  caller.table = leat_driver_get_table (driver);
  thread = g_thread_new ("calls", call_to_the_end, &caller);
  for (guint i = 0; i < 100; i++)
    {
      g_assert_true (leat_driver_trace_start (driver, i % 2 == 0, NULL));
      await_calls (&caller, 3);
      leat_driver_trace_stop (driver);
      g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuEventQuery), >=, 2);
      g_assert_cmpuint (leat_driver_trace_get_log (driver, NULL, 0), >=, i % 2 == 0 ? 2 : 0);
    }
  g_atomic_int_set (&caller.end, TRUE);
  g_thread_join (thread);
  g_assert_cmpuint (caller.n_absent, ==, 0);
  fake_harness_clear (&fake);
}

static void
test_trace_keeps_drivers_apart (void)
{
  g_autoptr (GError) error = NULL;
  FakeHarness fakes[3];
  LeatDriver *drivers[3];
  int count = 0;

  for (int i = 0; i < 3; i++)
    {
      fake_harness_init (&fakes[i], NULL);
      drivers[i] = open_fake (&fakes[i]);
    }
  g_assert_true (leat_driver_trace_start (drivers[0], FALSE, NULL));
  g_assert_true (leat_driver_trace_start (drivers[1], FALSE, NULL));
  g_assert_false (leat_driver_trace_start (drivers[2], FALSE, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_FAILED);

  leat_driver_get_table (drivers[0])->cuDeviceGetCount (&count);
  for (int i = 0; i < 3; i++)
    leat_driver_get_table (drivers[1])->cuDeviceGetCount (&count);
  g_assert_cmpuint (leat_driver_trace_get_run_total (drivers[0]), ==, 1);
  g_assert_cmpuint (leat_driver_trace_get_run_total (drivers[1]), ==, 3);
  leat_driver_trace_stop (drivers[0]);
  g_assert_cmpuint (leat_driver_trace_get_run_total (drivers[0]), ==, 1);

  /* The place of a trace that stopped is taken when it is needed. */
  g_assert_true (leat_driver_trace_start (drivers[2], FALSE, NULL));
  g_assert_cmpuint (leat_driver_trace_get_run_total (drivers[0]), ==, 0);
  g_assert_cmpuint (leat_driver_trace_get_run_total (drivers[1]), ==, 3);
  leat_driver_trace_stop (drivers[1]);
  leat_driver_trace_stop (drivers[2]);
  for (int i = 0; i < 3; i++)
    fake_harness_clear (&fakes[i]);
}

static void
test_trace_adds_no_entries (void)
{
  FakeHarness fake;
  LeatDriver *driver;

  fake_harness_init (&fake, "FAKE_DRIVER_MISSING", "cuLaunchKernelEx", NULL);
  driver = open_fake (&fake);
  g_assert_true (leat_driver_trace_start (driver, FALSE, NULL));
  g_assert_null (leat_driver_get_table (driver)->cuLaunchKernelEx);
  g_assert_nonnull (leat_driver_get_table (driver)->cuLaunchKernel);
  leat_driver_trace_stop (driver);
  fake_harness_clear (&fake);
}

static void
test_trace_entries_have_names (void)
{
  g_assert_cmpstr (leat_driver_entry_get_name (LEAT_DRIVER_ENTRY_cuInit), ==, "cuInit");
  g_assert_cmpstr (leat_driver_entry_get_name (LEAT_DRIVER_ENTRY_cuGraphLaunch), ==, "cuGraphLaunch");
  g_assert_cmpstr (leat_driver_entry_get_group (LEAT_DRIVER_ENTRY_cuGraphLaunch), ==, "graph");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/driver/trace/counts-and-logs", test_trace_counts_and_logs);
  g_test_add_func ("/leat/driver/trace/stop-restores-functions", test_trace_stop_restores_functions);
  g_test_add_func ("/leat/driver/trace/starts-anew", test_trace_starts_anew);
  g_test_add_func ("/leat/driver/trace/keeps-drivers-apart", test_trace_keeps_drivers_apart);
  g_test_add_func ("/leat/driver/trace/adds-no-entries", test_trace_adds_no_entries);
  g_test_add_func ("/leat/driver/trace/entries-have-names", test_trace_entries_have_names);
  g_test_add_func ("/leat/driver/trace/counts-from-threads", test_trace_counts_from_threads);
  g_test_add_func ("/leat/driver/trace/leaves-out-what-is-aside", test_trace_leaves_out_what_is_aside);
  g_test_add_func ("/leat/driver/trace/starts-and-stops-under-calls", test_trace_starts_and_stops_under_calls);
  return g_test_run ();
}
