/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Streams for work that comes and goes: to make one costs more than a small transfer. */

#include "leat-device-object-private.h"

static gboolean
leat_device_take_idle_stream (LeatDevice *self, CUstream *stream)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GSList *first = self->idle_streams;

  if (first == NULL)
    return FALSE;
  *stream = first->data;
  self->idle_streams = g_slist_delete_link (first, first);
  return TRUE;
}

gboolean
leat_device_borrow_stream (LeatDevice *self, CUstream *stream, GError **error)
{
  CUresult result;

  *stream = NULL;
  if (!leat_device_check (self, error))
    return FALSE;
  if (leat_device_take_idle_stream (self, stream))
    return TRUE;
  if (!leat_device_push (self, error))
    return FALSE;
  result = (*self->table->cuStreamCreate) (stream, CU_STREAM_NON_BLOCKING);
  leat_device_pop (self);
  return result == CUDA_SUCCESS
         || leat_device_set_error (self, error, "cuStreamCreate", result, "a stream on %s", self->id);
}

void
leat_device_return_stream (LeatDevice *self, CUstream stream)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  self->idle_streams = g_slist_prepend (self->idle_streams, stream);
}

void
leat_device_destroy_idle_streams (LeatDevice *self)
{
  gboolean pushed = self->idle_streams != NULL && leat_device_push_anyhow (self);

  for (GSList *at = self->idle_streams; at != NULL; at = at->next)
    (*self->table->cuStreamDestroy) (at->data);
  g_clear_pointer (&self->idle_streams, g_slist_free);
  if (pushed)
    leat_device_pop (self);
}
