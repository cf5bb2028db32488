/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device-harness.h"

#include "device/leat-stream-private.h"

#include <string.h>

static void
test_device_open_gives_facts (void)
{
  DeviceHarness harness;
  g_autofree char *id = NULL;
  g_autofree char *name = NULL;
  guint64 bytes = 0;
  gboolean is_cpu = TRUE, is_dead = TRUE;

  device_harness_init (&harness, "1000000");
  g_object_get (harness.device, "id", &id, "name", &name, "memory-bytes", &bytes, "is-cpu", &is_cpu, "is-dead",
                &is_dead, NULL);
  g_assert_cmpstr (id, ==, "cuda:0");
  g_assert_cmpstr (name, ==, "Fake 0");
  g_assert_cmpuint (bytes, ==, 1000000);
  g_assert_false (is_cpu);
  g_assert_false (is_dead);
  g_assert_null (leat_device_get_note (harness.device));
  g_assert_cmpuint (leat_device_get_facts (harness.device)->multiprocessors, ==, FAKE_DRIVER_PROCESSORS);
  device_harness_clear (&harness);
}

static void
test_device_open_is_shared (void)
{
  DeviceHarness harness;
  g_autoptr (LeatDevice) again = NULL;
  g_autoptr (LeatDevice) other = NULL;

  device_harness_init (&harness, "1000000");
  again = leat_device_open ("auto", NULL);
  other = leat_device_open ("cuda:1", NULL);
  g_assert_true (again == harness.device);
  g_assert_true (other != harness.device);
  g_assert_cmpstr (leat_device_get_id (other), ==, "cuda:1");
  g_clear_object (&again);
  g_clear_object (&other);
  device_harness_clear (&harness);
}

static void
test_device_open_tells_of_the_cpu (void)
{
  FakeHarness fake;
  g_autoptr (LeatDevice) device = NULL;
  g_autoptr (LeatDevice) again = NULL;

  fake_harness_init (&fake, NULL);
  g_setenv ("LEAT_CUDA_DRIVER", "/proc/nonexistent/libcuda.so.1", TRUE);
  g_setenv ("LEAT_CPU_DRIVER", fake.path, TRUE);
  device = leat_device_open ("cpu", NULL);
  g_assert_true (leat_device_is_cpu (device));
  g_assert_cmpstr (leat_device_get_id (device), ==, "cpu");
  g_assert_null (leat_device_get_note (device));
  again = leat_device_open (NULL, NULL);
  g_assert_true (again == device);
  g_assert_cmpstr (leat_device_get_note (device), ==, "no CUDA driver found; running on the CPU");
  fake_harness_clear (&fake);
}

