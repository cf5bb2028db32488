/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-state-file-private.h"

#include <string.h>
#include <xxhash.h>

#define LEAT_STATE_VERSION 1

/* The line break shows whether somebody took it for text. */
static const char leat_state_magic[8] = { 'L', 'E', 'A', 'T', 'S', 'T', '\r', '\n' };

/* As it lies in the file: every machine that CUDA runs on is little-endian. */
typedef struct
{
  char magic[8];
  guint32 version;
  guint32 n_entries;
  guint64 file_bytes;
  guint64 key;
  guint8 checksum[16]; /* XXH3, 128 bits, of the whole file, with zeros here */
} LeatStateHead;

typedef struct
{
  guint32 name_bytes, spec_bytes;
  guint64 bytes;
} LeatStateRow;

void
leat_state_entry_clear (LeatStateEntry *self)
{
  g_free (self->name);
  g_free (self->spec);
  g_clear_pointer (&self->data, g_bytes_unref);
}

GArray *
leat_state_entries_new (void)
{
  GArray *entries = g_array_new (FALSE, TRUE, sizeof (LeatStateEntry));

  g_array_set_clear_func (entries, (GDestroyNotify) leat_state_entry_clear);
  return entries;
}

static void
leat_state_file_sum (const LeatStateHead *head, const guint8 *behind, guint8 sum[16])
{
  XXH3_state_t *state = XXH3_createState ();
  LeatStateHead blank = *head;
  XXH128_canonical_t canonical;

  memset (blank.checksum, 0, sizeof blank.checksum);
  XXH3_128bits_reset (state);
  XXH3_128bits_update (state, &blank, sizeof blank);
  XXH3_128bits_update (state, behind, head->file_bytes - sizeof blank);
  XXH128_canonicalFromHash (&canonical, XXH3_128bits_digest (state));
  XXH3_freeState (state);
  memcpy (sum, &canonical, sizeof canonical);
}

/* There may be more of it than 32 bits tell. */
guint64
leat_state_file_get_bytes (GArray *entries)
{
  guint64 bytes = sizeof (LeatStateHead);

  for (guint i = 0; i < entries->len; i++)
    {
      const LeatStateEntry *entry = &g_array_index (entries, LeatStateEntry, i);

      bytes += sizeof (LeatStateRow) + strlen (entry->name) + strlen (entry->spec) + entry->bytes;
    }
  return bytes;
}

static guint8 *
leat_state_file_put (guint8 *at, gconstpointer data, gsize bytes)
{
  if (bytes > 0)
    memcpy (at, data, bytes);
  return at + bytes;
}

static guint8 *
leat_state_file_put_row (guint8 *at, const LeatStateEntry *entry)
{
  const LeatStateRow row = { (guint32) strlen (entry->name), (guint32) strlen (entry->spec), entry->bytes };

  at = leat_state_file_put (at, &row, sizeof row);
  at = leat_state_file_put (at, entry->name, row.name_bytes);
  return leat_state_file_put (at, entry->spec, row.spec_bytes);
}

GBytes *
leat_state_file_encode (GArray *entries, guint64 key)
{
  LeatStateHead head = { .version = LEAT_STATE_VERSION,
                         .n_entries = entries->len,
                         .file_bytes = leat_state_file_get_bytes (entries),
                         .key = key };
  guint8 *file = g_try_malloc (head.file_bytes), *at = file;

  if (file == NULL)
    return NULL;
  memcpy (head.magic, leat_state_magic, sizeof head.magic);
  at += sizeof head;
  for (guint i = 0; i < entries->len; i++)
    at = leat_state_file_put_row (at, &g_array_index (entries, LeatStateEntry, i));
  for (guint i = 0; i < entries->len; i++)
    {
      const LeatStateEntry *entry = &g_array_index (entries, LeatStateEntry, i);

      at = leat_state_file_put (at, g_bytes_get_data (entry->data, NULL), entry->bytes);
    }
  leat_state_file_sum (&head, file + sizeof head, head.checksum);
  memcpy (file, &head, sizeof head);
  return g_bytes_new_take (file, head.file_bytes);
}

static gboolean leat_state_file_refuse (GError **error, LeatStateError code, const char *what, const char *format, ...)
  G_GNUC_PRINTF (4, 5);

