// SPDX-License-Identifier: LGPL-2.1-or-later
struct Sample { short level; unsigned char kind, flags; };
static_assert (sizeof (Sample) == 4, "as it lies in memory");

__device__ Sample louder (const Sample &s)
{
  Sample out = s;

  out.level = s.level / 2;
  out.kind ^= s.flags;
  return out;
}

__global__ void k (const Sample *x, Sample *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = louder (x[x_count - 1 - i]);
}
