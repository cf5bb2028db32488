// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

// Atomics: all threads of all blocks on a few words.

__global__ void
atomics_int (const int *in, int n, int *cell)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    {
      atomicAdd (&cell[0], in[i]);
      atomicSub (&cell[1], in[i]);
      atomicMin (&cell[2], in[i]);
      atomicMax (&cell[3], in[i]);
      atomicAnd (&cell[4], in[i] | 0x55);
      atomicOr (&cell[5], in[i]);
      atomicXor (&cell[6], in[i]);
    }
}

__global__ void
atomics_unsigned (const unsigned *in, int n, unsigned *cell)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    {
      atomicAdd (&cell[0], in[i]);
      atomicSub (&cell[1], in[i]);
      atomicMin (&cell[2], in[i]);
      atomicMax (&cell[3], in[i]);
      atomicAnd (&cell[4], in[i] | 0x55u);
      atomicOr (&cell[5], in[i]);
      atomicXor (&cell[6], in[i]);
      atomicInc (&cell[7], 99u);
      atomicDec (&cell[8], 99u);
    }
}

__global__ void
atomics_long (const unsigned long long *in, int n, unsigned long long *cell, long long *cell_signed)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    {
      atomicAdd (&cell[0], in[i]);
      atomicMin (&cell[1], in[i]);
      atomicMax (&cell[2], in[i]);
      atomicAnd (&cell[3], in[i] | 0x5555555555555555ull);
      atomicOr (&cell[4], in[i]);
      atomicXor (&cell[5], in[i]);
      atomicMin (cell_signed, (long long) in[i]);
      atomicMax (cell_signed + 1, (long long) in[i]);
    }
}

__device__ double
multiply (double *address, double v)
{
  unsigned long long *as_bits = (unsigned long long *) address;
  unsigned long long old = *as_bits, assumed;

  do
    {
      assumed = old;
      old = atomicCAS (as_bits, assumed, __double_as_longlong (v * __longlong_as_double (assumed)));
    }
  while (assumed != old);
  return __longlong_as_double (old);
}

// Small whole numbers: the sums are exact in any order.
__global__ void
atomics_real (int n, float *sum, double *sum_wide, double *product)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    {
      atomicAdd (sum, (float) (i % 3));
      atomicAdd (sum_wide, (double) (i % 5));
      if (i < 64)
        multiply (product, 2.0);
    }
}

// Every thread swaps its number in and takes another out: none is lost.
__global__ void
exchanges (int n, int *slot, int *taken, unsigned long long *slot_wide, unsigned long long *taken_wide)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    {
      taken[i] = atomicExch (slot, i);
      taken_wide[i] = atomicExch (slot_wide, (unsigned long long) i);
    }
}

// One thread wins each box.
__global__ void
claims (int n, int boxes, int *owner, int *won)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    won[i] = atomicCAS (&owner[i % boxes], -1, i) == -1;
}

__global__ void
scopes (int n, unsigned *cell)
{
  __shared__ unsigned local;

  if (threadIdx.x == 0)
    local = 0;
  __syncthreads ();
  atomicAdd_block (&local, 3u);
  __syncthreads ();
  if (threadIdx.x == 0)
    atomicAdd_system (cell, local);
}
