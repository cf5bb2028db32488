/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fake-driver-harness.h"

#include <glib/gstdio.h>
#include <string.h>

static LeatDriver *
open_fake (FakeHarness *fake)
{
  g_autoptr (GError) error = NULL;
  LeatDriver *driver = leat_driver_open (LEAT_DRIVER_CUDA, fake->path, &error);

  g_assert_no_error (error);
  g_assert_nonnull (driver);
  return driver;
}

static void
test_driver_open_fills_table (void)
{
  FakeHarness fake;
  LeatDriver *driver;
  const LeatDriverTable *table;
  int count = 0;

  fake_harness_init (&fake, NULL);
  driver = open_fake (&fake);
  table = leat_driver_get_table (driver);
  g_assert_cmpint (leat_driver_get_version (driver), ==, 12040);
  g_assert_cmpuint (leat_driver_get_device_count (driver), ==, 2);
  g_assert_cmpint (leat_driver_get_kind (driver), ==, LEAT_DRIVER_CUDA);
  g_assert_cmpstr (leat_driver_get_path (driver), ==, fake.path);
#define LEAT_ENTRY(group, need, name, exported, version, params, args) g_assert_nonnull (table->name);
#include "driver/leat-driver-entries.h"
  g_assert_cmpint (table->cuDeviceGetCount (&count), ==, CUDA_SUCCESS);
  g_assert_cmpint (count, ==, 2);
  fake_harness_clear (&fake);
}

static void
test_driver_open_is_shared (void)
{
  FakeHarness fake;

  fake_harness_init (&fake, NULL);
  g_assert_true (open_fake (&fake) == open_fake (&fake));
  fake_harness_clear (&fake);
}

static void
test_driver_open_does_without_optional_entries (void)
{
  FakeHarness fake;
  const LeatDriverTable *table;

  fake_harness_init (&fake, "FAKE_DRIVER_MISSING", "cuGraphConditionalHandleCreate,cuLaunchKernelEx", NULL);
  table = leat_driver_get_table (open_fake (&fake));
  g_assert_null (table->cuGraphConditionalHandleCreate);
  g_assert_null (table->cuLaunchKernelEx);
  g_assert_nonnull (table->cuLaunchKernel);
  fake_harness_clear (&fake);
}

static void
assert_open_fails (const char *path, LeatDriverError code, const char *text)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_driver_open (LEAT_DRIVER_CUDA, path, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, text));
  g_assert_nonnull (strstr (error->message, path));
}

static void
test_driver_open_names_missing_entries (void)
{
  FakeHarness fake;

  fake_harness_init (&fake, "FAKE_DRIVER_MISSING", "cuLaunchKernel,cuMemAlloc", NULL);
  assert_open_fails (fake.path, LEAT_DRIVER_ERROR_TOO_OLD, "lacks cuMemAlloc, cuLaunchKernel: ");
  fake_harness_clear (&fake);
}

static void
test_driver_open_refuses_old_versions (void)
{
  FakeHarness fake;

  fake_harness_init (&fake, "FAKE_DRIVER_VERSION", "12030", "FAKE_DRIVER_MISSING", "cuMemAlloc", NULL);
  assert_open_fails (fake.path, LEAT_DRIVER_ERROR_TOO_OLD, "is for CUDA 12.3: Leat needs 12.4");
  fake_harness_clear (&fake);
}

static void
test_driver_open_reports_failing_init (void)
{
  FakeHarness fake;

  fake_harness_init (&fake, "FAKE_DRIVER_INIT", "803", NULL);
  assert_open_fails (fake.path, LEAT_DRIVER_ERROR_NO_DRIVER, "cuInit for ");
  fake_harness_clear (&fake);
}

static void
test_driver_open_reports_absent_library (void)
{
  assert_open_fails ("/proc/nonexistent/libcuda.so.1", LEAT_DRIVER_ERROR_NO_DRIVER, "no driver library");
  assert_open_fails ("libnonexistent.so.1", LEAT_DRIVER_ERROR_NO_DRIVER, "no driver library");
}

static void
test_driver_open_reports_broken_library (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  int file = g_file_open_tmp ("leat-broken-XXXXXX.so", &path, &error);

  g_assert_no_error (error);
  g_close (file, NULL);
  g_file_set_contents (path, "not a library", -1, &error);
  g_assert_no_error (error);
  assert_open_fails (path, LEAT_DRIVER_ERROR_FAILED, "cannot load the driver library");
  g_remove (path);
}

static void
test_driver_open_refuses_other_libraries (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_driver_open (LEAT_DRIVER_CUDA, "libc.so.6", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_TOO_OLD);
  g_assert_nonnull (strstr (error->message, "has no cuGetProcAddress_v2"));
}

