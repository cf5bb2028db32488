/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* GLib's own source for signals does not say where one came from, and that is what tells two that are one, as timeout
 * (1) sends them, to the process and then to its group, from two that were meant. */

#include "leat-launch-signals.h"

#include "leat-tool.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define LEAT_SIGNALS_ONCE_US (50 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  int number;
  pid_t sender; /* 0: the keyboard */
} LeatSignal;

static struct
{
  int pipe[2];
  LeatSignalFunc func;
  gpointer data;
  LeatSignal last; /* that counted */
  gint64 last_us;
} leat_signals;

static void
leat_signals_note (int number, siginfo_t *info, gpointer context)
{
  LeatSignal note = { .number = number, .sender = info->si_code <= 0 ? info->si_pid : 0 };
  int code = errno;

  /* A pipe that is full has told enough. */
  if (write (leat_signals.pipe[1], &note, sizeof note) < 0)
    errno = code;
}

/* Counted from the first, so that a stream of signals is more than one. */
static gboolean
leat_signals_is_repeated (const LeatSignal *note)
{
  gint64 now_us = g_get_monotonic_time ();

  if (note->sender != 0 && note->sender == leat_signals.last.sender && note->number == leat_signals.last.number
      && now_us - leat_signals.last_us < LEAT_SIGNALS_ONCE_US)
    return TRUE;
  leat_signals.last = *note;
  leat_signals.last_us = now_us;
  return FALSE;
}

static gboolean
leat_signals_deliver (int fd, GIOCondition condition, gpointer data)
{
  LeatSignal note;

  while (read (fd, &note, sizeof note) == sizeof note)
    if (!leat_signals_is_repeated (&note))
      leat_signals.func (note.number, leat_signals.data);
  return G_SOURCE_CONTINUE;
}

void
leat_signals_take (LeatSignalFunc func, gpointer data)
{
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
  struct sigaction action = { .sa_sigaction = leat_signals_note, .sa_flags = SA_SIGINFO | SA_RESTART };

  leat_signals.func = func;
  leat_signals.data = data;
  if (pipe2 (leat_signals.pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    {
      leat_tool_note ("cannot make a pipe for signals: %s", g_strerror (errno));
      leat_tool_hint (errno);
      exit (LEAT_EXIT_FAILED);
    }
  g_unix_fd_add (leat_signals.pipe[0], G_IO_IN, leat_signals_deliver, NULL);
  sigemptyset (&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    sigaction (numbers[i], &action, NULL);
}
