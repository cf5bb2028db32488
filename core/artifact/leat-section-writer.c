/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writes a file of sections: sorted, each contents once, and as a whole or not at all.  Touches the file alone. */

#include "section/leat-section-form-private.h"
#include "leat-section-writer-private.h"

#include "graph/leat-graph-error.h"
#include "graph/leat-output-file-private.h"

#include <string.h>

typedef struct
{
  guint32 type;
  char *name;
  GBytes *contents;
  LeatSectionRow row;
} LeatSectionEntry;

struct _LeatSectionWriter
{
  guint32 kind;
  const char *what;
  GPtrArray *entries;
};

static void
leat_section_entry_free (gpointer data)
{
  LeatSectionEntry *self = data;

  g_free (self->name);
  g_bytes_unref (self->contents);
  g_free (self);
}

LeatSectionWriter *
leat_section_writer_new (guint32 kind, const char *what)
{
  LeatSectionWriter *self = g_new0 (LeatSectionWriter, 1);

  self->kind = kind;
  self->what = what;
  self->entries = g_ptr_array_new_with_free_func (leat_section_entry_free);
  return self;
}

void
leat_section_writer_free (LeatSectionWriter *self)
{
  g_ptr_array_unref (self->entries);
  g_free (self);
}

static gboolean
leat_section_writer_has (LeatSectionWriter *self, guint32 type, const char *name)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      const LeatSectionEntry *entry = g_ptr_array_index (self->entries, i);

      if (entry->type == type && g_str_equal (entry->name, name))
        return TRUE;
    }
  return FALSE;
}

void
leat_section_writer_add (LeatSectionWriter *self, guint32 type, const char *name, GBytes *contents)
{
  LeatSectionEntry *entry;

  if (leat_section_writer_has (self, type, name))
    return;
  entry = g_new0 (LeatSectionEntry, 1);
  entry->type = type;
  entry->name = g_strdup (name);
  entry->contents = g_bytes_ref (contents);
  g_ptr_array_add (self->entries, entry);
}

void
leat_section_writer_add_text (LeatSectionWriter *self, guint32 type, const char *name, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  leat_section_writer_add (self, type, name, bytes);
}

static int
leat_section_entry_compare (gconstpointer a, gconstpointer b)
{
  const LeatSectionEntry *x = *(LeatSectionEntry *const *) a, *y = *(LeatSectionEntry *const *) b;

  if (x->type != y->type)
    return x->type < y->type ? -1 : 1;
  return strcmp (x->name, y->name);
}

static const guint8 leat_section_zeros[LEAT_SECTION_ALIGN];

static gsize
leat_section_get_padding (guint64 size)
{
  return (gsize) (leat_section_align (size) - size);
}

static void
leat_section_entry_sum_up (LeatSectionEntry *self)
{
  XXH3_state_t *state = XXH3_createState ();
  gsize size;
  gconstpointer data = g_bytes_get_data (self->contents, &size);

  XXH3_128bits_reset (state);
  XXH3_128bits_update (state, data, size);
  XXH3_128bits_update (state, leat_section_zeros, leat_section_get_padding (size));
  leat_section_sum_end (state, self->row.checksum);
  self->row.size = size;
}

/* One with the same contents before @end. */
static const LeatSectionEntry *
leat_section_writer_find_twin (LeatSectionWriter *self, guint end)
{
  const LeatSectionEntry *entry = g_ptr_array_index (self->entries, end);

  for (guint i = 0; i < end; i++)
    {
      const LeatSectionEntry *other = g_ptr_array_index (self->entries, i);

      if (memcmp (other->row.checksum, entry->row.checksum, sizeof entry->row.checksum) == 0
          && g_bytes_equal (other->contents, entry->contents))
        return other;
    }
  return NULL;
}

