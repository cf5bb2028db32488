// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lambdas that capture by reference, by value and with an initialiser, generic ones, one that changes its copy, one that is
 * called where it stands, and one that is handed on. */
template <class F, class... A> __device__ auto invoke_twice (F &&f, A... a) -> decltype (f (a...)) { f (a...); return f (a...); }

__global__ void k (const int *x, int *y, int x_count)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  auto in_range = [&] () -> bool { return i < x_count && blockIdx.x < gridDim.x; };

  if (!in_range ())
    return;
  auto add = [&sum] (auto v) { sum += (int) v; return sum; };
  auto counter = [n = x[i]] () mutable { return n++; };
  int twice = invoke_twice (add, x[i]);
  const int first = counter (), second = counter ();
  int sign = [=] { if (x[i] < 0) return -1; return 1; } ();
  auto place = [] __device__ (unsigned bias) { return (int) (threadIdx.x - threadIdx.x + bias); };
  y[i] = twice + (second - first) + sign + place (2u) + [] (auto a, auto b) { return a * b; } (sum - twice + 1, 3);
}
