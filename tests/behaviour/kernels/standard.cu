/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What kernels use of the standard library, under std and cuda::std, beside host code that uses the rest of it. */

#include <algorithm>
#include <array>
#include <complex>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <functional>
#include <iostream>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "mix.cuh"

template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0>
__device__ int
kind (T)
{
  return 1;
}

template <class T, std::enable_if_t<std::is_integral_v<T> && std::is_signed_v<T>, int> = 0>
__device__ int
kind (T)
{
  return 2;
}

template <class T, typename std::enable_if<std::is_unsigned<T>::value>::type * = nullptr>
__device__ int
kind (T)
{
  return 3;
}

struct Pair
{
  uint32_t a, b;
};

__global__ void
traits (uint32_t *out, uint32_t n)
{
  static_assert (std::is_same<std::remove_cv_t<std::remove_reference_t<const int &>>, int>::value, "");
  static_assert (std::is_same_v<std::conditional_t<(sizeof (long) > 4), int, float>, int>, "");
  static_assert (std::is_same_v<std::decay_t<int[3]>, int *> && std::is_same_v<std::common_type_t<int, double>, double>, "");
  static_assert (std::is_trivially_copyable<Pair>::value && std::is_class_v<Pair> && !std::is_pointer_v<Pair>, "");
  static_assert (std::is_convertible<int, double>::value && !std::is_convertible<Pair, int>::value, "");
  static_assert (std::is_same_v<std::make_unsigned_t<int>, unsigned int> && std::is_same_v<std::invoke_result_t<int (*) (float), int>, int>, "");
  static_assert (cuda::std::is_same_v<cuda::std::remove_pointer_t<int *>, int>, "");

  if (blockIdx.x * blockDim.x + threadIdx.x > 0)
    return;
  out[0] = kind (1.0f) * 1000 + kind (1.0) * 100 + kind (-1) * 10 + kind (1u);
  out[1] = __float_as_uint (std::numeric_limits<float>::max ());
  out[2] = __float_as_uint (std::numeric_limits<float>::min ());
  out[3] = __float_as_uint (std::numeric_limits<float>::epsilon ());
  out[4] = __float_as_uint (std::numeric_limits<float>::lowest ());
  out[5] = __float_as_uint (-std::numeric_limits<float>::infinity ());
  out[6] = (uint32_t) std::numeric_limits<int>::min ();
  out[7] = (uint32_t) (std::numeric_limits<long long>::max () >> 32);
  out[8] = std::numeric_limits<unsigned short>::max () + std::numeric_limits<double>::digits;
  out[9] = std::numeric_limits<float>::quiet_NaN () != std::numeric_limits<float>::quiet_NaN ();
  out[10] = __float_as_uint (cuda::std::numeric_limits<float>::max ()) + n;
}

template <class F>
__device__ uint32_t
fold (uint32_t i, F f)
{
  return f (f (mix (i), mix (i + 1)), mix (i + 2));
}

__device__ std::tuple<uint32_t, float, uint32_t>
three (uint32_t i)
{
  return std::make_tuple (mix (i), (float) i * 0.5f, i + 7);
}

__global__ void
values (uint32_t *out, uint32_t n)
{
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, a, c;
  float b;

  if (i >= n)
    return;
  std::array<uint32_t, 4> four{ mix (i), mix (i + 1), mix (i + 2), 0 };
  std::pair<uint32_t, uint32_t> pair = std::make_pair (i, mix (i));
  auto [x, y, z] = three (i);
  cuda::std::array<uint32_t, 2> two{ { mix (i), i } };
  cuda::std::tuple<uint32_t, uint32_t> others (i, 3u);

  four[3] = *std::lower_bound (&four[0], &four[0] + 1, 0u);
  std::swap (four[0], four[2]);
  std::swap (pair.first, pair.second);
  std::tie (a, b, c) = three (i + 1);
  cuda::std::swap (two[0], two[1]);
  out += 4 * i;
  out[0] = fold (i, std::plus<uint32_t> ()) ^ fold (i, std::bit_xor<> ()) ^ std::min (four[0], std::max (four[1], four[3]));
  out[1] = pair.first + std::get<1> (pair) + x + (uint32_t) (y * 2) + z + a + (uint32_t) (b * 2) + c + std::clamp (i, 3u, 9u);
  std::complex<float> w ((float) (i % 32), (float) (n % 16)), v = w * std::conj (w) + std::complex<float> (1, 2) / 2.0f;
  out[2] = (uint32_t) (v.real () * 2) + (uint32_t) v.imag () + (uint32_t) std::norm (w) + (uint32_t) std::sqrt (16.0f);
  out[3] = two[0] + 2 * two[1] + cuda::std::get<0> (others) * cuda::std::get<1> (others) + (uint32_t) two.size ();
}

template <class T>
__device__ uint32_t
compare (const T &x, const T &y)
{
  return (x == y) | (x != y) << 1 | (x < y) << 2 | (x > y) << 3 | (x <= y) << 4 | (x >= y) << 5;
}

/* Two items of two numbers, each 0 to 2. */
__global__ void
compared (uint32_t *out, uint32_t n)
{
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, a = i % 3, b = i / 3 % 3, c = i / 9 % 3, d = i / 27 % 3;

  if (i >= n)
    return;
  out += 4 * i;
  out[0] = compare (std::make_tuple (a, (float) b, i), std::make_tuple (c, (float) d, i));
  out[1] = compare (std::tie (a, b), std::tie (c, d));
  out[2] = compare (std::array<uint32_t, 2>{ a, b }, std::array<uint32_t, 2>{ c, d });
  out[3] = compare (std::make_pair (a, b), std::make_pair (c, d));
}

/* Nothing to a compiler of kernels. */
int
main ()
{
  std::vector<uint32_t> host (4);

  std::cout << host.size () << std::endl;
  traits<<<1, 1>>> (host.data (), 4);
  return 0;
}
