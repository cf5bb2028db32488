/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "kernel/leat-kernel-source-private.h"

/* Marks name the file as this process finds it; everything else stays byte for byte. */
static void
test_marks_name_files (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source =
    leat_kernel_source_new ("some folder/k \"\303\251\".cu", "__global__ void k (float *x) { x[0] = 1; }\n", &error);
  const char *const rows[][2] = {
    { "", "" },
    { "no mark", "no mark" },
    { "\n\n", "\n\n" },
    { "#line 3 \"k _\303\251_.cu\"\n  x;\n", "#line 3 \"some folder/k \\\"\303\251\\\".cu\"\n  x;\n" },
    { "#line 3 \"k _\303\251_.cu\"", "#line 3 \"some folder/k \\\"\303\251\\\".cu\"" },
    { "#line 3 \"other.cu\"\n", "#line 3 \"other.cu\"\n" },
    { "#line 3\n", "#line 3\n" },
    { "#line 3 \"\n", "#line 3 \"\n" },
    { "#line ", "#line " },
    { " #line 3 \"k _\303\251_.cu\"\n", " #line 3 \"k _\303\251_.cu\"\n" },
  };

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *marked = leat_kernel_text_dup_marked (leat_kernel_source_get_text (source), rows[i][0]);

      g_assert_cmpstr (marked, ==, rows[i][1]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/marks/name-files", test_marks_name_files);
  return g_test_run ();
}
