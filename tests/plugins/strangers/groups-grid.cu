// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/* Each round takes from its neighbours in the round before. */
__global__ void k (const int *x, int *y, int x_count)
{
  cg::grid_group grid = cg::this_grid ();

  for (unsigned i = grid.thread_rank (); i < x_count; i += grid.size ())
    y[i] = x[i] + 1;
  grid.sync ();
  if (grid.thread_rank () == 0)
    for (int i = 1; i < x_count; i++)
      y[i] = (y[i - 1] ^ y[i]) & 0xfffff;
  cg::sync (grid);
  for (unsigned i = grid.thread_rank (); i < x_count; i += grid.num_threads ())
    y[i] -= (int) i;
}
