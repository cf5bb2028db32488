/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Parts of the file that was searched, for the lines of `text:report`.  Reads the file through one buffer of its
 * own. */

#include "leat-text-quote.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAT_QUOTE_BUFFER (64 * 1024)

/* Hits come in the order of their offsets, so that one buffer serves many. */
struct _LeatTextQuote
{
  char *path;
  int fd;
  guint64 begin; /* of what is in the buffer */
  gsize size;
  guint64 line_goes_on; /* there, behind what was asked for last; G_MAXUINT64: nowhere */
  char buffer[LEAT_QUOTE_BUFFER];
};

void
leat_text_quote_free (LeatTextQuote *self)
{
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->path);
  g_free (self);
}

LeatTextQuote *
leat_text_quote_open (const char *path, GError **error)
{
  g_autoptr (LeatTextQuote) self = g_new0 (LeatTextQuote, 1);
  struct stat info;

  self->path = g_strdup (path);
  self->line_goes_on = G_MAXUINT64;
  /* Opening a pipe would wait for whoever writes to it. */
  self->fd = leat_supply_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (self->fd < 0 || fstat (self->fd, &info) != 0)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "cannot read \"%s\" to print from it: %s", path,
                 g_strerror (errno));
  else if (!S_ISREG (info.st_mode))
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
                 "cannot print from \"%s\": only a regular file can be read again; leave `from` out to have offsets",
                 path);
  else
    return g_steal_pointer (&self);
  return NULL;
}

static gboolean
leat_text_quote_load (LeatTextQuote *self, guint64 offset, GError **error)
{
  gssize got;

  do
    got = pread (self->fd, self->buffer, sizeof self->buffer, (off_t) offset);
  while (got < 0 && errno == EINTR);
  self->begin = offset;
  self->size = got > 0 ? (gsize) got : 0;
  if (got >= 0)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "cannot read \"%s\": %s", self->path, g_strerror (errno));
  return FALSE;
}

static gboolean
leat_text_quote_has (LeatTextQuote *self, guint64 offset)
{
  return offset >= self->begin && offset - self->begin < self->size;
}

const char *
leat_text_quote_get (LeatTextQuote *self, guint64 offset, guint64 size, gboolean is_line, gsize *length, GError **error)
{
  const char *at, *end;

  *length = 0;
  if (!leat_text_quote_has (self, offset) && !leat_text_quote_load (self, offset, error))
    return NULL;
  if (!leat_text_quote_has (self, offset) && offset == self->line_goes_on)
    return self->buffer; /* the last line need not have an end */
  if (!leat_text_quote_has (self, offset))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                   "\"%s\" ends before byte %" G_GUINT64_FORMAT ": is it the text that was looked through?", self->path,
                   offset);
      return NULL;
    }
  at = self->buffer + (offset - self->begin);
  *length = MIN (size, self->size - (gsize) (offset - self->begin));
  end = is_line ? memchr (at, '\n', *length) : NULL;
  if (end != NULL)
    *length = (gsize) (end - at);
  self->line_goes_on = is_line && end == NULL ? offset + *length : G_MAXUINT64;
  return at;
}
