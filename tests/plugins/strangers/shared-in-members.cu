// SPDX-License-Identifier: LGPL-2.1-or-later
template <class T> struct Shared { __device__ operator T * () { extern __shared__ int raw[]; return (T *) raw; } };

struct sum
{
  __device__ int of (int v)
  {
    int *s = Shared<int> (), all = 0;

    s[threadIdx.x] = v;
    __syncthreads ();
    for (int t = 0; t < 32; t++)
      all += s[t];
    __syncthreads ();
    return all;
  }
};

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sum s;
  int all = s.of (i < x_count ? x[i] : 0);

  if (i < x_count)
    y[i] = all;
}
