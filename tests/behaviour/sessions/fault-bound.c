/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-scenario.h"

/* Sessions on memory that the program brings, another for each run.  It is there for as long as the program is: after a
 * fault nothing proves that the work on it has ended. */

#define PAGE   4096
#define N_RUNS 4

static guint8 pages[3][PAGE] __attribute__ ((aligned (PAGE)));
static gboolean left_pinned; /* where nothing could be asked of the driver to the end */

static gboolean
run_bound (FaultDrive *self, guint seed, GError **error)
{
  guint8 *in = pages[seed % 2], *out = pages[2];
  const LeatPortMemory source = { "source", (guintptr) in, self->bytes, self->bytes };

  fault_fill (in, self->bytes, seed);
  if (!leat_session_bind_inputs (self->session, &source, 1, error)
      || !leat_session_bind_output (self->session, "sink", (guintptr) out, self->bytes, error)
      || leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  g_ptr_array_add (self->outputs, g_bytes_new (out, self->bytes));
  return TRUE;
}

gboolean
fault_drive_bound (FaultDrive *self, GError **error)
{
  g_autoptr (LeatDevice) device = g_object_ref (leat_session_get_device (self->session));
  gboolean good = TRUE;

  if (left_pinned)
    leat_device_unpin (device, (guintptr) pages, NULL);
  left_pinned = FALSE;
  if (!leat_device_pin (device, (guintptr) pages, sizeof pages, error))
    return FALSE;
  for (guint i = 0; i < N_RUNS && good; i++)
    good = run_bound (self, i, error);
  leat_session_close (self->session);
  if (leat_device_unpin (device, (guintptr) pages, good ? error : NULL))
    return good;
  /* Once more, for who comes next. */
  left_pinned = !leat_device_unpin (device, (guintptr) pages, NULL);
  return FALSE;
}

static gboolean
run_bound_buffers (FaultDrive *self, LeatDeviceBuffer *from, LeatDeviceBuffer *to, guint seed, GError **error)
{
  g_autoptr (GBytes) input = NULL;
  GBytes *output;

  fault_fill (pages[0], self->bytes, seed);
  input = g_bytes_new (pages[0], self->bytes);
  if (!leat_device_buffer_upload (from, 0, input, error)
      || !leat_session_bind_input_buffer (self->session, "source", from, 0, self->bytes, error)
      || !leat_session_bind_output_buffer (self->session, "sink", to, 0, error)
      || leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  output = leat_device_buffer_download (to, 0, self->bytes, error);
  if (output != NULL)
    g_ptr_array_add (self->outputs, output);
  return output != NULL;
}

gboolean
fault_drive_bound_buffers (FaultDrive *self, GError **error)
{
  LeatDevice *device = leat_session_get_device (self->session);
  g_autoptr (LeatDeviceBuffer) a = leat_device_buffer_new (device, self->bytes, error);
  g_autoptr (LeatDeviceBuffer) b = a != NULL ? leat_device_buffer_new (device, self->bytes, error) : NULL;
  gboolean good = b != NULL;

  for (guint i = 0; i < N_RUNS && good; i++)
    good = run_bound_buffers (self, i % 2 == 0 ? a : b, i % 2 == 0 ? b : a, i, error);
  leat_session_close (self->session);
  return good;
}
