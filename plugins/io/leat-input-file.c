/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Files and pipes that are read from front to back, for every node that reads one.  Fills memory of the caller's, with
 * several threads where that is faster. */

#include "leat-input-file.h"

#include "leat-input-parts.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAT_INPUT_FILE_STEP (64 << 20) /* bytes between two looks at whether it was called off */

struct _LeatInputFile
{
  char *path;
  int fd;
  int wake_fd; /* -1 for a regular file, which never waits */
  gboolean owns_fd;
  gboolean regular;
  gboolean at_end;
  guint64 size;
  guint64 end;           /* of a regular file when it was opened, */
  guint64 ahead;         /* and where what was begun of it ends */
  LeatInputParts *parts; /* who read a regular file together; NULL before that, */
  guint n_readers;       /* and how many */
};

static void
leat_input_file_set_error (const char *path, int code, GError **error)
{
  g_autofree char *near = code == ENOENT ? leat_suggest_file (path) : NULL;
  g_autofree char *advice = NULL;

  if (near != NULL)
    advice = g_strdup_printf (" (did you mean \"%s\"?)", near);
  else if (code == ENOENT)
    advice = g_strdup ("; give the path of a file that exists");
  else if (code == EBADF)
    advice = g_strdup ("; it is closed, or open for writing only: give it a file or a program's output");
  else if (code == EACCES)
    advice = g_strdup ("; it must be readable by this user");
  else if (code == EISDIR)
    advice = g_strdup ("; give the path of a file in it");
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "cannot read \"%s\": %s%s", path, g_strerror (code),
               advice != NULL ? advice : "");
}

