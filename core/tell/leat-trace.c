/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writes a trace file of events on tracks, as Perfetto and Chrome read it.  Knows of no session. */

#include "leat-trace-private.h"

#include "graph/leat-output-file-private.h"

#include <errno.h>
#include <stdio.h>

#define LEAT_TRACE_PROCESS 1

struct _LeatTrace
{
  LeatOutputFile *output;
  FILE *file; /* what is on its way to it */
  char *path;
  int fault; /* errno of the first write that failed; 0 for none */
  gboolean begun;
};

static gboolean
leat_trace_set_error (const char *path, int fault, GError **error)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (fault), "cannot write the trace \"%s\": %s", path,
               g_strerror (fault));
  return FALSE;
}

static gssize
leat_trace_write (gpointer output, const char *data, gsize size)
{
  return leat_output_file_write (output, data, size, NULL, NULL) ? (gssize) size : -1;
}

LeatTrace *
leat_trace_new (const char *path, GCancellable *cancellable, GError **error)
{
  const cookie_io_functions_t functions = { .write = leat_trace_write };
  g_autoptr (LeatTrace) self = g_new0 (LeatTrace, 1);

  self->path = g_strdup (path);
  self->output = leat_output_file_open (path, NULL);
  if (self->output == NULL)
    {
      leat_trace_set_error (path, errno, error);
      return NULL;
    }
  /* Later nobody could call it off. */
  if (!leat_output_file_await (self->output, cancellable, error))
    return NULL;
  self->file = fopencookie (self->output, "w", functions);
  return g_steal_pointer (&self);
}

void
leat_trace_free (LeatTrace *self)
{
  if (self->file != NULL)
    fclose (self->file);
  g_clear_pointer (&self->output, leat_output_file_free);
  g_free (self->path);
  g_free (self);
}

static void
leat_trace_note_fault (LeatTrace *self)
{
  if (self->fault == 0 && ferror (self->file))
    self->fault = errno != 0 ? errno : EIO;
}

static void
leat_trace_put_string (LeatTrace *self, const char *text)
{
  fputc ('"', self->file);
  for (const char *c = text; *c != '\0'; c++)
    if (*c == '"' || *c == '\\')
      fprintf (self->file, "\\%c", *c);
    else if ((guchar) *c < 0x20)
      fprintf (self->file, "\\u%04x", (guchar) *c);
    else
      fputc (*c, self->file);
  fputc ('"', self->file);
}

/* Microseconds, whatever the locale says of decimals. */
static void
leat_trace_put_time (LeatTrace *self, const char *key, gint64 ns)
{
  fprintf (self->file, ",\"%s\":%s%" G_GINT64_FORMAT ".%03d", key, ns < 0 ? "-" : "", ABS (ns) / 1000,
           (int) (ABS (ns) % 1000));
}

static void
leat_trace_begin_event (LeatTrace *self, char phase, guint track, const char *name)
{
  fprintf (self->file, "%s{\"ph\":\"%c\",\"pid\":%d,\"tid\":%u,\"name\":", self->begun ? ",\n" : "[\n", phase,
           LEAT_TRACE_PROCESS, track);
  leat_trace_put_string (self, name);
  self->begun = TRUE;
}

static void
leat_trace_end_event (LeatTrace *self)
{
  fputc ('}', self->file);
  leat_trace_note_fault (self);
}

static void
leat_trace_add_name (LeatTrace *self, guint track, const char *what, const char *name)
{
  leat_trace_begin_event (self, 'M', track, what);
  fputs (",\"args\":{\"name\":", self->file);
  leat_trace_put_string (self, name);
  fputc ('}', self->file);
  leat_trace_end_event (self);
}

void
leat_trace_name_process (LeatTrace *self, const char *name)
{
  leat_trace_add_name (self, 0, "process_name", name);
}

void
leat_trace_name_track (LeatTrace *self, guint track, const char *name)
{
  leat_trace_add_name (self, track, "thread_name", name);
}

void
leat_trace_add (LeatTrace *self, guint track, const char *category, const char *name, gint64 begin_ns, gint64 end_ns,
                guint64 run)
{
  leat_trace_begin_event (self, 'X', track, name);
  fprintf (self->file, ",\"cat\":\"%s\"", category);
  leat_trace_put_time (self, "ts", begin_ns);
  leat_trace_put_time (self, "dur", MAX (end_ns - begin_ns, 0));
  fprintf (self->file, ",\"args\":{\"run\":%" G_GUINT64_FORMAT "}", run);
  leat_trace_end_event (self);
}

void
leat_trace_add_instant (LeatTrace *self, guint track, const char *name, gint64 ns)
{
  leat_trace_begin_event (self, 'i', track, name);
  leat_trace_put_time (self, "ts", ns);
  leat_trace_end_event (self);
}

gboolean
leat_trace_finish (LeatTrace *self, GError **error)
{
  fputs (self->begun ? "\n]\n" : "[]\n", self->file);
  leat_trace_note_fault (self);
  if (fclose (self->file) != 0 && self->fault == 0)
    self->fault = errno;
  self->file = NULL;
  if (self->fault == 0 && !leat_output_file_commit (self->output, NULL))
    self->fault = errno;
  return self->fault == 0 || leat_trace_set_error (self->path, self->fault, error);
}
