// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

// Newer warp operations: compute capability 7.0 matches, 8.0 reduces.

__global__ void
match (const int *in, unsigned *same, int *all)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int agreed = 0;

  same[i] = __match_any_sync (0xffffffffu, in[i]);
  __match_all_sync (0xffffffffu, in[i], &agreed);
  all[i] = agreed != 0;
}

__global__ void
reduce (const unsigned *in, unsigned *sum, unsigned *low, unsigned *bits, int *high)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  sum[i] = __reduce_add_sync (0xffffffffu, in[i]);
  low[i] = __reduce_min_sync (0xffffffffu, in[i]);
  bits[i] = __reduce_xor_sync (0xffffffffu, in[i]);
  high[i] = __reduce_max_sync (0xffffffffu, (int) in[i] - 1000);
}
