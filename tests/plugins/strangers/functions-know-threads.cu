// SPDX-License-Identifier: LGPL-2.1-or-later
__device__ int lane () { return threadIdx.x; }
template <class T> __device__ T shifted (T v) { return v + lane (); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = shifted<int> (x[i]);
}
