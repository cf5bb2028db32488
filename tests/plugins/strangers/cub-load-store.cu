// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>

constexpr int kThreads = 32, kEach = 4;
using Load = cub::BlockLoad<int, kThreads, kEach, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
using Store = cub::BlockStore<int, kThreads, kEach, cub::BLOCK_STORE_STRIPED>;

/* Blocked in, striped out: a permutation of each tile, but for the last. */
__global__ void k (const int *x, int *y, int x_count)
{
  __shared__ union { Load::TempStorage load; Store::TempStorage store; } temp;
  int items[kEach], first = blockIdx.x * kThreads * kEach, left = min (x_count - first, kThreads * kEach);

  if (left == kThreads * kEach)
    {
      Load (temp.load).Load (x + first, items);
      __syncthreads ();
      Store (temp.store).Store (y + first, items);
    }
  else
    {
      Load (temp.load).Load (x + first, items, left, 0);
      for (int t = 0; t < kEach; t++)
        if ((int) threadIdx.x * kEach + t < left)
          y[first + threadIdx.x * kEach + t] = items[t] + 1;
    }
}
