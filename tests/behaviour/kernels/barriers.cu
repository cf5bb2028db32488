/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* <cuda/atomic>, <cuda/barrier> and <cuda/pipeline>, as programs use them. */

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "mix.cuh"

namespace cg = cooperative_groups;

/* Results that no order changes. */
__global__ void
atomics (uint32_t *out, uint32_t n)
{
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= n)
    return;
  using Ref = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;
  Ref product (out[6]);
  uint32_t v = mix (i), old = product.load (cuda::memory_order_relaxed);
  cuda::atomic_ref<float, cuda::thread_scope_device> sum (((float *) out)[7]);

  Ref (out[0]).fetch_add (v, cuda::memory_order_relaxed);
  Ref (out[1]).fetch_sub (v);
  Ref (out[2]).fetch_max (v);
  Ref (out[3]).fetch_xor (v, cuda::std::memory_order_acq_rel);
  Ref (out[4])++;
  Ref (out[5]) |= v & 0x10101;
  while (!product.compare_exchange_weak (old, (old + 1) * (2 * v + 1) - 1))
    ;
  sum.fetch_add ((float) (v % 64));
  Ref (out[8 + i]).store (v + 1, cuda::memory_order_release);
}

/* A histogram of the block's in shared memory. */
__global__ void
counts (uint32_t *out, uint32_t n)
{
  __shared__ cuda::atomic<uint32_t, cuda::thread_scope_block> bins[16];

  for (uint32_t i = threadIdx.x; i < 16; i += blockDim.x)
    bins[i].store (0, cuda::memory_order_relaxed);
  __syncthreads ();
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    bins[mix (i) % 16].fetch_add (1, cuda::memory_order_relaxed);
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < 16; i += blockDim.x)
    atomicAdd (&out[i], bins[i].load ());
}

/* Threads hand sums over by a barrier; then the even ones leave it, and the odd ones go on. */
__global__ void
meets (uint32_t *out, uint32_t n)
{
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ uint32_t part[128];
  auto block = cg::this_thread_block ();
  unsigned int t = block.thread_rank ();

  if (t == 0)
    init (&barrier, block.size ());
  block.sync ();
  part[t] = item (t, n);
  for (unsigned int by = 64; by > 0; by /= 2)
    {
      barrier.arrive_and_wait ();
      if (t < by && t + by < block.size ())
        part[t] += part[t + by];
    }
  auto token = barrier.arrive ();
  out[t] = mix (t);
  barrier.wait (cuda::std::move (token));
  out[t] += part[0];
  if (t % 2 == 0)
    {
      barrier.arrive_and_drop ();
      return;
    }
  barrier.arrive_and_wait ();
  part[t] = t;
  barrier.arrive_and_wait ();
  out[128 + t] = part[(t + 2) % block.size () | 1];
}

/* A copy that a barrier tells the end of. */
__global__ void
fetches (uint32_t *out, uint32_t n)
{
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ alignas (16) uint32_t there[1024];
  auto block = cg::this_thread_block ();

  if (block.thread_rank () == 0)
    init (&barrier, block.size ());
  for (uint32_t i = block.thread_rank (); i < n; i += block.size ())
    out[i] = mix (i);
  block.sync ();
  cuda::memcpy_async (block, there, out, sizeof (uint32_t) * n, barrier);
  barrier.arrive_and_wait ();
  for (uint32_t i = block.thread_rank (); i < n; i += block.size ())
    out[1024 + i] = there[n - 1 - i];
}

/* Tiles of 96 items come by two stages; each thread also reads what its neighbour fetched. */
template <unsigned int Stages>
__device__ void
stream (uint32_t *out, uint32_t n, cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> *state, uint32_t *room)
{
  auto block = cg::this_thread_block ();
  auto pipe = cuda::make_pipeline (block, state);
  uint32_t t = block.thread_rank (), tiles = n / block.size ();

  for (uint32_t tile = 0, next = 0; tile < tiles; tile++)
    {
      for (; next < tiles && next < tile + Stages; next++)
        {
          pipe.producer_acquire ();
          cuda::memcpy_async (block, room + next % Stages * block.size (), out + next * block.size (),
                              sizeof (uint32_t) * block.size (), pipe);
          pipe.producer_commit ();
        }
      pipe.consumer_wait ();
      out[2048 + tile * block.size () + t] = room[tile % Stages * block.size () + (t + 1) % block.size ()];
      pipe.consumer_release ();
    }
}

__global__ void
streams (uint32_t *out, uint32_t n)
{
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas (16) uint32_t room[2 * 96];

  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = mix (i);
  __syncthreads ();
  stream<2> (out, n, &state, room);
}

/* A pipeline of each thread's own. */
__global__ void
own (uint32_t *out, uint32_t n)
{
  __shared__ uint32_t room[96];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline ();
  uint32_t i = threadIdx.x;

  for (uint32_t k = i; k < n; k += blockDim.x)
    {
      out[k] = mix (k);
      pipe.producer_acquire ();
      cuda::memcpy_async (&room[i], &out[k], sizeof (uint32_t), pipe);
      pipe.producer_commit ();
      cuda::pipeline_consumer_wait_prior<0> (pipe);
      out[2048 + k] = room[i] + 1;
      pipe.consumer_release ();
    }
}
