/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "buffer-fixture.h"

#include "buffer/leat-device-buffer-private.h"

#include <string.h>

static LeatDeviceBuffer *
new_spec_buffer (LeatDevice *device, const char *text, GError **error)
{
  g_autoptr (LeatSpec) spec = leat_spec_parse (text, NULL);

  return leat_device_buffer_new_for_spec (device, spec, error);
}

static void
assert_bytes (LeatDeviceBuffer *buffer, guint64 offset, const char *expected, gsize n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) found = leat_device_buffer_download (buffer, offset, n, &error);

  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), expected, n);
}

static void
test_device_buffer_keeps_bytes (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, 8);
  g_autoptr (LeatDeviceBuffer) other = buffer_fixture_new_buffer (device, 8);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("abc", 3);
  g_autoptr (GBytes) nothing = g_bytes_new_static ("", 0);
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_device_buffer_get_device (buffer) == device);
  g_assert_null (leat_device_buffer_get_spec (buffer));
  g_assert_cmpuint (leat_device_buffer_get_bytes (buffer), ==, 8);
  assert_bytes (buffer, 0, "\0\0\0\0\0\0\0\0", 8);
  leat_device_buffer_upload (buffer, 2, bytes, &error);
  g_assert_no_error (error);
  leat_device_buffer_upload (buffer, 8, nothing, &error);
  g_assert_no_error (error);
  leat_device_buffer_fill (buffer, 6, 2, 'z', &error);
  g_assert_no_error (error);
  leat_device_buffer_copy (other, 1, buffer, 2, 6, &error);
  g_assert_no_error (error);
  assert_bytes (buffer, 0, "\0\0abc\0zz", 8);
  assert_bytes (other, 0, "\0abc\0zz\0", 8);
  assert_bytes (other, 8, "", 0);
  leat_device_buffer_copy (buffer, 0, buffer, 6, 2, &error);
  g_assert_no_error (error);
  assert_bytes (buffer, 0, "zzabc\0zz", 8);
}

static void
test_device_buffer_counts (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, 64);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("abc", 3);
  g_autoptr (GVariant) stats = NULL;
  guint64 requests = 0, transfers = 0, up = 0, down = 0, filled = 0;

  leat_device_buffer_upload (buffer, 2, bytes, NULL);
  leat_device_buffer_fill (buffer, 6, 20, 'z', NULL);
  assert_bytes (buffer, 2, "abc", 3);
  assert_bytes (buffer, 2, "", 0);
  stats = leat_device_buffer_dup_stats (buffer);
  g_assert_true (g_variant_lookup (stats, "requests", "t", &requests));
  g_assert_true (g_variant_lookup (stats, "transfers", "t", &transfers));
  g_assert_true (g_variant_lookup (stats, "bytes-up", "t", &up));
  g_assert_true (g_variant_lookup (stats, "bytes-down", "t", &down));
  g_assert_true (g_variant_lookup (stats, "bytes-filled", "t", &filled));
  g_assert_cmpuint (requests, ==, 3);
  g_assert_cmpuint (transfers, ==, 3);
  g_assert_cmpuint (up, ==, 3);
  g_assert_cmpuint (down, ==, 3);
  g_assert_cmpuint (filled, ==, 20);
}

static void
test_device_buffer_of_a_spec (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDeviceBuffer) fixed = new_spec_buffer (device, "f32[4,5]", &error);
  g_autoptr (LeatDeviceBuffer) bounded = new_spec_buffer (device, "u8[<=16]", &error);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("0123456789abcdef", 16);
  guint64 count = 7;

  g_assert_no_error (error);
  g_assert_cmpuint (leat_device_buffer_get_bytes (fixed), ==, 80);
  g_assert_cmpuint (leat_device_buffer_get_bytes (bounded), ==, 16);
  leat_device_buffer_upload (bounded, 0, bytes, &error);
  g_assert_no_error (error);
  g_assert_true (leat_device_buffer_get_count (bounded, &count, &error));
  g_assert_cmpuint (count, ==, 0);
  g_assert_true (leat_device_buffer_set_count (bounded, 16, &error));
  g_assert_true (leat_device_buffer_get_count (bounded, &count, &error));
  g_assert_cmpuint (count, ==, 16);
  assert_bytes (bounded, 12, "cdef", 4);
  g_assert_false (leat_device_buffer_set_count (bounded, 17, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_SPEC);
  g_clear_error (&error);
  g_assert_false (leat_device_buffer_get_count (fixed, &count, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_SPEC);
  g_clear_error (&error);
  g_assert_false (leat_device_buffer_set_count (fixed, 1, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_SPEC);
  g_clear_error (&error);
  g_assert_null (new_spec_buffer (device, "f32[n]", &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_SPEC);
}

static void
test_device_buffer_refuses_what_is_outside (void)
{
  static const guint64 rows[][2] = { { 0, 65 }, { 64, 1 }, { 65, 0 }, { G_MAXUINT64, 1 }, { 1, G_MAXUINT64 } };
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, 64);
  g_autoptr (LeatDeviceBuffer) bounded = new_spec_buffer (device, "u8[<=64]", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (leat_device_buffer_download (buffer, rows[i][0], rows[i][1], &error));
      g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RANGE);
      g_clear_error (&error);
      g_assert_false (leat_device_buffer_fill (bounded, rows[i][0], rows[i][1], 1, &error));
      g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RANGE);
      g_clear_error (&error);
      g_assert_false (leat_device_buffer_copy (buffer, 0, bounded, rows[i][0], rows[i][1], &error));
      g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RANGE);
    }
}

