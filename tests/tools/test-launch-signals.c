/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <signal.h>
#include <string.h>

/* leat-launch is interrupted while a compiler is at work, which cannot be called off.  The compiler is a script that
 * leaves a file where compilers put theirs, and sleeps. */

#define SLEEP_S 60 /* much longer than any wait here */
#define GRACE_S 2  /* of leat-launch */

typedef struct
{
  char *folder, *tmp, *begun;
  GSubprocess *process;
  gint64 begin_us;
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  g_autofree char *script = NULL, *compiler = NULL, *cxx = NULL, *tmpdir = NULL, *kernel = NULL, *source = NULL,
                  *input = NULL, *in = NULL;

  self->folder = tool_make_folder ();
  self->tmp = g_build_filename (self->folder, "tmp", NULL);
  self->begun = g_build_filename (self->folder, "begun", NULL);
  g_assert_cmpint (g_mkdir_with_parents (self->tmp, 0700), ==, 0);
  script = g_strdup_printf ("#!/bin/sh\n: >\"$TMPDIR/left\"\n: >'%s'\nexec sleep %d\n", self->begun, SLEEP_S);
  compiler = tool_write (self->folder, "compiler", script);
  kernel =
    tool_write (self->folder, "copy.cu",
                "__global__ void never_compiled (const unsigned char *in, unsigned char *out) { out[0] = in[0]; }\n");
  input = tool_write (self->folder, "in.txt", "some text");
  cxx = g_strdup_printf ("LEAT_CXX=sh %s", compiler);
  tmpdir = g_strconcat ("TMPDIR=", self->tmp, NULL);
  source = g_strconcat ("source=", kernel, NULL);
  in = g_strconcat ("path=", input, NULL);
  self->process = tool_start ((const char *const[]){
    "env",    cxx,       tmpdir,   "leat-launch", "--device=cpu", "io:file", in,          "out=u8[9]", "+",
    "upload", "+",       "kernel", source,        "grid=1",       "block=1", "out=u8[9]", "+",         "readback",
    "+",      "discard", NULL });
  for (guint i = 0; i < 2000 && !g_file_test (self->begun, G_FILE_TEST_EXISTS); i++)
    g_usleep (10000);
  g_assert_true (g_file_test (self->begun, G_FILE_TEST_EXISTS));
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  g_clear_object (&self->process);
  tool_remove_folder (self->tmp);
  tool_remove_folder (self->folder);
  g_free (self->folder);
  g_free (self->tmp);
  g_free (self->begun);
}

/* Waits until leat-launch has said that it was interrupted, so that the signal has been taken. */
static void
fixture_await_note (Fixture *self)
{
  GInputStream *err = g_subprocess_get_stderr_pipe (self->process);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  char part;

  while (strstr (text->str, "interrupted; ending the run") == NULL)
    {
      g_assert_cmpint (g_input_stream_read (err, &part, 1, NULL, &error), ==, 1);
      g_string_append_c (text, part);
    }
}

static void
fixture_signal (Fixture *self, int number)
{
  self->begin_us = g_get_monotonic_time ();
  g_subprocess_send_signal (self->process, number);
}

/* Ended as interrupted, with nothing of the compiler's left; how long after the last signal, in seconds. */
static double
fixture_end (Fixture *self)
{
  g_autoptr (ToolResult) result = tool_collect (self->process);
  double s = (g_get_monotonic_time () - self->begin_us) / 1e6;
  g_autofree char *left = tool_list_folder (self->tmp);

  g_test_message ("%.2f s: %s", s, result->err);
  g_assert_cmpint (result->code, ==, 130);
  g_assert_cmpstr (left, ==, "");
  g_assert_cmpfloat (s, <, SLEEP_S / 2.0);
  return s;
}

static void
test_signals_sigterm_leaves_nothing (Fixture *self, gconstpointer data)
{
  fixture_signal (self, SIGTERM);
  g_assert_cmpfloat (fixture_end (self), >, GRACE_S / 2.0);
}

/* As timeout (1) does it. */
static void
test_signals_two_at_once_are_one (Fixture *self, gconstpointer data)
{
  fixture_signal (self, SIGTERM);
  fixture_signal (self, SIGTERM);
  g_assert_cmpfloat (fixture_end (self), >, GRACE_S / 2.0);
}

/* Both from one process, and not at once. */
static void
test_signals_sigint_twice_ends (Fixture *self, gconstpointer data)
{
  fixture_signal (self, SIGINT);
  fixture_await_note (self);
  g_usleep (100000);
  fixture_signal (self, SIGINT);
  fixture_end (self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add (name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("/leat/tools/launch/signals/sigterm-leaves-nothing", test_signals_sigterm_leaves_nothing);
  ADD ("/leat/tools/launch/signals/two-at-once-are-one", test_signals_two_at_once_are_one);
  ADD ("/leat/tools/launch/signals/sigint-twice-ends", test_signals_sigint_twice_ends);
  return g_test_run ();
}
