// SPDX-License-Identifier: LGPL-2.1-or-later
__device__ int twice (int v) { return v * 2; }
__device__ int same (int v) { return v; }
typedef int (*op) (int);
__device__ op table[] = { same, twice };
template <op F> __device__ int call (int v) { return F (v); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  op f = table[1];
  y[i] = i % 2 ? f (x[i]) : call<twice> (x[i]);
}
