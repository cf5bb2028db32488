/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Keeps the descriptions of plugins in a file for the next process.  Touches that file alone, and believes it only
 * where nobody else could write it. */

#include "leat-plugin-entry-private.h"

#include <glib/gstdio.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* Raised when the data's form or its meaning changes; a cache of another format is not read. */
#define LEAT_PLUGIN_CACHE_FORMAT  2
#define LEAT_PLUGIN_CACHE_VARIANT "a" LEAT_PLUGIN_ENTRY_VARIANT
/* A plugin may come to work while its file stays the same: a library that it needs gets installed.  So a plugin that
 * could not be used is tried again after this time, and at once with another libleat.  The time is long, since a plugin
 * that hangs makes an application start seconds later. */
#define LEAT_PLUGIN_CACHE_BROKEN_S 3600
#define LEAT_PLUGIN_CACHE_MOST     (64 << 20) /* bytes; no such file was written */

/* Goes before the data; its size keeps the data aligned. */
typedef struct
{
  char magic[8];
  guint32 format;
  guint32 abi;
  guint64 length;
  guint64 checksum; /* with @library as its seed */
  guint64 library;  /* that found no fault, or one */
} LeatPluginCacheHeader;

static const char leat_plugin_cache_magic[8] = "LeatPlg\n";

/* This libleat: its size and its time, which change when it is built again.  0 when that cannot be told. */
static guint64
leat_plugin_cache_get_library (void)
{
  Dl_info info;
  struct stat status;

  if (dladdr ((gconstpointer) leat_plugin_cache_load, &info) == 0 || info.dli_fname == NULL
      || stat (info.dli_fname, &status) != 0)
    return 0;
  return XXH3_64bits_withSeed (&status.st_mtim, sizeof status.st_mtim, (XXH64_hash_t) status.st_size);
}

static gboolean
leat_plugin_cache_is_private (const struct stat *info)
{
  return info->st_uid == geteuid () && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The cache says which file is loaded for a node, so it is trusted as compiled kernels in their cache are. */
static gboolean
leat_plugin_cache_may_read (const char *file, int fd, struct stat *info)
{
  g_autofree char *folder = g_path_get_dirname (file);
  struct stat around;

  if (fstat (fd, info) != 0 || !S_ISREG (info->st_mode) || info->st_size > LEAT_PLUGIN_CACHE_MOST)
    return FALSE;
  if (leat_plugin_cache_is_private (info) && stat (folder, &around) == 0 && leat_plugin_cache_is_private (&around))
    return TRUE;
  g_debug ("%s is not used: it and its folder must belong to this user and be writable by nobody else", file);
  return FALSE;
}

/* Read and not mapped, as it may be cut short meanwhile; NULL where there is none to be read. */
static GBytes *
leat_plugin_cache_read (const char *file)
{
  /* A pipe without a writer would hold an open () up. */
  int fd = open (file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  g_autofree guint8 *data = NULL;
  gsize size = 0, got = 0;
  struct stat info;

  if (fd < 0)
    return NULL;
  if (leat_plugin_cache_may_read (file, fd, &info))
    {
      size = (gsize) info.st_size;
      data = g_malloc (size + 1);
    }
  while (got < size)
    {
      gssize n = read (fd, data + got, size - got);

      if (n <= 0 && !(n < 0 && errno == EINTR))
        break;
      got += n > 0 ? (gsize) n : 0;
    }
  close (fd);
  return data != NULL ? g_bytes_new_take (g_steal_pointer (&data), got) : NULL;
}

/* The data of a cache file; NULL when it is not what was written.  @library: whose it is */
static GBytes *
leat_plugin_cache_open (const char *file, guint64 *library)
{
  g_autoptr (GBytes) all = leat_plugin_cache_read (file);
  LeatPluginCacheHeader header;
  const char *data;
  gsize size;

  if (all == NULL)
    return NULL;
  data = g_bytes_get_data (all, &size);
  if (size < sizeof header)
    return NULL;
  memcpy (&header, data, sizeof header);
  if (memcmp (header.magic, leat_plugin_cache_magic, sizeof header.magic) != 0
      || header.format != LEAT_PLUGIN_CACHE_FORMAT || header.abi != LEAT_PLUGIN_ABI
      || header.length != size - sizeof header
      || header.checksum != XXH3_64bits_withSeed (data + sizeof header, size - sizeof header, header.library))
    {
      g_debug ("%s is damaged or of another version; the plugins are scanned again", file);
      return NULL;
    }
  *library = header.library;
  return g_bytes_new_from_bytes (all, sizeof header, size - sizeof header);
}

static gboolean
leat_plugin_cache_is_stale (const LeatPluginEntry *entry, gint64 now_s)
{
  return entry->reason != NULL && (entry->scanned_s > now_s || entry->scanned_s <= now_s - LEAT_PLUGIN_CACHE_BROKEN_S);
}

GHashTable *
leat_plugin_cache_load (const char *file)
{
  GHashTable *entries = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) leat_plugin_entry_free);
  guint64 library = 0;
  g_autoptr (GBytes) bytes = leat_plugin_cache_open (file, &library);
  g_autoptr (GVariant) list = NULL;
  gint64 now_s = g_get_real_time () / G_USEC_PER_SEC;

  if (bytes == NULL)
    return entries;
  if (library != leat_plugin_cache_get_library ())
    now_s = G_MAXINT64;
  list = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (LEAT_PLUGIN_CACHE_VARIANT), bytes, FALSE));
  for (gsize i = 0; i < g_variant_n_children (list); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (list, i);
      LeatPluginEntry *entry = leat_plugin_entry_new_from_variant (child);

      if (leat_plugin_cache_is_stale (entry, now_s))
        leat_plugin_entry_free (entry);
      else
        g_hash_table_replace (entries, entry->path, entry);
    }
  return entries;
}

