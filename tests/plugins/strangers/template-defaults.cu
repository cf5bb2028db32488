// SPDX-License-Identifier: LGPL-2.1-or-later
template <typename T, typename V = T, V N = 2> __global__ void k (const T *x, V *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = x[i] * N;
}

int main () { k<int><<<1, 1>>> (0, 0, 0); }
