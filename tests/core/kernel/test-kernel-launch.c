/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-kernel-source-private.h"

#include <string.h>

/* What stands before a kernel's name about its launch. */

/* What is said of the launch stands before each form of the kernel, and not in its body. */
static void
test_launch_words (void)
{
  static const char text[] = "constexpr int two = 2;\n__global__ __launch_bounds__ (64, 2, 4) void __maxnreg__ (32) "
                             "__cluster_dims__ (two, 1) f (int *y, const __grid_constant__ int n) { y[0] = n; }";
  static const char *const words[] = { "__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__grid_constant__" };
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
  const LeatPrototype *prototype = leat_kernel_source_get_prototype (source, NULL, &error);
  const char *cuda = leat_kernel_source_get_cuda_text (source, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (prototype->launch_bounds, ==, 64);
  g_assert_cmpuint (prototype->cluster[0], ==, 2);
  g_assert_cmpuint (prototype->cluster[1] * prototype->cluster[2], ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      const char *body = strstr (cuda, "leat_body_f"), *first = strstr (body, words[i]),
                 *second = first != NULL ? strstr (first + 1, words[i]) : NULL;

      g_test_message ("%s", words[i]);
      g_assert_nonnull (second);
      g_assert_cmpint (strcspn (body, "{"), <, first - body);
      g_assert_null (strstr (second + 1, words[i]));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/launch/words", test_launch_words);
  return g_test_run ();
}
