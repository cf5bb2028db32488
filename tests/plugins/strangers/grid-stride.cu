// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdint.h>
template <typename T> struct Span { T *data; size_t n; __device__ T &operator[] (size_t i) const { return data[i]; } __device__ size_t size () const { return n; } };

__global__ void k (const int32_t *__restrict__ x, int32_t *__restrict__ y, size_t x_count)
{
  Span<const int32_t> in = { x, x_count };
  Span<int32_t> out = { y, x_count };
  const size_t stride = (size_t) blockDim.x * gridDim.x;

  for (size_t i = threadIdx.x + (size_t) blockIdx.x * blockDim.x; i < in.size (); i += stride)
    out[i] = i > 0 ? in[i] - in[i - 1] : in[i];
}
