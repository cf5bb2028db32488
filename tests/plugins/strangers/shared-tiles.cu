// SPDX-License-Identifier: LGPL-2.1-or-later
/* A transposition by tiles, in blocks of two axes; the last tile may have less. */
#define SIDE 8
__global__ void __launch_bounds__ (SIDE * SIDE) k (const int *x, int *y, int x_count)
{
  __shared__ int tile[SIDE][SIDE + 1];
  const int first = (blockIdx.y * gridDim.x + blockIdx.x) * SIDE * SIDE, here = first + threadIdx.y * SIDE + threadIdx.x;

  tile[threadIdx.y][threadIdx.x] = here < x_count ? x[here] : -1;
  __syncthreads ();
  if (here < x_count)
    y[here] = tile[threadIdx.x][threadIdx.y];
}
