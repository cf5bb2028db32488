/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reads a file of sections, which is mapped.  Whatever the file says is believed only as far as the file goes, and only
 * where the checksum is right. */

#include "leat-section-form-private.h"
#include "leat-section-reader-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct _LeatSectionReader
{
  char *path;
  const char *what;
  struct stat info;
  GBytes *whole;
  const guint8 *data;
  LeatSectionHead head;
  const LeatSectionRow *rows;
  const char *names;
};

static gboolean leat_section_reader_refuse (LeatSectionReader *self, LeatArtifactError code, GError **error,
                                            const char *format, ...) G_GNUC_PRINTF (4, 5);

static gboolean
leat_section_reader_refuse (LeatSectionReader *self, LeatArtifactError code, GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LEAT_ARTIFACT_ERROR, code, "cannot open the %s %s: %s", self->what, self->path, text);
  return FALSE;
}

static gboolean
leat_section_reader_map (LeatSectionReader *self, int fd, GError **error)
{
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GError) local = NULL;

  if (fd < 0 || fstat (fd, &self->info) != 0)
    return leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_IO, error, "%s", g_strerror (errno));
  if (!S_ISREG (self->info.st_mode))
    return leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_FORMAT, error, "it is no regular file");
  file = g_mapped_file_new_from_fd (fd, FALSE, &local);
  if (file == NULL)
    return leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_IO, error, "%s", local->message);
  self->whole = g_mapped_file_get_bytes (file);
  self->data = g_bytes_get_data (self->whole, NULL);
  return TRUE;
}

static gboolean
leat_section_reader_check_head (LeatSectionReader *self, guint32 kind, GError **error)
{
  const gsize size = g_bytes_get_size (self->whole);

  if (size < sizeof self->head.magic || memcmp (self->data, LEAT_SECTION_MAGIC, sizeof self->head.magic) != 0)
    return leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_FORMAT, error, "it is no %s", self->what);
  if (size < sizeof self->head)
    return leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_TRUNCATED, error,
                                       "it ends within its head, after %" G_GSIZE_FORMAT " bytes; take another copy",
                                       size);
  memcpy (&self->head, self->data, sizeof self->head);
  if (self->head.version != LEAT_SECTION_VERSION)
    return leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_VERSION, error,
                                       "it is of version %u, and this library reads version %u; make it again with the "
                                       "tools of this library",
                                       self->head.version, LEAT_SECTION_VERSION);
  if (self->head.file_bytes != size)
    return leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_TRUNCATED, error,
                                       "it has %" G_GSIZE_FORMAT " bytes and should have %" G_GUINT64_FORMAT
                                       "; take another copy",
                                       size, self->head.file_bytes);
  if (self->head.kind != kind)
    return leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_FORMAT, error,
                                       "it is no %s, but a file of kind "
                                       "\"%.4s\"",
                                       self->what, (const char *) &self->head.kind);
  return TRUE;
}

/* All of the table, so that what it says is at least what was written. */
static gboolean
leat_section_reader_check_table (LeatSectionReader *self, GError **error)
{
  LeatSectionHead blank = self->head;
  XXH3_state_t *state;
  guint8 found[16];
  guint64 size;

  size = self->head.n_sections <= LEAT_SECTION_MOST && self->head.names_bytes <= LEAT_SECTION_MOST_NAMES
           ? leat_section_head_get_bytes (&self->head)
           : G_MAXUINT64;
  if (size <= self->head.file_bytes)
    {
      memset (blank.checksum, 0, sizeof blank.checksum);
      state = XXH3_createState ();
      XXH3_128bits_reset (state);
      XXH3_128bits_update (state, &blank, sizeof blank);
      XXH3_128bits_update (state, self->data + sizeof blank, size - sizeof blank);
      leat_section_sum_end (state, found);
      if (memcmp (found, self->head.checksum, sizeof found) == 0)
        return TRUE;
    }
  return leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_DAMAGED, error,
                                     "the checksum of its table is wrong; take another copy");
}

static int
leat_section_reader_compare (LeatSectionReader *self, guint index, guint32 type, const char *name)
{
  const LeatSectionRow *row = &self->rows[index];

  if (row->type != type)
    return row->type < type ? -1 : 1;
  return strcmp (self->names + row->name, name);
}

static gboolean
leat_section_reader_row_fits (LeatSectionReader *self, guint index)
{
  const LeatSectionRow *row = &self->rows[index];
  const guint64 begin = leat_section_head_get_bytes (&self->head), all = self->head.file_bytes;

  return row->name < self->head.names_bytes && row->offset % LEAT_SECTION_ALIGN == 0 && row->offset >= begin
         && row->offset <= all && row->size <= all - row->offset && leat_section_align (row->size) <= all - row->offset
         && g_utf8_validate (self->names + row->name, -1, NULL)
         && (index == 0 || leat_section_reader_compare (self, index - 1, row->type, self->names + row->name) < 0);
}

/* The right checksum says nothing of who made it. */
static gboolean
leat_section_reader_check_rows (LeatSectionReader *self, GError **error)
{
  gboolean good;

  self->rows = (const LeatSectionRow *) (gconstpointer) (self->data + sizeof self->head);
  self->names = (const char *) (self->rows + self->head.n_sections);
  good = self->head.names_bytes == 0 ? self->head.n_sections == 0 : self->names[self->head.names_bytes - 1] == '\0';
  for (guint i = 0; good && i < self->head.n_sections; i++)
    good = leat_section_reader_row_fits (self, i);
  return good
         || leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_DAMAGED, error,
                                        "its table does not fit its size; take another copy");
}

