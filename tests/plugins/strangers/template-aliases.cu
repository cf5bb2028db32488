// SPDX-License-Identifier: LGPL-2.1-or-later
template <class T, int N> struct Vec
{
  T v[N];
  __device__ T &operator[] (int i) { return v[i]; }
  __device__ const T &operator[] (int i) const { return v[i]; }
  template <int M> __device__ Vec<T, M> first () const;
};
template <class T, int N> template <int M> __device__ Vec<T, M> Vec<T, N>::first () const
{
  Vec<T, M> out;
  for (int i = 0; i < M; i++)
    out[i] = v[i];
  return out;
}
template <int N> using IVec = Vec<int, N>;
template <class T> constexpr T gain = T (3);
template <> constexpr int gain<int> = 2;
constexpr int fib (int n) { return n < 2 ? n : fib (n - 1) + fib (n - 2); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  IVec<4> a{ { i < x_count ? x[i] : 0, fib (10), 2, 3 } };
  auto b = a.template first<2> ();

  if (i < x_count)
    y[i] = b[0] * gain<int> + b[1] - (int) (gain<float>);
}
