/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A file of states, written: piece by piece, as a device may have more of them than the host has room for. */

#include "leat-state-form-private.h"

#include "graph/leat-graph-error.h"
#include "graph/leat-output-file-private.h"

#include <string.h>

typedef struct
{
  GArray *entries;
  LeatStateFeed feed;
  gpointer data;
  LeatOutputFile *output;
  gboolean sums_only; /* nothing is written: what a pipe gets cannot be changed when the checksum is known */
  LeatStateHead head;
  XXH3_state_t *sum;
} LeatStateWriter;

static gboolean
leat_state_writer_add (LeatStateWriter *self, gconstpointer data, gsize bytes, GError **error)
{
  if (self->sum != NULL)
    XXH3_128bits_update (self->sum, data, bytes);
  return self->sums_only || leat_output_file_write (self->output, data, bytes, NULL, error);
}

static gboolean
leat_state_writer_add_row (LeatStateWriter *self, const LeatStateEntry *entry, GError **error)
{
  const LeatStateRow row = { (guint32) strlen (entry->name), (guint32) strlen (entry->spec), entry->bytes,
                             entry->n_lanes };

  return leat_state_writer_add (self, &row, sizeof row, error)
         && leat_state_writer_add (self, entry->name, row.name_bytes, error)
         && leat_state_writer_add (self, entry->spec, row.spec_bytes, error);
}

static gboolean
leat_state_writer_add_contents (LeatStateWriter *self, guint entry, guint lane, GError **error)
{
  const guint64 all = g_array_index (self->entries, LeatStateEntry, entry).bytes;

  for (guint64 done = 0, n; done < all; done += n)
    {
      g_autoptr (GBytes) piece = NULL;

      n = MIN (all - done, LEAT_STATE_PIECE);
      piece = self->feed (self->data, entry, lane, done, n, error);
      if (piece == NULL || !leat_state_writer_add (self, g_bytes_get_data (piece, NULL), n, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_state_writer_add_entries (LeatStateWriter *self, GError **error)
{
  for (guint i = 0; i < self->entries->len; i++)
    if (!leat_state_writer_add_row (self, &g_array_index (self->entries, LeatStateEntry, i), error))
      return FALSE;
  for (guint i = 0; i < self->entries->len; i++)
    for (guint lane = 0; lane < g_array_index (self->entries, LeatStateEntry, i).n_lanes; lane++)
      if (!leat_state_writer_add_contents (self, i, lane, error))
        return FALSE;
  return TRUE;
}

static gboolean
leat_state_writer_add_up (LeatStateWriter *self, GError **error)
{
  gboolean good;

  self->sum = leat_state_sum_begin (&self->head);
  good = leat_state_writer_add_entries (self, error);
  leat_state_sum_end (g_steal_pointer (&self->sum), self->head.checksum);
  return good;
}

/* The head comes again when the checksum is known. */
static gboolean
leat_state_writer_fill (LeatStateWriter *self, GError **error)
{
  return leat_output_file_write (self->output, &self->head, sizeof self->head, NULL, error)
         && leat_state_writer_add_up (self, error)
         && leat_output_file_write_at (self->output, 0, &self->head, sizeof self->head, error);
}

/* A pipe or a device has the head first and once, so that all is read twice. */
static gboolean
leat_state_writer_stream (LeatStateWriter *self, GError **error)
{
  self->sums_only = TRUE;
  if (!leat_state_writer_add_up (self, error))
    return FALSE;
  self->sums_only = FALSE;
  return leat_output_file_write (self->output, &self->head, sizeof self->head, NULL, error)
         && leat_state_writer_add_entries (self, error);
}

/* On the disk before it has the name: else what was there could be gone, and this not there yet. */
static gboolean
leat_state_writer_write (LeatStateWriter *self, GError **error)
{
  return (leat_output_file_is_seekable (self->output) ? leat_state_writer_fill (self, error)
                                                      : leat_state_writer_stream (self, error))
         && leat_output_file_sync (self->output, error) && leat_output_file_commit (self->output, error);
}

/* The device's own error stays as it is. */
static void
leat_state_writer_tell (GError *inner, GError **error)
{
  if (inner->domain == LEAT_GRAPH_ERROR)
    {
      inner->domain = LEAT_STATE_ERROR;
      inner->code = LEAT_STATE_ERROR_IO;
    }
  g_prefix_error (&inner, "cannot save the state: ");
  g_propagate_error (error, inner);
}

gboolean
leat_state_file_write (const char *path, GArray *entries, guint64 key, LeatStateFeed feed, gpointer data,
                       GError **error)
{
  GError *inner = NULL;
  g_autoptr (LeatOutputFile) output = leat_output_file_open (path, &inner);
  LeatStateWriter self = {
    .entries = entries,
    .feed = feed,
    .data = data,
    .output = output,
    .head = { .version = LEAT_STATE_VERSION,
              .n_entries = entries->len,
              .file_bytes = leat_state_file_get_bytes (entries),
              .key = key },
  };

  memcpy (self.head.magic, LEAT_STATE_MAGIC, sizeof self.head.magic);
  if (output != NULL && leat_state_writer_write (&self, &inner))
    return TRUE;
  leat_state_writer_tell (inner, error);
  return FALSE;
}
