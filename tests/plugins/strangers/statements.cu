// SPDX-License-Identifier: LGPL-2.1-or-later
/* Every statement of C++ in one kernel. */
__device__ void split (int v, int &low, int *high) { low = v & 15, *high = v >> 4; }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, state = 0, sum = 0, low, high;

  if (i >= x_count) return;
  split (x[i], low, &high);
  switch (int kind = low & 3; kind)
    {
    case 0: sum += 1;
    case 1: sum += 10; [[fallthrough]];
    case 2: { int kept = sum; sum = kept + 100; break; }
    default: sum -= 1;
    }
again:
  do
    if (++state % 2) continue; else sum += state;
  while (state < 5);
  if (state == 5) { state++; goto again; }
  for (const int digit : { 1, 2, 4 }) { if (digit == 2) continue; sum += digit; }
  int window[] = { low, high, 3 };
  for (auto &w : window) w ^= 1;
  struct { int a, b; } pair = { window[0], window[1] };
  auto [a, b] = pair;
  while (true) { if (a > 100 or not (b == b)) break; a += 40; }
  for (int p = 0, q = 10; p < q; p++, --q) sum += p < 3 ? q : p == 3 ? -1 : 0;
  if (unsigned bits = (unsigned) b; bits & 1) ; else if (bits bitand 2) sum xor_eq 64; else { }
  y[i] = sum + a + (b % 1000) + (low, window[2]);
}
