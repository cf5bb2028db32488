/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-state-form-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* A file of states, written: piece by piece, as a device may have more of them than the host has room for. */

typedef struct
{
  GArray *entries;
  LeatStateFeed feed;
  gpointer data;
  const char *path;
  char *aside; /* the file until it is renamed; NULL where there is none */
  int fd;
  LeatStateHead head;
  XXH3_state_t *sum;
} LeatStateWriter;

static gboolean
leat_state_writer_fail (LeatStateWriter *self, const char *what, GError **error)
{
  const int code = errno;

  g_set_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_IO, "cannot save the state: %s \"%s\": %s", what, self->path,
               g_strerror (code));
  return FALSE;
}

static gboolean
leat_state_writer_open (LeatStateWriter *self, GError **error)
{
  self->aside = g_strconcat (self->path, ".XXXXXX", NULL);
  self->fd = g_mkstemp_full (self->aside, O_RDWR | O_CLOEXEC, 0666);
  if (self->fd >= 0)
    return TRUE;
  g_clear_pointer (&self->aside, g_free);
  return leat_state_writer_fail (self, "there can be no file beside", error);
}

/* @at: from the beginning of the file; -1: behind what was written last */
static gboolean
leat_state_writer_put (LeatStateWriter *self, gint64 at, gconstpointer data, gsize bytes, GError **error)
{
  const guint8 *from = data;

  for (gsize done = 0; done < bytes;)
    {
      gssize n = at < 0 ? write (self->fd, from + done, bytes - done)
                        : pwrite (self->fd, from + done, bytes - done, (off_t) (at + (gint64) done));

      if (n < 0 && errno != EINTR)
        return leat_state_writer_fail (self, "writing beside", error);
      done += n > 0 ? (gsize) n : 0;
    }
  return TRUE;
}

static gboolean
leat_state_writer_add (LeatStateWriter *self, gconstpointer data, gsize bytes, GError **error)
{
  XXH3_128bits_update (self->sum, data, bytes);
  return leat_state_writer_put (self, -1, data, bytes, error);
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

/* The head comes again when the checksum is known. */
static gboolean
leat_state_writer_fill (LeatStateWriter *self, GError **error)
{
  gboolean good;

  self->sum = leat_state_sum_begin (&self->head);
  good = leat_state_writer_put (self, -1, &self->head, sizeof self->head, error)
         && leat_state_writer_add_entries (self, error);
  leat_state_sum_end (self->sum, self->head.checksum);
  return good && leat_state_writer_put (self, 0, &self->head, sizeof self->head, error);
}

static int
leat_state_writer_close (LeatStateWriter *self)
{
  int fd = self->fd;

  self->fd = -1;
  return close (fd);
}

/* On the disk before it has the name: else what was there could be gone, and this not there yet. */
static gboolean
leat_state_writer_finish (LeatStateWriter *self, GError **error)
{
  if (fsync (self->fd) != 0)
    return leat_state_writer_fail (self, "writing beside", error);
  if (leat_state_writer_close (self) != 0)
    return leat_state_writer_fail (self, "closing the file beside", error);
  if (g_rename (self->aside, self->path) != 0)
    return leat_state_writer_fail (self, "renaming to", error);
  g_clear_pointer (&self->aside, g_free);
  return TRUE;
}

static void
leat_state_writer_clear (LeatStateWriter *self)
{
  if (self->fd >= 0)
    close (self->fd);
  if (self->aside != NULL)
    g_unlink (self->aside);
  g_free (self->aside);
}

gboolean
leat_state_file_write (const char *path, GArray *entries, guint64 key, LeatStateFeed feed, gpointer data,
                       GError **error)
{
  LeatStateWriter self = {
    .entries = entries,
    .feed = feed,
    .data = data,
    .path = path,
    .fd = -1,
    .head = { .version = LEAT_STATE_VERSION,
              .n_entries = entries->len,
              .file_bytes = leat_state_file_get_bytes (entries),
              .key = key },
  };
  gboolean good;

  memcpy (self.head.magic, LEAT_STATE_MAGIC, sizeof self.head.magic);
  good = leat_state_writer_open (&self, error) && leat_state_writer_fill (&self, error)
         && leat_state_writer_finish (&self, error);
  leat_state_writer_clear (&self);
  return good;
}
