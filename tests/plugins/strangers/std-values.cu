// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

using std::pair;

__device__ std::tuple<int, float, bool> facts (int v) { return { v, v * 0.5f, v < 0 }; }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count) return;
  std::array<int, 4> window{};
  for (std::size_t n = 0; n < window.size (); n++) window[n] = x[(i + n) % x_count];
  std::swap (window[0], window[3]);
  auto [v, half, below] = facts (window[1]);
  pair<int, int> ends = std::make_pair (std::min (window[0], window[3]), std::max (window[0], window[3]));
  int least = std::numeric_limits<short>::min (), first = 0;
  std::tie (first, std::ignore) = ends;
  y[i] = std::clamp (v, least, 20000) + (int) (half * 2) + (below ? 1 : 2) + std::plus<int> () (first, ends.second) - std::get<0> (facts (3));
}

int main () { std::vector<int> v (3); std::sort (v.begin (), v.end ()); }