gboolean
leat_section_file_is_at (const char *path)
{
  char start[8];
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat info;
  gboolean found = fd >= 0 && fstat (fd, &info) == 0 && S_ISREG (info.st_mode)
                   && pread (fd, start, sizeof start, 0) == sizeof start
                   && memcmp (start, LEAT_SECTION_MAGIC, sizeof start) == 0;

  if (fd >= 0)
    close (fd);
  return found;
}

LeatSectionReader *
leat_section_reader_new (const char *path, guint32 kind, const char *what, GError **error)
{
  g_autoptr (LeatSectionReader) self = g_new0 (LeatSectionReader, 1);
  /* A pipe without a writer would hold an open () up. */
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  gboolean good;

  self->path = g_strdup (path);
  self->what = what;
  good = leat_section_reader_map (self, fd, error);
  if (fd >= 0)
    close (fd);
  return good && leat_section_reader_check_head (self, kind, error) && leat_section_reader_check_table (self, error)
             && leat_section_reader_check_rows (self, error)
           ? g_steal_pointer (&self)
           : NULL;
}

void
leat_section_reader_free (LeatSectionReader *self)
{
  g_clear_pointer (&self->whole, g_bytes_unref);
  g_free (self->path);
  g_free (self);
}

gboolean
leat_section_reader_check_owner (LeatSectionReader *self, GError **error)
{
  if ((self->info.st_uid == geteuid () || self->info.st_uid == 0) && (self->info.st_mode & (S_IWGRP | S_IWOTH)) == 0)
    return TRUE;
  return leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_OWNER, error,
                                     "it has code that would be run, so it must belong to this user or to root and be "
                                     "writable by nobody else; if you trust it, take a copy of your own and chmod go-w "
                                     "that");
}

gboolean
leat_section_reader_check (LeatSectionReader *self, GError **error)
{
  for (guint i = 0; i < self->head.n_sections; i++)
    {
      g_autoptr (GBytes) bytes = NULL;
      LeatSection section;

      leat_section_reader_get (self, i, &section);
      bytes = leat_section_reader_read (self, &section, error);
      if (bytes == NULL)
        return FALSE;
    }
  return TRUE;
}

guint
leat_section_reader_get_count (LeatSectionReader *self)
{
  return self->head.n_sections;
}

static void
leat_section_format_checksum (const guint8 checksum[16], char text[33])
{
  for (guint i = 0; i < 16; i++)
    g_snprintf (text + 2 * i, 3, "%02x", checksum[i]);
}

void
leat_section_reader_get (LeatSectionReader *self, guint index, LeatSection *section)
{
  const LeatSectionRow *row = &self->rows[index];

  *section = (LeatSection){ row->type, self->names + row->name, row->offset, row->size, "" };
  leat_section_format_checksum (row->checksum, section->checksum);
}

guint
leat_section_reader_seek (LeatSectionReader *self, guint32 type, const char *name)
{
  guint low = 0, high = self->head.n_sections;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (leat_section_reader_compare (self, middle, type, name) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

gboolean
leat_section_reader_find (LeatSectionReader *self, guint32 type, const char *name, LeatSection *section)
{
  guint index = leat_section_reader_seek (self, type, name);

  if (index == self->head.n_sections || leat_section_reader_compare (self, index, type, name) != 0)
    return FALSE;
  leat_section_reader_get (self, index, section);
  return TRUE;
}

gboolean
leat_section_reader_find_first (LeatSectionReader *self, guint32 type, const char *prefix, LeatSection *section)
{
  guint index = leat_section_reader_seek (self, type, prefix);

  if (index == self->head.n_sections || self->rows[index].type != type
      || !g_str_has_prefix (self->names + self->rows[index].name, prefix))
    return FALSE;
  leat_section_reader_get (self, index, section);
  return TRUE;
}

GBytes *
leat_section_reader_read (LeatSectionReader *self, const LeatSection *section, GError **error)
{
  XXH3_state_t *state = XXH3_createState ();
  guint8 found[16];
  char checksum[33];

  XXH3_128bits_reset (state);
  XXH3_128bits_update (state, self->data + section->offset, leat_section_align (section->size));
  leat_section_sum_end (state, found);
  leat_section_format_checksum (found, checksum);
  if (strcmp (checksum, section->checksum) == 0)
    return g_bytes_new_from_bytes (self->whole, section->offset, section->size);
  leat_section_reader_refuse (self, LEAT_ARTIFACT_ERROR_DAMAGED, error,
                              "the checksum of \"%.4s %s\" is wrong; take another copy", (const char *) &section->type,
                              section->name);
  return NULL;
}

const char *
leat_section_reader_get_path (LeatSectionReader *self)
{
  return self->path;
}

guint64
leat_section_reader_get_bytes (LeatSectionReader *self)
{
  return self->head.file_bytes;
}

guint64
leat_section_reader_get_identity (LeatSectionReader *self)
{
  guint64 identity;

  memcpy (&identity, self->head.checksum, sizeof identity);
  return identity;
}
