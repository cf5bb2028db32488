/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its requests, what they brought back, and what its runs came to.  leat-transfer-run.c does them. */

#include "leat-transfer-private.h"

/**
 * LeatTransferBatch:
 *
 * Uploads, downloads, fills and copies of #LeatDeviceBuffer that are done together: few transfers, and one wait.
 *
 * Requests are added and then run.  Their effect is as if they were done one after the other, in the order in which
 * they were added.  Uploads to one buffer that nothing else comes between are merged where they touch or overlap, later
 * bytes over earlier ones, and each merged range is one transfer; downloads likewise, each request getting a view of
 * its own. So no byte goes over the link twice.  Ranges that do not touch stay apart, and so do buffers.
 *
 * A batch is checked as a whole before anything is done: after %LEAT_DEVICE_BUFFER_ERROR all buffers are what they
 * were. All of its buffers are on one device.  It can be run again, with other bytes on the device by then, and is used
 * by one thread at a time.
 *
 * Since: 0.1
 */
struct _LeatTransferBatch
{
  GObject parent_instance;

  GArray *requests;  /* LeatRequest */
  GArray *downloads; /* guint: which of them these are */
  LeatTransferCounts counts;
};

G_DEFINE_FINAL_TYPE (LeatTransferBatch, leat_transfer_batch, G_TYPE_OBJECT)

/**
 * leat_transfer_batch_new:
 *
 * Makes a batch with nothing in it.
 *
 * Returns: (transfer full): a batch
 * Since: 0.1
 */
LeatTransferBatch *
leat_transfer_batch_new (void)
{
  return g_object_new (LEAT_TYPE_TRANSFER_BATCH, NULL);
}

/* An offset beyond all memory stays there. */
static guint64
leat_transfer_batch_place (LeatDeviceBuffer *buffer, guint64 offset)
{
  guint64 header = leat_device_buffer_get_header (buffer);

  return offset > G_MAXUINT64 - header ? G_MAXUINT64 : offset + header;
}

static LeatRequest *
leat_transfer_batch_add (LeatTransferBatch *self, LeatRequestKind kind, LeatDeviceBuffer *buffer, guint64 offset,
                         guint64 bytes)
{
  LeatRequest request = { .kind = kind, .buffer = g_object_ref (buffer), .bytes = bytes };

  request.offset = leat_transfer_batch_place (buffer, offset);
  g_array_append_val (self->requests, request);
  return &g_array_index (self->requests, LeatRequest, self->requests->len - 1);
}

/**
 * leat_transfer_batch_upload:
 * @self: a batch
 * @to: where to
 * @offset: where in it, in bytes from the first item
 * @bytes: what; must stay as it is until the batch has run
 *
 * Adds bytes that go to the device.
 *
 * Since: 0.1
 */
void
leat_transfer_batch_upload (LeatTransferBatch *self, LeatDeviceBuffer *to, guint64 offset, GBytes *bytes)
{
  g_return_if_fail (LEAT_IS_TRANSFER_BATCH (self));
  g_return_if_fail (LEAT_IS_DEVICE_BUFFER (to));
  g_return_if_fail (bytes != NULL);

  leat_transfer_batch_add (self, LEAT_REQUEST_UPLOAD, to, offset, g_bytes_get_size (bytes))->data = g_bytes_ref (bytes);
}

/**
 * leat_transfer_batch_download:
 * @self: a batch
 * @from: where from
 * @offset: where in it, in bytes from the first item
 * @bytes: how many
 *
 * Adds bytes that come back from the device.
 *
 * Returns: the number by which leat_transfer_batch_get_download () gives them; the first is 0
 * Since: 0.1
 */
guint
leat_transfer_batch_download (LeatTransferBatch *self, LeatDeviceBuffer *from, guint64 offset, guint64 bytes)
{
  guint request;

  g_return_val_if_fail (LEAT_IS_TRANSFER_BATCH (self), 0);
  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (from), 0);

  request = self->requests->len;
  leat_transfer_batch_add (self, LEAT_REQUEST_DOWNLOAD, from, offset, bytes);
  g_array_append_val (self->downloads, request);
  return self->downloads->len - 1;
}

/**
 * leat_transfer_batch_fill:
 * @self: a batch
 * @to: where
 * @offset: where in it, in bytes from the first item
 * @bytes: how many
 * @value: with what
 *
 * Adds bytes that all become one value.
 *
 * Since: 0.1
 */
void
leat_transfer_batch_fill (LeatTransferBatch *self, LeatDeviceBuffer *to, guint64 offset, guint64 bytes, guint8 value)
{
  g_return_if_fail (LEAT_IS_TRANSFER_BATCH (self));
  g_return_if_fail (LEAT_IS_DEVICE_BUFFER (to));

  leat_transfer_batch_add (self, LEAT_REQUEST_FILL, to, offset, bytes)->value = value;
}

/**
 * leat_transfer_batch_copy:
 * @self: a batch
 * @to: where to
 * @offset: where in it, in bytes from the first item
 * @from: where from; may be the same buffer where the two places do not overlap
 * @from_offset: where in that
 * @bytes: how many
 *
 * Adds bytes that go from one buffer to another without leaving the device.
 *
 * Since: 0.1
 */
