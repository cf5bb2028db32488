/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reads a file whole, if it is a regular one and not too large. */

#include "leat-kernel-file-private.h"
#include "leat-supply-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Far beyond what a compiler takes in reasonable time. */
#define LEAT_KERNEL_FILE_MAX (16 * 1024 * 1024)

static gboolean
leat_kernel_file_fail (int code, GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (code), g_strerror (code));
  return FALSE;
}

/* Nothing but a file has an end that is sure to come. */
static gboolean
leat_kernel_file_check (int fd, GError **error)
{
  struct stat info;

  if (fd < 0 || fstat (fd, &info) != 0)
    return leat_kernel_file_fail (errno, error);
  if (S_ISDIR (info.st_mode))
    return leat_kernel_file_fail (EISDIR, error);
  if (!S_ISREG (info.st_mode))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE,
                   "it is a pipe or a device; a kernel's text is read from a regular file");
      return FALSE;
    }
  if (info.st_size > LEAT_KERNEL_FILE_MAX)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                   "it has %" G_GUINT64_FORMAT " bytes; at most %d are read of a kernel", (guint64) info.st_size,
                   LEAT_KERNEL_FILE_MAX);
      return FALSE;
    }
  return TRUE;
}

/* As much as there is when it is read, which for a file that grows is no more than the limit. */
static gboolean
leat_kernel_file_read_fd (int fd, GString *text, GError **error)
{
  char piece[16384];
  gssize got = 1;

  while (got != 0 && text->len < LEAT_KERNEL_FILE_MAX)
    {
      got = read (fd, piece, MIN (sizeof piece, LEAT_KERNEL_FILE_MAX - text->len));
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return leat_kernel_file_fail (errno, error);
      g_string_append_len (text, piece, got);
    }
  return TRUE;
}

char *
leat_kernel_file_read (const char *path, gsize *length, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  /* A pipe without a writer would hold an open () up. */
  int fd = leat_supply_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  gboolean good = leat_kernel_file_check (fd, error) && leat_kernel_file_read_fd (fd, text, error);

  if (fd >= 0)
    close (fd);
  if (!good)
    return NULL;
  *length = text->len;
  return g_string_free (g_steal_pointer (&text), FALSE);
}
