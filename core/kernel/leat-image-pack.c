/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds the image of a kernel in the packs that come with plugins.  Opens each once in a process, and only reads. */

#include "leat-image-pack-private.h"

#include "kernel/leat-kernel-identity.h"
#include "section/leat-section-reader-private.h"

#include <gio/gio.h>
#include <string.h>

typedef struct
{
  LeatSectionReader *reader;
  GPtrArray *targets; /* LeatImageTarget */
} LeatImagePack;

/* A list of packs stays: threads may be reading those of other folders. */
static GMutex leat_image_packs_lock;
static GHashTable *leat_image_packs; /* folders, joined -> GPtrArray of LeatImagePack */

static const char leat_image_pack_advice[] = "kernels are compiled instead";

void
leat_image_key_format (const LeatImageKey *key, LeatImageKeyName name)
{
  for (guint i = 0; i < sizeof key->bytes; i++)
    g_snprintf (name + 2 * i, 3, "%02x", key->bytes[i]);
}

/* Its bytes come first, as a little-endian number of 64 bits. */
GBytes *
leat_image_deflate (GBytes *image)
{
  guint64 size = GUINT64_TO_LE (g_bytes_get_size (image));
  g_autoptr (GConverter) converter = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 9));
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) stream = NULL;

  g_output_stream_write_all (memory, &size, sizeof size, NULL, NULL, NULL);
  stream = g_converter_output_stream_new (memory, converter);
  g_output_stream_write_all (stream, g_bytes_get_data (image, NULL), g_bytes_get_size (image), NULL, NULL, NULL);
  g_output_stream_close (stream, NULL, NULL);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
}

/* NULL where it is not what it says. */
static GBytes *
leat_image_inflate (GBytes *packed)
{
  g_autoptr (GConverter) converter = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
  gsize packed_size, read = 0, written = 0;
  const guint8 *data = g_bytes_get_data (packed, &packed_size);
  g_autofree guint8 *image = NULL;
  guint64 size;

  if (packed_size <= sizeof size)
    return NULL;
  memcpy (&size, data, sizeof size);
  size = GUINT64_FROM_LE (size);
  image = size > 0 && size < LEAT_IMAGE_MOST ? g_try_malloc (size) : NULL;
  if (image == NULL
      || g_converter_convert (converter, data + sizeof size, packed_size - sizeof size, image, size,
                              G_CONVERTER_INPUT_AT_END, &read, &written, NULL)
           != G_CONVERTER_FINISHED
      || written != size)
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&image), size);
}

static void
leat_image_pack_free (gpointer data)
{
  LeatImagePack *self = data;

  g_clear_pointer (&self->reader, leat_section_reader_free);
  g_ptr_array_unref (self->targets);
  g_free (self);
}

/* (transfer full) (nullable) */
static char *
leat_image_pack_dup_fact (LeatSectionReader *reader, const char *name, GError **error)
{
  LeatSection section;
  g_autoptr (GBytes) bytes = NULL;

  if (leat_section_reader_find (reader, LEAT_IMAGE_PACK_FACT, name, &section))
    bytes = leat_section_reader_read (reader, &section, error);
  else
    g_set_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_MISSING,
                 "cannot open the image pack %s: it does not tell its %s; take another copy",
                 leat_section_reader_get_path (reader), name);
  return bytes != NULL ? g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)) : NULL;
}

static gboolean
leat_image_pack_read_targets (LeatImagePack *self, GError **error)
{
  g_autofree char *list = leat_image_pack_dup_fact (self->reader, "targets", error);
  g_auto (GStrv) names = list != NULL ? g_strsplit (list, " ", -1) : NULL;
  LeatImageTarget target;

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (leat_image_target_parse (names[i], &target, NULL))
      g_ptr_array_add (self->targets, g_memdup2 (&target, sizeof target));
  return list != NULL;
}

