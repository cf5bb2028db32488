// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cub/cub.cuh>

__global__ void __launch_bounds__ (32) k (const int *x, int *y, int x_count)
{
  typedef cub::BlockRadixSort<int, 32, 2, short> Sort;
  __shared__ typename Sort::TempStorage temp;
  int keys[2], first = blockIdx.x * 64, place = threadIdx.x * 2;
  short from[2];

  for (int n = 0; n < 2; n++)
    {
      keys[n] = first + place + n < x_count ? x[first + place + n] : INT_MAX;
      from[n] = (short) (place + n);
    }
  Sort (temp).Sort (keys, from);
  for (int n = 0; n < 2; n++)
    if (first + place + n < x_count) y[first + place + n] = keys[n] * 64 + from[n];
}
