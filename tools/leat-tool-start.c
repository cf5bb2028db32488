/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The start of every tool: its name, its three standard descriptors, and room for more files. */

#include "leat-tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Files that every tool needs, for its main loop, signals and children; without them GLib ends it. */
#define LEAT_TOOL_FILES_LEAST 8

/* A daemon may start a tool with some of the first three closed.  The next files that it opens would have their
 * numbers, and get what is meant for them.  So /dev/null takes the numbers, open the other way round: to read or to
 * write there is an error, as it is with a closed descriptor. */
static gboolean
leat_tool_fill_descriptors (void)
{
  static const int modes[] = { [STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDWR };

  for (int fd = 0; fd < (int) G_N_ELEMENTS (modes); fd++)
    if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", modes[fd] | O_NOCTTY) != fd)
      return FALSE;
  return TRUE;
}

static gboolean
leat_tool_has_files (void)
{
  int files[LEAT_TOOL_FILES_LEAST];
  guint n = 0;
  gboolean good;

  while (n < G_N_ELEMENTS (files) && (files[n] = open ("/", O_PATH | O_CLOEXEC)) >= 0)
    n++;
  good = n == G_N_ELEMENTS (files);
  while (n > 0)
    close (files[--n]);
  return good;
}

void
leat_tool_start (const char *name)
{
  g_set_prgname (name);
  if (leat_tool_fill_descriptors () && leat_tool_has_files ())
    return;
  leat_tool_note ("cannot start: %s", g_strerror (errno));
  leat_tool_hint (EMFILE);
  exit (LEAT_EXIT_FAILED);
}
