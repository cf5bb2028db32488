/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The images that earlier processes have compiled, in the user's cache folder.  Touches the files of that folder only,
 * and none where others could write. */

#include "leat-image-internal-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* <cache folder>/leat/images: one file for each image, named by its key.  A symbolic link, named by the key without a
 * compiler, leads to the one that was compiled last, for when the compiler has gone.
 *
 * An image is code that gets run, so the folder must belong to this user and be writable by nobody else; otherwise it
 * is left alone.  Writers write a file of their own and rename it into place, so that readers see a whole file or none.
 */

#define LEAT_IMAGE_CACHE_DEFAULT_MIB 512
#define LEAT_IMAGE_CACHE_TOUCH_S     (60 * 60)

#define LEAT_IMAGE_CACHE_IMAGE ".img"
#define LEAT_IMAGE_CACHE_LAST  ".any"

/* Why there is no cache is said once in a process. */
static guint leat_image_cache_said;

static gboolean
leat_image_cache_is_private (int folder, const char *path)
{
  struct stat info;

  if (fstat (folder, &info) == 0 && S_ISDIR (info.st_mode) && info.st_uid == geteuid ()
      && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0)
    return TRUE;
  if (g_atomic_int_add (&leat_image_cache_said, 1) == 0)
    g_warning ("the kernel cache %s is not used: it must belong to this user and be writable by nobody else", path);
  return FALSE;
}

/* Opens @name in @parent, making it when asked; -1 when it cannot be trusted or had. */
static int
leat_image_cache_enter (int parent, const char *name, const char *path, gboolean create)
{
  int folder;

  if (create && mkdirat (parent, name, 0700) != 0 && errno != EEXIST)
    return -1;
  folder = openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && !leat_image_cache_is_private (folder, path))
    {
      close (folder);
      folder = -1;
    }
  return folder;
}

static int
leat_image_cache_open (gboolean create)
{
  const char *base = g_get_user_cache_dir ();
  g_autofree char *outer_path = g_build_filename (base, "leat", NULL);
  g_autofree char *path = g_build_filename (outer_path, "images", NULL);
  int root, outer, folder;

  /* Why it cannot be made, and not that it is not there. */
  if (create && g_mkdir_with_parents (base, 0700) != 0)
    return -1;
  root = open (base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0)
    return -1;
  outer = leat_image_cache_enter (root, "leat", outer_path, create);
  close (root);
  if (outer < 0)
    return -1;
  folder = leat_image_cache_enter (outer, "images", path, create);
  close (outer);
  return folder;
}

static void
leat_image_cache_format_name (const LeatImageKey *key, const char *suffix, char name[37])
{
  for (guint i = 0; i < sizeof key->bytes; i++)
    snprintf (name + 2 * i, 3, "%02x", key->bytes[i]);
  g_strlcpy (name + 32, suffix, 5);
}

static gboolean
leat_image_cache_parse_name (const char *name, LeatImageKey *key)
{
  for (guint i = 0; i < sizeof key->bytes; i++)
    {
      if (!g_ascii_isxdigit (name[2 * i]) || !g_ascii_isxdigit (name[2 * i + 1]))
        return FALSE;
      key->bytes[i] = (guint8) (g_ascii_xdigit_value (name[2 * i]) << 4 | g_ascii_xdigit_value (name[2 * i + 1]));
    }
  return g_str_equal (name + 2 * sizeof key->bytes, LEAT_IMAGE_CACHE_IMAGE);
}