/* Gives each its place; the end of the last is the file's. */
static void
leat_section_writer_place (LeatSectionWriter *self, LeatSectionHead *head, GByteArray *names)
{
  guint64 at;

  for (guint i = 0; i < self->entries->len; i++)
    {
      LeatSectionEntry *entry = g_ptr_array_index (self->entries, i);

      entry->row.type = entry->type;
      entry->row.name = names->len;
      g_byte_array_append (names, (const guint8 *) entry->name, (guint) strlen (entry->name) + 1);
      leat_section_entry_sum_up (entry);
    }
  head->names_bytes = names->len;
  at = leat_section_head_get_bytes (head);
  for (guint i = 0; i < self->entries->len; i++)
    {
      LeatSectionEntry *entry = g_ptr_array_index (self->entries, i);
      const LeatSectionEntry *twin = leat_section_writer_find_twin (self, i);

      entry->row.offset = twin != NULL ? twin->row.offset : at;
      at += twin != NULL ? 0 : leat_section_align (entry->row.size);
    }
  head->file_bytes = at;
}

/* (transfer full): head, rows, names and zeros */
static GByteArray *
leat_section_writer_make_head (LeatSectionWriter *self)
{
  LeatSectionHead head = { .version = LEAT_SECTION_VERSION, .kind = self->kind, .n_sections = self->entries->len };
  g_autoptr (GByteArray) names = g_byte_array_new ();
  GByteArray *out = g_byte_array_new ();
  XXH3_state_t *state = XXH3_createState ();

  memcpy (head.magic, LEAT_SECTION_MAGIC, sizeof head.magic);
  leat_section_writer_place (self, &head, names);
  g_byte_array_append (out, (const guint8 *) &head, sizeof head);
  for (guint i = 0; i < self->entries->len; i++)
    {
      const LeatSectionEntry *entry = g_ptr_array_index (self->entries, i);

      g_byte_array_append (out, (const guint8 *) &entry->row, sizeof entry->row);
    }
  g_byte_array_append (out, names->data, names->len);
  g_byte_array_append (out, leat_section_zeros, (guint) leat_section_get_padding (out->len));
  XXH3_128bits_reset (state);
  XXH3_128bits_update (state, out->data, out->len);
  leat_section_sum_end (state, ((LeatSectionHead *) (gpointer) out->data)->checksum);
  return out;
}

static gboolean
leat_section_writer_fill (LeatSectionWriter *self, LeatOutputFile *output, GError **error)
{
  g_autoptr (GByteArray) head = leat_section_writer_make_head (self);
  guint64 at = head->len;

  if (!leat_output_file_write (output, head->data, head->len, NULL, error))
    return FALSE;
  for (guint i = 0; i < self->entries->len; i++)
    {
      const LeatSectionEntry *entry = g_ptr_array_index (self->entries, i);

      if (entry->row.offset != at)
        continue;
      if (!leat_output_file_write (output, g_bytes_get_data (entry->contents, NULL), entry->row.size, NULL, error)
          || !leat_output_file_write (output, leat_section_zeros, leat_section_get_padding (entry->row.size), NULL,
                                      error))
        return FALSE;
      at += leat_section_align (entry->row.size);
    }
  return TRUE;
}

gboolean
leat_section_writer_write (LeatSectionWriter *self, const char *path, GError **error)
{
  GError *inner = NULL;
  g_autoptr (LeatOutputFile) output = leat_output_file_open (path, &inner);

  g_ptr_array_sort (self->entries, leat_section_entry_compare);
  /* On the disk before it has the name: else what was there could be gone, and this not there yet. */
  if (output != NULL && leat_section_writer_fill (self, output, &inner) && leat_output_file_sync (output, &inner)
      && leat_output_file_commit (output, &inner))
    return TRUE;
  inner->domain = LEAT_ARTIFACT_ERROR;
  inner->code = LEAT_ARTIFACT_ERROR_IO;
  g_prefix_error (&inner, "cannot write the %s: ", self->what);
  g_propagate_error (error, inner);
  return FALSE;
}
