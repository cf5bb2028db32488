/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The pinned memory of a batch, from which small uploads go and to which small downloads come.  Touches the batch's own
 * memory only, never that of its buffers. */

#include "leat-transfer-private.h"

#include <string.h>

/* From here on a transfer takes so long that pinned memory, and a copy on the host to or from it, gain nothing. */
#define LEAT_DIRECT_BYTES      (1 << 20)
#define LEAT_STAGING_ALIGNMENT 64

static void
leat_transfer_piece_free (gpointer data)
{
  LeatTransferPiece *self = data;

  g_clear_pointer (&self->direct, g_bytes_unref);
  g_clear_pointer (&self->whole, g_bytes_unref);
  g_free (self->out);
  g_free (self);
}

static LeatTransferPiece *
leat_transfers_get_piece (LeatTransfers *self, const LeatRequest *request, guint64 *offset)
{
  LeatStep *step = &g_array_index (self->steps, LeatStep, request->step);
  guint index;

  if (request->bytes == 0 || step->ranges == NULL)
    return NULL;
  index = leat_ranges_find (step->ranges, request->offset);
  *offset = request->offset - leat_ranges_get (step->ranges, index)->begin;
  return g_ptr_array_index (step->pieces, index);
}

static void
leat_transfers_add_pieces (LeatTransfers *self)
{
  guint64 offset;

  for (guint i = 0; i < self->steps->len; i++)
    {
      LeatStep *step = &g_array_index (self->steps, LeatStep, i);

      step->pieces = step->ranges != NULL ? g_ptr_array_new_with_free_func (leat_transfer_piece_free) : NULL;
      for (guint r = 0; step->ranges != NULL && r < step->ranges->len; r++)
        g_ptr_array_add (step->pieces, g_new0 (LeatTransferPiece, 1));
    }
  for (guint i = 0; i < self->requests->len; i++)
    {
      const LeatRequest *request = &g_array_index (self->requests, LeatRequest, i);
      LeatTransferPiece *piece = leat_transfers_get_piece (self, request, &offset);
      LeatTransferCounts *counts = g_hash_table_lookup (self->entered, request->buffer);

      counts->requests += request->bytes > 0;
      if (piece != NULL)
        counts->fused += piece->n_requests++ > 0;
    }
}

static gboolean
leat_transfer_piece_place (LeatTransferPiece *self, LeatRequestKind kind, guint64 bytes, guint64 *staging_bytes,
                           GError **error)
{
  gboolean large = bytes >= LEAT_DIRECT_BYTES;

  self->staged = !(large && (kind == LEAT_REQUEST_DOWNLOAD || self->n_requests == 1));
  if (self->staged)
    {
      self->staged_at = *staging_bytes;
      *staging_bytes += (bytes + LEAT_STAGING_ALIGNMENT - 1) / LEAT_STAGING_ALIGNMENT * LEAT_STAGING_ALIGNMENT;
    }
  if (kind == LEAT_REQUEST_UPLOAD)
    return TRUE;
  self->out = g_try_malloc (bytes);
  if (self->out != NULL)
    return TRUE;
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY,
               "a download: %" G_GUINT64_FORMAT " bytes are more than this machine's memory holds", bytes);
  return FALSE;
}

/* The uploads' bytes, later ones over earlier ones. */
static void
leat_transfers_fill_staging (LeatTransfers *self)
{
  guint8 *host = self->staging != NULL ? leat_memory_get_host (self->staging) : NULL;
  guint64 offset = 0;

  for (guint i = 0; i < self->requests->len; i++)
    {
      const LeatRequest *request = &g_array_index (self->requests, LeatRequest, i);
      LeatTransferPiece *piece = leat_transfers_get_piece (self, request, &offset);

      if (request->kind != LEAT_REQUEST_UPLOAD || piece == NULL)
        continue;
      if (piece->staged)
        memcpy (host + piece->staged_at + offset, g_bytes_get_data (request->data, NULL), request->bytes);
      else
        piece->direct = g_bytes_ref (request->data);
    }
}

gboolean
leat_transfers_stage (LeatTransfers *self, GError **error)
{
  guint64 staging_bytes = 0;

  leat_transfers_add_pieces (self);
  for (guint i = 0; i < self->steps->len; i++)
    {
      const LeatStep *step = &g_array_index (self->steps, LeatStep, i);

      for (guint p = 0; step->pieces != NULL && p < step->pieces->len; p++)
        {
          const LeatRange *range = leat_ranges_get (step->ranges, p);

          if (!leat_transfer_piece_place (g_ptr_array_index (step->pieces, p), step->kind, range->end - range->begin,
                                          &staging_bytes, error))
            return FALSE;
        }
    }
  if (staging_bytes > 0)
    self->staging = leat_memory_new (self->device, LEAT_MEMORY_PINNED, staging_bytes, "the bytes of transfers", error);
  if (staging_bytes > 0 && self->staging == NULL)
    return FALSE;
  leat_transfers_fill_staging (self);
  return TRUE;
}

static void
leat_transfers_collect_pieces (LeatTransfers *self)
{
  for (guint i = 0; i < self->steps->len; i++)
    {
      const LeatStep *step = &g_array_index (self->steps, LeatStep, i);

      for (guint p = 0; step->kind == LEAT_REQUEST_DOWNLOAD && p < step->pieces->len; p++)
        {
          LeatTransferPiece *piece = g_ptr_array_index (step->pieces, p);
          const LeatRange *range = leat_ranges_get (step->ranges, p);
          gsize bytes = range->end - range->begin;

          if (piece->staged)
            memcpy (piece->out, (guint8 *) leat_memory_get_host (self->staging) + piece->staged_at, bytes);
          piece->whole = g_bytes_new_take (g_steal_pointer (&piece->out), bytes);
        }
    }
}

void
leat_transfers_collect (LeatTransfers *self)
{
  guint64 offset = 0;

  leat_transfers_collect_pieces (self);
  for (guint i = 0; i < self->requests->len; i++)
    {
      LeatRequest *request = &g_array_index (self->requests, LeatRequest, i);
      const LeatTransferPiece *piece = leat_transfers_get_piece (self, request, &offset);

      if (request->kind != LEAT_REQUEST_DOWNLOAD)
        continue;
      g_clear_pointer (&request->result, g_bytes_unref);
      request->result =
        piece != NULL ? g_bytes_new_from_bytes (piece->whole, offset, request->bytes) : g_bytes_new_static (NULL, 0);
    }
}
