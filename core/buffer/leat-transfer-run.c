/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Does the requests of a batch: checks them, holds their buffers, launches their steps and waits for the end.  Touches
 * the buffers that the requests name, and moves nothing before all requests are checked. */

#include "leat-transfer-private.h"

static void
leat_transfers_leave (gpointer data)
{
  leat_device_buffer_leave (data, LEAT_BUFFER_USE_TRANSFER);
  g_object_unref (data);
}

/* While it is not known whether they have ended. */
static void
leat_transfers_set_lost (LeatTransfers *self, gboolean lost)
{
  GHashTableIter iter;
  gpointer buffer;

  self->lost = lost;
  g_hash_table_iter_init (&iter, self->entered);
  while (g_hash_table_iter_next (&iter, &buffer, NULL))
    leat_device_buffer_set_lost (buffer, lost);
}

static void
leat_transfers_free (gpointer data)
{
  LeatTransfers *self = data;

  if (self->lost)
    leat_transfers_set_lost (self, FALSE);
  g_clear_pointer (&self->steps, g_array_unref);
  g_clear_pointer (&self->staging, leat_memory_free);
  if (self->stream != NULL)
    leat_device_return_stream (self->device, self->stream);
  g_hash_table_unref (self->entered);
  g_clear_object (&self->device);
  g_free (self);
}

static gboolean
leat_transfers_enter (LeatTransfers *self, LeatDeviceBuffer *buffer, GError **error)
{
  LeatDevice *device = leat_device_buffer_get_device (buffer);

  if (self->device == NULL)
    {
      self->device = g_object_ref (device);
      self->table = leat_device_get_table (device);
    }
  if (device != self->device)
    {
      g_set_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_DEVICE,
                   "one of the buffers is on %s, another one on %s: transfers of one batch are on one device",
                   leat_device_get_id (self->device), leat_device_get_id (device));
      return FALSE;
    }
  if (g_hash_table_contains (self->entered, buffer))
    return TRUE;
  if (!leat_device_buffer_enter (buffer, LEAT_BUFFER_USE_TRANSFER, error))
    return FALSE;
  g_hash_table_insert (self->entered, g_object_ref (buffer), g_new0 (LeatTransferCounts, 1));
  return TRUE;
}

static gboolean
leat_request_check_range (const LeatRequest *self, LeatDeviceBuffer *buffer, guint64 offset, GError **error)
{
  static const char *const verbs[] = { "upload", "download", "fill", "copy" };
  guint64 header = leat_device_buffer_get_header (buffer);
  guint64 room = header + leat_device_buffer_get_bytes (buffer);

  if (offset <= room && self->bytes <= room - offset)
    return TRUE;
  g_set_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RANGE,
               "cannot %s %" G_GUINT64_FORMAT " bytes at %" G_GUINT64_FORMAT ": the buffer has %" G_GUINT64_FORMAT
               " bytes",
               verbs[self->kind], self->bytes, offset - header, room - header);
  return FALSE;
}

static gboolean
leat_request_check (const LeatRequest *self, GError **error)
{
  guint64 low = MIN (self->offset, self->from_offset), high = MAX (self->offset, self->from_offset);

  if (!leat_request_check_range (self, self->buffer, self->offset, error)
      || (self->from != NULL && !leat_request_check_range (self, self->from, self->from_offset, error)))
    return FALSE;
  if (self->from != self->buffer || self->bytes <= high - low)
    return TRUE;
  g_set_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RANGE,
               "cannot copy %" G_GUINT64_FORMAT " bytes within a buffer over %" G_GUINT64_FORMAT
               " bytes: the two places overlap; copy through another buffer",
               self->bytes, high - low);
  return FALSE;
}

static gboolean
leat_transfers_check (LeatTransfers *self, GError **error)
{
  for (guint i = 0; i < self->requests->len; i++)
    {
      LeatRequest *request = &g_array_index (self->requests, LeatRequest, i);

      if (!leat_transfers_enter (self, request->buffer, error)
          || (request->from != NULL && !leat_transfers_enter (self, request->from, error))
          || !leat_request_check (request, error))
        {
          if (self->requests->len > 1)
            g_prefix_error (error, "request %u: ", i);
          return FALSE;
        }
    }
  return self->device == NULL || leat_device_check (self->device, error);
}

