// SPDX-License-Identifier: LGPL-2.1-or-later
#include <assert.h>
#include <cstdio>

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  assert (x_count > 0 && "some items");
  if (i >= x_count) return;
  if (x[i] == 1 << 30)
    printf ("# item %d of %d is %5.2f%% %s %c %llu\n", i, x_count, x[i] * 1.0, "high", 'c', 1ull << 40);
  assert (blockDim.x >= 1);
  y[i] = x[i] * 2;
}
