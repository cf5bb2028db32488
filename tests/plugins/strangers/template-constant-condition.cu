// SPDX-License-Identifier: LGPL-2.1-or-later
template <class T, int N> __global__ void k (const T *x, T *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  if constexpr (N > 1)
    y[i] = x[i] * 2;
  else
    y[i] = x[i].missing;
}
