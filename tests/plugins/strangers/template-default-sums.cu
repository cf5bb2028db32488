// SPDX-License-Identifier: LGPL-2.1-or-later
template <int SPAN, int WIDE = SPAN * 2, int REST = 7 - 1, int LEFT = WIDE - REST>
__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = x[i] * LEFT;
}

int main () { k<2 + 2><<<1, 1>>> (0, 0, 0); }
