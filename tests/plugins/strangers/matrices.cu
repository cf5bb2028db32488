// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

/* A warp's 256 items, of which 16 rows of 16 are multiplied by their own mirror image. */
__global__ void __launch_bounds__ (32) k (const int *x, int *y, int x_count)
{
  __shared__ __align__ (32) half a[256];
  __shared__ __align__ (32) float c[256];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  int first = blockIdx.x * 256;

  for (int n = threadIdx.x; n < 256; n += 32)
    a[n] = __int2half_rn (first + n < x_count ? x[first + n] % 16 : 0);
  __syncwarp ();
  wmma::fill_fragment (sum, 1.0f);
  wmma::load_matrix_sync (fa, a, 16);
  wmma::load_matrix_sync (fb, a, 16);
  wmma::mma_sync (sum, fa, fb, sum);
  wmma::store_matrix_sync (c, sum, 16, wmma::mem_row_major);
  __syncwarp ();
  for (int n = threadIdx.x; n < 256; n += 32)
    if (first + n < x_count) y[first + n] = (int) c[n];
}