/* Images used last are kept longest; once an hour is often enough to note a use. */
static void
leat_image_cache_touch (int folder, const char *name)
{
  struct stat info;

  if (fstatat (folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && time (NULL) - info.st_mtime > LEAT_IMAGE_CACHE_TOUCH_S)
    utimensat (folder, name, NULL, AT_SYMLINK_NOFOLLOW);
}

GBytes *
leat_image_cache_lookup (const LeatImageKey *key, gboolean *damaged)
{
  int folder = leat_image_cache_open (FALSE);
  char name[37];
  GBytes *image;

  if (folder < 0)
    return NULL;
  leat_image_cache_format_name (key, LEAT_IMAGE_CACHE_IMAGE, name);
  image = leat_image_store_read (folder, name, key, damaged);
  if (image != NULL)
    leat_image_cache_touch (folder, name);
  close (folder);
  return image;
}

/* Whatever compiled it. @key: without a compiler */
GBytes *
leat_image_cache_lookup_last (const LeatImageKey *key)
{
  int folder = leat_image_cache_open (FALSE);
  char link[37], name[38] = "";
  LeatImageKey full;
  GBytes *image = NULL;

  if (folder < 0)
    return NULL;
  leat_image_cache_format_name (key, LEAT_IMAGE_CACHE_LAST, link);
  if (readlinkat (folder, link, name, sizeof name - 1) == sizeof link - 1 && leat_image_cache_parse_name (name, &full))
    image = leat_image_store_read (folder, name, &full, NULL);
  if (image != NULL)
    leat_image_cache_touch (folder, name);
  close (folder);
  return image;
}

static gboolean
leat_image_cache_write (int folder, const char *name, GBytes *sealed)
{
  gsize size, done = 0;
  const guint8 *data = g_bytes_get_data (sealed, &size);
  int file = openat (folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

  if (file < 0)
    return FALSE;
  while (done < size)
    {
      gssize n = write (file, data + done, size - done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      done += n;
    }
  return close (file) == 0 && done == size;
}

typedef struct
{
  char *name;
  guint64 bytes;
  gint64 used;
} LeatImageCacheEntry;

static void
leat_image_cache_entry_clear (gpointer data)
{
  g_free (((LeatImageCacheEntry *) data)->name);
}

static int
leat_image_cache_entry_compare (gconstpointer a, gconstpointer b)
{
  const LeatImageCacheEntry *x = a, *y = b;

  return x->used < y->used ? -1 : x->used > y->used;
}

static guint64
leat_image_cache_get_limit (void)
{
  const char *text = g_getenv ("LEAT_IMAGE_CACHE_MIB");
  guint64 mib = LEAT_IMAGE_CACHE_DEFAULT_MIB;

  if (text != NULL && !g_ascii_string_to_unsigned (text, 10, 0, 1 << 20, &mib, NULL))
    mib = LEAT_IMAGE_CACHE_DEFAULT_MIB;
  return mib << 20;
}

/* Removes what was not used for longest until the rest fits, and what writers that died left behind. */
static void
leat_image_cache_trim (int folder, const char *path)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (LeatImageCacheEntry));
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint64 total = 0, limit = leat_image_cache_get_limit ();
  struct stat info;

  g_array_set_clear_func (entries, leat_image_cache_entry_clear);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      LeatImageCacheEntry entry;

      if (g_str_has_suffix (name, LEAT_IMAGE_CACHE_LAST) && fstatat (folder, name, &info, 0) != 0 && errno == ENOENT)
        unlinkat (folder, name, 0);
      if (fstatat (folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG (info.st_mode))
        continue;
      if (g_str_has_prefix (name, ".new-") && time (NULL) - info.st_mtime > LEAT_IMAGE_CACHE_TOUCH_S)
        unlinkat (folder, name, 0);
      if (!g_str_has_suffix (name, ".img") || name[0] == '.')
        continue;
      entry = (LeatImageCacheEntry){ g_strdup (name), info.st_size,
                                     (gint64) info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec };
      total += entry.bytes;
      g_array_append_val (entries, entry);
    }
  g_array_sort (entries, leat_image_cache_entry_compare);
  /* The sum is theirs: none are left where it is nothing. */
  for (guint i = 0; total > limit; i++)
    {
      LeatImageCacheEntry *entry = &g_array_index (entries, LeatImageCacheEntry, i);

      unlinkat (folder, entry->name, 0);
      total -= entry->bytes;
    }
}

/* The image is there all the same; the next start takes as long as this one. */
static void
leat_image_cache_complain (const char *path, int reason)
{
  if (g_atomic_int_add (&leat_image_cache_said, 1) == 0)
    g_message (
      "cannot keep compiled kernels in %s: %s; each start compiles them again. Set XDG_CACHE_HOME to a folder that "
      "can be written",
      path, g_strerror (reason));
}

static void
leat_image_cache_note_last (int folder, const LeatImageKey *plain, const char *name, const char *temporary)
{
  char link[37];

  leat_image_cache_format_name (plain, LEAT_IMAGE_CACHE_LAST, link);
  if (symlinkat (name, folder, temporary) == 0 && renameat (folder, temporary, folder, link) != 0)
    unlinkat (folder, temporary, 0);
}

void
leat_image_cache_insert (const LeatImageKey *key, const LeatImageKey *plain, GBytes *image)
{
  static guint counter;
  int folder = leat_image_cache_open (TRUE), reason = errno;
  g_autoptr (GBytes) sealed = leat_image_store_seal (key, image);
  g_autofree char *path = g_build_filename (g_get_user_cache_dir (), "leat", "images", NULL);
  g_autofree char *temporary =
    g_strdup_printf (".new-%d-%u-%08x", (int) getpid (), (guint) g_atomic_int_add (&counter, 1), g_random_int ());
  char name[37];

  if (folder < 0)
    {
      leat_image_cache_complain (path, reason);
      return;
    }
  leat_image_cache_format_name (key, LEAT_IMAGE_CACHE_IMAGE, name);
  if (!leat_image_cache_write (folder, temporary, sealed) || renameat (folder, temporary, folder, name) != 0)
    {
      leat_image_cache_complain (path, errno);
      unlinkat (folder, temporary, 0);
    }
  else
    leat_image_cache_note_last (folder, plain, name, temporary);
  leat_image_cache_trim (folder, path);
  close (folder);
}
