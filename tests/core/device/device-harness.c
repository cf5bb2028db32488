/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device-harness.h"

void
device_harness_init (DeviceHarness *self, const char *memory_bytes)
{
  g_autoptr (GError) error = NULL;

  fake_harness_init (&self->fake, "FAKE_DRIVER_MEMORY", memory_bytes, NULL);
  g_setenv ("LEAT_CUDA_DRIVER", self->fake.path, TRUE);
  self->device = leat_device_open ("cuda:0", &error);
  g_assert_no_error (error);
  g_assert_nonnull (self->device);
}

void
device_harness_clear (DeviceHarness *self)
{
  g_assert_finalize_object (self->device);
  /* Cached blocks went back to the driver. */
  g_assert_cmpuint (self->fake.get_live_bytes (), ==, 0);
  fake_harness_clear (&self->fake);
}
