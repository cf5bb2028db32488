/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A file that rows are appended to, by several programs at a time if need be: a lock is held from the look at what is
 * there to the end of the write, and a write that was cut short is taken back. */

#include "leat-evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
  const char *path;
  int fd;
  goffset size; /* before the row */
} LeatEvidenceFile;

static gboolean
leat_evidence_file_fail (const char *path, const char *verb, GError **error)
{
  int code = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "cannot %s \"%s\": %s", verb, path,
               g_strerror (code));
  return FALSE;
}

static void
leat_evidence_file_close (LeatEvidenceFile *self)
{
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatEvidenceFile, leat_evidence_file_close)

static gboolean
leat_evidence_file_lock (LeatEvidenceFile *self, GError **error)
{
  struct stat info;

  self->fd = open (self->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (self->fd < 0)
    return leat_evidence_file_fail (self->path, "open", error);
  while (flock (self->fd, LOCK_EX) != 0)
    if (errno != EINTR)
      return leat_evidence_file_fail (self->path, "lock", error);
  if (fstat (self->fd, &info) != 0)
    return leat_evidence_file_fail (self->path, "look at", error);
  self->size = info.st_size;
  if (S_ISREG (info.st_mode))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "\"%s\" is no file that rows can be appended to", self->path);
  return FALSE;
}

static gboolean
leat_evidence_file_check (const LeatEvidenceFile *self, GError **error)
{
  g_autofree char *header = leat_evidence_dup_header ();
  gsize n = strlen (header);
  g_autofree char *begin = g_malloc0 (n);
  char last = 0;

  if (self->size == 0)
    return TRUE;
  if (pread (self->fd, begin, n, 0) != (gssize) n || memcmp (begin, header, n) != 0)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                 "\"%s\" does not begin with the columns of evidence, and is left as it is", self->path);
  else if (pread (self->fd, &last, 1, self->size - 1) != 1 || last != '\n')
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "\"%s\" ends within a row, and is left as it is", self->path);
  else
    return TRUE;
  return FALSE;
}

gboolean
leat_evidence_check_file (const char *path, GError **error)
{
  g_auto (LeatEvidenceFile) self = { .path = path, .fd = -1 };

  return leat_evidence_file_lock (&self, error) && leat_evidence_file_check (&self, error);
}

gboolean
leat_evidence_append (const LeatEvidence *row, const char *path, GError **error)
{
  g_auto (LeatEvidenceFile) self = { .path = path, .fd = -1 };
  g_autofree char *line = leat_evidence_to_line (row), *header = NULL, *text = NULL;
  gssize n;

  if (!leat_evidence_file_lock (&self, error) || !leat_evidence_file_check (&self, error))
    return FALSE;
  header = self.size == 0 ? leat_evidence_dup_header () : g_strdup ("");
  text = g_strconcat (header, line, NULL);
  n = write (self.fd, text, strlen (text));
  if (n == (gssize) strlen (text))
    return TRUE;
  if (n >= 0)
    errno = ENOSPC;
  leat_evidence_file_fail (path, "append a row to", error);
  if (ftruncate (self.fd, self.size) != 0)
    g_prefix_error (error, "part of a row is left: ");
  return FALSE;
}
