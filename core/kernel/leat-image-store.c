/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How an image lies in a file: checked before a byte of it is used. */

#include "leat-image-internal-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define LEAT_IMAGE_STORE_MAGIC   "LEATIMGF"
#define LEAT_IMAGE_STORE_VERSION 1u

typedef struct
{
  char magic[8];
  guint32 version;
  guint32 reserved;
  guint64 size;
  LeatImageKey key;
  XXH128_canonical_t check;
} LeatImageStoreHeader;

static XXH128_canonical_t
leat_image_store_check (gconstpointer data, gsize size)
{
  XXH128_canonical_t check;

  XXH128_canonicalFromHash (&check, XXH3_128bits (data, size));
  return check;
}

GBytes *
leat_image_store_seal (const LeatImageKey *key, GBytes *image)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (image, &size);
  LeatImageStoreHeader header = {
    LEAT_IMAGE_STORE_MAGIC, LEAT_IMAGE_STORE_VERSION, 0, size, *key, leat_image_store_check (data, size)
  };
  guint8 *sealed = g_malloc (sizeof header + size);

  memcpy (sealed, &header, sizeof header);
  memcpy (sealed + sizeof header, data, size);
  return g_bytes_new_take (sealed, sizeof header + size);
}

static guint8 *
leat_image_store_load (int file, gsize *size)
{
  struct stat info;
  guint8 *data;
  gsize done = 0;

  if (fstat (file, &info) != 0 || !S_ISREG (info.st_mode) || info.st_size < (off_t) sizeof (LeatImageStoreHeader)
      || info.st_size > (off_t) LEAT_IMAGE_MOST)
    return NULL;
  *size = info.st_size;
  data = g_malloc (*size);
  while (done < *size)
    {
      gssize n = read (file, data + done, *size - done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          g_free (data);
          return NULL;
        }
      done += n;
    }
  return data;
}

/* The same key in another file means that two names were mixed up: no damage, but not ours. */
static gboolean
leat_image_store_is_sound (const guint8 *data, gsize size, const LeatImageKey *key, gboolean *other)
{
  LeatImageStoreHeader header;
  XXH128_canonical_t check;

  memcpy (&header, data, sizeof header);
  if (memcmp (header.magic, LEAT_IMAGE_STORE_MAGIC, sizeof header.magic) != 0
      || header.version != LEAT_IMAGE_STORE_VERSION || header.size != size - sizeof header)
    return FALSE;
  check = leat_image_store_check (data + sizeof header, size - sizeof header);
  if (memcmp (&check, &header.check, sizeof check) != 0)
    return FALSE;
  *other = memcmp (&header.key, key, sizeof header.key) != 0;
  return !*other;
}

GBytes *
leat_image_store_read (int folder, const char *name, const LeatImageKey *key, gboolean *damaged)
{
  int file = openat (folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  g_autofree guint8 *data = NULL;
  gboolean other = FALSE;
  gsize size = 0;
  GBytes *whole, *image;

  if (file < 0)
    return NULL;
  data = leat_image_store_load (file, &size);
  close (file);
  if (data == NULL || !leat_image_store_is_sound (data, size, key, &other))
    {
      if (damaged != NULL)
        *damaged = !other;
      return NULL;
    }
  whole = g_bytes_new_take (g_steal_pointer (&data), size);
  image = g_bytes_new_from_bytes (whole, sizeof (LeatImageStoreHeader), size - sizeof (LeatImageStoreHeader));
  g_bytes_unref (whole);
  return image;
}
