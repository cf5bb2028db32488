// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

namespace cs = cuda::std;

template <class T, cs::enable_if_t<cs::is_integral<T>::value, bool> = true>
__device__ cs::pair<T, T> divide (T a, T b) { return cs::pair<T, T> (a / b, a % b); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count) return;
  cs::array<int, 3> a = { x[i], 3, 4 };
  auto d = divide (a[0], 7);
  cs::tuple<int, char> t (d.second, 'a');
  cs::conditional_t<(sizeof (int) > 2), int, char> wide = d.first;
  cuda::std::swap (a[1], a[2]);
  static_assert (cs::is_same_v<cs::remove_reference_t<int &>, int>, "");
  y[i] = wide * a[1] + cs::get<0> (t) + cs::get<1> (t) + (int) (cs::numeric_limits<cs::int32_t>::max () >> 20);
}