static gboolean
leat_state_file_refuse (GError **error, LeatStateError code, const char *what, const char *format, ...)
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
leat_state_file_check_head (const guint8 *data, gsize size, LeatStateHead *head, const char *what, GError **error)
{
  guint8 sum[16];

  if (size < sizeof leat_state_magic || memcmp (data, leat_state_magic, sizeof leat_state_magic) != 0)
    return leat_state_file_refuse (error, LEAT_STATE_ERROR_FORMAT, what, "it is no file of leat_session_save_state ()");
  if (size < sizeof *head)
    return leat_state_file_refuse (error, LEAT_STATE_ERROR_TRUNCATED, what,
                                   "it ends within its head, after %" G_GSIZE_FORMAT " bytes", size);
  memcpy (head, data, sizeof *head);
  if (head->version != LEAT_STATE_VERSION)
    return leat_state_file_refuse (error, LEAT_STATE_ERROR_VERSION, what,
                                   "it is of version %u, and this library reads version %u", head->version,
                                   LEAT_STATE_VERSION);
  if (head->file_bytes != size)
    return leat_state_file_refuse (error, LEAT_STATE_ERROR_TRUNCATED, what,
                                   "it has %" G_GSIZE_FORMAT " bytes and should have %" G_GUINT64_FORMAT, size,
                                   head->file_bytes);
  leat_state_file_sum (head, data + sizeof *head, sum);
  if (memcmp (sum, head->checksum, sizeof sum) == 0)
    return TRUE;
  return leat_state_file_refuse (error, LEAT_STATE_ERROR_DAMAGED, what, "its checksum is not that of its contents");
}

/* The checksum is right; what the table says is believed only as far as the file goes. */
static gboolean
leat_state_file_take (const guint8 *data, gsize size, gsize *at, gsize bytes, gconstpointer *found)
{
  if (bytes > size - *at)
    return FALSE;
  *found = data + *at;
  *at += bytes;
  return TRUE;
}

static gboolean
leat_state_file_read_row (const guint8 *data, gsize size, gsize *at, LeatStateEntry *entry)
{
  gconstpointer row_at, name, spec;
  LeatStateRow row;

  if (!leat_state_file_take (data, size, at, sizeof row, &row_at))
    return FALSE;
  memcpy (&row, row_at, sizeof row);
  if (!leat_state_file_take (data, size, at, row.name_bytes, &name)
      || !leat_state_file_take (data, size, at, row.spec_bytes, &spec))
    return FALSE;
  entry->name = g_strndup (name, row.name_bytes);
  entry->spec = g_strndup (spec, row.spec_bytes);
  entry->bytes = row.bytes;
  return TRUE;
}

static gboolean
leat_state_file_read (GBytes *file, const LeatStateHead *head, GArray *entries)
{
  gsize size, at = sizeof *head;
  const guint8 *data = g_bytes_get_data (file, &size);

  for (guint i = 0; i < head->n_entries; i++)
    {
      LeatStateEntry entry = { NULL };

      if (!leat_state_file_read_row (data, size, &at, &entry))
        return FALSE;
      g_array_append_val (entries, entry);
    }
  for (guint i = 0; i < entries->len; i++)
    {
      LeatStateEntry *entry = &g_array_index (entries, LeatStateEntry, i);

      if (entry->bytes > size - at)
        return FALSE;
      entry->data = g_bytes_new_from_bytes (file, at, entry->bytes);
      at += entry->bytes;
    }
  return at == size;
}

static gboolean
leat_state_file_match (GArray *found, GArray *expected, const char *what, GError **error)
{
  if (found->len != expected->len)
    return leat_state_file_refuse (error, LEAT_STATE_ERROR_PIPELINE, what, "it has %u states, and the pipeline has %u",
                                   found->len, expected->len);
  for (guint i = 0; i < found->len; i++)
    {
      const LeatStateEntry *is = &g_array_index (found, LeatStateEntry, i);
      const LeatStateEntry *wanted = &g_array_index (expected, LeatStateEntry, i);

      if (!g_str_equal (is->name, wanted->name) || !g_str_equal (is->spec, wanted->spec) || is->bytes != wanted->bytes)
        return leat_state_file_refuse (error, LEAT_STATE_ERROR_PIPELINE, what,
                                       "it has %s, %s of %" G_GUINT64_FORMAT
                                       " bytes, where the pipeline has %s, %s of %" G_GUINT64_FORMAT,
                                       is->name, is->spec, is->bytes, wanted->name, wanted->spec, wanted->bytes);
    }
  return TRUE;
}

gboolean
leat_state_file_decode (GBytes *file, GArray *expected, guint64 key, const char *what, GError **error)
{
  g_autoptr (GArray) found = leat_state_entries_new ();
  LeatStateHead head;
  gsize size;
  const guint8 *data = g_bytes_get_data (file, &size);

  if (!leat_state_file_check_head (data, size, &head, what, error))
    return FALSE;
  if (!leat_state_file_read (file, &head, found))
    return leat_state_file_refuse (error, LEAT_STATE_ERROR_DAMAGED, what, "its table does not fit its size");
  if (!leat_state_file_match (found, expected, what, error))
    return FALSE;
  if (head.key != key)
    return leat_state_file_refuse (error, LEAT_STATE_ERROR_PIPELINE, what,
                                   "it was saved by a pipeline of other nodes or links");
  for (guint i = 0; i < found->len; i++)
    g_array_index (expected, LeatStateEntry, i).data = g_bytes_ref (g_array_index (found, LeatStateEntry, i).data);
  return TRUE;
}
