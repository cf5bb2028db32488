/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib.h>

#include "cuda-cases-capture.h"
#include "cuda-cases-graph.h"
#include "cuda-cases-stream.h"
#include "cuda-table.h"

/* All cases, on the CPU driver, or on the library that LEAT_TEST_DRIVER names. */
static void
test_cuda_case (gconstpointer data)
{
  const CudaCase *cuda_case = data;
  char report[512];

  cuda_script_run (cuda_case->script, report, sizeof report, 0);
  g_assert_cmpstr (report, ==, "");
}

static void
test_cuda_cases_add (const char *group, const CudaCase *cases, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/cpu/%s/%s", group, cases[i].name);

      g_test_add_data_func (path, &cases[i], test_cuda_case);
    }
}

int
main (int argc, char **argv)
{
  const char *library = g_getenv ("LEAT_TEST_DRIVER");

  g_test_init (&argc, &argv, NULL);
  if (cuda_table_open (library != NULL ? library : g_getenv ("LEAT_CPU_DRIVER")) != 0)
    return 1;
  test_cuda_cases_add ("stream", cuda_stream_cases, G_N_ELEMENTS (cuda_stream_cases));
  test_cuda_cases_add ("graph", cuda_graph_cases, G_N_ELEMENTS (cuda_graph_cases));
  test_cuda_cases_add ("capture", cuda_capture_cases, G_N_ELEMENTS (cuda_capture_cases));
  return g_test_run ();
}
