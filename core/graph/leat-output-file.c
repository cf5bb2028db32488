/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Where a file is made, and how what is there is opened or kept. */

#include "leat-output-file-internal-private.h"

#include "leat-graph-error.h"
#include "leat-output-name-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define LEAT_OUTPUT_FILE_LINKS 40 /* that lead from one to the next, as many as the kernel follows */

gboolean
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
gboolean
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

/* The process's own, which umask () tells only by changing it for all threads.  Kernels before 4.7 do not say: then
 * others get nothing. */
static mode_t
leat_output_file_read_umask (void)
{
  g_autofree char *status = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return 077;
  line = strstr (status, "\nUmask:");
  return line != NULL ? (mode_t) g_ascii_strtoull (line + strlen ("\nUmask:"), NULL, 8) & 0777 : 077;
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

/* Only root may always keep the owner.  Another user who may write to the file keeps its group where that is allowed,
 * and becomes its owner.  The mode comes last, as a new owner takes bits from it. */
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

/**
 * leat_output_file_open: (skip)
 * @path: the file, `-` for standard output
 * @error: return location
 *
 * Begins to write a file.
 *
 * Nothing is waited for: a pipe without a reader is opened when it is written to.
 *
 * Returns: (transfer full): the file
 *
 * Since: 0.1
 */
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

/**
 * leat_output_file_check: (skip)
 * @path: the file
 * @error: return location
 *
 * Finds what leat_output_file_open() would refuse, without opening, making or waiting for anything; for the check () of
 * an endpoint.
 *
 * Returns: whether the file can be written
 *
 * Since: 0.1
 */
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

/**
 * leat_output_file_free: (skip)
 * @self: (transfer full): a file
 *
 * Closes a file. Nothing of it is left, unless leat_output_file_commit() came before.
 *
 * Since: 0.1
 */
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

/**
 * leat_output_file_get_path: (skip)
 * @self: a file
 *
 * Gets the path that it was opened with, for messages: "standard output" for `-`.
 *
 * Returns: (transfer none): the path
 *
 * Since: 0.1
 */
const char *
leat_output_file_get_path (LeatOutputFile *self)
{
  return self->path;
}

/**
 * leat_output_file_is_terminal: (skip)
 * @self: a file
 *
 * Tells whether a person reads it on a terminal; leat_plain_append() makes text harmless for one.
 *
 * Returns: %TRUE for a terminal
 *
 * Since: 0.1
 */
gboolean
leat_output_file_is_terminal (LeatOutputFile *self)
{
  return self->fd >= 0 && isatty (self->fd);
}

/**
 * leat_output_file_is_seekable: (skip)
 * @self: a file
 *
 * Tells whether leat_output_file_write_at() works: for a file that gets its name at the end, and not for pipes.
 *
 * Returns: %TRUE where it does
 *
 * Since: 0.1
 */
gboolean
leat_output_file_is_seekable (LeatOutputFile *self)
{
  return self->target != NULL;
}
