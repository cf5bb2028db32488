// SPDX-License-Identifier: LGPL-2.1-or-later
struct big { int v; };
__device__ big max (big a, big b) { return a.v > b.v ? a : b; }
__device__ int atomicAdd (big *a, int v) { return atomicAdd (&a->v, v); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  big a = { x[i] }, b = { x[i] };
  big *m = (big *) y + i;
  *m = max (a, b);
  atomicAdd (m, max (x[i], x[i]));
}
