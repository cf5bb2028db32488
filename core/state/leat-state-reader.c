/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reads a file of saved states: checks that it is whole and fits the session, then gives its contents.  Touches the
 * file alone, for reading. */

#include "leat-state-form-private.h"
#include "leat-state-reader-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAT_STATE_ADVICE "; save it again, or take another copy"

/* A file of states, read piece by piece: once from end to end to see whether it is whole, and once more for who takes
 * its contents.  One that is no larger than a piece is read once. */

struct _LeatStateReader
{
  char *path;
  int fd;
  guint64 size;
  GBytes *whole; /* NULL: pieces are read as they are needed */
  LeatStateHead head;
  guint64 contents_at; /* behind the table */
  XXH3_state_t *again; /* of all, as it is read the second time; NULL before */
};

static gboolean leat_state_reader_refuse (GError **error, LeatStateError code, const char *what, const char *format,
                                          ...) G_GNUC_PRINTF (4, 5);

static gboolean
leat_state_reader_refuse (GError **error, LeatStateError code, const char *what, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LEAT_STATE_ERROR, code, "cannot load the state in \"%s\": %s", what, text);
  return FALSE;
}

static gboolean
leat_state_reader_fail (LeatStateReader *self, int code, GError **error)
{
  g_set_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_IO, "cannot load the state: cannot read \"%s\": %s",
               self->path, g_strerror (code));
  return FALSE;
}

/* Within the file. */
static GBytes *
leat_state_reader_read (LeatStateReader *self, guint64 at, guint64 bytes, GError **error)
{
  g_autofree guint8 *data = NULL;

  if (self->whole != NULL)
    return g_bytes_new_from_bytes (self->whole, at, bytes);
  data = g_malloc (bytes + 1);
  for (guint64 done = 0; done < bytes;)
    {
      gssize n = pread (self->fd, data + done, bytes - done, (off_t) (at + done));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          leat_state_reader_fail (self, n < 0 ? errno : ENODATA, error);
          return NULL;
        }
      done += (guint64) n;
    }
  return g_bytes_new_take (g_steal_pointer (&data), bytes);
}

