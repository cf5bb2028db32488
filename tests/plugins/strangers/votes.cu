// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a warp knows of its lanes, and a block of its threads. */
__global__ void k (const int *x, int *y, int x_count)
{
  const unsigned all = 0xffffffffu;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < x_count ? x[i] : 0;
  unsigned negative = __ballot_sync (all, v < 0), same = __match_any_sync (all, v & 6);
  int any = __any_sync (all, v % 50 == 1), every = __all_sync (all, v != 77), pred;
  unsigned whole = __match_all_sync (all, v >= -40000, &pred);
  int below = __popc (negative & ((1u << threadIdx.x % 32) - 1));
  unsigned least = __reduce_min_sync (all, (unsigned) v & 0xff), sum = __reduce_add_sync (all, (unsigned) v & 0xff);
  int count = __syncthreads_count (v > 0), some = __syncthreads_or (v == 1), none = __syncthreads_and (v != 0);

  if (i < x_count)
    y[i] = below + 40 * __popc (same) + 2000 * any + 4000 * every + 8000 * (pred && whole == all) + 16000 * (int) least
           + (int) sum + 7 * count + 9 * (some != 0) + 11 * (none != 0);
}
