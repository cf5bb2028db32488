// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

// Planted mistakes, and the same without.

__global__ void
reverse_right (const int *in, int *out)
{
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads ();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void
reverse_without_barrier (const int *in, int *out)
{
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void
loop_without_second_barrier (const int *in, int *out)
{
  __shared__ int tile[64];
  int sum = 0;
  for (int k = 0; k < 4; k++)
    {
      tile[threadIdx.x] = in[threadIdx.x] + k;
      __syncthreads ();
      sum += tile[63 - threadIdx.x];
    }
  out[threadIdx.x] = sum;
}

__global__ void
count_without_atomic (const int *in, int *out)
{
  if (in[threadIdx.x] >= 0)
    out[0] += 1;
}

__global__ void
past_the_end (const int *in, int *out)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + 1];
}

__global__ void
past_static_shared (const int *in, int *out)
{
  __shared__ int tile[64];
  tile[threadIdx.x + 1] = in[threadIdx.x];
  __syncthreads ();
  out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void
past_dynamic_shared (const int *in, int *out)
{
  extern __shared__ int room[];
  room[threadIdx.x + 1] = in[threadIdx.x];
  __syncthreads ();
  out[threadIdx.x] = room[threadIdx.x];
}
