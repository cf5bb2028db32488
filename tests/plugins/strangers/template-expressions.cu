// SPDX-License-Identifier: LGPL-2.1-or-later
#define WIDTH 8
constexpr int kLog = 3;
template <unsigned N> struct Log { enum { value = 1 + Log<N / 2>::value }; };
template <> struct Log<1> { enum { value = 0 }; };

template <int N, bool Negate = (N > 3), int M = N * 2 + (Negate ? 1 : 0), int L = Log<N>::value>
__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, rows[M];

  if (i >= x_count)
    return;
#pragma unroll
  for (int r = 0; r < M; r++)
    rows[r] = x[i] + r;
  y[i] = Negate ? -rows[M - 1] + L : rows[0];
}

void launch () { k<WIDTH><<<1, 1>>> (0, 0, 0); k<(1 << kLog)><<<1, 1>>> (0, 0, 0); }
