// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

#include <stdint.h>

/* One turn of a loop, which goes on while some are left. */
__global__ void
take_one (uint32_t *left, uint32_t *turns, uint64_t handle)
{
  if (blockIdx.x != 0 || threadIdx.x != 0)
    return;
  *turns += 1;
  *left -= 1;
  leat_graph_set_conditional (handle, *left > 0);
}

/* By way of a function, and in a kernel whose threads wait for each other. */
static __device__ void
tell (uint64_t handle, unsigned int value)
{
  if (threadIdx.x == 0)
    leat_graph_set_conditional (handle, value);
}

__global__ void
tell_sum (const uint32_t *values, uint64_t handle)
{
  __shared__ uint32_t sum;

  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads ();
  atomicAdd (&sum, values[threadIdx.x]);
  __syncthreads ();
  tell (handle, sum);
}

__global__ void
count (uint32_t *n, uint32_t by)
{
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *n += by;
}

__global__ void
tell_odd (const uint32_t *n, uint64_t handle)
{
  if (blockIdx.x == 0)
    tell (handle, *n % 2);
}

__global__ void
step (uint32_t *x, uint32_t multiply)
{
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < 64; i += blockDim.x * gridDim.x)
    x[i] = x[i] * multiply + 1;
}
