// SPDX-License-Identifier: LGPL-2.1-or-later
template <typename T> __global__ void k (const T *x, T *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = 7;
}

template <typename T> __global__ void k (const T *__restrict__ x, T *y, T by, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = x[i] * by;
}

template <> __global__ void k<unsigned int> (const unsigned int *x, unsigned int *y, int x_count)
{
  y[0] = x_count;
}

template <int N, typename T> __global__ void k (const T *x, T *y, int x_count)
{
  y[0] = N;
}
