/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A stream of a device: its life, its priority, and waits for it or of it for an event. */

#include "leat-stream-private.h"

struct _LeatStream
{
  LeatDevice *device;
  const LeatDriverTable *table;
  CUstream stream;
};

static CUresult
leat_stream_create (LeatStream *self, LeatStreamPriority priority, const char **call)
{
  int least = 0, greatest = 0;
  CUresult result;

  *call = "cuStreamCreate";
  if (priority == LEAT_STREAM_PRIORITY_NORMAL || !leat_device_get_facts (self->device)->stream_priorities)
    return (*self->table->cuStreamCreate) (&self->stream, CU_STREAM_NON_BLOCKING);

  *call = "cuCtxGetStreamPriorityRange";
  result = (*self->table->cuCtxGetStreamPriorityRange) (&least, &greatest);
  if (result != CUDA_SUCCESS)
    return result;
  *call = "cuStreamCreateWithPriority";
  return (*self->table->cuStreamCreateWithPriority) (&self->stream, CU_STREAM_NON_BLOCKING,
                                                     priority == LEAT_STREAM_PRIORITY_LOW ? least : greatest);
}

LeatStream *
leat_stream_new (LeatDevice *device, LeatStreamPriority priority, GError **error)
{
  g_autoptr (LeatStream) self = NULL;
  const char *call = NULL;
  CUresult result;

  g_return_val_if_fail (LEAT_IS_DEVICE (device), NULL);

  if (!leat_device_check (device, error) || !leat_device_push (device, error))
    return NULL;
  self = g_new0 (LeatStream, 1);
  self->device = g_object_ref (device);
  self->table = leat_device_get_table (device);
  result = leat_stream_create (self, priority, &call);
  leat_device_pop (device);
  if (result == CUDA_SUCCESS)
    return g_steal_pointer (&self);
  self->stream = NULL;
  leat_device_set_error (device, error, call, result, "a stream on %s", leat_device_get_id (device));
  return NULL;
}

void
leat_stream_free (LeatStream *self)
{
  if (self == NULL)
    return;
  if (self->stream != NULL)
    {
      gboolean pushed = leat_device_push_anyhow (self->device);

      (*self->table->cuStreamDestroy) (self->stream);
      if (pushed)
        leat_device_pop (self->device);
    }
  g_object_unref (self->device);
  g_free (self);
}

CUstream
leat_stream_get (LeatStream *self)
{
  return self->stream;
}

static gboolean
leat_stream_set_error (LeatStream *self, GError **error, const char *call, CUresult result)
{
  return leat_device_set_error (self->device, error, call, result, "a stream on %s", leat_device_get_id (self->device));
}

gboolean
leat_stream_synchronize (LeatStream *self, GError **error)
{
  CUresult result;

  if (!leat_device_check (self->device, error) || !leat_device_push (self->device, error))
    return FALSE;
  result = (*self->table->cuStreamSynchronize) (self->stream);
  leat_device_pop (self->device);
  return result == CUDA_SUCCESS || leat_stream_set_error (self, error, "cuStreamSynchronize", result);
}

gboolean
leat_stream_query (LeatStream *self, gboolean *is_done, GError **error)
{
  CUresult result;

  if (!leat_device_check (self->device, error) || !leat_device_push (self->device, error))
    return FALSE;
  result = (*self->table->cuStreamQuery) (self->stream);
  leat_device_pop (self->device);
  *is_done = result == CUDA_SUCCESS;
  return result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY
         || leat_stream_set_error (self, error, "cuStreamQuery", result);
}