static gboolean
leat_state_reader_begin (LeatStateReader *self, GError **error)
{
  struct stat info;

  self->fd = open (self->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (self->fd < 0 || fstat (self->fd, &info) != 0)
    return leat_state_reader_fail (self, errno, error);
  if (S_ISDIR (info.st_mode))
    return leat_state_reader_fail (self, EISDIR, error);
  /* A file without a size may have no end, and cannot be read twice. */
  if (!S_ISREG (info.st_mode))
    return leat_state_reader_refuse (error, LEAT_STATE_ERROR_FORMAT, self->path,
                                     "it is a pipe or a device; a state is loaded from a regular file");
  self->size = (guint64) info.st_size;
  if (self->size <= LEAT_STATE_PIECE)
    self->whole = leat_state_reader_read (self, 0, self->size, error);
  return self->size > LEAT_STATE_PIECE || self->whole != NULL;
}

/* FALSE too where there is no more of it; then without an error. */
static gboolean
leat_state_reader_take (LeatStateReader *self, guint64 *at, guint64 bytes, GBytes **found, GError **error)
{
  if (bytes > self->size - *at || bytes > LEAT_STATE_PIECE)
    return FALSE;
  *found = leat_state_reader_read (self, *at, bytes, error);
  *at += bytes;
  return *found != NULL;
}

static gboolean
leat_state_reader_add_to_sum (LeatStateReader *self, XXH3_state_t *sum, guint64 at, GError **error)
{
  for (guint64 n; at < self->size; at += n)
    {
      g_autoptr (GBytes) piece = NULL;

      n = MIN (self->size - at, LEAT_STATE_PIECE);
      piece = leat_state_reader_read (self, at, n, error);
      if (piece == NULL)
        return FALSE;
      XXH3_128bits_update (sum, g_bytes_get_data (piece, NULL), n);
    }
  return TRUE;
}

static gboolean
leat_state_reader_check_sum (LeatStateReader *self, GError **error)
{
  LeatStateHead blank = self->head;
  XXH3_state_t *sum;
  guint8 found[16];
  gboolean good;

  memset (blank.checksum, 0, sizeof blank.checksum);
  sum = leat_state_sum_begin (&blank);
  good = leat_state_reader_add_to_sum (self, sum, sizeof blank, error);
  leat_state_sum_end (sum, found);
  if (!good || memcmp (found, self->head.checksum, sizeof found) == 0)
    return good;
  return leat_state_reader_refuse (error, LEAT_STATE_ERROR_DAMAGED, self->path,
                                   "its checksum is not that of its contents" LEAT_STATE_ADVICE);
}

static gboolean
leat_state_reader_check_head (LeatStateReader *self, GError **error)
{
  g_autoptr (GBytes) begin = leat_state_reader_read (self, 0, MIN (self->size, sizeof self->head), error);

  if (begin == NULL)
    return FALSE;
  if (self->size > 0)
    memcpy (&self->head, g_bytes_get_data (begin, NULL), g_bytes_get_size (begin));
  if (self->size < sizeof self->head.magic || memcmp (self->head.magic, LEAT_STATE_MAGIC, sizeof self->head.magic) != 0)
    return leat_state_reader_refuse (error, LEAT_STATE_ERROR_FORMAT, self->path,
                                     "it is no file of leat_session_save_state ()");
  if (self->size < sizeof self->head)
    return leat_state_reader_refuse (error, LEAT_STATE_ERROR_TRUNCATED, self->path,
                                     "it ends within its head, after %" G_GUINT64_FORMAT " bytes" LEAT_STATE_ADVICE,
                                     self->size);
  if (self->head.version != LEAT_STATE_VERSION)
    return leat_state_reader_refuse (
      error, LEAT_STATE_ERROR_VERSION, self->path,
      "it is of version %u, and this library reads version %u; save it with this library", self->head.version,
      LEAT_STATE_VERSION);
  if (self->head.file_bytes != self->size)
    return leat_state_reader_refuse (error, LEAT_STATE_ERROR_TRUNCATED, self->path,
                                     "it has %" G_GUINT64_FORMAT
                                     " bytes and should have %" G_GUINT64_FORMAT LEAT_STATE_ADVICE,
                                     self->size, self->head.file_bytes);
  return leat_state_reader_check_sum (self, error);
}

/* The checksum is right; what the table says is believed only as far as the file goes. */
static gboolean
leat_state_reader_read_row (LeatStateReader *self, guint64 *at, LeatStateEntry *entry, GError **error)
{
  g_autoptr (GBytes) row_at = NULL, name = NULL, spec = NULL;
  LeatStateRow row;

  if (!leat_state_reader_take (self, at, sizeof row, &row_at, error))
    return FALSE;
  memcpy (&row, g_bytes_get_data (row_at, NULL), sizeof row);
  if (!leat_state_reader_take (self, at, row.name_bytes, &name, error)
      || !leat_state_reader_take (self, at, row.spec_bytes, &spec, error) || row.n_lanes == 0
      || row.n_lanes > G_MAXUINT16)
    return FALSE;
  entry->name = g_strndup (g_bytes_get_data (name, NULL), row.name_bytes);
  entry->spec = g_strndup (g_bytes_get_data (spec, NULL), row.spec_bytes);
  entry->bytes = row.bytes;
  entry->n_lanes = (guint) row.n_lanes;
  return TRUE;
}

/* Where their contents are: each state's of all lanes, one behind the other. */
static gboolean
leat_state_reader_place (LeatStateReader *self, guint64 at, GArray *entries)
{
  self->contents_at = at;
  for (guint i = 0; i < entries->len; i++)
    {
      LeatStateEntry *entry = &g_array_index (entries, LeatStateEntry, i);

      if (entry->bytes > 0 && entry->n_lanes > (self->size - at) / entry->bytes)
        return FALSE;
      entry->at = at;
      at += entry->n_lanes * entry->bytes;
    }
  return at == self->size;
}

static gboolean
leat_state_reader_read_table (LeatStateReader *self, GArray *entries, GError **error)
{
  GError *inner = NULL;
  guint64 at = sizeof self->head;
  gboolean good = TRUE;

  for (guint i = 0; i < self->head.n_entries && good; i++)
    {
      LeatStateEntry entry = { NULL };

      good = leat_state_reader_read_row (self, &at, &entry, &inner);
      if (good)
        g_array_append_val (entries, entry);
    }
  if (inner != NULL)
    {
      g_propagate_error (error, inner);
      return FALSE;
    }
  if (good && leat_state_reader_place (self, at, entries))
    return TRUE;
  return leat_state_reader_refuse (error, LEAT_STATE_ERROR_DAMAGED, self->path,
                                   "its table does not fit its size" LEAT_STATE_ADVICE);
}

static gboolean
leat_state_reader_match (const LeatStateEntry *is, const LeatStateEntry *wanted, const char *what, GError **error)
{
  if (g_str_equal (is->name, wanted->name) && g_str_equal (is->spec, wanted->spec) && is->bytes == wanted->bytes)
    return TRUE;
  return leat_state_reader_refuse (error, LEAT_STATE_ERROR_PIPELINE, what,
                                   "it has %s, %s of %" G_GUINT64_FORMAT
                                   " bytes, where the pipeline has %s, %s of %" G_GUINT64_FORMAT
                                   "; it goes with the pipeline that saved it",
                                   is->name, is->spec, is->bytes, wanted->name, wanted->spec, wanted->bytes);
}

static gboolean
leat_state_reader_match_lanes (const LeatStateEntry *is, const LeatStateEntry *wanted, const char *what, GError **error)
{
  if (is->n_lanes <= wanted->n_lanes)
    return TRUE;
  if (!wanted->by_lane)
    return leat_state_reader_refuse (
      error, LEAT_STATE_ERROR_LANES, what,
      "%s is of %u lanes in it, and the pipeline has one for all; give the node scope=lane", is->name, is->n_lanes);
  return leat_state_reader_refuse (error, LEAT_STATE_ERROR_LANES, what,
                                   "%s is of %u lanes in it, and the session has %u; open it with lanes=%u or more",
                                   is->name, is->n_lanes, wanted->n_lanes, is->n_lanes);
}

static gboolean
leat_state_reader_match_all (GArray *found, GArray *expected, const char *what, GError **error)
{
  if (found->len != expected->len)
    return leat_state_reader_refuse (
      error, LEAT_STATE_ERROR_PIPELINE, what,
      "it has %u states, and the pipeline has %u; it goes with the pipeline that saved it", found->len, expected->len);
  for (guint i = 0; i < found->len; i++)
    if (!leat_state_reader_match (&g_array_index (found, LeatStateEntry, i),
                                  &g_array_index (expected, LeatStateEntry, i), what, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_state_reader_match_all_lanes (GArray *found, GArray *expected, const char *what, GError **error)
{
  for (guint i = 0; i < found->len; i++)
    if (!leat_state_reader_match_lanes (&g_array_index (found, LeatStateEntry, i),
                                        &g_array_index (expected, LeatStateEntry, i), what, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_state_reader_look (LeatStateReader *self, GArray *expected, guint64 key, GError **error)
{
  g_autoptr (GArray) found = leat_state_entries_new ();

  if (!leat_state_reader_begin (self, error) || !leat_state_reader_check_head (self, error)
      || !leat_state_reader_read_table (self, found, error)
      || !leat_state_reader_match_all (found, expected, self->path, error))
    return FALSE;
  if (self->head.key != key)
    return leat_state_reader_refuse (error, LEAT_STATE_ERROR_PIPELINE, self->path,
                                     "it was saved by a pipeline of other nodes or links; it goes with that one");
  if (!leat_state_reader_match_all_lanes (found, expected, self->path, error))
    return FALSE;
  for (guint i = 0; i < found->len; i++)
    {
      LeatStateEntry *is = &g_array_index (found, LeatStateEntry, i),
                     *to = &g_array_index (expected, LeatStateEntry, i);

      to->n_lanes = is->n_lanes;
      to->at = is->at;
    }
  return TRUE;
}

LeatStateReader *
leat_state_reader_new (const char *path, GArray *expected, guint64 key, GError **error)
{
  g_autoptr (LeatStateReader) self = g_new0 (LeatStateReader, 1);

  self->path = g_strdup (path);
  self->fd = -1;
  return leat_state_reader_look (self, expected, key, error) ? g_steal_pointer (&self) : NULL;
}

void
leat_state_reader_free (LeatStateReader *self)
{
  if (self->fd >= 0)
    close (self->fd);
  g_clear_pointer (&self->whole, g_bytes_unref);
  g_clear_pointer (&self->again, XXH3_freeState);
  g_free (self->path);
  g_free (self);
}

/* The second sum begins with what is before the contents. */
static gboolean
leat_state_reader_begin_again (LeatStateReader *self, GError **error)
{
  LeatStateHead blank = self->head;
  g_autoptr (GBytes) table = NULL;

  if (self->again != NULL)
    return TRUE;
  table = leat_state_reader_read (self, sizeof blank, self->contents_at - sizeof blank, error);
  if (table == NULL)
    return FALSE;
  memset (blank.checksum, 0, sizeof blank.checksum);
  self->again = leat_state_sum_begin (&blank);
  XXH3_128bits_update (self->again, g_bytes_get_data (table, NULL), g_bytes_get_size (table));
  return TRUE;
}

GBytes *
leat_state_reader_get (LeatStateReader *self, const LeatStateEntry *entry, guint lane, guint64 offset, guint64 bytes,
                       GError **error)
{
  GBytes *piece;

  if (self->whole == NULL && !leat_state_reader_begin_again (self, error))
    return NULL;
  piece = leat_state_reader_read (self, entry->at + lane * entry->bytes + offset, bytes, error);
  if (piece != NULL && self->whole == NULL)
    XXH3_128bits_update (self->again, g_bytes_get_data (piece, NULL), bytes);
  return piece;
}

gboolean
leat_state_reader_finish (LeatStateReader *self, GError **error)
{
  guint8 sum[16];

  if (self->again == NULL)
    return TRUE;
  leat_state_sum_end (g_steal_pointer (&self->again), sum);
  if (memcmp (sum, self->head.checksum, sizeof sum) == 0)
    return TRUE;
  return leat_state_reader_refuse (error, LEAT_STATE_ERROR_DAMAGED, self->path,
                                   "somebody wrote to it while it was loaded; close the session and open it again");
}
