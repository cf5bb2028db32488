/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"
#include "leat.h"

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
  fault_driver_add_rows (rows, G_N_ELEMENTS (rows));
  return g_test_run ();
}
