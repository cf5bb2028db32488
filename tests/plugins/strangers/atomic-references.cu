// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cuda/atomic>

__global__ void k (const int *x, int *y, int x_count)
{
  __shared__ cuda::atomic<int, cuda::thread_scope_block> negative;
  __shared__ int most;
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (threadIdx.x == 0) { negative.store (0, cuda::memory_order_relaxed); most = -(1 << 30); }
  __syncthreads ();
  if (i < x_count)
    {
      if (x[i] < 0) negative++;
      cuda::atomic_ref<int, cuda::thread_scope_block> ref (most);
      ref.fetch_max (x[i], cuda::memory_order_relaxed);
    }
  __syncthreads ();
  if (i < x_count) y[i] = negative.load () * 100000 + most;
}
