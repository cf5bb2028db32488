/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "buffer-fixture.h"

LeatDevice *
buffer_fixture_open_device (const char *selector)
{
  g_autoptr (GError) error = NULL;
  LeatDevice *device = leat_device_open (selector, &error);

  g_assert_no_error (error);
  return device;
}

LeatDeviceBuffer *
buffer_fixture_new_buffer (LeatDevice *device, guint64 bytes)
{
  g_autoptr (GError) error = NULL;
  LeatDeviceBuffer *buffer = leat_device_buffer_new (device, bytes, &error);

  g_assert_no_error (error);
  return buffer;
}
