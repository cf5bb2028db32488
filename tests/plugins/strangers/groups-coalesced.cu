// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/* One atomic operation for all lanes that are there. */
__device__ int count_in (int *counter)
{
  cg::coalesced_group active = cg::coalesced_threads ();
  int first = 0;

  if (active.thread_rank () == 0) first = atomicAdd (counter, active.size ());
  return active.shfl (first, 0) + active.thread_rank ();
}

__global__ void k (const int *x, int *y, int x_count)
{
  __shared__ int counter, taken[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (threadIdx.x == 0) counter = 0;
  __syncthreads ();
  if (i < x_count && x[i] > 0) taken[count_in (&counter)] = x[i];
  __syncthreads ();
  if (i >= x_count) return;
  int sum = counter;
  for (int n = 0; n < counter; n++) sum += taken[n] & 0xff;
  y[i] = sum;
}
