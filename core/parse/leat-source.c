/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Where a text comes from: reads a file or standard input, and writes places for messages.  A file of data is told as
 * what it is. */

#include "leat-parse.h"
#include "leat-source-private.h"
#include "../graph/leat-file-kind.h"
#include "../graph/leat-graph-error.h"
#include "../kernel/leat-installed-private.h"
#include "../kernel/leat-supply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAT_SOURCE_PIECE 65536

LeatSource *
leat_source_new (LeatSourceKind kind)
{
  LeatSource *self = g_new0 (LeatSource, 1);

  self->kind = kind;
  return self;
}

/* The folder is absolute, so that a later chdir () of the program changes nothing. */
LeatSource *
leat_source_new_file (const char *path)
{
  LeatSource *self = leat_source_new (LEAT_SOURCE_FILE);
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  char *real = realpath (path, NULL);

  self->name = g_ref_string_new (path);
  self->real = real != NULL ? g_strdup (real) : g_strdup (absolute);
  self->folder = g_path_get_dirname (absolute);
  free (real);
  return self;
}

LeatSource *
leat_source_new_input (void)
{
  LeatSource *self = leat_source_new (LEAT_SOURCE_FILE);

  self->name = g_ref_string_new ("<stdin>");
  self->folder = g_get_current_dir ();
  return self;
}

void
leat_source_free (LeatSource *self)
{
  g_clear_pointer (&self->name, g_ref_string_release);
  g_free (self->real);
  g_free (self->folder);
  g_free (self);
}

/* Reads piece by piece: a pipe has no size, and a file may grow meanwhile. */
static gboolean
leat_source_read_fd (int fd, GString *text, gsize max_bytes)
{
  for (;;)
    {
      gsize old_len = text->len;
      gssize got;

      g_string_set_size (text, old_len + LEAT_SOURCE_PIECE);
      do
        got = read (fd, text->str + old_len, LEAT_SOURCE_PIECE);
      while (got < 0 && errno == EINTR);
      g_string_truncate (text, old_len + MAX (got, 0));
      if (got < 0)
        return FALSE;
      if (got == 0 || text->len > max_bytes)
        return TRUE;
    }
}

char *
leat_source_dup_hint (const LeatSource *self)
{
  g_autofree char *installed = leat_installed_suggest (self->name);
  g_autofree char *near = leat_suggest_file (self->name);
  const char *slash = strrchr (self->name, '/');

  if (installed != NULL)
    return g_strdup_printf (" (the one that comes with Leat is \"%s\")", installed);
  if (near == NULL)
    return g_strdup ("");
  return g_strdup_printf (" (did you mean \"%.*s%s\"?)", slash != NULL ? (int) (slash + 1 - self->name) : 0, self->name,
                          near);
}

/* A file of data is told as what it is, not by its first byte that is no text. */
static gboolean
leat_source_check_kind (const LeatSource *self, const GString *text, GError **error)
{
  const LeatFileKind *kind = leat_file_kind_find (text->str, text->len);
  g_autofree char *advice = NULL;

  if (kind == NULL)
    return TRUE;
  advice = leat_file_kind_dup_advice (kind, self->real != NULL ? self->name : "FILE");
  g_set_error (error, LEAT_PARSE_ERROR, LEAT_PARSE_ERROR_SYNTAX, "%s is %s, and no pipeline%s", self->name, kind->name,
               advice);
  return FALSE;
}

char *
leat_source_read (const LeatSource *self, gsize max_bytes, gsize *length, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  int fd =
    self->real != NULL ? leat_supply_open (self->name, O_RDONLY | O_CLOEXEC) : fcntl (STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  gboolean ok = fd >= 0 && leat_source_read_fd (fd, text, max_bytes);
  int code = errno;

  if (fd >= 0)
    close (fd);
  if (!ok)
    {
      g_autofree char *hint = code == ENOENT ? leat_source_dup_hint (self) : g_strdup ("");

      g_set_error (error, LEAT_PARSE_ERROR, LEAT_PARSE_ERROR_IO, "cannot read %s: %s%s", self->name, g_strerror (code),
                   hint);
      return NULL;
    }
  if (!leat_source_check_kind (self, text, error))
    return NULL;
  if (text->len > max_bytes)
    {
      g_set_error (error, LEAT_PARSE_ERROR, LEAT_PARSE_ERROR_LIMIT,
                   "cannot read %s: larger than the %" G_GSIZE_FORMAT " bytes that a pipeline file may have",
                   self->name, max_bytes);
      return NULL;
    }
  *length = text->len;
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
leat_source_pos_to_string (const LeatSourcePos *self)
{
  if (self->source == NULL || self->source->kind == LEAT_SOURCE_PIPELINE)
    return NULL;
  if (self->source->kind == LEAT_SOURCE_FILE)
    return self->line > 0 ? g_strdup_printf ("%s:%u:%u", self->source->name, self->line, self->column)
                          : g_strdup (self->source->name);
  if (self->line == 0)
    return NULL;
  return g_strdup_printf ("%s %u, column %u", self->source->kind == LEAT_SOURCE_ARGS ? "argument" : "line", self->line,
                          self->column);
}

int
leat_source_pos_compare (const LeatSourcePos *self, const LeatSourcePos *other)
{
  guint a_index = self->source != NULL ? self->source->index : 0,
        b_index = other->source != NULL ? other->source->index : 0;

  if (a_index != b_index)
    return a_index < b_index ? -1 : 1;
  if (self->line != other->line)
    return self->line < other->line ? -1 : 1;
  return self->column < other->column ? -1 : self->column > other->column;
}
