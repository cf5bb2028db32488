/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-state-form-private.h"

#include <string.h>

/* A file of states, read; leat-state-file-write.c writes it. */

void
leat_state_entry_clear (LeatStateEntry *self)
{
  g_free (self->name);
  g_free (self->spec);
  g_clear_pointer (&self->data, g_ptr_array_unref);
}

GArray *
leat_state_entries_new (void)
{
  GArray *entries = g_array_new (FALSE, TRUE, sizeof (LeatStateEntry));

  g_array_set_clear_func (entries, (GDestroyNotify) leat_state_entry_clear);
  return entries;
}

XXH3_state_t *
leat_state_sum_begin (const LeatStateHead *blank)
{
  XXH3_state_t *sum = XXH3_createState ();

  XXH3_128bits_reset (sum);
  XXH3_128bits_update (sum, blank, sizeof *blank);
  return sum;
}

void
leat_state_sum_end (XXH3_state_t *sum, guint8 checksum[16])
{
  XXH128_canonical_t canonical;

  XXH128_canonicalFromHash (&canonical, XXH3_128bits_digest (sum));
  XXH3_freeState (sum);
  memcpy (checksum, &canonical, sizeof canonical);
}

static void
leat_state_file_sum (const LeatStateHead *head, const guint8 *behind, guint8 checksum[16])
{
  LeatStateHead blank = *head;
  XXH3_state_t *sum;

  memset (blank.checksum, 0, sizeof blank.checksum);
  sum = leat_state_sum_begin (&blank);
  XXH3_128bits_update (sum, behind, head->file_bytes - sizeof blank);
  leat_state_sum_end (sum, checksum);
}

/* There may be more of it than 32 bits tell. */
guint64
leat_state_file_get_bytes (GArray *entries)
{
  guint64 bytes = sizeof (LeatStateHead);

  for (guint i = 0; i < entries->len; i++)
    {
      const LeatStateEntry *entry = &g_array_index (entries, LeatStateEntry, i);

      bytes += sizeof (LeatStateRow) + strlen (entry->name) + strlen (entry->spec) + entry->n_lanes * entry->bytes;
    }
  return bytes;
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

  if (size < sizeof head->magic || memcmp (data, LEAT_STATE_MAGIC, sizeof head->magic) != 0)
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
      || !leat_state_file_take (data, size, at, row.spec_bytes, &spec) || row.n_lanes == 0 || row.n_lanes > G_MAXUINT16)
    return FALSE;
  entry->name = g_strndup (name, row.name_bytes);
  entry->spec = g_strndup (spec, row.spec_bytes);
  entry->bytes = row.bytes;
  entry->n_lanes = (guint) row.n_lanes;
  return TRUE;
}

static gboolean
leat_state_file_read_lanes (GBytes *file, gsize *at, LeatStateEntry *entry)
{
  entry->data = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint lane = 0; lane < entry->n_lanes; lane++)
    {
      if (entry->bytes > g_bytes_get_size (file) - *at)
        return FALSE;
      g_ptr_array_add (entry->data, g_bytes_new_from_bytes (file, *at, entry->bytes));
      *at += entry->bytes;
    }
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
    if (!leat_state_file_read_lanes (file, &at, &g_array_index (entries, LeatStateEntry, i)))
      return FALSE;
  return at == size;
}

static gboolean
leat_state_file_match (const LeatStateEntry *is, const LeatStateEntry *wanted, const char *what, GError **error)
{
  if (g_str_equal (is->name, wanted->name) && g_str_equal (is->spec, wanted->spec) && is->bytes == wanted->bytes)
    return TRUE;
  return leat_state_file_refuse (error, LEAT_STATE_ERROR_PIPELINE, what,
                                 "it has %s, %s of %" G_GUINT64_FORMAT
                                 " bytes, where the pipeline has %s, %s of %" G_GUINT64_FORMAT,
                                 is->name, is->spec, is->bytes, wanted->name, wanted->spec, wanted->bytes);
}

static gboolean
leat_state_file_match_lanes (const LeatStateEntry *is, const LeatStateEntry *wanted, const char *what, GError **error)
{
  if (is->n_lanes <= wanted->n_lanes)
    return TRUE;
  if (!wanted->by_lane)
    return leat_state_file_refuse (
      error, LEAT_STATE_ERROR_LANES, what,
      "%s is of %u lanes in it, and the pipeline has one for all; give the node scope=lane", is->name, is->n_lanes);
  return leat_state_file_refuse (error, LEAT_STATE_ERROR_LANES, what,
                                 "%s is of %u lanes in it, and the session has %u; open it with lanes=%u or more",
                                 is->name, is->n_lanes, wanted->n_lanes, is->n_lanes);
}

static gboolean
leat_state_file_match_all (GArray *found, GArray *expected, const char *what, GError **error)
{
  if (found->len != expected->len)
    return leat_state_file_refuse (error, LEAT_STATE_ERROR_PIPELINE, what, "it has %u states, and the pipeline has %u",
                                   found->len, expected->len);
  for (guint i = 0; i < found->len; i++)
    if (!leat_state_file_match (&g_array_index (found, LeatStateEntry, i), &g_array_index (expected, LeatStateEntry, i),
                                what, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_state_file_match_all_lanes (GArray *found, GArray *expected, const char *what, GError **error)
{
  for (guint i = 0; i < found->len; i++)
    if (!leat_state_file_match_lanes (&g_array_index (found, LeatStateEntry, i),
                                      &g_array_index (expected, LeatStateEntry, i), what, error))
      return FALSE;
  return TRUE;
}

static void
leat_state_entries_take (GArray *self, GArray *found)
{
  for (guint i = 0; i < found->len; i++)
    {
      LeatStateEntry *is = &g_array_index (found, LeatStateEntry, i), *to = &g_array_index (self, LeatStateEntry, i);

      to->n_lanes = is->n_lanes;
      to->data = g_steal_pointer (&is->data);
    }
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
  if (!leat_state_file_match_all (found, expected, what, error))
    return FALSE;
  if (head.key != key)
    return leat_state_file_refuse (error, LEAT_STATE_ERROR_PIPELINE, what,
                                   "it was saved by a pipeline of other nodes or links");
  if (!leat_state_file_match_all_lanes (found, expected, what, error))
    return FALSE;
  leat_state_entries_take (expected, found);
  return TRUE;
}
