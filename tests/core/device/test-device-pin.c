/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include <string.h>

/* Ordinary memory of the program, and the device of LEAT_DEVICE. */
typedef struct
{
  LeatDevice *device;
  guint8 *memory;
  guint64 address;
} PinFixture;

#define PIN_BYTES 8192

static void
pin_fixture_init (PinFixture *self)
{
  g_autoptr (GError) error = NULL;

  self->device = leat_device_open (NULL, &error);
  g_assert_no_error (error);
  self->memory = g_aligned_alloc0 (1, PIN_BYTES, 4096);
  self->address = (guintptr) self->memory;
}

static void
pin_fixture_clear (PinFixture *self)
{
  g_aligned_free (self->memory);
  g_object_unref (self->device);
}

/* Doubles the numbers in the first half of the memory into the second. */
static gboolean
pin_fixture_bind_and_run (PinFixture *self, GError **error)
{
  g_autoptr (LeatPipeline) pipeline =
    leat_parse_text ("app name=in memory=user spec=f32:4 + upload + map expr=2*x + readback + app name=out memory=user",
                     LEAT_TEXT_STYLE_TERMINAL, NULL, error);
  g_autoptr (LeatSession) session = NULL;
  gboolean good;

  g_assert_nonnull (pipeline);
  session = leat_session_new (pipeline, NULL);
  good = leat_session_open (session, NULL, error)
         && leat_session_bind_input (session, "in", self->address, 16, 4, error)
         && leat_session_bind_output (session, "out", self->address + PIN_BYTES / 2, 16, error)
         && leat_session_replay (session, FALSE, NULL, error) == LEAT_FLOW_DATA;
  leat_session_close (session);
  return good;
}

static void
test_pin_binds (void)
{
  g_autoptr (GError) error = NULL;
  PinFixture self;
  const float numbers[] = { 1, 2, 3, 4 }, doubled[] = { 2, 4, 6, 8 };

  pin_fixture_init (&self);
  memcpy (self.memory, numbers, sizeof numbers);
  g_assert_true (leat_device_pin (self.device, self.address, PIN_BYTES, &error));
  g_assert_no_error (error);
  g_assert_true (pin_fixture_bind_and_run (&self, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (self.memory + PIN_BYTES / 2, sizeof doubled, doubled, sizeof doubled);
  g_assert_true (leat_device_unpin (self.device, self.address, &error));
  g_assert_no_error (error);
  pin_fixture_clear (&self);
}

/* What is refused without it, and after it: the message names the call. */
static void
test_pin_refused_without (void)
{
  g_autoptr (GError) error = NULL;
  PinFixture self;

  pin_fixture_init (&self);
  g_assert_true (leat_device_pin (self.device, self.address, PIN_BYTES, &error));
  g_assert_true (leat_device_unpin (self.device, self.address, &error));
  g_assert_no_error (error);
  g_assert_false (pin_fixture_bind_and_run (&self, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "leat_device_pin ()"));
  pin_fixture_clear (&self);
}

static void
test_pin_wrong_calls (void)
{
  g_autoptr (GError) error = NULL;
  PinFixture self;

  pin_fixture_init (&self);
  g_assert_false (leat_device_pin (self.device, 0, PIN_BYTES, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_false (leat_device_pin (self.device, self.address, 0, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_false (leat_device_unpin (self.device, self.address, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "cuMemHostUnregister"));
  g_clear_error (&error);

  g_assert_true (leat_device_pin (self.device, self.address, PIN_BYTES, &error));
  g_assert_no_error (error);
  g_assert_false (leat_device_pin (self.device, self.address, PIN_BYTES, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "cuMemHostRegister"));
  g_clear_error (&error);
  g_assert_false (leat_device_is_dead (self.device));
  g_assert_true (leat_device_unpin (self.device, self.address, &error));
  pin_fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/device/pin/binds", test_pin_binds);
  g_test_add_func ("/leat/device/pin/refused-without", test_pin_refused_without);
  g_test_add_func ("/leat/device/pin/wrong-calls", test_pin_wrong_calls);
  return g_test_run ();
}
