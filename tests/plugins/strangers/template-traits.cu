// SPDX-License-Identifier: LGPL-2.1-or-later
#include <type_traits>

template <class T> struct Wide { using type = long long; static constexpr bool is_wide = true; };
template <> struct Wide<float> { using type = double; static constexpr bool is_wide = false; };
template <class T> using wide_t = typename Wide<T>::type;

template <class T, class = void> struct has_twice : std::false_type {};
template <class T> struct has_twice<T, std::void_t<decltype (T::twice (0))>> : std::true_type {};
struct Helper { static __device__ int twice (int v) { return v * 2; } };

template <class T, typename std::enable_if<std::is_integral<T>::value, int>::type = 0>
__device__ __forceinline__ wide_t<T> squared (T v) { return (wide_t<T>) v * v; }
template <class T, typename std::enable_if<!std::is_integral<T>::value, int>::type = 0>
__device__ __forceinline__ wide_t<T> squared (T v) { return 0; }

template <typename T> __global__ void k (const T *x, T *y, int x_count)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  if constexpr (std::is_same_v<T, int> && Wide<T>::is_wide && has_twice<Helper>::value && !has_twice<T>::value)
    y[i] = static_cast<T> (squared (x[i]) >> 3) + Helper::twice (x[i]);
  else
    y[i] = x[i].none;
}
