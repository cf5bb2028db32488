/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"

/* Kernels as users of CUDA write them, from their text to their results, against plain C. */

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_kernels_add_flat ();
  test_kernels_add_block ();
  test_kernels_add_warp ();
  test_kernels_add_atomic ();
  test_kernels_add_places ();
  test_kernels_add_grid ();
  test_kernels_add_graph ();
  test_kernels_add_conditional ();
  test_kernels_add_conditional_mistakes ();
  return g_test_run ();
}