/* Images of another build have other keys: to look for them would be in vain. */
static gboolean
leat_image_pack_check_build (LeatImagePack *self, GError **error)
{
  g_autofree char *kernels = leat_image_pack_dup_fact (self->reader, "kernels", error);

  if (kernels != NULL && !g_str_equal (kernels, LEAT_KERNEL_IDENTITY))
    g_set_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_VERSION,
                 "cannot open the image pack %s: it was made by another build of Leat; ./dev images makes those of "
                 "this one",
                 leat_section_reader_get_path (self->reader));
  return kernels != NULL && g_str_equal (kernels, LEAT_KERNEL_IDENTITY);
}

static void
leat_image_packs_add (GPtrArray *packs, const char *path)
{
  g_autoptr (GError) error = NULL;
  LeatImagePack *self = g_new0 (LeatImagePack, 1);

  self->targets = g_ptr_array_new_with_free_func (g_free);
  self->reader = leat_section_reader_new (path, LEAT_IMAGE_PACK_KIND, "image pack", &error);
  if (self->reader != NULL && leat_section_reader_check_owner (self->reader, &error)
      && leat_image_pack_check_build (self, &error) && leat_image_pack_read_targets (self, &error))
    {
      g_ptr_array_add (packs, self);
      return;
    }
  g_message ("%s; %s", error->message, leat_image_pack_advice);
  leat_image_pack_free (self);
}

static int
leat_image_packs_compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
leat_image_packs_add_folder (GPtrArray *packs, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    if (g_str_has_suffix (name, LEAT_IMAGE_PACK_SUFFIX))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, leat_image_packs_compare_paths);
  for (guint i = 0; i < paths->len; i++)
    leat_image_packs_add (packs, paths->pdata[i]);
}

static const GPtrArray *
leat_image_packs_get (char **folders)
{
  g_autofree char *joined = g_strjoinv (G_SEARCHPATH_SEPARATOR_S, folders);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_image_packs_lock);
  GPtrArray *packs;

  if (leat_image_packs == NULL)
    leat_image_packs = g_hash_table_new (g_str_hash, g_str_equal);
  packs = g_hash_table_lookup (leat_image_packs, joined);
  if (packs != NULL)
    return packs;
  packs = g_ptr_array_new_with_free_func (leat_image_pack_free);
  for (guint i = 0; folders[i] != NULL; i++)
    leat_image_packs_add_folder (packs, folders[i]);
  g_hash_table_insert (leat_image_packs, g_steal_pointer (&joined), packs);
  return packs;
}

static GBytes *
leat_image_pack_read (LeatImagePack *self, const LeatSection *section)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) packed = leat_section_reader_read (self->reader, section, &error);
  GBytes *image = packed != NULL ? leat_image_inflate (packed) : NULL;

  if (image == NULL)
    g_message ("%s; %s", error != NULL ? error->message : "an image that comes with a plugin cannot be unpacked",
               leat_image_pack_advice);
  return image;
}

static GBytes *
leat_image_pack_find_exact (LeatImagePack *self, LeatKernelSource *source, const LeatImageTarget *target)
{
  LeatImageKeyName name;
  LeatImageKey key;
  LeatSection section;

  leat_image_make_key (source, target, NULL, &key);
  leat_image_key_format (&key, name);
  if (!leat_section_reader_find_first (self->reader, LEAT_IMAGE_PACK_IMAGE, name, &section))
    return NULL;
  return leat_image_pack_read (self, &section);
}

static GBytes *
leat_image_pack_find (LeatImagePack *self, LeatKernelSource *source, const LeatImageTarget *target)
{
  GBytes *image = NULL;

  for (guint i = 0; image == NULL && i < self->targets->len; i++)
    {
      const LeatImageTarget *made = self->targets->pdata[i];

      if (leat_image_target_runs (made, target))
        {
          LeatImageTarget both = leat_image_target_with_code (target, made);

          image = leat_image_pack_find_exact (self, source, &both);
        }
    }
  return image;
}

GBytes *
leat_image_packs_find (char **folders, LeatKernelSource *source, const LeatImageTarget *target)
{
  const GPtrArray *packs = leat_image_packs_get (folders);
  GBytes *image = NULL;

  for (guint i = 0; image == NULL && i < packs->len; i++)
    image = leat_image_pack_find (packs->pdata[i], source, target);
  return image;
}
