// SPDX-License-Identifier: LGPL-2.1-or-later
#include <functional>
namespace ops
{
struct Plus { template <class T> __device__ T operator() (T a, T b) const { return a + b; } };
template <int By> struct Shifted { int w; __device__ int operator() (int a, int b) const { return a + (b << By); } };
}

namespace kernels
{
template <class T, class Op>
__global__ void zip (const T *x, T *y, int x_count)
{
  Op op{};

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < x_count; i += blockDim.x * gridDim.x)
    y[i] = op (x[i], x[x_count - 1 - i]);
}
}

int main () { kernels::zip<int, ops::Plus><<<1, 32>>> (0, 0, 0); kernels::zip<int, ops::Shifted<1>><<<1, 32>>> (0, 0, 0); }
