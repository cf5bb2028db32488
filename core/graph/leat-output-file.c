/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-output-file-private.h"

#include "leat-graph-error.h"
#include "leat-output-name-private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define LEAT_OUTPUT_FILE_LINKS   40 /* that lead from one to the next, as many as the kernel follows */
#define LEAT_OUTPUT_FILE_LOOK_MS 20 /* between two looks whether a pipe has a reader, or it was called off */

struct _LeatOutputFile
{
  char *path;      /* for messages */
  char *target;    /* what the file will be called; NULL when written directly */
  char *temporary; /* what it is called until then; NULL when it has no name */
  int fd;
  int wake_fd; /* -1 where a write never waits for somebody */
  gboolean owns_fd;
  gboolean awaits; /* a pipe that nobody reads yet, not open therefore */
  guint64 written;
};

static gboolean
leat_output_file_fail (LeatOutputFile *self, int code, GError **error)
{
  const char *advice = "";

  if (self->path[0] == '\0')
    advice = "; name a file";
  else if (code == ENOENT)
    advice = "; its folder must exist";
  else if (code == EACCES || code == EROFS || code == EPERM)
    advice = "; this user must be able to write in its folder";
  else if (code == EISDIR)
    advice = "; give the path of a file in it";
  else if (code == EBADF)
    advice = "; it is closed, or open for reading only: redirect it to a file or a program";
  else if (code == ENOSPC || code == EDQUOT || code == EFBIG)
    advice = self->target != NULL ? "; nothing is left under that name that was not there before" : "";
  if (self->written > 0)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
                 "cannot write \"%s\": %s after %" G_GUINT64_FORMAT " bytes%s", self->path, g_strerror (code),
                 self->written, advice);
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "cannot write \"%s\": %s%s", self->path,
                 g_strerror (code), advice);
  errno = code; /* for who tells it in another way */
  return FALSE;
}

int
leat_output_file_find_descriptor (const char *path)
{
  static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
  guint64 fd;

  if (g_str_equal (path, "-") || g_str_equal (path, "/dev/stdout"))
    return STDOUT_FILENO;
  if (g_str_equal (path, "/dev/stderr"))
    return STDERR_FILENO;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    if (g_str_has_prefix (path, folders[i])
        && g_ascii_string_to_unsigned (path + strlen (folders[i]), 10, 0, G_MAXINT, &fd, NULL))
      return (int) fd;
  return -1;
}

