// SPDX-License-Identifier: LGPL-2.1-or-later
namespace math
{
struct num { int v; };
inline __device__ num operator* (num a, int b) { return num{ a.v * b }; }
}
using namespace math;

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  num a = { x[i] };
  y[i] = (a * 2).v;
}
