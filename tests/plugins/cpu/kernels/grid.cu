// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

// Blocks that wait for each other.


__device__ unsigned
scan_warp (unsigned v)
{
  for (int d = 1; d < 32; d *= 2)
    {
      unsigned up = __shfl_up_sync (0xffffffffu, v, d);
      if ((threadIdx.x & 31) >= d)
        v += up;
    }
  return v;
}

// Inclusive scan in one pass: a block takes a ticket, tells its sum, and looks back over its predecessors until one
// knows the sum of everything before.
__global__ void
scan_look_back (const unsigned *in, unsigned *out, unsigned n, unsigned long long *state, unsigned *ticket)
{
  __shared__ unsigned tile, warps[8], before;

  if (threadIdx.x == 0)
    tile = atomicAdd (ticket, 1u);
  __syncthreads ();
  unsigned i = tile * 256 + threadIdx.x;
  unsigned v = scan_warp (i < n ? in[i] : 0);
  if ((threadIdx.x & 31) == 31)
    warps[threadIdx.x / 32] = v;
  __syncthreads ();
  for (unsigned w = 0; w < threadIdx.x / 32; w++)
    v += warps[w];
  if (threadIdx.x == 255)
    {
      unsigned sum = 0;

      if (tile > 0)
        {
          atomicExch (&state[tile], 1ull << 32 | v);
          for (int back = (int) tile - 1;;)
            {
              unsigned long long s = leat_load_relaxed (&state[back]);
              unsigned flag = (unsigned) (s >> 32);

              if (flag == 0)
                {
                  __nanosleep (20);
                  continue;
                }
              sum += (unsigned) s;
              if (flag == 2)
                break;
              back--;
            }
        }
      atomicExch (&state[tile], 2ull << 32 | (sum + v));
      before = sum;
    }
  __syncthreads ();
  if (i < n)
    out[i] = before + v;
}

// The block that ends last adds up what the others left.
__global__ void
last_block_sum (const unsigned *in, unsigned n, unsigned *partial, unsigned *done, unsigned *out)
{
  __shared__ unsigned sum;
  __shared__ bool last;

  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads ();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd (&sum, in[i]);
  __syncthreads ();
  if (threadIdx.x == 0)
    {
      leat_store_relaxed (&partial[blockIdx.x], sum);
      __threadfence ();
      last = atomicInc (done, gridDim.x - 1) == gridDim.x - 1;
    }
  __syncthreads ();
  if (last && threadIdx.x == 0)
    {
      unsigned all = 0;
      for (unsigned b = 0; b < gridDim.x; b++)
        all += leat_load_relaxed (&partial[b]);
      *out = all;
    }
}

// Every round, each block reads what its neighbour wrote in the round before.
__global__ void
rounds (unsigned *cells, unsigned n_rounds)
{
  unsigned me = blockIdx.x, next = (blockIdx.x + 1) % gridDim.x;

  for (unsigned r = 0; r < n_rounds; r++)
    {
      unsigned *from = cells + (r & 1) * gridDim.x, *to = cells + (1 - (r & 1)) * gridDim.x;

      if (threadIdx.x == 0)
        to[me] = from[next] + 1;
      leat_grid_sync ();
    }
}

// A queue that all blocks fill and empty until nothing is left.
__global__ void
work_queue (unsigned *items, unsigned *head, unsigned *tail, unsigned *sum)
{
  for (;;)
    {
      unsigned begin = leat_load_relaxed (head), end = leat_load_relaxed (tail);

      leat_grid_sync ();
      if (begin == end)
        return;
      for (unsigned i = begin + blockIdx.x * blockDim.x + threadIdx.x; i < end; i += blockDim.x * gridDim.x)
        {
          unsigned v = leat_load_relaxed (&items[i]);

          atomicAdd (sum, v);
          if (v > 1)
            leat_store_relaxed (&items[atomicAdd (tail, 1u)], v / 2);
        }
      leat_grid_sync ();
      if (blockIdx.x == 0 && threadIdx.x == 0)
        leat_store_relaxed (head, end);
      leat_grid_sync ();
    }
}
