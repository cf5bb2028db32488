// SPDX-License-Identifier: LGPL-2.1-or-later
template <class T> struct f { static __device__ int of (T v) { return 0; } };
template <> struct f<int> { static __device__ int of (int v) { return v * 2; } };
template <class T> __device__ T one () { return 0; }
template <> __device__ int one<int> () { return 1; }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = f<int>::of (x[i]) * one<int> ();
}
