/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Kernels as users write them, for nodes that are joined with others. */

__global__ void
step (const unsigned int *x, unsigned int *y, unsigned long long x_count)
{
  GRID_FOR (i, x_count)
    y[i] = x[i] / 2 + 1;
}

__global__ void
near (const unsigned int *x, unsigned int *y, unsigned long long x_count)
{
  GRID_FOR (i, x_count)
    y[i] = x[i] + (i > 0 ? x[i - 1] : 0) + (i + 1 < x_count ? x[i + 1] : 0);
}

/* Says itself how many there are. */
__global__ void
pick (const unsigned int *x, unsigned int *y, unsigned int x_count, uint64_t *y_count)
{
  uint64_t n = 0;

  if (blockIdx.x != 0 || threadIdx.x != 0)
    return;
  for (unsigned int i = 0; i < x_count; i++)
    if (x[i] % 2 == 1)
      y[n++] = x[i];
  *y_count = n;
}
