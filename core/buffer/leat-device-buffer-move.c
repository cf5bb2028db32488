/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One request at a time. */

#include "leat-transfer-private.h"

#include <string.h>

/* @request: without its buffer */
static gboolean
leat_device_buffer_run (LeatDeviceBuffer *self, LeatRequest *request, GError **error)
{
  g_autoptr (GArray) requests = g_array_new (FALSE, FALSE, sizeof (LeatRequest));
  LeatTransferCounts counts = { 0 };
  gboolean good;

  request->buffer = self;
  g_array_append_val (requests, *request);
  good = leat_requests_run (requests, &counts, error);
  request->result = g_array_index (requests, LeatRequest, 0).result;
  return good;
}

static guint64
leat_device_buffer_place (LeatDeviceBuffer *self, guint64 offset)
{
  guint64 header = leat_device_buffer_get_header (self);

  return offset > G_MAXUINT64 - header ? G_MAXUINT64 : offset + header;
}

/**
 * leat_device_buffer_upload:
 * @self: a buffer
 * @offset: where in it, in bytes from the first item
 * @bytes: what
 * @error: return location for an error
 *
 * Brings bytes to the device, and waits until they are there.
 *
 * Returns: whether they are; errors as of leat_transfer_batch_run ()
 * Since: 0.1
 */
gboolean
leat_device_buffer_upload (LeatDeviceBuffer *self, guint64 offset, GBytes *bytes, GError **error)
{
  LeatRequest request = { .kind = LEAT_REQUEST_UPLOAD, .data = bytes };

  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self), FALSE);
  g_return_val_if_fail (bytes != NULL, FALSE);

  request.offset = leat_device_buffer_place (self, offset);
  request.bytes = g_bytes_get_size (bytes);
  return leat_device_buffer_run (self, &request, error);
}

/**
 * leat_device_buffer_download:
 * @self: a buffer
 * @offset: where in it, in bytes from the first item
 * @bytes: how many
 * @error: return location for an error
 *
 * Brings bytes back from the device.
 *
 * Returns: (transfer full): the bytes; %NULL with errors as of leat_transfer_batch_run ()
 * Since: 0.1
 */
GBytes *
leat_device_buffer_download (LeatDeviceBuffer *self, guint64 offset, guint64 bytes, GError **error)
{
  LeatRequest request = { .kind = LEAT_REQUEST_DOWNLOAD, .bytes = bytes };

  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self), NULL);

  request.offset = leat_device_buffer_place (self, offset);
  leat_device_buffer_run (self, &request, error);
  return request.result;
}

/**
 * leat_device_buffer_fill:
 * @self: a buffer
 * @offset: where in it, in bytes from the first item
 * @bytes: how many
 * @value: with what
 * @error: return location for an error
 *
 * Makes all bytes of a range one value.
 *
 * Returns: whether they are; errors as of leat_transfer_batch_run ()
 * Since: 0.1
 */
gboolean
leat_device_buffer_fill (LeatDeviceBuffer *self, guint64 offset, guint64 bytes, guint8 value, GError **error)
{
  LeatRequest request = { .kind = LEAT_REQUEST_FILL, .bytes = bytes, .value = value };

  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self), FALSE);

  request.offset = leat_device_buffer_place (self, offset);
  return leat_device_buffer_run (self, &request, error);
}

/**
 * leat_device_buffer_copy:
 * @self: a buffer
 * @offset: where in it, in bytes from the first item
 * @from: a buffer of the same device; may be the same one where the two places do not overlap
 * @from_offset: where in that
 * @bytes: how many
 * @error: return location for an error
 *
 * Takes bytes over from another buffer; they do not leave the device.
 *
 * Returns: whether they are there; errors as of leat_transfer_batch_run ()
 * Since: 0.1
 */
gboolean
leat_device_buffer_copy (LeatDeviceBuffer *self, guint64 offset, LeatDeviceBuffer *from, guint64 from_offset,
                         guint64 bytes, GError **error)
{
  LeatRequest request = { .kind = LEAT_REQUEST_COPY, .bytes = bytes, .from = from };

  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self) && LEAT_IS_DEVICE_BUFFER (from), FALSE);

  request.offset = leat_device_buffer_place (self, offset);
  request.from_offset = leat_device_buffer_place (from, from_offset);
  return leat_device_buffer_run (self, &request, error);
}

static gboolean
leat_device_buffer_check_counted (LeatDeviceBuffer *self, GError **error)
{
  if (leat_device_buffer_get_header (self) > 0)
    return TRUE;
  g_set_error_literal (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_SPEC,
                       "only a buffer of a bounded spec, such as f32[<=4096], has a count of live items");
  return FALSE;
}

/**
 * leat_device_buffer_set_count:
 * @self: a buffer of a bounded spec
 * @count: how many steps of the leading dimension are live
 * @error: return location for an error
 *
 * Says how much of the buffer is live.
 *
 * Returns: whether it was set; %LEAT_DEVICE_BUFFER_ERROR_SPEC when there is no room for so many, or nothing to count;
 *   else as leat_transfer_batch_run ()
 * Since: 0.1
 */
gboolean
leat_device_buffer_set_count (LeatDeviceBuffer *self, guint64 count, GError **error)
{
  LeatRequest request = { .kind = LEAT_REQUEST_UPLOAD, .bytes = sizeof count };
  g_autoptr (GBytes) bytes = g_bytes_new (&count, sizeof count);
  guint64 most;

  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self), FALSE);

  if (!leat_device_buffer_check_counted (self, error))
    return FALSE;
  most = leat_spec_get_dim (leat_device_buffer_get_spec (self), 0);
  if (count > most)
    {
      g_set_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_SPEC,
                   "the buffer has room for %" G_GUINT64_FORMAT " items: its count cannot be %" G_GUINT64_FORMAT, most,
                   count);
      return FALSE;
    }
  request.data = bytes;
  return leat_device_buffer_run (self, &request, error);
}

/**
 * leat_device_buffer_get_count:
 * @self: a buffer of a bounded spec
 * @count: (out): how many steps of the leading dimension are live
 * @error: return location for an error
 *
 * Asks the device how much of the buffer is live.
 *
 * Returns: whether it is known; %LEAT_DEVICE_BUFFER_ERROR_SPEC when there is nothing to count; else as
 *   leat_transfer_batch_run ()
 * Since: 0.1
 */
gboolean
leat_device_buffer_get_count (LeatDeviceBuffer *self, guint64 *count, GError **error)
{
  LeatRequest request = { .kind = LEAT_REQUEST_DOWNLOAD, .bytes = sizeof *count };
  g_autoptr (GBytes) bytes = NULL;

  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self), FALSE);
  g_return_val_if_fail (count != NULL, FALSE);

  if (!leat_device_buffer_check_counted (self, error))
    return FALSE;
  leat_device_buffer_run (self, &request, error);
  bytes = request.result;
  if (bytes == NULL)
    return FALSE;
  memcpy (count, g_bytes_get_data (bytes, NULL), sizeof *count);
  return TRUE;
}
