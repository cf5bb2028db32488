// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

// Threads that need more stack than the CPU driver gives them.

// A megabyte for one thread of one block.
__device__ int
descend (int depth, volatile int *out)
{
  volatile int room[64];

  room[depth & 63] = depth;
  if (depth > 0)
    room[0] = descend (depth - 1, out) + 1;
  return room[0] + out[0];
}

__global__ void
recurse (int *out)
{
  __syncthreads ();
  if (blockIdx.x == 2 && threadIdx.x == 5)
    out[1] = descend (4000, out);
}

// Larger than the guard page and the stacks beside it.
__global__ void
large_frame (int *out)
{
  volatile int room[100000];

  __syncthreads ();
  room[out[0]] = 1;
  out[threadIdx.x] = room[out[1]];
}

__global__ void
poke (int *out)
{
  __syncthreads ();
  *(volatile int *) 16 = out[0];
}

__global__ void
recurse_alone (int *out)
{
  out[1] = descend (1000000000, out);
}

__global__ void
large_frame_alone (int *out)
{
  volatile int room[400000000];

  room[out[0]] = 1;
  out[threadIdx.x] = room[out[1]];
}

__global__ void
poke_alone (int *out)
{
  *(volatile int *) 16 = out[0];
}
