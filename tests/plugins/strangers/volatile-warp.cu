// SPDX-License-Identifier: LGPL-2.1-or-later
/* The sum of a block as programs wrote it before shuffles, with the barrier of a warp that CUDA asks for now. */
__device__ void last_warp (volatile int *s, int t)
{
  int v = s[t];
  v += s[t + 32]; __syncwarp (); s[t] = v; __syncwarp ();
  v += s[t + 16]; __syncwarp (); s[t] = v; __syncwarp ();
  v += s[t + 8]; __syncwarp (); s[t] = v; __syncwarp ();
  v += s[t + 4]; __syncwarp (); s[t] = v; __syncwarp ();
  v += s[t + 2]; __syncwarp (); s[t] = v; __syncwarp ();
  v += s[t + 1]; __syncwarp (); s[t] = v;
}

template <unsigned int blockSize>
__global__ void reduce (const int *x, int *y, unsigned int x_count)
{
  __shared__ int s[blockSize + 32];
  unsigned int t = threadIdx.x, i = blockIdx.x * blockSize + t;

  s[t] = i < x_count ? x[i] : 0;
  if (t < 32) s[blockSize + t] = 0;
  __syncthreads ();
  if (blockSize >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads (); }
  if (blockSize >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads (); }
  if (t < 32) last_warp (s, t);
  __syncthreads ();
  if (i < x_count) y[i] = s[0];
}
