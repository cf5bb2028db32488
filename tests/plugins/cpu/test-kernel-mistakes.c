/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"

/* What a sanitizer says of kernels from a .cu file.  This program is built with the sanitizer, and the kernels with the
 * same by LEAT_KERNEL_SANITIZE; the framework and the driver need not be. */

typedef struct
{
  const char *sanitizer;
  const char *kernel;
  const char *report; /* NULL: none */
} Mistake;

static const Mistake mistakes[] = {
  { "address", "reverse_right", NULL },
  { "address", "past_the_end", "*AddressSanitizer: heap-buffer-overflow*past_the_end*mistakes.cu:*" },
  { "address", "past_static_shared", "*AddressSanitizer: *mistakes.cu:*" },
  { "address", "past_dynamic_shared", "*AddressSanitizer: *mistakes.cu:*" },
  { "thread", "reverse_right", NULL },
  { "thread", "reverse_without_barrier", "*ThreadSanitizer: data race*mistakes.cu:*" },
  { "thread", "loop_without_second_barrier", "*ThreadSanitizer: data race*mistakes.cu:*" },
  { "thread", "count_without_atomic", "*ThreadSanitizer: data race*mistakes.cu:*" },
};

static void
test_mistakes_run (const char *kernel)
{
  int in[64] = { 0 };
  KernelFixture *fixture = kernel_fixture_open ("mistakes.cu");
  LeatMemory *ins = kernel_fixture_put (fixture, in, sizeof in);
  LeatMemory *outs = kernel_fixture_put (fixture, in, sizeof in);

  KERNEL_RUN (fixture, kernel, SIZE (1), SIZE (64), g_str_equal (kernel, "past_dynamic_shared") ? sizeof in : 0,
              A (ins), A (outs));
  kernel_fixture_close (fixture);
}

static void
test_mistakes_case (gconstpointer data)
{
  const Mistake *mistake = data;
  const char *reason = g_getenv ("KERNEL_SKIP");
  g_autoptr (KernelFixture) fixture = NULL;

  if (g_test_subprocess ())
    {
      test_mistakes_run (mistake->kernel);
      return;
    }
  fixture = reason == NULL ? kernel_fixture_open ("mistakes.cu") : NULL;
  if (reason != NULL)
    g_test_skip (reason);
  if (reason != NULL || fixture == NULL)
    return;
  g_test_trap_subprocess (NULL, 0, 0);
  if (mistake->report == NULL)
    {
      g_test_trap_assert_passed ();
      g_test_trap_assert_stderr_unmatched ("*Sanitizer*");
      return;
    }
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr (mistake->report);
}

int
main (int argc, char **argv)
{
  const char *sanitizer = g_getenv ("LEAT_KERNEL_SANITIZE");

  g_test_init (&argc, &argv, NULL);
  /* Sanitizers see what runs there, and a GPU's driver does not start under them. */
  g_setenv ("LEAT_DEVICE", "cpu", TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (mistakes); i++)
    if (g_strcmp0 (mistakes[i].sanitizer, sanitizer) == 0)
      {
        g_autofree char *path = g_strdup_printf ("/leat/cpu/mistakes/%s/%s", sanitizer, mistakes[i].kernel);

        g_test_add_data_func (path, &mistakes[i], test_mistakes_case);
      }
  return g_test_run ();
}
