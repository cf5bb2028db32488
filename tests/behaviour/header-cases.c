/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "header-cases.h"

#define HEADER_SIZES 3

/* Runs kernels of files that include headers of CUDA, and compares each item with what a plain loop leaves. */

guint32
header_mix (guint32 i)
{
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return i ^ (i >> 16);
}

guint32
header_item (guint32 i, guint32 n)
{
  return i < n ? header_mix (i) : 0;
}

LeatKernelSource *
header_cases_open (const char *file)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "behaviour", "kernels", file, NULL);
  g_autoptr (GError) error = NULL;
  LeatKernelSource *source = leat_kernel_source_new_from_file (path, &error);

  g_assert_no_error (error);
  return source;
}

typedef struct
{
  const char *file;
  const HeaderCase *kernel;
} HeaderTest;

static void
header_case_run (gconstpointer data)
{
  const HeaderTest *test = data;
  const HeaderCase *c = test->kernel;
  const KernelShape shape = { { c->blocks, 1, 1 }, { HEADER_THREADS, 1, 1 }, 0 };
  g_autoptr (LeatKernelSource) source = header_cases_open (test->file);
  KernelHarness kernels;

  if (!kernel_harness_init (&kernels, source))
    return;
  for (guint i = 0; i < HEADER_SIZES; i++)
    {
      gint64 n = g_test_rand_int_range (1, (gint) c->most + 1);
      g_autofree guint32 *expected = g_new0 (guint32, KERNEL_ITEMS);
      const guint32 *out = c->cooperative ? kernel_harness_run_cooperative (&kernels, c->kernel, &shape, n)
                                          : kernel_harness_run (&kernels, c->kernel, &shape, n);

      c->expect (expected, (guint32) n);
      for (guint k = 0; k < KERNEL_ITEMS; k++)
        if (out[k] != expected[k])
          g_error ("%s with n = %d: item %u is %u, not %u", c->kernel, (int) n, k, out[k], expected[k]);
    }
  kernel_harness_clear (&kernels);
}

void
header_cases_add (const char *prefix, const char *file, const HeaderCase *cases, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strconcat (prefix, "/", cases[i].kernel, NULL);
      HeaderTest *test = g_new (HeaderTest, 1);

      *test = (HeaderTest){ file, &cases[i] };
      g_test_add_data_func_full (path, test, header_case_run, g_free);
    }
}