/* Without O_NONBLOCK, to open a pipe would be to wait for its reader, and nobody could call that off. */
static gboolean
leat_output_file_try_open (LeatOutputFile *self, GError **error)
{
  struct stat info;

  self->fd = open (self->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  self->awaits = self->fd < 0 && errno == ENXIO && stat (self->path, &info) == 0 && S_ISFIFO (info.st_mode);
  return self->fd >= 0 || self->awaits || leat_output_file_fail (self, errno, error);
}

/* One that was closed when the program started is open for nothing that it is for. */
static gboolean
leat_output_file_check_descriptor (LeatOutputFile *self, int fd, GError **error)
{
  int flags = fcntl (fd, F_GETFL);

  return (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
         || leat_output_file_fail (self, flags < 0 ? errno : EBADF, error);
}

/* @fd: one that is open already, or -1. */
static gboolean
leat_output_file_open_directly (LeatOutputFile *self, int fd, GError **error)
{
  self->owns_fd = fd < 0;
  self->fd = fd;
  if (fd < 0 && !leat_output_file_try_open (self, error))
    return FALSE;
  if (fd >= 0 && !leat_output_file_check_descriptor (self, fd, error))
    return FALSE;
  self->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  return self->wake_fd >= 0 || leat_output_file_fail (self, errno, error);
}

/* The process's own, which umask () tells only by changing it for all threads.  0 on kernels that do not say. */
static mode_t
leat_output_file_read_umask (void)
{
  g_autofree char *status = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return 0;
  line = strstr (status, "\nUmask:");
  return line != NULL ? (mode_t) g_ascii_strtoull (line + strlen ("\nUmask:"), NULL, 8) & 0777 : 0;
}

/* Kernels before 6.0 leave the umask of a file without a name to the access lists of the file system, also where that
 * has none. */
static gboolean
leat_output_file_apply_umask (LeatOutputFile *self)
{
  if (fgetxattr (self->fd, "system.posix_acl_access", NULL, 0) >= 0 || errno != EOPNOTSUPP)
    return TRUE;
  return fchmod (self->fd, 0666 & ~leat_output_file_read_umask ()) == 0;
}

/* A file without a name: whatever ends the process, nothing is left.  FALSE where the file system or the process has no
 * such thing, or no way to name the file later. */
static gboolean
leat_output_file_open_nameless (LeatOutputFile *self, const char *folder)
{
  g_autofree char *handle = NULL;

  self->fd = open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (self->fd < 0)
    return FALSE;
  handle = leat_output_name_from_fd (self->fd);
  if (access (handle, F_OK) == 0 && leat_output_file_apply_umask (self))
    return TRUE;
  close (self->fd);
  self->fd = -1;
  return FALSE;
}

char *
leat_output_file_dup_target (const char *path)
{
  g_autofree char *target = g_strdup (path);
  char *real = NULL;

  for (guint i = 0; i < LEAT_OUTPUT_FILE_LINKS && (real = realpath (target, NULL)) == NULL; i++)
    {
      g_autofree char *link = g_file_read_link (target, NULL);
      g_autofree char *folder = g_path_get_dirname (target);

      if (link == NULL)
        break;
      g_free (target);
      target = g_path_is_absolute (link) ? g_strdup (link) : g_build_filename (folder, link, NULL);
    }
  if (real != NULL)
    {
      g_free (target);
      target = g_strdup (real);
      free (real);
    }
  return g_steal_pointer (&target);
}

/* Whose the file is, only root may keep in all cases; who may write a file of another's keeps its group if it can, and
 * then it is theirs. The mode comes last, as a new owner takes bits from it. */
static gboolean
leat_output_file_keep_owner (LeatOutputFile *self, const struct stat *info, GError **error)
{
  struct stat mine;

  if (fstat (self->fd, &mine) != 0)
    return leat_output_file_fail (self, errno, error);
  if ((mine.st_uid != info->st_uid || mine.st_gid != info->st_gid) && fchown (self->fd, info->st_uid, info->st_gid) != 0
      && fchown (self->fd, (uid_t) -1, info->st_gid) != 0)
    g_debug ("%s does not keep its owner", self->target);
  return fchmod (self->fd, info->st_mode & 07777) == 0 || leat_output_file_fail (self, errno, error);
}

/* @info: what has the name now, or NULL. */
static gboolean
leat_output_file_open_replacement (LeatOutputFile *self, const char *path, const struct stat *info, GError **error)
{
  g_autofree char *folder = NULL;

  self->target = leat_output_file_dup_target (path);
  self->owns_fd = TRUE;
  folder = g_path_get_dirname (self->target);
  if (!leat_output_file_open_nameless (self, folder))
    {
      self->temporary = leat_output_name_create (self->target, &self->fd);
      if (self->temporary == NULL)
        return leat_output_file_fail (self, errno, error);
    }
  return info == NULL || leat_output_file_keep_owner (self, info, error);
}

static LeatOutputFile *
leat_output_file_new (const char *path)
{
  LeatOutputFile *self = g_new0 (LeatOutputFile, 1);

  self->fd = self->wake_fd = -1;
  self->path = g_strdup (g_str_equal (path, "-") ? "standard output" : path);
  return self;
}

LeatOutputFile *
leat_output_file_open (const char *path, GError **error)
{
  g_autoptr (LeatOutputFile) self = leat_output_file_new (path);
  int fd = leat_output_file_find_descriptor (path);
  struct stat info;
  gboolean there, good;

  there = stat (path, &info) == 0;
  if (fd >= 0)
    good = leat_output_file_open_directly (self, fd, error);
  else if (!there && errno == ELOOP)
    good = leat_output_file_fail (self, ELOOP, error);
  else if (there && S_ISDIR (info.st_mode))
    good = leat_output_file_fail (self, EISDIR, error);
  else if (there && !S_ISREG (info.st_mode))
    good = leat_output_file_open_directly (self, -1, error);
  else if (there && access (path, W_OK) != 0)
    good = leat_output_file_fail (self, errno, error);
  else
    good = leat_output_file_open_replacement (self, path, there ? &info : NULL, error);
  return good ? g_steal_pointer (&self) : NULL;
}

gboolean
leat_output_file_check (const char *path, GError **error)
{
  g_autoptr (LeatOutputFile) self = leat_output_file_new (path);
  g_autofree char *target = leat_output_file_dup_target (path);
  g_autofree char *folder = g_path_get_dirname (target);
  int fd = leat_output_file_find_descriptor (path);
  struct stat info;
  gboolean there;

  if (fd >= 0)
    return leat_output_file_check_descriptor (self, fd, error);
  if (path[0] == '\0')
    return leat_output_file_fail (self, ENOENT, error);
  there = stat (path, &info) == 0;
  if (there && S_ISDIR (info.st_mode))
    return leat_output_file_fail (self, EISDIR, error);
  if (access (path, W_OK) != 0 && errno != ENOENT)
    return leat_output_file_fail (self, errno, error);
  /* A file is replaced, which its folder must allow. */
  if ((!there || S_ISREG (info.st_mode)) && access (folder, W_OK | X_OK) != 0)
    return leat_output_file_fail (self, errno, error);
  return TRUE;
}

void
leat_output_file_free (LeatOutputFile *self)
{
  if (self->fd >= 0 && self->owns_fd)
    close (self->fd);
  if (self->wake_fd >= 0)
    close (self->wake_fd);
  g_clear_pointer (&self->temporary, leat_output_name_remove);
  g_free (self->target);
  g_free (self->path);
  g_free (self);
}

/* What saves a state, for one, is given no cancellable, and may have one that this thread works under. */
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

gboolean
leat_output_file_write (LeatOutputFile *self, gconstpointer data, gsize size, GCancellable *cancellable, GError **error)
{
  const guint8 *at = data;
  eventfd_t ignored;

  /* Who woke an earlier write may have come too late for it.  Whoever means this one has cancelled it before, or wakes
   * it again. */
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

/* Gives a file without one its name.  What has the name already cannot be linked over, only renamed over. */
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
leat_output_file_is_terminal (LeatOutputFile *self)
{
  return self->fd >= 0 && isatty (self->fd);
}

gboolean
leat_output_file_is_seekable (LeatOutputFile *self)
{
  return self->target != NULL;
}
