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

/* One reader of constants for bounds, sizes of arrays and defaults.  0: it does not tell */
static void
test_launch_constants (void)
{
  static const struct
  {
    const char *file, *expression;
    guint bounds;
    const char *initial;
  } rows[] = {
    { "", "64", 64, "64" },
    { "", "1'024 - 0x10 * 2ul", 992, "992" },
    { "", "(1 << 4) + 96 / 4 % 7 | 64", 83, "83" },
    { "", "64 * -(-2)", 128, "128" },
    { "", "(int) (0.5f * 256)", 128, "128" },
    { "", "0.5f * 256", 0, "128" },
    { "", "64 / 0", 0, NULL },
    { "", "64 <<", 0, NULL },
    { "", "more (2)", 0, NULL },
    { "constexpr int n = 4 * 32;", "n", 128, "128" },
    { "static const unsigned int m = 8, n = m * 8;", "(n)", 64, "64" },
    { "constexpr auto n = 96;", "n", 96, "96" },
    { "typedef enum { none, n = 32, all = n * 2 } kind;", "n + all", 96, "96" },
    { "constexpr float n = 64.5f;", "(int) n", 64, "64" },
    { "constexpr float n = 64.5f;", "n", 0, "64" },
    { "constexpr int n = n;", "n", 0, NULL },
    { "static int n = 64;", "n", 0, NULL },
    { "__device__ int n = 64;", "n", 0, NULL },
    { "struct s { int n = 64; };", "n", 0, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text =
        g_strdup_printf ("%s\n__global__ void __launch_bounds__ (%s) f (int *y, int v = %s) { y[0] = v; }",
                         rows[i].file, rows[i].expression, rows[i].expression);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
      const LeatPrototype *prototype = leat_kernel_source_get_prototype (source, NULL, &error);

      g_test_message ("%s", text);
      g_assert_no_error (error);
      g_assert_cmpuint (prototype->launch_bounds, ==, rows[i].bounds);
      g_assert_cmpstr (prototype->params[1].initial, ==, rows[i].initial);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/launch/words", test_launch_words);
  g_test_add_func ("/leat/kernel/launch/constants", test_launch_constants);
  return g_test_run ();
}
