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
test_trace_counts_and_logs (FakeHarness *fake, LeatDriver *driver)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *log = NULL;
  const LeatDriverTable *table = leat_driver_get_table (driver);
  const LeatDriverTable before = *table;
  LeatDriverEntry entries[2];
  CUdeviceptr address = 0;
  CUcontext context = NULL;
  int count = 0;

  leat_driver_trace_start (driver, TRUE, &error);
  g_assert_no_error (error);
  table->cuDeviceGetCount (&count);
  table->cuCtxGetCurrent (&context);
  table->cuDeviceGetCount (&count);
  /* Arguments and results go through. */
  g_assert_cmpint (count, ==, 2);
  fake->plan ("cuMemAlloc", CUDA_ERROR_TIMEOUT, 0);
  g_assert_cmpint (table->cuMemAlloc (&address, 16), ==, CUDA_ERROR_TIMEOUT);
  leat_driver_trace_stop (driver);
  table->cuDeviceGetCount (&count);

  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuDeviceGetCount), ==, 2);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuCtxGetCurrent), ==, 1);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuLaunchKernel), ==, 0);
  g_assert_cmpuint (leat_driver_trace_get_total (driver), ==, 4);
  log = leat_driver_trace_print (driver);
  g_assert_cmpstr (log, ==, "cuDeviceGetCount cuCtxGetCurrent cuDeviceGetCount cuMemAlloc");
  g_assert_cmpuint (leat_driver_trace_get_log (driver, entries, 2), ==, 4);
  g_assert_cmpuint (entries[1], ==, LEAT_DRIVER_ENTRY_cuCtxGetCurrent);
  g_assert_true (table->cuMemAlloc == before.cuMemAlloc);
}

static void
test_trace_starts_anew (LeatDriver *driver)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *log = NULL;

  leat_driver_trace_start (driver, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (leat_driver_trace_get_total (driver), ==, 0);
  leat_driver_get_table (driver)->cuEventQuery (NULL);
  log = leat_driver_trace_print (driver);
  g_assert_cmpstr (log, ==, "");
  g_assert_cmpuint (leat_driver_trace_get_total (driver), ==, 1);
  leat_driver_trace_reset (driver);
  g_assert_cmpuint (leat_driver_trace_get_total (driver), ==, 0);
  leat_driver_trace_stop (driver);
}

static gpointer
call_often (gpointer data)
{
  const LeatDriverTable *table = data;

  for (int i = 0; i < N_CALLS; i++)
    table->cuEventQuery (NULL);
  return NULL;
}

static void
test_trace_counts_from_threads (LeatDriver *driver)
{
  g_autoptr (GError) error = NULL;
  GThread *threads[8];

  leat_driver_trace_start (driver, TRUE, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("calls", call_often, (gpointer) leat_driver_get_table (driver));
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  leat_driver_trace_stop (driver);
  g_assert_cmpuint (leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuEventQuery), ==, 8 * N_CALLS);
  /* More calls than the log holds are counted all the same. */
  g_assert_cmpuint (leat_driver_trace_get_log (driver, NULL, 0), ==, LEAT_DRIVER_TRACE_LOG);
}

/* There are slots for two drivers in a process, so one function tries what one driver can show. */
static void
test_trace_on_one_driver (void)
{
  FakeHarness fake;
  LeatDriver *driver;

  fake_harness_init (&fake, NULL);
  driver = open_fake (&fake);
  test_trace_counts_and_logs (&fake, driver);
  test_trace_starts_anew (driver);
  test_trace_counts_from_threads (driver);
  fake_harness_clear (&fake);
}

static void
test_trace_keeps_drivers_apart (void)
{
  g_autoptr (GError) error = NULL;
  FakeHarness fakes[2];
  LeatDriver *drivers[2];
  int count = 0;

  fake_harness_init (&fakes[0], "FAKE_DRIVER_MISSING", "cuLaunchKernelEx", NULL);
  drivers[0] = open_fake (&fakes[0]);
  leat_driver_trace_start (drivers[0], FALSE, &error);
  g_assert_no_error (error);
  /* What a driver lacks is not there while it is traced either. */
  g_assert_null (leat_driver_get_table (drivers[0])->cuLaunchKernelEx);
  g_assert_nonnull (leat_driver_get_table (drivers[0])->cuLaunchKernel);

  fake_harness_init (&fakes[1], NULL);
  drivers[1] = open_fake (&fakes[1]);
  g_assert_false (leat_driver_trace_start (drivers[1], FALSE, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_FAILED);

  leat_driver_get_table (drivers[0])->cuDeviceGetCount (&count);
  leat_driver_get_table (drivers[1])->cuDeviceGetCount (&count);
  g_assert_cmpuint (leat_driver_trace_get_total (drivers[0]), ==, 1);
  g_assert_cmpuint (leat_driver_trace_get_total (drivers[1]), ==, 0);
  leat_driver_trace_stop (drivers[0]);
  fake_harness_clear (&fakes[0]);
  fake_harness_clear (&fakes[1]);
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
  g_test_add_func ("/leat/driver/trace/on-one-driver", test_trace_on_one_driver);
  g_test_add_func ("/leat/driver/trace/keeps-drivers-apart", test_trace_keeps_drivers_apart);
  g_test_add_func ("/leat/driver/trace/entries-have-names", test_trace_entries_have_names);
  return g_test_run ();
}
