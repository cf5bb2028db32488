// SPDX-License-Identifier: LGPL-2.1-or-later
enum mode { add, mul = 2 };
enum class size : int { small = 5 };

__global__ void k (const int *x, int *y, int x_count, mode m)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = m == mul ? x[i] * m : x[i] + (int) size::small;
}
