/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

#include "engine-fixture.h"

/* AddressSanitizer in kernels.  This program and the image are built with it, the engine need not be. */

#ifdef ENGINE_SKIP
static void
test_none (void)
{
  g_test_skip (ENGINE_SKIP);
}
#else
typedef struct
{
  const char *kernel;
  guint32 dynamic_shared;
  const char *report;
} Overrun;

static const Overrun overruns[] = {
  { "shared_overrun", 0, "*AddressSanitizer: *races.cpp:*" },
  { "shared_overrun", 64, "*AddressSanitizer: *races.cpp:*" },
  { "dynamic_overrun", 256, "*AddressSanitizer: *races.cpp:*" },
  { "global_overrun", 0, "*AddressSanitizer: heap-buffer-overflow*races.cpp:*" },
};

static LeatCpuModule *module;

static void
test_overrun (gconstpointer data)
{
  const Overrun *overrun = data;

  if (g_test_subprocess ())
    {
      guint32 *in = calloc (65, sizeof *in), *out = calloc (64, sizeof *out);
      ENGINE_RUN (module, overrun->kernel, 1, 64, overrun->dynamic_shared, FALSE, P (out), P (in));
      free (in);
      free (out);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr (overrun->report);
}

static void
test_clean (void)
{
  guint32 in[256], out[256] = { 0 };

  for (guint i = 0; i < 256; i++)
    in[i] = i;
  /* Sizes go up and down: what was poisoned for one launch is open for the next. */
  for (guint threads = 64; threads > 0; threads /= 2)
    {
      g_assert_cmpint (ENGINE_RUN (module, "reverse_right", 4, threads, threads * 7, FALSE, P (out), P (in)), ==,
                       CUDA_SUCCESS);
      g_assert_cmpuint (out[0], ==, threads - 1);
      g_assert_cmpint (ENGINE_RUN (module, "reverse_right", 4, 64, 1000 - threads, FALSE, P (out), P (in)), ==,
                       CUDA_SUCCESS);
    }
}

#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#ifdef ENGINE_SKIP
  g_test_add_func ("/cpu/kernel-asan", test_none);
#else
  module = engine_fixture_load (g_getenv ("ENGINE_IMAGE"));
  for (guint i = 0; i < G_N_ELEMENTS (overruns); i++)
    {
      g_autofree char *name =
        g_strdup_printf ("/cpu/kernel-asan/%s/%u", overruns[i].kernel, overruns[i].dynamic_shared);
      g_test_add_data_func (name, &overruns[i], test_overrun);
    }
  g_test_add_func ("/cpu/kernel-asan/clean", test_clean);
#endif
  return g_test_run ();
}