/* One within an artifact, whose path goes on behind a regular file. */
static gboolean
leat_input_file_is_packed (const char *path)
{
  struct stat info;
  int fd = stat (path, &info) != 0 && errno == ENOTDIR ? leat_supply_open (path, O_RDONLY | O_CLOEXEC) : -1;

  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

gboolean
leat_input_file_check (const char *path, GError **error)
{
  struct stat info;
  int code = 0;

  if (g_str_equal (path, "-") || leat_input_file_is_packed (path))
    return TRUE;
  if (stat (path, &info) != 0)
    code = errno;
  else if (S_ISDIR (info.st_mode))
    code = EISDIR;
  else if (access (path, R_OK) != 0)
    code = errno;
  if (code != 0)
    leat_input_file_set_error (path, code, error);
  return code == 0;
}

static gboolean
leat_input_file_look (LeatInputFile *self, GError **error)
{
  struct stat info;
  off_t begin;
  int code = fstat (self->fd, &info) != 0 ? errno : S_ISDIR (info.st_mode) ? EISDIR : 0;

  if (code != 0)
    {
      leat_input_file_set_error (self->path, code, error);
      return FALSE;
    }
  self->regular = S_ISREG (info.st_mode);
  if (self->regular)
    {
      begin = lseek (self->fd, 0, SEEK_CUR);
      self->size = begin >= 0 && begin < info.st_size ? (guint64) (info.st_size - begin) : 0;
      self->end = (guint64) info.st_size;
      posix_fadvise (self->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
      return TRUE;
    }
  self->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (self->wake_fd < 0)
    leat_input_file_set_error (self->path, errno, error);
  return self->wake_fd >= 0;
}

/* Standard input that was closed when the program started is open for nothing that it is for. */
static gboolean
leat_input_file_is_readable (int fd)
{
  int flags = fcntl (fd, F_GETFL);

  return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

LeatInputFile *
leat_input_file_open (const char *path, GError **error)
{
  g_autoptr (LeatInputFile) self = g_new0 (LeatInputFile, 1);

  self->path = g_strdup (g_str_equal (path, "-") ? "standard input" : path);
  self->wake_fd = -1;
  self->n_readers = leat_input_parts_get_readers ();
  self->owns_fd = !g_str_equal (path, "-");
  /* Without O_NONBLOCK, to open a pipe would be to wait for its writer, and nobody could call that off. */
  self->fd = self->owns_fd ? leat_supply_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : STDIN_FILENO;
  if (self->fd < 0 || !leat_input_file_is_readable (self->fd))
    {
      leat_input_file_set_error (self->path, self->fd < 0 ? errno : EBADF, error);
      return NULL;
    }
  return leat_input_file_look (self, error) ? g_steal_pointer (&self) : NULL;
}

void
leat_input_file_free (LeatInputFile *self)
{
  g_clear_pointer (&self->parts, leat_input_parts_free);
  if (self->fd >= 0 && self->owns_fd)
    close (self->fd);
  if (self->wake_fd >= 0)
    close (self->wake_fd);
  g_free (self->path);
  g_free (self);
}

/* DATA: reading will not block.  EMPTY: it would, or wake () was called. */
static LeatFlow
leat_input_file_wait (LeatInputFile *self, gboolean wait, GCancellable *cancellable, GError **error)
{
  struct pollfd polled[2] = { { self->fd, POLLIN, 0 }, { self->wake_fd, POLLIN, 0 } };
  eventfd_t ignored;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return LEAT_FLOW_ERROR;
  if (self->regular)
    return LEAT_FLOW_DATA;
  while (poll (polled, 2, wait ? -1 : 0) < 0)
    if (errno != EINTR)
      {
        leat_input_file_set_error (self->path, errno, error);
        return LEAT_FLOW_ERROR;
      }
  if (polled[1].revents != 0)
    {
      eventfd_read (self->wake_fd, &ignored);
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return LEAT_FLOW_ERROR;
    }
  return polled[0].revents != 0 ? LEAT_FLOW_DATA : LEAT_FLOW_EMPTY;
}

void
leat_input_file_set_readers (LeatInputFile *self, guint n_readers)
{
  g_clear_pointer (&self->parts, leat_input_parts_free);
  self->n_readers = n_readers > 0 ? n_readers : leat_input_parts_get_readers ();
}

static LeatInputParts *
leat_input_file_get_parts (LeatInputFile *self)
{
  if (self->parts == NULL)
    self->parts = leat_input_parts_new (self->n_readers);
  return self->parts;
}

static gboolean
leat_input_file_is_ahead (LeatInputFile *self)
{
  return self->parts != NULL && leat_input_parts_get_n_begun (self->parts) > 0;
}

/* Several threads as far as they get; where one of them met the end or an error, the next read meets it too. */
static gssize
leat_input_file_read_some (LeatInputFile *self, gpointer to, gsize size)
{
  gboolean by_parts = self->regular && self->n_readers > 1 && !leat_input_file_is_ahead (self);
  off_t offset = by_parts ? lseek (self->fd, 0, SEEK_CUR) : 0;
  gsize got = 0;

  if (by_parts
      && leat_input_parts_begin (leat_input_file_get_parts (self), self->fd, (guint64) offset, to,
                                 MIN (size, LEAT_INPUT_FILE_STEP)))
    got = leat_input_parts_end (self->parts);
  if (got == 0)
    return read (self->fd, to, size);
  return lseek (self->fd, offset + (off_t) got, SEEK_SET) < 0 ? -1 : (gssize) got;
}

LeatFlow
leat_input_file_read (LeatInputFile *self, gpointer to, gsize size, gsize *got, gboolean wait,
                      GCancellable *cancellable, GError **error)
{
  *got = 0;
  while (*got < size && !self->at_end)
    {
      LeatFlow flow = leat_input_file_wait (self, wait, cancellable, error);
      gssize n;

      if (flow == LEAT_FLOW_ERROR)
        return flow;
      if (flow == LEAT_FLOW_EMPTY)
        return *got > 0 ? LEAT_FLOW_DATA : LEAT_FLOW_EMPTY;
      n = leat_input_file_read_some (self, (guint8 *) to + *got, size - *got);
      if (n < 0 && (errno == EINTR || errno == EAGAIN))
        continue;
      if (n < 0)
        {
          leat_input_file_set_error (self->path, errno, error);
          return LEAT_FLOW_ERROR;
        }
      self->at_end = n == 0;
      *got += (gsize) n;
    }
  return *got > 0 || size == 0 ? LEAT_FLOW_DATA : LEAT_FLOW_END;
}

gboolean
leat_input_file_begin (LeatInputFile *self, gpointer to, gsize size)
{
  off_t offset;

  if (!self->regular || self->at_end || self->n_readers < 2 || size > LEAT_INPUT_FILE_STEP)
    return FALSE;
  if (!leat_input_file_is_ahead (self))
    {
      offset = lseek (self->fd, 0, SEEK_CUR);
      if (offset < 0)
        return FALSE;
      self->ahead = (guint64) offset;
    }
  if (self->ahead > self->end || size > self->end - self->ahead
      || !leat_input_parts_begin (leat_input_file_get_parts (self), self->fd, self->ahead, to, size))
    return FALSE;
  self->ahead += size;
  return TRUE;
}

gboolean
leat_input_file_complete (LeatInputFile *self, gpointer to, gsize size, gsize *got, GError **error)
{
  gsize more;

  *got = leat_input_parts_end (self->parts);
  if (self->at_end)
    *got = 0;
  else if (lseek (self->fd, (off_t) *got, SEEK_CUR) < 0)
    {
      leat_input_file_set_error (self->path, errno, error);
      return FALSE;
    }
  if (leat_input_file_read (self, (guint8 *) to + *got, size - *got, &more, TRUE, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  *got += more;
  return TRUE;
}

gboolean
leat_input_file_rewind (LeatInputFile *self, GError **error)
{
  self->at_end = FALSE;
  if (lseek (self->fd, 0, SEEK_SET) == 0)
    return TRUE;
  leat_input_file_set_error (self->path, errno, error);
  return FALSE;
}

gsize
leat_input_file_peek (LeatInputFile *self, guint64 offset, gpointer to, gsize size)
{
  gsize got = 0;

  while (self->regular && got < size)
    {
      gssize n = pread (self->fd, (guint8 *) to + got, size - got, (off_t) (offset + got));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      got += (gsize) n;
    }
  return got;
}

gboolean
leat_input_file_check_size (LeatInputFile *self, GError **error)
{
  struct stat info;

  if (!self->regular || fstat (self->fd, &info) != 0 || (guint64) info.st_size == self->end)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "\"%s\" had %" G_GUINT64_FORMAT " bytes when it was opened and has %" G_GUINT64_FORMAT
               " now; nothing may write to it while it is read",
               self->path, self->end, (guint64) info.st_size);
  return FALSE;
}

void
leat_input_file_wake (LeatInputFile *self)
{
  if (self->wake_fd >= 0)
    eventfd_write (self->wake_fd, 1);
}

const char *
leat_input_file_get_path (LeatInputFile *self)
{
  return self->path;
}

gboolean
leat_input_file_is_regular (LeatInputFile *self)
{
  return self->regular;
}

guint64
leat_input_file_get_size (LeatInputFile *self)
{
  return self->size;
}

gboolean
leat_input_file_is_at_end (LeatInputFile *self)
{
  return self->at_end;
}
