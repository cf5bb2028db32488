/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Events on a stream, for waits with or without a time limit and for times between two events.  A wait that takes
 * longer than its limit marks the device as hung. */

#include "leat-stream-private.h"

#define LEAT_EVENT_SPIN_US  50
#define LEAT_EVENT_SLEEP_US 500

struct _LeatEvent
{
  LeatDevice *device;
  const LeatDriverTable *table;
  CUevent event;
};

static gboolean
leat_event_set_error (LeatEvent *self, GError **error, const char *call, CUresult result)
{
  return leat_device_set_error (self->device, error, call, result, "an event on %s", leat_device_get_id (self->device));
}

LeatEvent *
leat_event_new (LeatDevice *device, LeatEventFlags flags, GError **error)
{
  g_autoptr (LeatEvent) self = NULL;
  unsigned int driver_flags = 0;
  CUresult result;

  g_return_val_if_fail (LEAT_IS_DEVICE (device), NULL);

  if (!leat_device_check (device, error) || !leat_device_push (device, error))
    return NULL;
  self = g_new0 (LeatEvent, 1);
  self->device = g_object_ref (device);
  self->table = leat_device_get_table (device);
  driver_flags |= flags & LEAT_EVENT_TIMING ? 0 : CU_EVENT_DISABLE_TIMING;
  driver_flags |= flags & LEAT_EVENT_BLOCKING ? CU_EVENT_BLOCKING_SYNC : 0;
  result = (*self->table->cuEventCreate) (&self->event, driver_flags);
  leat_device_pop (device);
  if (result == CUDA_SUCCESS)
    return g_steal_pointer (&self);
  self->event = NULL;
  leat_event_set_error (self, error, "cuEventCreate", result);
  return NULL;
}

void
leat_event_free (LeatEvent *self)
{
  if (self == NULL)
    return;
  if (self->event != NULL)
    {
      gboolean pushed = leat_device_push_anyhow (self->device);

      (*self->table->cuEventDestroy) (self->event);
      if (pushed)
        leat_device_pop (self->device);
    }
  g_object_unref (self->device);
  g_free (self);
}

CUevent
leat_event_get (LeatEvent *self)
{
  return self->event;
}

gboolean
leat_event_record (LeatEvent *self, LeatStream *stream, GError **error)
{
  CUresult result;

  if (!leat_device_check (self->device, error) || !leat_device_push (self->device, error))
    return FALSE;
  result = (*self->table->cuEventRecord) (self->event, leat_stream_get (stream));
  leat_device_pop (self->device);
  return result == CUDA_SUCCESS || leat_event_set_error (self, error, "cuEventRecord", result);
}

gboolean
leat_event_query (LeatEvent *self, gboolean *is_done, GError **error)
{
  CUresult result;

  if (!leat_device_check (self->device, error) || !leat_device_push (self->device, error))
    return FALSE;
  result = (*self->table->cuEventQuery) (self->event);
  leat_device_pop (self->device);
  *is_done = result == CUDA_SUCCESS;
  return result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY
         || leat_event_set_error (self, error, "cuEventQuery", result);
}

gboolean
leat_event_synchronize (LeatEvent *self, GError **error)
{
  CUresult result;

  if (!leat_device_check (self->device, error) || !leat_device_push (self->device, error))
    return FALSE;
  result = (*self->table->cuEventSynchronize) (self->event);
  leat_device_pop (self->device);
  return result == CUDA_SUCCESS || leat_event_set_error (self, error, "cuEventSynchronize", result);
}

static void
leat_event_set_hung (LeatEvent *self, guint64 timeout_us, const char *what, GError **error)
{
  g_autofree char *reason = g_strdup_printf ("%s on %s did not end within %.3f s", what,
                                             leat_device_get_id (self->device), (double) timeout_us / 1e6);

  leat_device_mark_hung (self->device, reason);
  g_set_error_literal (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_HUNG, reason);
}

/* The driver's own wait has no limit. */
gboolean
leat_event_synchronize_timed (LeatEvent *self, guint64 timeout_us, const char *what, GError **error)
{
  const gint64 start = g_get_monotonic_time ();
  gboolean is_done = FALSE;

  while (leat_event_query (self, &is_done, error))
    {
      guint64 waited = (guint64) (g_get_monotonic_time () - start);

      if (is_done)
        return TRUE;
      if (waited >= timeout_us)
        {
          leat_event_set_hung (self, timeout_us, what, error);
          return FALSE;
        }
      if (waited > LEAT_EVENT_SPIN_US)
        g_usleep (MIN (MIN (waited, LEAT_EVENT_SLEEP_US), timeout_us - waited));
    }
  return FALSE;
}

gboolean
leat_event_get_elapsed_ms (LeatEvent *start, LeatEvent *end, float *ms, GError **error)
{
  CUresult result;

  if (!leat_device_check (start->device, error) || !leat_device_push (start->device, error))
    return FALSE;
  result = (*start->table->cuEventElapsedTime) (ms, start->event, end->event);
  leat_device_pop (start->device);
  return result == CUDA_SUCCESS || leat_event_set_error (start, error, "cuEventElapsedTime", result);
}

gboolean
leat_stream_wait (LeatStream *self, LeatEvent *event, GError **error)
{
  LeatDevice *device = event->device;
  CUresult result;

  if (!leat_device_check (device, error) || !leat_device_push (device, error))
    return FALSE;
  result = (*event->table->cuStreamWaitEvent) (leat_stream_get (self), event->event, CU_EVENT_WAIT_DEFAULT);
  leat_device_pop (device);
  return result == CUDA_SUCCESS
         || leat_device_set_error (device, error, "cuStreamWaitEvent", result, "a stream on %s",
                                   leat_device_get_id (device));
}
