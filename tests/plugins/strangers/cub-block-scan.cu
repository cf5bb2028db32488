// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cub/cub.cuh>

#define THREADS 64
#define EACH 3

__global__ void k (const int *x, int *y, int x_count)
{
  typedef cub::BlockScan<int, THREADS> Scan;
  __shared__ Scan::TempStorage temp;
  int items[EACH], whole, first = (blockIdx.x * THREADS + threadIdx.x) * EACH;

  for (int n = 0; n < EACH; n++) items[n] = first + n < x_count ? x[first + n] : 0;
  Scan (temp).InclusiveSum (items, items, whole);
  for (int n = 0; n < EACH; n++)
    if (first + n < x_count) y[first + n] = items[n] + whole;
}
