// SPDX-License-Identifier: LGPL-2.1-or-later
template <typename T, int N> __global__ void k (const T *x, T *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = x[i] * N;
}
