// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cuComplex.h>

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count) return;
  cuDoubleComplex z = make_cuDoubleComplex (x[i] % 100, 3), w = cuCmul (z, z);
  cuFloatComplex f = cuConjf (make_cuFloatComplex ((float) (x[i] % 8), 2.0f));
  w = cuCadd (w, cuCsub (z, make_cuDoubleComplex (1, -1)));
  y[i] = (int) cuCreal (w) * 8 + (int) cuCimag (w) + (int) (cuCimagf (cuCmulf (f, f)) * 2);
}
