/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writing, which may wait for a reader and be called off, and the end, at which a file gets its name. */

#include "leat-output-file-internal-private.h"

#include "leat-graph-error.h"
#include "leat-output-name-private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LEAT_OUTPUT_FILE_LOOK_MS 20 /* between two looks whether a pipe has a reader, or it was called off */

/* Some callers, such as those that save a state, are given no cancellable; this thread may work under one. */
static gboolean
leat_output_file_is_called_off (GCancellable *cancellable, GError **error)
{
  return g_cancellable_set_error_if_cancelled (cancellable != NULL ? cancellable : g_cancellable_get_current (), error);
}

/* Until the descriptor can be written to, or @timeout_ms are over. */
static gboolean
leat_output_file_poll (LeatOutputFile *self, int timeout_ms, GCancellable *cancellable, GError **error)
{
  struct pollfd polled[2] = { { self->fd, POLLOUT, 0 }, { self->wake_fd, POLLIN, 0 } };
  eventfd_t ignored;

  if (leat_output_file_is_called_off (cancellable, error))
    return FALSE;
  while (poll (polled, 2, timeout_ms) < 0)
    if (errno != EINTR)
      return leat_output_file_fail (self, errno, error);
  if (polled[1].revents == 0)
    return TRUE;
  eventfd_read (self->wake_fd, &ignored);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "writing \"%s\" was called off", self->path);
  return FALSE;
}

gboolean
leat_output_file_await (LeatOutputFile *self, GCancellable *cancellable, GError **error)
{
  while (self->awaits)
    if (!leat_output_file_try_open (self, error)
        || (self->awaits && !leat_output_file_poll (self, LEAT_OUTPUT_FILE_LOOK_MS, cancellable, error)))
      return FALSE;
  return TRUE;
}

/* Waits until PIPE_BUF bytes can be written without blocking, or it is time to look again: only what was opened here
 * surely does not block then. */
static gboolean
leat_output_file_wait (LeatOutputFile *self, GCancellable *cancellable, GError **error)
{
  if (self->wake_fd < 0)
    return !leat_output_file_is_called_off (cancellable, error);
  return leat_output_file_await (self, cancellable, error)
         && leat_output_file_poll (self, self->owns_fd ? LEAT_OUTPUT_FILE_LOOK_MS : -1, cancellable, error);
}

/**
 * leat_output_file_write: (skip)
 * @self: a file
 * @data: (array length=size) (element-type guint8): bytes
 * @size: how many bytes
 * @cancellable: (nullable): calls a write off that waits for the reader of a pipe; %NULL: that of this thread
 * @error: return location
 *
 * Writes behind what was written before.
 *
 * Returns: whether all bytes were written
 *
 * Since: 0.1
 */
gboolean
leat_output_file_write (LeatOutputFile *self, gconstpointer data, gsize size, GCancellable *cancellable, GError **error)
{
  const guint8 *at = data;
  eventfd_t ignored;

  /* A call to wake an earlier write may have come too late for it.  A thread that means this write has cancelled it
   * before, or wakes it again. */
  if (self->wake_fd >= 0)
    eventfd_read (self->wake_fd, &ignored);
  while (size > 0)
    {
      /* A pipe takes this much at once when poll () says that it takes something. */
      gsize step = self->wake_fd >= 0 ? MIN (size, PIPE_BUF) : size;
      gssize n;

      if (!leat_output_file_wait (self, cancellable, error))
        return FALSE;
      n = write (self->fd, at, step);
      if (n < 0 && (errno == EINTR || errno == EAGAIN))
        continue;
      if (n < 0)
        return leat_output_file_fail (self, errno, error);
      at += n;
      size -= (gsize) n;
      self->written += (guint64) n;
    }
  return TRUE;
}

/**
 * leat_output_file_write_at: (skip)
 * @self: a file that is seekable
 * @offset: the byte where @data begins
 * @data: (array length=size) (element-type guint8): bytes
 * @size: how many bytes
 * @error: return location
 *
 * Writes over what is there, such as a header that has a count.
 *
 * Returns: whether all bytes were written
 *
 * Since: 0.1
 */
gboolean
leat_output_file_write_at (LeatOutputFile *self, guint64 offset, gconstpointer data, gsize size, GError **error)
{
  const guint8 *at = data;

  while (size > 0)
    {
      gssize n = pwrite (self->fd, at, size, (off_t) offset);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return leat_output_file_fail (self, errno, error);
      at += n;
      offset += (guint64) n;
      size -= (gsize) n;
    }
  return TRUE;
}

/* Gives a file without one its name.  A file that has the name already cannot be linked over, only renamed over. */
static gboolean
leat_output_file_link (LeatOutputFile *self, GError **error)
{
  g_autofree char *handle = leat_output_name_from_fd (self->fd);

  if (linkat (AT_FDCWD, handle, AT_FDCWD, self->target, AT_SYMLINK_FOLLOW) == 0)
    return TRUE;
  if (errno != EEXIST)
    return leat_output_file_fail (self, errno, error);
  self->temporary = leat_output_name_link (self->target, handle);
  return self->temporary != NULL || leat_output_file_fail (self, errno, error);
}

/* Some file systems say only when a descriptor is closed that there was no room. */
static gboolean
leat_output_file_flush (LeatOutputFile *self, GError **error)
{
  int other = fcntl (self->fd, F_DUPFD_CLOEXEC, 0);

  if (other < 0 || (close (other) != 0 && errno != EINTR))
    return leat_output_file_fail (self, errno, error);
  return TRUE;
}

gboolean
leat_output_file_sync (LeatOutputFile *self, GError **error)
{
  return self->target == NULL || fsync (self->fd) == 0 || leat_output_file_fail (self, errno, error);
}

/**
 * leat_output_file_commit: (skip)
 * @self: a file
 * @error: return location
 *
 * Gives the file its name, in place of one that had it before.
 *
 * Returns: whether it has its name, and all that was written
 *
 * Since: 0.1
 */
gboolean
leat_output_file_commit (LeatOutputFile *self, GError **error)
{
  if (!self->owns_fd)
    return TRUE;
  /* The reader of a pipe waits for its end also when there is nothing before that. */
  if (!leat_output_file_await (self, NULL, error))
    return FALSE;
  if (!leat_output_file_flush (self, error))
    return FALSE;
  if (self->target == NULL)
    return TRUE;
  if (self->temporary == NULL && !leat_output_file_link (self, error))
    return FALSE;
  if (self->temporary != NULL && !leat_output_name_rename (self->temporary, self->target))
    return leat_output_file_fail (self, errno, error);
  self->temporary = NULL;
  return TRUE;
}

/**
 * leat_output_file_wake: (skip)
 * @self: a file
 *
 * Makes a write that waits for the reader of a pipe end, with %G_IO_ERROR_CANCELLED. Any thread may call it.
 *
 * Since: 0.1
 */
void
leat_output_file_wake (LeatOutputFile *self)
{
  if (self->wake_fd >= 0)
    eventfd_write (self->wake_fd, 1);
}