static void
test_driver_probe_reads_facts (void)
{
  g_autoptr (GError) error = NULL;
  FakeHarness fake;
  LeatDeviceFacts facts;

  fake_harness_init (&fake, NULL);
  leat_driver_probe (open_fake (&fake), 1, &facts, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (facts.ordinal, ==, 1);
  g_assert_cmpstr (facts.name, ==, "Fake 1");
  g_assert_cmpint (facts.driver_version, ==, 12040);
  g_assert_cmpuint (facts.memory_bytes, ==, 1 << 30);
  g_assert_cmpuint (facts.compute_major, ==, 9);
  g_assert_cmpuint (facts.multiprocessors, ==, FAKE_DRIVER_PROCESSORS);
  g_assert_cmpuint (facts.max_grid[1], ==, 65535);
  g_assert_cmpuint (facts.max_block[2], ==, 64);
  g_assert_cmpuint (facts.max_shared_per_block_optin, ==, FAKE_DRIVER_SHARED_OPTIN);
  g_assert_true (facts.cooperative_launch);
  g_assert_false (facts.integrated);
  g_assert_false (facts.prohibited);
  g_assert_cmpstr (facts.pci_bus_id, ==, "");
  fake_harness_clear (&fake);
}

static void
test_driver_probe_reports_failures (void)
{
  g_autoptr (GError) error = NULL;
  FakeHarness fake;
  LeatDeviceFacts facts;

  fake_harness_init (&fake, NULL);
  fake.plan ("cuDeviceGetAttribute", CUDA_ERROR_INVALID_DEVICE, 3);
  g_assert_false (leat_driver_probe (open_fake (&fake), 0, &facts, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NO_DEVICE);
  fake_harness_clear (&fake);
}

static void
test_driver_error_names_call_and_code (void)
{
  g_autoptr (GError) error = NULL;
  FakeHarness fake;
  const LeatDriverTable *table;

  fake_harness_init (&fake, NULL);
  table = leat_driver_get_table (open_fake (&fake));
  g_assert_false (
    leat_driver_set_error (&error, table, "cuLaunchKernel", CUDA_ERROR_ILLEGAL_ADDRESS, "blur \"%s\"", "b0"));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_FAILED);
  g_assert_cmpstr (error->message, ==, "cuLaunchKernel for blur \"b0\": CUDA_ERROR_ILLEGAL_ADDRESS 700 (fake)");
  g_assert_cmpstr (leat_driver_get_result_name (table, (CUresult) 12345), ==, "unnamed error");
  g_assert_cmpstr (leat_driver_get_result_name (NULL, CUDA_ERROR_TIMEOUT), ==, "unnamed error");
  fake_harness_clear (&fake);
}

static void
test_driver_error_has_codes (void)
{
  static const struct
  {
    CUresult result;
    LeatDriverError code;
    gboolean sticky;
  } rows[] = {
    { CUDA_ERROR_INVALID_VALUE, LEAT_DRIVER_ERROR_INVALID, FALSE },
    { CUDA_ERROR_OUT_OF_MEMORY, LEAT_DRIVER_ERROR_OUT_OF_MEMORY, FALSE },
    { CUDA_ERROR_NO_BINARY_FOR_GPU, LEAT_DRIVER_ERROR_IMAGE, FALSE },
    { CUDA_ERROR_NOT_FOUND, LEAT_DRIVER_ERROR_NOT_FOUND, FALSE },
    { CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, LEAT_DRIVER_ERROR_LAUNCH_LIMIT, FALSE },
    { CUDA_ERROR_ILLEGAL_ADDRESS, LEAT_DRIVER_ERROR_LAUNCH_FAILED, TRUE },
    { CUDA_ERROR_LAUNCH_FAILED, LEAT_DRIVER_ERROR_LAUNCH_FAILED, TRUE },
    { CUDA_ERROR_ECC_UNCORRECTABLE, LEAT_DRIVER_ERROR_DEVICE_LOST, TRUE },
    { CUDA_ERROR_LAUNCH_TIMEOUT, LEAT_DRIVER_ERROR_HUNG, TRUE },
    { CUDA_ERROR_NOT_SUPPORTED, LEAT_DRIVER_ERROR_UNSUPPORTED, FALSE },
    { CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, LEAT_DRIVER_ERROR_CAPTURE, FALSE },
    { CUDA_ERROR_PROFILER_DISABLED, LEAT_DRIVER_ERROR_FAILED, FALSE },
    { (CUresult) 12345, LEAT_DRIVER_ERROR_FAILED, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_assert_cmpint (leat_driver_error_from_result (rows[i].result), ==, rows[i].code);
      g_assert_cmpint (leat_driver_result_is_sticky (rows[i].result), ==, rows[i].sticky);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/driver/open/fills-table", test_driver_open_fills_table);
  g_test_add_func ("/leat/driver/open/is-shared", test_driver_open_is_shared);
  g_test_add_func ("/leat/driver/open/does-without-optional-entries", test_driver_open_does_without_optional_entries);
  g_test_add_func ("/leat/driver/open/names-missing-entries", test_driver_open_names_missing_entries);
  g_test_add_func ("/leat/driver/open/refuses-old-versions", test_driver_open_refuses_old_versions);
  g_test_add_func ("/leat/driver/open/reports-failing-init", test_driver_open_reports_failing_init);
  g_test_add_func ("/leat/driver/open/reports-absent-library", test_driver_open_reports_absent_library);
  g_test_add_func ("/leat/driver/open/reports-broken-library", test_driver_open_reports_broken_library);
  g_test_add_func ("/leat/driver/open/refuses-other-libraries", test_driver_open_refuses_other_libraries);
  g_test_add_func ("/leat/driver/probe/reads-facts", test_driver_probe_reads_facts);
  g_test_add_func ("/leat/driver/probe/reports-failures", test_driver_probe_reports_failures);
  g_test_add_func ("/leat/driver/error/names-call-and-code", test_driver_error_names_call_and_code);
  g_test_add_func ("/leat/driver/error/has-codes", test_driver_error_has_codes);
  return g_test_run ();
}
