// SPDX-License-Identifier: LGPL-2.1-or-later
#define MODE 2
#if defined (USE_TABLE) && !defined (MODE)
__constant__ int table[4] = { 1, 2, 3, 4 };
#elif MODE > 1 && __CUDACC_VER_MAJOR__ >= 9
__device__ int pick (int v)
{
  if (v % 3 == 0)
#if MODE == 2
  { return v + 1; }
  else if (v < 0) {
#else
  {
#endif
    return v - 1; }
  return v;
}
#else
#error "no mode"
#endif

__global__ void k (const int *x, int *y,
#ifdef WITH_BIAS
                   int bias,
#endif
                   int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if 0
  } } } "
#endif
  if (i < x_count
#ifdef WITH_BIAS
      && bias
#endif
     )
    y[i] = pick (x[i]);
}
