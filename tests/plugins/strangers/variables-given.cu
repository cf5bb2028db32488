// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the program would fill with cudaMemcpyToSymbol. */
__constant__ int gain, offset;
__device__ float scale;

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = x[i] * gain + offset + (int) (scale * 2);
}

int main () { int g = 3; cudaMemcpyToSymbol (gain, &g, sizeof g); k<<<1, 1>>> (0, 0, 0); }
