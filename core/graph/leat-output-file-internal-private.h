/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-output-file-private.h"

G_BEGIN_DECLS

/* Shared by leat-output-file.c, which opens an output file, and leat-output-file-write.c, which writes it. */

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

/* FALSE and an error; @code: an errno, which is set too */
gboolean leat_output_file_fail (LeatOutputFile *self, int code, GError **error);
/* Opens what is there; a pipe that nobody reads yet is awaited. */
gboolean leat_output_file_try_open (LeatOutputFile *self, GError **error);

G_END_DECLS
