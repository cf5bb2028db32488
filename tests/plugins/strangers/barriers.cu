// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cuda/barrier>

using barrier_t = cuda::barrier<cuda::thread_scope_block>;

__global__ void k (const int *x, int *y, int x_count)
{
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier_t ready;
  __shared__ int room[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

  if (t == 0) init (&ready, blockDim.x);
  __syncthreads ();
  room[t] = i < x_count ? x[i] : 0;
  barrier_t::arrival_token token = ready.arrive ();
  int own = room[t] & 3;
  ready.wait (std::move (token));
  int v = room[blockDim.x - 1 - t] + own;
  ready.arrive_and_wait ();
  room[t] = v;
  ready.arrive_and_wait ();
  if (i < x_count) y[i] = room[t ^ 1];
}
