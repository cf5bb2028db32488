// SPDX-License-Identifier: LGPL-2.1-or-later
struct params { int gain, bias; __device__ params (int g, int b) : gain (g), bias (b) {} };

__global__ void k (const int *x, int *y, params p, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = x[i] * p.gain + p.bias;
}