static void
test_device_open_reports_context (void)
{
  g_autoptr (GError) error = NULL;
  FakeHarness fake;

  fake_harness_init (&fake, NULL);
  g_setenv ("LEAT_CUDA_DRIVER", fake.path, TRUE);
  fake.plan ("cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY, 0);
  g_assert_null (leat_device_open ("cuda:0", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  g_assert_nonnull (strstr (error->message, "cuDevicePrimaryCtxRetain for cuda:0 (Fake 0)"));
  fake_harness_clear (&fake);
}

static CUcontext
get_current (LeatDevice *device)
{
  CUcontext current = NULL;

  leat_device_get_table (device)->cuCtxGetCurrent (&current);
  return current;
}

static void
test_device_push_nests (void)
{
  DeviceHarness harness;
  g_autoptr (LeatDevice) other = NULL;

  device_harness_init (&harness, "1000000");
  other = leat_device_open ("cuda:1", NULL);
  g_assert_true (leat_device_push (harness.device, NULL));
  g_assert_true (leat_device_push (harness.device, NULL));
  g_assert_true (leat_device_push (other, NULL));
  g_assert_true (leat_device_push (harness.device, NULL));
  g_assert_true (get_current (other) == leat_device_get_context (harness.device));
  leat_device_pop (harness.device);
  g_assert_true (get_current (other) == leat_device_get_context (other));
  leat_device_pop (other);
  leat_device_pop (harness.device);
  g_assert_true (get_current (other) == leat_device_get_context (harness.device));
  leat_device_pop (harness.device);
  g_assert_null (get_current (other));
  g_clear_object (&other);
  device_harness_clear (&harness);
}

static void
test_device_push_inside_costs_nothing (void)
{
  DeviceHarness harness;
  LeatDriver *driver;
  g_autoptr (LeatStream) stream = NULL;
  g_autofree char *log = NULL;

  device_harness_init (&harness, "1000000");
  driver = leat_device_get_driver (harness.device);
  stream = leat_stream_new (harness.device, LEAT_STREAM_PRIORITY_NORMAL, NULL);
  g_assert_true (leat_device_push (harness.device, NULL));
  g_assert_true (leat_driver_trace_start (driver, TRUE, NULL));
  g_assert_true (leat_stream_synchronize (stream, NULL));
  leat_driver_trace_stop (driver);
  leat_device_pop (harness.device);
  log = leat_driver_trace_print (driver);
  g_assert_cmpstr (log, ==, "cuStreamSynchronize");
  g_clear_pointer (&stream, leat_stream_free);
  device_harness_clear (&harness);
}

static void
count_notify (GObject *object, GParamSpec *pspec, gpointer count)
{
  ++*(int *) count;
}

static void
test_device_dies_of_sticky_results (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  g_autoptr (LeatStream) stream = NULL;
  int notified = 0;

  device_harness_init (&harness, "1000000");
  g_signal_connect (harness.device, "notify::is-dead", G_CALLBACK (count_notify), &notified);
  stream = leat_stream_new (harness.device, LEAT_STREAM_PRIORITY_HIGH, &error);
  g_assert_no_error (error);

  harness.fake.plan ("cuStreamSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS, 0);
  g_assert_false (leat_stream_synchronize (stream, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_FAILED);
  g_assert_true (leat_device_is_dead (harness.device));
  g_clear_error (&error);

  /* The first reason stays, and nothing reaches the driver. */
  leat_device_mark_dead (harness.device, "another reason");
  harness.fake.plan ("cuStreamSynchronize", CUDA_SUCCESS, 0);
  g_assert_false (leat_stream_synchronize (stream, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_DEVICE_LOST);
  g_assert_nonnull (strstr (error->message, "cuda:0 failed earlier"));
  g_assert_nonnull (strstr (error->message, "CUDA_ERROR_ILLEGAL_ADDRESS"));
  g_assert_cmpint (notified, ==, 1);
  g_clear_pointer (&stream, leat_stream_free);
  device_harness_clear (&harness);
}

static void
test_device_survives_other_results (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  g_autoptr (LeatStream) stream = NULL;

  device_harness_init (&harness, "1000000");
  stream = leat_stream_new (harness.device, LEAT_STREAM_PRIORITY_NORMAL, NULL);
  harness.fake.plan ("cuStreamSynchronize", CUDA_ERROR_INVALID_HANDLE, 0);
  g_assert_false (leat_stream_synchronize (stream, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID);
  g_assert_false (leat_device_is_dead (harness.device));
  harness.fake.plan ("cuStreamSynchronize", CUDA_SUCCESS, 0);
  g_assert_true (leat_stream_synchronize (stream, NULL));
  g_clear_pointer (&stream, leat_stream_free);
  device_harness_clear (&harness);
}

static void
test_device_dies_of_a_hung_wait (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  g_autoptr (LeatEvent) event = NULL;
  gboolean is_done = TRUE;
  gint64 began;

  device_harness_init (&harness, "1000000");
  event = leat_event_new (harness.device, LEAT_EVENT_DEFAULT, NULL);
  harness.fake.plan ("cuEventQuery", CUDA_ERROR_NOT_READY, 0);
  g_assert_true (leat_event_query (event, &is_done, NULL));
  g_assert_false (is_done);
  began = g_get_monotonic_time ();
  g_assert_false (leat_event_synchronize_timed (event, 20000, "blur b0", &error));
  g_assert_cmpint (g_get_monotonic_time () - began, >=, 20000);
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_HUNG);
  g_assert_nonnull (strstr (error->message, "blur b0 on cuda:0 did not end within 0.020 s"));
  g_assert_true (leat_device_is_dead (harness.device));
  g_clear_pointer (&event, leat_event_free);
  device_harness_clear (&harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/device/open/gives-facts", test_device_open_gives_facts);
  g_test_add_func ("/leat/device/open/is-shared", test_device_open_is_shared);
  g_test_add_func ("/leat/device/open/tells-of-the-cpu", test_device_open_tells_of_the_cpu);
  g_test_add_func ("/leat/device/open/reports-context", test_device_open_reports_context);
  g_test_add_func ("/leat/device/push/nests", test_device_push_nests);
  g_test_add_func ("/leat/device/push/inside-costs-nothing", test_device_push_inside_costs_nothing);
  g_test_add_func ("/leat/device/death/of-sticky-results", test_device_dies_of_sticky_results);
  g_test_add_func ("/leat/device/death/not-of-other-results", test_device_survives_other_results);
  g_test_add_func ("/leat/device/death/of-a-hung-wait", test_device_dies_of_a_hung_wait);
  return g_test_run ();
}
