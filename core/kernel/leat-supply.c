/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Opens files that may lie within an artifact, and tells who makes one what is read.  Without either it is open (). */

#include "leat-supply-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const LeatSupply *leat_supply;
static const LeatSupplyTaker *leat_supply_taker;

void
leat_supply_set (const LeatSupply *supply)
{
  g_atomic_pointer_set (&leat_supply, supply);
}

void
leat_supply_set_taker (const LeatSupplyTaker *taker)
{
  g_atomic_pointer_set (&leat_supply_taker, taker);
}

const LeatSupply *
leat_supply_get (void)
{
  return g_atomic_pointer_get (&leat_supply);
}

const LeatSupplyTaker *
leat_supply_get_taker (void)
{
  return g_atomic_pointer_get (&leat_supply_taker);
}

/* A pipe instead would end this process (SIGPIPE) where its reader ends early. */
int
leat_supply_make_file (gconstpointer data, gsize size)
{
  int file = memfd_create ("leat", MFD_CLOEXEC);
  gsize done = 0;

  while (file >= 0 && done < size)
    {
      gssize n = write (file, (const char *) data + done, size - done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          close (file);
          return -1;
        }
      done += (gsize) n;
    }
  if (file >= 0)
    lseek (file, 0, SEEK_SET);
  return file;
}

static guint64
leat_supply_find (const char *path, GBytes **bytes)
{
  const LeatSupply *supply = leat_supply_get ();

  return supply != NULL ? supply->find_file (path, bytes) : 0;
}

static void
leat_supply_tell (const char *path)
{
  const LeatSupplyTaker *taker = leat_supply_get_taker ();

  if (taker != NULL)
    taker->take_file (path);
}

/**
 * leat_supply_open: (skip)
 * @path: a file on disk, or one within an artifact that is open, such as `x.leata/edges.cu`
 * @flags: for open (), such as `O_RDONLY | O_CLOEXEC`
 *
 * Opens a file for reading, for nodes that read files by themselves.
 *
 * Paths that leat_node_dup_path() gives may lead into an artifact, where open () finds nothing.
 *
 * Returns: a descriptor; -1 with `errno`
 *
 * Since: 0.1
 */
int
leat_supply_open (const char *path, int flags)
{
  g_autoptr (GBytes) bytes = NULL;
  int fd;

  if (leat_supply_find (path, &bytes) != 0)
    return leat_supply_make_file (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  fd = open (path, flags);
  if (fd >= 0)
    leat_supply_tell (path);
  return fd;
}

gboolean
leat_supply_has (const char *path)
{
  if (leat_supply_identify (path) != 0)
    return TRUE;
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  leat_supply_tell (path);
  return TRUE;
}

gboolean
leat_supply_get_contents (const char *path, char **data, gsize *size, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  if (leat_supply_find (path, &bytes) != 0)
    {
      *size = g_bytes_get_size (bytes);
      *data = g_malloc0 (*size + 1);
      if (*size > 0)
        memcpy (*data, g_bytes_get_data (bytes, NULL), *size);
      return TRUE;
    }
  if (!g_file_get_contents (path, data, size, error))
    return FALSE;
  leat_supply_tell (path);
  return TRUE;
}

gsize
leat_supply_peek (const char *path, gpointer to, gsize size)
{
  g_autoptr (GBytes) bytes = NULL;
  gssize got = 0;
  int fd;

  if (leat_supply_find (path, &bytes) != 0)
    {
      size = MIN (size, g_bytes_get_size (bytes));
      if (size > 0)
        memcpy (to, g_bytes_get_data (bytes, NULL), size);
      return size;
    }
  fd = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? open (path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd >= 0)
    {
      got = pread (fd, to, size, 0);
      close (fd);
    }
  return got > 0 ? (gsize) got : 0;
}

guint64
leat_supply_identify (const char *path)
{
  return leat_supply_find (path, NULL);
}

char *
leat_supply_resolve (const char *base, const char *path)
{
  const LeatSupply *supply = leat_supply_get ();
  char *found = supply != NULL ? supply->resolve (base, path) : NULL;

  return found != NULL ? found : g_strdup (path);
}
