// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cooperative_groups.h>
using namespace cooperative_groups;
namespace cg = cooperative_groups;

/* Half the threads of what is left, again and again. */
__device__ int sum_of (thread_group g, int *room, int v)
{
  int rank = g.thread_rank ();

  for (int by = g.size () / 2; by > 0; by /= 2)
    {
      room[rank] = v;
      g.sync ();
      if (rank < by) v += room[rank + by];
      g.sync ();
    }
  return v;
}

__global__ void k (const int *x, int *y, int x_count)
{
  __shared__ int room[64], whole;
  thread_block block = this_thread_block ();
  unsigned i = block.group_index ().x * block.size () + block.thread_rank ();
  int sum = sum_of (block, room, i < x_count ? x[i] : 0);

  if (block.thread_rank () == 0) whole = sum;
  cg::sync (block);
  if (i < x_count) y[i] = whole - x[i];
}
