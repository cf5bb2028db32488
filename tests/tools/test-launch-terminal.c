/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#define PIECE   (64 * 1024)
#define N_INPUT 40 /* pieces in the input */

/* leat-launch at a terminal: a pseudo terminal is its standard error and what its keyboard is.  The run is as slow as
 * the reader of the pipe that it writes to. */
typedef struct
{
  char *folder, *in, *out, *pipe;
  GSubprocess *process;
  int terminal; /* the end that a person would sit at */
  int reader;
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  g_autofree char *bytes = g_malloc0 (N_INPUT * PIECE);
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;

  self->folder = tool_make_folder ();
  path = g_build_filename (self->folder, "in.bin", NULL);
  g_file_set_contents (path, bytes, N_INPUT * PIECE, &error);
  g_assert_no_error (error);
  self->in = g_strconcat ("path=", path, NULL);
  self->pipe = g_build_filename (self->folder, "pipe", NULL);
  self->out = g_strconcat ("path=", self->pipe, NULL);
  g_assert_cmpint (mkfifo (self->pipe, 0600), ==, 0);
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  if (self->process != NULL)
    {
      close (self->reader);
      close (self->terminal);
      g_object_unref (self->process);
    }
  tool_remove_folder (self->folder);
  g_free (self->folder);
  g_free (self->in);
  g_free (self->out);
  g_free (self->pipe);
}

/* In the child: the terminal on standard error is what Ctrl-C comes from. */
static void
fixture_take_terminal (gpointer data)
{
  setsid ();
  ioctl (STDERR_FILENO, TIOCSCTTY, 0);
}

/* Some containers have no pseudo terminals. */
static gboolean
fixture_skip_without_terminal (void)
{
  int terminal = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  int slave = terminal >= 0 && grantpt (terminal) == 0 && unlockpt (terminal) == 0 && ptsname (terminal) != NULL
                ? open (ptsname (terminal), O_RDWR | O_NOCTTY | O_CLOEXEC)
                : -1;
  g_autofree char *reason = g_strdup_printf ("no pseudo terminal can be had: %s", g_strerror (errno));

  if (terminal >= 0)
    close (terminal);
  if (slave >= 0)
    {
      close (slave);
      return FALSE;
    }
  g_test_skip (reason);
  return TRUE;
}

static int
fixture_open_terminal (Fixture *self)
{
  int slave;

  self->terminal = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  g_assert_cmpint (self->terminal, >=, 0);
  g_assert_cmpint (grantpt (self->terminal), ==, 0);
  g_assert_cmpint (unlockpt (self->terminal), ==, 0);
  slave = open (ptsname (self->terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
  g_assert_cmpint (slave, >=, 0);
  return slave;
}

static void
fixture_start (Fixture *self, const char *option)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  const char *words[] = { "leat-launch", option,     "io:file", self->in,  "chunk=64K", "+", "upload",
                          "+",           "readback", "+",       "io:file", self->out,   NULL };
  g_autoptr (GError) error = NULL;

  g_subprocess_launcher_take_stderr_fd (launcher, fixture_open_terminal (self));
  g_subprocess_launcher_set_child_setup (launcher, fixture_take_terminal, NULL, NULL);
  self->process = g_subprocess_launcher_spawnv (launcher, words, &error);
  g_assert_no_error (error);
  /* Waits until the pipeline has opened it. */
  self->reader = open (self->pipe, O_RDONLY | O_CLOEXEC);
  g_assert_cmpint (self->reader, >=, 0);
}

/* Up to @n pieces, at about twenty a second. */
static void
fixture_read_pieces (Fixture *self, guint n)
{
  g_autofree char *piece = g_malloc (PIECE);

  for (gsize had = 0; had < (gsize) n * PIECE;)
    {
      gssize got = read (self->reader, piece, PIECE);

      if (got <= 0)
        break;
      had += got;
      g_usleep ((gulong) (50000.0 * got / PIECE));
    }
}

/* What stands on the terminal when the process has ended. */
static char *
fixture_end (Fixture *self, int *code)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  char part[4096];
  gssize got;

  g_subprocess_wait (self->process, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_if_exited (self->process));
  *code = g_subprocess_get_exit_status (self->process);
  /* Ends with an error of its own when nobody has the other end. */
  while ((got = read (self->terminal, part, sizeof part)) > 0)
    g_string_append_len (text, part, got);
  return g_string_free (text, FALSE);
}

static void
test_terminal_progress (Fixture *self, gconstpointer data)
{
  g_autofree char *text = NULL;
  g_autofree char *shown = NULL;
  int code;

  if (fixture_skip_without_terminal ())
    return;
  fixture_start (self, "--executor=graph");
  fixture_read_pieces (self, N_INPUT);
  text = fixture_end (self, &code);
  shown = g_strescape (text, NULL);
  g_test_message ("%s", shown);
  g_assert_cmpint (code, ==, 0);
  /* One line that is drawn again and again: how much, of how much, how fast, how long yet; and gone at the end. */
  g_assert_true (g_regex_match_simple ("\\r\\033\\[K +\\d+%  [\\d.]+.[KM]iB of 2\\.5.MiB  [\\d.]+.[KM]iB/s  "
                                       "\\d+ runs  0:0\\d left\\r",
                                       text, 0, 0));
  g_assert_true (g_str_has_suffix (text, "\r\033[K"));
  g_assert_null (strchr (strstr (text, "\033[K"), '\n'));
}

static void
test_terminal_quiet (Fixture *self, gconstpointer data)
{
  g_autofree char *text = NULL;
  int code;

  if (fixture_skip_without_terminal ())
    return;
  fixture_start (self, "-q");
  fixture_read_pieces (self, N_INPUT);
  text = fixture_end (self, &code);
  g_assert_cmpint (code, ==, 0);
  g_assert_cmpstr (text, ==, "");
}

/* The key itself, while the run waits for the reader of its output. */
static void
test_terminal_control_c (Fixture *self, gconstpointer data)
{
  g_autofree char *text = NULL;
  g_autofree char *shown = NULL;
  gint64 begin;
  int code;

  if (fixture_skip_without_terminal ())
    return;
  fixture_start (self, "--executor=graph");
  fixture_read_pieces (self, 25);
  g_assert_cmpint (write (self->terminal, "\003", 1), ==, 1);
  begin = g_get_monotonic_time ();
  text = fixture_end (self, &code);
  shown = g_strescape (text, NULL);
  g_test_message ("%s", shown);
  g_assert_cmpint (code, ==, 130);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 10 * G_USEC_PER_SEC);
  /* Progress is removed before anything is said. */
  tool_assert_contains (text, "\r\033[Kleat-launch: interrupted");
  g_assert_null (strstr (text, "error"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add (name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("/leat/tools/launch/terminal/progress", test_terminal_progress);
  ADD ("/leat/tools/launch/terminal/quiet", test_terminal_quiet);
  ADD ("/leat/tools/launch/terminal/control-c", test_terminal_control_c);
  return g_test_run ();
}
