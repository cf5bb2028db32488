// SPDX-License-Identifier: LGPL-2.1-or-later
/* How many of a block are in the class of each; classes are counted in shared memory. */
__device__ __forceinline__ void add_one (unsigned *bins, unsigned at) { atomicAdd (bins + at, 1u); }

__global__ void k (const int *x, int *y, int x_count)
{
  __shared__ unsigned bins[16], greatest, bits;
  __shared__ unsigned long long total;
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  for (int b = threadIdx.x; b < 16; b += blockDim.x) bins[b] = 0;
  if (threadIdx.x == 0) greatest = bits = 0, total = 0;
  __syncthreads ();
  if (i < x_count)
    {
      unsigned v = (unsigned) x[i] & 0xffff;
      add_one (bins, v % 16);
      atomicMax (&greatest, v);
      atomicXor (&bits, v);
      atomicAdd (&total, (unsigned long long) v << 20);
    }
  __syncthreads ();
  if (i < x_count)
    y[i] = (int) (bins[(unsigned) x[i] % 16] * 3 + greatest + bits + (unsigned) (total >> 20));
}
