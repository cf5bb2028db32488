// SPDX-License-Identifier: LGPL-2.1-or-later
#ifdef __cplusplus
extern "C"
#endif
__device__ int three_times (int v) { return v * 3; }

extern "C" __global__ void
k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = three_times (x[i]);
}

extern "C" __host__ int launch_all (int n);
