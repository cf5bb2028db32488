/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-kernel-source-private.h"
#include "kernel/leat-kernel-variable-private.h"

#include <string.h>

/* Variables that are filled, in files that ask what they are compiled for.  tests/plugins/test-kernel-file.c has what
 * kernels see of them. */

static const gfloat test_items[2] = { 1, -0.5 };

static LeatKernelSource *
test_variable_fill (const char *text)
{
  GError *error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
  LeatKernelSource *filled;

  g_assert_no_error (error);
  filled = leat_kernel_source_new_filled (source, "k", test_items, 2, &error);
  g_assert_no_error (error);
  return filled;
}

/* The values are of the type that the variable has here.  Where a GPU has a larger one, no bytes behind them become
 * values, and its compiler is told that the sizes differ. */
static void
test_kernel_variable_other_type (void)
{
  GError *error = NULL;
  g_autoptr (LeatKernelSource) filled = test_variable_fill ("#ifdef LEAT_CUDA\n__constant__ double k[2];\n#else\n"
                                                            "__constant__ float k[2];\n#endif\n"
                                                            "__global__ void m (float *y) { y[0] = k[0] + k[1]; }\n");
  const char *text = leat_kernel_source_get_cuda_text (filled, &error);

  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "double k[2] = { 0x1p+0f, -0x1p-1f, }"));
  g_assert_nonnull (strstr (text, "static_assert (sizeof (k) == 8,"));
}

/* A mistake that only the text for a GPU has is told, and nothing else is compiled in its place. */
static void
test_kernel_variable_mistake_elsewhere (void)
{
  static const char *const rows[][2] = {
    { "__constant__ float k[2];\n#ifdef LEAT_CUDA\n__global__ void m (float *y, int more) { y[0] = k[0]; }\n#else\n"
      "__global__ void m (float *y) { y[0] = k[0]; }\n#endif\n",
      "the kernel \"m\" takes 1 parameters, and 2 where it is compiled for a GPU" },
    { "__constant__ float k[2];\n#ifdef LEAT_CUDA\n#error not there\n#endif\n"
      "__global__ void m (float *y) { y[0] = k[0]; }\n",
      "t.cu:3:2: #error not there" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LeatKernelSource) filled = test_variable_fill (rows[i][0]);
      g_autoptr (GError) error = NULL;

      g_assert_null (leat_kernel_source_get_cuda_text (filled, &error));
      g_assert_nonnull (error);
      if (strstr (error->message, rows[i][1]) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i][1]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/variable/other-type", test_kernel_variable_other_type);
  g_test_add_func ("/leat/kernel/variable/mistake-elsewhere", test_kernel_variable_mistake_elsewhere);
  return g_test_run ();
}
