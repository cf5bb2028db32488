// SPDX-License-Identifier: LGPL-2.1-or-later
/* Items by fours, the rest one by one. */
__global__ void k (const int *x, int *y, int x_count)
{
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;

  if (i + 3 < x_count)
    {
      int4 v = reinterpret_cast<const int4 *> (x)[i / 4];
      int2 w = make_int2 (v.z, v.w);

      *(int4 *) (y + i) = make_int4 (v.x + 1, v.y + 2, w.x + 3, w.y + 4);
    }
  else
    for (int k = i; k < x_count; k++)
      y[k] = x[k] + (k & 3) + 1;
}