static void
test_device_buffer_refuses_overlapping_copy (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, 64);
  g_autoptr (GError) error = NULL;

  g_assert_false (leat_device_buffer_copy (buffer, 0, buffer, 10, 11, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RANGE);
}

static void
test_device_buffer_is_given_back_once (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, 64);
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_device_buffer_release (buffer, &error));
  g_assert_false (leat_device_buffer_release (buffer, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RELEASED);
  g_clear_error (&error);
  g_assert_false (leat_device_buffer_fill (buffer, 0, 1, 1, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RELEASED);
}

static void
test_device_buffer_stays_while_in_flight (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, 64);
  g_autoptr (GError) error = NULL;

  g_assert_false (leat_device_buffer_is_in_flight (buffer));
  g_assert_true (leat_device_buffer_enter (buffer, LEAT_BUFFER_USE_RUN, &error));
  g_assert_true (leat_device_buffer_enter (buffer, LEAT_BUFFER_USE_RUN, &error));
  g_assert_true (leat_device_buffer_is_in_flight (buffer));
  g_assert_false (leat_device_buffer_release (buffer, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_BUSY);
  g_clear_error (&error);
  g_assert_null (leat_device_buffer_download (buffer, 0, 1, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_BUSY);
  g_clear_error (&error);
  leat_device_buffer_leave (buffer, LEAT_BUFFER_USE_RUN);
  leat_device_buffer_leave (buffer, LEAT_BUFFER_USE_RUN);
  g_assert_true (leat_device_buffer_bind (buffer, &error));
  assert_bytes (buffer, 0, "\0", 1);
  g_assert_false (leat_device_buffer_release (buffer, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_BUSY);
  g_clear_error (&error);
  leat_device_buffer_unbind (buffer);
  g_assert_true (leat_device_buffer_release (buffer, &error));
}

static void
test_device_buffer_keeps_within_the_budget (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (GError) error = NULL;
  guint64 budget = leat_device_get_budget (device);

  leat_device_set_budget (device, 1 << 20);
  g_assert_null (leat_device_buffer_new (device, 2 << 20, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  g_clear_error (&error);
  g_assert_null (leat_device_buffer_new (device, G_MAXUINT64, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  leat_device_set_budget (device, budget);
}

static gpointer
write_own_range (gpointer data)
{
  LeatDeviceBuffer *buffer = data;
  static gint next = 0;
  guint index = (guint) g_atomic_int_add (&next, 1);
  guint8 own[256];

  for (guint round = 0; round < 50; round++)
    {
      g_autoptr (GBytes) bytes = NULL, found = NULL;
      g_autoptr (GError) error = NULL;

      memset (own, (int) (index * 50 + round), sizeof own);
      bytes = g_bytes_new (own, sizeof own);
      leat_device_buffer_upload (buffer, index * sizeof own, bytes, &error);
      g_assert_no_error (error);
      found = leat_device_buffer_download (buffer, index * sizeof own, sizeof own, &error);
      g_assert_no_error (error);
      g_assert_true (g_bytes_equal (bytes, found));
    }
  return NULL;
}

static void
test_device_buffer_is_for_many_threads (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, 4 * 256);
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new ("writer", write_own_range, buffer);
  for (guint i = 0; i < 4; i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/device-buffer/keeps-bytes", test_device_buffer_keeps_bytes);
  g_test_add_func ("/leat/device-buffer/counts", test_device_buffer_counts);
  g_test_add_func ("/leat/device-buffer/of-a-spec", test_device_buffer_of_a_spec);
  g_test_add_func ("/leat/device-buffer/refuses-what-is-outside", test_device_buffer_refuses_what_is_outside);
  g_test_add_func ("/leat/device-buffer/refuses-overlapping-copy", test_device_buffer_refuses_overlapping_copy);
  g_test_add_func ("/leat/device-buffer/is-given-back-once", test_device_buffer_is_given_back_once);
  g_test_add_func ("/leat/device-buffer/stays-while-in-flight", test_device_buffer_stays_while_in_flight);
  g_test_add_func ("/leat/device-buffer/keeps-within-the-budget", test_device_buffer_keeps_within_the_budget);
  g_test_add_func ("/leat/device-buffer/is-for-many-threads", test_device_buffer_is_for_many_threads);
  return g_test_run ();
}
