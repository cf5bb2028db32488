/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A user who gives the wrong kind of file learns what it is. */

#include "leat-file-kind.h"

#include <string.h>

typedef struct
{
  guint offset, size;
  const char *bytes;
} LeatFileMagic;

typedef struct
{
  LeatFileMagic magic, also; /* also: of size 0 where one is enough */
  LeatFileKind kind;
} LeatFileEntry;

#define LEAT_FILE_MAGIC(offset, bytes)                                                                                 \
  {                                                                                                                    \
    offset, sizeof (bytes) - 1, bytes                                                                                  \
  }
#define LEAT_FILE_TABLE NULL, "save each array of it with NumPy's save (), and read that with io:npy"

static const LeatFileEntry leat_file_entries[] = {
  { LEAT_FILE_MAGIC (0, "\x93NUMPY"), { 0 }, { "an .npy file", "io:npy", NULL } },
  { LEAT_FILE_MAGIC (0, "\x89PNG\r\n\x1a\n"), { 0 }, { "a PNG picture", "image:read", NULL } },
  { LEAT_FILE_MAGIC (0, "\xff\xd8\xff"), { 0 }, { "a JPEG picture", "image:read", NULL } },
  { LEAT_FILE_MAGIC (0, "GIF8"), { 0 }, { "a GIF picture", "image:read", NULL } },
  { LEAT_FILE_MAGIC (0, "II*\0"), { 0 }, { "a TIFF picture", "image:read", NULL } },
  { LEAT_FILE_MAGIC (0, "MM\0*"), { 0 }, { "a TIFF picture", "image:read", NULL } },
  { LEAT_FILE_MAGIC (0, "BM"), LEAT_FILE_MAGIC (6, "\0\0\0\0"), { "a BMP picture", "image:read", NULL } },
  { LEAT_FILE_MAGIC (0, "RIFF"), LEAT_FILE_MAGIC (8, "WEBP"), { "a WebP picture", NULL, "save it as PNG" } },
  { LEAT_FILE_MAGIC (0, "RIFF"), LEAT_FILE_MAGIC (8, "WAVE"), { "a WAV file", LEAT_FILE_TABLE } },
  { LEAT_FILE_MAGIC (0, "\x1f\x8b"), { 0 }, { "compressed by gzip", NULL, "unpack it first, with gunzip -k" } },
  { LEAT_FILE_MAGIC (0, "\x28\xb5\x2f\xfd"), { 0 }, { "compressed by zstd", NULL, "unpack it first, with zstd -d" } },
  { LEAT_FILE_MAGIC (0, "\xfd"
                        "7zXZ\0"),
    { 0 },
    { "compressed by xz", NULL, "unpack it first, with xz -dk" } },
  { LEAT_FILE_MAGIC (0, "BZh"),
    LEAT_FILE_MAGIC (4, "1AY&SY"),
    { "compressed by bzip2", NULL, "unpack it first, with bunzip2 -k" } },
  { LEAT_FILE_MAGIC (0, "\x04\x22\x4d\x18"), { 0 }, { "compressed by lz4", NULL, "unpack it first, with lz4 -d" } },
  { LEAT_FILE_MAGIC (0, "7z\xbc\xaf\x27\x1c"), { 0 }, { "a 7z archive", NULL, "unpack it first, with 7z x" } },
  { LEAT_FILE_MAGIC (0, "PK\3\4"),
    { 0 },
    { "a ZIP archive, such as an .npz file", NULL, "unpack it first, with unzip" } },
  { LEAT_FILE_MAGIC (257, "ustar"), { 0 }, { "a tar archive", NULL, "unpack it first, with tar -xf" } },
  { LEAT_FILE_MAGIC (0, "\x89HDF\r\n\x1a\n"), { 0 }, { "an HDF5 file", LEAT_FILE_TABLE } },
  { LEAT_FILE_MAGIC (0, "MATLAB 5.0 MAT"), { 0 }, { "a MATLAB file", LEAT_FILE_TABLE } },
  { LEAT_FILE_MAGIC (0, "PAR1"), { 0 }, { "a Parquet file", LEAT_FILE_TABLE } },
  { LEAT_FILE_MAGIC (0, "SQLite format 3\0"), { 0 }, { "an SQLite file", LEAT_FILE_TABLE } },
  { LEAT_FILE_MAGIC (0, "\x7f"
                        "ELF"),
    { 0 },
    { "a program or a library", NULL, NULL } },
  { LEAT_FILE_MAGIC (0, "%PDF-"), { 0 }, { "a PDF document", NULL, NULL } },
  { LEAT_FILE_MAGIC (0, "%%MatrixMarket"), { 0 }, { "a Matrix Market file", "csr:read", NULL } },
  { LEAT_FILE_MAGIC (0, "\xff\xfe"), { 0 }, { "text in UTF-16", NULL, "save it as UTF-8" } },
  { LEAT_FILE_MAGIC (0, "\xfe\xff"), { 0 }, { "text in UTF-16", NULL, "save it as UTF-8" } },
};

static gboolean
leat_file_magic_is_in (const LeatFileMagic *self, const guint8 *bytes, gsize size)
{
  return size >= self->offset + self->size && memcmp (bytes + self->offset, self->bytes, self->size) == 0;
}

/**
 * leat_file_kind_find: (skip)
 * @bytes: how the file begins
 * @size: how many bytes there are; %LEAT_FILE_KIND_BYTES are enough
 *
 * Recognises a file that somebody gave by mistake, such as a picture where text is read.
 *
 * Returns: (transfer none) (nullable): its kind; %NULL for text, and for what is not known
 *
 * Since: 0.1
 */
const LeatFileKind *
leat_file_kind_find (gconstpointer bytes, gsize size)
{
  g_return_val_if_fail (bytes != NULL || size == 0, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_file_entries); i++)
    {
      const LeatFileEntry *entry = &leat_file_entries[i];

      if (leat_file_magic_is_in (&entry->magic, bytes, size)
          && (entry->also.size == 0 || leat_file_magic_is_in (&entry->also, bytes, size)))
        return &entry->kind;
    }
  return NULL;
}

/**
 * leat_file_kind_dup_advice: (skip)
 * @self: a kind of file
 * @path: the file
 *
 * Gets what a user can do with the file, for the end of a message: `; image:read path=a.png reads it`.
 *
 * Returns: (transfer full): the advice, or an empty text
 *
 * Since: 0.1
 */
char *
leat_file_kind_dup_advice (const LeatFileKind *self, const char *path)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (path != NULL, NULL);

  if (self->node != NULL)
    return g_strdup_printf ("; %s path=%s reads it", self->node, path);
  return self->advice != NULL ? g_strconcat ("; ", self->advice, NULL) : g_strdup ("");
}
