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

// Of the lanes that are left when those with a multiple of three have returned.
__global__ void
left_lanes (const int *in, unsigned *ballot, int *any, int *all, unsigned *same, unsigned *matched)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i], equal = 0;

  if (v % 3 == 0)
    return;
  ballot[i] = __ballot_sync (0xffffffffu, v & 1);
  any[i] = __any_sync (0xffffffffu, v & 1) != 0;
  all[i] = __all_sync (0xffffffffu, v & 1) != 0;
  same[i] = __match_any_sync (0xffffffffu, v);
  matched[i] = __match_all_sync (0xffffffffu, v & 1, &equal);
  if (equal != (matched[i] != 0))
    matched[i] = 1u << 31 | 1;
}
