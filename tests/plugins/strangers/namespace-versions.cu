// SPDX-License-Identifier: LGPL-2.1-or-later
/* Inline and nested namespaces, aliases, a namespace that is opened again, and names that are alike in two of them. */
namespace lib::detail { __device__ int base (int v) { return v + 1; } constexpr int kStep = 10; }
namespace lib { inline namespace v2 { struct Grower { int by; __device__ int operator() (int v) const; }; } }
namespace lib { namespace old { __device__ int base (int v) { return v - 100; } } using detail::base; }
namespace ld = lib::detail;
__device__ int lib::v2::Grower::operator() (int v) const { return base (v) + by * ld::kStep; }
namespace other { __device__ int base (int v) { return v * 1000; } static constexpr int kStep = 77; }

namespace lib { inline namespace v2
{
__global__ void k (const int *x, int *y, int x_count)
{
  using other::kStep;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Grower grow = { 2 };

  if (i < x_count)
    y[i] = ::lib::Grower (grow) (x[i]) + kStep - ::other::kStep + old::base (0);
}
} }
