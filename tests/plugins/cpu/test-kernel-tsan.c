/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine-fixture.h"

/* ThreadSanitizer finds races between CUDA threads, and only those.  This program and the image are built with it, the
 * engine is not. */

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
  guint blocks;
  gboolean cooperative;
  gboolean races;
} Case;

static const Case cases[] = {
  { "reverse_wrong", 1, FALSE, TRUE }, { "reverse_right", 1, FALSE, FALSE }, { "reverse_right", 9, FALSE, FALSE },
  { "warp_wrong", 1, FALSE, TRUE },    { "warp_right", 1, FALSE, FALSE },    { "blocks_wrong", 3, FALSE, TRUE },
  { "blocks_right", 3, FALSE, FALSE }, { "flat_wrong", 1, FALSE, TRUE },     { "grid_right", 4, TRUE, FALSE },
  { "warp_left", 1, FALSE, FALSE },
};

static LeatCpuModule *module;

static void
test_case (gconstpointer data)
{
  const Case *c = data;

  if (g_test_subprocess ())
    {
      static guint32 in[64 * 9], out[64 * 18];
      for (guint i = 0; i < 2; i++)
        g_assert_cmpint (ENGINE_RUN (module, c->kernel, c->blocks, 64, 0, c->cooperative, P (out), P (in)), ==,
                         CUDA_SUCCESS);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  if (!c->races)
    {
      g_test_trap_assert_passed ();
      g_test_trap_assert_stderr_unmatched ("*ThreadSanitizer*");
      return;
    }
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*ThreadSanitizer: data race*races.cpp:*");
}

#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#ifdef ENGINE_SKIP
  g_test_add_func ("/cpu/kernel-tsan", test_none);
#else
  module = engine_fixture_load (g_getenv ("ENGINE_IMAGE"));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strdup_printf ("/cpu/kernel-tsan/%s/%u", cases[i].kernel, cases[i].blocks);
      g_test_add_data_func (name, &cases[i], test_case);
    }
#endif
  return g_test_run ();
}
