/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-image-private.h"

/* A message that is too long is cut between two characters.  Of the two places one would be in the midst of one. */
static void
test_image_host_cuts_messages (void)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GString) text = g_string_new ("__global__ void f (int *x) { x[0] = ");
      g_autoptr (LeatKernelSource) source = NULL;
      g_autoptr (GError) error = NULL;
      LeatImageTarget target;

      g_string_append (text, i == 0 ? "a" : "");
      for (guint k = 0; k < 4000; k++)
        g_string_append (text, "\xc3\xa9");
      g_string_append (text, "; }\n");
      source = leat_kernel_source_new ("t.cu", text->str, &error);
      g_assert_no_error (error);
      g_assert_true (leat_image_target_parse ("host", &target, NULL));
      g_assert_null (leat_image_compile (source, &target, &error));
      if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
        {
          g_test_skip (error->message);
          return;
        }
      g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      g_assert_true (g_str_has_suffix (error->message, "\n(...)"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/image/host/cuts-messages", test_image_host_cuts_messages);
  return g_test_run ();
}
