/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <string.h>

#include "cuda-cases-capture.h"
#include "cuda-cases-graph.h"
#include "cuda-cases-stream.h"
#include "cuda-table.h"

/* Prints what a driver library returns for every statement of every case; lines that differ from the table begin with
 * stars.  cuda-record LIBRARY [CASE] */
static void
cuda_record_list (const CudaCase *cases, unsigned int n, const char *only)
{
  char report[512];

  for (unsigned int i = 0; i < n; i++)
    if (only == NULL || strcmp (only, cases[i].name) == 0)
      {
        printf ("%s\n", cases[i].name);
        fflush (stdout);
        cuda_script_run (cases[i].script, report, sizeof report, 1);
      }
}

int
main (int argc, char **argv)
{
  const char *only = argc > 2 ? argv[2] : NULL;

  if (argc < 2 || cuda_table_open (argv[1]) != 0)
    return 1;
  cuda_record_list (cuda_stream_cases, sizeof cuda_stream_cases / sizeof cuda_stream_cases[0], only);
  cuda_record_list (cuda_graph_cases, sizeof cuda_graph_cases / sizeof cuda_graph_cases[0], only);
  cuda_record_list (cuda_capture_cases, sizeof cuda_capture_cases / sizeof cuda_capture_cases[0], only);
  return 0;
}