static CUresult
leat_transfers_move (LeatTransfers *self, const LeatStep *step, guint index, const char **call)
{
  const LeatTransferPiece *piece = g_ptr_array_index (step->pieces, index);
  const LeatRange *range = leat_ranges_get (step->ranges, index);
  CUdeviceptr address = leat_device_buffer_get_address (step->buffer) + range->begin;
  guint64 bytes = range->end - range->begin;
  LeatTransferCounts *counts = g_hash_table_lookup (self->entered, step->buffer);
  guint8 *staged = piece->staged ? (guint8 *) leat_memory_get_host (self->staging) + piece->staged_at : NULL;

  counts->transfers++;
  if (step->kind == LEAT_REQUEST_UPLOAD)
    {
      gconstpointer from = staged != NULL ? staged : g_bytes_get_data (piece->direct, NULL);

      *call = "cuMemcpyHtoDAsync";
      counts->bytes_up += bytes;
      return (*self->table->cuMemcpyHtoDAsync) (address, from, bytes, self->stream);
    }
  *call = "cuMemcpyDtoHAsync";
  counts->bytes_down += bytes;
  return (*self->table->cuMemcpyDtoHAsync) (staged != NULL ? staged : piece->out, address, bytes, self->stream);
}

static CUresult
leat_transfers_change (LeatTransfers *self, const LeatRequest *request, const char **call)
{
  CUdeviceptr address = leat_device_buffer_get_address (request->buffer) + request->offset;
  LeatTransferCounts *counts = g_hash_table_lookup (self->entered, request->buffer);

  counts->transfers++;
  if (request->kind == LEAT_REQUEST_FILL)
    {
      *call = "cuMemsetD8Async";
      counts->bytes_filled += request->bytes;
      return (*self->table->cuMemsetD8Async) (address, request->value, request->bytes, self->stream);
    }
  *call = "cuMemcpyDtoDAsync";
  counts->bytes_copied += request->bytes;
  return (*self->table->cuMemcpyDtoDAsync) (
    address, leat_device_buffer_get_address (request->from) + request->from_offset, request->bytes, self->stream);
}

static CUresult
leat_transfers_do_step (LeatTransfers *self, const LeatStep *step, const char **call)
{
  CUresult result = CUDA_SUCCESS;

  if (step->pieces == NULL)
    return leat_transfers_change (self, &g_array_index (self->requests, LeatRequest, step->request), call);
  for (guint p = 0; p < step->pieces->len && result == CUDA_SUCCESS; p++)
    result = leat_transfers_move (self, step, p, call);
  return result;
}

/* @ended: nothing is under way any more */
static gboolean
leat_transfers_launch (LeatTransfers *self, gboolean *ended, GError **error)
{
  const char *call = "cuStreamSynchronize";
  CUresult result = CUDA_SUCCESS, waited;

  *ended = TRUE;
  if (!leat_device_push (self->device, error))
    return FALSE;
  for (guint i = 0; i < self->steps->len && result == CUDA_SUCCESS; i++)
    result = leat_transfers_do_step (self, &g_array_index (self->steps, LeatStep, i), &call);
  waited = (*self->table->cuStreamSynchronize) (self->stream);
  leat_device_pop (self->device);
  *ended = waited == CUDA_SUCCESS;
  if (result == CUDA_SUCCESS && waited != CUDA_SUCCESS)
    call = "cuStreamSynchronize";
  result = result == CUDA_SUCCESS ? waited : result;
  return result == CUDA_SUCCESS
         || leat_device_set_error (self->device, error, call, result, "transfers of resident buffers");
}

/* All that it may use is kept until it is certain that it has ended. */
static gboolean
leat_transfers_fail (LeatTransfers *self, gboolean ended)
{
  if (ended)
    {
      leat_transfers_free (self);
      return FALSE;
    }
  leat_transfers_set_lost (self, TRUE);
  leat_device_quarantine (self->device, self, leat_transfers_free);
  return FALSE;
}

static void
leat_transfers_count (LeatTransfers *self, LeatTransferCounts *sum)
{
  GHashTableIter iter;
  gpointer buffer, counts;

  g_hash_table_iter_init (&iter, self->entered);
  while (g_hash_table_iter_next (&iter, &buffer, &counts))
    {
      leat_device_buffer_count (buffer, counts);
      leat_transfer_counts_add (sum, counts);
    }
}

static gboolean
leat_transfers_fly (LeatTransfers *self, GError **error)
{
  gboolean ended = TRUE;

  if (!leat_transfers_check (self, error))
    return leat_transfers_fail (self, TRUE);
  self->steps = leat_requests_chain (self->requests);
  if (!leat_transfers_stage (self, error))
    return leat_transfers_fail (self, TRUE);
  if (self->steps->len > 0
      && (!leat_device_borrow_stream (self->device, &self->stream, error)
          || !leat_transfers_launch (self, &ended, error)))
    return leat_transfers_fail (self, ended);
  leat_transfers_collect (self);
  return TRUE;
}

gboolean
leat_requests_run (GArray *requests, LeatTransferCounts *counts, GError **error)
{
  LeatTransfers *self = g_new0 (LeatTransfers, 1);

  self->requests = requests;
  self->entered = g_hash_table_new_full (NULL, NULL, leat_transfers_leave, g_free);
  if (!leat_transfers_fly (self, error))
    return FALSE;
  leat_transfers_count (self, counts);
  leat_transfers_free (self);
  return TRUE;
}
