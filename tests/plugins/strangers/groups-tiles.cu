// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <unsigned Size>
__device__ int ranked (cg::thread_block_tile<Size> tile, int v)
{
  int most = cg::reduce (tile, v, cg::greater<int> ()), before = cg::exclusive_scan (tile, v, cg::plus<int> ());

  return most - before + tile.shfl_xor (v, 1) + __popc (tile.ballot (v > 0));
}

__global__ void k (const int *x, int *y, int x_count)
{
  auto block = cg::this_thread_block ();
  auto warp = cg::tiled_partition<32> (block);
  auto eight = cg::tiled_partition<8> (warp);
  int i = cg::this_grid ().thread_rank ();
  int v = ranked<8> (eight, i < x_count ? x[i] : 0) + 2 * ranked<32> (warp, i < x_count ? x[i] % 1000 : 0);

  if (i < x_count) y[i] = v + (int) eight.meta_group_rank ();
}
