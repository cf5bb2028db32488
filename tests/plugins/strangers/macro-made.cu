// SPDX-License-Identifier: LGPL-2.1-or-later
#define KERNEL(name, op) __global__ void name (const int *x, int *y, int x_count) \
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= x_count) return; y[i] = x[i] op; }
KERNEL (k, * 2)
KERNEL (other, + 1)