/* Entries of the file as it is now whose plugins are not among @entries and have not changed: those of programs that
 * look in other folders. */
static void
leat_plugin_cache_add_others (const char *file, GPtrArray *entries, GVariantBuilder *builder)
{
  g_autoptr (GHashTable) others = leat_plugin_cache_load (file);
  GHashTableIter iter;
  LeatPluginEntry *other;

  for (guint i = 0; i < entries->len; i++)
    g_hash_table_remove (others, ((LeatPluginEntry *) entries->pdata[i])->path);
  g_hash_table_iter_init (&iter, others);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &other))
    {
      g_autoptr (LeatPluginEntry) now = leat_plugin_entry_new (other->path);

      if (now != NULL && leat_plugin_entry_is_same_file (now, other))
        g_variant_builder_add_value (builder, leat_plugin_entry_to_variant (other));
    }
}

gboolean
leat_plugin_cache_save (const char *file, GPtrArray *entries, GError **error)
{
  LeatPluginCacheHeader header = { .format = LEAT_PLUGIN_CACHE_FORMAT,
                                   .abi = LEAT_PLUGIN_ABI,
                                   .library = leat_plugin_cache_get_library () };
  g_autofree char *folder = g_path_get_dirname (file);
  g_autoptr (GByteArray) contents = g_byte_array_new ();
  g_autoptr (GVariant) list = NULL;
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE (LEAT_PLUGIN_CACHE_VARIANT));
  for (guint i = 0; i < entries->len; i++)
    if (!((LeatPluginEntry *) entries->pdata[i])->passing)
      g_variant_builder_add_value (&builder, leat_plugin_entry_to_variant (entries->pdata[i]));
  leat_plugin_cache_add_others (file, entries, &builder);
  list = g_variant_ref_sink (g_variant_builder_end (&builder));

  memcpy (header.magic, leat_plugin_cache_magic, sizeof header.magic);
  header.length = g_variant_get_size (list);
  header.checksum = XXH3_64bits_withSeed (g_variant_get_data (list), header.length, header.library);
  g_byte_array_append (contents, (const guint8 *) &header, sizeof header);
  g_byte_array_append (contents, g_variant_get_data (list), header.length);
  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "cannot make the folder %s: %s", folder,
                   g_strerror (errno));
      return FALSE;
    }
  return g_file_set_contents_full (file, (const char *) contents->data, contents->len, G_FILE_SET_CONTENTS_CONSISTENT,
                                   0600, error);
}