void
leat_transfer_batch_copy (LeatTransferBatch *self, LeatDeviceBuffer *to, guint64 offset, LeatDeviceBuffer *from,
                          guint64 from_offset, guint64 bytes)
{
  LeatRequest *request;

  g_return_if_fail (LEAT_IS_TRANSFER_BATCH (self));
  g_return_if_fail (LEAT_IS_DEVICE_BUFFER (to) && LEAT_IS_DEVICE_BUFFER (from));

  request = leat_transfer_batch_add (self, LEAT_REQUEST_COPY, to, offset, bytes);
  request->from = g_object_ref (from);
  request->from_offset = leat_transfer_batch_place (from, from_offset);
}

/**
 * leat_transfer_batch_run:
 * @self: a batch
 * @error: return location for an error
 *
 * Does all that was added, and waits until it is done.
 *
 * With %LEAT_DEVICE_BUFFER_ERROR nothing has been done: %LEAT_DEVICE_BUFFER_ERROR_RANGE for bytes outside a buffer,
 * %LEAT_DEVICE_BUFFER_ERROR_RELEASED, %LEAT_DEVICE_BUFFER_ERROR_DEVICE, and %LEAT_DEVICE_BUFFER_ERROR_BUSY while a run
 * of a session works on one of the buffers.  After %LEAT_DRIVER_ERROR there are no new downloads, and buffers that were
 * to be written hold what they held, what was to be written, or something of both.
 *
 * Returns: whether it is done
 * Since: 0.1
 */
gboolean
leat_transfer_batch_run (LeatTransferBatch *self, GError **error)
{
  g_return_val_if_fail (LEAT_IS_TRANSFER_BATCH (self), FALSE);

  return leat_requests_run (self->requests, &self->counts, error);
}

/**
 * leat_transfer_batch_get_n_downloads:
 * @self: a batch
 *
 * Counts the downloads that were added.
 *
 * Returns: how many
 * Since: 0.1
 */
guint
leat_transfer_batch_get_n_downloads (LeatTransferBatch *self)
{
  g_return_val_if_fail (LEAT_IS_TRANSFER_BATCH (self), 0);
  return self->downloads->len;
}

/**
 * leat_transfer_batch_get_download:
 * @self: a batch
 * @index: what leat_transfer_batch_download () gave
 *
 * Gets what a download brought back in the last run that did not fail.  Downloads that were merged are views of the
 * same bytes.
 *
 * Returns: (transfer full) (nullable): the bytes; %NULL when the batch has not been run
 * Since: 0.1
 */
GBytes *
leat_transfer_batch_get_download (LeatTransferBatch *self, guint index)
{
  LeatRequest *request;

  g_return_val_if_fail (LEAT_IS_TRANSFER_BATCH (self), NULL);
  g_return_val_if_fail (index < self->downloads->len, NULL);

  request = &g_array_index (self->requests, LeatRequest, g_array_index (self->downloads, guint, index));
  return request->result != NULL ? g_bytes_ref (request->result) : NULL;
}

/**
 * leat_transfer_batch_clear:
 * @self: a batch
 *
 * Takes all requests out, so that others can be added.  Counts stay.
 *
 * Since: 0.1
 */
void
leat_transfer_batch_clear (LeatTransferBatch *self)
{
  g_return_if_fail (LEAT_IS_TRANSFER_BATCH (self));

  g_array_set_size (self->requests, 0);
  g_array_set_size (self->downloads, 0);
}

/**
 * leat_transfer_batch_dup_stats:
 * @self: a batch
 *
 * Gets what all runs of the batch came to: `requests` (that were not empty), `transfers` (that the driver was asked
 * for), `fused` (uploads and downloads that needed no transfer of their own), `bytes-up`, `bytes-down`, `bytes-filled`
 * and `bytes-copied`.
 *
 * Returns: (transfer full): a dictionary, `a{sv}`, of numbers of type `t`
 * Since: 0.1
 */
GVariant *
leat_transfer_batch_dup_stats (LeatTransferBatch *self)
{
  g_return_val_if_fail (LEAT_IS_TRANSFER_BATCH (self), NULL);
  return leat_transfer_counts_to_variant (&self->counts);
}

static void
leat_transfer_batch_finalize (GObject *object)
{
  LeatTransferBatch *self = LEAT_TRANSFER_BATCH (object);

  g_array_unref (self->requests);
  g_array_unref (self->downloads);
  G_OBJECT_CLASS (leat_transfer_batch_parent_class)->finalize (object);
}

static void
leat_transfer_batch_class_init (LeatTransferBatchClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = leat_transfer_batch_finalize;
}

static void
leat_transfer_batch_init (LeatTransferBatch *self)
{
  self->requests = g_array_new (FALSE, FALSE, sizeof (LeatRequest));
  g_array_set_clear_func (self->requests, (GDestroyNotify) leat_request_clear);
  self->downloads = g_array_new (FALSE, FALSE, sizeof (guint));
}
