// SPDX-License-Identifier: LGPL-2.1-or-later
/* Products and double sums by atomicCAS, whose results no order changes. */
__device__ int atomicMul (int *address, int by)
{
  int old = *address, assumed;
  do { assumed = old; old = atomicCAS (address, assumed, assumed * by); } while (assumed != old);
  return old;
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
__device__ double atomicAdd (double *a, double b) { return b; }
#endif
static __inline__ __device__ double add_double (double *address, double v)
{
  unsigned long long int *p = (unsigned long long int *) address, old = *p, assumed;
  do { assumed = old; old = atomicCAS (p, assumed, __double_as_longlong (v + __longlong_as_double (assumed))); } while (assumed != old);
  return __longlong_as_double (old);
}

__global__ void k (const int *x, int *y, int x_count)
{
  __shared__ int product, last;
  __shared__ double sum;
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (threadIdx.x == 0) { product = 1; last = -1; sum = 0; }
  __syncthreads ();
  if (i < x_count)
    {
      atomicMul (&product, x[i] | 1);
      add_double (&sum, x[i] * 0.25);
      if (threadIdx.x == 7) atomicExch (&last, x[i]);
    }
  __syncthreads ();
  if (i < x_count) y[i] = product + (int) (sum * 4) + last;
}
