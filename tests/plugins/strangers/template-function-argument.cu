// SPDX-License-Identifier: LGPL-2.1-or-later
__device__ int plain (int v) { return v; }
__device__ int bent (int v) { return v > 0 ? v + 9 : -v; }

typedef int (*Op) (int);

template <Op F, int (*G) (int) = plain> __global__ void apply (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = G (F (x[i]));
}

void launch () { apply<bent><<<1, 1>>> (0, 0, 0); apply<plain, bent><<<1, 1>>> (0, 0, 0); }
