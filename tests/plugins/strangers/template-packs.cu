// SPDX-License-Identifier: LGPL-2.1-or-later
template <class... T> __device__ int total (T... t) { return (t + ... + 0); }
template <class First> __device__ First least (First f) { return f; }
template <class First, class... Rest> __device__ First least (First f, Rest... rest)
{
  First r = least (rest...);
  return f < r ? f : r;
}
template <int... I> struct Indices { static constexpr int count = sizeof... (I); };
template <int... I> __device__ int gather (const int *x, int i, int n, Indices<I...>) { return total (x[(i + I) % n]...); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = gather (x, i, x_count, Indices<0, 1, 3> ()) - least (x[i], 5, x[(i + 1) % x_count]) + Indices<4, 4>::count;
}
