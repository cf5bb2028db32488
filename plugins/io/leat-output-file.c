/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

struct _LeatOutputFile
{
  char *path;      /* for messages */
  char *target;    /* what the temporary file will be called; NULL when written directly */
  char *temporary; /* NULL when written directly */
  int fd;
  int wake_fd; /* -1 where a write never waits for somebody */
  gboolean owns_fd;
  guint64 written;
};

static gboolean
leat_output_file_fail (LeatOutputFile *self, int code, GError **error)
{
  const char *advice = "";

  if (code == ENOENT)
    advice = "; its folder must exist";
  else if (code == EACCES || code == EROFS || code == EPERM)
    advice = "; this user must be able to write in its folder";
  else if (code == EISDIR)
    advice = "; give the path of a file in it";
  else if (code == ENOSPC || code == EDQUOT || code == EFBIG)
    advice = self->temporary != NULL ? "; nothing is left under that name that was not there before" : "";
  if (self->written > 0)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
                 "cannot write \"%s\": %s after %" G_GUINT64_FORMAT " bytes%s", self->path, g_strerror (code),
                 self->written, advice);
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "cannot write \"%s\": %s%s", self->path,
                 g_strerror (code), advice);
  return FALSE;
}

static gboolean
leat_output_file_open_directly (LeatOutputFile *self, const char *path, GError **error)
{
  self->owns_fd = path != NULL;
  self->fd = path != NULL ? open (path, O_WRONLY | O_CLOEXEC) : STDOUT_FILENO;
  if (self->fd < 0)
    return leat_output_file_fail (self, errno, error);
  self->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  return self->wake_fd >= 0 || leat_output_file_fail (self, errno, error);
}

/* @info: what has the name now, or NULL. */
static gboolean
leat_output_file_open_temporary (LeatOutputFile *self, const char *path, const struct stat *info, GError **error)
{
  g_autofree char *folder = NULL, *name = NULL, *pattern = NULL, *hidden = NULL;
  char *real = info != NULL ? realpath (path, NULL) : NULL;

  /* Through a symbolic link, so that the link stays one. */
  self->target = g_strdup (real != NULL ? real : path);
  free (real);
  folder = g_path_get_dirname (self->target);
  name = g_path_get_basename (self->target);
  /* A name may be as long as a name can be. */
  hidden = g_strndup (name, 200);
  pattern = g_strdup_printf ("%s/.%s.XXXXXX", folder, hidden);
  self->owns_fd = TRUE;
  self->fd = g_mkstemp_full (pattern, O_RDWR | O_CLOEXEC, 0666);
  if (self->fd < 0)
    return leat_output_file_fail (self, errno, error);
  self->temporary = g_steal_pointer (&pattern);
  if (info != NULL && fchmod (self->fd, info->st_mode & 07777) != 0)
    return leat_output_file_fail (self, errno, error);
  return TRUE;
}

LeatOutputFile *
leat_output_file_open (const char *path, GError **error)
{
  g_autoptr (LeatOutputFile) self = g_new0 (LeatOutputFile, 1);
  struct stat info;
  gboolean there, good;

  self->fd = self->wake_fd = -1;
  self->path = g_strdup (g_str_equal (path, "-") ? "standard output" : path);
  there = stat (path, &info) == 0;
  if (g_str_equal (path, "-"))
    good = leat_output_file_open_directly (self, NULL, error);
  else if (there && S_ISDIR (info.st_mode))
    good = leat_output_file_fail (self, EISDIR, error);
  else if (there && !S_ISREG (info.st_mode))
    good = leat_output_file_open_directly (self, path, error);
  else if (there && access (path, W_OK) != 0)
    good = leat_output_file_fail (self, errno, error);
  else
    good = leat_output_file_open_temporary (self, path, there ? &info : NULL, error);
  return good ? g_steal_pointer (&self) : NULL;
}

void
leat_output_file_free (LeatOutputFile *self)
{
  if (self->fd >= 0 && self->owns_fd)
    close (self->fd);
  if (self->wake_fd >= 0)
    close (self->wake_fd);
  if (self->temporary != NULL)
    unlink (self->temporary);
  g_free (self->temporary);
  g_free (self->target);
  g_free (self->path);
  g_free (self);
}

/* Waits until PIPE_BUF bytes can be written without blocking. */
static gboolean
leat_output_file_wait (LeatOutputFile *self, GCancellable *cancellable, GError **error)
{
  struct pollfd polled[2] = { { self->fd, POLLOUT, 0 }, { self->wake_fd, POLLIN, 0 } };
  eventfd_t ignored;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (self->wake_fd < 0)
    return TRUE;
  while (poll (polled, 2, -1) < 0)
    if (errno != EINTR)
      return leat_output_file_fail (self, errno, error);
  if (polled[1].revents == 0)
    return TRUE;
  eventfd_read (self->wake_fd, &ignored);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "writing \"%s\" was called off", self->path);
  return FALSE;
}

gboolean
leat_output_file_write (LeatOutputFile *self, gconstpointer data, gsize size, GCancellable *cancellable, GError **error)
{
  const guint8 *at = data;

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

gboolean
leat_output_file_commit (LeatOutputFile *self, GError **error)
{
  int fd = self->fd;

  if (!self->owns_fd)
    return TRUE;
  self->fd = -1;
  /* Some file systems say only here that there was no room. */
  if (close (fd) != 0 && errno != EINTR)
    return leat_output_file_fail (self, errno, error);
  if (self->temporary == NULL)
    return TRUE;
  if (rename (self->temporary, self->target) != 0)
    return leat_output_file_fail (self, errno, error);
  g_clear_pointer (&self->temporary, g_free);
  return TRUE;
}

void
leat_output_file_wake (LeatOutputFile *self)
{
  if (self->wake_fd >= 0)
    eventfd_write (self->wake_fd, 1);
}

const char *
leat_output_file_get_path (LeatOutputFile *self)
{
  return self->path;
}

gboolean
leat_output_file_is_seekable (LeatOutputFile *self)
{
  return self->temporary != NULL;
}
