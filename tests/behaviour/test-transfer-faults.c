/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"
#include "leat.h"

#include "buffer/leat-device-buffer-private.h"

/* Every driver call of a batch of each kind of request is made to fail, one after the other. */

static gboolean
drive (GBytes **result, GError **error)
{
  g_autoptr (LeatDevice) device = leat_device_open (NULL, error);
  g_autoptr (LeatDeviceBuffer) buffer = device != NULL ? leat_device_buffer_new (device, 64, error) : NULL;
  g_autoptr (LeatDeviceBuffer) other = buffer != NULL ? leat_device_buffer_new (device, 64, error) : NULL;
  g_autoptr (LeatTransferBatch) batch = leat_transfer_batch_new ();
  g_autoptr (GBytes) bytes = g_bytes_new_static ("0123456789", 10);

  if (other == NULL)
    return FALSE;
  leat_transfer_batch_upload (batch, buffer, 0, bytes);
  leat_transfer_batch_fill (batch, buffer, 4, 2, 'x');
  leat_transfer_batch_copy (batch, other, 1, buffer, 0, 10);
  leat_transfer_batch_download (batch, other, 1, 10);
  if (!leat_transfer_batch_run (batch, error))
    {
      g_assert_null (leat_transfer_batch_get_download (batch, 0));
      return FALSE;
    }
  *result = leat_transfer_batch_get_download (batch, 0);
  return TRUE;
}

static void
sweep_one (const FaultRow *row, const char *plant)
{
  g_autoptr (GBytes) result = NULL;
  g_autoptr (GError) error = NULL;
  const char *failed;
  gboolean good;

  fault_driver_plant (plant);
  good = drive (&result, &error);
  failed = fault_driver_get_failed ();
  g_assert_true (good == (error == NULL));
  g_assert_true (good || failed != NULL);
  if (good && (g_bytes_get_size (result) != 10 || memcmp (g_bytes_get_data (result, NULL), "0123xx6789", 10) != 0))
    fault_driver_complain ("%s: wrong bytes after %s failed", plant, failed);
  fault_driver_plant ("");
  fault_driver_assert_empty (row->code, FALSE);
}

static guint64
count_calls (const FaultRow *row)
{
  g_autoptr (GBytes) result = NULL;
  g_autoptr (GError) error = NULL;

  fault_driver_plant ("");
  drive (&result, &error);
  g_assert_no_error (error);
  return fault_driver_count_calls ();
}

static gpointer
enter_for_a_run (gpointer buffer)
{
  g_autoptr (GError) error = NULL;

  leat_device_buffer_enter (buffer, LEAT_BUFFER_USE_RUN, &error);
  g_assert_no_error (error);
  leat_device_buffer_leave (buffer, LEAT_BUFFER_USE_RUN);
  return NULL;
}

/* Once a transfer that failed is known to have ended, it is nobody's reason not to wait for the next one. */
static void
assert_not_lost (LeatDeviceBuffer *buffer)
{
  GThread *thread;

  g_assert_true (leat_device_settle (leat_device_buffer_get_device (buffer)));
  g_assert_true (leat_device_buffer_enter (buffer, LEAT_BUFFER_USE_TRANSFER, NULL));
  thread = g_thread_new ("run", enter_for_a_run, buffer);
  g_usleep (20000);
  leat_device_buffer_leave (buffer, LEAT_BUFFER_USE_TRANSFER);
  g_thread_join (thread);
}

static void
test_transfer_faults_lost (void)
{
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
  g_autoptr (LeatDeviceBuffer) buffer = leat_device_buffer_new (device, 64, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("0123456789", 10);
  const char *failed;
  guint n = 0, n_lost = 0;

  do
    {
      g_autofree char *plant = g_strdup_printf ("call:%u=OUT_OF_MEMORY", ++n);
      g_autoptr (LeatTransferBatch) batch = leat_transfer_batch_new ();

      leat_transfer_batch_upload (batch, buffer, 0, bytes);
      fault_driver_plant_on (plant);
      leat_transfer_batch_run (batch, NULL);
      failed = fault_driver_get_failed ();
      n_lost += g_strcmp0 (failed, "cuStreamSynchronize") == 0;
      fault_driver_plant_on ("");
      assert_not_lost (buffer);
    }
  while (failed != NULL);
  g_assert_cmpuint (n_lost, >, 0);
}

static const FaultRow rows[] = {
  { "/leat/transfer-faults/every-call/out-of-memory", "OUT_OF_MEMORY", 11, count_calls, sweep_one },
  { "/leat/transfer-faults/every-call/invalid", "UNKNOWN", 11, count_calls, sweep_one },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
  g_test_add_func ("/leat/transfer-faults/lost", test_transfer_faults_lost);
  fault_driver_add_rows (rows, G_N_ELEMENTS (rows));
  return g_test_run ();
}
