/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* What the CPU driver says when a CUDA thread needs more stack than it has, and what a program or a person can do. Each
 * case runs in a process of its own. */
typedef struct
{
  const char *name, *kernel;
  const char *stack;    /* LEAT_CPU_STACK, or NULL */
  gboolean own_handler; /* the program has one already */
  const char *report;   /* NULL: it runs to its end */
} OverflowCase;

static const OverflowCase cases[] = {
  { "recursion", "recurse", NULL, FALSE,
    "*kernel recurse, block (2,0,0), thread (5,0,0): it overflowed its stack of 64 KiB; LEAT_CPU_STACK=256K *" },
  { "large-frame", "large_frame", NULL, FALSE, "*kernel large_frame, block (*): it overflowed its stack of 64 KiB; *" },
  { "without-waiting", "recurse_alone", NULL, FALSE,
    "*kernel recurse_alone, block (*): a thread overflowed the stack of THREAD KiB on which threads run that never "
    "wait; *" },
  { "large-frame-without-waiting", "large_frame_alone", NULL, FALSE,
    "*a thread overflowed the stack of THREAD KiB on *" },
  { "poke-without-waiting", "poke_alone", NULL, FALSE, "" },
  { "larger", "recurse", "64M", FALSE, NULL },
  { "still-too-small", "large_frame", "128K", FALSE, "*overflowed its stack of 128 KiB; LEAT_CPU_STACK=512K *" },
  { "bad-size", "recurse", "much", FALSE, "*LEAT_CPU_STACK=much ignored*overflowed its stack of 64 KiB*" },
  { "own-handler", "recurse", NULL, TRUE, "*the program's own*" },
  { "not-an-overflow", "poke", NULL, FALSE, "" },
};

static void
test_overflow_own_handler (int number)
{
  static const char text[] = "the program's own\n";

  if (write (STDERR_FILENO, text, sizeof text - 1) < 0)
    _exit (2);
  _exit (1);
}

static void
test_overflow_run (const OverflowCase *c)
{
  int out[8] = { 0 };
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("overflow.cu");
  LeatMemory *memory = kernel_fixture_put (fixture, out, sizeof out);
  struct sigaction action = { .sa_handler = test_overflow_own_handler, .sa_flags = SA_ONSTACK };

  if (c->own_handler)
    sigaction (SIGSEGV, &action, NULL);
  KERNEL_RUN (fixture, c->kernel, SIZE (3), SIZE (8), 0, A (memory));
}

/* THREAD stands for what the system gives a thread: not to the last KiB, as some of it may be a guard, but with as many
 * digits.  (transfer full) */
static char *
test_overflow_dup_pattern (const char *report)
{
  g_auto (GStrv) parts = g_strsplit (report, "THREAD", -1);
  struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
  g_autofree char *digits = NULL;

  getrlimit (RLIMIT_STACK, &limit);
  digits = limit.rlim_cur != RLIM_INFINITY ? g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) limit.rlim_cur / 1024)
                                           : g_strdup ("*");
  for (char *at = digits; g_ascii_isdigit (*at); at++)
    *at = '?';
  return g_strjoinv (digits, parts);
}

static void
test_overflow_case (gconstpointer data)
{
  const OverflowCase *c = data;
  g_autoptr (KernelFixture) fixture = NULL;
  g_autofree char *pattern = NULL;

  if (g_test_subprocess ())
    {
      test_overflow_run (c);
      return;
    }
  if (g_getenv ("KERNEL_SKIP") != NULL)
    {
      g_test_skip (g_getenv ("KERNEL_SKIP"));
      return;
    }
  fixture = kernel_fixture_open ("overflow.cu");
  if (fixture == NULL)
    return;
  if (c->stack != NULL)
    g_setenv ("LEAT_CPU_STACK", c->stack, TRUE);
  else
    g_unsetenv ("LEAT_CPU_STACK");
  g_test_trap_subprocess (NULL, 0, 0);
  if (c->report == NULL)
    {
      g_test_trap_assert_passed ();
      g_test_trap_assert_stderr_unmatched ("*overflowed*");
      return;
    }
  g_test_trap_assert_failed ();
  pattern = test_overflow_dup_pattern (c->report);
  if (*pattern != '\0')
    g_test_trap_assert_stderr (pattern);
  else
    g_test_trap_assert_stderr_unmatched ("*overflowed*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* A GPU has other stacks. */
  g_setenv ("LEAT_DEVICE", "cpu", TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/cpu/overflow/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_overflow_case);
    }
  return g_test_run ();
}
