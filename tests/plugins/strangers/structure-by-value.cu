// SPDX-License-Identifier: LGPL-2.1-or-later
struct inner { int w[2]; unsigned char flag; };
typedef struct { int gain; inner in; int3 dir; } params;

__global__ void k (const int *x, int *y, const params p, int x_count, int2 v)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = x[i] * p.gain + p.in.w[1] + v.y + p.dir.z * p.in.flag;
}
